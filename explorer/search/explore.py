"""Exhaustive breadth-first search over a program's native code."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from explorer.compiler.native import Native
from explorer.search import control as at
from explorer.search.found import Found
from explorer.search.space import Space
from explorer.search.symmetry import Symmetry

# How long a call of the loop should take: an interrupt waits for it.
_CHUNK_SECONDS = 0.05

# A search that has taken this many times as long as the quick compilation gets better code: that takes a good third of the
# time spent so far, and pays off if as much is still to come.
_PATIENCE = 20

# Why a search stopped early
FIRST, STATES, SECONDS = "stopped at the first violation", "state limit", "time limit"
MEMORY, INTERRUPT = "memory limit", "interrupted"


def search(
    native: Native,
    initial: Iterable[Sequence[int]],
    *,
    switches: Sequence[int] = (),
    first: bool = False,
    max_states: int | None = None,
    max_seconds: float | None = None,
    max_memory: int | None = None,
    symmetry: Symmetry | None = None,
) -> Found:
    """Explore every state reachable from the initial ones, breadth first.

    States are discovered in order of their predecessors and, for one predecessor, in declaration order of the instances.

    Parameters
    ----------
    initial
        The initial states as leaf values; one given twice counts once.
    switches
        The design: the values of the program's switches.
    first
        Stop after the first step that shows a violation.
    max_states, max_seconds, max_memory
        Limits on stored states, time and bytes; a search that hits one says so in ``stopped``.
    symmetry
        Store one state for each orbit. Paths then lead from orbit to orbit: see ``unfold``.
    """
    space = Space(
        native,
        switches,
        first=first,
        max_states=max_states,
        max_memory=max_memory,
        symmetry=symmetry,
    )
    started = time.monotonic()
    budget, tuned = 1000, False
    try:
        reason = space.begin(initial)
        while True:
            if reason == at.DONE:
                return space.found(None)
            if reason == at.STATE_LIMIT:
                return space.found(STATES)
            if reason == at.STOPPED:
                return space.found(FIRST)
            if reason == at.GROW and not space.grow():
                return space.found(MEMORY)
            before = time.monotonic()
            if max_seconds is not None and before - started > max_seconds:
                return space.found(SECONDS)
            if not tuned and before - started > _PATIENCE * native.seconds:
                tuned = True
                space.use(native.tuned())
            reason = space.run(budget)
            if reason == at.AGAIN:
                budget = _next_budget(budget, time.monotonic() - before)
    except KeyboardInterrupt:
        return space.found(INTERRUPT)


def _next_budget(budget: int, seconds: float) -> int:
    """States to expand in the next call, from how long the last took; at most doubled, the next may be slower."""
    return max(100, min(budget * 2, int(budget * _CHUNK_SECONDS / max(seconds, 1e-6))))
