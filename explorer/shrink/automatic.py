"""Shrinks the traces of a result that no breadth-first search has found, by replays alone, before they are shown.

The user did not ask for it, and does not want to wait for long.
"""

from __future__ import annotations

from dataclasses import replace

from explorer.lang.errors import ModelError
from explorer.loading import Found
from explorer.result import PropertyResult, Result
from explorer.shrink.traces import Wishes, shrink_trace

# Steps that are executed for a trace, so that it takes seconds and the same run comes out each time.
MOST_STEPS = 20_000


def smaller(result: Result, found: Found) -> Result:
    """The result with traces that are no longer and no less calm, in the same scope and design; by replays alone.

    The traces have the names under which ``found`` is found again.
    """
    return replace(result, properties=tuple(_smaller(p, found) for p in result.properties))


def _smaller(item: PropertyResult, found: Found) -> PropertyResult:
    if item.trace is None:
        return item
    wishes = Wishes(keep_scope=True, keep_design=True, replay_only=True, max_steps=MOST_STEPS)
    try:
        after = shrink_trace(item.trace, found, wishes).after
    except ModelError:
        return item
    return replace(item, trace=after, length=after.length)
