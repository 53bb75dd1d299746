"""Counterexamples on a labelled graph as traces, confirmed by what the file says."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence

from explorer.graphs.read import LabelledGraph
from explorer.lang.formulas import Atom, Formula
from explorer.liveness.lasso import Lasso
from explorer.logic.lasso import satisfies
from explorer.logic.owed import owed, shown, when
from explorer.trace.replay import ReplayMismatch
from explorer.trace.trace import Step, Trace

# As many fair sets get a line of their own.
_MOST_SETS = 12


def trace_of(source: LabelledGraph, text: str, formula: Formula, run: Lasso) -> Trace:
    """The trace of a fair run that violates ``formula``, whose atoms are names of labels; ``text`` is how it was given.

    ``run`` has numbers of states and actions as in the file. Raises ReplayMismatch if it is no run, not fair, or
    satisfies the formula: that shares nothing with the search.
    """
    states = [run.start, *(state for _, state in (*run.prefix, *run.cycle))]
    taken = [action for action, _ in (*run.prefix, *run.cycle)]
    loop = len(run.prefix)
    held = dict(source.labels)

    def at(atom: Atom, position: int) -> bool:
        return states[position] in held[str(atom.what)]

    positions = max(loop + 1, len(taken))
    problem = next(_problems(source, states, taken, loop), None)
    if problem is None and satisfies(formula, positions, loop, at):
        problem = "satisfies it"
    if problem is not None:
        raise ReplayMismatch(f"{source.name}: the run against {text} {problem}")
    names = [source.states[state] for state in states]
    steps = [
        Step(
            thread=None,
            action=source.actions[action],
            params={},
            state={"state": after},
            changes=() if before == after else (("state", before, after),),
        )
        for action, before, after in zip(taken, names, names[1:], strict=False)
    ]
    return Trace(
        system=source.name,
        digest=digest(source),
        scope={},
        design={},
        property_name=text,
        kind="temporal",
        init={"state": names[0]},
        initial={"state": names[0]},
        steps=tuple(steps),
        loop=loop,
        explanation=(
            f"{shown(formula)} is false:",
            *(f"  {line}" for line in owed(formula, positions, loop, at)),
            *_why_fair(source, states, taken, loop),
        ),
    )


def _problems(
    source: LabelledGraph, states: Sequence[int], taken: Sequence[int], loop: int
) -> Iterator[str]:
    """What makes a lasso no fair run of the graph."""
    edges, enabled = set(source.edges), _enabled(source, states)
    if states[0] not in source.initial:
        yield "begins nowhere"
    if any(step not in edges for step in zip(states, taken, states[1:], strict=False)):
        yield "takes a step that there is not"
    if states[loop] != states[-1]:
        yield "does not come back to where its cycle begins"
    if loop == len(taken) and not source.stuttering and enabled[states[-1]]:
        yield "stops where it may not"
    for kind, members in _fair(source):
        taken_here = members & set(taken[loop:])
        on = [bool(members & enabled[state]) for state in states[loop:]]
        if not taken_here and (any(on) if kind == "strong" else all(on)):
            yield f"is not fair: {_name(source, kind, members)}"


def _why_fair(
    source: LabelledGraph, states: Sequence[int], taken: Sequence[int], loop: int
) -> Iterator[str]:
    """For each fair set why it does not end the run's cycle."""
    enabled = _enabled(source, states)
    fair = list(_fair(source))
    if loop == len(taken):
        if not enabled[states[-1]]:
            yield "no step is enabled there: the state repeats for ever"
        else:
            yield "it may stop: no set to which runs are fair is enabled there"
        return
    if fair:
        yield "and yet the run is fair:"
    for kind, members in fair[:_MOST_SETS]:
        name = _name(source, kind, members)
        step = next((i for i in range(loop, len(taken)) if taken[i] in members), None)
        off = next((i for i in range(loop, len(taken)) if not members & enabled[states[i]]), None)
        if step is not None:
            yield f"  {name}: taken at step {step + 1}"
        elif kind == "strong":
            yield f"  {name}: never enabled in the cycle"
        else:
            assert off is not None
            yield f"  {name}: disabled {when(off)}, in {source.states[states[off]]}"
    if len(fair) > _MOST_SETS:
        yield f"  and so it is to {len(fair) - _MOST_SETS} more"


def _fair(source: LabelledGraph) -> Iterator[tuple[str, frozenset[int]]]:
    for kind, sets in (("weak", source.weak), ("strong", source.strong)):
        for members in sets:
            yield kind, members


def _name(source: LabelledGraph, kind: str, members: frozenset[int]) -> str:
    return f"{kind} {', '.join(source.actions[action] for action in sorted(members))}"


def _enabled(source: LabelledGraph, states: Sequence[int]) -> dict[int, set[int]]:
    """The actions of some states."""
    found: dict[int, set[int]] = {state: set() for state in states}
    for start, action, _ in source.edges:
        if start in found:
            found[start].add(action)
    return found


def digest(source: LabelledGraph) -> str:
    """Identifies what a graph says, as that of a model does."""
    edges = [[source.states[a], source.actions[x], source.states[b]] for a, x, b in source.edges]
    labels = {n: sorted(source.states[s] for s in held) for n, held in source.labels}
    fair = [
        [sorted(source.actions[x] for x in s) for s in sets]
        for sets in (source.weak, source.strong)
    ]
    initial = [source.states[s] for s in source.initial]
    whole = json.dumps([initial, edges, labels, fair, source.stuttering])
    return f"sha256:{hashlib.sha256(whole.encode()).hexdigest()}"
