"""The tables with which ``orbit`` finds canonical states, made from the types of a system's state."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.compiler.families import Moving, moving_leaves
from explorer.compiler.layout import Layout
from explorer.compiler.packing import Packing, Words
from explorer.lang.sorts import Sort
from explorer.lang.system import System
from explorer.lang.types import MapT, PoolT, RecordT, walk
from explorer.search import orbit


class Symmetry:
    """The permutations of the names of a system's sorts. ``order`` is their number."""

    def __init__(
        self, packing: Packing, leaves: tuple[Moving, ...], sizes: dict[type[Sort], int]
    ) -> None:
        """``sizes`` are the sorts that have more than one name."""
        self.order = math.prod(math.factorial(n) for n in sizes.values())
        self.sorts = tuple(cls.__name__ for cls in sizes)
        self._arrays: dict[int, NDArray[Any]] = {}
        self._header = np.zeros(orbit.HEADER, np.int64)
        offsets: dict[type[Sort], int] = {}
        names = 0
        for cls, size in sizes.items():
            offsets[cls] = names
            names += size
        numbers = {cls: i for i, cls in enumerate(sizes)}
        moving = [
            (i, leaf)
            for i, leaf in enumerate(leaves)
            if leaf.holds in sizes or any(index.sort in sizes for index in leaf.indices)
        ]
        starts: list[int] = []
        indices: list[tuple[int, int, int]] = []
        for _, leaf in moving:
            starts.append(len(indices))
            indices += [
                (offsets[index.sort] + index.number, numbers[index.sort], index.stride)
                for index in leaf.indices
                if index.sort in sizes
            ]
        counts = np.diff([*starts, len(indices)])
        for place, number in (
            (orbit.LEAVES, len(packing.fields)),
            (orbit.NAMES, names),
            (orbit.MOVING, len(moving)),
            (orbit.SORTS, len(sizes)),
            (orbit.WORDS, packing.words),
        ):
            self._header[place] = number
        self._hold(orbit.WORD, [f.word for f in packing.fields])
        self._hold(orbit.SHIFT, [f.shift for f in packing.fields])
        self._hold(orbit.MASK, [f.mask for f in packing.fields])
        self._hold(orbit.LEAF, [i for i, _ in moving])
        self._hold(orbit.FAMILY, [leaf.family + 1 for _, leaf in moving])
        self._hold(orbit.COUNT, counts.tolist())
        self._hold(orbit.START, starts)
        self._hold(
            orbit.HOLDS,
            [numbers.get(leaf.holds, -1) if leaf.holds else -1 for _, leaf in moving],
        )
        self._hold(orbit.FIRST, [leaf.first for _, leaf in moving])
        guards = [leaf.guards if leaf.holds in sizes else () for _, leaf in moving]
        self._hold(orbit.GUARDS, [sum(map(len, guards[:i])) for i in range(len(guards))])
        self._hold(orbit.GUARD_COUNT, [len(g) for g in guards])
        every = [guard for g in guards for guard in g]
        self._hold(orbit.GUARD, [g.leaf for g in every])
        self._hold(orbit.LOW, [g.low for g in every])
        self._hold(orbit.HIGH, [g.high for g in every])
        self._hold(orbit.NAME, [name for name, _, _ in indices])
        self._hold(orbit.SORT, [sort for _, sort, _ in indices])
        self._hold(orbit.STRIDE, [stride for _, _, stride in indices])
        self._hold(orbit.OFFSET, list(offsets.values()))
        self._hold(orbit.SIZE, list(sizes.values()))
        for place in (orbit.OLD, orbit.NEW, orbit.BEST):
            self._hold(place, [0] * len(packing.fields))
        for place in (
            orbit.SIGN,
            orbit.NEXT_SIGN,
            orbit.ORDER,
            orbit.RANK,
            orbit.CLASS_START,
            orbit.CLASS_SIZE,
            orbit.STATE,
            orbit.BEST_RANK,
        ):
            self._hold(place, [0] * (names + 1))

    def begin(self, most: float | None = None) -> None:
        """Count anew. Give up where more orders than ``most`` are tried for a state, on average."""
        for place in (orbit.GAVE_UP, orbit.CALLS, orbit.TRIED):
            self._header[place] = 0
        self._header[orbit.AVERAGE] = 0 if most is None else max(int(most), 1)

    @property
    def names(self) -> int:
        """How many names there are."""
        return int(self._header[orbit.NAMES])

    @property
    def moving(self) -> int:
        """How many leaves a permutation moves or changes."""
        return int(self._header[orbit.MOVING])

    @property
    def orders(self) -> float:
        """How many orders were tried for a state, on average."""
        return float(self._header[orbit.TRIED] / max(self._header[orbit.CALLS], 1))

    @property
    def gave_up(self) -> bool:
        """Whether there were too many orders of names that look the same: the last state is not canonical."""
        return bool(self._header[orbit.GAVE_UP])

    @property
    def address(self) -> int:
        """The tables, for compiled code; valid as long as this object lives."""
        return int(self._header.ctypes.data)

    def canonical(self, words: Words) -> Words:
        """The canonical state of a state's orbit."""
        result = words.copy()
        orbit.canonical(self.address, int(result.ctypes.data))
        return result

    def canonical_rows(self, rows: Words) -> Words:
        """The canonical states of several states, one a row."""
        result = np.array(rows, np.uint64, order="C")
        orbit.canonical_all(self.address, int(result.ctypes.data), len(result))
        return result

    def _hold(self, place: int, values: list[int]) -> None:
        array = np.array(values or [0], np.uint64 if place == orbit.MASK else np.int64)
        self._arrays[place] = array
        self._header[place] = array.ctypes.data


def symmetry_of(system: System[Any], packing: Packing) -> Symmetry | None:
    """The symmetry of a system's sorts in its scope; None where no sort has two names.

    A pool hands out names that nothing holds. Where a map is keyed by them, such names still differ by their
    entries, so the order in which the pool hands them out can be observed: that sort is left out.
    """
    state = RecordT(system.state_type)
    parts = list(walk(state))
    keys = {p for kind in parts if isinstance(kind, MapT) for p in walk(kind.key)}
    left_out = {kind.ref.cls for kind in parts if isinstance(kind, PoolT) and kind.ref in keys}
    leaves = moving_leaves(Layout(system.scope), state)
    found: dict[type[Sort], int] = {}
    for leaf in leaves:
        for cls in (*(i.sort for i in leaf.indices), *([leaf.holds] if leaf.holds else [])):
            if system.scope[cls.__name__] > 1 and cls not in left_out:
                found.setdefault(cls, system.scope[cls.__name__])
    return Symmetry(packing, leaves, found) if found else None
