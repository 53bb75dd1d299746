"""Temporal properties of a system in the reference engine: from its state graph to verdicts with replayed traces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import networkx as nx

from explorer.lang.errors import ModelError
from explorer.lang.fairness import fair_sets
from explorer.lang.properties import Property
from explorer.lang.run import holds, instances
from explorer.lang.system import System
from explorer.lang.temporal import Instance, fairness_of, temporal_instances
from explorer.reference.forever import Lasso, Steps, violation
from explorer.result import PropertyResult
from explorer.trace.lasso import build_lasso


class Runs:
    """The runs of a system.

    Parameters
    ----------
    graph
        As in ``Exploration``; an edge has the number of its instance as ``position``.
    initial
        The initial states with the choice of init's parameters.
    expanded
        The states whose steps were taken, with the instances that are enabled there.
    pause
        Called now and then; may raise to end the work.
    """

    def __init__(
        self,
        system: System[Any],
        graph: nx.MultiDiGraph,
        initial: Mapping[int, tuple[object, ...]],
        expanded: Mapping[int, frozenset[int]],
        pause: Callable[[], None],
    ) -> None:
        self.system, self.graph, self.initial, self.pause = system, graph, initial, pause
        self.instances = instances(system)
        steps = {
            n: sorted((p, after) for _, after, p in graph.out_edges(n, data="position"))
            for n in expanded
        }
        self.steps = Steps(tuple(initial), steps, expanded)
        self.labels: dict[tuple[object, int], bool] = {}
        # Why a property cannot be decided.
        self.error: ModelError | None = None

    def evaluate(self, properties: Iterable[Property]) -> None:
        """Evaluate the predicates of all properties in every state. Raises ModelError where one cannot be."""
        stated = (i for p in properties for i in temporal_instances(self.system, p))
        predicates = dict.fromkeys(bound for instance in stated for bound in instance.atoms())
        for number, state in self.graph.nodes(data="state"):
            self.pause()
            for bound in predicates:
                self.labels[bound, number] = holds(self.system, bound, state)

    def decide(self, prop: Property) -> tuple[PropertyResult, list[str]]:
        """The verdict on a property, as far as these states go, and what is to be said about it."""
        try:
            fair = fair_sets(fairness_of(self.system, prop), self.instances)
        except ModelError as error:
            # The others are worth a report.
            self.error = self.error or error
            return PropertyResult(prop.name, "temporal", "unknown"), []
        best: tuple[Lasso, Instance] | None = None
        try:
            for instance in temporal_instances(self.system, prop):
                lasso = violation(
                    self.steps,
                    instance.formula,
                    lambda atom, state: self.labels[atom.what, state],
                    fair,
                    self.pause,
                )
                if lasso is not None and (best is None or lasso.length < best[0].length):
                    best = lasso, instance
        except ModelError as error:
            note = f"{prop.name} is not decided: {error.message}; {error.hint}"
            return PropertyResult(prop.name, "temporal", "unknown"), [note]
        if best is None:
            return PropertyResult(prop.name, "temporal", "holds"), []
        lasso, instance = best
        prefix, cycle = ([self.instances[i] for i in part] for part in (lasso.prefix, lasso.cycle))
        init = self.initial[lasso.start]
        trace = build_lasso(self.system, init, prefix, cycle, prop, instance, fair)
        return PropertyResult(prop.name, "temporal", "violated", trace.length, trace), []
