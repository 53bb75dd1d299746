"""Running a trace through CPython.

``build_trace`` makes a trace from what an engine found, and refuses one that CPython does not confirm: a
counterexample that was never replayed is not shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

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
    instances,
    is_final,
    step,
)
from explorer.lang.system import System, design_switches, switch_values
from explorer.lang.text import Json, changes, format_value, to_json
from explorer.trace.blame import Blame
from explorer.trace.digest import digest
from explorer.trace.explain import explain
from explorer.trace.trace import Step, Trace
from explorer.trace.twice import refuse_unsteady


class ReplayMismatch(Exception):
    """An engine reported a run that CPython does not confirm: a bug of the checker, never of the model."""


@dataclass(frozen=True)
class Played:
    """A run as CPython executed it: ``states[i]`` is the state before ``outcomes[i]``; the last outcome may have
    no successor, and then ``states`` is as long as ``outcomes``."""

    init: tuple[object, ...]
    states: tuple[Any, ...]
    taken: tuple[Instance, ...]
    outcomes: tuple[Outcome, ...]


def build_trace(
    system: System[Any],
    init_values: Sequence[object],
    taken: Sequence[Instance],
    property: Property | str,
) -> Trace:
    """The trace of ``taken`` from the initial state chosen by ``init_values``, confirmed by CPython.

    Raises ReplayMismatch if a step is impossible or ``property`` does not fail at the end (for a reachable: is
    not reached there); ModelError if that is because the model does not do the same twice.
    """
    try:
        return _confirmed_trace(system, init_values, taken, property)
    except ReplayMismatch:
        with system:
            refuse_unsteady(system, tuple(init_values), taken)
        raise


def _confirmed_trace(
    system: System[Any],
    init_values: Sequence[object],
    taken: Sequence[Instance],
    property: Property | str,
) -> Trace:
    name = property if isinstance(property, str) else property.name
    declared = find_property(system, property)
    with system:
        played = play(system, tuple(init_values), taken)
        message = confirm(system, played, name, declared)
        trace = record(system, played, name, kind_of(name, declared), message)
        last = played.outcomes[-1] if played.outcomes else None
        where = last.where if isinstance(last, Failed) else None
        return replace(trace, blame=reason(system, played, declared), where=where)


def find_property(system: System[Any], property: Property | str) -> Property | None:
    """The declared property of that name; None for a built-in one."""
    if isinstance(property, Property):
        return property
    return next((p for p in properties_for(system) if p.name == property), None)


def kind_of(name: str, declared: Property | None) -> str:
    """A property's kind as results name it."""
    if declared is not None:
        return declared.kind
    return "deadlock" if name == "deadlock" else "failure"


def play(system: System[Any], init_values: tuple[object, ...], taken: Sequence[Instance]) -> Played:
    """Executes ``taken``; raises ReplayMismatch where CPython cannot take a step."""
    start = next((s for values, s in initial_states(system) if tuple(values) == init_values), None)
    if start is None:
        shown = ", ".join(format_value(v) for v in init_values)
        raise ReplayMismatch(f"{system.name} has no initial state for init({shown})")
    states, outcomes = [start], list[Outcome]()
    for number, instance in enumerate(taken, 1):
        outcome = step(system, states[-1], instance)
        outcomes.append(outcome)
        if isinstance(outcome, Next):
            states.append(outcome.state)
        elif isinstance(outcome, Blocked) or number < len(taken):
            raise ReplayMismatch(
                f"{system.name}: step {number} of {len(taken)}, {describe(instance)}, cannot be taken: {outcome}"
            )
    return Played(init_values, tuple(states), tuple(taken), tuple(outcomes))


def confirm(
    system: System[Any], played: Played, name: str, declared: Property | None
) -> str | None:
    """Checks that ``name`` fails at the end of the run; returns the failure's message if it has one."""
    last = played.outcomes[-1] if played.outcomes else None
    if declared is None and name != "deadlock":
        if isinstance(last, Failed) and last.name == name:
            return last.message
        if isinstance(last, (Failed, Cut, Next)) and name in last.soft:
            return None
        raise ReplayMismatch(f"{system.name}: the run does not end in {name}: {last}")
    if last is not None and not isinstance(last, Next):
        raise ReplayMismatch(f"{system.name}: the last step of the run to {name} fails: {last}")
    if declared is None:
        confirmed = is_deadlock(system, played.states[-1])
    elif declared.kind == "step_invariant":
        confirmed = len(played.states) > 1 and not evaluate(system, declared, *played.states[-2:])
    else:
        holds = evaluate(system, declared, played.states[-1])
        confirmed = holds == (declared.kind == "reachable")
    if not confirmed:
        raise ReplayMismatch(f"{system.name}: {name} is not confirmed at the end of its run")
    return None


def reason(system: System[Any], played: Played, declared: Property | None) -> Blame | None:
    """The part of a declared property that is false at the end of the run."""
    if declared is None or declared.kind == "reachable":
        return None
    count = 2 if declared.kind == "step_invariant" else 1
    return explain(system, declared, *played.states[-count:])


def is_deadlock(system: System[Any], state: Any) -> bool:
    """Whether nothing can happen in ``state`` and it is not declared final."""
    if is_final(system, state):
        return False
    return all(isinstance(step(system, state, i), Blocked) for i in instances(system))


def record(
    system: System[Any], played: Played, name: str, kind: str, message: str | None = None
) -> Trace:
    """The run as data."""
    taken = zip(played.states, played.taken, played.outcomes, strict=False)
    return Trace(
        system=system.name,
        digest=digest(type(system)),
        scope=dict(system.scope),
        design=changed_switches(system),
        property_name=name,
        kind=kind,
        init={
            p.name: format_value(v) for p, v in zip(init_params(system), played.init, strict=True)
        },
        initial=to_json(played.states[0]),
        steps=tuple(step_of(*executed) for executed in taken),
        message=message,
    )


def thread_of(instance: Instance) -> str | None:
    """The thread that takes the step, as text."""
    return None if instance.thread is None else format_value(instance.thread)


def step_of(before: Any, instance: Instance, outcome: Outcome) -> Step:
    """One executed step as data."""
    after = outcome.state if isinstance(outcome, Next) else None
    return Step(
        thread_of(instance),
        instance.action.name,
        params_of(instance),
        None if after is None else to_json(after),
        () if after is None else tuple(changes(before, after)),
    )


def params_of(instance: Instance) -> dict[str, str]:
    """The parameters of a step as text."""
    named = zip(instance.action.params, instance.values, strict=True)
    return {p.name: format_value(v) for p, v in named}


def describe(instance: Instance) -> str:
    """``thread: action(param=value)``."""
    return Step(thread_of(instance), instance.action.name, params_of(instance), None).label()


def changed_switches(system: System[Any]) -> dict[str, Json]:
    """The switches of this system's design that differ from the default, and those that its preset sets."""
    values = switch_values(system)
    defaults = {s.name: s.default for s in design_switches(type(system))}
    return {
        n: to_json(v) for n, v in values.items() if v != defaults[n] or n in system.preset_switches
    }
