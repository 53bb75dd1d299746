"""``slotcheck check`` from the outside: verdicts, exit codes, JSON, trace files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from explorer.cli import execute

DOOR = "tests/cli/models/door.py:Door"
OPEN = ("--design", "open")


def test_bmc(capsys: pytest.CaptureFixture[str]) -> None:
    run = (DOOR, "--engine", "bmc", "--depth", "2")
    assert check(*run) == 3
    assert check(*run, *OPEN) == 1
    capsys.readouterr()
    data = result(capsys, *run, *OPEN, "--set", "alarm=true")
    assert (data["engine"], data["complete"]) == ("bmc", False)
    lengths = {p["name"]: p["length"] for p in data["properties"] if p["verdict"] == "violated"}
    assert lengths == {"at_most_one_is_inside": 1, "panic:somebody_was_inside": 1}


@pytest.fixture(params=["exhaustive", "reference"])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def check(*arguments: str) -> int:
    return execute(["check", *arguments])


def result(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    check(*arguments, "--json", "-")
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    return data


def verdicts(data: dict[str, Any]) -> dict[str, str]:
    return {p["name"]: p["verdict"] for p in data["properties"]}


def test_exit_codes(engine: str) -> None:
    run = ("--engine", engine)
    assert check(DOOR, *run) == 0
    assert check(DOOR, *run, *OPEN) == 1
    assert check(DOOR, *run, "--set", "exit=false") == 1
    assert check(DOOR, *run, "--set", "exit=false", "--max-states", "1") == 3
    assert check(DOOR, *run, *OPEN, "--first") == 1
    assert check("tests/cli/models/door.py:Logged", *run) == 3
    # A violation outweighs what is incomplete.
    assert check("tests/cli/models/door.py:Logged", *run, *OPEN) == 1


def test_an_unreached_witness_fails_the_run(
    tmp_path: Path, engine: str, capsys: pytest.CaptureFixture[str]
) -> None:
    source = Path("tests/cli/models/door.py").read_text().replace("return any(", "return all(")
    (tmp_path / "full.py").write_text(source)
    assert check(f"{tmp_path}/full.py:Door", "--engine", engine) == 1
    assert "somebody_is_inside (unreached)" in capsys.readouterr().out


def test_json_is_the_contract(capsys: pytest.CaptureFixture[str], engine: str) -> None:
    data = result(capsys, DOOR, "--engine", engine, *OPEN, "--set", "carpet=false")
    assert list(data) == [
        "schema",
        "system",
        "scope",
        "design",
        "engine",
        "complete",
        "reductions",
        "states",
        "transitions",
        "depth",
        "properties",
        "actions",
        "warnings",
        "timing",
    ]
    assert (data["schema"], data["system"], data["engine"]) == (
        "slotcheck.result/1",
        DOOR,
        engine,
    )
    assert data["scope"] == {"Person": 2, "visits": 1}
    assert data["design"] == {"preset": "open", "lock": False, "guard": False, "carpet": False}
    assert (data["complete"], data["states"], data["transitions"], data["depth"]) == (True, 4, 8, 1)
    assert data["actions"]["ring"] == {"enabled": 0, "taken": 0}
    assert data["warnings"] == ["action ring is never enabled"]
    [found] = [p for p in data["properties"] if p["verdict"] == "violated"]
    assert (found["name"], found["kind"], found["length"]) == (
        "at_most_one_is_inside",
        "invariant",
        1,
    )
    assert found["trace"]["schema"] == "slotcheck.trace/1"
    assert found["trace"]["design"] == data["design"]


def test_json_is_the_same_every_time(tmp_path: Path, engine: str) -> None:
    texts = []
    for name in ("a", "b"):
        path = tmp_path / name
        check(DOOR, "--engine", engine, *OPEN, "--json", str(path))
        data = json.loads(path.read_text())
        assert data.pop("timing")["seconds"] >= 0
        texts.append(json.dumps(data))
    assert texts[0] == texts[1]


def test_text_goes_to_standard_error_when_json_goes_to_standard_output(
    capsys: pytest.CaptureFixture[str],
) -> None:
    check(DOOR, *OPEN, "--json", "-")
    captured = capsys.readouterr()
    assert json.loads(captured.out)["states"] == 4
    assert "at_most_one_is_inside is violated after 1 step" in captured.err


def test_text(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    check(DOOR, *OPEN)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{DOOR}: scope Person=2 visits=1; design open lock=False guard=False"
    assert lines[1].startswith("exhaustive: complete, 4 states, 8 transitions, depth 1, ")
    assert lines[3:] == [
        "violated  at_most_one_is_inside (1 step)",
        "holds     one_door_lets_one_through",
        "reached   somebody_is_inside (0 steps)",
        "holds     panic:somebody_was_inside",
        "holds     deadlock",
        "warning: action ring is never enabled",
        "",
        "  0. init(first=Person0)",
        "  1. Person1: enter(person=Person1)",
        "       inside[Person1]: False -> True",
        "",
        "at_most_one_is_inside is violated after 1 step",
        "  false: p == q or not (s.inside[p] and s.inside[q])",
        "  for: p = Person0, q = Person1",
        "    s.inside[p] = True",
        "    s.inside[q] = True",
        *[line for line in lines if line.startswith("  at tests/cli/models/door.py:")],
        "",
        "FAILED: at_most_one_is_inside",
    ]


def test_what_is_used_up_is_named(capsys: pytest.CaptureFixture[str], engine: str) -> None:
    logged = "tests/cli/models/door.py:Logged"
    data = result(capsys, logged, "--engine", engine)
    assert not data["complete"] and "incomplete: visits used up" in data["warnings"]
    assert verdicts(data)["at_most_one_is_inside"] == "unknown"
    check(logged, "--engine", engine)
    assert "run with --scope visits=2 or more" in capsys.readouterr().out


def test_trace_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = result(capsys, DOOR, *OPEN, "--trace-dir", str(tmp_path / "traces"))
    [path] = [p["trace"] for p in data["properties"] if p["verdict"] == "violated"]
    assert path == str(tmp_path / "traces" / "Door-at_most_one_is_inside.json")
    assert execute(["replay", path]) == 0
    out = capsys.readouterr().out
    assert "The run is the recorded one, state by state (1 step)." in out
    assert "at_most_one_is_inside fails at its end." in out


def test_options_reach_the_system(capsys: pytest.CaptureFixture[str]) -> None:
    data = result(capsys, DOOR, "--scope", "Person=3,visits=2", "--set", "sign=CLOSED")
    assert data["scope"] == {"Person": 3, "visits": 2}
    assert data["design"] == {"sign": "CLOSED"}
    assert data["states"] == 4
    data = result(capsys, DOOR, "--scope", "Person=3", "--scope", "visits=4")
    assert data["scope"] == {"Person": 3, "visits": 4}
    data = result(capsys, DOOR, *OPEN, "--set", "lock=true")
    assert data["design"] == {"preset": "open", "lock": True, "guard": False}


def test_chosen_properties(capsys: pytest.CaptureFixture[str], engine: str) -> None:
    run = (DOOR, "--engine", engine, *OPEN)
    data = result(capsys, *run, "--property", "one_door_lets_one_through")
    assert "at_most_one_is_inside" not in verdicts(data)
    assert check(*run, "--property", "one_door_lets_one_through") == 0
    assert check(*run, "--property", "panic:somebody_was_inside") == 0
    capsys.readouterr()
    data = result(capsys, *run, "--property", "panic:somebody_was_inside")
    assert verdicts(data) == {"panic:somebody_was_inside": "holds", "deadlock": "holds"}


def test_a_misspelt_failure_is_no_pass(capsys: pytest.CaptureFixture[str]) -> None:
    assert check(DOOR, "--property", "panic:somebody_is_inside") == 2
    assert "did you mean panic:somebody_was_inside" in capsys.readouterr().err


def test_whole_states(capsys: pytest.CaptureFixture[str]) -> None:
    check(DOOR, *OPEN, "--full")
    assert "         Person1: True" in capsys.readouterr().out.splitlines()


def test_narrow_terminals(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    check(DOOR, *OPEN)
    lines = capsys.readouterr().out.splitlines()
    assert max(len(line) for line in lines[: lines.index("  0. init(first=Person0)")]) <= 40


def test_the_class_can_be_left_out_if_there_is_one(tmp_path: Path) -> None:
    source = Path("tests/cli/models/door.py").read_text()
    start, end = source.index("class Logged"), source.index("@invariant")
    (tmp_path / "one.py").write_text(source[:start] + source[end:])
    assert check(f"{tmp_path}/one.py") == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Missing argument"),
        ((DOOR, "--engine", "fast"), "'fast' is not one of"),
        ((DOOR, "--frist"), "No such option"),
        ((DOOR, "--max-states", "0"), "--max-states"),
        ((DOOR, "--max-states", "many"), "--max-states"),
        ((DOOR, "--max-seconds", "0"), "--max-seconds"),
        ((DOOR, "--max-seconds", "nan"), "--max-seconds"),
        ((DOOR, "--depth", "3"), "has no depth"),
        ((DOOR, "--engine", "bmc"), "bmc needs a depth"),
        ((DOOR, "--engine", "bmc", "--depth", "3", "--first"), "no --first"),
        ((DOOR, "--scope", "Person"), "is not a scope entry"),
        ((DOOR, "--scope", "Person=-1"), "cannot be -1"),
        ((DOOR, "--scope", "Person=1000000000"), "cannot be 1000000000"),
        ((DOOR, "--scope", "Person=100000"), "Person has 100000 values in this scope"),
        ((DOOR, "--max-memory", "many"), "write 512M or 2G"),
        ((DOOR, "--max-memory", "0"), "write 512M or 2G"),
        ((DOOR, "--max-memory", "1G", "--engine", "reference"), "no --max-memory"),
        ((DOOR, "--trace-dir", "/dev/null/x"), "cannot write traces"),
        ((DOOR, "--scope", "Person=0"), "cannot be 0"),
        ((DOOR, "--scope", "Person=999999999"), "cannot be 999999999"),
        ((DOOR, "--scope", "Person=1", "--scope", "Person=2"), "two sizes"),
        ((DOOR, "--scope", "Persn=1"), "did you mean Person?"),
        ((DOOR, "--set", "lock"), "sets no switch"),
        ((DOOR, "--set", "lock="), "sets no switch"),
        ((DOOR, "--set", "lock=maybe"), "expected True or False"),
        ((DOOR, "--set", "lck=true"), "did you mean lock?"),
        ((DOOR, "--set", "lock=true", "--set", "lock=false"), "set twice"),
        ((DOOR, "--design", "opne"), "did you mean open?"),
        ((DOOR, "--property", "at_most"), "no property at_most"),
        ((DOOR, "--json", "/nowhere/x.json"), "no directory"),
        ((DOOR, "--json", "/"), "directory"),
    ],
)
def test_wrong_options(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(*arguments) == 2
    captured = capsys.readouterr()
    assert message in captured.err and "error: " in captured.err
    assert captured.out == ""
