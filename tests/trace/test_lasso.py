"""Runs that go on for ever are confirmed by CPython, explained, written, read back and run again."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import pytest

from explorer.cli import execute
from explorer.lang import (
    Between,
    Formula,
    System,
    action,
    eventually,
    panic,
    record,
    require,
    temporal,
    weak,
)
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
    assert replayed.problem == (
        "cannot go round its cycle for ever: leave(side=1) is disabled in round 2"
    )
    assert not replayed.confirmed


@dataclass(frozen=True)
class Design:
    """How a wheel turns."""

    limps: bool = False
    climbs: bool = False
    wears_out: bool = False
    breaks: bool = False


@record
class Wheel:
    """A wheel on its way."""

    turned: Annotated[int, Between(0, 2)]
    left: bool
    height: Annotated[int, Between(0, 500)]
    there: bool


class Turning(System[Wheel]):
    """It turns, and never arrives."""

    design = Design()

    def is_final(self, s: Wheel) -> bool:
        """It may stop."""
        return True

    @action
    def turn(self, s: Wheel) -> None:
        """A third of a turn."""
        require(s.height < 1)
        if self.design.breaks and s.left:
            panic("it breaks")
        s.turned = (s.turned + 1) % 3
        if s.turned == 0 and (self.design.limps or self.design.breaks):
            s.left = not s.left
        if s.turned == 0 and self.design.wears_out:
            s.height += 1


class Climbing(Turning):
    """Uphill in another design."""

    @action
    def turn(self, s: Wheel) -> None:
        """A third of a turn."""
        require(s.height < 500)
        s.turned = (s.turned + 1) % 3
        if s.turned == 0 and self.design.climbs:
            s.height += 1


def there(s: Wheel) -> bool:
    """Whether it has arrived."""
    return s.there


@temporal(fairness=(weak("turn"),))
def it_arrives() -> Formula:
    """It never does."""
    return eventually(there)


@pytest.mark.parametrize(
    ("system", "switch", "length", "problem"),
    [
        (Turning, "limps", 6, None),
        (Turning, "wears_out", 3, "turn() is disabled in round 2"),
        (Turning, "breaks", 3, "in round 2 the step fails: panic:it_breaks (it breaks)"),
        (Climbing, "climbs", 2000, "turn() is disabled in round 501"),
    ],
)
def test_in_another_design_a_cycle_may_close_later(
    system: type[Turning], switch: str, length: int, problem: str | None
) -> None:
    found = check(system()).find("it_arrives")
    assert found is not None and found.trace is not None and found.length == 3
    replayed = replay(found.trace, system(design={switch: True}))
    assert (replayed.problem or "").endswith(problem or "")
    assert replayed.confirmed == (problem is None) and not replayed.open
    if replayed.confirmed:
        assert replayed.now is not None and replayed.now.length == length


def test_a_cycle_that_does_not_close_in_a_thousand_rounds_is_left_open(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("explorer.trace.again._MOST_ROUNDS", 10)
    name = f"{__file__}:Climbing"
    assert execute(["check", name, "--trace-dir", str(tmp_path)]) == 1
    path = str(tmp_path / "Climbing-it_arrives.json")
    assert execute(["replay", path, "--set", "climbs=true"]) == 3
    assert "it_arrives may still fail: the run does not come back" in capsys.readouterr().out


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
