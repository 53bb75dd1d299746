"""The page on explanations shows what is printed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.document import ROOT, Command, agrees, play

DOCUMENT = ROOT / "docs" / "explaining.md"


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("explaining")


@pytest.fixture(scope="module")
def run(directory: Path) -> list[Command]:
    return list(play(DOCUMENT.read_text(), directory))


def test_every_output_is_what_the_page_shows(run: list[Command]) -> None:
    assert run
    wrong = [
        f"{DOCUMENT.name}:{c.line}: $ {c.command}\nshown:\n{c.expected}\nis:\n{c.actual}"
        for c in run
        if not agrees(c.expected, c.actual)
    ]
    assert not wrong, "\n\n".join(wrong)


def test_nothing_is_wrong_with_the_words(run: list[Command]) -> None:
    assert not [c.command for c in run if "warning" in c.actual]


def test_the_model_passes_mypy(directory: Path, run: list[Command]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "kettle.py"],
        cwd=directory,
        env={"MYPYPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
