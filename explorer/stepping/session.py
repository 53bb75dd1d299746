"""A walk through a system: the steps taken so far, those that can be taken again, and where one stands."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from explorer.lang.errors import ModelError
from explorer.lang.properties import properties_for
from explorer.lang.run import (
    Blocked,
    Instance,
    Next,
    Outcome,
    initial_states,
    step,
)
from explorer.lang.system import System
from explorer.trace.observe import why_blocked
from explorer.trace.replay import describe

# More are not offered; init(...) reaches any of them.
MOST_INITIAL = 1000


@dataclass(frozen=True)
class Start:
    """An initial state and the choice of init's parameters that leads there."""

    values: tuple[object, ...]
    state: Any


@dataclass(frozen=True)
class Taken:
    """A step that was taken, and what came of it."""

    instance: Instance
    outcome: Outcome


class Session:
    """A walk. ``at`` is the number of steps taken; ``taken[at:]`` and then ``planned`` can be taken again.

    ``start`` is None until an initial state is chosen. Raises ModelError where the system has none.
    """

    def __init__(self, system: System[Any]) -> None:
        self.system = system
        # What is wrong with a property is said before the first step.
        properties_for(system)
        found = list(islice(initial_states(system), MOST_INITIAL + 1))
        self.more_starts = len(found) > MOST_INITIAL
        self.starts = [Start(tuple(v), s) for v, s in found[:MOST_INITIAL]]
        self.start: Start | None = None
        self.taken: list[Taken] = []
        self.planned: deque[Instance] = deque()
        self.at = 0
        if len(self.starts) == 1:
            self.begin(self.starts[0])

    def begin(self, start: Start, planned: Sequence[Instance] = ()) -> None:
        """Starts anew from an initial state; ``planned`` are steps for ``forward``."""
        self.start, self.taken, self.planned, self.at = start, [], deque(planned), 0

    def starting(self, values: tuple[object, ...]) -> Start:
        """The initial state of a choice of init's parameters. Raises ModelError if there is none."""
        for start in self.starts:
            if start.values == values:
                return start
        if self.more_starts:
            for found, state in initial_states(self.system):
                if tuple(found) == values:
                    return Start(values, state)
        raise ModelError("there is no such initial state: a require of init fails")

    @property
    def state(self) -> Any | None:
        """The state one stands in; None before the start, and after a step that has no successor."""
        return self._state(self.at)

    @property
    def before(self) -> Any | None:
        """The state before the last step; None at the start."""
        return self._state(self.at - 1) if self.at else None

    @property
    def last(self) -> Taken | None:
        """The last step; None at the start."""
        return self.taken[self.at - 1] if self.at else None

    @property
    def length(self) -> int:
        """How many steps are known, those ahead included."""
        return len(self.taken) + len(self.planned)

    @property
    def path(self) -> tuple[Instance, ...]:
        """The steps that lead here."""
        return tuple(t.instance for t in self.taken[: self.at])

    def _state(self, at: int) -> Any | None:
        if self.start is None:
            return None
        if at == 0:
            return self.start.state
        outcome = self.taken[at - 1].outcome
        return outcome.state if isinstance(outcome, Next) else None

    def take(self, instance: Instance) -> Outcome:
        """Takes a step. One that differs from the next known one leaves those ahead behind.

        Raises ModelError if there is no state to take it from, or it is disabled.
        """
        state = self.state
        if state is None:
            raise ModelError("there is no state here to take a step from", hint=self.way_out)
        if self.ahead == instance:
            self.forward()
            return self.taken[self.at - 1].outcome
        outcome = self._try(state, instance)
        del self.taken[self.at :]
        self.planned.clear()
        self.taken.append(Taken(instance, outcome))
        self.at += 1
        return outcome

    @property
    def way_out(self) -> str:
        """What to do where there is no state."""
        if self.start is None:
            return "choose an initial state by its number"
        return "`back` returns to the state before the last step"

    @property
    def ahead(self) -> Instance | None:
        """The next known step."""
        if self.at < len(self.taken):
            return self.taken[self.at].instance
        return self.planned[0] if self.planned else None

    def _try(self, state: Any, instance: Instance) -> Outcome:
        outcome = step(self.system, state, instance)
        if isinstance(outcome, Blocked):
            raise ModelError(
                f"{describe(instance)} is disabled here", hint=f"at {why_blocked(outcome)}"
            )
        return outcome

    def forward(self) -> None:
        """Takes the next known step. Raises ModelError if there is none, or it cannot be taken any more."""
        if self.start is None:
            raise ModelError("there is no run yet", hint=self.way_out)
        if self.at < len(self.taken):
            self.at += 1
            return
        state = self.state
        if state is None:
            raise ModelError("the last step fails, and nothing comes after it", hint=self.way_out)
        if not self.planned:
            raise ModelError("there is no step ahead", hint="choose one by its number")
        self.taken.append(Taken(self.planned[0], self._try(state, self.planned[0])))
        self.planned.popleft()
        self.at += 1

    def back(self) -> None:
        """Takes the last step back. Raises ModelError at the start."""
        if not self.at:
            raise ModelError("this is the start: nothing comes before it")
        self.at -= 1

    def jump(self, number: int) -> None:
        """Goes to the state after step ``number``. Raises ModelError if no such step is known or a step on the way cannot be taken."""
        if self.start is None:
            raise ModelError("there is no run yet", hint=self.way_out)
        if not 0 <= number <= self.length:
            known = "there is only step 0, the start" if not self.length else f"0 to {self.length}"
            raise ModelError(f"there is no step {number}", hint=f"known steps: {known}")
        self.at = min(number, len(self.taken))
        while self.at < number:
            self.forward()
