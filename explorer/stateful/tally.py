"""How long random runs were, what they did, and whether that is worth anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from explorer.stateful.course import Course, Ground
from explorer.stateful.violated import Failing

Ended: TypeAlias = Literal["limit", "nothing to do", "scope used up", "violation"]

# With fewer runs, or fewer states where an action is enabled (times the number of actions), chance explains what is seen.
_ENOUGH_RUNS = 10
_ENOUGH_STATES = 20


@dataclass
class Tally:
    """Of the runs that were drawn, without those that shrinking tried.

    ``lengths`` counts runs by the number of drawn steps, ``ended`` by why they ended. ``enabled`` counts, for each action, the visits to states
    where it had a step with a successor, or one that fails what is judged; ``taken`` the steps. ``states`` are the keys of the states met, ``used_up``
    counts the visits to states where a step uses up an entry of the scope.
    """

    lengths: Counter[int] = field(default_factory=Counter)
    ended: Counter[Ended] = field(default_factory=Counter)
    enabled: Counter[str] = field(default_factory=Counter)
    taken: Counter[str] = field(default_factory=Counter)
    states: set[Hashable] = field(default_factory=set)
    used_up: Counter[str] = field(default_factory=Counter)

    @property
    def runs(self) -> int:
        """How many runs there were."""
        return self.lengths.total()

    @property
    def steps(self) -> int:
        """How many steps they took together."""
        return self.taken.total()

    def add(self, ground: Ground, course: Course, failing: Failing | None, max_steps: int) -> None:
        """Counts a run that has ended."""
        instances = ground.places.instances
        numbers = list(course.numbers)
        if failing is not None and failing.loop is None:
            # A step that fails is the last one, and is not part of the course.
            numbers = list(failing.numbers[: len(numbers) + 1])
        self.lengths[len(numbers)] += 1
        self.taken.update(instances[n].action.name for n in numbers)
        for place in course.places:
            there = [n for n in place.outcomes if n in place.following or n in place.failing]
            self.enabled.update({instances[n].action.name for n in there})
            self.states.add(place.key)
            self.used_up.update(place.used_up)
        last = course.here
        if failing is not None:
            self.ended["violation"] += 1
        elif last.following:
            self.ended["limit"] += 1
        elif last.used_up:
            self.ended["scope used up"] += 1
        else:
            self.ended["nothing to do"] += 1

    def degenerate(self, max_steps: int) -> str | None:
        """Why these runs say little, if they do."""
        if self.runs < _ENOUGH_RUNS:
            return None
        at_once = self.lengths[0] + self.lengths[1]
        if max_steps > 1 and 2 * at_once > self.runs and not self.ended["violation"]:
            return f"{at_once:,} of {self.runs:,} runs end at once, after one step or none"
        enough = _ENOUGH_STATES * max(len(self.enabled), 1)
        for name, states in sorted(self.enabled.items()):
            if states >= enough and not self.taken[name]:
                return f"{name} is enabled in {states:,} states on the way, and never taken"
        return None
