"""Decides whether a symmetry pays.

A canonical state costs more than a step, so a reduction that merges few states, or has to try many orders of names, makes a
search slower. The first states of the unreduced search are a sample: how many orbits do the last ones of them fall
into, and how many orders does it take to find out? The decision depends on nothing but the system, its scope and its
design; the time that the sample took is for people.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from explorer.compiler.native import Native
from explorer.search import cost
from explorer.search.explore import search
from explorer.search.symmetry import Symmetry

STATES = 2000
"""States that are explored for the sample; a system with fewer is done by then."""
SAMPLE = 500
WORTH = 2.0
"""States per orbit from which on the reduction is used."""
SLOWER = 2.0
"""How many times as long a search may take: the reduction saves memory, too, and merges more states later on."""
MOST = 64
"""Orders of names that may be tried for a state, on average."""


@dataclass(frozen=True)
class Probe:
    """What the sample says: ``factor`` states fall into one orbit, ``orders`` are tried and ``seconds`` pass to find a canonical
    state. ``allowed`` is how many orders, on average, the reduction may try and still pay; below 0 it costs too much anyway.
    """

    factor: float
    orders: float = 0.0
    seconds: float = 0.0
    allowed: float = 0.0
    gave_up: bool = False

    @property
    def merges(self) -> bool:
        """Whether there is something to gain."""
        return self.factor >= WORTH

    @property
    def pays(self) -> bool:
        """Whether the reduction is to be used."""
        return self.merges and not self.gave_up and self.orders <= self.allowed


def probe(
    native: Native,
    initial: Sequence[Sequence[int]],
    switches: Sequence[int],
    symmetry: Symmetry,
    max_seconds: float | None = None,
) -> Probe:
    """Samples the last of the first states in breadth-first order."""
    found = search(native, initial, switches=switches, max_states=STATES, max_seconds=max_seconds)
    if found.stopped is None or not found.states:
        return Probe(1.0)
    rows = found.rows[-SAMPLE:]
    # The first call compiles.
    symmetry.canonical_rows(rows[:1])
    symmetry.begin(MOST)
    started = time.perf_counter()
    canonical = symmetry.canonical_rows(rows)
    seconds = (time.perf_counter() - started) / len(rows)
    factor = len(rows) / len(np.unique(canonical, axis=0))
    successors = found.transitions / max(found.expanded, 1)
    plain = cost.expanding(native.program, native.packing.words, successors)
    allowed = cost.orders_for(symmetry.moving, plain * (SLOWER * factor - 1), successors)
    return Probe(factor, symmetry.orders, seconds, min(allowed, MOST), symmetry.gave_up)
