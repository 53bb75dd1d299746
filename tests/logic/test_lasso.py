"""What a formula means on one run."""

from __future__ import annotations

import itertools

import pytest

from explorer.lang.formula_text import parse
from explorer.lang.formulas import Atom
from explorer.logic.lasso import satisfies, where


def holds_on(text: str, states: list[str], loop: int) -> bool:
    """``states`` name the atoms that hold in each."""
    return satisfies(
        parse(text), len(states), loop, lambda a, i: isinstance(a.what, str) and a.what in states[i]
    )


@pytest.mark.parametrize(
    ("text", "states", "loop", "wanted"),
    [
        ("p", ["p", ""], 1, True),
        ("p", ["", "p"], 1, False),
        ("X p", ["", "p"], 1, True),
        # The last state is followed by the one that its run returns to.
        ("X X p", ["p", ""], 0, True),
        ("F p", ["", "", "p"], 0, True),
        ("F p", ["", "", ""], 1, False),
        ("G p", ["p", "p"], 0, True),
        ("G p", ["", "p"], 1, False),
        ("G F p", ["p", "", ""], 1, False),
        ("G F p", ["", "p", ""], 1, True),
        ("F G p", ["", "p", "p"], 1, True),
        ("F G p", ["", "p", "p"], 0, False),
        ("p U q", ["p", "p", "q"], 2, True),
        ("p U q", ["p", "p"], 0, False),
        ("p W q", ["p", "p"], 0, True),
        ("p W q", ["p", "", "q"], 2, False),
        ("q R p", ["p", "pq", ""], 2, True),
        ("q R p", ["p", "q", ""], 2, False),
        ("p M q", ["q", "q"], 0, False),
        ("p M q", ["q", "pq"], 1, True),
        ("G (p -> F q)", ["p", "", "q"], 2, True),
        ("G (p -> F q)", ["pq", "p"], 1, False),
        ("p xor q", ["pq"], 0, False),
        ("p <-> q", [""], 0, True),
    ],
)
def test_known_runs(text: str, states: list[str], loop: int, wanted: bool) -> None:
    assert holds_on(text, states, loop) == wanted


def test_laws_hold_in_every_run() -> None:
    laws = [
        ("!(p U q)", "!p R !q"),
        ("F p", "true U p"),
        ("G p", "!F !p"),
        ("p W q", "(p U q) | G p"),
        ("p M q", "q U (p & q)"),
        ("p U q", "q | (p & X (p U q))"),
        ("p R q", "q & (p | X (p R q))"),
        ("X !p", "!X p"),
        ("F G F p", "G F p"),
    ]
    for length in (1, 2, 3):
        for states in itertools.product(["", "p", "q", "pq"], repeat=length):
            for loop in range(length):
                for left, right in laws:
                    run = list(states)
                    assert holds_on(left, run, loop) == holds_on(right, run, loop), (left, run)


def test_a_formula_from_each_state_on() -> None:
    p = Atom("p")
    run = [False, True, False]
    assert where(parse("F p"), 3, 2, lambda a, i: a == p and run[i]) == (True, True, False)
