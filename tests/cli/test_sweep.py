"""``slotcheck sweep`` from the outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explorer.cli import execute

TANKS = "tests/shrink/models.py:Tanks"
SWEEP = ["sweep", TANKS, "--scope", "Cell=1..2,Level=1..2", "--set", "watch=true,false"]


def test_one_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(SWEEP) == 1
    out = capsys.readouterr().out
    assert out.startswith(f"{TANKS}: Cell=1..2 Level=1..2 watch=True,False; 8 combinations\n\n")
    rows = [line.split() for line in out.splitlines()[2:11]]
    assert rows[0] == ["Cell", "Level", "watch", "states", "depth"]
    assert [row[:3] for row in rows[1:3]] == [["1", "1", "True"], ["1", "2", "True"]]
    assert "nothing_is_wet (1)" in out.splitlines()[7] and "all hold" in out
    assert "fails first\n  nothing_is_wet: Cell=1 Level=1 watch=False, 1 step\n" in out
    assert "states\n  Cell 1 to 2: " in out and "  Level 1 to 2: " in out


def test_json_and_processes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    execute([*SWEEP, "--json", str(one)])
    text = capsys.readouterr().out
    resume = ["--resume", str(tmp_path / "finished")]
    execute([*SWEEP, "--json", str(two), "--jobs", "2", *resume])
    assert capsys.readouterr().out == text and two.read_text() == one.read_text()
    execute([*SWEEP, *resume])
    assert capsys.readouterr().out == text
    data = json.loads(one.read_text())
    assert data["schema"] == "slotcheck.sweep/1" and len(data["rows"]) == 8
    assert data["rows"][0]["scope"] == {"Cell": 1, "Level": 1} and data["rows"][0]["complete"]
    assert data["fails_first"][0]["switches"] == {"watch": "False"}


def test_limits_leave_rows_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["sweep", TANKS, "--scope", "Cell=1..2", "--max-states", "2"]) == 3
    assert capsys.readouterr().out.count("unknown: ") == 2


def test_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    for options, message in (
        (["--scope", "Cell=2..1"], "the range 2..1 of Cell is empty"),
        (["--design", "nix"], "has no preset nix"),
        (["--property", "nix"], "has no property nix"),
        (["--property", "panic:nix"], "cannot fail with panic:nix"),
    ):
        assert execute(["sweep", TANKS, *options]) == 2
        assert message in capsys.readouterr().err
