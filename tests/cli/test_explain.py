"""``slotcheck explain`` from the outside."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from explorer.cli import execute

SOURCE = Path("tests/cli/models/door.py")
DOOR = f"{SOURCE}:Door"
TURNS = "tests/cli/models/turns.py"


@pytest.fixture
def trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    execute(["check", DOOR, "--design", "open", "--trace-dir", str(tmp_path)])
    capsys.readouterr()
    return tmp_path / "Door-at_most_one_is_inside.json"


@pytest.fixture
def lasso(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    execute(["check", f"{TURNS}:Lock", "--trace-dir", str(tmp_path)])
    capsys.readouterr()
    return tmp_path / "Lock-who_waits_enters.json"


def changed(path: Path, change: Any) -> str:
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))
    return str(path)


def test_a_counterexample(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["explain", str(trace)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("at_most_one_is_inside is violated after 1 step\n  false:")
    assert "the step matters" in out
    assert "point of no return: step 1, Person1: enter(person=Person1)" in out
    assert "who was about to do what, at the start" in out


def test_a_lasso_says_what_keeps_fair_steps(
    lasso: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute(["explain", str(lasso)]) == 0
    out = capsys.readouterr().out
    assert "is owed" in out
    assert "point of no return: none" in out
    assert "why no fair step ends it" in out
    assert "needs s.phase[x] != Phase.IN (x = " in out


def test_a_witness_has_no_point_of_no_return(
    trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute(["explain", str(trace.parent / "Door-somebody_is_inside.json")]) == 0
    out = capsys.readouterr().out
    assert "somebody_is_inside is reached after" in out
    assert "no return" not in out


def test_json(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["explain", str(trace), "--json", "-"]) == 0
    out, err = capsys.readouterr()
    data = json.loads(out)
    assert data["schema"] == "slotcheck.explanation/1"
    assert data["system"] == DOOR
    assert data["slice"]["steps"] == [1]
    assert "point of no return" in err


def test_a_limit_that_was_hit_is_incomplete(
    lasso: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute(["explain", str(lasso), "--max-states", "2"]) == 3
    assert "raise --max-states" in capsys.readouterr().out


def test_an_edited_trace_is_refused(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def move(data: Any) -> None:
        data["steps"][0]["state"]["inside"]["Person0"] = False

    assert execute(["explain", changed(trace, move)]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert "the run is not the recorded one any more: at step 1, the state differs" in err
    assert "inside.Person0: False recorded, True now" in err
    assert "`slotcheck replay` shows the run as it is now" in err

    def shrink(data: Any) -> None:
        data["scope"]["Person"] = 1

    assert execute(["explain", changed(trace, shrink)]) == 2
    assert "at step 1, person: Person1 is not in the scope" in capsys.readouterr().err


def test_a_lasso_that_does_not_come_back_is_refused(
    lasso: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def move(data: Any) -> None:
        data["loop"] = len(data["steps"]) - 1

    assert execute(["explain", changed(lasso, move)]) == 2
    err = capsys.readouterr().err
    assert "who_waits_enters does not fail: the run cannot go round its cycle" in err


def test_another_property_fails_to_be_violated(
    trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def rename(data: Any) -> None:
        data["property"] = "one_door_lets_one_through"
        data["kind"] = "step_invariant"

    assert execute(["explain", changed(trace, rename)]) == 2
    assert "one_door_lets_one_through does not fail" in capsys.readouterr().err


def test_a_changed_source_is_said(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["explain", changed(trace, lambda d: d.update(digest="sha256:0"))]) == 0
    assert capsys.readouterr().out.startswith("warning: the model's source has changed")

    def edit(data: Any) -> None:
        data["steps"][0]["state"]["inside"]["Person0"] = False

    assert execute(["explain", changed(trace, edit)]) == 2
    assert "the model's source has changed" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": "slotcheck.trace/1"}', "\0"])
def test_what_is_no_trace_is_refused(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ünsinn.json"
    path.write_text(text)
    assert execute(["explain", str(path)]) == 2
    assert "is not a trace" in capsys.readouterr().err
    assert execute(["explain", str(tmp_path / "missing.json")]) == 2
    assert execute(["explain", str(path), "--max-seconds", "nan"]) == 2
    assert "it is not a number of seconds" in capsys.readouterr().err


def test_a_trace_on_a_labelled_graph_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph = tmp_path / "ring.json"
    graph.write_text('{"initial": ["a"], "edges": [["a", "s", "a"]], "labels": {"p": []}}')
    execute(["check", str(graph), "--ltl", "F p", "--trace-dir", str(tmp_path / "t")])
    capsys.readouterr()
    (trace,) = (tmp_path / "t").iterdir()
    assert execute(["explain", str(trace)]) == 2
    assert "is a labelled graph, not a system" in capsys.readouterr().err


def test_explanations_do_not_depend_on_the_process(lasso: Path) -> None:
    seen = {
        subprocess.run(
            [sys.executable, "-m", "explorer.cli", "explain", str(lasso), "--json", "-"],
            env={"PYTHONPATH": ".", "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1


WIDE = '''
from __future__ import annotations

from explorer import Map, Sort, System, action, invariant, record


class Größe(Sort):
    """Eine Größe."""


@record
class State:
    """Was gilt."""

    gültig: Map[Größe, bool]
    zähler: Map[Größe, bool]


class Prüfung(System[State]):
    """Prüft."""

    default_scope = {"Größe": 2}

    @action(thread="größe")
    def prüfe(self, s: State, größe: Größe) -> None:
        """Erklärt {größe} für gültig."""
        s.gültig[größe] = True

    @action(thread="größe")
    def zähle(self, s: State, größe: Größe) -> None:
        s.zähler[größe] = not s.zähler[größe]

    def describe(self, s: State) -> str:
        return "geprüft: " + ", ".join(str(g) for g in s.gültig if s.gültig[g])


@invariant
def nichts_ist_gültig(s: State) -> bool:
    return not any(s.gültig[g] for g in s.gültig)
'''


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    (tmp_path / "prüfung.py").write_text(WIDE)
    name = f"{tmp_path / 'prüfung.py'}:Prüfung"
    execute(["check", name, "--trace-dir", str(tmp_path / "t")])
    (found,) = (tmp_path / "t").iterdir()
    return found


def test_names_of_any_script_and_a_narrow_pipe(wide: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "explorer.cli", "explain", str(wide)],
        env={"COLUMNS": "40", "PYTHONPATH": ".", "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Erklärt Größe0 für gültig" in done.stdout
    assert "= geprüft: Größe0" in done.stdout
    assert "\x1b" not in done.stdout
    # Names and paths are not broken.
    assert all(len(line) <= 40 or len(line.split()) <= 2 for line in done.stdout.splitlines())


def test_a_long_run_is_cut_short(wide: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(wide.read_text())
    states = [data["initial"]]
    steps = []
    for _ in range(500):
        state = json.loads(json.dumps(states[-1]))
        state["zähler"]["Größe0"] = not state["zähler"]["Größe0"]
        states.append(state)
        steps.append(
            {
                "thread": "Größe0",
                "action": "zähle",
                "parameters": {"größe": "Größe0"},
                "state": state,
            }
        )
    data["steps"] = [*steps, *data["steps"]]
    wide.write_text(json.dumps(data))
    capsys.readouterr()
    assert execute(["explain", str(wide)]) == 0
    out = capsys.readouterr().out
    assert "the steps that matter: 1 of 501" in out
    assert "(500 steps that do not matter)" in out
    assert "this step alone is a counterexample: replayed" in out
    assert len(out.splitlines()) < 40
    assert execute(["explain", str(wide), "--full"]) == 0
    assert len(capsys.readouterr().out.splitlines()) > 1000


def test_a_reader_that_goes_away_is_no_mistake(wide: Path) -> None:
    command = f"{sys.executable} -m explorer.cli explain {wide} | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", command],
        env={"PYTHONPATH": "."},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == ""
