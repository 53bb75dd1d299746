"""Runs one system through the engines and says where they differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from explorer.compiler.dag import evaluate
from explorer.compiler.lower import Lowered, lower
from explorer.compiler.native import compile_program
from explorer.compiler.program import Transition
from explorer.lang.run import Blocked, Cut, Failed, Instance, Next, Outcome, instances, step
from explorer.lang.system import System
from explorer.reference.search import Exploration, explore
from explorer.result import Result
from explorer.search.check import check
from explorer.search.explore import search
from explorer.search.probe import Probe
from explorer.symbolic.bmc import bmc
from tests.differential.disagreement import Disagreement
from tests.differential.symmetry import count_orbits

STATES = 1500
STATES_STEPPED = 40
"""In so many states every transition of the IR is evaluated on its own."""


BOUND = 3
"""Bounded model checking looks at runs of so many steps."""


@dataclass(frozen=True)
class Agreement:
    """What all engines said."""

    states: int
    transitions: int
    verdicts: tuple[tuple[str, str, int | None], ...]


def compare(system: System[Any]) -> Agreement | None:
    """Raises Disagreement where two engines differ; None for a system that is too large."""
    reference = explore(system, max_states=STATES)
    if "state limit" in reference.result.incomplete:
        return None
    lowered = lower(system)
    compare_steps(system, lowered, reference)
    compare_states(lowered, reference)
    compare_results(reference.result, check(system))
    compare_reduced(system, reference)
    compare_bounded(reference.result, bmc(system, BOUND))
    result = reference.result
    verdicts = tuple((p.name, p.verdict, p.length) for p in result.properties)
    return Agreement(result.states, result.transitions, verdicts)


def compare_states(lowered: Lowered, reference: Exploration) -> None:
    """The same states, found in the same order."""
    found = search(
        compile_program(lowered.program),
        [leaves for _, leaves in lowered.initial],
        switches=lowered.switch_values,
    )
    graph = reference.graph
    expected = [lowered.flatten(graph.nodes[n]["state"]) for n in graph]
    actual = [found.values(n) for n in range(found.states)]
    if actual == expected:
        return
    missing = [s for s in expected if s not in set(actual)]
    extra = [s for s in actual if s not in set(expected)]
    raise Disagreement(
        f"native search: {len(missing)} states are missing, {len(extra)} are not reachable"
        f"{', the order differs' if not missing and not extra else ''}; leaves "
        f"{[leaf.path for leaf in lowered.program.leaves]}, missing {missing[:2]}, extra {extra[:2]}"
    )


def compare_results(reference: Result, native: Result) -> None:
    """The same counts, verdicts, lengths, traces."""
    for field in ("states", "transitions", "depth", "complete", "incomplete", "actions"):
        one, other = getattr(reference, field), getattr(native, field)
        if one != other:
            raise Disagreement(f"{field}: the reference says {one}, the native search {other}")
    # The compiler also lists failures that are possible and do not occur.
    occurring = {
        p.name: p for p in native.properties if p.kind != "failure" or p.length is not None
    }
    expected = {p.name: p for p in reference.properties}
    if list(occurring) != list(expected):
        raise Disagreement(
            f"properties: {list(expected)} by the reference, {list(occurring)} natively"
        )
    for name, p in expected.items():
        q = occurring[name]
        if (p.kind, p.verdict, p.length) != (q.kind, q.verdict, q.length):
            raise Disagreement(
                f"{name}: {p.verdict} {p.length} by the reference, {q.verdict} {q.length} natively"
            )
        if (p.trace and p.trace.to_json()) != (q.trace and q.trace.to_json()):
            raise Disagreement(f"{name}: two traces of the same length: {p.trace} and {q.trace}")


def compare_reduced(system: System[Any], reference: Exploration) -> None:
    """The same verdicts, lengths and traces, and one state per orbit."""
    # The reduction is used whether it pays or not: these systems are too small for it.
    with patch("explorer.search.check.probe", return_value=Probe(99.0, 0.0)):
        reduced = check(system, reductions=True)
    for field in ("depth", "complete", "incomplete"):
        one, other = getattr(reference.result, field), getattr(reduced, field)
        if one != other:
            raise Disagreement(f"{field}: the reference says {one}, the reduced search {other}")
    expected = {p.name: (p.verdict, p.length) for p in reference.result.properties}
    actual = {p.name: (p.verdict, p.length) for p in reduced.properties if p.name in expected}
    if expected != actual:
        raise Disagreement(f"{expected} by the reference, {actual} reduced by symmetry")
    for p in reference.result.properties:
        q = reduced.find(p.name)
        if (p.trace and p.trace.to_json()) != (q and q.trace and q.trace.to_json()):
            raise Disagreement(f"{p.name}: {p.trace}, and reduced by symmetry {q and q.trace}")
    if reduced.states != (orbits := count_orbits(system, reference)):
        raise Disagreement(
            f"{orbits} orbits, and the reduced search visits {reduced.states} states"
        )


def compare_bounded(reference: Result, bounded: Result) -> None:
    """Everything that is found within the bound, at the same length, and nothing else."""
    near = {
        p.name: (p.verdict, p.length)
        for p in reference.properties
        if p.length is not None and p.length <= BOUND
    }
    found = {p.name: (p.verdict, p.length) for p in bounded.properties if p.length is not None}
    if near != found:
        raise Disagreement(f"within {BOUND} steps: {near} by the reference, {found} by bmc")


def compare_steps(system: System[Any], lowered: Lowered, reference: Exploration) -> None:
    """The IR's transitions, with constant and with open parameters, against steps that CPython takes."""
    program = lowered.program
    every = instances(system)
    symbolic = lowered.symbolic()
    for number in range(min(STATES_STEPPED, reference.result.states)):
        state = reference.graph.nodes[number]["state"]
        leaves = lowered.flatten(state)
        for position, instance in enumerate(every):
            expected = describe(lowered, step(system, state, instance))
            action, indices = program.instances[position]
            for transition, params in (
                (program.transitions[position], ()),
                (symbolic[action], indices),
            ):
                actual = run_ir(lowered, transition, leaves, params)
                if actual != expected:
                    raise Disagreement(
                        f"in state {dict(zip([x.path for x in program.leaves], leaves, strict=True))} "
                        f"{show(instance)} is {expected} in CPython and {actual} in the IR"
                        f"{' with open parameters' if params else ''}"
                    )


def show(instance: Instance) -> str:
    """An instance for a message."""
    return f"{instance.action.name}{instance.values}"


Described = tuple[str, tuple[str, ...], object]


def describe(lowered: Lowered, outcome: Outcome) -> Described:
    """An outcome as what happened, the soft failures, and the name of what failed or the state after it."""
    match outcome:
        case Blocked():
            return ("blocked", (), None)
        case Failed(name, _, soft, _):
            return ("failed", tuple(sorted(soft)), name)
        case Cut(name, soft):
            return ("cut", tuple(sorted(soft)), name)
        case Next(state, soft):
            return ("next", tuple(sorted(soft)), lowered.flatten(state))


def run_ir(
    lowered: Lowered, transition: Transition, leaves: tuple[int, ...], params: tuple[int, ...]
) -> Described:
    """What a transition of the IR does in a state, in the same form."""
    program = lowered.program
    updates = list(transition.updates.items())
    events = [*transition.failures, *transition.soft, *transition.cuts]
    nodes = [transition.disabled, *(e.condition for e in events), *(node for _, node in updates)]
    values = list(evaluate(nodes, leaves, params=params, switches=lowered.switch_values))
    if values[0]:
        return ("blocked", (), None)
    happened = [e for e, v in zip(events, values[1:], strict=False) if v]
    hard = [program.failure_names[e.failure] for e in happened if e in transition.failures]
    cuts = [program.cut_names[e.failure] for e in happened if e in transition.cuts]
    soft = tuple(
        sorted({program.failure_names[e.failure] for e in happened if e in transition.soft})
    )
    if len(set(hard)) + len(set(cuts)) > 1:
        raise Disagreement(f"the IR reports {hard} and {cuts} for one step")
    if hard:
        return ("failed", soft, hard[0])
    if cuts:
        return ("cut", soft, cuts[0])
    after = list(leaves)
    for (leaf, _), value in zip(updates, values[1 + len(events) :], strict=True):
        after[leaf] = value
    return ("next", soft, tuple(after))
