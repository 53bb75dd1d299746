"""A pinned run: what a regression test keeps of a trace, and asks of a design."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from explorer.configure import configure
from explorer.lang.errors import ModelError
from explorer.lang.run import Blocked, Cut, Failed, Next, Outcome, key, step
from explorer.lang.system import System
from explorer.lang.temporal import temporal_instances
from explorer.loading import find_system
from explorer.shrink.goals import Shows
from explorer.shrink.run import Player, Run, parsed_steps
from explorer.trace.lasso import Lasso, declared_fair
from explorer.trace.observe import why_blocked
from explorer.trace.replay import find_property


@dataclass(frozen=True)
class Stop:
    """A step that a design does not take: its number from 1 on, and why."""

    step: int
    why: str


@dataclass(frozen=True)
class PinnedRun:
    """A run of a system, kept as text, to be asked for in any design.

    A design is a mapping from switches to values, as text or as they are, perhaps with the name of a ``preset``; ``{}`` is the default design.
    Whatever does not exist (any more) raises ModelError: a test that passes has looked.

    Parameters
    ----------
    system
        A bundled system, or ``path/to/file.py:ClassName``; the path is relative to ``base``.
    property
        What fails (or is reached) at the end of the run: a declared property, or a failure such as ``panic:...`` or ``deadlock``.
    steps
        ``action(param=value)``, perhaps with ``thread:`` in front.
    scope
        Sizes on top of the default scope.
    init
        The parameters of init, by name, as text.
    base
        A directory, or a file in it, such as ``__file__``; None for the working directory.
    loop
        For a temporal property: the number of steps before the cycle, which then repeats for ever.
    """

    system: str
    property: str
    steps: Sequence[str]
    scope: Mapping[str, int] = field(default_factory=dict)
    init: Mapping[str, str] = field(default_factory=dict)
    base: str | Path | None = None
    loop: int | None = None

    def fails(self, design: Mapping[str, Any] = {}) -> bool:
        """Whether the property fails (is reached) along the run in a design; False where the run is not possible."""
        system = self._system(design)
        with system:
            run, _ = self._taken(system)
            declared = find_property(system, self.property)
            if declared is None or declared.kind != "temporal":
                goal = Shows(system, self.property, declared)
                length = goal.length(run)
                # A run that stops is stuck there only if it was to stop there.
                return length is not None and (
                    self.property != "deadlock" or length == len(self.steps)
                )
            if len(run.states) <= len(self.steps) or self.loop is None:
                return False
            fair = declared_fair(system, declared)
            return key(run.states[self.loop]) == key(run.states[-1]) and any(
                Lasso(system, run.played(), self.loop, stated, fair).problem() is None
                for stated in temporal_instances(system, declared)
            )

    def stopped(self, design: Mapping[str, Any] = {}) -> Stop | None:
        """The first step that a design does not take, and why; None if it takes all.

        A step that is disabled, that uses up the scope, and one before the last that fails.
        """
        system = self._system(design)
        with system:
            return self._taken(system)[1]

    def impossible_at(self, design: Mapping[str, Any] = {}) -> int | None:
        """The number of the first step that a design does not take; None if it takes all."""
        stop = self.stopped(design)
        return None if stop is None else stop.step

    def departs_at(self, design: Mapping[str, Any], origin: Mapping[str, Any]) -> int | None:
        """The first step that leads elsewhere than in the design ``origin`` (0: the initial state), or is not taken; None if all agree."""
        first, second = self._system(design), self._system(origin)
        with first:
            one, _ = self._taken(first)
        with second:
            other, _ = self._taken(second)
        for number in range(len(self.steps) + 1):
            here, there = one.states[number : number + 1], other.states[number : number + 1]
            if len(here) != len(there) or (here and key(here[0]) != key(there[0])):
                return number
            if number and one.failure != other.failure and number >= len(one.states) - 1:
                return number
        return None

    def _system(self, design: Mapping[str, Any]) -> System[Any]:
        switches = dict(design)
        preset = switches.pop("preset", None)
        folder = None if self.base is None else Path(self.base)
        if folder is not None and not folder.is_dir():
            folder = folder.parent
        found = find_system(self.system, folder)
        system = configure(found, self.scope, preset, switches).system
        declared = find_property(system, self.property)
        if declared is None and ":" not in self.property and self.property != "deadlock":
            raise ModelError(f"{self.system} has no property {self.property}")
        return system

    def _taken(self, system: System[Any]) -> tuple[Run, Stop | None]:
        """The run as far as it goes, and what stops it."""
        taken = parsed_steps(system, self.steps)
        values = dict(self.init)
        player = Player(system, len(taken) + 1)
        begun = next((r for r in _starts(player) if r.text()[0] == values), None)
        if begun is None:
            shown = ", ".join(f"{n}={v}" for n, v in values.items())
            raise ModelError(f"{self.system} has no initial state for init({shown})")
        run = begun
        states, outcomes = list(run.states), list[Outcome]()
        for number, instance in enumerate(taken, 1):
            outcome = step(system, states[-1], instance)
            if isinstance(outcome, (Blocked, Cut)):
                why = (
                    f"disabled at {why_blocked(outcome)}"
                    if isinstance(outcome, Blocked)
                    else f"it uses up {outcome.name}"
                )
                return self._run(run, states, taken, outcomes), Stop(number, why)
            outcomes.append(outcome)
            if isinstance(outcome, Next):
                states.append(outcome.state)
            elif number < len(taken):
                assert isinstance(outcome, Failed)
                return self._run(run, states, taken, outcomes), Stop(
                    number, f"it fails with {outcome.name}"
                )
        return self._run(run, states, taken, outcomes), None

    @staticmethod
    def _run(begun: Run, states: list[Any], taken: tuple[Any, ...], outcomes: list[Any]) -> Run:
        done = taken[: len(outcomes)]
        return Run(begun.system, begun.init, tuple(states), done, tuple(outcomes))


def _starts(player: Player) -> list[Run]:
    """The runs without a step, one for each initial state."""
    return [Run(player.system, values, (state,)) for values, state in player.starts()]
