"""Which threads use a registry (A1.9, C44): one that publishes and one that reads.

A registry is built for a pair of workers. The assertions in ``attach_publisher`` and ``attach_reader`` notice a third thread.
"""

from __future__ import annotations

from dataclasses import dataclass

from explorer.lang import Map, Set, Sort, System, action, panic, record, require


class Thread(Sort):
    """A thread of the process."""


@record
class Attachment:
    """What one thread is doing with the registry."""

    attached: bool = False
    """It is past an attach of its own, as a publisher."""
    reads: bool = False
    """It is past an attach of its own, as a reader."""
    replaced: Thread | None = None
    """Whom its ``attach_publisher`` found; it has not looked yet."""
    looking: bool = False


@record
class Threads:
    """A registry and the threads around it."""

    publisher: Thread | None
    reader: Thread | None
    threads: Map[Thread, Attachment]
    published: Set[Thread]
    """Whose traces are behind the points: each thread has a shard of its own."""


@dataclass(frozen=True)
class ThreadDesign:
    """The protocol as its documents describe it."""

    publisher_asserts: bool = True
    """``attach_publisher`` panics on a second thread (A1.9)."""
    reader_asserts: bool = True
    """``attach_reader`` panics on a second thread (A1.9)."""
    asserts_before_replacing: bool = False
    """``attach_publisher`` looks before it stores (H5); as described it stores first."""

    # No mechanism: what the callers do.
    publishers_attach: bool = True
    """A thread attaches before it publishes: ``publish`` does not check its caller (A1.9)."""


class Attaching(System[Threads]):
    """Threads that attach, publish, and are woken."""

    design = ThreadDesign()

    @action(thread="thread")
    def attach_publisher(self, s: Threads, thread: Thread) -> None:
        """Under the registry's lock: stores {thread} as the publisher, and remembers whom it replaced."""
        me = s.threads[thread]
        require(not me.attached and not me.looking)
        if self.design.asserts_before_replacing:
            self.check(s.publisher, thread)
            me.attached = True
        else:
            me.replaced = s.publisher
            me.looking = True
        s.publisher = thread

    @action(thread="thread")
    def look_whom_it_replaced(self, s: Threads, thread: Thread) -> None:
        """After the lock was released: asserts that there was nobody else."""
        me = s.threads[thread]
        require(me.looking)
        self.check(me.replaced, thread)
        me.replaced = None
        me.looking = False
        me.attached = True

    def check(self, found: Thread | None, thread: Thread) -> None:
        """A second publishing thread is a bug in the process's setup."""
        if self.design.publisher_asserts and found is not None and found != thread:
            panic("a second thread attaches as publisher")

    @action(thread="thread")
    def attach_reader(self, s: Threads, thread: Thread) -> None:
        """Under the registry's lock: asserts, then stores {thread} as the one to unpark."""
        require(not s.threads[thread].reads)
        if self.design.reader_asserts and s.reader is not None and s.reader != thread:
            panic("a second thread attaches as reader")
        s.reader = thread
        s.threads[thread].reads = True

    @action(thread="thread")
    def publish(self, s: Threads, thread: Thread) -> None:
        """Puts the shard of {thread} behind the points of a slot."""
        if self.design.publishers_attach:
            require(s.threads[thread].attached)
        s.published.add(thread)
