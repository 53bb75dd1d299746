"""The compiled loops are cached where the user's caches are, and run without a cache as well."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

RUN = """
from explorer.compiler.native import compile_program
from explorer.search.explore import search
from tests.search.programs import toggles
print(search(compile_program(toggles(3)), [(0, 0, 0)]).states)
"""


def run(cache: Path) -> str:
    environment = os.environ | {"XDG_CACHE_HOME": str(cache), "HOME": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", RUN], capture_output=True, text=True, env=environment, check=True
    )
    return done.stdout.strip()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other platforms keep caches elsewhere")
def test_the_cache_is_in_the_users_cache_directory(tmp_path: Path) -> None:
    assert run(tmp_path) == "8"
    [directory] = (tmp_path / "slotcheck").iterdir()
    compiled = {p.name for p in directory.rglob("*.nbc")}
    assert compiled
    assert run(tmp_path) == "8"
    assert {p.name for p in directory.rglob("*.nbc")} == compiled


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a file in the way is another error there")
def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    assert run(in_the_way) == "8"
