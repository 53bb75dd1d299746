"""What a run must go on to show while it shrinks: a property that fails (or is reached), or what a user's function says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from explorer.lang.errors import ModelError
from explorer.lang.properties import Property
from explorer.lang.run import Blocked, Failed, Next, evaluate
from explorer.lang.system import System
from explorer.shrink.run import Run
from explorer.trace.replay import find_property, is_deadlock

Oracle: TypeAlias = Callable[[Run], bool]


class Goal(Protocol):
    """What a run has to keep."""

    @property
    def by_states(self) -> bool:
        """Whether only the end counts, so that a run may be cut between two equal states."""

    def length(self, run: Run, since: int = 0) -> int | None:
        """The number of steps after which the run shows it first, looked for after so many steps; None if it does not."""

    def at_once(self, tail: Run) -> bool:
        """Whether the last step of a run shows it; may be False where that is not cheap to say."""


@dataclass(frozen=True)
class Shows:
    """A property that is violated (a reachable: reached) at the end of the run. ``name`` may be that of a failure, or deadlock."""

    system: System[Any]
    name: str
    declared: Property | None
    by_states: bool = True

    def length(self, run: Run, since: int = 0) -> int | None:
        if self.name == "deadlock" and self.declared is None:
            # To look everywhere takes long, and a run goes on where it is no deadlock.
            end = len(run.steps)
            stuck = len(run.states) > end and is_deadlock(self.system, run.states[-1])
            return end if stuck else None
        if since == 0 and self._in_state(run.states[0]):
            return 0
        for number in range(max(since, 1), len(run.steps) + 1):
            if self.at_once(_tail(run, number)):
                return number
        return None

    def at_once(self, tail: Run) -> bool:
        outcome = tail.outcomes[-1]
        if self.declared is None:
            if isinstance(outcome, Failed) and outcome.name == self.name:
                return True
            return not isinstance(outcome, Blocked) and self.name in outcome.soft
        if not isinstance(outcome, Next):
            return False
        if self.declared.kind == "step_invariant":
            return not evaluate(self.system, self.declared, *tail.states[-2:])
        return self._in_state(tail.states[-1])

    def _in_state(self, state: Any) -> bool:
        if self.declared is None or self.declared.kind == "step_invariant":
            return False
        return evaluate(self.system, self.declared, state) == (self.declared.kind == "reachable")


@dataclass(frozen=True)
class Says:
    """A user's function that is true of the run. Raises ModelError where it does not answer with a bool."""

    fails: Oracle
    by_states: bool = False

    def length(self, run: Run, since: int = 0) -> int | None:
        answer: object = self.fails(run)
        if not isinstance(answer, bool):
            raise ModelError(
                f"the oracle says {answer!r} of a run",
                hint="it is a function fails(run: Run) -> bool: True where the run shows the fault",
            )
        return len(run.steps) if answer else None

    def at_once(self, tail: Run) -> bool:
        return False


def goal_of(system: System[Any], property: Property | str) -> Shows:
    """The goal that a property fails, or is reached. Raises ModelError for one that is about whole runs."""
    declared = find_property(system, property)
    name = property if isinstance(property, str) else property.name
    if declared is not None and declared.kind == "temporal":
        raise ModelError(
            f"{name} is about runs that go on for ever, and these steps end",
            hint="slotcheck shrink TRACE shrinks their traces",
        )
    return Shows(system, name, declared)


def _tail(run: Run, number: int) -> Run:
    return Run(
        run.system,
        run.init,
        run.states[number - 1 : number + 1],
        run.steps[number - 1 : number],
        run.outcomes[number - 1 : number],
    )
