"""The drain phase: from a state on, fair steps and no others, until nothing is left to do or the run repeats itself.

It is for what a run comes to in the end: invariants are not looked at on the way, because Hypothesis cannot shrink steps that it has
not drawn. Whose turn it is, is decided as in a queue: of the fair sets with a step to take, the one that has waited longest. Such a run is
fair, also strongly: a set that is enabled again and again comes to the front and then stays there until it is taken.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass

from explorer.lang.run import Next
from explorer.stateful.fair import Fairness
from explorer.stateful.places import Place, Places

LIMIT = 256
"""A drain that takes more steps is given up, and says nothing."""

_REMEMBERED = 4096


@dataclass(frozen=True)
class Drained:
    """Steps from a state on. ``places`` begins with that state.

    ``loop`` is the place to which the run returns from its last one, or the last one itself where it stops; None where that is not known.
    """

    numbers: tuple[int, ...]
    places: tuple[Place, ...]
    loop: int | None

    @property
    def deadlocked(self) -> bool:
        """Whether the last state is a deadlock that counts."""
        return self.places[-1].deadlocked


class Drains:
    """The drains under one fairness, each worked out once."""

    def __init__(self, places: Places, fairness: Fairness) -> None:
        self.places, self.fairness = places, fairness
        self._known: OrderedDict[Hashable, Drained] = OrderedDict()

    def after(self, place: Place) -> Drained:
        """The drain from a place."""
        if place.key not in self._known:
            self._known[place.key] = self._drain(place)
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return self._known[place.key]

    def _drain(self, place: Place) -> Drained:
        fairness = self.fairness
        queue = list(range(len(fairness.fair)))
        last: dict[int, int] = {}
        numbers: list[int] = []
        passed = [place]
        visits: dict[Hashable, list[int]] = {place.key: [0]}
        while len(numbers) < LIMIT:
            here = passed[-1]
            if fairness.may_stop(here):
                return Drained(tuple(numbers), tuple(passed), len(numbers))
            following = self._next(here, queue, last)
            if following is None:
                break
            last[following] = len(numbers)
            numbers.append(following)
            taken = fairness.sets_of(following)
            queue.sort(key=lambda i: taken >> i & 1)
            there = self.places.after(here, following)
            loop = fairness.fair_cycle(passed, numbers, visits.get(there.key, ()))
            if loop is not None:
                return Drained(tuple(numbers), tuple(passed), loop)
            passed.append(there)
            visits.setdefault(there.key, []).append(len(numbers))
        return Drained(tuple(numbers), tuple(passed), None)

    def _next(self, place: Place, queue: list[int], last: dict[int, int]) -> int | None:
        """The step to take: of the first set in the queue that has one, the instance that was taken least lately. None if all of
        them use the scope up or fail."""
        for i in queue:
            members = self.fairness.fair[i].instances
            there = [n for n, o in place.outcomes.items() if n in members and isinstance(o, Next)]
            if there:
                return min(there, key=lambda n: last.get(n, -1))
        return None
