"""The page on fairness says what happens: its files are written, its commands run, their output compared."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.document import ROOT, Command, agrees, play

DOCUMENT = ROOT / "docs" / "fairness.md"


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fairness")


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


def test_the_answers_flip(run: list[Command]) -> None:
    checks = [c.actual.splitlines()[-1] for c in run if "slotcheck check" in c.command]
    first = [line.partition(":")[0] for line in checks[:5]]
    assert first == ["FAILED", "OK", "FAILED", "OK", "OK"]


def test_the_models_pass_mypy(directory: Path, run: list[Command]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "bell.py", "desk.py"],
        cwd=directory,
        env={"MYPYPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
