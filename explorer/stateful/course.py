"""A random run, without what draws its steps: where it is, what it may do next, and whether it fails.

A run that explores prefers steps to states that it has not seen: a shortest violation never sees a state twice, and in the jugs of
tests/systems a walk of 50 steps then finds 4 litres in 98 of 100 runs, and without in 1. Shrinking turns this off, because a run that lost
a step may have to see a state twice before it can lose the next. A step that fails is always preferred.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from explorer.lang.run import Next
from explorer.lang.system import System
from explorer.stateful.drain import Drains
from explorer.stateful.fair import Goal, fairnesses
from explorer.stateful.judge import Judge
from explorer.stateful.places import Place, Places
from explorer.stateful.violated import Failing


class Ground:
    """What all runs of a system share."""

    def __init__(self, system: System[Any], judged: Judge) -> None:
        with system:
            self.places = Places(system, judged)
            self.fairnesses = fairnesses(system, judged)
        self.drains = {f: Drains(self.places, f) for f in self.fairnesses}
        self.looks_at_runs = any(f.goals for f in self.fairnesses)
        self.properties = {p.name: p for p in judged.declared}


class Course:
    """A run so far. Each method that moves it on returns what fails, if anything does."""

    def __init__(self, ground: Ground, init: tuple[object, ...], state: Any) -> None:
        self.ground, self.init = ground, init
        self.numbers: list[int] = []
        self.places: list[Place] = [ground.places.at(state)]
        self.visits: dict[Hashable, list[int]] = {self.here.key: [0]}
        self.paused: Place | None = None

    @property
    def here(self) -> Place:
        """Where the run is."""
        return self.places[-1]

    def begin(self) -> Failing | None:
        """What the initial state fails."""
        if self.here.false is not None:
            return self._failing(self.here.false)
        if self.here.deadlocked:
            return self._failing("deadlock")
        # This is worked out once for all runs, and shrinking a long one to nothing takes long.
        return self.drain()

    def may_do(self, *, explore: bool, off: frozenset[str] = frozenset()) -> Sequence[int]:
        """What can be done next: the steps that fail; else those that are not off; else, exploring, those to a state that is new."""
        here = self.here
        if here.failing:
            return here.failing
        every = [n for n in here.outcomes if n in here.following]
        instances = self.ground.places.instances
        chosen = [n for n in every if instances[n].action.name not in off] or every
        if not explore:
            return chosen
        return [n for n in chosen if here.following[n] not in self.visits] or chosen

    def take(self, number: int) -> Failing | None:
        """Takes a step."""
        failure = (
            self.ground.places.failure(self.here, number) if number in self.here.failing else None
        )
        if failure is not None:
            return self._failing(*failure, more=(number,))
        assert isinstance(self.here.outcomes[number], Next)
        there = self.ground.places.after(self.here, number)
        self.numbers.append(number)
        visits = self.visits.setdefault(there.key, [])
        failing = self._closed(visits) if visits else None
        self.places.append(there)
        visits.append(len(self.numbers))
        if failing is None and there.deadlocked:
            return self._failing("deadlock")
        return failing

    def drain(self) -> Failing | None:
        """Looks at what the run comes to if from here on only fair steps are taken."""
        if self.paused is self.here:
            return None
        self.paused = self.here
        for fairness in self.ground.fairnesses:
            drained = self.ground.drains[fairness].after(self.here)
            if drained.deadlocked:
                return self._failing("deadlock", more=drained.numbers)
            if drained.loop is not None and fairness.goals:
                before = len(self.numbers)
                whole = [*self.places[:-1], *drained.places]
                goal = fairness.violated(whole, before + drained.loop)
                if goal is not None:
                    return self._endless(goal, before + drained.loop, drained.numbers)
        return None

    def _closed(self, visits: Sequence[int]) -> Failing | None:
        """What a run fails that goes round for ever from the state that it has just come back to."""
        for fairness in self.ground.fairnesses:
            if fairness.goals:
                loop = fairness.fair_cycle(self.places, self.numbers, visits)
                goal = None if loop is None else fairness.violated(self.places, loop)
                if loop is not None and goal is not None:
                    return self._endless(goal, loop)
        return None

    def _endless(self, goal: Goal, loop: int, more: Sequence[int] = ()) -> Failing:
        return self._made(goal.prop.name, "", more, goal=goal, loop=loop)

    def _failing(self, name: str, message: str = "", more: Sequence[int] = ()) -> Failing:
        return self._made(name, message, more)

    def _made(
        self,
        name: str,
        message: str,
        more: Sequence[int],
        goal: Goal | None = None,
        loop: int | None = None,
    ) -> Failing:
        numbers = (*self.numbers, *more)
        return Failing(
            name,
            message,
            self.init,
            tuple(self.ground.places.instances[n] for n in numbers),
            numbers,
            self.ground.properties.get(name),
            loop,
            None if goal is None else goal.stated,
        )
