"""Runs of a system under CPython, of which parts are left out and put together again."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from explorer.lang.errors import ModelError
from explorer.lang.run import (
    Blocked,
    Cut,
    Failed,
    Instance,
    Next,
    Outcome,
    init_params,
    initial_states,
    step,
)
from explorer.lang.system import System
from explorer.lang.text import format_value
from explorer.trace.observe import why_blocked
from explorer.trace.replay import Played, params_of
from explorer.trace.script import find_action, parse_arguments
from explorer.trace.threads import switches
from explorer.trace.trace import Trace

Text: TypeAlias = tuple[str, Mapping[str, str]]
"""A step as text: the action, and its parameters by name."""


@dataclass(frozen=True)
class Run:
    """A run as CPython took it.

    ``states[i]`` is the state before ``steps[i]`` and ``outcomes[i]`` what the step came to; a last step that fails has no
    state after it. ``init`` are the values of init's parameters. States are not to be changed.
    """

    system: System[Any]
    init: tuple[object, ...]
    states: tuple[Any, ...]
    steps: tuple[Instance, ...] = ()
    outcomes: tuple[Outcome, ...] = ()

    @property
    def failure(self) -> str | None:
        """The name of the failure in which the run ends (``panic:...``, ``range:...``), if it does."""
        last = self.outcomes[-1] if self.outcomes else None
        return last.name if isinstance(last, Failed) else None

    @property
    def switches(self) -> int:
        """How often the thread changes."""
        return switches(self.steps)

    @property
    def lines(self) -> tuple[str, ...]:
        """The steps as ``action(param=value)``."""
        return tuple(i.text for i in self.steps)

    def text(self) -> tuple[dict[str, str], tuple[Text, ...]]:
        """The parameters of init and the steps, as text: another design may know them, too."""
        params = init_params(self.system)
        init = {p.name: format_value(v) for p, v in zip(params, self.init, strict=True)}
        return init, tuple((i.action.name, params_of(i)) for i in self.steps)

    def first(self, length: int) -> Run:
        """The beginning of the run."""
        if length == len(self.steps):
            return self
        return Run(
            self.system,
            self.init,
            self.states[: length + 1],
            self.steps[:length],
            self.outcomes[:length],
        )

    def played(self) -> Played:
        """The run as the rest of the package knows it."""
        return Played(self.init, self.states, self.steps, self.outcomes)


class OutOfSteps(Exception):
    """As many steps were taken as may be."""


@dataclass
class Player:
    """Takes runs of one system, and counts their steps: ``left`` is how many may still be taken.

    ``stop`` says whether to end at once, for a reason from outside. Both raise OutOfSteps.
    """

    system: System[Any]
    left: int
    stop: Callable[[], str | None] = lambda: None
    why: str | None = None
    _starts: list[tuple[tuple[object, ...], Any]] = field(default_factory=list)

    def starts(self) -> list[tuple[tuple[object, ...], Any]]:
        """The initial states with the values of init's parameters."""
        if not self._starts:
            self._starts = [(tuple(v), s) for v, s in initial_states(self.system)]
        return self._starts

    def start(self, init: tuple[object, ...] | None = None) -> Run | None:
        """The run without a step from an initial state (None: the only one); None if there is no such state."""
        found = [(v, s) for v, s in self.starts() if init is None or v == init]
        if init is None and len(found) > 1:
            params = ", ".join(f"{p.name}=..." for p in init_params(self.system))
            raise ModelError(
                f"{self.system.name} has {len(found)} initial states, and the run does not say which",
                hint=f"give the values of init({params})",
            )
        return Run(self.system, found[0][0], (found[0][1],)) if found else None

    def take(
        self,
        run: Run,
        rest: Iterable[Instance],
        *,
        drop: bool = True,
        done: Callable[[Run], bool] | None = None,
    ) -> Run | None:
        """``run`` goes on with ``rest``; steps that are disabled are dropped, or make it None.

        It ends with a step that fails. One that uses up the scope is dropped like a disabled one. ``done`` is asked after each step
        with the last two states and the last step, as a run: True ends it.
        """
        states, steps, outcomes = list(run.states), list(run.steps), list(run.outcomes)
        if len(states) == len(steps):
            return run
        for instance in rest:
            if self.left <= 0:
                self.why = self.why or "step limit"
                raise OutOfSteps
            self.left -= 1
            if self.left % 64 == 0:
                self.why = self.stop()
                if self.why is not None:
                    raise OutOfSteps
            outcome = step(self.system, states[-1], instance)
            if isinstance(outcome, (Blocked, Cut)):
                if drop:
                    continue
                return None
            steps.append(instance)
            outcomes.append(outcome)
            if isinstance(outcome, Next):
                states.append(outcome.state)
            if done is not None:
                tail = tuple(states[-2:]) if isinstance(outcome, Next) else (states[-1],)
                if done(Run(self.system, run.init, tail, (instance,), (outcome,))):
                    break
            if isinstance(outcome, Failed):
                break
        return Run(self.system, run.init, tuple(states), tuple(steps), tuple(outcomes))


def parsed(
    system: System[Any], init: Mapping[str, str], steps: Sequence[Text]
) -> tuple[tuple[object, ...], tuple[Instance, ...]]:
    """Text as values of a system. Raises ModelError for what it does not know; the message names the step."""
    return parse_arguments("init", init_params(system), init, system), _instances(system, steps)


def _instances(system: System[Any], steps: Sequence[Text]) -> tuple[Instance, ...]:
    taken, known = [], dict[tuple[str, tuple[tuple[str, str], ...]], Instance]()
    for number, (name, given) in enumerate(steps, 1):
        same = name, tuple(given.items())
        if same not in known:
            try:
                action = find_action(system, name)
                arguments = parse_arguments(name, action.params, given, system)
            except ModelError as error:
                raise ModelError(f"step {number}: {error.message}", hint=error.hint) from None
            known[same] = Instance(action, arguments)
        taken.append(known[same])
    return tuple(taken)


def parsed_steps(system: System[Any], lines: Sequence[str]) -> tuple[Instance, ...]:
    """Steps written as ``action(param=value)``. Raises ModelError."""
    return _instances(system, [_call(number, line) for number, line in enumerate(lines, 1)])


def _call(number: int, line: str) -> Text:
    """One step as text. A thread in front is for readers."""
    call = re.sub(r"^\s*\w+\s*:\s*", "", line)
    try:
        tree = ast.parse(call.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        tree = None
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name) or tree.args:
        raise ModelError(
            f"step {number}: {line!r} is not a step", hint="write action(param=value, other=value)"
        )
    return tree.func.id, {str(k.arg): ast.unparse(k.value) for k in tree.keywords}


def text_of(trace: Trace) -> tuple[Mapping[str, str], tuple[Text, ...]]:
    """The parameters of init and the steps of a trace."""
    return trace.init, tuple((s.action, s.params) for s in trace.steps)


def why_not(system: System[Any], run: Run, instance: Instance) -> str:
    """Why a step cannot be taken after a run."""
    outcome = step(system, run.states[-1], instance)
    if isinstance(outcome, Cut):
        return f"it uses up {outcome.name}: the scope is too small for it"
    return f"it is disabled at {why_blocked(outcome)}" if isinstance(outcome, Blocked) else ""
