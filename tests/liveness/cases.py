"""Random small graphs and formulas, and the search under test run on them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from explorer.liveness.graph import FairSets, Graph
from explorer.liveness.lasso import Lasso, find_lasso
from explorer.liveness.product import FairNodes, Letters, Product
from tests.liveness.oracle import Case
from tests.liveness.tableau import TRUE, Formula, p


def random_case(source: random.Random, atoms: int = 2) -> Case:
    """Five to eight states, now and then parallel edges, steps that change nothing and states without any."""
    states, labels = source.randint(5, 8), source.randint(1, 5)
    edges: list[list[tuple[int, int]]] = [[] for _ in range(states)]
    for _ in range(source.randint(states - 1, 3 * states)):
        edges[source.randrange(states)].append((source.randrange(labels), source.randrange(states)))

    def sets() -> tuple[frozenset[int], ...]:
        count = source.choice((0, 0, 1, 1, 2, 3))
        return tuple(
            frozenset(source.sample(range(labels), source.randint(1, min(2, labels))))
            for _ in range(count)
        )

    return Case(
        edges=tuple(tuple(sorted(set(row))) for row in edges),
        letters=tuple(source.randrange(1 << atoms) for _ in range(states)),
        weak=sets(),
        strong=sets(),
        stuttering=source.random() < 0.5,
        initial=tuple(sorted(source.sample(range(states), source.choice((1, 1, 2))))),
    )


def random_formula(source: random.Random, depth: int, atoms: int = 2) -> Formula:
    """Formulas of all operators, constants included."""
    if depth == 0 or source.random() < 0.15:
        return source.choice([p(i) for i in range(atoms)] * 3 + [TRUE])
    op = source.choice(("not", "and", "or", "next", "until", "until", "eventually", "always"))
    one = random_formula(source, depth - 1, atoms)
    if op == "eventually":
        return ("until", TRUE, one)
    if op == "always":
        return ("not", ("until", TRUE, ("not", one)))
    if op in ("not", "next"):
        return (op, one)
    return (op, one, random_formula(source, depth - 1, atoms))


def search(case: Case, automaton: Any, atoms: int = 2) -> Lasso | None:
    """What the search finds in a case."""
    graph = Graph.of(case.initial, case.edges)
    instances = 1 + max((label for row in case.edges for label, _ in row), default=0)
    known = range(instances)
    sets = FairSets.of(
        instances,
        [s & frozenset(known) for s in case.weak],
        [s & frozenset(known) for s in case.strong],
    )
    enabled = sets.enabled(graph)
    labels = np.array(case.letters, np.uint64).reshape(-1, 1)
    product = Product(graph, automaton, Letters(labels, range(atoms)))
    stuck = np.diff(graph.first.astype(np.int64)) == 0
    may_stop = stuck | (~enabled.any(axis=1) if case.stuttering else False)
    fair = FairNodes(product, sets, enabled)
    return find_lasso(product, fair, sets, enabled, product.violating_stops(may_stop))


def lengths(lasso: Lasso | None) -> tuple[int, int] | None:
    """As the oracle says it."""
    return None if lasso is None else (len(lasso.prefix), len(lasso.cycle))


def permuted(case: Case, source: random.Random) -> Case:
    """The same graph with other numbers for states and instances, edges and sets in another order."""
    states, labels = len(case.edges), 1 + max((x for row in case.edges for x, _ in row), default=0)
    labels = max(labels, *(1 + max(s) for s in (*case.weak, *case.strong, frozenset({0}))), 1)
    state, label = _shuffled(states, source), _shuffled(labels, source)
    rows: list[tuple[tuple[int, int], ...]] = [()] * states
    letters = [0] * states
    for s, row in enumerate(case.edges):
        moved = [(label[x], state[t]) for x, t in row]
        source.shuffle(moved)
        rows[state[s]] = tuple(moved)
        letters[state[s]] = case.letters[s]

    def sets(old: Sequence[frozenset[int]]) -> tuple[frozenset[int], ...]:
        moved = [frozenset(label[x] for x in s) for s in old]
        source.shuffle(moved)
        return tuple(moved)

    initial = [state[s] for s in case.initial]
    source.shuffle(initial)
    return Case(
        tuple(rows),
        tuple(letters),
        sets(case.weak),
        sets(case.strong),
        case.stuttering,
        tuple(initial),
    )


def _shuffled(count: int, source: random.Random) -> list[int]:
    numbers = list(range(count))
    source.shuffle(numbers)
    return numbers
