"""What is known of the states that random runs have met: what can happen there, and what fails."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from explorer.lang.run import (
    Blocked,
    Cut,
    Failed,
    Next,
    Outcome,
    initial_states,
    instances,
    is_final,
    key,
    step,
)
from explorer.lang.system import System
from explorer.stateful.judge import Judge

REMEMBERED_STATES = 4096
"""For so many states the outcomes are kept: runs share their beginnings, above all while shrinking."""

# Verdicts are small; a run looks at every successor of its states.
_REMEMBERED_VERDICTS = 1 << 17


@dataclass(frozen=True, eq=False)
class Place:
    """A state and what can happen there.

    ``outcomes`` are those of the instances that are not disabled, by number and in declaration order; ``following`` has the keys of
    the states that they lead to. ``failing`` are the instances whose step fails what is judged, or leads to a state where that is false.
    ``enabled`` are those that fairness takes for enabled: they have a successor or use the scope up.
    """

    state: Any
    key: Hashable
    outcomes: Mapping[int, Outcome]
    following: Mapping[int, Hashable]
    failing: tuple[int, ...]
    enabled: frozenset[int]
    false: str | None
    deadlocked: bool
    notes: dict[object, Any] = field(default_factory=dict)
    """What others have worked out about it."""

    @property
    def used_up(self) -> tuple[str, ...]:
        """The entries of the scope that some steps use up."""
        cut = (o.name for o in self.outcomes.values() if isinstance(o, Cut))
        return tuple(dict.fromkeys(cut))


class Places:
    """The places of one system, as one judge sees them."""

    def __init__(self, system: System[Any], judged: Judge) -> None:
        self.system = system
        self.judged = judged
        self.instances = instances(system)
        self.starts = tuple(initial_states(system))
        self._known: OrderedDict[Hashable, Place] = OrderedDict()
        self._false: dict[Hashable, str | None] = {}

    def at(self, state: Any, where: Hashable = None) -> Place:
        """The place of a state, whose key is ``where`` if that is known."""
        where = key(state) if where is None else where
        place = self._known.get(where)
        if place is None:
            place = self._known[where] = self._look(state, where)
            if len(self._known) > REMEMBERED_STATES:
                self._known.popitem(last=False)
        return place

    def after(self, place: Place, number: int) -> Place:
        """The place that a step with a successor leads to."""
        outcome = place.outcomes[number]
        assert isinstance(outcome, Next)
        return self.at(outcome.state, place.following[number])

    def failure(self, place: Place, number: int) -> tuple[str, str] | None:
        """What a step fails, with a message: of the step itself, of the pair of states, of the state it leads to."""
        outcome = place.outcomes[number]
        name = self.judged.of_outcome(outcome)
        if name is not None:
            failed = isinstance(outcome, Failed) and outcome.name == name
            return name, outcome.message if failed and isinstance(outcome, Failed) else ""
        if isinstance(outcome, Next):
            name = self.judged.of_step(place.state, outcome.state)
            name = name or self._falsehood(outcome.state, place.following[number])
        return None if name is None else (name, "")

    def _look(self, state: Any, where: Hashable) -> Place:
        outcomes: dict[int, Outcome] = {}
        following: dict[int, Hashable] = {}
        for number, instance in enumerate(self.instances):
            outcome = step(self.system, state, instance)
            if not isinstance(outcome, Blocked):
                outcomes[number] = outcome
                if isinstance(outcome, Next):
                    following[number] = key(outcome.state)
        place = Place(
            state,
            where,
            outcomes,
            following,
            (),
            frozenset(n for n, o in outcomes.items() if not isinstance(o, Failed)),
            self._falsehood(state, where),
            not outcomes and self.judged.counts("deadlock") and not is_final(self.system, state),
        )
        failing = tuple(n for n in outcomes if self.failure(place, n) is not None)
        object.__setattr__(place, "failing", failing)
        return place

    def _falsehood(self, state: Any, where: Hashable) -> str | None:
        """The first invariant that is false in a state."""
        if where not in self._false:
            if len(self._false) >= _REMEMBERED_VERDICTS:
                self._false.clear()
            self._false[where] = self.judged.of_state(state)
        return self._false[where]
