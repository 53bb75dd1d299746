"""The calmest of the shortest runs: fewest switches between threads, then the first in declaration order.

Level by level from the initial states on: for each state, and each thread that may have led there, the best run. Of two
runs to the same place with the same last thread the better one stays the better one, whatever follows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import networkx as nx

from explorer.lang import run
from explorer.lang.errors import ModelError
from explorer.lang.properties import Property
from explorer.lang.system import System
from explorer.trace.replay import thread_of

_END = -1


@dataclass(frozen=True)
class _Best:
    """A run by its last step. ``rank`` is its place among the runs of its length: by init's parameters, then step by step."""

    switches: int
    rank: int
    state: int
    instance: run.Instance | None = None
    before: _Best | None = None


class CalmRuns:
    """The runs of a system.

    Parameters
    ----------
    graph
        As in ``Exploration``; an edge has the number of its instance as ``position``.
    initial
        The initial states with the first choice of init's parameters.
    pause
        Called now and then; may raise to end the work.
    """

    def __init__(
        self,
        system: System[Any],
        graph: nx.MultiDiGraph,
        initial: Mapping[int, tuple[object, ...]],
        pause: Callable[[], None],
    ) -> None:
        self.system, self.graph, self.initial, self.pause = system, graph, initial, pause
        self.instances = run.instances(system)
        self.dead: dict[Hashable, bool] = {}
        self.levels: dict[int, list[int]] = {}
        for number, depth in graph.nodes(data="depth"):
            self.levels.setdefault(depth, []).append(number)

    def calmest(
        self, name: str, prop: Property | str, length: int
    ) -> tuple[tuple[object, ...], list[run.Instance]]:
        """The calmest run to a violation or a witness, from which the shortest run has ``length`` steps: init's parameters and the steps."""
        steps = [{n: self._last_steps(n, name, prop) for n in self.levels[length - 1]}]
        for depth in range(length - 2, -1, -1):
            steps.append({n: self._steps_into(n, steps[-1]) for n in self.levels[depth]})
        runs = [_Best(0, rank, number) for rank, number in enumerate(self.initial)]
        for from_here in reversed(steps):
            runs = self._longer(runs, from_here)
        best: _Best | None = min(runs, key=lambda r: (r.switches, r.rank))
        taken: list[run.Instance] = []
        while best is not None and best.instance is not None:
            taken.append(best.instance)
            best = best.before
        assert best is not None
        return self.initial[best.state], taken[::-1]

    def _longer(
        self, runs: Iterable[_Best], steps: Mapping[int, Iterable[tuple[int, int]]]
    ) -> list[_Best]:
        """The best runs of one more step to each place, in order."""
        best: dict[tuple[int, str | None], _Best] = {}
        rank = 0
        for before in runs:
            self.pause()
            for position, after in steps[before.state]:
                instance = self.instances[position]
                thread = thread_of(instance)
                switched = before.instance is not None and thread_of(before.instance) != thread
                longer = _Best(before.switches + switched, rank, after, instance, before)
                rank += 1
                known = best.get((after, thread))
                if known is None or longer.switches < known.switches:
                    best[after, thread] = longer
        return sorted(best.values(), key=lambda r: r.rank)

    def _steps_into(
        self, number: int, wanted: Mapping[int, list[tuple[int, int]]]
    ) -> list[tuple[int, int]]:
        """The steps of a state into those of the next level from which the run can go on."""
        edges = self.graph.out_edges(number, data="position")
        return sorted((position, after) for _, after, position in edges if wanted.get(after))

    def _last_steps(self, number: int, name: str, prop: Property | str) -> list[tuple[int, int]]:
        """The steps of a state that show what is looked for."""
        self.pause()
        state = self.graph.nodes[number]["state"]
        return [
            (position, _END)
            for position, instance in enumerate(self.instances)
            if self._shows(state, instance, name, prop)
        ]

    def _shows(self, state: Any, instance: run.Instance, name: str, prop: Property | str) -> bool:
        # The search may have stopped before this step: a mistake of the model that only it shows is not reported.
        try:
            outcome = run.step(self.system, state, instance)
            if isinstance(outcome, run.Blocked):
                return False
            if isinstance(prop, str) and name != "deadlock":
                failed = isinstance(outcome, run.Failed) and outcome.name == name
                return failed or name in outcome.soft
            if not isinstance(outcome, run.Next):
                return False
            if isinstance(prop, str):
                return self._is_dead(outcome.state)
            if prop.kind == "step_invariant":
                return not run.evaluate(self.system, prop, state, outcome.state)
            return run.evaluate(self.system, prop, outcome.state) == (prop.kind == "reachable")
        except ModelError:
            return False

    def _is_dead(self, state: Any) -> bool:
        key = run.key(state)
        if key not in self.dead:
            outcomes = (run.step(self.system, state, i) for i in self.instances)
            self.dead[key] = all(isinstance(o, run.Blocked) for o in outcomes) and not run.is_final(
                self.system, state
            )
        return self.dead[key]
