"""Runs that go on for ever are confirmed by CPython, explained, written, read back and run again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from explorer.cli import execute
from explorer.lang.errors import ModelError
from explorer.lang.properties import Property, properties_for
from explorer.lang.run import Instance, instances
from explorer.lang.temporal import Instance as Stated
from explorer.lang.temporal import temporal_instances
from explorer.search.check import check
from explorer.trace.again import replay
from explorer.trace.files import read_trace, write_traces
from explorer.trace.lasso import build_lasso, declared_fair
from explorer.trace.render import render
from explorer.trace.replay import ReplayMismatch
from explorer.trace.trace import Trace
from tests.cli.models.turns import Free, Lock, Strong

TURNS = "tests/cli/models/turns.py"


def named(system: Free, texts: str) -> list[Instance]:
    """``ask(0) enter(0)``: steps by action and side."""
    found = {i.text.replace("side=", ""): i for i in instances(system)}
    return [found[text] for text in texts.split()]


def declared(system: Free, name: str) -> tuple[Property, list[Stated]]:
    prop = next(p for p in properties_for(system) if p.name == name)
    return prop, list(temporal_instances(system, prop))


def lasso(system: Free, prefix: str, cycle: str, name: str, number: int = 0) -> Trace:
    prop, stated = declared(system, name)
    fair = declared_fair(system, prop)
    steps = named(system, prefix), named(system, cycle)
    return build_lasso(system, (), *steps, prop, stated[number], fair)


def test_a_run_that_stops() -> None:
    trace = lasso(Free(), "ask(0)", "", "who_waits_enters")
    assert (trace.loop, trace.length, trace.instance) == (1, 1, "side = 0")
    assert render(trace) == [
        "  0. init()",
        "  1. 0: ask(side=0)",
        "       phase[0]: IDLE -> WAITING",
        "     and stays there, for ever",
        "",
        "who_waits_enters is violated for side = 0 by a run of 1 step that stops",
        "  G (waiting(0) -> F inside(0)) is false:",
        "    waiting(0) holds after step 1",
        "    after step 1 F inside(0) is owed: inside(0) holds neither then nor later",
        "  it may stop: no fairness is declared, so no step has to be taken (ask(side=1), enter(side=0))",
    ]


ROUND = "enter(1) leave(1) ask(1)"


def test_the_explanation_of_a_cycle() -> None:
    trace = lasso(Lock(), f"ask(0) ask(1) {ROUND}", ROUND, "who_waits_enters")
    assert (trace.kind, trace.loop, trace.length) == ("temporal", 5, 8)
    assert render(trace)[-11:] == [
        "     and goes on with step 6, for ever",
        "",
        "who_waits_enters is violated for side = 0 by a run of 8 steps that repeats its last 3",
        "  G (waiting(0) -> F inside(0)) is false:",
        "    waiting(0) holds after step 1",
        "    after step 1 F inside(0) is owed: inside(0) holds neither then nor later",
        "  and yet the run is fair:",
        "    weak enter(side=0): disabled after step 6",
        "    weak enter(side=1): taken at step 6",
        "    weak leave(side=1): taken at step 7",
        "    weak leave(side=0): disabled throughout the cycle",
    ]


@pytest.mark.parametrize(
    ("system", "prefix", "cycle", "name", "number", "problem"),
    [
        # It is not fair: what is enabled all the time, or again and again, is never taken.
        (Lock(), "ask(0)", "", "who_waits_enters", 0, "weak enter(side=0): enabled all the time"),
        (
            Strong(),
            f"ask(0) ask(1) {ROUND}",
            ROUND,
            "who_waits_enters",
            0,
            "strong enter(side=0): enabled again and again",
        ),
        # It satisfies the property.
        (Lock(), "", "", "who_waits_enters", 0, "satisfies the property"),
        (Lock(), f"ask(0) ask(1) {ROUND}", ROUND, "who_waits_enters", 1, "satisfies the property"),
        (Free(), "ask(0) enter(0)", "", "who_waits_enters", 0, "satisfies the property"),
        # It does not come back, or cannot be taken.
        (Lock(), "ask(0)", "ask(1)", "who_waits_enters", 0, "does not come back"),
        # The first round leaves another ``last`` than the state before it.
        (Lock(), "", "ask(0) enter(0) leave(0)", "it_stays_quiet_in_the_end", 0, "come back"),
        (Lock(), "ask(0)", "ask(0)", "who_waits_enters", 0, "cannot be taken"),
    ],
)
def test_a_run_that_shows_nothing_is_refused(
    system: Free, prefix: str, cycle: str, name: str, number: int, problem: str
) -> None:
    with pytest.raises(ReplayMismatch) as caught:
        lasso(system, prefix, cycle, name, number)
    assert problem in str(caught.value)


def test_a_property_with_a_fairness_of_its_own() -> None:
    ring = "ask(0) enter(0) leave(0)"
    trace = lasso(Lock(), ring, ring, "it_stays_quiet_in_the_end")
    assert trace.explanation == (
        "F G quiet is false:",
        "  at the start F G quiet is owed: G quiet holds neither then nor later",
        "  again and again: quiet does not hold after step 4",
        "no fairness is declared, so no step has to be taken (ask(side=1))",
    )


def test_files_and_replays(tmp_path: Path) -> None:
    for system in (Lock(), Free()):
        for result in check(system).properties:
            if result.kind != "temporal" or result.trace is None:
                continue
            path = write_traces([result.trace], tmp_path)[result.name]
            again = read_trace(Path(path))
            assert again == result.trace
            assert (again.loop, again.instance) == (result.trace.loop, result.trace.instance)
            replayed = replay(again, system)
            assert replayed.possible and replayed.confirmed and replayed.difference is None
            assert replayed.now is not None
            assert replayed.now.explanation == result.trace.explanation


def test_under_another_fairness_the_run_is_none() -> None:
    trace = lasso(Lock(), f"ask(0) ask(1) {ROUND}", ROUND, "who_waits_enters")
    replayed = replay(trace, Strong())
    assert replayed.possible and not replayed.confirmed and replayed.difference is None
    assert replayed.problem == (
        "is not fair (strong enter(side=0): enabled again and again, and never taken)"
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"loop": None}, "does not say to which step its run returns"),
        ({"instance": "side = 7"}, "who_waits_enters is not checked for side = 7"),
        ({"instance": None}, "who_waits_enters is not checked for the whole system"),
    ],
)
def test_a_trace_that_was_edited(change: dict[str, str | None], message: str) -> None:
    trace = lasso(Lock(), f"ask(0) ask(1) {ROUND}", ROUND, "who_waits_enters")
    with pytest.raises(ModelError) as caught:
        replay(replace(trace, **change), Lock())  # type: ignore[arg-type]
    assert message in caught.value.message
    assert caught.value.hint


def test_a_cycle_that_closes_elsewhere_is_none_any_more() -> None:
    trace = lasso(Lock(), f"ask(0) ask(1) {ROUND}", ROUND, "who_waits_enters")
    replayed = replay(replace(trace, loop=3), Lock())
    assert replayed.problem == "does not come back to where its cycle begins"
    assert not replayed.confirmed


@pytest.fixture
def written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    assert execute(["check", f"{TURNS}:Lock", "--trace-dir", str(tmp_path)]) == 1
    capsys.readouterr()
    return tmp_path / "Lock-who_waits_enters.json"


def test_replay_on_the_command_line(written: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["replay", str(written)]) == 0
    out = capsys.readouterr().out
    assert "The run is the recorded one, state by state" in out
    assert "who_waits_enters fails for side = " in out
    assert "is owed:" in out and ": taken at step " in out


def test_another_design_may_be_rid_of_the_run(
    written: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute(["replay", str(written), "--set", "fine=false"]) == 1
    assert "who_waits_enters fails for side = " in capsys.readouterr().out
    assert execute(["replay", str(written), "--set", "in_turn=true"]) == 0
    assert "The run is not possible in this design" in capsys.readouterr().out


@pytest.mark.parametrize("loop", [-1, 99, "x", True])
def test_a_file_with_a_wrong_loop(
    loop: object, written: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = json.loads(written.read_text())
    written.write_text(json.dumps(data | {"loop": loop}))
    assert execute(["replay", str(written)]) == 2
    assert "is not a trace" in capsys.readouterr().err
    written.write_text(json.dumps(data | {"instance": 3}))
    assert execute(["replay", str(written)]) == 2
    assert "instance is not text" in capsys.readouterr().err
