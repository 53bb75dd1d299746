"""From a formula to a Büchi automaton with acceptance conditions on its moves.

A tableau (Couvreur, "On-the-fly verification of linear temporal logic", FM 1999): a state is the set of formulas that the
rest of the run has to satisfy. A move satisfies some of them by what it reads and leaves the others to the next state. For each
``a U b`` there is a condition, satisfied by the moves that do not put ``b`` off. A run is accepted if every condition is satisfied
again and again.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from explorer.lang.errors import ModelError
from explorer.lang.formulas import (
    And,
    Atom,
    Constant,
    Formula,
    Next,
    Not,
    Or,
    Release,
    Until,
    subformulas,
)
from explorer.logic.normal import normal_form

# The search keeps the automaton's states of a node in one word.
MOST_STATES = 64
# While it is made, before states that are alike are merged.
_MOST_SETS = 4_096
# Ways to satisfy a set of formulas: of one set, of all together. Beyond, nobody wants to wait for it.
_MOST_BRANCHES, _MOST_IN_ALL = 2_048, 32_768
# Of more ways those that ask for more than others are not looked for: that takes the square of their number.
_MOST_COMPARED = 512
# Steps of the work between two pauses.
_OFTEN = 256
_SMALLER = "state its conjuncts as properties of their own, and assumptions about steps as fairness"


@dataclass(frozen=True)
class Move:
    """A move reads letters that have all bits of ``yes`` and none of ``no``; ``marks`` has a bit per condition that it satisfies."""

    yes: int
    no: int
    target: int
    marks: int

    def reads(self, letter: int) -> bool:
        """Whether the move can be taken with the letter, a bit mask of the atoms that hold."""
        return letter & self.yes == self.yes and not letter & self.no


class Automaton:
    """The automaton of a formula. States are numbers; a letter is a bit mask of the atoms that hold."""

    def __init__(self, table: Sequence[Sequence[Move]], initial: int, conditions: int) -> None:
        self.table = tuple(tuple(moves) for moves in table)
        self.states = len(self.table)
        self.initial = initial
        self.conditions = conditions
        self.moves = functools.cache(self._moves)
        self.stops = functools.cache(self._stops)

    def _moves(self, state: int, letter: int) -> tuple[tuple[int, int], ...]:
        """Next states and the conditions satisfied on the way there (a bit each), for one letter."""
        found = ((m.target, m.marks) for m in self.table[state] if m.reads(letter))
        return tuple(dict.fromkeys(found))

    def _stops(self, state: int, letter: int) -> bool:
        """Whether the letter for ever is accepted from the state."""
        steps = {q: self.moves(q, letter) for q in range(self.states)}
        everything = (1 << self.conditions) - 1
        return any(
            _union(steps, component) == everything
            for component in _components(steps, {state})
            if any(t in component for q in component for t, _ in steps[q])
        )


def translate(
    f: Formula, atoms: Sequence[Atom], pause: Callable[[], None] = lambda: None
) -> Automaton:
    """The automaton that accepts the runs satisfying ``f``; bit i of a letter says whether ``atoms[i]`` holds.

    ``pause`` is called now and then; what it raises ends the work. Raises ModelError for a formula whose automaton has more
    than 64 states.
    """
    tableau = _Tableau(normal_form(f), {atom: 1 << i for i, atom in enumerate(atoms)}, pause)
    table = _without_dead_ends(tableau.table, tableau.conditions, pause)
    table = _merged(table, pause)
    if len(table) > MOST_STATES:
        raise ModelError(
            f"the formula needs an automaton of {len(table)} states, more than {MOST_STATES}",
            hint=_SMALLER,
        )
    return Automaton(table, 0, tableau.conditions)


@dataclass(frozen=True)
class _Branch:
    """One way to satisfy a set of formulas: what is read, what is left, what was put off."""

    yes: int
    no: int
    left: frozenset[Formula]
    put_off: int


class _Tableau:
    def __init__(self, f: Formula, bits: dict[Atom, int], pause: Callable[[], None]) -> None:
        self.bits, self.pause = bits, pause
        untils = dict.fromkeys(g for g in subformulas(f) if isinstance(g, Until))
        self.mark = {until: 1 << i for i, until in enumerate(untils)}
        self.conditions = len(untils)
        everything = (1 << self.conditions) - 1
        self.numbers: dict[frozenset[Formula], int] = {}
        self.table: list[list[Move]] = []
        waiting = [frozenset([f])]
        self.numbers[waiting[0]] = 0
        total = 0
        for formulas in waiting:  # grows
            moves = []
            branches = self.branches(formulas)
            total += len(branches)
            if len(branches) <= _MOST_COMPARED:
                branches = _least(branches)
            for branch in branches:
                if branch.left not in self.numbers:
                    self.numbers[branch.left] = len(self.numbers)
                    waiting.append(branch.left)
                target = self.numbers[branch.left]
                moves.append(Move(branch.yes, branch.no, target, everything & ~branch.put_off))
            self.table.append(moves)
            if len(self.table) > _MOST_SETS or total > _MOST_IN_ALL:
                raise ModelError(
                    "the formula needs an automaton with thousands of states and moves",
                    hint=_SMALLER,
                )

    def branches(self, formulas: Iterable[Formula]) -> list[_Branch]:
        """The ways to satisfy all of the formulas."""
        found: dict[_Branch, None] = {}
        start = tuple(sorted(formulas, key=str))
        stack = [(start, frozenset[Formula](), _Branch(0, 0, frozenset(), 0))]
        for turn in itertools.count():
            if not stack:
                break
            if turn % _OFTEN == 0:
                self.pause()
            todo, done, branch = stack.pop()
            if not todo:
                found[replace(branch, left=_needed(branch.left))] = None
                if len(found) > _MOST_BRANCHES:
                    raise ModelError(
                        "the formula needs an automaton with thousands of states and moves",
                        hint=_SMALLER,
                    )
                continue
            first, *others = todo
            rest = tuple(others)
            if first in done:
                stack.append((rest, done, branch))
                continue
            done = done | {first}
            for now, later, put_off in self.alternatives(first):
                merged = self.extended(branch, first, later, put_off)
                if merged is not None:
                    stack.append(((*now, *rest), done, merged))
        return list(found)

    def alternatives(
        self, f: Formula
    ) -> list[tuple[tuple[Formula, ...], tuple[Formula, ...], int]]:
        """The ways to satisfy one formula: what else to satisfy now, what in the next state, what is put off."""
        match f:
            case Constant(False):
                return []
            case And(left, right):
                return [((left, right), (), 0)]
            case Or(left, right):
                return [((right,), (), 0), ((left,), (), 0)]
            case Next(operand):
                return [((), (operand,), 0)]
            case Until(left, right):
                return [((left,), (f,), self.mark[f]), ((right,), (), 0)]
            case Release(left, right):
                return [((right,), (f,), 0), ((left, right), (), 0)]
            case _:
                return [((), (), 0)]

    def extended(
        self, branch: _Branch, f: Formula, later: Iterable[Formula], put_off: int
    ) -> _Branch | None:
        """The branch after one more formula; None if that contradicts what it has."""
        yes, no = branch.yes, branch.no
        match f:
            case Atom():
                yes |= self.bits[f]
            case Not(Atom() as atom):
                no |= self.bits[atom]
        if yes & no:
            return None
        return _Branch(yes, no, branch.left | frozenset(later), branch.put_off | put_off)


def _needed(formulas: frozenset[Formula]) -> frozenset[Formula]:
    """The formulas without those that others state as well: ``G f`` states ``f``."""
    return formulas - {
        g.right for g in formulas if isinstance(g, Release) and g.left == Constant(False)
    }


def _least(branches: list[_Branch]) -> list[_Branch]:
    """The branches, without those that ask for more than another one and leave no less."""

    def covers(a: _Branch, b: _Branch) -> bool:
        return (
            a.yes & b.yes == a.yes
            and a.no & b.no == a.no
            and a.left <= b.left
            and a.put_off & b.put_off == a.put_off
        )

    return [
        b
        for i, b in enumerate(branches)
        if not any(covers(a, b) and (not covers(b, a) or k < i) for k, a in enumerate(branches))
    ]


Steps = dict[int, tuple[tuple[int, int], ...]]


def _components(
    steps: Steps, start: set[int], pause: Callable[[], None] = lambda: None
) -> list[set[int]]:
    """The strongly connected components that can be reached from some states."""
    reach: dict[int, set[int]] = {}
    for q in _reachable(steps, start):
        pause()
        reach[q] = _reachable(steps, {t for t, _ in steps[q]})
    found: list[set[int]] = []
    for q in reach:
        if not any(q in component for component in found):
            found.append({p for p in reach[q] if q in reach[p]} | {q})
    return found


def _reachable(steps: Steps, start: set[int]) -> set[int]:
    found, waiting = set(start), sorted(start)
    while waiting:
        for target, _ in steps[waiting.pop()]:
            if target not in found:
                found.add(target)
                waiting.append(target)
    return found


def _union(steps: Steps, component: set[int]) -> int:
    """The conditions satisfied by some move inside."""
    marks = 0
    for q in component:
        for target, satisfied in steps[q]:
            if target in component:
                marks |= satisfied
    return marks


def _without_dead_ends(
    table: list[list[Move]], conditions: int, pause: Callable[[], None]
) -> list[list[Move]]:
    """Only moves to states from which some run is accepted. State 0 stays."""
    steps = {q: tuple((m.target, m.marks) for m in moves) for q, moves in enumerate(table)}
    everything = (1 << conditions) - 1
    good: set[int] = set()
    for component in _components(steps, {0}, pause):
        inside = any(t in component for q in component for t, _ in steps[q])
        if inside and _union(steps, component) == everything:
            good |= component
    while True:
        pause()
        more = {q for q in steps if q not in good and any(t in good for t, _ in steps[q])}
        if not more:
            break
        good |= more
    return [[m for m in moves if m.target in good] for moves in table]


def _merged(table: list[list[Move]], pause: Callable[[], None]) -> list[list[Move]]:
    """One state for those with the same moves, as far as they can be reached; the first is state 0."""
    classes = [0] * len(table)
    while True:
        pause()
        signatures: dict[frozenset[Move], int] = {}
        new = []
        for moves in table:
            signature = frozenset(Move(m.yes, m.no, classes[m.target], m.marks) for m in moves)
            new.append(signatures.setdefault(signature, len(signatures)))
        if new == classes:
            break
        classes = new
    representative = {c: q for q, c in reversed(list(enumerate(classes)))}
    numbers = {classes[0]: 0}
    order = [classes[0]]
    result = []
    for c in order:  # grows
        moves = []
        for m in table[representative[c]]:
            target = classes[m.target]
            if target not in numbers:
                numbers[target] = len(numbers)
                order.append(target)
            moves.append(Move(m.yes, m.no, numbers[target], m.marks))
        result.append(list(dict.fromkeys(moves)))
    return result
