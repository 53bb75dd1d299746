"""What a formula is about: the premises of its implications, however they are written."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

from explorer.lang.formulas import (
    FALSE,
    And,
    Constant,
    Formula,
    Next,
    Not,
    Or,
    Release,
    Until,
    always,
)


@dataclass(frozen=True)
class Premise:
    """The ``a`` of ``a -> b``, as the formula ``never``, which says that there is none.

    ``of_states`` is for ``G (a -> b)``: then ``never`` is ``G !a``, else ``!a``.
    """

    never: Formula
    of_states: bool


def premises(f: Formula) -> tuple[Premise | None, ...]:
    """The premise of each conjunct of ``f``, None for one that is no implication.

    ``!a | b`` is an implication, and so is ``b | !a``; of parts that are all negated the last is the conclusion. Formulas of the same
    shape have premises in the same places.
    """
    return tuple(map(_premise, _conjuncts(f)))


def _conjuncts(f: Formula) -> Iterator[Formula]:
    match f:
        case Not(Not(operand)):
            yield from _conjuncts(operand)
        case And(left, right):
            yield from _conjuncts(left)
            yield from _conjuncts(right)
        case Not(Or(left, right)):
            yield from _conjuncts(Not(left))
            yield from _conjuncts(Not(right))
        case Not(Until(Constant(True), operand)):
            yield from _conjuncts(always(Not(operand)))
        case Next(operand):
            yield from map(Next, _conjuncts(operand))
        case Not(Next(operand)):
            yield from map(Next, _conjuncts(Not(operand)))
        case Release(Constant(False), operand):
            yield from (always(_core(part)) for part in _conjuncts(operand))
        case _:
            yield f


def _core(f: Formula) -> Formula:
    """``G G f`` is ``G f``."""
    return f.right if isinstance(f, Release) and f.left == FALSE else f


def _premise(f: Formula) -> Premise | None:
    if isinstance(f, Next):
        inner = _premise(f.operand)
        return inner and Premise(Next(inner.never), inner.of_states)
    of_states = isinstance(f, Release) and f.left == FALSE
    parts = list(_disjuncts(_core(f)))
    negated: list[Formula] = [part for part in parts if isinstance(part, Not)]
    if len(negated) == len(parts):
        negated.pop()
    if not negated:
        return None
    never = functools.reduce(Or, negated)
    return Premise(always(never) if of_states else never, of_states)


def _disjuncts(f: Formula) -> Iterator[Formula]:
    match f:
        case Not(Not(operand)):
            yield from _disjuncts(operand)
        case Or(left, right):
            yield from _disjuncts(left)
            yield from _disjuncts(right)
        case Not(And(left, right)):
            yield from _disjuncts(Not(left))
            yield from _disjuncts(Not(right))
        case _:
            yield f
