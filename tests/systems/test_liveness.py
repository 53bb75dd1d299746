"""What happens in the end, in classic algorithms, by the reference engine and by the exhaustive one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from explorer.lang import System
from explorer.lang.properties import properties_for
from explorer.reference.search import explore
from explorer.result import Result
from explorer.search.check import check
from tests.systems.dining import Dining
from tests.systems.peterson import Peterson


def reference(system: System[Any]) -> Result:
    return explore(system).result


ENGINES = pytest.mark.parametrize("engine", [reference, check], ids=["reference", "exhaustive"])


def violated(result: Result) -> dict[str, tuple[int, int]]:
    """Whatever is violated: the length of the whole run, and the step after which its cycle begins, or it ends."""
    assert result.complete
    return {
        p.name: (p.trace.length, p.trace.length if p.trace.loop is None else p.trace.loop)
        for p in result.properties
        if p.trace is not None and p.verdict == "violated"
    }


@ENGINES
def test_peterson(engine: Callable[[System[Any]], Result]) -> None:
    result = engine(Peterson())
    assert (result.states, result.transitions) == (20, 34)
    assert violated(result) == {
        # It asks, and the run stops.
        "whoever_asks_enters_without_fairness": (1, 1),
        # Nobody has to ask.
        "everybody_enters_again_and_again": (0, 0),
    }
    assert len(result.properties) == 1 + 4 + 1


@ENGINES
def test_peterson_without_the_turn(engine: Callable[[System[Any]], Result]) -> None:
    """Both have asked, and wait for each other: two steps each."""
    found = violated(engine(Peterson(design={"turn": False})))
    assert found["deadlock"] == found["whoever_asks_enters"] == (4, 4)
    assert "only_one_is_inside" not in found


@ENGINES
def test_peterson_taking_the_turn(engine: Callable[[System[Any]], Result]) -> None:
    """Both get in; and one that takes the turn again and again keeps the other one out."""
    found = violated(engine(Peterson(design={"polite": False})))
    assert found["only_one_is_inside"] == (6, 6)
    assert found["whoever_asks_enters"] == (8, 4)


@pytest.mark.parametrize("seats", [2, 3, 4])
@ENGINES
def test_a_left_handed_philosopher(engine: Callable[[System[Any]], Result], seats: int) -> None:
    found = violated(engine(Dining({"Seat": seats})))
    assert found == {
        "somebody_eats_without_fairness": (1, 1),
        # One is hungry; then another one gets hungry, takes both forks and puts them down, for ever.
        "everybody_eats_under_weak_fairness": (5, 1),
    }


@pytest.mark.parametrize("seats", [2, 3, 4])
@ENGINES
def test_no_left_handed_philosopher(engine: Callable[[System[Any]], Result], seats: int) -> None:
    """All get hungry, and take their left fork."""
    found = violated(engine(Dining({"Seat": seats}, {"left_handed": False})))
    stuck = 2 * seats, 2 * seats
    assert found.pop("everybody_eats_under_weak_fairness") == (5, 1)
    assert found == {
        "deadlock": stuck,
        "somebody_eats_without_fairness": (1, 1),
        "somebody_eats_under_weak_fairness": stuck,
        "everybody_eats_under_strong_fairness": stuck,
    }


def test_more_philosophers() -> None:
    properties = tuple(
        p for p in properties_for(Dining()) if p.name != "everybody_eats_under_weak_fairness"
    )
    found = check(Dining({"Seat": 6}), properties)
    assert violated(found) == {"somebody_eats_without_fairness": (1, 1)}
