"""Formulas as text: Spot's precedence, what is printed reads back, and mistakes are pointed at."""

from __future__ import annotations

import random

import pytest

from explorer.lang.errors import ModelError
from explorer.lang.formula_text import parse
from explorer.lang.formulas import Atom, Formula, Next, Not, always, eventually
from tests.logic.words import random_formula


@pytest.mark.parametrize(
    ("text", "same"),
    [
        # Spot's documentation of its syntax, section on precedence.
        ("a -> b -> c", "a -> (b -> c)"),
        ("a <-> b -> c", "a <-> (b -> c)"),
        ("a xor b -> c", "(a xor b) -> c"),
        ("a | b xor c", "(a | b) xor c"),
        ("a & b | c", "(a & b) | c"),
        ("a U b & c", "(a U b) & c"),
        ("a U b U c", "a U (b U c)"),
        ("a R b W c M d", "a R (b W (c M d))"),
        ("F a U b", "(F a) U b"),
        ("!a U b", "(!a) U b"),
        ("G a & b", "(G a) & b"),
        ("X a -> b", "(X a) -> b"),
        ("!p & q | r", "((!p) & q) | r"),
        ("G F p -> G F q", "(G (F p)) -> (G (F q))"),
    ],
)
def test_precedence(text: str, same: str) -> None:
    assert parse(text) == parse(same)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("[] p", "G p"),
        ("<> p", "F p"),
        ("[]<>p", "G F p"),
        ("() p", "X p"),
        ("GFp", "G F p"),
        ("FG(p)", "F G p"),
        ("p && q || r", "p & q | r"),
        (r"p /\ q \/ r", "p & q | r"),
        ("~p", "!p"),
        ("p => q", "p -> q"),
        ("p <=> q", "p <-> q"),
        ("p ^ q", "p xor q"),
        ("p V q", "p R q"),
        ("1", "true"),
        ("0", "false"),
        ("  ( p )  ", "p"),
        ("p W q", "q R (p | q)"),
        ("p M q", "q U (p & q)"),
    ],
)
def test_other_spellings(text: str, same: str) -> None:
    assert parse(text) == parse(same)


def test_names() -> None:
    assert parse("waiting_2") == Atom("waiting_2")
    # As Spot reads them: operators may be written together with a lower-case name, and quotes prevent it.
    assert parse("G_p") == always(Atom("_p"))
    assert parse("Xylem") == Next(Atom("ylem"))
    assert parse('"Xylem"') == Atom("Xylem")
    assert parse("G1") == Atom("G1")
    assert parse("UGFp") == Atom("UGFp")
    assert parse('"a name(1)"') == Atom("a name(1)")
    assert parse(r'"a \"b\""') == Atom('a "b"')
    assert parse('G "true"') == always(Atom("true"))


@pytest.mark.parametrize("seed", range(10))
def test_what_is_printed_reads_back(seed: int) -> None:
    r = random.Random(seed)
    for _ in range(50):
        f = random_formula(r, r.randint(0, 8))
        assert parse(str(f)) == f


def test_atoms_that_are_no_names_are_quoted() -> None:
    f = eventually(Not(Atom('pending("a", 1)')))
    assert str(f) == r'F !"pending(\"a\", 1)"'
    assert parse(str(f)) == f


@pytest.mark.parametrize("seed", range(5))
def test_spot_reads_what_is_printed(seed: int) -> None:
    spot = pytest.importorskip("spot")
    r = random.Random(seed)
    for _ in range(40):
        f = random_formula(r, r.randint(0, 8))
        again = parse(f"{spot.formula(str(f)):f}")
        assert spot.are_equivalent(str(again), str(f))


@pytest.mark.parametrize(
    ("text", "problem", "marked"),
    [
        ("", "the formula is empty", None),
        ("   ", "the formula is empty", None),
        ("p q", "an operator is missing before this", "q"),
        ("G (p -> F q", "this bracket is not closed", "("),
        ("p)", "an operator is missing before this", ")"),
        ("p &", "the formula ends where an operand should follow", None),
        ("p & | q", "an operand is missing before this", "|"),
        ("U q", "an operand is missing before this", "U"),
        ("p % q", "this is no part of a formula", "%"),
        ("p = q", "this is no part of a formula", "="),
        ('"p', "this is no part of a formula", '"'),
        ("2", "this is no part of a formula", "2"),
        ("G", "the formula ends where an operand should follow", None),
        ("()", "the formula ends where an operand should follow", None),
    ],
)
def test_mistakes_are_pointed_at(text: str, problem: str, marked: str | None) -> None:
    with pytest.raises(ModelError) as caught:
        parse(text)
    first, *rest = caught.value.message.splitlines()
    assert problem in first
    if marked is not None:
        shown, carets = rest
        assert shown.strip() == text.strip()
        assert shown[carets.index("^")] == marked[0]
    assert "operators are G F X" in caught.value.hint


@pytest.mark.parametrize("text", ["(" * 300 + "p" + ")" * 300, "p U " * 300 + "p"])
def test_too_deep(text: str) -> None:
    with pytest.raises(ModelError, match="nested more than"):
        parse(text)


def test_many_operators_in_a_row_are_fine() -> None:
    f: Formula = parse("p & " * 100 + "p")
    assert parse(str(f)) == f
    assert str(parse("!" * 50 + "p")).count("!") == 50
