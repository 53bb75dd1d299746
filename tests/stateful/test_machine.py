"""The state machine finds what is wrong, stays quiet where nothing is, and shrinks well."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from explorer.lang import (
    Between,
    ModelError,
    Set,
    Sort,
    System,
    action,
    panic,
    record,
    require,
    soft_panic,
    step_invariant,
)
from explorer.stateful import PropertyViolated, machine
from tests.systems.increment import Increment
from tests.systems.jugs import Jugs
from tests.systems.philosophers import Philosophers
from tests.systems.toggles import Toggles
from tests.systems.two_phase_commit import TwoPhaseCommit

FAST = settings(machine(Jugs()).TestCase.settings, max_examples=50, database=None, derandomize=True)


def failure(
    machine_class: type[RuleBasedStateMachine], chosen: settings = FAST
) -> PropertyViolated:
    """The failure that Hypothesis reports, after shrinking."""
    with pytest.raises(PropertyViolated) as caught:
        run_state_machine_as_test(machine_class, settings=chosen)
    return caught.value


TestToggles = machine(Toggles(), max_steps=8).TestCase
TestTwoPhaseCommit = machine(TwoPhaseCommit(), max_steps=10).TestCase


def test_the_jugs_shrink_to_the_shortest_run() -> None:
    found = failure(machine(Jugs()))
    assert found.name == "never_four_litres"
    assert len(found.run) == 6
    shown = str(found)
    assert shown.startswith("never_four_litres is violated\n  fill_big()\n")
    assert "false: s.big != 4\n" in shown
    # What Hypothesis prints can be read.
    assert "step=fill_big()" in "\n".join(getattr(found, "__notes__", []))


def test_a_lost_update_shrinks_to_two_threads() -> None:
    found = failure(machine(Increment({"Thread": 3})))
    assert found.name == "the_counter_counts_the_threads_that_are_done"
    # Which two of the three, and who writes first, is Hypothesis's affair.
    assert [step.partition("(")[0] for step in found.run] == ["read", "read", "write", "write"]
    names = [step.partition("=")[2] for step in found.run]
    assert len(set(names)) == 2 and set(names[:2]) == set(names[2:])


def test_a_deadlock_is_a_failure() -> None:
    found = failure(machine(Philosophers({"Seat": 3})))
    assert found.name == "deadlock"
    assert sorted(found.run) == [f"take_left(seat={i})" for i in range(3)]


def test_a_final_state_is_no_deadlock() -> None:
    run_state_machine_as_test(machine(Increment({"Thread": 1})), settings=FAST)


def test_only_the_properties_asked_for_count() -> None:
    only = machine(Jugs(), [])
    run_state_machine_as_test(only, settings=FAST)


def test_what_is_ignored_does_not_count() -> None:
    quiet = machine(Philosophers({"Seat": 3}), ignore=["deadlock"])
    run_state_machine_as_test(quiet, settings=FAST)


def test_an_unknown_property_is_refused() -> None:
    with pytest.raises(ModelError, match="no invariant called never_five_litres"):
        machine(Jugs(), ["never_five_litres"])
    with pytest.raises(ModelError, match="no invariant called never_five_litres"):
        machine(Jugs(), ignore=["never_five_litres"])


def test_a_witness_is_refused() -> None:
    """A random run that misses one proves nothing."""
    with pytest.raises(ModelError, match="four_litres is a witness"):
        machine(Jugs(), ["four_litres"])


def test_one_failure_does_not_shrink_into_another() -> None:
    """Hypothesis tells failures apart by the class of the exception."""
    system = machine(Broken(), ignore=FAILURES - {"panic:everything_was_seen", "no_step_to_two"})
    with pytest.raises((ExceptionGroup, PropertyViolated)) as caught:
        run_state_machine_as_test(system, settings=FAST)
    group = caught.value
    found = group.exceptions if isinstance(group, ExceptionGroup) else (group,)
    names = {e.name for e in found if isinstance(e, PropertyViolated)}
    assert names and names <= {"panic:everything_was_seen", "no_step_to_two"}
    assert len({type(e) for e in found}) == len(found) == len(names)


class Key(Sort):
    """A key."""


@record
class Counter:
    """A counter with a few ways to go wrong."""

    level: Annotated[int, Between(0, 3)]
    seen: Set[Key]


class Broken(System[Counter]):
    """One action per kind of failure."""

    default_scope = {"Key": 2}

    def init(self, s: Counter, level: Annotated[int, Between(0, 3)]) -> None:
        s.level = level

    @action
    def up(self, s: Counter) -> None:
        s.level += 1

    @action
    def see(self, s: Counter, key: Key) -> None:
        require(key not in s.seen)
        s.seen.add(key)
        if s.level == 2:
            soft_panic("seen at two")

    @action
    def explode(self, s: Counter) -> None:
        require(len(s.seen) == len(Key))
        panic("everything was seen")


@step_invariant
def the_level_never_falls(before: Counter, after: Counter) -> bool:
    return after.level >= before.level


@step_invariant
def no_step_to_two(before: Counter, after: Counter) -> bool:
    return after.level != 2 or before.level == 2


FAILURES = {
    "range:level",
    "panic:everything_was_seen",
    "soft_panic:seen_at_two",
    "no_step_to_two",
}


@pytest.mark.parametrize(
    ("name", "last", "length"),
    [
        ("range:level", "up()", 4),
        ("panic:everything_was_seen", "explode()", 3),
        ("soft_panic:seen_at_two", "see(key=Key0)", 3),
        ("no_step_to_two", "up()", 2),
    ],
)
def test_every_kind_of_failure_is_found_and_shrunk(name: str, last: str, length: int) -> None:
    """Shrinking makes the choice of init as small as the number of steps, so either may win."""
    found = failure(machine(Broken(), ignore=FAILURES - {name}))
    assert found.name == name
    assert found.run[0].startswith("init(")
    assert found.run[-1] == last
    assert len(found.run) - 1 <= length


def test_a_failing_step_that_does_not_count_is_not_taken() -> None:
    quiet = machine(Broken(), ["the_level_never_falls"], ignore=FAILURES)
    run_state_machine_as_test(quiet, settings=FAST)


def test_max_steps_bounds_a_run() -> None:
    chosen: Any = machine(Jugs(), max_steps=5).TestCase.settings
    assert chosen.stateful_step_count == 6  # the first one chooses the initial state
    run_state_machine_as_test(machine(Jugs(), max_steps=5), settings=chosen)
