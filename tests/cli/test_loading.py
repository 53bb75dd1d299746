"""What is no model is refused with a message: never a traceback, a hang or a pass."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from explorer.cli import execute
from explorer.loading import find_system, load_file

DOOR = Path("tests/cli/models/door.py")


def refused(name: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert execute(["check", name]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and "Traceback" not in captured.err
    return captured.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f(:\n", ":1: error: syntax error"),
        ("x = 1\nraise ValueError('no')\n", ":2: error: importing"),
        ("import sys\nsys.exit(0)\n", "SystemExit"),
        ("import no_such_module_at_all\n", "No module named 'no_such_module_at_all'"),
        ("class Door: ...\n", "is not a system"),
        ("Door = 3\n", "is not a system"),
        ("from explorer.lang import System as Door\n", "is not a system"),
        ("x = 1\n", "it defines no System"),
        ("", "it defines no System"),
        ("from explorer.lang import System\nclass Door(System): ...\n", "what its state is"),
        ("x = '\0'\n", "null bytes"),
    ],
)
def test_a_file_that_is_no_model(
    tmp_path: Path, text: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken.py").write_text(text)
    assert message in refused(f"{tmp_path}/broken.py:Door", capsys)


def test_what_is_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "there is no file" in refused(f"{tmp_path}/gone.py:Door", capsys)
    assert "is a directory" in refused(f"{tmp_path}:Door", capsys)
    (tmp_path / "binary.py").write_bytes(b"x = 1\n\xff\xfe")
    assert "line 2 is not UTF-8" in refused(f"{tmp_path}/binary.py:Door", capsys)
    os.mkfifo(tmp_path / "pipe.py")
    assert "not a regular file" in refused(f"{tmp_path}/pipe.py:Door", capsys)
    assert "not a regular file" in refused("/dev/zero:Door", capsys)
    assert "error" in refused("a\0.py:Door", capsys)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "secret.py").write_text("")
    (tmp_path / "secret.py").chmod(0)
    assert "cannot read" in refused(f"{tmp_path}/secret.py:Door", capsys)


def test_names_that_do_not_exist(capsys: pytest.CaptureFixture[str]) -> None:
    assert "there is no system 'no_such'" in refused("no_such", capsys)
    assert "did you mean Door?" in refused(f"{DOOR}:Dor", capsys)
    assert "its systems are Door, Logged" in refused(str(DOOR), capsys)
    assert "has no class" in refused(f"{DOOR}:Door.design", capsys)


def test_the_users_directory_comes_last(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise RuntimeError\n")
    (tmp_path / "door_of_mine.py").write_text(DOOR.read_text())
    find_system(f"{tmp_path}/door_of_mine.py:Door")
    assert sys.path[-1] == str(tmp_path)
    import json

    assert "site-packages" not in str(json.__file__) and str(tmp_path) not in str(json.__file__)


def test_a_file_named_like_a_module_does_not_replace_it(tmp_path: Path) -> None:
    (tmp_path / "statistics.py").write_text(DOOR.read_text())
    cls = find_system(f"{tmp_path}/statistics.py:Door").cls
    assert cls.__module__ != "statistics"
    import statistics

    assert statistics.mean([1, 3]) == 2


def test_helpers_next_to_the_model_are_found(tmp_path: Path) -> None:
    (tmp_path / "rooms_of_mine.py").write_text(DOOR.read_text())
    (tmp_path / "house_of_mine.py").write_text("from rooms_of_mine import Door\n")
    found = find_system(f"{tmp_path}/house_of_mine.py:Door")
    assert found.cls.__module__ == "rooms_of_mine"


def test_a_file_is_loaded_as_it_is_now(tmp_path: Path) -> None:
    # Same length, same second: cached bytecode would be taken for this file's.
    path = tmp_path / "model_now.py"
    path.write_text("value = 1\n")
    assert load_file(path).value == 1
    assert not (tmp_path / "__pycache__").exists()
    other = tmp_path / "other" / "model_now.py"
    other.parent.mkdir()
    other.write_text("value = 2\n")
    assert load_file(other).value == 2
    assert load_file(path).value == 1


def test_a_module_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "half_a_model.py"
    path.write_text("raise ValueError\n")
    with pytest.raises(Exception, match="ValueError"):
        load_file(path)
    assert "half_a_model" not in sys.modules
