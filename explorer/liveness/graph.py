"""State graphs by number: rows of edges, each with its target and its instance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from explorer.liveness import edges
from explorer.search.found import Found
from explorer.search.region import Region, machine_memory

Words: TypeAlias = NDArray[np.uint64]

NOWHERE = edges.NOWHERE
"""The target of a step whose successor is not among the states."""

# Address space that may be reserved for what grows.
_MOST_EDGES = 1 << 36
_BUDGET = 20_000


@dataclass(frozen=True)
class Graph:
    """States 0 to ``states`` - 1; the edges of state s are ``first[s]`` to ``first[s + 1]`` - 1.

    ``target`` is the number of the state that an edge leads to, or ``NOWHERE`` if that is not among the states: the
    step cannot be taken in a run that is found, but its instance is enabled. ``label`` is the instance of an edge. The
    order of edges is that of declaration: it decides among counterexamples of the same length. A state without any edge
    can only be repeated.

    Per state 8 bytes, per edge 4 for the target and 2 for the instance (4 if there are more than 65,536). Parallel
    edges and edges from a state to itself are kept: each counts for the sets of its own instance.

    ``threads`` has the number of each instance's thread, if the switches between threads matter.
    """

    first: NDArray[np.uint64]
    target: NDArray[np.uint32]
    label: NDArray[Any]
    initial: NDArray[np.uint32]
    threads: tuple[int, ...] = ()

    @property
    def states(self) -> int:
        return len(self.first) - 1

    @property
    def wide(self) -> bool:
        """Whether instances take four bytes."""
        return self.label.dtype == np.uint32

    @staticmethod
    def of(initial: Sequence[int], rows: Sequence[Sequence[tuple[int, int]]]) -> Graph:
        """A graph from, for each state, its edges as (instance, target)."""
        flat = [edge for row in rows for edge in row]
        ends = np.cumsum([0, *(len(row) for row in rows)])
        wide = any(instance > 0xFFFF for instance, _ in flat)
        return Graph(
            first=ends.astype(np.uint64),
            target=np.array([target for _, target in flat], np.uint32),
            label=np.array([label for label, _ in flat], np.uint32 if wide else np.uint16),
            initial=np.array(initial, np.uint32),
        )


def graph_of(
    found: Found, switches: Sequence[int], pause: Callable[[int, int], None] = lambda done, of: None
) -> Graph:
    """The graph of the states that a search found, complete or not. ``pause(done, of)`` is called now and then.

    Raises
    ------
    MemoryError
        There is not enough memory for the edges.
    """
    return _Expansion(found, switches).graph(pause)


class _Expansion:
    """The arrays that ``edges`` works on."""

    def __init__(self, found: Found, switches: Sequence[int]) -> None:
        native = found.native
        program, words = native.program, native.packing.words
        self._found = found
        self._control = np.zeros(edges.SIZE, np.int64)
        self._arrays: list[NDArray[Any]] = []
        instances = len(program.instances)
        rows = edges.BATCH + instances
        bits = max(10, (2 * found.states).bit_length())
        self._wide = instances > 0x10000
        self._room = found.transitions + sum(found.cuts) + instances + 1
        self._first = np.zeros(found.states + 1, np.uint64)
        for place, value in (
            (edges.EXPAND, native.expand),
            (edges.WORDS, words),
            (edges.COUNT, found.states),
            (edges.TABLE_BITS, bits),
            (edges.WIDE, self._wide),
            (edges.INSTANCES, instances),
        ):
            self._control[place] = value
        for place, array in (
            (edges.DESIGN, np.array([s % (1 << 64) for s in switches] or [0], np.uint64)),
            (edges.STATES, found.rows),
            (edges.TABLE, Region(4 << bits, 4 << bits).words(np.uint32, 1 << bits)),
            (edges.LATELY, np.empty(1 << edges.LATELY_BITS, np.uint64)),
            (edges.FILTER, np.empty(words << edges.LATELY_BITS, np.uint64)),
            (edges.SOURCE, np.empty(rows, np.uint64)),
            (edges.OUT, np.empty(rows * words, np.uint64)),
            (edges.INSTANCE, np.empty(max(1, instances), np.uint32)),
            (
                edges.EVENTS,
                np.empty(sum(len(t.soft) + 1 for t in program.transitions) + 1, np.uint64),
            ),
            (edges.TAKEN, np.zeros(max(1, len(program.actions)), np.int64)),
            (edges.EDGE, np.empty(rows, np.uint64)),
            (edges.ROW, np.empty(rows, np.uint64)),
            (edges.HASH, np.empty(rows, np.uint64)),
            (edges.FIRST, self._first),
        ):
            self._arrays.append(array)
            self._control[place] = array.ctypes.data
        most = min(machine_memory(), _MOST_EDGES)
        self._target = Region(4 * self._room, most)
        self._label = Region((4 if self._wide else 2) * self._room, most)
        self._locate()

    def graph(self, pause: Callable[[int, int], None]) -> Graph:
        control, address = self._control, int(self._control.ctypes.data)
        if self._found.states:
            edges.begin(address)
        edges.fill(address)
        reason = edges.AGAIN
        while reason != edges.DONE:
            pause(int(control[edges.NEXT]), self._found.states)
            if reason == edges.GROW:
                self._grow()
            reason = edges.run(address, _BUDGET)
        count = int(control[edges.EDGES])
        return Graph(
            first=self._first,
            target=self._target.words(np.uint32, count),
            label=self._label.words(np.uint32 if self._wide else np.uint16, count),
            initial=np.arange(self._found.initial, dtype=np.uint32),
            threads=self._found.threads,
        )

    def _grow(self) -> None:
        self._room = 2 * self._room + len(self._found.native.program.instances)
        self._target.grow(4 * self._room)
        self._label.grow((4 if self._wide else 2) * self._room)
        self._locate()

    def _locate(self) -> None:
        self._control[edges.TARGET] = self._target.address
        self._control[edges.LABEL] = self._label.address
        self._control[edges.ROOM] = self._room


@dataclass(frozen=True)
class FairSets:
    """Sets of instances that runs are fair to, as bits of masks of ``words`` 64-bit words.

    ``member`` has a mask for each instance: the sets that it is in; ``weak`` and ``strong`` say which sets are which.
    """

    member: Words
    weak: Words
    strong: Words

    @property
    def words(self) -> int:
        return len(self.weak)

    @staticmethod
    def of(
        instances: int, weak: Sequence[frozenset[int]], strong: Sequence[frozenset[int]]
    ) -> FairSets:
        """From the sets' instances; the weak ones are numbered first."""
        sets = [*weak, *strong]
        words = max(1, -(-len(sets) // 64))
        member = np.zeros((max(1, instances), words), np.uint64)
        for number, members in enumerate(sets):
            bit = np.uint64(1 << number % 64)
            for instance in sorted(members):
                member[instance, number // 64] |= bit
        kinds = np.zeros((2, words), np.uint64)
        for number in range(len(sets)):
            kinds[int(number >= len(weak)), number // 64] |= np.uint64(1 << number % 64)
        return FairSets(member, kinds[0], kinds[1])

    def enabled(self, graph: Graph) -> Words:
        """For each state the mask of the sets that have an enabled instance there."""
        result = np.zeros((graph.states, self.words), np.uint64)
        control = np.zeros(edges.OF_SIZE, np.int64)
        for place, array in (
            (edges.OF_FIRST, graph.first),
            (edges.OF_LABEL, graph.label),
            (edges.OF_MEMBER, self.member),
            (edges.OF_ENABLED, result),
        ):
            control[place] = array.ctypes.data
        control[edges.OF_WIDE] = graph.wide
        control[edges.OF_COUNT] = graph.states
        control[edges.OF_MASKS] = self.words
        edges.enabled(int(control.ctypes.data))
        return result
