"""``slotcheck replay`` and ``slotcheck run`` from the outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explorer.cli import execute
from explorer.configure import configure
from explorer.loading import find_system
from explorer.trace.replay import changed_switches

SOURCE = Path("tests/cli/models/door.py")
DOOR = f"{SOURCE}:Door"


@pytest.fixture
def trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    execute(["check", DOOR, "--design", "open", "--trace-dir", str(tmp_path)])
    capsys.readouterr()
    return tmp_path / "Door-at_most_one_is_inside.json"


def test_a_fix_kills_the_run(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["replay", str(trace), "--set", "guard=true"]) == 0
    out = capsys.readouterr().out
    assert "The run is not possible in this design: it stops at step 1 of 1." in out
    assert "! the step is disabled" in out
    assert "require(sum(1 for p in Person if s.inside[p]) == 0)" in out


def test_what_is_no_fix_does_not(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["replay", str(trace), "--set", "carpet=false"]) == 1
    assert "at_most_one_is_inside fails at its end." in capsys.readouterr().out
    assert execute(["replay", str(trace), "--design", "ajar"]) == 0


def test_a_witness_is_wanted(trace: Path) -> None:
    witness = trace.parent / "Door-somebody_is_inside.json"
    assert execute(["replay", str(witness)]) == 0
    assert execute(["replay", str(witness), "--set", "guard=true"]) == 0


def test_a_changed_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "door_that_changes.py"
    model.write_text(SOURCE.read_text())
    execute(["check", f"{model}:Door", "--design", "open", "--trace-dir", str(tmp_path)])
    path = tmp_path / "Door-at_most_one_is_inside.json"
    data = json.loads(path.read_text())
    data["digest"] = "sha256:0"
    path.write_text(json.dumps(data))
    capsys.readouterr()
    assert execute(["replay", str(path)]) == 0
    assert "source has changed" in capsys.readouterr().out
    data["steps"][0]["state"]["inside"]["Person0"] = False
    path.write_text(json.dumps(data))
    assert execute(["replay", str(path)]) == 1
    out = capsys.readouterr().out
    assert "differs from the recorded one first at step 1 of 1" in out
    assert "inside.Person0: False recorded, True now" in out
    data["steps"][0]["action"] = "come_in"
    path.write_text(json.dumps(data))
    assert execute(["replay", str(path)]) == 1
    assert "has no action come_in" in capsys.readouterr().out


def test_damaged_traces(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = trace.read_text()
    for text in ("", whole[: len(whole) // 2], '{"schema": "other/1"}', "[]"):
        trace.write_text(text)
        assert execute(["replay", str(trace)]) == 2
        captured = capsys.readouterr()
        assert captured.out == "" and "not a trace" in captured.err
    data = json.loads(whole)
    for key, value in (("system", "gone.py:Door"), ("scope", {"P": 1}), ("design", {"lok": True})):
        trace.write_text(json.dumps({**data, key: value}))
        assert execute(["replay", str(trace)]) == 2
    assert execute(["replay", str(trace.parent)]) == 2
    assert execute(["replay", str(trace), "--set", "x"]) == 2


def script(tmp_path: Path, text: str) -> str:
    path = tmp_path / "steps.run"
    path.write_text(text)
    return str(path)


def test_a_run_is_shown_like_a_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = script(tmp_path, "init(first=None)\nenter(person=Person0)\nleave(person=Person0)\n")
    assert execute(["run", DOOR, "--script", path]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "  0. init(first=None)",
        "  1. Person0: enter(person=Person0)",
        "       inside[Person0]: False -> True",
        "     + somebody_is_inside is reached",
        "  2. Person0: leave(person=Person0)",
        "       inside[Person0]: True -> False",
        "",
        "OK: 2 steps, nothing is violated",
    ]


def test_a_run_that_violates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = script(tmp_path, "init(first=Person0)\nenter(person=Person1)\nring()\n")
    design = ["--design", "open", "--set", "alarm=true"]
    assert execute(["run", DOOR, "--script", path, *design]) == 1
    out = capsys.readouterr().out
    assert "! at_most_one_is_inside is violated" in out
    assert "for: p = Person0, q = Person1" in out
    assert "! panic:somebody_was_inside: somebody was inside" in out
    assert "FAILED: at_most_one_is_inside, panic:somebody_was_inside" in out


def test_a_blocked_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = script(tmp_path, "init(first=Person0)\n# somebody else\nenter(person=Person1)\n")
    assert execute(["run", DOOR, "--script", path]) == 2
    captured = capsys.readouterr()
    assert "0. init(first=Person0)" in captured.out
    assert f"{path}:3: error: step 1 cannot be taken" in captured.err
    assert "require(not any(s.inside[p] for p in Person))" in captured.err


def test_a_run_beyond_the_scope(tmp_path: Path) -> None:
    text = "init(first=Person0)\nsign(person=Person0)\nsign(person=Person0)\n"
    arguments = ["run", f"{SOURCE}:Logged", "--script", script(tmp_path, text)]
    assert execute(arguments) == 3
    assert execute([*arguments, "--scope", "visits=2"]) == 0


def test_wrong_scripts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for text in ("", "enter\n", "enter(person=Person0)\n"):
        assert execute(["run", DOOR, "--script", script(tmp_path, text)]) == 2
    assert execute(["run", DOOR, "--script", str(tmp_path / "gone")]) == 2
    assert execute(["run", DOOR]) == 2
    assert "--script" in capsys.readouterr().err


def test_a_switch_that_was_put_back_stays_put_back() -> None:
    """A preset turns it off, the user turns it on again: a trace has to say so, for a replay applies the preset anew."""
    found = find_system(DOOR)
    once = configure(found, preset="open", switches={"lock": True}).system
    recorded = changed_switches(once)
    assert recorded == {"lock": True, "guard": False}
    again = configure(found, preset="open", switches=recorded).system
    assert again.design == once.design and once.design.lock
