"""Runs ``slotcheck check graph.json`` and returns what it answers."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from explorer.cli import execute

EXAMPLE: dict[str, Any] = {
    "initial": ["a"],
    "edges": [["a", "step", "b"], ["b", "step", "a"]],
    "labels": {"p": ["b"]},
    "weak": [["step"]],
    "strong": [],
    "stuttering": False,
}


def graph(
    *edges: str,
    initial: str = "a",
    weak: tuple[str, ...] = (),
    strong: tuple[str, ...] = (),
    stuttering: bool = False,
    **labels: str,
) -> dict[str, Any]:
    """A graph from text: edges as ``a step b``, sets as ``x y``, labels as the states where they hold."""
    return {
        "initial": initial.split(),
        "edges": [e.split() for e in edges],
        "labels": {name: states.split() for name, states in labels.items()},
        "weak": [s.split() for s in weak],
        "strong": [s.split() for s in strong],
        "stuttering": stuttering,
    }


def answer(
    directory: Path, data: Mapping[str, Any], *formulas: str, options: tuple[str, ...] = ()
) -> tuple[int, dict[str, Any]]:
    """The exit code and the JSON result."""
    path = directory / "graph.json"
    path.write_text(json.dumps(data))
    arguments = [x for f in formulas for x in ("--ltl", f)]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = execute(["check", str(path), *arguments, *options, "--json", "-"])
    result: dict[str, Any] = json.loads(out.getvalue())
    return code, result


def verdict(directory: Path, data: Mapping[str, Any], formula: str) -> tuple[str, int | None]:
    """The verdict on one formula, and the length of the run that it rests on."""
    code, result = answer(directory, data, formula)
    (item,) = result["properties"]
    assert code == {"holds": 0, "violated": 1, "unknown": 3}[item["verdict"]]
    return item["verdict"], item["length"]
