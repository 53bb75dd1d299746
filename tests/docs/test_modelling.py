"""The tutorial says what happens: its files are written, its commands run, their output compared."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.document import ROOT, Command, agrees, patched, play

DOCUMENT = ROOT / "docs" / "modelling.md"


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tutorial")


@pytest.fixture(scope="module")
def run(directory: Path) -> list[Command]:
    return list(play(DOCUMENT.read_text(), directory))


def test_every_output_is_what_the_tutorial_shows(run: list[Command]) -> None:
    assert run
    wrong = [
        f"{DOCUMENT.name}:{c.line}: $ {c.command}\nshown:\n{c.expected}\nis:\n{c.actual}"
        for c in run
        if not agrees(c.expected, c.actual)
    ]
    assert not wrong, "\n\n".join(wrong)


def test_the_tutorials_models_pass_mypy(directory: Path, run: list[Command]) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "lock.py",
            "sessions.py",
            "jobs.py",
            "test_lock.py",
        ],
        cwd=directory,
        env={"MYPYPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_dots_stand_for_any_lines() -> None:
    assert agrees("a\n...\nd", "a\nb\nc\nd")
    assert agrees("...", "")
    assert agrees("a, 0.5 s", "a, 12.3 s")
    assert not agrees("a\n...\nd", "a\nb")
    assert not agrees("a", "a\nb")


def test_a_diff_must_fit() -> None:
    assert patched("a\nb\nc\n", " a\n-b\n+x\n") == "a\nx\nc\n"
    with pytest.raises(AssertionError, match="0 times"):
        patched("a\n", "-b\n+c\n")
