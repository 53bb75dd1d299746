"""From a path between orbits to a run of the system.

A search under symmetry stores one state for each orbit, so the instance that led to a state was taken from another
state of its predecessor's orbit. The run is found by taking the steps anew: of the instances that lead into the next
orbit, the first one.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence

import numpy as np

from explorer.compiler.native import Native
from explorer.compiler.packing import Words
from explorer.search.found import Found, InternalError
from explorer.search.symmetry import Symmetry


class Unfolder:
    """Takes single steps with the native code that the search used."""

    def __init__(self, native: Native, switches: Sequence[int], symmetry: Symmetry) -> None:
        self._native = native
        self._symmetry = symmetry
        program, words = native.program, native.packing.words
        self._design = np.array([s % (1 << 64) for s in switches] or [0], np.uint64)
        self._out = np.empty(max(1, len(program.instances)) * words, np.uint64)
        self._instance = np.empty(max(1, len(program.instances)), np.uint32)
        self._events = np.empty(sum(len(t.soft) + 1 for t in program.transitions) + 1, np.uint64)
        self._n_events = np.zeros(1, np.int64)
        self._taken = np.zeros(max(1, len(program.actions)), np.int64)
        self._expand = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 7)(native.expand)

    def successors(self, state: Words) -> Iterator[tuple[int, Words]]:
        """The steps from a state: instances and states, in declaration order."""
        words = self._native.packing.words
        self._n_events[0] = 0
        arrays = (
            self._design,
            state,
            self._out,
            self._instance,
            self._events,
            self._n_events,
            self._taken,
        )
        count = self._expand(*(a.ctypes.data for a in arrays))
        for row in range(count):
            yield int(self._instance[row]), self._out[row * words : (row + 1) * words].copy()

    def run(
        self, found: Found, initial: Sequence[Sequence[int]], state: int
    ) -> tuple[int, list[int], Words]:
        """A run into the orbit of ``state``: the number of its initial state, its instances, and where it ends.

        Raises
        ------
        InternalError
            No step leads into the next orbit.
        """
        number, steps = found.chain(state)
        here = self._native.pack(initial[number])
        taken = []
        for _, target in steps:
            wanted = found.rows[target]
            step = next((s for s in self.successors(here) if self._is_in_orbit(s[1], wanted)), None)
            if step is None:
                raise InternalError("a step between two orbits cannot be taken from every state")
            taken.append(step[0])
            here = step[1]
        return number, taken, here

    def _is_in_orbit(self, state: Words, canonical: Words) -> bool:
        return np.array_equal(self._symmetry.canonical(state), canonical)
