"""What a run that is no good owes, in words."""

from __future__ import annotations

import random

import pytest

from explorer.lang.formula_text import parse
from explorer.logic.owed import owed
from tests.logic.words import holds_in, is_satisfied, random_formula, random_word


def reasons(text: str, states: list[str], loop: int) -> list[str]:
    f = parse(text)
    return list(
        owed(f, len(states), loop, lambda a, i: isinstance(a.what, str) and a.what in states[i])
    )


@pytest.mark.parametrize(
    ("text", "states", "loop", "wanted"),
    [
        ("p", ["", "p"], 1, ["p does not hold at the start"]),
        ("!p", ["p"], 0, ["p holds at the start"]),
        ("X p", ["p", ""], 1, ["p does not hold after step 1"]),
        ("G p", ["p", "p", ""], 0, ["p does not hold after step 2"]),
        ("F p", [""], 0, ["at the start F p is owed: p holds neither then nor later"]),
        (
            "G (p -> F q)",
            ["q", "p", ""],
            1,
            ["p holds after step 1", "after step 1 F q is owed: q holds neither then nor later"],
        ),
        (
            "G F p",
            ["p", "p", ""],
            2,
            ["after step 2 F p is owed: p holds neither then nor later"],
        ),
        (
            "F G p",
            ["p", "p", ""],
            1,
            [
                "at the start F G p is owed: G p holds neither then nor later",
                "again and again: p does not hold after step 2",
            ],
        ),
        (
            "p U q",
            ["p", "", "q"],
            2,
            [
                "at the start p U q is owed: q does not hold before p ends",
                "p does not hold after step 1",
            ],
        ),
        ("q R p", ["p", ""], 1, ["p does not hold after step 1"]),
        ("p & q", ["p"], 0, ["q does not hold at the start"]),
        ("p | q", [""], 0, ["p does not hold at the start", "q does not hold at the start"]),
        ("false", [""], 0, ["nothing satisfies it"]),
    ],
)
def test_the_obligation_and_since_when(
    text: str, states: list[str], loop: int, wanted: list[str]
) -> None:
    assert reasons(text, states, loop) == wanted


@pytest.mark.parametrize("seed", range(20))
def test_every_false_formula_has_a_reason(seed: int) -> None:
    r = random.Random(seed)
    for _ in range(60):
        f = random_formula(r, r.randint(0, 6))
        word = random_word(r, 5)
        if not is_satisfied(f, word):
            assert owed(f, len(word[0]), word[1], holds_in(word)), str(f)
