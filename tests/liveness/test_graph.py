"""The edges of a state graph against the graph that the reference engine makes with CPython."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.inside import spread
from explorer.compiler import native
from explorer.compiler.lower import lower
from explorer.compiler.native import compile_program
from explorer.lang import System
from explorer.lang.run import instances
from explorer.liveness.graph import NOWHERE, FairSets, graph_of
from explorer.reference.search import explore
from explorer.search.explore import search
from tests.search.holders import InPool
from tests.systems.two_phase_commit import TwoPhaseCommit

SYSTEMS: list[System[Any]] = [
    TwoPhaseCommit({"Manager": 3}),
    InPool({}),
]


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda s: s.name)
@pytest.mark.parametrize("words", [None, 2, 5])
def test_edges_are_those_of_the_reference_engine(
    system: System[Any], words: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = explore(system, properties=()).graph
    lowered = lower(system, ())
    if words is not None:
        monkeypatch.setattr(native, "pack_leaves", spread(words))
        monkeypatch.setattr(native, "_recent", [])
    code = compile_program(lowered.program)
    found = search(code, [leaves for _, leaves in lowered.initial], switches=lowered.switch_values)
    graph = graph_of(found, lowered.switch_values)
    numbers = {found.values(s): s for s in range(found.states)}
    positions = {instance: i for i, instance in enumerate(instances(system))}
    with system:
        ours = {
            node: numbers[tuple(lowered.flatten(state))]
            for node, state in expected.nodes(data="state")
        }
    edges = sorted(
        (ours[a], positions[instance], ours[b])
        for a, b, instance in expected.edges(data="instance")
    )
    kept = [
        (s, int(graph.label[e]), int(graph.target[e]))
        for s in range(graph.states)
        for e in range(int(graph.first[s]), int(graph.first[s + 1]))
        if graph.target[e] != NOWHERE
    ]
    assert sorted(kept) == edges
    assert len(graph.target) == found.transitions + sum(found.cuts)


def test_an_incomplete_search_has_edges_to_nowhere() -> None:
    system = TwoPhaseCommit({"Manager": 3})
    lowered = lower(system, ())
    code = compile_program(lowered.program)
    initial = [leaves for _, leaves in lowered.initial]
    whole = graph_of(search(code, initial), lowered.switch_values)
    part = graph_of(search(code, initial, max_states=100), lowered.switch_values)
    assert part.states == 100
    edges = int(whole.first[100])
    assert np.array_equal(part.first, whole.first[:101])
    assert np.array_equal(part.label, whole.label[:edges])
    targets = whole.target[:edges]
    assert np.array_equal(part.target, np.where(targets < 100, targets, NOWHERE))
    assert (part.target == NOWHERE).any()


def test_enabled_sets_are_those_of_a_states_edges() -> None:
    system = TwoPhaseCommit({"Manager": 3})
    lowered = lower(system, ())
    found = search(compile_program(lowered.program), [leaves for _, leaves in lowered.initial])
    graph = graph_of(found, lowered.switch_values)
    count = len(lowered.program.instances)
    many = [frozenset([i % count]) for i in range(70)]
    enabled = FairSets.of(count, many, []).enabled(graph)
    for s in range(graph.states):
        here = set(graph.label[int(graph.first[s]) : int(graph.first[s + 1])].tolist())
        mask = sum(int(word) << 64 * w for w, word in enumerate(enabled[s]))
        assert mask == sum(1 << i for i in range(70) if i % count in here)
