"""The calmest of the shortest ways to a node of a product: fewest switches between threads, then the first in declaration order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from explorer.liveness import paths
from explorer.liveness.edges import NOWHERE
from explorer.liveness.product import Pause, Product

MOST_NODES = 1 << 16
"""With more nodes on shortest ways to the goal, the first way that was found is as good as any."""

# Places looked at in one call.
_BUDGET = 20_000

# By state and automaton state: the fewest switches from there on, and the threads that begin such a way, as a bit mask.
_Level = dict[int, dict[int, tuple[int, int]]]


def calmest(
    product: Product,
    control: NDArray[np.int64],
    levels: Sequence[tuple[int, int]],
    end: int,
    pause: Pause,
) -> tuple[int, tuple[tuple[int, int], ...]] | None:
    """The initial state and the steps, each an instance and the state after it; None if that takes too much work, or without threads.

    Parameters
    ----------
    control
        The control block of the search for the goal (see ``paths``).
    levels
        Where in its list of nodes each level begins and ends.
    end
        The place of the goal, in the last level.
    """
    if not product.graph.threads or len(levels) == 1:
        return None
    work = _Work(product, control, pause)
    cone = [work.goal(end)]
    for level in reversed(levels[:-1]):
        before = work.before(level, cone[-1])
        if before is None:
            return None
        cone.append(before)
    return work.way(cone[::-1])


class _Work:
    def __init__(self, product: Product, control: NDArray[np.int64], pause: Pause) -> None:
        self._product, self._pause = product, pause
        self._graph = product.graph
        self._control, self._address = control, int(control.ctypes.data)
        self._wanted = np.zeros(self._graph.states, np.uint64)
        self._places = np.empty(_BUDGET, np.uint64)
        self._left = MOST_NODES

    def goal(self, end: int) -> _Level:
        """The last level: any thread may lead there."""
        state, q = self._node(end)
        return {state: {q: (0, -1)}}

    def before(self, level: tuple[int, int], after: _Level) -> _Level | None:
        """The nodes of a level with a step into the part of the next level that leads to the goal; None if there are too many."""
        for state, nodes in after.items():
            self._wanted[state] = np.uint64(sum(1 << q for q in nodes))
        found: _Level = {}
        for begin in range(*level, _BUDGET):
            self._pause(begin, level[1])
            count = paths.retreat(
                self._product.address,
                self._address,
                int(self._wanted.ctypes.data),
                int(self._places.ctypes.data),
                begin,
                min(begin + _BUDGET, level[1]),
            )
            self._left -= count
            if self._left < 0:
                return None
            for place in self._places[:count].tolist():
                state, q = self._node(place)
                found.setdefault(state, {})[q] = self._best(state, q, after)
        for state in after:
            self._wanted[state] = 0
        return found

    def way(self, cone: Sequence[_Level]) -> tuple[int, tuple[tuple[int, int], ...]]:
        """The best way through the levels."""
        initial = [s for s in dict.fromkeys(self._graph.initial.tolist()) if s in cone[0]]
        start = state = min(initial, key=lambda s: min(m for m, _ in cone[0][s].values()))
        nodes = set(cone[0][start])
        steps: list[tuple[int, int]] = []
        thread: int | None = None
        for after in cone[1:]:
            best: tuple[int, int, int] | None = None
            reached: set[int] = set()
            for instance, target in self._edges(state):
                to = {p for q in nodes for p, _, _ in self._moves(state, q, target, after)}
                costs = [self._cost(after[target][p], self._graph.threads[instance]) for p in to]
                if costs:
                    switched = thread is not None and self._graph.threads[instance] != thread
                    cost = min(costs) + switched
                    if best is None or cost < best[0]:
                        best, reached = (cost, instance, target), to
            assert best is not None, "a way without a next step"
            _, instance, state = best
            nodes, thread = reached, self._graph.threads[instance]
            steps.append((instance, state))
        return start, tuple(steps)

    def _best(self, state: int, q: int, after: _Level) -> tuple[int, int]:
        least, threads = -1, 0
        for instance, target in self._edges(state):
            thread = self._graph.threads[instance]
            for _, switches, begins in self._moves(state, q, target, after):
                cost = self._cost((switches, begins), thread)
                if least < 0 or cost < least:
                    least, threads = cost, 0
                if cost == least:
                    threads |= 1 << thread
        return least, threads

    def _cost(self, record: tuple[int, int], thread: int) -> int:
        """Switches after a step of a thread to a node, that to the next step included."""
        switches, begins = record
        return switches + 1 - (begins >> thread & 1)

    def _moves(
        self, state: int, q: int, target: int, after: _Level
    ) -> Iterator[tuple[int, int, int]]:
        """The nodes of the target that a node of the state leads to: its automaton state and its record."""
        nodes = after.get(target)
        if nodes:
            letter = int(self._product.letters.of_state[state])
            for p, _ in self._product.moves[letter * self._product.automaton.states + q]:
                if p in nodes:
                    yield (p, *nodes[p])

    def _edges(self, state: int) -> Iterator[tuple[int, int]]:
        graph = self._graph
        part = slice(int(graph.first[state]), int(graph.first[state + 1]))
        for instance, target in zip(
            graph.label[part].tolist(), graph.target[part].tolist(), strict=True
        ):
            if target != NOWHERE:
                yield instance, target

    def _node(self, place: int) -> tuple[int, int]:
        node = paths.node(self._address, place)
        return node >> 8, node & 255
