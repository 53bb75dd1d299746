"""A Hypothesis state machine from a system.

There is one rule: it draws one of the instances that are enabled. A rule per action would spend most
of its steps on disabled ones. It prefers those that lead to a state this run has not seen, since a shortest
violation never sees a state twice. An instance is drawn by its place among all of them in declaration order: so it
stays the same one when shrinking drops a step before it, and shrinking goes to the first actions and parameters.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

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
    max_steps: int = 50,
) -> type[RuleBasedStateMachine]:
    """A state machine that runs ``system`` at random and fails where a property does.

    Parameters
    ----------
    system
        The system, in the scope and design to test.
    properties
        Names of the invariants, step invariants and built-in failures to judge; all of them if None.
        Witnesses are not looked for: a random run that misses one proves nothing.
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
    judged = judge(system, properties)
    with system:
        starts = [Choice(_call("init", values), s) for values, s in initial_states(system)]
        steps = [Choice(_text(i), i) for i in instances(system)]
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

    class Machine(RuleBasedStateMachine):
        """Random runs of a system."""

        def __init__(self) -> None:
            super().__init__()
            self.state: Any = None
            self.seen: set[Hashable] = set()
            self.run: list[str] = []

        @initialize(start=st.sampled_from(starts))
        def init(self, start: Choice) -> None:
            if len(starts) > 1:
                self.run.append(start.text)
            with system:
                self._arrive(start.value)

        @rule(data=st.data())
        def act(self, data: st.DataObject) -> None:
            with system:
                outcomes = enabled(self.state)
                if not outcomes and judged.counts("deadlock") and not is_final(system, self.state):
                    self._check("deadlock")
                possible = self._worth_taking(outcomes)
                if possible:
                    chosen = st.sampled_from(steps).filter(possible.__contains__)
                    choice = data.draw(chosen, label="step")
                    self.run.append(choice.text)
                    self._take(outcomes[choice])

        def _worth_taking(self, outcomes: dict[Choice, Outcome]) -> set[Choice]:
            """The steps that fail; else those to a state that is new in this run; else all."""
            following = {c: o for c, o in outcomes.items() if isinstance(o, Next)}
            failing = {c for c, o in outcomes.items() if judged.of_outcome(o)}
            failing |= {c for c, o in following.items() if judged.of_step(self.state, o.state)}
            new = {c for c, o in following.items() if key(o.state) not in self.seen}
            return failing or new or set(following)

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

        def _check(self, failure: str | None, message: str = "") -> None:
            if failure is not None:
                raise PropertyViolated(failure, message, tuple(self.run))

    Machine.__name__ = Machine.__qualname__ = f"{type(system).__name__}Machine"
    Machine.TestCase.settings = settings(Machine.TestCase.settings, stateful_step_count=max_steps)
    return Machine


def _call(name: str, values: Iterable[object]) -> str:
    return f"{name}({', '.join(map(format_value, values))})"


def _text(instance: Instance) -> str:
    params = zip(instance.action.params, instance.values, strict=True)
    return f"{instance.action.name}({', '.join(f'{p.name}={format_value(v)}' for p, v in params)})"
