"""How a search came to its states, found out again."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.compiler.native import Native
from explorer.compiler.packing import Words
from explorer.search import control as at
from explorer.search import loop, orbit
from explorer.search.symmetry import Symmetry


class History:
    """The states of a search, and its marks: see ``loop.origin``."""

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
