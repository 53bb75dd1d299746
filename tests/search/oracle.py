"""Breadth-first search by ``dag.evaluate``: slow, short, and what ``explorer.search`` has to agree with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from explorer.compiler.dag import Node, evaluate
from explorer.compiler.program import Failure, Predicate, Program

State = tuple[int, ...]
Where = tuple[int, int | None]


@dataclass
class Answer:
    """States in order of discovery, each with its predecessor and instance; first occurrences by number."""

    states: list[State] = field(default_factory=list)
    origin: list[tuple[int, int] | None] = field(default_factory=list)
    transitions: int = 0
    properties: dict[int, Where] = field(default_factory=dict)
    unclear: dict[int, Where] = field(default_factory=dict)
    failures: dict[int, Where] = field(default_factory=dict)
    cuts: dict[int, int] = field(default_factory=dict)
    deadlock: int | None = None
    enabled: list[int] = field(default_factory=list)
    taken: list[int] = field(default_factory=list)

    def depth(self, state: int) -> int:
        """The state's distance from the initial ones."""
        origin = self.origin[state]
        return 0 if origin is None else self.depth(origin[0]) + 1


def explore(program: Program, initial: Sequence[State], switches: Sequence[int] = ()) -> Answer:
    """Everything reachable."""
    answer = Answer(enabled=[0] * len(program.actions), taken=[0] * len(program.actions))
    numbers: dict[State, int] = {}

    def value(node: Node, before: State, after: State = ()) -> int:
        return next(evaluate([node], before, after, (), switches))

    def true(failures: tuple[Failure, ...], before: State, after: State = ()) -> list[int]:
        return [f.failure for f in failures if value(f.condition, before, after)]

    def judge(i: int, p: Predicate, where: Where, before: State, after: State = ()) -> None:
        if i in answer.properties or i in answer.unclear:
            return
        if true(p.failures, before, after):
            answer.unclear[i] = where
        elif value(p.holds, before, after) == (p.kind == "reachable"):
            answer.properties[i] = where

    def reach(state: State, origin: tuple[int, int] | None) -> None:
        if state in numbers:
            return
        numbers[state] = number = len(answer.states)
        answer.states.append(state)
        answer.origin.append(origin)
        for i, p in enumerate(program.predicates):
            if p.kind != "step_invariant":
                judge(i, p, (number, None), state)

    for state in initial:
        reach(state, None)
    number = 0
    while number < len(answer.states):
        state, stuck = answer.states[number], True
        for i, transition in enumerate(program.transitions):
            if value(transition.disabled, state):
                continue
            stuck = False
            answer.enabled[transition.action] += 1
            failed = true(transition.failures, state)
            for name in true(transition.soft, state) + failed:
                answer.failures.setdefault(name, (number, i))
            cut = true(transition.cuts, state)
            for name in cut:
                answer.cuts[name] = answer.cuts.get(name, 0) + 1
            if failed or cut:
                continue
            answer.taken[transition.action] += 1
            answer.transitions += 1
            after = list(state)
            for leaf, node in transition.updates.items():
                after[leaf] = value(node, state)
            reach(tuple(after), (number, i))
            for k, p in enumerate(program.predicates):
                if p.kind == "step_invariant":
                    judge(k, p, (number, i), state, tuple(after))
        if stuck and answer.deadlock is None and not value(program.final.holds, state):
            answer.deadlock = number
        number += 1
    return answer
