"""The premise of a formula is found however it is written."""

from __future__ import annotations

import pytest

from explorer.lang.formula_text import parse
from explorer.logic.premises import premises


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("G (a -> F b)", ["G !a"]),
        ("!!G (a -> F b)", ["G !a"]),
        ("G (F b | !a)", ["G !a"]),
        ("G !(a & !F b)", ["G !a"]),
        ("!F (a & !F b)", ["G !a"]),
        ("G (F a -> b)", ["G !F a"]),
        ("G (!F a | F b)", ["G !F a"]),
        ("G (a & X b -> c)", ["G (a -> !X b)"]),
        ("G (a -> (b -> F c))", ["G (a -> !b)"]),
        ("G G (a -> b)", ["G !a"]),
        ("X G (a -> b)", ["X G !a"]),
        ("!X !G (a -> b)", ["X G !a"]),
        ("G (a -> F b) & G (c -> F d)", ["G !a", "G !c"]),
        ("G ((a -> b) & (c -> d))", ["G !a", "G !c"]),
        ("F a -> G F b", ["!F a"]),
        ("!F a | G F b", ["!F a"]),
        ("G F a & F b -> F c", ["G F a -> !F b"]),
        ("G !(a & b)", ["G !a"]),
        ("(a -> F b) & F c", ["!a", None]),
        ("G (a -> b) | F c", [None]),
        ("F a", [None]),
        ("G !a", [None]),
        ("G F a", [None]),
        ("G (a | b)", [None]),
        ("a U b", [None]),
        ("F G (a -> b)", [None]),
        ("true", [None]),
    ],
)
def test_the_premise(text: str, never: list[str | None]) -> None:
    assert [p and str(p.never) for p in premises(parse(text))] == never


def test_states_and_runs() -> None:
    of_states = [p and p.of_states for p in premises(parse("G (a -> b) & (F a -> b)"))]
    assert of_states == [True, False]
