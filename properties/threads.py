"""One thread publishes through a registry, and one is woken by it."""

from __future__ import annotations

from explorer.lang import invariant, reachable
from model.threads import Thread, Threads


@invariant
def one_thread_publishes(s: Threads) -> bool:
    """No slot is backed by the shards of two workers (C44)."""
    return all(
        t not in s.published or u not in s.published or t == u for t in Thread for u in Thread
    )


@invariant
def every_reader_is_woken(s: Threads) -> bool:
    """A thread that attached as reader is the one that is unparked (C44)."""
    return all(not s.threads[t].reads or s.reader == t for t in Thread)


@invariant
def the_recorded_publisher_is_the_first(s: Threads) -> bool:
    """The registry names the thread whose publications it has (H5)."""
    return all(not s.threads[t].attached or s.publisher == t for t in Thread)


@reachable
def a_pair_is_attached(s: Threads) -> bool:
    """A publishing thread and a reading one, and something published."""
    return s.publisher is not None and s.reader is not None and len(s.published) == 1
