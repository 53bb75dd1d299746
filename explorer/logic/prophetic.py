"""An automaton whose state is fixed by the rest of the run: which parts of a formula hold from here on.

Every run has exactly one path through it (the closure of a formula as states: Lichtenstein and Pnueli, "Checking that finite state
concurrent programs satisfy their linear specification", POPL 1985). So where a run repeats itself the automaton does, too,
and the shortest lassos of a product with it are the shortest lassos of the system. It has more states than ``automaton``
makes, one per combination of values; that one decides whether there is a counterexample, this one finds the shortest.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

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

MOST_BITS = 6


def prophetic(f: Formula, atoms: Sequence[Atom]) -> Prophetic | None:
    """The automaton of ``f``; bit i of a letter says whether ``atoms[i]`` holds. None if it would have more than 64 states."""
    made = Prophetic(f, atoms)
    return made if made.bits <= MOST_BITS else None


class Prophetic:
    """States are values of the ``Until`` and ``Next`` parts of a formula, and of what stands behind each ``Next``."""

    def __init__(self, f: Formula, atoms: Sequence[Atom]) -> None:
        self._formula = _with_until(f)
        self._letter = {atom: i for i, atom in enumerate(atoms)}
        found = dict.fromkeys(subformulas(self._formula))
        self._untils = [g for g in found if isinstance(g, Until)]
        self._nexts = [g for g in found if isinstance(g, Next)]
        self._bit: dict[Formula, int] = {g: i for i, g in enumerate([*self._untils, *self._nexts])}
        # After these bits: the value of each body, as the state before has promised it.
        self._temporal = len(self._bit)
        self.bits = self._temporal + len(self._nexts)
        self.states = 1 << self.bits
        self.initial = 0
        self.conditions = len(self._untils)
        self.moves = functools.cache(self._moves)
        self.stops = functools.cache(self._stops)

    def starts(self, letter: int) -> int:
        """The states in which a run that begins with the letter may be, as a bit mask: those that satisfy the formula."""
        return sum(
            1 << q
            for q in range(self.states)
            if self._fits(q, letter) and self._value(self._formula, q, letter)
        )

    def _moves(self, state: int, letter: int) -> tuple[tuple[int, int], ...]:
        """The moves that read a letter: the next state, and the conditions that are satisfied."""
        if not self._fits(state, letter):
            return ()
        fixed, values, marks = 0, 0, 0
        for i, until in enumerate(self._untils):
            bit = 1 << self._bit[until]
            if self._value(until.right, state, letter):
                marks |= 1 << i
                continue
            if not state & bit:
                marks |= 1 << i
            if self._value(until.left, state, letter):
                fixed |= bit
                values |= state & bit
        for i, after in enumerate(self._nexts):
            promised = 1 << self._temporal + i
            fixed |= promised
            values |= promised if state >> self._bit[after] & 1 else 0
        return tuple((q, marks) for q in range(self.states) if q & fixed == values)

    def _fits(self, state: int, letter: int) -> bool:
        """Whether the state's values can be true of a run that begins with the letter."""
        for until in self._untils:
            holds = bool(state >> self._bit[until] & 1)
            if self._value(until.right, state, letter):
                if not holds:
                    return False
            elif holds and not self._value(until.left, state, letter):
                return False
        return all(
            self._value(after.operand, state, letter) == bool(state >> self._temporal + i & 1)
            for i, after in enumerate(self._nexts)
        )

    def _stops(self, state: int, letter: int) -> bool:
        """Whether the letter for ever is accepted: the one state that is true of it comes back to itself."""
        everything = (1 << self.conditions) - 1
        return (state, everything) in self.moves(state, letter)

    def _value(self, f: Formula, state: int, letter: int) -> bool:
        match f:
            case Constant(value):
                return value
            case Atom():
                return bool(letter >> self._letter[f] & 1)
            case Not(operand):
                return not self._value(operand, state, letter)
            case And(left, right):
                return self._value(left, state, letter) and self._value(right, state, letter)
            case Or(left, right):
                return self._value(left, state, letter) or self._value(right, state, letter)
        return bool(state >> self._bit[f] & 1)


def _with_until(f: Formula) -> Formula:
    """Without ``Release``, and without two negations in a row, so that fewer parts differ."""
    match f:
        case Not(operand):
            return _negation(_with_until(operand))
        case Release(left, right):
            return Not(Until(_negation(_with_until(left)), _negation(_with_until(right))))
        case And(left, right) | Or(left, right) | Until(left, right):
            return type(f)(_with_until(left), _with_until(right))
        case Next(operand):
            return Next(_with_until(operand))
    return f


def _negation(f: Formula) -> Formula:
    match f:
        case Not(operand):
            return operand
        case Constant(value):
            return Constant(not value)
    return Not(f)
