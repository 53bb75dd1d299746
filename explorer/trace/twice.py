"""Whether a model does the same when it is run twice: one that reads random numbers, the time or a variable that it changes
does not, and no verdict on it means anything."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

from explorer.lang.errors import ModelError
from explorer.lang.properties import Property, properties_for
from explorer.lang.run import (
    Cut,
    Failed,
    Instance,
    Next,
    Outcome,
    evaluate,
    holds,
    initial_states,
    is_final,
    key,
    step,
)
from explorer.lang.system import System
from explorer.lang.temporal import temporal_instances

T = TypeVar("T")

# A coin shows both sides in that many tries, or nearly always.
_TRIES = 20


def refuse_unsteady(
    system: System[Any], init_values: tuple[object, ...], taken: Sequence[Instance]
) -> None:
    """Raises ModelError if the run, or a property along it, comes out differently when it is repeated."""

    def start() -> Any:
        return next((s for v, s in initial_states(system) if tuple(v) == init_values), None)

    _same("init", lambda: None if (state := start()) is None else key(state))
    state = start()
    if state is None:
        return
    states = [state]
    for instance in taken:
        outcome = step(system, states[-1], instance)
        here = states[-1]
        _same(
            f"action {instance.action.name}",
            lambda here=here, instance=instance: _comparable(step(system, here, instance)),  # type: ignore[misc]
        )
        if not isinstance(outcome, Next):
            break
        states.append(outcome.state)
    _same("is_final", lambda: [is_final(system, s) for s in states])
    for prop in properties_for(system):
        _same(f"the property {prop.name}", lambda prop=prop: _values(system, prop, states))  # type: ignore[misc]


def _values(system: System[Any], prop: Property, states: Sequence[Any]) -> list[bool]:
    """What a property, or a temporal one's predicates, says along a run."""
    if prop.kind == "temporal":
        atoms = dict.fromkeys(a for i in temporal_instances(system, prop) for a in i.atoms())
        return [holds(system, atom, s) for atom in atoms for s in states]
    if prop.kind == "step_invariant":
        return [evaluate(system, prop, *pair) for pair in zip(states, states[1:], strict=False)]
    return [evaluate(system, prop, s) for s in states]


def _same(what: str, function: Callable[[], T]) -> None:
    first = function()
    if any(function() != first for _ in range(_TRIES)):
        raise ModelError(
            f"the model gives different results when run twice: {what}",
            hint="a model may read its state, its parameters and constants; no random numbers, no time, "
            "no variable that changes, no order of a Python set",
        )


def _comparable(outcome: Outcome) -> Hashable:
    match outcome:
        case Next(state, soft):
            return "next", key(state), soft
        case Failed(name, message, soft, _):
            return "failed", name, message, soft
        case Cut(name, soft):
            return "cut", name, soft
    return "blocked"
