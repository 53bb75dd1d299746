"""Parts of the search that small random graphs do not reach."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

import explorer.liveness.lasso
from explorer.lang.formula_text import parse
from explorer.lang.formulas import Atom, Formula, Not, atoms, replace_atoms
from explorer.liveness.decide import Labelled
from explorer.liveness.graph import NOWHERE, Graph
from explorer.liveness.lasso import Lasso
from explorer.logic.automaton import translate
from explorer.logic.lasso import satisfies
from tests.liveness.cases import lengths, permuted, random_case, random_formula, search
from tests.liveness.oracle import Case, Oracle
from tests.liveness.tableau import Tableau, always, eventually, negation, p, text
from tests.liveness.test_random import ATOMS, ours


def formula(text: str) -> Formula:
    """A formula over p and q, which are atoms 0 and 1."""
    return replace_atoms(parse(text), lambda atom: Atom("pq".index(str(atom.what))))


def labelled(case: Case) -> Labelled:
    labels = np.array(case.letters, np.uint64).reshape(-1, 1)
    return Labelled(Graph.of(case.initial, case.edges), labels, stuttering=case.stuttering)


def violation(case: Case, text: str) -> Lasso | None:
    """What the search finds against a formula."""
    edges = (x for row in case.edges for x, _ in row)
    count = 1 + max([*edges, *(x for s in (*case.weak, *case.strong) for x in s)], default=0)
    situation = labelled(case)
    return situation.violation(formula(text), situation.fairness(count, case.weak, case.strong))


def ring(size: int, weak: Iterator[int] | range = range(0)) -> Case:
    """States in a ring, each step an instance of its own; p holds in none of them."""
    return Case(
        edges=tuple(((i, (i + 1) % size),) for i in range(size)),
        letters=(0,) * size,
        weak=tuple(frozenset([i]) for i in weak),
        stuttering=False,
    )


def test_more_than_64_fair_sets_are_all_judged() -> None:
    """Two rings that meet in state 0. The run has to go round both for ever: each has sets that the other one disables only
    in states of its own."""
    assert lengths(violation(ring(100, range(100)), "F p")) == (0, 100)
    # A step of set 69 is enabled in every state and never taken inside: no cycle is fair, so the run leaves the ring.
    edges = tuple(((i, (i + 1) % 70), (70, 70)) for i in range(70))
    case = Case(
        edges=(*edges, ()),
        letters=(0,) * 70 + (1,),
        weak=tuple(frozenset([i]) for i in range(71)),
        stuttering=False,
    )
    assert violation(case, "F p") is None
    fewer = Case(case.edges, case.letters, case.weak[:70], (), stuttering=False)
    assert lengths(violation(fewer, "F p")) == (0, 70)
    strong = Case(case.edges, case.letters, (), case.weak, stuttering=False)
    assert violation(strong, "F p") is None


def test_a_cycle_has_to_meet_obligations_in_several_words() -> None:
    """Ninety self-loops, each strongly fair: the cycle takes every one of them."""
    case = Case(
        edges=(tuple((i, 0) for i in range(90)),),
        letters=(0,),
        strong=tuple(frozenset([i]) for i in range(90)),
        stuttering=False,
    )
    found = violation(case, "F p")
    assert found is not None
    assert sorted(label for label, _ in found.cycle) == list(range(90))


def test_instances_beyond_two_bytes() -> None:
    graph = Graph.of([0], [[(70_000, 1)], [(70_001, 0)]])
    assert graph.wide
    situation = Labelled(graph, np.array([[0], [1]], np.uint64), stuttering=False)
    fair = situation.fairness(70_002, [frozenset([70_001])], [])
    found = situation.violation(formula("F G p"), fair)
    assert found == Lasso(0, (), ((70_000, 1), (70_001, 0)))


def test_strong_fairness_goes_on_in_parts() -> None:
    """A chain of rings: avoiding one set's states leaves rings where the next set is enabled and cannot be taken inside."""
    # State 2 i -> 2 i + 1 -> 2 i is a ring; its exit, instance i, leads to the next one and is enabled in 2 i + 1.
    size = 6
    rows: list[tuple[tuple[int, int], ...]] = []
    for i in range(size):
        rows.append(((100, 2 * i + 1),))
        rows.append(((100, 2 * i), (i, (2 * i + 2) % (2 * size))))
    case = Case(
        edges=tuple(rows),
        letters=(0,) * 2 * size,
        strong=tuple(frozenset([i]) for i in range(size)),
        stuttering=False,
    )
    assert lengths(violation(case, "F p")) == (0, 2 * size)
    # Without the last exit nothing can come back, and the last ring is fair.
    rows[-1] = ((100, 2 * size - 2),)
    open_end = Case(tuple(rows), case.letters, (), case.strong[:-1], stuttering=False)
    assert lengths(violation(open_end, "F p")) == (2 * size - 2, 2)


def test_a_step_that_leads_nowhere_is_enabled_and_not_taken() -> None:
    """A cut step: weak fairness to it makes the cycle unfair, since it is never disabled."""
    graph = Graph.of([0], [[(0, 0), (1, NOWHERE)]])
    situation = Labelled(graph, np.zeros((1, 1), np.uint64), stuttering=False)
    assert situation.violation(formula("F p"), situation.fairness(2, [], [])) is not None
    one = [frozenset([1])]
    assert situation.violation(formula("F p"), situation.fairness(2, one, [])) is None
    assert situation.violation(formula("F p"), situation.fairness(2, [], one)) is None
    # Where there is such a step alone, the run does not end there by itself.
    alone = Labelled(Graph.of([0], [[(1, NOWHERE)]]), np.zeros((1, 1), np.uint64), stuttering=False)
    assert alone.violation(formula("F p"), alone.fairness(2, [], [])) is None


@pytest.mark.parametrize("seed", range(200))
def test_a_counterexample_is_a_fair_run_that_does_not_satisfy_the_formula(seed: int) -> None:
    """Judged without automaton and product."""
    source = random.Random(10_000 + seed)
    case, f = random_case(source), ours(random_formula(source, 3))
    check_lasso(case, f, search(case, translate(Not(f), ATOMS)))


@pytest.mark.parametrize("seed", range(200))
def test_beyond_the_limit_a_cycle_is_fair_all_the_same(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With so little room that the shortest cycle cannot be looked for."""
    source = random.Random(20_000 + seed)
    case, f = random_case(source), ours(random_formula(source, 2))
    negated = translate(Not(f), ATOMS)
    exact = search(case, negated)
    monkeypatch.setattr(explorer.liveness.lasso, "EXACT_ENTRIES", 2)
    found = search(case, negated)
    check_lasso(case, f, found)
    assert (found is None) == (exact is None)
    if found is not None and exact is not None:
        assert len(found.prefix) == len(exact.prefix)
        assert len(found.cycle) >= len(exact.cycle)


def check_lasso(case: Case, f: Formula, found: Lasso | None) -> None:
    """Every step exists, the cycle closes, it is fair, and the run does not satisfy the formula."""
    if found is None:
        return
    states = [found.start]
    for label, target in (*found.prefix, *found.cycle):
        assert (label, target) in case.edges[states[-1]]
        states.append(target)
    loop = len(found.prefix)
    assert states[loop] == states[-1]
    if not found.cycle:
        assert case.may_stop(states[-1])
    taken = {label for label, _ in found.cycle}
    for i, members in enumerate(case.weak):
        assert members & taken or any(i not in case.enabled(case.weak, s) for s in states[loop:])
    for i, members in enumerate(case.strong):
        assert members & taken or all(i not in case.enabled(case.strong, s) for s in states[loop:])

    def holds(atom: Atom, position: int) -> bool:
        return bool(case.letters[states[position]] >> ATOMS.index(atom) & 1)

    positions = len(states) - 1 if found.cycle else len(states)
    assert not satisfies(f, positions, loop, holds)
    assert set(atoms(f)) <= set(ATOMS)


@pytest.mark.parametrize("seed", range(300))
def test_lengths_are_those_of_the_shortest_run(seed: int) -> None:
    """Of all runs that the textbook translation finds, whose states repeat where the run does."""
    source = random.Random(40_000 + seed)
    case, f = random_case(source), random_formula(source, 2)
    tableau = Tableau(negation(f))
    found = violation(case, text(f, "pq"))
    assert lengths(found) == Oracle(case, tableau).answer()
    assert lengths(violation(permuted(case, source), text(f, "pq"))) == lengths(found)


@pytest.mark.parametrize("seed", range(60))
def test_no_shorter_run_is_overlooked(seed: int) -> None:
    """All lassos up to some length, one by one, judged without any automaton."""
    source = random.Random(50_000 + seed)
    case, f = random_case(source), random_formula(source, 2)
    found = violation(case, text(f, "pq"))
    best = (len(found.prefix), len(found.cycle)) if found is not None else (9, 9)
    for lasso in lassos(case, 4):
        if lengths(lasso) < best and violates(case, ours(f), lasso):  # type: ignore[operator]
            pytest.fail(f"{lasso} is shorter than {found}")


def lassos(case: Case, most: int) -> Iterator[Lasso]:
    """All runs with at most so many steps, however they go on."""
    waiting: list[tuple[int, tuple[int, ...], tuple[tuple[int, int], ...]]]
    waiting = [(s, (s,), ()) for s in case.initial]
    while waiting:
        start, states, taken = waiting.pop()
        for loop in range(len(states)):
            if states[loop] == states[-1]:
                yield Lasso(start, taken[:loop], taken[loop:])
        if len(taken) < most:
            waiting += [
                (start, (*states, target), (*taken, (label, target)))
                for label, target in case.edges[states[-1]]
            ]


def violates(case: Case, f: Formula, lasso: Lasso) -> bool:
    try:
        check_lasso(case, f, lasso)
    except AssertionError:
        return False
    return True


def test_some_run_is_always_fair() -> None:
    """Whatever the sets are: so a property never holds because there is no fair run."""
    for seed in range(300):
        case = random_case(random.Random(30_000 + seed))
        assert violation(case, "false") is not None


def test_a_long_chain_does_not_need_a_deep_stack() -> None:
    case = ring(200_000)
    assert lengths(violation(case, "F p")) == (0, 200_000)


def test_lengths_do_not_depend_on_which_of_many_nodes_comes_first() -> None:
    """Rings of several sizes at the same distance: the smallest is shown, wherever it is declared."""
    for order in ((5, 3, 4), (3, 4, 5), (4, 5, 3)):
        rows: list[tuple[tuple[int, int], ...]] = [()]
        starts = []
        for size in order:
            first = len(rows)
            starts.append(first)
            rows += [((0, first + (i + 1) % size),) for i in range(size)]
        rows[0] = tuple((i, start) for i, start in enumerate(starts))
        case = Case(tuple(rows), (1,) + (0,) * (len(rows) - 1), stuttering=False)
        assert lengths(violation(case, "G F p")) == (1, 3)
        assert Oracle(case, Tableau(eventually(always(negation(p(0)))))).answer() == (1, 3)
