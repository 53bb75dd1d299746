"""The distribution, built and installed from scratch: it needs no source tree."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow

OFFLINE = ("No matching distribution", "Could not find a version", "Connection", "Name or service")


def run(*command: str | Path, where: Path) -> subprocess.CompletedProcess[str]:
    # What the tests' own interpreter finds must not help.
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    return subprocess.run(
        [str(c) for c in command],
        cwd=where,
        capture_output=True,
        text=True,
        timeout=900,
        env={k: v for k, v in os.environ.items() if k not in hidden},
    )


def install(python: Path, *arguments: str | Path, where: Path) -> None:
    done = run(python, "-m", "pip", "install", "--quiet", *arguments, where=where)
    if done.returncode != 0 and any(sign in done.stderr for sign in OFFLINE):
        pytest.skip(f"pip reaches no package index: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr


def environment(folder: Path, python: str = sys.executable) -> Path:
    subprocess.run([python, "-m", "venv", str(folder)], check=True, timeout=300)
    return folder / "bin" / "python"


def interpreters() -> list[str]:
    """This Python, and newer ones that are installed here."""
    newer = (f"python3.{minor}" for minor in range(sys.version_info.minor + 1, 20))
    return [sys.executable, *(name for name in newer if _starts(name))]


def _starts(name: str) -> bool:
    # A shim may be there without the version that it stands for.
    return (
        shutil.which(name) is not None
        and not subprocess.run([name, "--version"], capture_output=True).returncode
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist and the wheel made from it, as ``python -m build`` makes them."""
    folder = tmp_path_factory.mktemp("built")
    source = folder / "source"
    ignore = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "__pycache__")
    shutil.copytree(ROOT, source, ignore=ignore)
    python = environment(folder / "tools")
    install(python, "build", where=folder)
    done = run(python, "-m", "build", "--outdir", folder, source, where=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def the(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


def test_the_wheel_holds_every_source_and_document(built: Path) -> None:
    names = set(zipfile.ZipFile(the(built, "*.whl")).namelist())
    for package in ("explorer", "model", "properties"):
        for path in (ROOT / package).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                assert str(path.relative_to(ROOT)) in names
    assert not any(name.startswith("tests") for name in names)


@pytest.mark.parametrize("interpreter", interpreters())
def test_it_runs_where_nothing_else_is(built: Path, tmp_path: Path, interpreter: str) -> None:
    python = environment(tmp_path / "clean", interpreter)
    install(python, the(built, "*.whl"), where=tmp_path)
    empty = tmp_path / "empty"
    empty.mkdir()
    command = python.parent / "slotcheck"
    listed = run(command, "list", where=empty)
    assert listed.returncode == 0 and "registry" in listed.stdout, listed.stderr
    model = empty / "door.py"
    shutil.copy(ROOT / "tests/cli/models/door.py", model)
    checked = run(command, "check", "door.py:Door", where=empty)
    assert checked.returncode == 0, checked.stderr
    model.unlink()
    verified = run(command, where=empty)
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert verified.stdout.splitlines()[-1].startswith("OK: ") and verified.stderr == ""
