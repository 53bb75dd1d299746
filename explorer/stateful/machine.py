"""A Hypothesis state machine from a system.

There is one rule: it draws one of the instances that are enabled. A rule per action would spend most
of its steps on disabled ones. A run that explores prefers those that lead to a state it has not seen: a shortest
violation never sees a state twice, and in the jugs of tests/systems a walk of 50 steps then finds 4 litres in 98 of
100 runs, and without in 1. Shrinking turns this off, because a run that lost a step may have to see a state twice before
it can lose the next. An instance is drawn by its place among all of them in declaration order, so that it stays the same one
when a step before it is dropped, and shrinking goes to the first actions and parameters.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from explorer.lang.properties import Property
from explorer.lang.run import (
    Blocked,
    Failed,
    Instance,
    Next,
    Outcome,
    initial_states,
    instances,
    is_final,
    key,
    step,
)
from explorer.lang.system import System
from explorer.lang.text import format_value
from explorer.stateful.judge import judge

REMEMBERED_STATES = 4096
"""For so many states the outcomes are kept: runs share their beginnings, above all while shrinking."""

EXPLORE = (False, True, True, True)
"""Whether a run explores: mostly, and not at all once shrinking is done (it goes to the first)."""


PHASES = [p for p in Phase if p is not Phase.explain]
"""To explain a failure, Hypothesis varies its draws: slow here, and the run explains itself."""


class PropertyViolated(AssertionError):
    """A run broke a property. ``run`` is the run as a script for ``slotcheck run``."""

    def __init__(self, name: str, message: str, run: tuple[str, ...]) -> None:
        lines = [f"{name} is violated" + (f": {message}" if message else "")]
        lines += [f"  {line}" for line in run]
        super().__init__("\n".join(lines))
        self.name = name
        self.run = run


@dataclass(frozen=True)
class Choice:
    """Something to draw, shown as the model's author would write it."""

    text: str
    value: Any

    def __repr__(self) -> str:
        return self.text


def machine(
    system: System[Any],
    properties: Iterable[str | Property] | None = None,
    *,
    ignore: Iterable[str] = (),
    max_steps: int = 50,
) -> type[RuleBasedStateMachine]:
    """A state machine that runs ``system`` at random and fails where a property does.

    Parameters
    ----------
    system
        The system, in the scope and design to test.
    properties
        The invariants and step invariants to judge; all of them if None. Witnesses are not looked for: a
        random run that misses one proves nothing.
    ignore
        Names of properties and of failures of the model (``panic:NAME``, ``range:FIELD``, ``deadlock``) that are no
        failure here. A step that fails is not taken.
    max_steps
        The greatest length of a run.

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
    with system:
        starts = [Choice(_call("init", values), s) for values, s in initial_states(system)]
        steps = [Choice(_text(i), i) for i in instances(system)] or [Choice("nothing", None)]
    known: OrderedDict[Hashable, dict[Choice, Outcome]] = OrderedDict()

    def enabled(state: Any) -> dict[Choice, Outcome]:
        """What can happen in ``state``, in declaration order."""
        where = key(state)
        if where not in known:
            outcomes = ((c, step(system, state, c.value)) for c in steps)
            known[where] = {c: o for c, o in outcomes if not isinstance(o, Blocked)}
            if len(known) > REMEMBERED_STATES:
                known.popitem(last=False)
        return known[where]

    allowed: set[Choice] = set()
    """What the run may do next. Strategies are made once, so this is how they get to know."""

    class Machine(RuleBasedStateMachine):
        """Random runs of a system."""

        def __init__(self) -> None:
            super().__init__()
            self.state: Any = None
            self.explore = False
            self.outcomes: dict[Choice, Outcome] = {}
            self.seen: set[Hashable] = set()
            self.run: list[str] = []

        @initialize(start=st.sampled_from(starts), explore=st.sampled_from(EXPLORE))
        def init(self, start: Choice, explore: bool) -> None:
            self.explore = explore
            if len(starts) > 1:
                self.run.append(start.text)
            with system:
                self._arrive(start.value)

        @rule(step=st.sampled_from(steps).filter(lambda c: c in allowed))
        @precondition(lambda self: bool(allowed))
        def act(self, step: Choice) -> None:
            self.run.append(step.text)
            with system:
                self._take(self.outcomes[step])

        @rule()
        @precondition(lambda self: not allowed)
        def rest(self) -> None:
            """Nothing is left to do; a run has a fixed number of steps."""

        def _take(self, outcome: Outcome) -> None:
            message = outcome.message if isinstance(outcome, Failed) else ""
            self._check(judged.of_outcome(outcome), message)
            assert isinstance(outcome, Next)
            self._check(judged.of_step(self.state, outcome.state))
            self._arrive(outcome.state)

        def _arrive(self, state: Any) -> None:
            self.state = state
            self.seen.add(key(state))
            self._check(judged.of_state(state))
            self.outcomes = enabled(state)
            if not self.outcomes and judged.counts("deadlock") and not is_final(system, state):
                self._check("deadlock")
            allowed.clear()
            allowed.update(self._worth_taking())

        def _worth_taking(self) -> set[Choice]:
            """The steps that fail; else, exploring, those to a state that is new in this run; else all."""
            following = {c: o for c, o in self.outcomes.items() if isinstance(o, Next)}
            failing = {c for c, o in self.outcomes.items() if judged.of_outcome(o)}
            failing |= {c for c, o in following.items() if judged.of_step(self.state, o.state)}
            if failing or not self.explore:
                return failing or set(following)
            return {c for c, o in following.items() if key(o.state) not in self.seen} or set(
                following
            )

        def _check(self, failure: str | None, message: str = "") -> None:
            if failure is not None:
                raise PropertyViolated(failure, message, tuple(self.run))

    Machine.__name__ = Machine.__qualname__ = f"{type(system).__name__}Machine"
    Machine.TestCase.settings = settings(
        Machine.TestCase.settings, stateful_step_count=max_steps, phases=PHASES
    )
    return Machine


def _call(name: str, values: Iterable[object]) -> str:
    return f"{name}({', '.join(map(format_value, values))})"


def _text(instance: Instance) -> str:
    params = zip(instance.action.params, instance.values, strict=True)
    return f"{instance.action.name}({', '.join(f'{p.name}={format_value(v)}' for p, v in params)})"
