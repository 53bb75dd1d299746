"""N independent toggles: 2^N states, N * 2^N transitions, N + 1 states up to renaming, depth N.

The counts are arithmetic, so this is the first system to try on a new engine or reduction.
"""

from __future__ import annotations

from explorer.lang import Set, Sort, System, action, reachable, record


class Toggle(Sort):
    """A toggle."""


@record
class State:
    """The toggles that are on."""

    on: Set[Toggle]


class Toggles(System[State]):
    """Any toggle may be flipped at any time."""

    default_scope = {"Toggle": 4}

    @action(thread="toggle")
    def flip(self, s: State, toggle: Toggle) -> None:
        if toggle in s.on:
            s.on.remove(toggle)
        else:
            s.on.add(toggle)


@reachable
def all_are_on(s: State) -> bool:
    return len(s.on) == len(Toggle)
