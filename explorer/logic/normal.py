"""Negation normal form: negations stand before atoms only, and constants are gone where they can be."""

from __future__ import annotations

from explorer.lang.formulas import (
    FALSE,
    TRUE,
    And,
    Atom,
    Constant,
    Formula,
    Next,
    Not,
    Or,
    Release,
    Until,
)


def normal_form(f: Formula, *, negated: bool = False) -> Formula:
    """``f``, or its negation, in negation normal form, simplified by laws that hold in every run."""
    match f:
        case Constant(value):
            return TRUE if value != negated else FALSE
        case Atom():
            return Not(f) if negated else f
        case Not(operand):
            return normal_form(operand, negated=not negated)
        case Next(operand):
            inner = normal_form(operand, negated=negated)
            return inner if isinstance(inner, Constant) else Next(inner)
    assert isinstance(f, (And, Or, Until, Release))
    left, right = normal_form(f.left, negated=negated), normal_form(f.right, negated=negated)
    match f:
        case And():
            return _or(left, right) if negated else _and(left, right)
        case Or():
            return _and(left, right) if negated else _or(left, right)
        case Until():
            return _release(left, right) if negated else _until(left, right)
        case _:
            return _until(left, right) if negated else _release(left, right)


def _opposite(a: Formula, b: Formula) -> bool:
    return (isinstance(a, Not) and a.operand == b) or (isinstance(b, Not) and b.operand == a)


def _and(a: Formula, b: Formula) -> Formula:
    if a == FALSE or b == FALSE or _opposite(a, b):
        return FALSE
    if a == TRUE or a == b:
        return b
    return a if b == TRUE else And(a, b)


def _or(a: Formula, b: Formula) -> Formula:
    if a == TRUE or b == TRUE or _opposite(a, b):
        return TRUE
    if a == FALSE or a == b:
        return b
    return a if b == FALSE else Or(a, b)


def _until(a: Formula, b: Formula) -> Formula:
    # a U true, a U false and false U b; a U (a U b) = a U b; F G F b = G F b.
    if isinstance(b, Constant) or a == FALSE or a == b:
        return b
    match b:
        case Until(left, _) if left == a:
            return b
        case Release(Constant(False), Until(Constant(True), _)) if a == TRUE:
            return b
    return Until(a, b)


def _release(a: Formula, b: Formula) -> Formula:
    if isinstance(b, Constant) or a == TRUE or a == b:
        return b
    match b:
        case Release(left, _) if left == a:
            return b
        case Until(Constant(True), Release(Constant(False), _)) if a == FALSE:
            return b
    return Release(a, b)
