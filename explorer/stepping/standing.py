"""Which properties hold, fail or are reached where a walk stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from explorer.lang.errors import ModelError
from explorer.lang.properties import Property, properties_for
from explorer.lang.run import Blocked, Failed, evaluate
from explorer.stepping.session import Session
from explorer.trace.blame import Blame
from explorer.trace.explain import explain
from explorer.trace.replay import is_deadlock

Verdict = Literal["holds", "violated", "reached", "not reached", "not decided"]


@dataclass(frozen=True)
class Standing:
    """What can be said of a property at one place of a walk. ``kind`` is as in results; ``blame`` and ``note`` say why."""

    name: str
    kind: str
    verdict: Verdict
    blame: Blame | None = None
    note: str = ""


def standings(session: Session, *, deadlock: bool) -> Iterator[Standing]:
    """First what the last step fails with, then each property in order of declaration, then (if asked) a deadlock."""
    system, last, state, before = session.system, session.last, session.state, session.before
    outcome = None if last is None else last.outcome
    if outcome is not None and not isinstance(outcome, Blocked):
        for name in outcome.soft:
            yield Standing(name, "failure", "violated")
    if isinstance(outcome, Failed):
        yield Standing(outcome.name, "failure", "violated", None, outcome.message)
    if state is None:
        return
    for prop in properties_for(system):
        match prop.kind:
            case "temporal":
                yield Standing(prop.name, prop.kind, "not decided", None, "it is about whole runs")
            case "step_invariant" if before is None:
                yield Standing(prop.name, prop.kind, "not decided", None, "no step was taken")
            case "step_invariant":
                yield _looked(session, prop, before, state)
            case _:
                yield _looked(session, prop, state)
    if deadlock and is_deadlock(system, state):
        yield Standing("deadlock", "deadlock", "violated", None, "no action is enabled here")


def _looked(session: Session, prop: Property, *states: Any) -> Standing:
    try:
        true = evaluate(session.system, prop, *states)
    except ModelError as error:
        return Standing(prop.name, prop.kind, "not decided", None, error.message)
    if prop.kind == "reachable":
        return Standing(prop.name, prop.kind, "reached" if true else "not reached")
    if true:
        return Standing(prop.name, prop.kind, "holds")
    return Standing(prop.name, prop.kind, "violated", explain(session.system, prop, *states))
