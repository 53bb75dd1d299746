"""The way to the cycle is the calmest of the shortest; its length and the cycle are what they are without threads."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from explorer.lang.formulas import Atom, Formula, Not, replace_atoms
from explorer.liveness import calm
from explorer.liveness.decide import Labelled
from explorer.liveness.graph import Graph
from explorer.liveness.lasso import Lasso
from explorer.logic.lasso import satisfies
from tests.liveness.cases import random_formula
from tests.liveness.test_random import ATOMS, ours

LABELS = 6


def drawn(seed: int) -> tuple[Graph, list[int], Formula]:
    """A graph in which there are several ways to most places, its states' letters, a formula over the atoms 0 and 1."""
    source = random.Random(seed)
    layers = [list(range(4 * i, 4 * i + 4)) for i in range(4)]
    rows: list[list[tuple[int, int]]] = [[] for _ in range(16)]
    for here, there in pairwise(layers):
        for state in here:
            for label in source.sample(range(LABELS), 3):
                rows[state].append((label, source.choice(there)))
    for _ in range(4):
        rows[source.choice(layers[3])].append((source.randrange(LABELS), source.randrange(8, 16)))
    rare = [0] * 8 + [source.randrange(4) for _ in range(8)]
    formula = replace_atoms(ours(random_formula(source, 2)), lambda a: Atom(ATOMS.index(a)))
    graph = Graph.of(sorted(source.sample(range(4), 2)), [sorted(set(row)) for row in rows])
    return replace(graph, threads=tuple(source.randrange(3) for _ in range(LABELS))), rare, formula


def violation(graph: Graph, letters: list[int], f: Formula) -> Lasso | None:
    labelled = Labelled(graph, np.array(letters, np.uint64).reshape(-1, 1), stuttering=False)
    return labelled.violation(f, labelled.fairness(LABELS, (), ()))


def switches(graph: Graph, steps: list[int]) -> int:
    return sum(graph.threads[a] != graph.threads[b] for a, b in pairwise(steps))


def ways(graph: Graph, state: int, length: int) -> Iterator[tuple[list[int], list[int]]]:
    """All runs of so many steps from a state: the instances and the states after them."""
    if length == 0:
        yield [], []
        return
    for e in range(int(graph.first[state]), int(graph.first[state + 1])):
        target = int(graph.target[e])
        for steps, states in ways(graph, target, length - 1):
            yield [int(graph.label[e]), *steps], [target, *states]


def violates(f: Formula, letters: list[int], states: list[int], lasso: Lasso) -> bool:
    """Whether these states, and from the last one on what the lasso does for ever, do."""
    whole = [*states, *(state for _, state in lasso.cycle[:-1])]
    holds = [letters[state] for state in whole]
    return satisfies(
        Not(f), len(whole), len(states) - 1, lambda a, i: bool(holds[i] >> int(str(a.what)) & 1)
    )


@pytest.mark.parametrize("block", range(4))
def test_no_way_is_calmer(block: int) -> None:
    turns = 0
    for seed in range(100 * block, 100 * (block + 1)):
        graph, letters, f = drawn(seed)
        lasso = violation(graph, letters, f)
        plain = violation(replace(graph, threads=()), letters, f)
        if lasso is None or plain is None:
            assert lasso is plain
            continue
        assert (len(lasso.prefix), lasso.cycle) == (len(plain.prefix), plain.cycle)
        steps = [instance for instance, _ in lasso.prefix]
        end = lasso.prefix[-1][1] if steps else lasso.start
        found = [
            (switches(graph, taken), start, taken)
            for start in graph.initial.tolist()
            for taken, states in ways(graph, start, len(steps))
            if [start, *states][-1] == end and violates(f, letters, [start, *states], lasso)
        ]
        assert min(found) == (switches(graph, steps), lasso.start, steps), seed
        turns += switches(graph, [i for i, _ in plain.prefix]) > min(found)[0]
    assert turns > 2


def test_with_too_many_nodes_the_first_way_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calm, "MOST_NODES", 0)
    for seed in range(20):
        graph, letters, f = drawn(seed)
        assert violation(graph, letters, f) == violation(replace(graph, threads=()), letters, f)


def test_work_in_small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [violation(*drawn(seed)) for seed in range(30)]
    monkeypatch.setattr(calm, "_BUDGET", 1)
    assert [violation(*drawn(seed)) for seed in range(30)] == expected
