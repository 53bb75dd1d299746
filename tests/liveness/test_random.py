"""Random graphs: the search against an enumeration that shares no code with it, and against itself after harmless changes."""

from __future__ import annotations

import random

import pytest

from explorer.lang.formulas import And as Both
from explorer.lang.formulas import Atom, Constant, Not, Until
from explorer.lang.formulas import Formula as Ours
from explorer.lang.formulas import Next as After
from explorer.lang.formulas import Or as Either
from explorer.logic.automaton import Automaton, translate
from tests.liveness.cases import lengths, permuted, random_case, random_formula, search
from tests.liveness.oracle import Case, Oracle
from tests.liveness.tableau import Formula, Tableau

ATOMS = (Atom("p"), Atom("q"))
SEEDS = range(400)


def ours(f: Formula) -> Ours:
    match f:
        case ("p", i):
            return ATOMS[i]
        case ("true",):
            return Constant(True)
        case ("not", g):
            return Not(ours(g))
        case ("next", g):
            return After(ours(g))
        case (op, g, h):
            kind = {"and": Both, "or": Either, "until": Until}[op]
            return kind(ours(g), ours(h))
    raise AssertionError(f)


def drawn(seed: int) -> tuple[random.Random, Case, Formula]:
    source = random.Random(seed)
    return source, random_case(source), random_formula(source, 3)


def automaton(f: Ours) -> Automaton:
    return translate(f, ATOMS)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_search_finds_what_an_enumeration_finds(seed: int) -> None:
    """Verdict, shortest prefix and shortest cycle there. How long a cycle of the product is depends on the automaton."""
    _, case, f = drawn(seed)
    translated = automaton(ours(f))
    found = lengths(search(case, translated))
    assert found == Oracle(case, translated).answer()
    assert (found is None) == (Oracle(case, Tableau(f)).answer() is None)


@pytest.mark.parametrize("seed", SEEDS)
def test_names_and_orders_do_not_matter(seed: int) -> None:
    source, case, f = drawn(seed)
    assert lengths(search(permuted(case, source), automaton(ours(f)))) == lengths(
        search(case, automaton(ours(f)))
    )


@pytest.mark.parametrize("seed", range(100))
def test_the_same_formula_in_other_words(seed: int) -> None:
    _, case, f = drawn(seed)
    g = ours(f)
    expected = search(case, automaton(g)) is None
    for other in (
        Not(Not(g)),
        Either(g, Constant(False)),
        Both(Constant(True), g),
        Both(g, g),
        Either(g, Both(g, ATOMS[0])),
    ):
        assert (search(case, automaton(other)) is None) == expected
