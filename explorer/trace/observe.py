"""A scripted run under CPython, with the properties looked at after each step."""

from __future__ import annotations

import linecache
from dataclasses import dataclass, field
from typing import Any

from explorer.lang.errors import ModelError
from explorer.lang.properties import Property, properties_for
from explorer.lang.run import (
    Blocked,
    Cut,
    Failed,
    Instance,
    Next,
    Outcome,
    evaluate,
    init_params,
    initial_states,
    step,
)
from explorer.lang.system import System
from explorer.result import INCOMPLETE, PASSED, VIOLATED, WRONG_INPUT, Kind
from explorer.trace.blame import Blame
from explorer.trace.explain import explain
from explorer.trace.render import short
from explorer.trace.replay import Played, is_deadlock, record
from explorer.trace.script import Script
from explorer.trace.trace import Trace


@dataclass(frozen=True)
class Finding:
    """Something seen at a step (0: in the initial state) for the first time."""

    step: int
    name: str
    kind: Kind
    message: str | None = None
    blame: Blame | None = None


@dataclass
class Observed:
    """What a script did, as far as it went.

    ``blocked`` is the step that could not be taken, ``used_up`` the scope entry that was too small for a step, ``ignored`` the
    number of steps after one that failed, ``at_end`` the witnesses that the last state is one of.
    """

    trace: Trace
    violations: tuple[Finding, ...]
    reached: tuple[Finding, ...]
    blocked: ModelError | None
    used_up: str | None
    ignored: int
    at_end: frozenset[str]

    def exit_code(self) -> int:
        """2 if a step cannot be taken, 1 if a property is violated, 3 if the scope is used up."""
        if self.blocked is not None:
            return WRONG_INPUT
        if self.violations:
            return VIOLATED
        return PASSED if self.used_up is None else INCOMPLETE


def observe(system: System[Any], script: Script) -> Observed:
    """Runs ``script``. Raises ModelError if its initial state does not exist or is not the only one."""
    watch = _Watch(system, properties_for(system))
    init, state = _start(system, script)
    states, outcomes = [state], list[Outcome]()
    blocked = used_up = None
    watch.state(0, state)
    for number, (line, instance) in enumerate(script.steps, 1):
        outcome = step(system, states[-1], instance)
        if isinstance(outcome, Blocked):
            blocked = ModelError(
                f"step {number} cannot be taken: {line.text}",
                where=line.where,
                hint=f"it is disabled at {why_blocked(outcome)}",
            )
            break
        outcomes.append(outcome)
        watch.outcome(number, outcome)
        if isinstance(outcome, Next):
            states.append(outcome.state)
            watch.step(number, states[-2], states[-1])
            watch.state(number, states[-1])
        elif isinstance(outcome, Cut):
            used_up = outcome.name
            break
        else:
            break
    else:
        if is_deadlock(system, states[-1]):
            watch.see(len(outcomes), "deadlock", "deadlock")
    taken: tuple[Instance, ...] = tuple(i for _, i in script.steps[: len(outcomes)])
    played = Played(init, tuple(states), taken, tuple(outcomes))
    failed = bool(outcomes) and isinstance(outcomes[-1], Failed)
    return Observed(
        trace=record(system, played, "", "failure"),
        violations=tuple(watch.violations.values()),
        reached=tuple(watch.reached.values()),
        blocked=blocked,
        used_up=used_up,
        ignored=len(script.steps) - len(outcomes) if failed else 0,
        at_end=watch.true_now,
    )


def why_blocked(outcome: Blocked) -> str:
    """The call that disabled a step: file, line and source."""
    where = outcome.where
    if where is None:
        return "a place that cannot be found"
    source = linecache.getline(where.file, where.line).strip()
    return f"{short(where.file)}:{where.line}: {source}"


def _start(system: System[Any], script: Script) -> tuple[tuple[object, ...], Any]:
    found = [(v, s) for v, s in initial_states(system) if script.init in (None, tuple(v))]
    if not found:
        raise ModelError(
            "there is no such initial state: a require of init fails", where=script.start
        )
    if len(found) > 1:
        params = ", ".join(f"{p.name}=..." for p in init_params(system))
        raise ModelError(
            f"{system.name} has {len(found)} initial states, and the script does not say which",
            where=script.start,
            hint=f"begin with init({params})",
        )
    values, state = found[0]
    return tuple(values), state


@dataclass
class _Watch:
    """Collects what is seen, each property once."""

    system: System[Any]
    declared: tuple[Property, ...]
    violations: dict[str, Finding] = field(default_factory=dict)
    reached: dict[str, Finding] = field(default_factory=dict)
    true_now: frozenset[str] = frozenset()

    def see(self, number: int, name: str, kind: Kind, message: str | None = None) -> None:
        self.violations.setdefault(name, Finding(number, name, kind, message))

    def outcome(self, number: int, outcome: Outcome) -> None:
        if isinstance(outcome, (Failed, Cut, Next)):
            for name in outcome.soft:
                self.see(number, name, "failure")
        if isinstance(outcome, Failed):
            self.see(number, outcome.name, "failure", outcome.message)

    def step(self, number: int, before: Any, after: Any) -> None:
        for prop in self.declared:
            if prop.kind == "step_invariant":
                self._look(number, prop, before, after)

    def state(self, number: int, state: Any) -> None:
        true = []
        for prop in self.declared:
            if prop.kind == "invariant":
                self._look(number, prop, state)
            elif prop.kind == "reachable" and evaluate(self.system, prop, state):
                true.append(prop.name)
                self.reached.setdefault(prop.name, Finding(number, prop.name, prop.kind))
        self.true_now = frozenset(true)

    def _look(self, number: int, prop: Property, *states: Any) -> None:
        if prop.name not in self.violations and not evaluate(self.system, prop, *states):
            blame = explain(self.system, prop, *states)
            self.violations[prop.name] = Finding(number, prop.name, prop.kind, None, blame)
