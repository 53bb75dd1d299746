"""N threads increment a shared counter without a lock: read it, then write one more.

    threads                2   3    4
    distinct states       13  84  755
    up to renaming         8  22   63

The invariant "the counter is the number of threads that are done" is meant to fail: an update is
lost when two threads read the same value.

Source: Stateright's examples/increment.rs, whose header lists the 13 and the 8 states one by one.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated, TypeAlias

from explorer.lang import (
    Between,
    Map,
    Sort,
    System,
    action,
    invariant,
    reachable,
    record,
    require,
)


class Thread(Sort):
    """A thread."""


class Next(Enum):
    """What a thread does next: its program counter."""

    READ = 0
    WRITE = 1
    NOTHING = 2


Count: TypeAlias = Annotated[int, Between(0, "Thread")]


@record
class State:
    """The shared counter; each thread's local copy of it and program counter."""

    counter: Count
    copy: Map[Thread, Count]
    next: Map[Thread, Next]


class Increment(System[State]):
    """Each thread increments the counter once, in two steps."""

    default_scope = {"Thread": 2}

    def is_final(self, s: State) -> bool:
        return all(s.next[t] == Next.NOTHING for t in Thread)

    @action(thread="thread")
    def read(self, s: State, thread: Thread) -> None:
        require(s.next[thread] == Next.READ)
        s.copy[thread] = s.counter
        s.next[thread] = Next.WRITE

    @action(thread="thread")
    def write(self, s: State, thread: Thread) -> None:
        require(s.next[thread] == Next.WRITE)
        s.counter = s.copy[thread] + 1
        s.next[thread] = Next.NOTHING


def done(s: State) -> int:
    """How many threads have written."""
    return sum(1 for t in Thread if s.next[t] == Next.NOTHING)


@invariant
def the_counter_counts_the_threads_that_are_done(s: State) -> bool:
    return s.counter == done(s)


@reachable
def no_update_is_lost(s: State) -> bool:
    return s.counter == len(Thread)
