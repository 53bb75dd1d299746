"""Formulas as tuples, and a textbook translation of them: every truth value of every temporal part is guessed.

("p", i) is atom i, then ("true",), ("not", f), ("and", f, g), ("or", f, g), ("next", f), ("until", f, g). Nothing here is shared with
the package.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache
from typing import Any, TypeAlias

Formula: TypeAlias = tuple[Any, ...]

TRUE: Formula = ("true",)
FALSE: Formula = ("not", TRUE)


def p(i: int) -> Formula:
    return ("p", i)


def negation(f: Formula) -> Formula:
    return ("not", f)


def conjunction(f: Formula, g: Formula) -> Formula:
    return ("and", f, g)


def implication(f: Formula, g: Formula) -> Formula:
    return ("or", ("not", f), g)


def eventually(f: Formula) -> Formula:
    return ("until", TRUE, f)


def always(f: Formula) -> Formula:
    return ("not", eventually(("not", f)))


def leads_to(f: Formula, g: Formula) -> Formula:
    return always(implication(f, eventually(g)))


def text(f: Formula, names: str = "pqrs") -> str:
    """The formula in Spot's syntax."""
    match f:
        case ("p", i):
            return names[i]
        case ("true",):
            return "true"
        case ("not", g):
            return f"!({text(g, names)})"
        case ("next", g):
            return f"X ({text(g, names)})"
        case (op, g, h):
            symbol = {"and": "&", "or": "|", "until": "U"}[op]
            return f"(({text(g, names)}) {symbol} ({text(h, names)}))"
    raise AssertionError(f)


def parts(f: Formula) -> Iterator[Formula]:
    yield f
    for g in f[1:]:
        if isinstance(g, tuple):
            yield from parts(g)


class Tableau:
    """A generalised Büchi automaton. A state guesses the values of all ``until`` and ``next`` from here on, and remembers
    what the bodies of ``next`` have to be."""

    def __init__(self, formula: Formula) -> None:
        self.formula = formula
        found = dict.fromkeys(parts(formula))
        self.temporal = [f for f in found if f[0] in ("until", "next")]
        self.untils = [f for f in self.temporal if f[0] == "until"]
        self.bodies = [f[1] for f in self.temporal if f[0] == "next"]
        self.conditions = len(self.untils)
        guesses = list(itertools.product((False, True), repeat=len(self.temporal)))
        owed = list(itertools.product((False, True), repeat=len(self.bodies)))
        self.keys = list(itertools.product(guesses, owed))
        self.states = len(self.keys)
        self.initial = 0
        self.moves = cache(self._moves)  # type: ignore[method-assign]

    def value(self, f: Formula, guess: tuple[bool, ...], letter: int) -> bool:
        match f:
            case ("p", i):
                return bool(letter >> i & 1)
            case ("true",):
                return True
            case ("not", g):
                return not self.value(g, guess, letter)
            case ("and", g, h):
                return self.value(g, guess, letter) and self.value(h, guess, letter)
            case ("or", g, h):
                return self.value(g, guess, letter) or self.value(h, guess, letter)
        return guess[self.temporal.index(f)]

    def moves(self, state: int, letter: int) -> tuple[tuple[int, int], ...]:
        return self._moves(state, letter)

    def starts(self, letter: int) -> int:
        """The states in which a run that begins with the letter and satisfies the formula may be."""
        return sum(
            1 << n
            for n, (guess, _) in enumerate(self.keys)
            if self.value(self.formula, guess, letter) and self.pays(n, letter)
        )

    def pays(self, state: int, letter: int) -> bool:
        """Whether the bodies of ``next`` are what the state before has guessed."""
        guess, owed = self.keys[state]
        return [self.value(b, guess, letter) for b in self.bodies] == list(owed)

    def _moves(self, state: int, letter: int) -> tuple[tuple[int, int], ...]:
        if not self.pays(state, letter):
            return ()
        guess, _ = self.keys[state]
        marks = 0
        for i, f in enumerate(self.untils):
            if not self.value(f, guess, letter) or self.value(f[2], guess, letter):
                marks |= 1 << i
        result = []
        for other, after in enumerate(self.keys):
            next_guess, next_owed = after
            wanted = [guess[self.temporal.index(("next", b))] for b in self.bodies]
            if list(next_owed) != wanted:
                continue
            if all(
                self.value(f, guess, letter)
                == (
                    self.value(f[2], guess, letter)
                    or (self.value(f[1], guess, letter) and next_guess[self.temporal.index(f)])
                )
                for f in self.untils
            ):
                result.append((other, marks))
        return tuple(result)

    def stops(self, state: int, letter: int) -> bool:
        return stops(self, state, letter)


def stops(automaton: Any, state: int, letter: int) -> bool:
    """Whether an automaton accepts a letter for ever: by looking for a cycle of moves with it that has all marks."""
    edges = {q: automaton.moves(q, letter) for q in range(automaton.states)}

    def reached(q: int) -> set[int]:
        seen: set[int] = set()
        new = [q]
        while new:
            for r, _ in edges[new.pop()]:
                if r not in seen:
                    seen.add(r)
                    new.append(r)
        return seen

    closure = {q: reached(q) for q in range(automaton.states)}
    for q in closure[state] | {state}:
        if q not in closure[q]:
            continue
        part = {r for r in closure[q] if q in closure[r]}
        marks = 0
        for r in part:
            for other, mark in edges[r]:
                if other in part:
                    marks |= mark
        if marks == (1 << automaton.conditions) - 1:
            return True
    return False
