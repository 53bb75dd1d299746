"""Random formulas over two atoms, and lasso-shaped words."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator

from explorer.lang.formulas import (
    FALSE,
    TRUE,
    And,
    Atom,
    Formula,
    Next,
    Not,
    Or,
    Release,
    Until,
    always,
    eventually,
)
from explorer.logic.automaton import Automaton
from explorer.logic.lasso import satisfies

P, Q = Atom("p"), Atom("q")
ATOMS = (P, Q)

Word = tuple[tuple[int, ...], int]
"""Letters (bit 0: p, bit 1: q), and the position that follows the last one."""


def random_formula(r: random.Random, size: int) -> Formula:
    """A formula with up to ``size`` operators."""
    if size <= 0:
        return r.choice([P, Q, P, Q, TRUE, FALSE])
    kind = r.randrange(8)
    if kind < 4:
        make = (Not, Next, always, eventually)[kind]
        return make(random_formula(r, size - 1))
    left = r.randrange(size)
    parts = random_formula(r, left), random_formula(r, size - 1 - left)
    return (And, Or, Until, Release)[kind - 4](*parts)


def words(longest: int) -> Iterator[Word]:
    """Every lasso with up to ``longest`` positions."""
    for length in range(1, longest + 1):
        for letters in itertools.product(range(4), repeat=length):
            for loop in range(length):
                yield letters, loop


def random_word(r: random.Random, longest: int) -> Word:
    """A lasso with up to ``longest`` positions."""
    length = r.randint(1, longest)
    return tuple(r.randrange(4) for _ in range(length)), r.randrange(length)


def is_satisfied(f: Formula, word: Word) -> bool:
    """Whether the word satisfies the formula, by the formula's own recursion."""
    return satisfies(f, len(word[0]), word[1], holds_in(word))


def holds_in(word: Word) -> Callable[[Atom, int], bool]:
    """Whether an atom holds at a position."""
    return lambda a, i: bool(word[0][i] >> ATOMS.index(a) & 1)


def accepts(automaton: Automaton, word: Word) -> bool:
    """Whether an automaton accepts the word: some cycle of positions and states satisfies every condition."""
    letters, loop = word
    after = [*range(1, len(letters)), loop]
    moves = {
        (i, q): [((after[i], t), marks) for t, marks in automaton.moves(q, letters[i])]
        for i in range(len(letters))
        for q in range(automaton.states)
    }
    reach = {node: _reachable(moves, node) for node in moves}
    everything = (1 << automaton.conditions) - 1
    for node in reach[0, automaton.initial] | {(0, automaton.initial)}:
        inside = {n for n in reach[node] if node in reach[n]}
        marks = 0
        for n in inside:
            for target, satisfied in moves[n]:
                marks |= satisfied if target in inside else 0
        if inside and marks == everything:
            return True
    return False


def _reachable(
    moves: dict[tuple[int, int], list[tuple[tuple[int, int], int]]], start: tuple[int, int]
) -> set[tuple[int, int]]:
    """The nodes that can be reached by at least one move."""
    found = {target for target, _ in moves[start]}
    waiting = list(found)
    while waiting:
        for target, _ in moves[waiting.pop()]:
            if target not in found:
                found.add(target)
                waiting.append(target)
    return found
