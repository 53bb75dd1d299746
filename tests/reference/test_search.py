"""The reference engine's verdicts, counts, lengths and traces."""

from __future__ import annotations

import os
import subprocess
import sys
from enum import Enum
from pathlib import Path
from typing import Annotated, TypeAlias

import pytest

from explorer.lang import (
    Between,
    Capacity,
    Map,
    ModelError,
    Ordinal,
    Seq,
    Sort,
    System,
    action,
    invariant,
    panic,
    reachable,
    record,
    require,
    soft_panic,
    step_invariant,
)
from explorer.lang.properties import forget, property_of
from explorer.reference import explore
from explorer.result import IDLE, ActionCount, Result
from tests.systems.jugs import Jugs
from tests.systems.two_phase_commit import TwoPhaseCommit

Count: TypeAlias = Annotated[int, Between(0, 5)]


class Mood(Enum):
    FINE = 0
    STUCK = 1


class Tick(Ordinal): ...


class Owner(Sort): ...


@record
class State:
    count: Count
    mood: Mood


class Counter(System[State]):
    """Counts up to five; each way of failing has its own number."""

    def is_final(self, s: State) -> bool:
        return s.mood == Mood.FINE

    @action
    def up(self, s: State) -> None:
        require(s.mood == Mood.FINE)
        if s.count == 3:
            soft_panic("three")
        s.count += 1

    @action
    def fail(self, s: State) -> None:
        require(s.count == 2 and s.mood == Mood.FINE)
        soft_panic("before")
        panic("at two")

    @action
    def block(self, s: State) -> None:
        require(s.count == 4)
        s.mood = Mood.STUCK

    @action
    def never(self, s: State) -> None:
        require(s.count == 5)
        require(s.count == 4)


@invariant
def below_two(s: State) -> bool:
    return s.count < 2


@invariant
def at_most_five(s: State) -> bool:
    return s.count <= 5


@step_invariant
def no_step_to_four(before: State, after: State) -> bool:
    return not (before.count == 3 and after.count == 4)


@step_invariant
def never_down(before: State, after: State) -> bool:
    return before.count <= after.count


@reachable
def five(s: State) -> bool:
    return s.count == 5


@reachable
def stuck_at_five(s: State) -> bool:
    return s.count == 5 and s.mood == Mood.STUCK


def verdicts(result: Result) -> list[tuple[str, str, int | None]]:
    return [(p.name, p.verdict, p.length) for p in result.properties]


def test_everything_in_one_pass() -> None:
    result = explore(Counter()).result
    assert verdicts(result) == [
        ("below_two", "violated", 2),
        ("at_most_five", "holds", None),
        ("no_step_to_four", "violated", 4),
        ("never_down", "holds", None),
        ("five", "reached", 5),
        ("stuck_at_five", "unreached", None),
        ("panic:at_two", "violated", 3),
        ("range:count", "violated", 6),
        ("soft_panic:before", "violated", 3),
        ("soft_panic:three", "violated", 4),
        ("deadlock", "holds", None),
    ]
    # 0..5 with mood FINE, 4 with STUCK: blocking again changes nothing.
    assert (result.states, result.transitions, result.depth) == (7, 7, 5)
    assert result.complete and result.incomplete == () and result.engine == "reference"
    assert result.actions == {
        "up": ActionCount(6, 5),
        "fail": ActionCount(1, 0),
        "block": ActionCount(2, 2),
        "never": ActionCount(0, 0),
    }
    assert result.warnings == ("action never is never enabled", f"after 5 steps {IDLE}")
    assert result.exit_code() == 1


def test_traces_end_where_the_property_fails() -> None:
    result = explore(Counter()).result
    for item in result.properties:
        assert (item.trace is None) == (item.length is None)
        if item.trace is not None:
            assert item.trace.length == item.length
            assert item.trace.property_name == item.name
    invariant, panics = result.find("below_two"), result.find("panic:at_two")
    assert invariant is not None and invariant.trace is not None
    assert [s.action for s in invariant.trace.steps] == ["up", "up"]
    assert invariant.trace.steps[-1].state == {"count": 2, "mood": "FINE"}
    assert panics is not None and panics.trace is not None
    assert [s.action for s in panics.trace.steps] == ["up", "up", "fail"]
    assert panics.trace.steps[-1].state is None


def test_the_graph() -> None:
    graph = explore(Counter()).graph
    assert graph.number_of_nodes() == 7 and graph.number_of_edges() == 7
    assert [graph.nodes[n]["state"].count for n in sorted(graph)] == [0, 1, 2, 3, 4, 5, 4]
    assert [graph.nodes[n]["depth"] for n in sorted(graph)] == [0, 1, 2, 3, 4, 5, 5]
    names = [data["instance"].action.name for *_, data in graph.out_edges(4, data=True)]
    assert names == ["up", "block"]


def test_properties_can_be_chosen() -> None:
    result = explore(Counter(), [property_of(five)]).result
    assert verdicts(result)[0] == ("five", "reached", 5)
    assert [p.kind for p in result.properties] == ["reachable", *["failure"] * 4, "deadlock"]


def test_first_stops_at_the_first_violation() -> None:
    result = explore(Counter(), first=True).result
    assert verdicts(result) == [
        ("below_two", "violated", 2),
        ("at_most_five", "unknown", None),
        ("no_step_to_four", "unknown", None),
        ("never_down", "unknown", None),
        ("five", "unknown", None),
        ("stuck_at_five", "unknown", None),
        ("deadlock", "unknown", None),
    ]
    assert not result.complete and result.states == 3


def test_a_state_limit() -> None:
    result = explore(Counter(), [property_of(at_most_five)], max_states=3).result
    assert verdicts(result)[0] == ("at_most_five", "unknown", None)
    assert result.states == 3 and result.incomplete == ("state limit",)
    assert result.warnings == ()
    assert explore(Counter(), max_states=7).result.complete


@record
class Clock:
    now: Tick
    log: Annotated[Seq[Tick], Capacity("log")]
    owner: Owner


class Clocked(System[Clock]):
    """Runs out of time and of log."""

    default_scope = {"Tick": 2, "log": 1, "Owner": 2}

    def init(self, s: Clock, owner: Owner) -> None:
        s.owner = owner

    @action
    def tick(self, s: Clock) -> None:
        s.now = s.now.next()

    @action
    def write(self, s: Clock) -> None:
        s.log.append(s.now)


@reachable
def late(s: Clock) -> bool:
    return s.now > Tick.last()


@invariant
def short(s: Clock) -> bool:
    return len(s.log) < 2


@invariant
def first_owner(s: Clock) -> bool:
    return s.owner == min(Owner, key=str) if len(s.log) else True


def test_a_scope_that_is_used_up_leaves_verdicts_open() -> None:
    result = explore(Clocked()).result
    assert result.incomplete == ("Tick used up", "log used up")
    assert not result.complete and result.exit_code() == 1
    assert verdicts(result) == [
        ("late", "unknown", None),
        ("short", "unknown", None),
        ("first_owner", "violated", 1),
        ("deadlock", "unknown", None),
    ]
    assert result.actions["tick"] == ActionCount(10, 4)
    found = result.find("first_owner")
    assert found is not None and found.trace is not None
    assert found.trace.init == {"owner": "Owner1"}


def test_a_violation_in_an_initial_state() -> None:
    @invariant
    def no_second_owner(s: Clock) -> bool:
        return str(s.owner) != "Owner1"

    try:
        for stop in (False, True):
            result = explore(Clocked(), [property_of(no_second_owner)], first=stop).result
            found = result.find("no_second_owner")
            assert found is not None and found.trace is not None
            assert (found.length, found.trace.init) == (0, {"owner": "Owner1"})
    finally:
        forget(no_second_owner)


class Stuck(Counter):
    """Every state may be a deadlock."""

    def is_final(self, s: State) -> bool:
        return False


def test_deadlock() -> None:
    result = explore(Stuck(), []).result
    # A state whose only steps fail is no deadlock; the one that can only block again is none either.
    assert verdicts(result)[-1] == ("deadlock", "holds", None)


@record
class Pair:
    done: Map[Mood, bool]


class Ends(System[Pair]):
    @action
    def finish(self, s: Pair, who: Mood) -> None:
        require(not s.done[who])
        s.done[who] = True


def test_a_deadlock_ends_in_the_stuck_state() -> None:
    result = explore(Ends()).result
    found = result.find("deadlock")
    assert found is not None and found.trace is not None
    assert (found.verdict, found.length) == ("violated", 2)
    # Among shortest runs the first in order of actions and parameters.
    assert [s.params["who"] for s in found.trace.steps] == ["FINE", "STUCK"]
    assert (result.states, result.transitions, result.depth) == (4, 4, 2)


@pytest.mark.parametrize(("managers", "states"), [(2, 56), (3, 288)])
def test_two_phase_commit(managers: int, states: int) -> None:
    result = explore(TwoPhaseCommit({"Manager": managers})).result
    assert result.states == states
    assert result.exit_code() == 0


def test_jugs() -> None:
    found = explore(Jugs()).result.find("never_four_litres")
    assert found is not None and found.length == 6


def test_a_broken_model_is_no_pass() -> None:
    class Broken(Counter):
        @action
        def fail(self, s: State) -> None:
            raise ValueError("oops")

    with pytest.raises(ModelError, match="fail raises ValueError: oops"):
        explore(Broken())


def test_results_do_not_depend_on_the_hash_seed() -> None:
    code = (
        "import json; from explorer.reference import explore; from tests.lang.sample_model import Sample\n"
        "r = explore(Sample()).result.to_json(); del r['timing']; print(json.dumps(r))"
    )
    root = Path(__file__).parents[2]
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(outputs) == 1


def test_importing_the_language_loads_no_engine() -> None:
    code = (
        "import sys, explorer; assert 'explorer.lang' not in sys.modules\n"
        "from explorer import System\n"
        "heavy = {'numba', 'llvmlite', 'z3', 'hypothesis', 'networkx', 'numpy', 'click', 'rich'}\n"
        "assert all(getattr(explorer, name) for name in explorer.__all__)\n"
        "print(sorted(heavy & set(sys.modules)), sorted(m for m in sys.modules if m.startswith('explorer.') "
        "and not m.startswith('explorer.lang')))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == "[] []\n"
