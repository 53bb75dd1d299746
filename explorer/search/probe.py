"""Decides whether a symmetry pays.

A canonical state costs more than a step, so a reduction that merges few states makes a search slower. The first states of the
unreduced search are a sample: how many orbits do the last ones of them fall into? The decision depends on nothing
but the system, its scope and its design.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from explorer.compiler.native import Native
from explorer.search.explore import search
from explorer.search.symmetry import Symmetry

STATES = 2000
"""States that are explored for the sample; a system with fewer is done by then."""
SAMPLE = 500
WORTH = 2.0
"""States per orbit from which on the reduction is used."""


@dataclass(frozen=True)
class Probe:
    """What the sample says: ``factor`` states fall into one orbit; ``seconds`` it takes to find a canonical state."""

    factor: float
    seconds: float

    @property
    def pays(self) -> bool:
        return self.factor >= WORTH


def probe(
    native: Native, initial: Sequence[Sequence[int]], switches: Sequence[int], symmetry: Symmetry
) -> Probe:
    """Samples the last of the first states in breadth-first order."""
    found = search(native, initial, switches=switches, max_states=STATES)
    if found.stopped is None:
        return Probe(1.0, 0.0)
    rows = found.rows[-SAMPLE:]
    started = time.perf_counter()
    canonical = symmetry.canonical_rows(rows)
    if symmetry.gave_up:
        return Probe(1.0, 0.0)
    seconds = (time.perf_counter() - started) / len(rows)
    return Probe(len(rows) / len(np.unique(canonical, axis=0)), seconds)
