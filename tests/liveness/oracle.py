"""The product of a small graph and an automaton, explored without any cleverness.

A fair cycle is looked for from each node, by trying every way on with everything that was met on it: which conditions
were satisfied, which sets had a step, which were disabled or enabled somewhere. No components, nothing shared with the package.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Node: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class Case:
    """A graph: per state its edges (instance, target), its letter; sets of instances."""

    edges: tuple[tuple[tuple[int, int], ...], ...]
    letters: tuple[int, ...]
    weak: tuple[frozenset[int], ...] = ()
    strong: tuple[frozenset[int], ...] = ()
    stuttering: bool = True
    initial: tuple[int, ...] = (0,)

    def enabled(self, sets: tuple[frozenset[int], ...], state: int) -> frozenset[int]:
        here = {label for label, _ in self.edges[state]}
        return frozenset(i for i, members in enumerate(sets) if members & here)

    def may_stop(self, state: int) -> bool:
        fair = not self.enabled((*self.weak, *self.strong), state)
        return fair and (self.stuttering or not self.edges[state])


@dataclass(frozen=True)
class Met:
    """What a way round has met so far."""

    marks: int = 0
    taken_weak: frozenset[int] = field(default_factory=frozenset)
    taken_strong: frozenset[int] = field(default_factory=frozenset)
    disabled_weak: frozenset[int] = field(default_factory=frozenset)
    enabled_strong: frozenset[int] = field(default_factory=frozenset)


class Oracle:
    """Answers about one graph and one automaton."""

    def __init__(self, case: Case, automaton: Any) -> None:
        self.case, self.automaton = case, automaton

    def starts(self, letter: int) -> list[int]:
        """The automaton's states in which it may be where a run begins."""
        choose = getattr(self.automaton, "starts", None)
        if choose is None:
            return [self.automaton.initial]
        return [q for q in range(self.automaton.states) if choose(letter) >> q & 1]

    def steps(self, node: Node) -> Iterator[tuple[int, int, Node]]:
        """Instance, marks, next node."""
        state, q = node
        for label, target in self.case.edges[state]:
            for r, marks in self.automaton.moves(q, self.case.letters[state]):
                yield label, marks, (target, r)

    def stops(self, node: Node) -> bool:
        state, q = node
        return self.case.may_stop(state) and self.automaton.stops(q, self.case.letters[state])

    def _in_state(self, met: Met, state: int) -> Met:
        case = self.case
        disabled = frozenset(range(len(case.weak))) - case.enabled(case.weak, state)
        return Met(
            met.marks,
            met.taken_weak,
            met.taken_strong,
            met.disabled_weak | disabled,
            met.enabled_strong | case.enabled(case.strong, state),
        )

    def _is_fair(self, met: Met) -> bool:
        case = self.case
        return (
            met.marks == (1 << self.automaton.conditions) - 1
            and all(i in met.taken_weak | met.disabled_weak for i in range(len(case.weak)))
            and met.enabled_strong <= met.taken_strong
        )

    def cycle(self, node: Node) -> int | None:
        """The length of the shortest fair cycle through a node; 0 if the run may stop there."""
        if self.stops(node):
            return 0
        case = self.case
        begin = self._in_state(Met(), node[0])
        seen = {(node, begin)}
        queue = deque([(node, begin, 0)])
        while queue:
            here, met, length = queue.popleft()
            for label, marks, after in self.steps(here):
                more = Met(
                    met.marks | marks,
                    met.taken_weak | {i for i, s in enumerate(case.weak) if label in s},
                    met.taken_strong | {i for i, s in enumerate(case.strong) if label in s},
                    met.disabled_weak,
                    met.enabled_strong,
                )
                more = self._in_state(more, after[0])
                if after == node and self._is_fair(more):
                    return length + 1
                if (after, more) not in seen:
                    seen.add((after, more))
                    queue.append((after, more, length + 1))
        return None

    def answer(self) -> tuple[int, int] | None:
        """The lengths of the prefix and of the cycle of a counterexample; None if there is none."""
        level = [
            (s, q)
            for s in dict.fromkeys(self.case.initial)
            for q in self.starts(self.case.letters[s])
        ]
        seen, distance = set(level), 0
        while level:
            cycles = [c for c in map(self.cycle, level) if c is not None]
            if cycles:
                return distance, min(cycles)
            following: list[Node] = []
            for node in level:
                for _, _, after in self.steps(node):
                    if after not in seen:
                        seen.add(after)
                        following.append(after)
            level, distance = following, distance + 1
        return None
