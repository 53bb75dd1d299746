"""Decides formulas on a labelled graph: does every fair run satisfy them, and does that mean anything?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from explorer.lang.errors import ModelError
from explorer.lang.formulas import Atom, Constant, Formula, Not, Release, always, atoms, is_plain
from explorer.liveness.graph import FairSets, Graph, Words
from explorer.liveness.lasso import Lasso, find_lasso
from explorer.liveness.product import Automaton, FairNodes, Letters, Pause, Product
from explorer.logic import lasso
from explorer.logic.automaton import translate
from explorer.logic.premises import Premise, premises
from explorer.logic.prophetic import prophetic


@dataclass(frozen=True)
class Fairness:
    """The sets that runs are fair to, on one graph."""

    sets: FairSets
    enabled: Words
    may_stop: NDArray[np.bool_]

    @property
    def is_none(self) -> bool:
        """Whether nothing is demanded of runs."""
        return not (self.sets.weak.any() or self.sets.strong.any())


class Labelled:
    """A graph whose states have labels: bit i of a state's mask says whether the atom with the number i holds there."""

    def __init__(
        self,
        graph: Graph,
        labels: Words,
        *,
        stuttering: bool = True,
        pause: Pause = lambda done, of: None,
    ) -> None:
        """With ``stuttering`` a run may stop in any state, else only in one without successors. ``remarks`` are about graphs
        whose states can all be reached.
        """
        self.graph, self.labels, self.stuttering, self.pause = graph, labels, stuttering, pause
        self._latest: tuple[Formula, Product] | None = None

    def fairness(
        self, instances: int, weak: Sequence[frozenset[int]], strong: Sequence[frozenset[int]]
    ) -> Fairness:
        """Fairness to sets of instances."""
        sets = FairSets.of(instances, weak, strong)
        enabled = sets.enabled(self.graph)
        may_stop = self._stuck | (
            ~enabled.any(axis=1) if self.stuttering else np.zeros(self.graph.states, bool)
        )
        return Fairness(sets, enabled, may_stop)

    @cached_property
    def _stuck(self) -> NDArray[np.bool_]:
        stuck: NDArray[np.bool_] = np.diff(self.graph.first.astype(np.int64)) == 0
        return stuck

    def violation(self, f: Formula, fairness: Fairness) -> Lasso | None:
        """A fair run that does not satisfy ``f``, whose atoms hold numbers; None if there is none.

        A small automaton decides; where the formula has few temporal parts, one that knows the rest of the run then finds the
        shortest lasso: the first state on a violating fair cycle that can be reached, and the shortest such cycle there, neither
        of which depends on how a formula is written or translated.

        Raises ModelError for a formula that is too large.
        """
        small = _Search(self._product_against(f), fairness, self.pause)
        if not small.finds:
            return None
        negated = Not(f)
        exact = prophetic(negated, atoms(negated))
        if exact is None:
            return small.lasso()
        try:
            letters = small.product.letters
            return _Search(self._product(exact, letters), fairness, self.pause).lasso()
        except MemoryError:
            return small.lasso()

    def satisfies(self, f: Formula, fairness: Fairness) -> bool:
        """Whether every fair run satisfies ``f``, whose atoms hold numbers.

        Raises ModelError for a formula that is too large.
        """
        return not _Search(self._product_against(f), fairness, self.pause).finds

    def is_always(self, f: Formula) -> bool:
        """Whether ``G f``, where ``f`` is about one state, is true of a run through every state of the graph."""
        used = atoms(f)
        letters = self._letters(used).letters

        def holds(atom: Atom, at: int) -> bool:
            return bool(letters[at] >> used.index(atom) & 1)

        return lasso.satisfies(always(f), len(letters), 0, holds)

    def _product_against(self, f: Formula) -> Product:
        """With an automaton for what does not satisfy ``f``; that of the formula asked for last is kept."""
        if self._latest is None or self._latest[0] != f:
            self._latest = None
            negated = Not(f)
            used = atoms(negated)
            automaton = translate(negated, used, lambda: self.pause(0, 1))
            self._latest = f, self._product(automaton, self._letters(used))
        return self._latest[1]

    def _product(self, automaton: Automaton, letters: Letters) -> Product:
        return Product(self.graph, automaton, letters, self.pause)

    def _letters(self, used: Sequence[Atom]) -> Letters:
        return Letters(self.labels, [a.what for a in used if isinstance(a.what, int)])


class _Search:
    """The fair runs of one product."""

    def __init__(self, product: Product, fairness: Fairness, pause: Pause) -> None:
        self.product, self._fairness, self._pause = product, fairness, pause
        self._stops = product.violating_stops(fairness.may_stop)

    @cached_property
    def _fair(self) -> FairNodes:
        fairness = self._fairness
        return FairNodes(self.product, fairness.sets, fairness.enabled, self._pause)

    @property
    def finds(self) -> bool:
        """Whether there is one."""
        return bool(self._stops.any()) or self._fair.parts > 0

    def lasso(self) -> Lasso:
        """A shortest one; there is one."""
        sets, enabled = self._fairness.sets, self._fairness.enabled
        found = find_lasso(self.product, self._fair, sets, enabled, self._stops, self._pause)
        assert found is not None, "two automata of one formula disagree"
        return found


def remarks(
    labelled: Labelled, formulas: Sequence[Formula], fairness: Fairness
) -> tuple[list[str], list[str]]:
    """What is to be said about formulas that hold: warnings that they say nothing, and notes.

    That there is no fair run at all cannot be: any run goes on by a step of the enabled set that has waited longest, or of
    any other step, or stops where that is fair. Fairness to finitely many sets of steps excludes no finite run (Abadi and Lamport, "The
    existence of refinement mappings", 1991, call this machine closed).
    """
    warnings, notes = list[str](), list[str]()
    try:
        warnings += dict.fromkeys(_idle(labelled, formulas, fairness))
        if not fairness.is_none and not warnings:
            free = labelled.fairness(len(fairness.sets.member), (), ())
            if all(labelled.satisfies(f, free) for f in formulas):
                notes.append("holds without any fairness")
    except ModelError:
        notes.append("is too large a formula to find out whether it holds for a good reason")
    return warnings, notes


def _idle(labelled: Labelled, formulas: Sequence[Formula], fairness: Fairness) -> Iterator[str]:
    """What premises of the formulas, which have the same shape, are false in every fair run."""
    by_formula = [premises(f) for f in formulas]
    for conjunct in zip(*by_formula, strict=True):
        stated = [p for p in conjunct if p is not None]
        if not stated or not all(_never(labelled, p, fairness) for p in stated):
            continue
        part = "" if len(by_formula[0]) == 1 else "in part "
        if stated[0].of_states:
            yield f"holds {part}because what it is about never happens"
        else:
            yield f"holds {part}because no fair run satisfies what it assumes"


def _never(labelled: Labelled, premise: Premise, fairness: Fairness) -> bool:
    """Whether no fair run satisfies the premise."""
    match premise.never:
        case Release(Constant(False), inner) if is_plain(inner):
            # Every state can be reached, and every finite run can go on fairly: see ``remarks``.
            return labelled.is_always(inner)
    return labelled.satisfies(premise.never, fairness)
