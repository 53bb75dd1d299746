"""The point of no return found again, by CPython and networkx, as the definition says it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import networkx as nx

from explorer.explain.rerun import Rerun
from explorer.lang.fairness import FairSet
from explorer.lang.formulas import Atom, Not
from explorer.lang.run import (
    Blocked,
    Cut,
    Failed,
    Next,
    evaluate,
    holds,
    instances,
    is_final,
    key,
    step,
)
from explorer.lang.temporal import Bound
from explorer.reference.forever import Steps, violation


class TooLarge(Exception):
    """There are more states than this is meant for."""


def last_open(run: Rerun, fair: Sequence[FairSet], most: int) -> int:
    """After how many steps of a run its last open state comes, -1 if none is open. For everything but temporal properties."""
    graph, enabled, bad = explored(run, most)
    good = graph.subgraph([n for n in graph if n not in bad])
    fine = {n for n in good if may_stop(n, enabled, fair)}
    for part in nx.strongly_connected_components(nx.DiGraph(good)):
        fine |= fair_part(good.subgraph(part), enabled, fair)
    is_open = set(fine)
    back = nx.DiGraph(good).reverse()
    for node in fine:
        is_open |= nx.descendants(back, node)
    before = run.played.states[: len(run.played.taken)]
    answers = [key(s) in is_open for s in before]
    return max((i for i, answer in enumerate(answers) if answer), default=-1)


def may_stop(node: Hashable, enabled: dict[Hashable, set[int]], fair: Sequence[FairSet]) -> bool:
    """Whether a fair run may stay in a state: nothing is enabled, or nothing fair."""
    return not enabled[node] or not any(f.instances & enabled[node] for f in fair)


def fair_part(part: Any, enabled: dict[Hashable, set[int]], fair: Sequence[FairSet]) -> set[Any]:
    """The nodes of a strongly connected part that are on a fair cycle."""
    taken = {d["instance"] for _, _, d in part.edges(data=True)}
    if not taken:
        return set()
    for f in fair:
        if f.instances & taken:
            continue
        on = {n for n in part if f.instances & enabled[n]}
        if f.strong and on:
            # Such states cannot be part of it.
            rest = part.subgraph([n for n in part if n not in on])
            parts = nx.strongly_connected_components(nx.DiGraph(rest))
            return set().union(*(fair_part(rest.subgraph(p), enabled, fair) for p in parts))
        if not f.strong and len(on) == len(part):
            return set()
    return set(part)


def explored(run: Rerun, most: int) -> tuple[Any, dict[Hashable, set[int]], set[Hashable]]:
    """The steps that do not violate the property, what is enabled in each state, and the states that violate it."""
    graph: Any = nx.MultiDiGraph()
    enabled: dict[Hashable, set[int]] = {}
    bad: set[Hashable] = set()
    name, declared = run.trace.property_name, run.declared
    order = instances(run.system)
    todo = list(run.played.states)
    while todo:
        state = todo.pop()
        here = key(state)
        if here in enabled:
            continue
        if len(enabled) >= most:
            raise TooLarge
        graph.add_node(here)
        enabled[here] = set()
        if declared is not None and declared.kind == "invariant":
            if not evaluate(run.system, declared, state):
                bad.add(here)
        for number, instance in enumerate(order):
            outcome = step(run.system, state, instance)
            if isinstance(outcome, Blocked):
                continue
            enabled[here].add(number)
            if isinstance(outcome, Cut):
                raise TooLarge
            if isinstance(outcome, Failed):
                continue
            assert isinstance(outcome, Next)
            todo.append(outcome.state)
            wrong = name in outcome.soft or (
                declared is not None
                and declared.kind == "step_invariant"
                and not evaluate(run.system, declared, state, outcome.state)
            )
            if not wrong:
                graph.add_edge(here, key(outcome.state), instance=number)
        if name == "deadlock" and not enabled[here] and not is_final(run.system, state):
            bad.add(here)
    return graph, enabled, bad


def last_satisfiable(run: Rerun, most: int) -> int:
    """After how many steps of a run a fair run that satisfies its temporal property is possible for the last time.

    The reference engine looks for it. A run is made to begin like this one by a way of copies of its states, on which one may
    not stay: each has a step that is fair, and of no other state.
    """
    assert run.stated is not None
    negated = Not(run.stated.formula)
    order = instances(run.system)
    numbers: dict[Hashable, int] = {}
    states, steps, enabled = [], dict[int, list[tuple[int, int]]](), dict[int, frozenset[int]]()
    todo = []

    def number(state: Any) -> int:
        if key(state) not in numbers:
            if len(numbers) >= most:
                raise TooLarge
            numbers[key(state)] = len(numbers)
            states.append(state)
            todo.append(state)
        return numbers[key(state)]

    passed = [number(s) for s in run.played.states]
    while todo:
        state = todo.pop()
        outcomes = [(i, step(run.system, state, instance)) for i, instance in enumerate(order)]
        if any(isinstance(o, Cut) for _, o in outcomes):
            raise TooLarge
        after = [(i, number(o.state)) for i, o in outcomes if isinstance(o, Next)]
        steps[number(state)], enabled[number(state)] = after, frozenset(i for i, _ in after)
    go = len(order)
    fair = (*run.fair, FairSet("go on", False, frozenset([go])))

    def label(atom: Atom, at: int) -> bool:
        assert isinstance(atom.what, Bound)
        there = passed[at - len(states)] if at >= len(states) else at
        return holds(run.system, atom.what, states[there])

    def possible(position: int) -> bool:
        copies = range(len(states), len(states) + position)
        ways = {n: [(go, n + 1)] for n in copies}
        if copies:
            ways[copies[-1]] = [(go, passed[position])]
        start = copies[0] if copies else passed[0]
        graph = Steps((start,), steps | ways, enabled | {n: frozenset([go]) for n in copies})
        return violation(graph, negated, label, fair) is not None

    answers = [possible(i) for i in range(len(passed))]
    assert answers == sorted(answers, reverse=True), "what is lost comes back"
    return sum(answers) - 1
