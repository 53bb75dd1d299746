"""A Hypothesis state machine from a system.

There is one rule: it draws one of the instances that are enabled. A rule per action would spend most of its steps on disabled ones,
and a run ends where Hypothesis has switched off all rules that apply.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from explorer.lang.errors import ModelError
from explorer.lang.properties import Property
from explorer.lang.system import System
from explorer.stateful.course import Course, Ground
from explorer.stateful.draws import EXPLORE, PAUSE, PAUSES, Choice, Steps, starts, swarm
from explorer.stateful.judge import judge
from explorer.stateful.violated import Failing, exception

PHASES = [p for p in Phase if p is not Phase.explain]
"""To explain a failure, Hypothesis varies its draws: slow here, and the run explains itself."""


class Watcher(Protocol):
    """Looks on at every run, shrinking included."""

    def begins(self, course: Course) -> None:
        """A run begins. May raise to end the work."""

    def goes_on(self, course: Course, number: int) -> None:
        """A run is about to take a step. May raise to end the work."""

    def ends(self, course: Course, failing: Failing | None) -> None:
        """A run has ended."""

    def mistaken(self, error: ModelError) -> None:
        """The model cannot be run. May raise to end the work."""


class _Nobody:
    def begins(self, course: Course) -> None: ...
    def goes_on(self, course: Course, number: int) -> None: ...
    def ends(self, course: Course, failing: Failing | None) -> None: ...
    def mistaken(self, error: ModelError) -> None: ...


def machine(
    system: System[Any],
    properties: Iterable[str | Property] | None = None,
    *,
    ignore: Iterable[str] = (),
    max_steps: int = 50,
) -> type[RuleBasedStateMachine]:
    """A state machine that runs ``system`` at random and fails where a property does.

    Temporal properties are looked at where the run pauses and where it ends: from there on only fair steps are taken, until none is left or
    the run repeats itself, and a fair run that does not satisfy the property is a failure.

    Parameters
    ----------
    system
        The system, in the scope and design to test.
    properties
        The invariants, step invariants and temporal properties to judge; all of them if None. Witnesses are not looked for: a
        random run that misses one proves nothing.
    ignore
        Names of properties and of failures of the model (``panic:NAME``, ``range:FIELD``, ``deadlock``) that are no
        failure here. A step that fails is not taken.
    max_steps
        The greatest number of steps that are drawn in a run; those of the drain phase come on top.

    Raises
    ------
    ModelError
        If a property is unknown, or init fails or has no choice that is allowed.

    Examples
    --------
    In a file that pytest collects::

        TestRegistry = machine(Registry()).TestCase
    """
    judged = judge(system, properties, ignore)
    return watched_machine(system, Ground(system, judged), max_steps, _Nobody())


def watched_machine(
    system: System[Any], ground: Ground, max_steps: int, watcher: Watcher
) -> type[RuleBasedStateMachine]:
    """The state machine of a system, with somebody who looks on."""
    steps = Steps(ground.places.instances)
    several = len(ground.places.starts) > 1

    class Machine(RuleBasedStateMachine):
        """Random runs of a system."""

        def __init__(self) -> None:
            super().__init__()
            self.course: Course | None = None
            self.explore = self.pauses = False
            self.off: frozenset[str] = frozenset()
            # What was under way before this run was: see teardown.
            self.outer = sys.exc_info()[1]

        @initialize(
            start=starts(ground.places.starts),
            explore=st.sampled_from(EXPLORE),
            pauses=st.sampled_from(PAUSES),
            off=swarm(list(steps.actions)),
        )
        def init(self, start: Choice, explore: bool, pauses: bool, off: frozenset[str]) -> None:
            self.explore, self.pauses, self.off = explore, pauses, off
            with system, self._noticed():
                self.course = Course(ground, *start.value)
                watcher.begins(self.course)
                self._go_on(self.course, self.course.begin())

        @rule(step=steps.strategy)
        def act(self, step: Choice) -> None:
            __tracebackhide__ = True
            assert self.course is not None
            with system, self._noticed():
                if step.value == PAUSE:
                    self._go_on(self.course, self.course.drain())
                else:
                    watcher.goes_on(self.course, step.value)
                    self._go_on(self.course, self.course.take(step.value))

        def teardown(self) -> None:
            __tracebackhide__ = True
            if self.course is None or sys.exc_info()[1] is not self.outer:
                # The run has failed, or Hypothesis has given it up.
                return
            with system, self._noticed():
                failing = self.course.drain()
                watcher.ends(self.course, failing)
                if failing is not None:
                    raise exception(system, failing, shows_init=several)

        @contextmanager
        def _noticed(self) -> Iterator[None]:
            try:
                yield
            except ModelError as error:
                watcher.mistaken(error)
                raise

        def _go_on(self, course: Course, failing: Failing | None) -> None:
            __tracebackhide__ = True
            if failing is not None:
                watcher.ends(course, failing)
                raise exception(system, failing, shows_init=several)
            offered = course.may_do(explore=self.explore, off=self.off)
            pause = [PAUSE] if (ground.looks_at_runs and self.pauses) or not offered else []
            steps.offer([*offered, *pause])

    Machine.__name__ = Machine.__qualname__ = f"{type(system).__name__}Machine"
    Machine.TestCase.settings = settings(
        Machine.TestCase.settings, stateful_step_count=max_steps + 1, phases=PHASES
    )
    return Machine
