"""The search with Spot's automata in place of ours: the verdicts are the same."""

from __future__ import annotations

import random
from functools import cache

import pytest

from explorer.lang.formula_text import parse
from explorer.lang.formulas import Atom, Not
from explorer.logic.automaton import translate
from explorer.logic.lasso import satisfies
from tests.liveness.cases import random_case, random_formula, search
from tests.liveness.tableau import stops
from tests.liveness.test_random import ATOMS, ours

spot = pytest.importorskip("spot")


class Theirs:
    """A generalised Büchi automaton that Spot has made."""

    def __init__(self, formula: str) -> None:
        made = spot.translate(formula, "GeneralizedBuchi", "Deterministic")
        assert made.acc().is_generalized_buchi()
        self.states = made.num_states()
        self.initial = made.get_init_state_number()
        self.conditions = made.num_sets()
        self._edges = [
            [
                (
                    parse(spot.bdd_format_formula(made.get_dict(), edge.cond)),
                    edge.dst,
                    sum(1 << i for i in edge.acc.sets()),
                )
                for edge in made.out(q)
            ]
            for q in range(self.states)
        ]
        self.moves = cache(self._moves)

    def _moves(self, state: int, letter: int) -> tuple[tuple[int, int], ...]:
        def holds(atom: Atom, position: int) -> bool:
            return bool(letter >> "pq".index(str(atom.what)) & 1)

        return tuple(
            (target, marks)
            for condition, target, marks in self._edges[state]
            if satisfies(condition, 1, 0, holds)
        )

    def stops(self, state: int, letter: int) -> bool:
        return stops(self, state, letter)


@pytest.mark.parametrize("seed", range(150))
def test_spot_agrees(seed: int) -> None:
    source = random.Random(60_000 + seed)
    negated = Not(ours(random_formula(source, 3)))
    theirs = Theirs(str(negated))
    for _ in range(4):
        case = random_case(source)
        found = search(case, translate(negated, ATOMS))
        assert (found is None) == (search(case, theirs) is None)
