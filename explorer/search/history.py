"""How a search came to its states, found out again."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.compiler.native import Native
from explorer.compiler.packing import Words
from explorer.search import control as at
from explorer.search import levels, loop, orbit
from explorer.search.symmetry import Symmetry


class History:
    """The states of a search, and its marks: see ``loop.origin`` and ``levels``."""

    def __init__(
        self,
        native: Native,
        design: Words,
        symmetry: Symmetry | None,
        rows: Words,
        marks: NDArray[np.uint32],
    ) -> None:
        self._native, self._symmetry = native, symmetry
        program, words = native.program, native.packing.words
        self._control = np.zeros(at.SIZE, np.int64)
        self._arrays: list[NDArray[Any]] = []
        self._control[at.EXPAND] = native.expand
        self._control[at.WORDS] = words
        self._control[at.COUNT] = len(rows)
        self._control[at.N_MARKS] = len(marks) // 2
        if symmetry is not None:
            self._control[at.ORBIT] = symmetry.address
            self._control[at.CANONICAL] = orbit.canonical.address
        most = len(program.instances)
        for place, array in (
            (at.DESIGN, design),
            (at.STATES, rows),
            (at.MARKS, marks),
            (at.OUT, np.empty(most * words, np.uint64)),
            (at.INSTANCE, np.empty(most, np.uint32)),
            (at.EVENTS, np.empty(sum(len(t.soft) + 1 for t in program.transitions), np.uint64)),
            (at.TAKEN, np.zeros(len(program.actions), np.int64)),
        ):
            self._arrays.append(array)
            self._control[place] = array.ctypes.data

    def origin(self, state: int) -> tuple[int, int] | None:
        """The step that discovered a state: its predecessor and the instance; None if there is none."""
        found = loop.origin(int(self._control.ctypes.data), state)
        return None if found < 0 else (found >> 32, found & 0xFFFFFFFF)

    def ends(self, initial: int, last: int, most: int) -> list[int]:
        """The number of the first state after each level, up to the level of the state ``last``.

        ``initial`` states are at distance 0, and no state is more than ``most`` steps away.
        """
        result = np.zeros(most + 2, np.int64)
        result[0] = initial
        address = int(result.ctypes.data)
        count = levels.ends(int(self._control.ctypes.data), address, len(result), last)
        return [int(end) for end in result[:count]]
