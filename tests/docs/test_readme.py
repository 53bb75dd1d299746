"""What the README shows comes out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.docs.document import ROOT, agrees, play

README = ROOT / "README.md"


def test_every_output_is_what_the_readme_shows(tmp_path: Path) -> None:
    run = list(play(README.read_text(), tmp_path))
    assert len(run) == 2
    for command in run:
        assert agrees(command.expected, command.actual.replace(f"{ROOT}/", "")), command.actual


def test_the_readmes_model_passes_mypy(tmp_path: Path) -> None:
    list(play(README.read_text().replace("$ slotcheck", "$ true"), tmp_path))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "counter.py"],
        cwd=tmp_path,
        env={"MYPYPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_the_two_commands_are_targets_of_the_makefile() -> None:
    readme, makefile = README.read_text(), (ROOT / "Makefile").read_text()
    for target in ("check", "test"):
        assert f"    make {target} " in readme
        assert f"\n{target}:" in makefile
