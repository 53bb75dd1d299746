"""Performs jobs, in this process or in several. What comes out does not depend on how many there are."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field

from explorer import interrupts
from explorer.batch.job import Job, Outcome, perform
from explorer.batch.store import Store
from explorer.lang.errors import ModelError
from explorer.loading import Found, find_system

# Seconds between two looks at whether somebody wants to stop.
_PAUSE = 0.1


@dataclass
class Pool:
    """``tell`` is called with how many of how many jobs are done."""

    found: Found
    store: Store
    processes: int = 1
    tell: Callable[[int, int], None] = lambda done, of: None
    _executor: ProcessPoolExecutor | None = field(default=None, init=False)

    @contextmanager
    def open(self) -> Iterator[Pool]:
        """The processes live as long as this."""
        try:
            yield self
        finally:
            if self._executor is not None:
                _end(self._executor)
                self._executor = None

    def outcomes(self, jobs: Sequence[Job]) -> list[Outcome | None]:
        """The outcome of each job; None for those that an interrupt left undone.

        Raises ModelError if a process dies, or what it found cannot be kept.
        """
        todo = [job for job in {job.key: job for job in jobs}.values() if self.store[job] is None]
        done = len(jobs) - len(todo)
        self.tell(done, len(jobs))
        for job, outcome in self._performed(todo):
            if outcome.interrupted:
                break
            self.store.add(job, outcome)
            done += 1
            self.tell(done, len(jobs))
        return [self.store[job] for job in jobs]

    def _performed(self, jobs: Sequence[Job]) -> Iterator[tuple[Job, Outcome]]:
        if self.processes == 1 or len(jobs) < 2:
            for job in jobs:
                if interrupts.requested() is not None:
                    return
                yield job, perform(self.found, job)
            return
        if self._executor is None:
            # A process that is forked has half of the threads of its parent; a new one has what it needs.
            self._executor = ProcessPoolExecutor(
                self.processes,
                multiprocessing.get_context("spawn"),
                _begin,
                (self.found.name, os.getcwd()),
            )
        running: dict[Future[Outcome], Job] = {
            self._executor.submit(_perform, job): job for job in jobs
        }
        try:
            while running:
                finished, _ = wait(running, _PAUSE, FIRST_COMPLETED)
                for future in finished:
                    yield running.pop(future), future.result()
                if interrupts.requested() is not None:
                    return
        except BrokenProcessPool:
            if interrupts.requested() is not None:
                return
            raise ModelError(
                "a process that searched was ended from outside, for want of memory perhaps",
                hint="try fewer --jobs, or --max-memory; what was finished is kept with --resume",
            ) from None


def _end(executor: ProcessPoolExecutor) -> None:
    """Ends the processes, whatever they do: what they have not handed over is lost anyway."""
    processes = list((executor._processes or {}).values())
    executor.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.kill()


_found: Found | None = None


def _begin(name: str, folder: str) -> None:
    global _found
    # A signal to all comes here as well; the parent says what becomes of it.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_follow, daemon=True).start()
    os.chdir(folder)
    _found = find_system(name)


def _follow() -> None:
    """Ends this process when its parent does, which may be killed and then says nothing."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _perform(job: Job) -> Outcome:
    assert _found is not None
    return perform(_found, job)
