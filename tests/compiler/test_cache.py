"""The cache of machine code: used when it can be trusted, and never in the way."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from explorer.compiler import cache, native
from explorer.compiler.native import QUICK, TUNED, compile_program, object_code
from explorer.search.explore import search
from tests.search.programs import toggles

posix = pytest.mark.skipif(os.name != "posix", reason="permissions are another matter there")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path))
    monkeypatch.setattr(native, "_recent", [])
    return tmp_path / "objects"


def entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def states() -> int:
    return search(compile_program(toggles(3)), [(0, 0, 0)]).states


# What an entry is


def test_what_was_kept_is_found(folder: Path) -> None:
    assert cache.find("a" * 64) is None
    cache.keep("a" * 64, b"code")
    assert cache.find("a" * 64) == b"code"
    assert cache.find("b" * 64) is None
    [entry] = entries(folder)
    assert entry.name == "a" * 64 + ".o"


def test_fetch_makes_it_once(folder: Path) -> None:
    made = []

    def make() -> bytes:
        made.append(1)
        return b"code"

    assert [cache.fetch("a" * 64, make) for _ in range(3)] == [b"code"] * 3
    assert made == [1]


def test_names_tell_their_parts_apart() -> None:
    assert cache.name_of(["ab", "c"]) != cache.name_of(["a", "bc"])


def test_code_depends_on_text_level_and_processor(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = compile_program(toggles(2)).text
    start = len(entries(folder))
    object_code(text, TUNED)
    assert len(entries(folder)) == start + 1
    object_code(text + "; another text\n", QUICK)
    assert len(entries(folder)) == start + 2
    monkeypatch.setattr(native, "target", lambda: ("another processor",))
    object_code(text, QUICK)
    assert len(entries(folder)) == start + 3
    object_code(text, QUICK)
    assert len(entries(folder)) == start + 3


# What cannot be trusted


@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "swap", "text"])
def test_a_damaged_entry_is_made_anew(folder: Path, damage: str) -> None:
    name, other = "a" * 64, "b" * 64
    cache.keep(name, b"code" * 100)
    cache.keep(other, b"other")
    path = folder / f"{name}.o"
    data = bytearray(path.read_bytes())
    match damage:
        case "cut":
            data = data[:-1]
        case "flip":
            data[-10] ^= 1
        case "empty":
            data = bytearray()
        case "swap":
            data = bytearray((folder / f"{other}.o").read_bytes())
        case "text":
            data = bytearray(b"not an entry\n" * 50)
    path.write_bytes(data)
    assert cache.find(name) is None
    assert cache.fetch(name, lambda: b"new") == b"new"
    assert cache.find(name) == b"new"


def test_every_entry_damaged_and_a_search_all_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert states() == 8
    damaged = entries(folder)
    for path in damaged:
        path.write_bytes(path.read_bytes()[:-100])
    monkeypatch.setattr(native, "_recent", [])
    assert states() == 8
    assert set(damaged) <= set(entries(folder))


@posix
def test_what_others_could_have_written_is_not_run(folder: Path) -> None:
    cache.keep("a" * 64, b"code")
    (folder / f"{'a' * 64}.o").chmod(0o666)
    assert cache.find("a" * 64) is None
    cache.keep("a" * 64, b"code")
    assert cache.find("a" * 64) == b"code"
    folder.chmod(0o777)
    assert cache.find("a" * 64) is None


@posix
def test_the_directory_is_the_users_alone(folder: Path) -> None:
    cache.keep("a" * 64, b"code")
    assert folder.stat().st_mode & 0o777 == 0o700


# What cannot be used


def test_switched_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.VARIABLE, "off")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(native, "_recent", [])
    assert states() == 8
    assert entries(tmp_path) == []


def test_a_file_in_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    monkeypatch.setenv(cache.VARIABLE, str(in_the_way))
    monkeypatch.setattr(native, "_recent", [])
    assert states() == 8


def test_a_full_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert states() == 8
    assert entries(folder) == []


@pytest.mark.skipif(sys.platform != "linux", reason="other platforms keep caches elsewhere")
@pytest.mark.parametrize("variable, place", [("XDG_CACHE_HOME", ""), ("HOME", ".cache")])
def test_the_users_cache_directory(
    tmp_path: Path, variable: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(cache.VARIABLE, raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv(variable, str(tmp_path))
    cache.keep("a" * 64, b"code")
    assert (tmp_path / place / "slotcheck" / "objects" / f"{'a' * 64}.o").is_file()


def test_a_relative_cache_home_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(cache.VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    cache.keep("a" * 64, b"code")
    assert not (tmp_path / "relative").exists()


# Its size


def test_what_was_not_used_for_longest_goes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MOST_BYTES", 10_000)
    names = [f"{i:064x}" for i in range(8)]
    for age, name in enumerate(names[:7]):
        cache.keep(name, bytes(1_300))
        os.utime(folder / f"{name}.o", (age, age))
    assert cache.find(names[0]) is not None  # used just now
    cache.keep(names[7], bytes(1_300))
    assert [n for n in names if cache.find(n) is None] == names[1:4]


def test_one_entry_too_large_is_not_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MOST_BYTES", 10_000)
    cache.keep("a" * 64, bytes(9_000))
    assert not folder.exists() or entries(folder) == []


def test_leftovers_go(folder: Path) -> None:
    cache.keep("a" * 64, b"code")
    old = time.time() - 2 * 86400
    unfinished, young = folder / "x.part", folder / "y.part"
    for path in (unfinished, young):
        path.write_text("")
    os.utime(unfinished, (old, old))
    cache.keep("b" * 64, b"code")
    assert not unfinished.exists() and young.exists()


# Several at once


def test_threads_on_one_entry(folder: Path) -> None:
    name, content = "a" * 64, bytes(100_000)
    wrong = []

    def work() -> None:
        for _ in range(20):
            cache.keep(name, content)
            if cache.find(name) not in (content, None):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert [p.suffix for p in entries(folder)] == [".o"]


RUN = """
from explorer.compiler.native import compile_program
from explorer.search.explore import search
from tests.search.programs import toggles
print(search(compile_program(toggles(3)), [(0, 0, 0)]).states)
"""


def test_processes_on_one_cache(folder: Path) -> None:
    runs = [
        subprocess.Popen([sys.executable, "-c", RUN], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    assert [run.communicate()[0] for run in runs] == ["8\n"] * 2
    assert {p.suffix for p in entries(folder)} == {".o"}


# One compilation


def test_a_program_is_compiled_once(folder: Path) -> None:
    program = toggles(3)
    first = compile_program(program)
    assert compile_program(program) is first
    tuned = first.tuned()
    assert compile_program(program) is tuned
    assert tuned.tuned() is tuned


def test_better_code_made_before_is_used_at_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert compile_program(toggles(3)).level == QUICK
    compile_program(toggles(3)).tuned()
    monkeypatch.setattr(native, "_recent", [])
    assert compile_program(toggles(3)).level == TUNED
