"""Random systems of threads that do a few steps each: many shortest runs to the same end, with different switches."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

from explorer.lang.properties import Property
from explorer.lang.run import (
    Blocked,
    Failed,
    Instance,
    Next,
    evaluate,
    initial_states,
    instances,
    is_final,
    step,
)
from explorer.lang.system import System
from explorer.reference.search import explore
from explorer.result import Result
from explorer.search.check import check
from explorer.search.probe import Probe
from explorer.trace.threads import switches
from tests.differential.chooser import Chooser, chance, pick
from tests.differential.disagreement import Disagreement

HEADER = '''\
"""A random model of threads."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from explorer.lang import (
    Between, Map, Pool, Set, Sort, System, action, given, invariant, panic, reachable, record, require,
    soft_panic, step_invariant,
)


class P(Sort):
    """A process."""


class Q(Sort):
    """What processes take and give back."""


class Who(Enum):
    """Threads that are no processes."""

    A = 0
    B = 1


@record(frozen=True)
class Pair:
    """Two processes that do something together."""

    one: P
    other: P


@record
class State:
    """Where each process is, and what they share."""

    at: Map[P, Annotated[int, Between(0, 3)]]
    x: Annotated[int, Between(0, 3)]
    owner: P | None
    flags: Set[P]
    things: Pool[Q, P]


class Model(System[State]):
    """Random steps."""

'''

STATES = 400
# Runs that are listed one by one, and how long they may be.
_RUNS, _LENGTH = 2_000, 8


def threaded(chooser: Chooser) -> str:
    """The source of a model; its system is ``Model``."""
    processes, things = 2 + chooser.index(2), 1 + chooser.index(2)
    lines = [f'    default_scope = {{"P": {processes}, "Q": {things}}}', ""]
    if chance(chooser, 60):
        lines += ["    def init(self, s: State, x: Annotated[int, Between(0, 2)]) -> None:"]
        lines += ["        s.x = x", ""]
    for number in range(4 + chooser.index(4)):
        lines += _action(chooser, number)
    if chance(chooser, 30):
        lines += [
            "    def is_final(self, s: State) -> bool:",
            f"        return {_about(chooser)}",
            "",
        ]
    for number in range(2):
        lines += ["", "@invariant", f"def never{number}(s: State) -> bool:"]
        lines += [f"    return not ({_all(chooser)})", ""]
    lines += ["", "@reachable", "def some_time(s: State) -> bool:"]
    lines += [f"    return {_all(chooser)}", ""]
    lines += ["", "@step_invariant", "def no_such_step(before: State, after: State) -> bool:"]
    lines += [f"    return before.x == after.x or not ({_about(chooser, 'after')})", ""]
    return HEADER + "\n".join(lines) + "\n"


def _all(chooser: Chooser) -> str:
    return " and ".join(_about(chooser) for _ in range(3))


def _about(chooser: Chooser, s: str = "s") -> str:
    """Something about a state."""
    n = chooser.index(4)
    return pick(
        chooser,
        [
            f"{s}.x == {n}",
            f"all({s}.at[p] >= {min(n, 2)} for p in P)",
            f"all({s}.at[p] >= 1 for p in P)",
            f"sum(1 for p in P if {s}.at[p] >= {n}) >= 2",
            f"any({s}.at[p] == {n} for p in P)",
            f"len({s}.flags) >= 2",
            f"any(p in {s}.flags and {s}.at[p] >= {n} for p in P)",
            f"{s}.owner is not None",
            f"len({s}.things) >= 1",
        ],
    )


def _action(chooser: Chooser, number: int) -> list[str]:
    """An action of a process, of two, of a thread of its own, of the holder of a thing, or of nobody."""
    kind = pick(chooser, ["process", "process", "process", "pair", "who", "nobody", "thing"])
    thread, parameter = {
        "process": ('(thread="p")', ", p: P"),
        "pair": ('(thread="pair")', ", pair: Pair"),
        "who": (f"(thread=Who.{pick(chooser, ['A', 'B'])})", ", p: P"),
        "nobody": ("", ", p: P"),
        "thing": ('(thread="q")', ", q: Q"),
    }[kind]
    a, b, c = chooser.index(3), chooser.index(4), chooser.index(4)
    lines = [f"    @action{thread}", f"    def act{number}(self, s: State{parameter}) -> None:"]
    if kind == "pair":
        lines += ["        p = pair.one", "        require(p != pair.other)"]
        lines += [f"        require(s.at[pair.other] >= {a})"]
    elif kind == "thing":
        lines += ["        require(q in s.things)", "        p = s.things[q]"]
    a = number % 3 if chance(chooser, 60) else a
    lines.append(f"        require(s.at[p] == {a})")
    if chance(chooser, 40):
        conditions = [f"s.x == {b}", f"s.x != {b}", "p in s.flags", "p not in s.flags"]
        conditions += ["s.owner is None", "s.owner == p"]
        lines.append(f"        require({pick(chooser, conditions)})")
    effects = [f"s.at[p] = {a + 1 if chance(chooser, 70) else chooser.index(4)}"]
    if chance(chooser, 50):
        effects.append(f"s.x = {pick(chooser, [str(c), '(s.x + 1) % 4', 's.at[p]'])}")
    if chance(chooser, 40):
        effects.append(pick(chooser, ["s.flags.add(p)", "s.flags.discard(p)"]))
    if chance(chooser, 30):
        effects.append(pick(chooser, ["s.owner = p", "s.owner = None"]))
    if kind == "thing":
        effects.append(pick(chooser, ["s.things.free(q)", "s.x = 3"]))
    elif chance(chooser, 25):
        effects.insert(0, "require(len(s.things) < len(Q))")
        effects.append("s.things.alloc(p)")
    if chance(chooser, 20):
        effects.append(f'if {_about(chooser)}:\n            soft_panic("soft")')
    if chance(chooser, 15):
        effects.append(f'if {_about(chooser)}:\n            panic("hard")')
    return [*lines, *(f"        {e}" for e in effects), ""]


def compare_calm(system: System[Any]) -> list[tuple[int, int]] | None:
    """Lengths and switches of the runs that were found, the same by all searches; None for a system that is too large. Raises
    Disagreement."""
    reference = explore(system, max_states=STATES).result
    if "state limit" in reference.incomplete:
        return None
    with patch("explorer.search.check.probe", return_value=Probe(99.0, 0.0)):
        reduced = check(system, reductions=True)
    results = {
        "natively": check(system),
        "reduced by symmetry": reduced,
        "stopping at once": check(system, first=True),
        "stopping early": check(system, max_states=max(1, reference.states // 2)),
        "slowly, stopping early": explore(system, max_states=max(1, reference.states // 2)).result,
    }
    for how, result in results.items():
        for p in result.properties:
            expected = reference.find(p.name)
            if p.trace and p.trace.to_json() != (
                expected and expected.trace and expected.trace.to_json()
            ):
                raise Disagreement(f"{p.name}, {how}: {p.trace}, and {expected}")
    if any(p.trace and not reduced.properties for p in reference.properties):
        raise Disagreement("found by the reference only")
    found = []
    for p in reference.properties:
        if p.trace is not None and p.trace.length <= _LENGTH:
            threads = [s.thread for s in p.trace.steps]
            least = fewest(system, reference, p.name)
            found.append((p.trace.length, sum(a != b for a, b in itertools.pairwise(threads))))
            if least is not None and least != found[-1][1]:
                raise Disagreement(f"{p.name}: {least} switches suffice: {p.trace}")
    return found


def fewest(system: System[Any], result: Result, name: str) -> int | None:
    """The fewest switches of all runs of the least length to what was found, listed one by one; None if there are too many."""
    verdict = result.find(name)
    assert verdict is not None and verdict.length is not None
    prop = next((p for p in _declared(system) if p.name == name), None)
    everything = instances(system)
    runs: list[tuple[list[Instance], Any]] = [([], s) for _, s in initial_states(system)]
    for _ in range(verdict.length - 1):
        runs = [
            ([*taken, instance], after.state)
            for taken, state in runs
            for instance in everything
            if isinstance(after := step(system, state, instance), Next)
        ]
        if len(runs) > _RUNS:
            return None
    if verdict.length == 0:
        return 0
    return min(
        switches([*taken, instance])
        for taken, state in runs
        for instance in everything
        if _shows(system, state, instance, name, prop)
    )


def _declared(system: System[Any]) -> Iterator[Property]:
    from explorer.lang.properties import properties_for

    return iter(properties_for(system))


def _shows(
    system: System[Any], state: Any, instance: Instance, name: str, prop: Property | None
) -> bool:
    outcome = step(system, state, instance)
    if isinstance(outcome, Blocked):
        return False
    if name == "deadlock":
        return (
            isinstance(outcome, Next)
            and all(isinstance(step(system, outcome.state, i), Blocked) for i in instances(system))
            and not is_final(system, outcome.state)
        )
    if prop is None:
        return name in outcome.soft or (isinstance(outcome, Failed) and outcome.name == name)
    if not isinstance(outcome, Next):
        return False
    if prop.kind == "step_invariant":
        return not evaluate(system, prop, state, outcome.state)
    return evaluate(system, prop, outcome.state) == (prop.kind == "reachable")
