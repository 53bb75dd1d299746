"""Conditions that a user types, and the search for a state in which they are true."""

from __future__ import annotations

from typing import Any

import pytest

from explorer.lang.errors import ModelError
from explorer.lang.run import Next, instances, key, step
from explorer.reference.search import explore
from explorer.stepping.expressions import Expression
from explorer.stepping.find import find
from explorer.stepping.session import Session
from tests.stepping.models import Hotel, Tür
from tests.systems.jugs import Jugs

SYSTEM = Hotel()
STATE = Session(SYSTEM).starts[0].state


@pytest.mark.parametrize(
    "text",
    [
        "tür == Tür.ZU",
        "tür == ZU",
        "s.tür is ZU and s.rung == rung",
        "not any(inside[g] for g in Gast)",
        "all(s.room[g] is None for g in Gast)",
        "room[Gast0] is None",
        "len(beds) == 0 and len(Room) == 1",
        "nobody_is_alone and not all_are_in",
        "not is_open(s)",
        "Room0 not in beds",
    ],
)
def test_what_is_true(text: str) -> None:
    assert Expression(text, SYSTEM).holds(STATE)


@pytest.mark.parametrize(
    ("text", "problem", "hint"),
    [
        ("", "there is no expression", "find x == 1"),
        ("rung = 1", "rung = 1 is no expression", "two equals signs"),
        ("rung ==", "rung == is no expression", "write Python"),
        ("rugn == 1", "there is no rugn", "did you mean rung?"),
        ("zzzzzz", "there is no zzzzzz", "the state has tür, inside, room, beds, rung"),
        ("rung", "rung is no condition: its value is of type int", "x == 1"),
        ("s.rugn == 1", "cannot be evaluated: AttributeError", ""),
        ("rung / 0 == 1", "cannot be evaluated: ZeroDivisionError", ""),
        ("open('x') == 1", "there is no open", ""),
        ("(" * 300, "", ""),
        ("Gast0 < Gast1", "Gast0 < Gast1", ""),
        ("'\0' == rung", "", ""),
    ],
)
def test_what_is_no_condition(text: str, problem: str, hint: str) -> None:
    with pytest.raises(ModelError) as refused:
        Expression(text, SYSTEM).holds(STATE)
    assert problem in refused.value.message and hint in refused.value.hint


def test_a_none_that_is_used_makes_it_false() -> None:
    assert not Expression("room[Gast0].made == 1", SYSTEM).holds(STATE)


def test_an_expression_changes_nothing() -> None:
    before = key(STATE)
    Expression("s.__setattr__('rung', 3) is None", SYSTEM).holds(STATE)
    assert key(STATE) == before


def test_the_way_is_a_shortest_one() -> None:
    system = Jugs()
    start = Session(system).state
    lengths = {}
    for small in range(4):
        for big in range(6):
            text = f"small == {small} and big == {big}"
            sought = find(system, start, Expression(text, system).holds)
            if sought.way is None:
                assert sought.all and sought.states == 16
                continue
            here: Any = start
            for instance in sought.way:
                outcome = step(system, here, instance)
                assert isinstance(outcome, Next)
                here = outcome.state
            assert (here.small, here.big) == (small, big)
            lengths[small, big] = len(sought.way)
    nodes = explore(system).graph.nodes.values()
    assert lengths == {(n["state"].small, n["state"].big): n["depth"] for n in nodes}


def test_limits_are_told_apart() -> None:
    system = Jugs()
    start = Session(system).state

    def never(state: object) -> bool:
        return False

    assert (find(system, start, never, 16).all, find(system, start, never, 15).all) == (True, False)
    assert find(system, start, never, 15).states == 15
    house = Session(Hotel()).starts[1]
    assert house.values == (Tür.AUF,)
    assert find(SYSTEM, house.state, never).used_up == ("Room",)


def test_progress_is_told() -> None:
    system = Hotel({"Gast": 5, "Room": 5})
    told: list[int] = []
    start = Session(system).starts[0].state
    assert instances(system)
    find(system, start, lambda s: False, 350, told.append)
    assert told == [100, 200, 300]
