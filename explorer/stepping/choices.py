"""What can be done in a state: every action instance with what would come of it, the possible ones numbered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from explorer.explain.blocked import obstacle
from explorer.lang.errors import ModelError
from explorer.lang.run import Blocked, Cut, Failed, Instance, Next, Outcome, instances, step
from explorer.lang.system import System
from explorer.trace.observe import why_blocked
from explorer.trace.render import short
from explorer.trace.replay import describe

# A listing tries as many instances; any other can be typed.
MOST_TRIED = 20_000


@dataclass(frozen=True)
class Choice:
    """An instance and its outcome; the error where the model cannot be run. ``number`` is that in the listing, None if disabled."""

    instance: Instance
    outcome: Outcome | ModelError
    number: int | None

    @property
    def label(self) -> str:
        """``thread: action(param=value)``."""
        return describe(self.instance)

    @property
    def remark(self) -> str | None:
        """What is special about taking it; None where it leads on without a failure."""
        match self.outcome:
            case ModelError() as error:
                return f"cannot be run: {error.message}"
            case Failed(name, message, _, _):
                return f"fails: {named(name, message)}"
            case Cut(name, _):
                return f"uses up {name}: the scope ends here"
            case Next(_, soft) if soft:
                return f"fails: {', '.join(soft)}"
        return None


@dataclass(frozen=True)
class Reason:
    """Why instances are disabled: the first condition that does not hold, its place, and what it reads (of the first instance)."""

    text: str
    place: str
    reads: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Choices:
    """The instances of a state, in declaration order. ``left_out`` were not tried."""

    tried: tuple[Choice, ...]
    left_out: int

    @property
    def possible(self) -> tuple[Choice, ...]:
        """Those with a number."""
        return tuple(c for c in self.tried if c.number is not None)

    def disabled_actions(self) -> tuple[Choice, ...]:
        """The first instance of each action of which no instance is possible."""
        possible = {c.instance.action.name for c in self.possible}
        first: dict[str, Choice] = {}
        for choice in self.tried:
            first.setdefault(choice.instance.action.name, choice)
        return tuple(c for name, c in first.items() if name not in possible)


def named(name: str, message: str) -> str:
    """A failure's name, with its message where that says more."""
    return f"{name}: {message}" if message else name


class Chooser:
    """Lists what can be done in states of one system."""

    def __init__(self, system: System[Any]) -> None:
        self.system = system
        self.every = instances(system)

    def choices(self, state: Any) -> Choices:
        """What can be done in ``state``."""
        return Choices(tuple(self._tried(state)), max(len(self.every) - MOST_TRIED, 0))

    def _tried(self, state: Any) -> Iterator[Choice]:
        number = 0
        for instance in self.every[:MOST_TRIED]:
            outcome = outcome_of(self.system, state, instance)
            if isinstance(outcome, Blocked):
                yield Choice(instance, outcome, None)
            else:
                number += 1
                yield Choice(instance, outcome, number)

    def reason(self, outcome: Blocked) -> Reason:
        """Why an instance is disabled."""
        with self.system:
            found = obstacle(outcome)
        if found is None:
            return Reason("disabled", why_blocked(outcome), ())
        return Reason(found.text, f"{short(found.file)}:{found.line}", found.reads)


def outcome_of(system: System[Any], state: Any, instance: Instance) -> Outcome | ModelError:
    """What comes of a step, or the error that keeps the model from being run."""
    try:
        return step(system, state, instance)
    except ModelError as error:
        return error
