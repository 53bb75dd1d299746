"""From what an engine found to verdicts with replayed traces; used by every engine that works on lowered programs.

The runs are shortest ones. Of these the exhaustive search shows the one with the fewest switches between threads, then the first in
declaration order (see ``calm``; beyond a limit the first one that it met, with a note); bounded model checking any.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from explorer.compiler.lower import Lowered
from explorer.lang.errors import ModelError
from explorer.lang.properties import Property
from explorer.lang.run import Blocked, Failed, Instance, Next, evaluate, is_final, step
from explorer.lang.system import System
from explorer.result import Kind, PropertyResult, Verdict
from explorer.trace.replay import ReplayMismatch, build_trace, play

DEADLOCK = "deadlock"
FINAL = "is_final"


@dataclass(frozen=True)
class Run:
    """A choice of init's parameters and the steps from there."""

    init: tuple[object, ...]
    taken: Sequence[Instance]


def verdicts(
    system: System[Any], lowered: Lowered, runs: Mapping[str, Run], complete: bool
) -> Iterator[PropertyResult]:
    """The declared properties in order, the failures that the program can have by name, deadlock.

    ``runs`` has a shortest run to each violation and witness that was found, by name.
    """
    program, declared = lowered.program, lowered.properties
    possible = {
        program.failure_names[f.failure]
        for t in program.transitions
        for f in (*t.failures, *t.soft)
    }
    goals: list[tuple[str, Kind, Property | str]] = [(p.name, p.kind, p) for p in declared]
    goals += [(name, "failure", name) for name in sorted(possible)]
    goals.append((DEADLOCK, "deadlock", DEADLOCK))
    for name, kind, prop in goals:
        wanted = kind == "reachable"
        run = runs.get(name)
        if run is not None:
            trace = build_trace(system, run.init, run.taken, prop)
            verdict: Verdict = "reached" if wanted else "violated"
            yield PropertyResult(name, kind, verdict, trace.length, trace)
        elif not complete:
            yield PropertyResult(name, kind, "unknown")
        else:
            yield PropertyResult(name, kind, "unreached" if wanted else "holds")


def refuse_unclear(system: System[Any], run: Run, prop: Property | None) -> NoReturn:
    """Raise the ModelError with which CPython fails to evaluate ``prop`` (None: ``is_final``) at the end of a run.

    Raises ReplayMismatch if CPython does not fail.
    """
    states = play(system, run.init, run.taken).states
    try:
        if prop is None:
            is_final(system, states[-1])
        else:
            evaluate(system, prop, *states[-2 if prop.kind == "step_invariant" else -1 :])
    except ModelError as error:
        raise ModelError(error.message, where=error.where, hint=error.hint or where(run)) from None
    name = FINAL if prop is None else prop.name
    raise ReplayMismatch(f"{system.name}: the engine could not evaluate {name}, CPython can")


def where(run: Run) -> str:
    """How to get to the end of a run, for a hint."""
    if not run.taken:
        return "it happens in an initial state"
    script = "; ".join(i.text for i in run.taken)
    return f"it happens after {script}"


def shows(
    system: System[Any], state: Any, instance: Instance, name: str, prop: Property | None
) -> bool:
    """Whether a step shows a failure, a soft panic, or the violation of a step invariant."""
    outcome = step(system, state, instance)
    if isinstance(outcome, Blocked):
        return False
    if prop is None:
        return name in outcome.soft or (isinstance(outcome, Failed) and outcome.name == name)
    return isinstance(outcome, Next) and not evaluate(system, prop, state, outcome.state)
