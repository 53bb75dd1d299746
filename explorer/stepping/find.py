"""The shortest way from a state to one that satisfies a condition, breadth-first under CPython."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from explorer.lang.run import Cut, Instance, Next, instances, key, step
from explorer.lang.system import System

MOST_STATES = 10_000


@dataclass(frozen=True)
class Sought:
    """What a search came to: the way (None if there is none), the states looked at, whether those were all, and the scope
    entries that were used up on the way."""

    way: tuple[Instance, ...] | None
    states: int
    all: bool
    used_up: tuple[str, ...]


def find(
    system: System[Any],
    state: Any,
    wanted: Callable[[Any], bool],
    most: int = MOST_STATES,
    progress: Callable[[int], None] = lambda states: None,
) -> Sought:
    """The shortest way from ``state`` to one that is ``wanted``, among ``most`` states; the first in declaration order.

    Raises what ``wanted`` raises, and ModelError where the model cannot be run.
    """
    if wanted(state):
        return Sought((), 1, True, ())
    every = instances(system)
    came: dict[Hashable, tuple[Hashable, Instance] | None] = {key(state): None}
    queue = deque([state])
    used_up: dict[str, None] = {}
    while queue:
        here = queue.popleft()
        before = key(here)
        for instance in every:
            outcome = step(system, here, instance)
            if isinstance(outcome, Cut):
                used_up[outcome.name] = None
            if not isinstance(outcome, Next):
                continue
            after = key(outcome.state)
            if after in came:
                continue
            if len(came) >= most:
                return Sought(None, len(came), False, tuple(used_up))
            came[after] = (before, instance)
            if wanted(outcome.state):
                return Sought(_way(came, after), len(came), False, tuple(used_up))
            queue.append(outcome.state)
            if len(came) % 100 == 0:
                progress(len(came))
    return Sought(None, len(came), True, tuple(used_up))


def _way(
    came: dict[Hashable, tuple[Hashable, Instance] | None], end: Hashable
) -> tuple[Instance, ...]:
    way: list[Instance] = []
    while (link := came[end]) is not None:
        end, instance = link
        way.append(instance)
    return tuple(reversed(way))
