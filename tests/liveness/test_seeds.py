"""The answer is that of the file, whatever the interpreter's hash seed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.graphs.running import graph


def result(seed: str, *arguments: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "explorer.cli", "check", *arguments, "--json", "-"],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=False,
    )
    data: dict[str, Any] = json.loads(done.stdout)
    del data["timing"]
    return data


def test_a_system() -> None:
    name = "tests/liveness/systems.py:Shared"
    assert result("0", name) == result("1", name)


def test_a_graph(tmp_path: Path) -> None:
    rings = ("m x l", "l in m", "m y r", "r in m", "m go d", "d end d")
    data = graph(*rings, initial="m", strong=("x", "y", "in go"), p="d", q="l r")
    path = tmp_path / "graph.json"
    path.write_text(json.dumps(data))
    arguments = (
        str(path),
        *(x for f in ("F p", "G F q", "F G !q", "q R !p") for x in ("--ltl", f)),
    )
    assert result("0", *arguments) == result("2", *arguments)


@pytest.mark.parametrize("engine", ["reference"])
def test_another_engine_gives_the_same_lengths(engine: str) -> None:
    name = "tests/liveness/systems.py:Shared"
    one, other = (
        [(p["name"], p["verdict"], p["length"]) for p in data["properties"]]
        for data in (result("0", name), result("1", name, "--engine", engine))
    )
    assert one == other
