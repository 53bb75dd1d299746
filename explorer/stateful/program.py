"""A failing run as a Python program to paste: it takes the run's steps under CPython, and fails where the run does."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from explorer.lang.errors import ModelError
from explorer.lang.properties import properties_for
from explorer.lang.run import Blocked, Cut, Failed, Instance, Next, init_params, initial_states
from explorer.lang.run import Outcome as Taken
from explorer.lang.run import step as take
from explorer.lang.system import System
from explorer.lang.temporal import Instance as Stated
from explorer.lang.temporal import temporal_instances
from explorer.lang.text import Json, format_value
from explorer.stateful.judge import judge
from explorer.stateful.violated import Failing, exception
from explorer.trace.lasso import Lasso, declared_fair
from explorer.trace.observe import why_blocked
from explorer.trace.replay import Played, is_deadlock
from explorer.trace.script import find_action, parse_arguments
from explorer.trace.trace import Trace


class Run:
    """A run that is taken step by step: a debugger stops in the model's code, and the run fails with PropertyViolated where ``property`` does.

    Examples
    --------
    ::

        run = Run(Jugs(), "never_four_litres")
        run.start()
        run.step("fill_big")
        run.end()
    """

    def __init__(self, system: System[Any], property: str) -> None:
        """Raises ModelError for a property that the system does not have."""
        self.system, self.property = system, property
        self.prop = next((p for p in properties_for(system) if p.name == property), None)
        built_in = self.prop is None and (property == "deadlock" or ":" in property)
        self._judge = judge(system, [] if built_in else [property], ())
        self._init: tuple[object, ...] = ()
        self._states: list[Any] = []
        self._taken: list[Instance] = []
        self._outcomes: list[Taken] = []

    @property
    def state(self) -> Any:
        """The state that the run is in. Raises ModelError before the start."""
        if not self._states:
            raise ModelError("the run has not begun", hint="run.start() comes first")
        return self._states[-1]

    def start(self, **params: object) -> None:
        """Goes to the initial state for these parameters of init. Raises ModelError if there is none."""
        wanted = parse_arguments("init", init_params(self.system), _texts(params), self.system)
        for values, state in initial_states(self.system):
            if tuple(values) == wanted:
                self._init, self._states = wanted, [state]
                self._taken, self._outcomes = [], []
                self._fail(self._judge.of_state(state))
                return
        raise ModelError("there is no such initial state: a require of init fails")

    def step(self, action: str, /, **params: object) -> None:
        """Takes a step. Parameters are values or their names, as a trace shows them.

        Raises ModelError for a step that the model does not know or that cannot be taken.
        """
        before = self.state
        found = find_action(self.system, action)
        values = parse_arguments(found.name, found.params, _texts(params), self.system)
        instance = Instance(found, values)
        outcome = take(self.system, before, instance)
        number = len(self._taken) + 1
        if isinstance(outcome, Blocked):
            raise ModelError(
                f"step {number} cannot be taken: {instance.text}",
                hint=f"it is disabled at {why_blocked(outcome)}",
            )
        self._taken.append(instance)
        self._outcomes.append(outcome)
        if self.property in outcome.soft:
            self._fail(self.property)
        if isinstance(outcome, Cut):
            raise ModelError(f"step {number} uses up {outcome.name}: run with a greater one")
        if isinstance(outcome, Failed):
            self._fail(outcome.name, outcome.message)
        assert isinstance(outcome, Next)
        self._states.append(outcome.state)
        self._fail(self._judge.of_step(before, outcome.state))
        self._fail(self._judge.of_state(outcome.state))

    def end(self, loop: int | None = None) -> None:
        """Looks at what the run is as a whole: whether it is a deadlock, or, as one that goes on for ever, violates a temporal property.

        ``loop`` is the number of steps after which the cycle begins that the last step closes; without it the run stops.
        """
        if self.property == "deadlock" and is_deadlock(self.system, self.state):
            self._fail("deadlock")
        if self.prop is None or self.prop.kind != "temporal":
            return
        played = Played(self._init, tuple(self._states), tuple(self._taken), tuple(self._outcomes))
        loop = len(self._taken) if loop is None else loop
        fair = declared_fair(self.system, self.prop)
        for stated in temporal_instances(self.system, self.prop):
            if Lasso(self.system, played, loop, stated, fair).problem() is None:
                self._fail(self.property, loop=loop, stated=stated)

    def _fail(
        self,
        name: str | None,
        message: str = "",
        loop: int | None = None,
        stated: Stated | None = None,
    ) -> None:
        """Raises PropertyViolated if there is a name."""
        if name is None:
            return
        prop = self.prop if name == self.property else None
        failing = Failing(name, message, self._init, tuple(self._taken), (), prop, loop, stated)
        raise exception(self.system, failing, shows_init=bool(self._init))


def _texts(params: Mapping[str, object]) -> dict[str, str]:
    return {n: v if isinstance(v, str) else format_value(v) for n, v in params.items()}


def program(trace: Trace, comment: str) -> str:
    """The program of a trace, which names its system as ``slotcheck`` finds it: a path is relative to the working directory."""
    return "\n".join(_lines(trace, comment)) + "\n"


def _lines(trace: Trace, comment: str) -> Iterator[str]:
    name = re.sub(r"\W+", "_", trace.property_name).strip("_")
    arguments = [f"find_system({_literal(trace.system)})", f"scope={_literal(trace.scope)}"]
    if trace.preset is not None:
        arguments.append(f"preset={_literal(trace.preset)}")
    if trace.design:
        arguments.append(f"switches={_literal(trace.design)}")
    yield f"# {comment}"
    yield "from explorer.configure import configure"
    yield "from explorer.loading import find_system"
    yield "from explorer.stateful import Run"
    yield ""
    yield ""
    yield f"def test_{name}():"
    yield "    configured = configure("
    yield from (f"        {a}," for a in arguments)
    yield "    )"
    yield f"    run = Run(configured.system, {_literal(trace.property_name)})"
    yield f"    run.start({_given(trace.init)})"
    for step in trace.steps:
        given = [_literal(step.action)] + ([_given(step.params)] if step.params else [])
        yield f"    run.step({', '.join(given)})"
    stops = trace.loop is None or trace.loop == trace.length
    yield f"    run.end({'' if stops else f'loop={trace.loop}'})"
    yield ""
    yield ""
    yield 'if __name__ == "__main__":'
    yield f"    test_{name}()"


def _given(params: Mapping[str, str]) -> str:
    """Arguments; a whole number is written as one."""
    number = re.compile(r"-?(0|[1-9][0-9]*)", re.ASCII)
    return ", ".join(f"{n}={v if number.fullmatch(v) else _literal(v)}" for n, v in params.items())


def _literal(value: Json) -> str:
    """A value as Python source, with double quotes, as most code is formatted."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_literal(k)}: {_literal(v)}" for k, v in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
