"""Every error of the compiler: what it says, where its caret stands, and that what it suggests compiles."""

from __future__ import annotations

import ast
import re
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

import explorer.compiler
from explorer.compiler import lower
from explorer.lang.errors import ModelError
from tests.compiler.error_cases import CASES, DOCUMENT, Case, document
from tests.compiler.models import load, system_in

COMPILER = Path(explorer.compiler.__file__).parent
OTHERS = ("llvm_terms.py", "packing.py", "native.py")
"""What makes machine code has tests of its own."""


def _error(case: Case, folder: Path) -> ModelError:
    with pytest.raises(ModelError) as caught:
        lower(system_in(load(case.model(case.wrong), folder))())
    return caught.value


@pytest.mark.parametrize("case", CASES, ids=[re.sub(r"\W+", "_", c.message)[:60] for c in CASES])
def test_message_caret_hint(case: Case, tmp_path: Path) -> None:
    error = _error(case, tmp_path)
    message = re.sub(r"in line \d+", "in line N", error.message)
    assert re.sub(r"model_\d+\.", "", message) == case.message
    assert error.hint == case.hint
    if not case.at:
        return
    assert error.where is not None
    line = Path(error.where.file).read_text().splitlines()[error.where.line - 1]
    assert line.encode()[error.where.column : error.where.end_column].decode() == case.at
    assert error.render().count("\n") >= 2


@pytest.mark.parametrize("case", CASES, ids=[re.sub(r"\W+", "_", c.message)[:60] for c in CASES])
def test_the_right_way_compiles(case: Case, tmp_path: Path) -> None:
    lower(system_in(load(case.model(case.right), tmp_path))())


def _sites() -> Iterator[tuple[str, int, int]]:
    """Every place in the compiler that raises a ModelError: file, first and last line."""
    for file in sorted(COMPILER.glob("*.py")):
        if file.name in OTHERS:
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func)
                if name in ("ModelError", "ctx.error", "self.error"):
                    yield file.name, node.lineno, node.end_lineno or node.lineno


def _site(error: ModelError) -> tuple[str, int]:
    """Where an error was raised, not counting ``Context.error``."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.name != "error" and frame.lineno is not None:
            return Path(frame.filename).name, frame.lineno
    raise AssertionError


def test_every_error_of_the_compiler_has_a_case(tmp_path: Path) -> None:
    missing = {site for site in _sites() if site[0] != "context.py" or not _is_error_method(site)}
    for case in CASES:
        file, line = _site(_error(case, tmp_path))
        missing -= {s for s in missing if s[0] == file and s[1] <= line <= s[2]}
    assert not missing


def _is_error_method(site: tuple[str, int, int]) -> bool:
    """Whether it is ``Context.error`` itself, through which the others go."""
    return "raise ModelError(message" in (COMPILER / site[0]).read_text().splitlines()[site[1] - 1]


def test_the_document_is_made_from_the_cases() -> None:
    assert DOCUMENT.read_text() == document(), "run python -m tests.compiler.error_cases"
