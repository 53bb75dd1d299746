"""The run that a trace records, taken again under CPython: nothing is explained that does not happen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from explorer.lang.errors import ModelError
from explorer.lang.fairness import FairSet
from explorer.lang.properties import Property
from explorer.lang.run import Failed, Instance, evaluate, init_params
from explorer.lang.system import System
from explorer.lang.temporal import Instance as Stated
from explorer.lang.temporal import temporal_instances
from explorer.trace.again import Replayed, replay
from explorer.trace.digest import digest
from explorer.trace.lasso import declared_fair
from explorer.trace.replay import (
    Played,
    confirm,
    find_property,
    play,
    reason,
    record,
)
from explorer.trace.script import find_action, parse_arguments
from explorer.trace.trace import Trace

# As many differences are named.
_DETAILS = 3


@dataclass(frozen=True)
class Rerun:
    """A run that was confirmed.

    ``trace`` is the run as it came out, ``declared`` the property that it is about (None for a failure or a deadlock), ``stated`` and
    ``fair`` are the temporal property's instance and what runs are fair to. ``recorded`` is the number of steps of the trace in the
    file: more than the run has if the property fails before its end.
    """

    system: System[Any]
    trace: Trace
    played: Played
    declared: Property | None
    stated: Stated | None
    fair: tuple[FairSet, ...]
    recorded: int
    same_source: bool

    @property
    def length(self) -> int:
        """The number of steps, the offending one included."""
        return len(self.played.taken)


def rerun(trace: Trace, system: System[Any]) -> Rerun:
    """Takes the run of a trace again, up to where its property first fails.

    Raises ModelError if it is not the run that is recorded, or its property does not fail (or, for a witness, is not reached) at the end.
    """
    replayed = replay(trace, system)
    if replayed.difference is not None or not replayed.confirmed or replayed.now is None:
        raise _refused(replayed)
    played = _played(trace, system)
    declared = find_property(system, trace.property_name)
    first = _first(system, trace.property_name, declared, played)
    now = replace(replayed.now, blame=replayed.blame, where=_where(played))
    if first < len(played.taken):
        played = _up_to(played, first)
        message = confirm(system, played, trace.property_name, declared)
        now = record(system, played, trace.property_name, trace.kind, message)
        now = replace(now, blame=reason(system, played, declared), where=_where(played))
    stated: Stated | None = None
    fair: tuple[FairSet, ...] = ()
    if declared is not None and declared.kind == "temporal":
        wanted = trace.instance or ""
        stated = next(s for s in temporal_instances(system, declared) if s.text == wanted)
        fair = declared_fair(system, declared)
    return Rerun(
        system,
        now.labelled(trace.system, trace.preset),
        played,
        declared,
        stated,
        fair,
        trace.length,
        trace.digest == digest(type(system)),
    )


def _played(trace: Trace, system: System[Any]) -> Played:
    init = parse_arguments("init", init_params(system), trace.init, system)
    taken = []
    for recorded in trace.steps:
        action = find_action(system, recorded.action)
        values = parse_arguments(action.name, action.params, recorded.params, system)
        taken.append(Instance(action, values))
    with system:
        return play(system, init, taken)


def _first(system: System[Any], name: str, declared: Property | None, played: Played) -> int:
    """The number of steps after which the property first fails (or is reached)."""
    last = len(played.taken)
    if declared is None:
        if name == "deadlock":
            return last
        found = (n for n, o in enumerate(played.outcomes, 1) if name in getattr(o, "soft", ()))
        return next(found, last)
    if declared.kind == "temporal":
        return last
    if declared.kind == "step_invariant":
        pairs = zip(played.states, played.states[1:], strict=False)
        wrong = (n for n, pair in enumerate(pairs, 1) if not evaluate(system, declared, *pair))
        return next(wrong, last)
    wanted = declared.kind == "reachable"
    there = (
        n for n, state in enumerate(played.states) if evaluate(system, declared, state) == wanted
    )
    return next(there, last)


def _up_to(played: Played, steps: int) -> Played:
    outcomes = played.outcomes[:steps]
    return Played(played.init, played.states[: steps + 1], played.taken[:steps], outcomes)


def _where(played: Played) -> Any:
    last = played.outcomes[-1] if played.outcomes else None
    return last.where if isinstance(last, Failed) else None


def _refused(replayed: Replayed) -> ModelError:
    """Why a run is not explained."""
    name = replayed.recorded.property_name
    hints = ["`slotcheck replay` shows the run as it is now"]
    if not replayed.same_source:
        hints.append("the model's source has changed since the trace was recorded")
    difference = replayed.stopped or replayed.difference
    if difference is not None:
        where = "in the initial state" if not difference.step else f"at step {difference.step}"
        details = difference.details[:_DETAILS]
        more = len(difference.details) - len(details)
        what = "; ".join([difference.what, *details, *([f"and {more} more"] if more else [])])
        return ModelError(
            f"the run is not the recorded one any more: {where}, {what}", hint="; ".join(hints)
        )
    if replayed.problem is not None:
        return ModelError(
            f"{name} does not fail: the run {replayed.problem}", hint="; ".join(hints)
        )
    verb = "is not reached" if replayed.recorded.kind == "reachable" else "does not fail"
    if replayed.earlier is not None:
        verb = f"fails after {replayed.earlier} steps, and not"
    return ModelError(f"{name} {verb} at the end of the run", hint="; ".join(hints))
