"""ARCHITECTURE.md names every file, and the layers it draws are the ones there are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.document import ROOT

PACKAGES = ("explorer", "model", "properties")
LANG, LOGIC, TRACE = "explorer.lang", "explorer.logic", "explorer.trace"
ALLOWED = {
    "explorer/lang": (LANG,),
    "explorer/logic": (LANG, LOGIC),
    "explorer/reference": (LANG, TRACE, "explorer.result", "explorer.reference"),
    "explorer/trace": (LANG, LOGIC, TRACE, "explorer.files", "explorer.result"),
    "explorer/stateful": (LANG, LOGIC, TRACE, "explorer.result", "explorer.stateful"),
    "explorer/compiler": (LANG, "explorer.compiler"),
    "explorer/search": (
        LANG,
        TRACE,
        "explorer.compiler",
        "explorer.interrupts",
        "explorer.liveness.check",
        "explorer.result",
        "explorer.search",
    ),
    "explorer/liveness": (
        LANG,
        LOGIC,
        TRACE,
        "explorer.compiler",
        "explorer.interrupts",
        "explorer.liveness",
        "explorer.result",
        "explorer.search",
    ),
    "explorer/graphs": (
        LANG,
        LOGIC,
        TRACE,
        "explorer.files",
        "explorer.graphs",
        "explorer.interrupts",
        "explorer.liveness",
        "explorer.result",
    ),
    "explorer/explain": (
        LANG,
        LOGIC,
        TRACE,
        "explorer.compiler",
        "explorer.explain",
        "explorer.interrupts",
        "explorer.liveness",
        "explorer.result",
        "explorer.search",
    ),
    "explorer/stepping": (
        LANG,
        TRACE,
        "explorer.explain.blocked",
        "explorer.explain.words",
        "explorer.files",
        "explorer.stepping",
    ),
    "explorer/symbolic": (
        LANG,
        TRACE,
        "explorer.compiler",
        "explorer.result",
        "explorer.search.report",
        "explorer.symbolic",
    ),
    "model": (LANG, "model"),
    "properties": (LANG, "model", "properties"),
}


def sources() -> Iterator[Path]:
    for package in PACKAGES:
        yield from sorted((ROOT / package).rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module == "explorer":
            yield from (f"explorer.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module


def test_every_file_has_its_line() -> None:
    listed: set[str] = set()
    folder = ""
    for line in (ROOT / "ARCHITECTURE.md").read_text().splitlines():
        if heading := re.match(r"`([a-z/]+)/` ", line):
            folder = heading[1]
        elif item := re.match(r"\* `([a-z0-9_]+\.py)`: \S", line):
            listed.add(f"{folder}/{item[1]}")
    there = {str(p.relative_to(ROOT)) for p in sources() if p.name != "__init__.py"}
    assert listed == there


@pytest.mark.parametrize("folder", ALLOWED)
def test_layers_look_down(folder: str) -> None:
    for path in sorted((ROOT / folder).rglob("*.py")):
        for name in imports(path):
            ours = name.split(".")[0] in (*PACKAGES, "tests")
            fits = any(name == a or name.startswith(f"{a}.") for a in ALLOWED[folder])
            assert not ours or fits, f"{path.relative_to(ROOT)} imports {name}"


def test_the_explorer_knows_no_protocol() -> None:
    for path in (ROOT / "explorer").rglob("*.py"):
        assert not any(n.split(".")[0] in ("model", "properties") for n in imports(path)), path
