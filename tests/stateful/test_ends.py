"""What runs come to: the drain phase, fair cycles, and temporal properties that are violated in earnest."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import settings

from explorer.lang import (
    Formula,
    Ordinal,
    System,
    action,
    always_eventually,
    eventually,
    leads_to,
    next_time,
    record,
    require,
    temporal,
    weak,
)
from explorer.lang.formulas import Atom, always, until
from explorer.lang.properties import forget, properties_for
from explorer.logic.lasso import satisfies
from explorer.reference import explore
from explorer.stateful import machine
from explorer.stateful.course import Course, Ground
from explorer.stateful.drain import LIMIT
from explorer.stateful.fair import without_repetition
from explorer.stateful.fuzz import fuzz
from explorer.stateful.judge import judge
from tests.cli.models import turns
from tests.stateful.test_machine import FAST, failure
from tests.systems import dining, peterson


def verdicts(system: System[Any], **options: Any) -> dict[str, int | None]:
    """What fuzzing finds, with lengths."""
    result = fuzz(system, **{"max_examples": 25, "max_steps": 12, "patience": 20, **options}).result
    return {p.name: p.length for p in result.properties if p.verdict == "violated"}


@pytest.mark.parametrize(
    "system",
    [
        turns.Lock(),
        turns.Strong(),
        peterson.Peterson(),
        dining.Dining(),
        dining.Dining(design={"left_handed": False}),
    ],
    ids=lambda s: f"{s.name}-{s.design}",
)
def test_what_fuzzing_finds_is_what_exhaustive_search_finds(system: System[Any]) -> None:
    """All of it here, and never more: a run that is unfair, or that satisfies the property, is no failure."""
    exhaustive = {p.name for p in explore(system).result.properties if p.verdict == "violated"}
    assert set(verdicts(system)) == exhaustive


def test_a_test_class_fails_for_a_temporal_property() -> None:
    lock = machine(turns.Lock(), ["who_waits_enters"], max_steps=8)
    found = failure(lock, settings(FAST, max_examples=30, stateful_step_count=9))
    shown = str(found)
    assert shown.startswith("who_waits_enters is violated\n  ask(side=0)\n")
    assert "and goes on with step" in shown
    assert "and yet the run is fair:" in shown


class Place(Ordinal):
    """Somewhere along a line."""


@record
class Line:
    """Where the walker is, and whether the gate is shut."""

    at: Place
    shut: bool


class Walk(System[Line]):
    """A walker who goes on and on, to the end of the line; a gate in the middle that may be shut."""

    default_scope = {"Place": 4}
    fairness = (weak("go"),)

    @action
    def go(self, s: Line) -> None:
        require(s.at != Place.last() and not s.shut)
        s.at = s.at.next()

    @action
    def shut(self, s: Line) -> None:
        require(not s.shut)
        s.shut = True

    def is_final(self, s: Line) -> bool:
        return s.at == Place.last()


def arrived(s: Line) -> bool:
    return s.at == Place.last()


@temporal
def the_walker_arrives() -> Formula:
    return eventually(arrived)


def course(system: System[Any]) -> Course:
    ground = Ground(system, judge(system, None, ()))
    init, state = ground.places.starts[0]
    return Course(ground, init, state)


def test_a_drain_takes_fair_steps_and_no_others() -> None:
    walk = course(Walk())
    [fairness] = walk.ground.fairnesses
    drained = walk.ground.drains[fairness].after(walk.here)
    assert [walk.ground.places.instances[n].text for n in drained.numbers] == ["go()"] * 3
    assert drained.loop == 3
    assert walk.drain() is None


def test_what_the_drain_comes_to_is_judged() -> None:
    walk = course(Walk())
    number = next(n for n, i in enumerate(walk.ground.places.instances) if i.text == "shut()")
    # It is also a deadlock: nobody opens the gate.
    found = walk.take(number)
    assert found is not None and found.name == "deadlock"
    assert verdicts(Walk(), ignore=["deadlock"], patience=200) == {"the_walker_arrives": 1}


class DeadEnd(Walk):
    """Nothing can be done at the end of the line, and nobody says that it may end there."""

    @action
    def shut(self, s: Line) -> None:
        require(not s.shut and s.at == Place.first())
        s.shut = True

    def is_final(self, s: Line) -> bool:
        return s.shut


def test_a_deadlock_at_the_end_of_a_drain_is_found() -> None:
    """No run of one step gets there."""
    assert verdicts(DeadEnd(), properties=[], max_steps=1, max_examples=1) == {"deadlock": 3}


class Long(Walk):
    """A line that is longer than a drain."""

    default_scope = {"Place": LIMIT + 2}


def test_a_drain_that_is_given_up_is_no_failure() -> None:
    assert verdicts(Long(), ignore=["deadlock"], max_examples=1, max_steps=1) == {}


class Short(Walk):
    """The walker can leave the line: an entry of the scope is used up."""

    @action
    def go(self, s: Line) -> None:
        require(not s.shut)
        s.at = s.at.next()


def test_a_drain_that_leaves_the_scope_is_no_failure() -> None:
    """Nobody knows what comes after: at the last place the walker has arrived, and before it there is a step to take."""
    found = fuzz(Short(), ["the_walker_arrives"], max_examples=5, ignore=["deadlock"], patience=200)
    assert {p.name: p.length for p in found.result.violations} == {"the_walker_arrives": 1}
    assert found.result.incomplete == ("Place used up",)


def evaluated(f: Formula, letters: Sequence[tuple[bool, ...]], loop: int) -> bool:
    return satisfies(f, len(letters), loop, lambda atom, i: letters[i][atom.what == "q"])


def test_a_run_without_repeated_letters_satisfies_the_same() -> None:
    """Stutter invariance, on random words and formulas without "next"."""
    chance = random.Random(7)
    p, q = Atom("p"), Atom("q")
    formulas = [eventually(p), always_eventually(q), until(p, q), leads_to(p, q), always(p)]
    for _ in range(300):
        length = chance.randint(1, 8)
        letters = [(chance.random() < 0.6, chance.random() < 0.4) for _ in range(length)]
        loop = chance.randrange(length)
        short, start = without_repetition(letters, loop)
        assert 0 <= start < len(short) <= length
        for f in formulas:
            assert evaluated(f, letters, loop) == evaluated(f, short, start)


def test_next_is_judged_on_the_whole_run() -> None:
    def comes_after_a_step() -> Formula:
        return eventually(next_time(arrived))

    declared = temporal(comes_after_a_step)
    try:
        assert "comes_after_a_step" in {p.name for p in properties_for(Walk())}
        assert verdicts(
            Walk(), properties=["comes_after_a_step"], ignore=["deadlock"], patience=200
        ) == {"comes_after_a_step": 1}
    finally:
        forget(declared)  # type: ignore[arg-type]
