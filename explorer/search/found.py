"""What a search found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from explorer.compiler.native import Native
from explorer.compiler.packing import Words


class InternalError(Exception):
    """The compiler or the search contradicts itself; no verdict can be trusted."""


@dataclass(frozen=True)
class Occurrence:
    """Where something was found first: in a state, or in the step of an instance from it."""

    state: int
    instance: int | None = None


@dataclass(frozen=True)
class Found:
    """What a search found, complete or not.

    ``properties`` runs parallel to the program's predicates (the violation or the witness), ``failures`` to its
    ``failure_names``, ``cuts`` (how often) to its ``cut_names``, ``enabled`` and ``taken`` to its actions. ``unclear``
    lists the predicates whose evaluation failed, -1 for the program's ``final``. ``stopped`` says why the search
    ended early; then what was not found is unknown.
    """

    native: Native
    states: int
    transitions: int
    initial: int
    properties: tuple[Occurrence | None, ...]
    failures: tuple[Occurrence | None, ...]
    unclear: tuple[tuple[int, Occurrence], ...]
    cuts: tuple[int, ...]
    deadlock: int | None
    enabled: tuple[int, ...]
    taken: tuple[int, ...]
    stopped: str | None
    rows: Words
    parent: NDArray[np.uint32]
    via: NDArray[np.uint32]

    @property
    def complete(self) -> bool:
        """Whether everything within the scope was explored."""
        return self.stopped is None and not any(self.cuts)

    @property
    def depth(self) -> int:
        """The greatest distance of a state from the initial ones: that of the last state discovered."""
        return len(self.path(self.states - 1)[1]) if self.states else 0

    def path(self, state: int) -> tuple[int, list[int]]:
        """A shortest path to a state, the first in declaration order: which initial state, and the instances taken."""
        instances: list[int] = []
        while state >= self.initial:
            instances.append(int(self.via[state]))
            state = int(self.parent[state])
        instances.reverse()
        return int(self.via[state]), instances

    def levels(self) -> list[int]:
        """How many states there are at each distance."""
        ends = [0, self.initial]
        while ends[-1] < self.states:
            # Parents never decrease in order of discovery.
            later = np.searchsorted(self.parent[self.initial :], ends[-1])
            ends.append(self.initial + int(later))
        return [end - start for start, end in zip(ends, ends[1:], strict=False)]

    def values(self, state: int) -> tuple[int, ...]:
        """A state as one number per leaf."""
        return self.native.unpack(self.rows[state])
