"""Who takes the steps of a run, and how often that changes.

A thread is what a trace shows before an action's colon; the actions that belong to none are one thread more, the
environment. A switch is a step of another thread than the step before it, so the first step is none.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from explorer.lang.run import Instance
from explorer.trace.replay import thread_of


def switches(taken: Iterable[Instance]) -> int:
    """How often the thread changes between two consecutive steps; a step that fails counts."""
    return sum(a != b for a, b in pairwise(map(thread_of, taken)))
