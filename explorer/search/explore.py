"""Exhaustive breadth-first search over a program's native code."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Sequence

import explorer.interrupts as interrupts
from explorer.compiler.native import Native
from explorer.result import OUT_OF_MEMORY
from explorer.search import control as at
from explorer.search import memory
from explorer.search.found import Found
from explorer.search.progress import Progress
from explorer.search.space import Space
from explorer.search.symmetry import Symmetry

# How long a call of the loop should take: an interrupt waits for it.
_CHUNK_SECONDS = 0.05

# A search that has taken this many times as long as the quick compilation gets better code: that takes a good third of the
# time spent so far, and pays off if as much is still to come.
_PATIENCE = 20

# Bytes that the process takes later, besides the states: faster code, traces.
_OTHERS = 32 * 1024 * 1024

# Why a search stopped early
FIRST, STATES, SECONDS = "stopped at the first violation", "state limit", interrupts.TIME_LIMIT
MEMORY, INTERRUPT = "memory limit", interrupts.INTERRUPTED
NO_SYMMETRY = "too many orders of names"


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
    It also stops, rather than let the system kill the process, when the machine's memory is nearly used up.

    Parameters
    ----------
    initial
        The initial states as leaf values; one given twice counts once.
    switches
        The design: the values of the program's switches.
    first
        Stop after the first step that shows a violation.
    max_states, max_seconds, max_memory
        Limits on stored states, time, and bytes that the process takes; a search that hits one says so in ``stopped``.
    symmetry
        Store one state for each orbit. Paths then lead from orbit to orbit: see ``unfold``. If it gives up, the search stops.
    """
    limits = _Memory(max_memory)
    space = Space(
        native,
        switches,
        first=first,
        max_states=max_states,
        max_memory=limits.for_states(),
        symmetry=symmetry,
    )
    return _Search(native, space, limits, max_seconds).explore(initial)


class _Search:
    """One search and what keeps it within its limits."""

    def __init__(
        self, native: Native, space: Space, limits: _Memory, max_seconds: float | None
    ) -> None:
        self.native = native
        self.space = space
        self.memory = limits
        self.max_seconds = max_seconds
        self.started = time.monotonic()
        self.progress = Progress()
        self.tuning: interrupts.Background[bytes] | None = None
        self.tuned = False

    def explore(self, initial: Iterable[Sequence[int]]) -> Found:
        try:
            reason = self.space.begin(initial)
            # From here on there is something to lose: signals are looked for between chunks.
            interrupts.hold()
            stopped = self.run(reason)
        except KeyboardInterrupt:
            interrupts.hold()
            stopped = interrupts.requested() or INTERRUPT
        if self.tuning is not None:
            self.tuning.abandon()
        return self.space.found(stopped)

    def run(self, reason: int) -> str | None:
        """Explores until it is done (None) or has to stop (why)."""
        budget = 1
        while reason in (at.AGAIN, at.GROW):
            now = time.monotonic()
            if reason == at.GROW and not self.space.grow():
                return self.memory.why()
            stop = interrupts.requested() or self.memory.exhausted()
            if self.max_seconds is not None and now - self.started > self.max_seconds:
                stop = stop or SECONDS
            if stop is not None:
                return stop
            self.progress.look(now, lambda: self.space.found(None), self.expanded)
            self.tune(now)
            before = time.monotonic()
            reason = self.space.run(budget)
            if reason == at.AGAIN:
                budget = _next_budget(budget, time.monotonic() - before)
        return {at.STATE_LIMIT: STATES, at.STOPPED: FIRST, at.GAVE_UP: NO_SYMMETRY}.get(reason)

    def expanded(self) -> int:
        return self.space.expanded

    def tune(self, now: float) -> None:
        """Goes over to faster code, made meanwhile, when the search turns out to be a long one."""
        if self.tuning is None:
            if now - self.started > _PATIENCE * self.native.seconds:
                self.tuning = interrupts.Background(self.native.tuned_code)
        elif self.tuning.done and not self.tuned:
            self.tuned = True
            with contextlib.suppress(MemoryError):
                self.space.use(self.native.tuned(self.tuning.result()))


class _Memory:
    """How much memory a search may take."""

    def __init__(self, limit: int | None) -> None:
        self.limit = limit
        self.before = memory.resident() or 0
        self.left = memory.available()

    def for_states(self) -> int | None:
        """Bytes for the search's arrays."""
        limits = [] if self.limit is None else [self.limit - self.before - _OTHERS]
        if self.left is not None:
            limits.append(self.left - memory.RESERVE)
        return max(min(limits), 0) if limits else None

    def why(self) -> str:
        """What there was not enough of for more states."""
        of_the_user = self.limit is not None and self.for_states() == max(
            self.limit - self.before - _OTHERS, 0
        )
        return MEMORY if of_the_user else OUT_OF_MEMORY

    def exhausted(self) -> str | None:
        """Others take memory, too: why to stop while there is some left to report with."""
        left = memory.available()
        return OUT_OF_MEMORY if left is not None and left < memory.RESERVE // 2 else None


def short_of_memory(limit: int | None) -> str | None:
    """Why there is not enough memory to go on after a search, if there is not."""
    left, taken = memory.available(), memory.resident()
    if limit is not None and taken is not None and taken > limit:
        return MEMORY
    return OUT_OF_MEMORY if left is not None and left < memory.RESERVE // 2 else None


def _next_budget(budget: int, seconds: float) -> int:
    """States to expand in the next call, from how long the last took; at most doubled, the next may be slower."""
    return max(1, min(budget * 2, int(budget * _CHUNK_SECONDS / max(seconds, 1e-6))))
