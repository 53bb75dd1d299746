"""Fuzzing: what it finds, what it says of what it does not find, and the distribution of its runs."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from explorer.configure import configure
from explorer.lang import Between, System, action, invariant, record, require
from explorer.lang.errors import ModelError
from explorer.lang.properties import forget
from explorer.loading import find_system
from explorer.reference import explore
from explorer.result import NotEvaluated
from explorer.stateful.fuzz import Fuzzed, Glimpse, fuzz
from explorer.stateful.tally import Tally
from tests.stateful.test_machine import Broken
from tests.systems.increment import Increment
from tests.systems.jugs import Jugs
from tests.systems.toggles import Toggles


def quick(system: System[Any], **options: Any) -> Fuzzed:
    return fuzz(system, **{"max_examples": 20, "max_steps": 12, "patience": 40, **options})


def found(fuzzed: Fuzzed) -> dict[str, int | None]:
    return {p.name: p.length for p in fuzzed.result.properties if p.verdict == "violated"}


def test_a_failure_does_not_hide_the_next_one() -> None:
    """What is found is left out of what is judged, and the runs go on past it."""
    fuzzed = quick(Broken(), max_examples=60, patience=150)
    exhaustive = {p.name: p.length for p in explore(Broken()).result.violations}
    assert found(fuzzed).keys() == exhaustive.keys()
    assert all((found(fuzzed)[name] or 0) >= (n or 0) for name, n in exhaustive.items())
    assert fuzzed.shrunk and not fuzzed.result.complete


def test_the_first_failure_ends_it_if_asked() -> None:
    assert len(found(quick(Broken(), first=True))) == 1


def test_every_run_is_counted_once_and_shrinking_not_at_all() -> None:
    fuzzed = quick(Increment({"Thread": 2}), max_examples=30)
    tally = fuzzed.tally
    assert tally.runs == 30 == tally.ended.total() == tally.lengths.total()
    assert tally.steps == sum(n * count for n, count in tally.lengths.items())
    assert tally.ended["violation"] == 1
    # Two threads take two steps each, and then it is over.
    assert max(tally.lengths) == 4 == fuzzed.result.depth
    assert fuzzed.result.transitions == tally.steps
    assert fuzzed.result.states == len(tally.states) <= 13
    for name, count in fuzzed.result.actions.items():
        assert count.taken == tally.taken[name] and count.enabled >= count.taken


@record
class Level:
    """A number."""

    level: Annotated[int, Between(0, 9)]


def test_nothing_found_is_unknown() -> None:
    fuzzed = quick(Toggles(), max_examples=5)
    assert {p.verdict for p in fuzzed.result.properties} == {"unknown"}
    assert fuzzed.degenerate is None and not fuzzed.result.complete


def test_a_violation_three_steps_from_the_start() -> None:
    """On a bundled design that is broken, found in a few runs and shrunk in a few hundred: seconds."""
    configured = configure(
        find_system("barrier"), {"Process": 2, "Local": 1}, None, {"record_before_forward": False}
    )
    fuzzed = fuzz(configured.system, max_examples=10, max_steps=50, first=True, patience=150)
    assert found(fuzzed) == {"panic:a_connection_without_a_position": 3}
    assert fuzzed.tally.runs <= 10 and fuzzed.shrunk


def test_the_same_seed_makes_the_same_runs() -> None:
    def run(seed: int) -> tuple[object, ...]:
        fuzzed = quick(Jugs(), seed=seed, max_examples=8)
        return fuzzed.tally, [p.trace for p in fuzzed.result.properties]

    assert run(1) == run(1)
    assert run(1) != run(2)


def test_it_stops_when_asked_and_keeps_what_was_found() -> None:
    asked = 0

    def stop() -> str | None:
        nonlocal asked
        asked += 1
        return "enough" if asked > 600 else None

    fuzzed = quick(Jugs(), max_examples=1000, max_steps=50, stop=stop, patience=10_000)
    assert fuzzed.result.incomplete == ("enough",)
    assert found(fuzzed).keys() == {"never_four_litres"}
    # It was being shrunk.
    assert not fuzzed.shrunk


def test_it_stops_before_anything_was_found() -> None:
    fuzzed = quick(Toggles(), stop=lambda: "enough")
    assert fuzzed.result.incomplete == ("enough",)
    assert not fuzzed.result.transitions and not fuzzed.result.warnings


def test_somebody_can_look_on() -> None:
    seen: list[Glimpse] = []
    quick(Increment({"Thread": 2}), watch=seen.append)
    assert [g.runs for g in seen] == sorted(g.runs for g in seen)
    assert {g.shrinking for g in seen} == {None, "the_counter_counts_the_threads_that_are_done"}


class Stairs(System[Level]):
    """Up, and down again."""

    @action
    def up(self, s: Level) -> None:
        require(s.level < 9)
        s.level += 1

    @action
    def down(self, s: Level) -> None:
        require(s.level > 0)
        s.level -= 1


class Once(Stairs):
    """Nothing but one step, which is the end."""

    @action
    def up(self, s: Level) -> None:
        require(s.level == 0)
        s.level += 1

    @action
    def down(self, s: Level) -> None:
        require(s.level > 8)

    def is_final(self, s: Level) -> bool:
        return True


def test_runs_that_end_at_once_are_degenerate() -> None:
    fuzzed = quick(Once())
    assert fuzzed.degenerate is not None and "end at once" in fuzzed.degenerate
    assert fuzzed.result.warnings == ("action down is not enabled in any state that was met",)
    # One step is all that was asked for.
    assert quick(Once(), max_steps=1).degenerate is None


def test_an_action_that_is_never_taken_is_degenerate() -> None:
    tally = Tally()
    tally.lengths[10] = 10
    tally.enabled.update(up=100, down=39)
    tally.taken.update(up=100)
    assert tally.degenerate(10) is None
    tally.enabled["down"] += 1
    assert tally.degenerate(10) == "down is enabled in 40 states on the way, and never taken"


def test_a_few_runs_are_not_called_degenerate() -> None:
    assert quick(Once(), max_examples=1).degenerate is None


class Mistaken(Stairs):
    """A model with a mistake that only running it shows."""

    @action
    def up(self, s: Level) -> None:
        if s.level == 2:
            raise KeyError("no such thing")
        s.level += 1


def test_a_mistake_in_the_model_is_said_with_what_was_found() -> None:
    with pytest.raises(NotEvaluated, match="KeyError") as caught:
        quick(Mistaken())
    assert caught.value.result.engine == "stateful"
    assert caught.value.where is not None


class Fickle(Stairs):
    """A model that depends on more than its state."""

    calls = 0

    @action
    def up(self, s: Level) -> None:
        Fickle.calls += 1
        s.level = min(s.level + 1 + Fickle.calls % 2, 9)


def test_a_model_that_is_not_steady_is_refused() -> None:
    def level_is_not_four(s: Level) -> bool:
        return s.level != 4

    declared = invariant(level_is_not_four)
    try:
        with pytest.raises(ModelError, match="twice"):
            quick(Fickle())
    finally:
        forget(declared)
