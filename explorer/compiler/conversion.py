"""Makes an expression fit the type its context asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from explorer.compiler import tree
from explorer.compiler.tree import EmptySetT, Expr, Kind, NoneT, NumberT
from explorer.lang.errors import ModelError
from explorer.lang.types import BoolT, IntT, OptionalT, RecordT, SetT, UnionT


def is_number(kind: Kind) -> bool:
    """Whether a value is an integer, bounded or on its way."""
    return isinstance(kind, (NumberT, IntT))


def fit(expr: Expr, wanted: Kind, *, what: str = "") -> Expr:
    """``expr`` as a value of ``wanted``.

    Raises ModelError where no value of the expression's type is one of ``wanted``. An optional where a value
    is wanted becomes a checked use: ``none:FUNCTION`` is violated where it is None.
    """
    have = expr.type
    if have == wanted:
        return expr
    if is_number(wanted) and is_number(have):
        return expr
    if isinstance(have, BoolT) and is_number(wanted):
        zero, one = (tree.Const(expr.where, NumberT(), v) for v in (0, 1))
        return tree.IfElse(expr.where, NumberT(), expr, one, zero)
    if isinstance(wanted, OptionalT):
        if isinstance(have, NoneT):
            return tree.Nothing(expr.where, wanted)
        if not isinstance(have, OptionalT):
            return tree.Wrap(expr.where, wanted, fit(expr, wanted.inner, what=what))
    if isinstance(have, OptionalT) and not isinstance(wanted, OptionalT):
        return fit(unwrap(expr), wanted, what=what)
    if isinstance(wanted, UnionT):
        if isinstance(have, RecordT) and have in wanted.variants:
            return tree.Inject(expr.where, wanted, expr)
        if isinstance(have, UnionT) and set(have.variants) <= set(wanted.variants):
            return tree.Inject(expr.where, wanted, expr)
    if isinstance(have, EmptySetT) and isinstance(wanted, SetT):
        return replace(expr, type=wanted)
    raise ModelError(
        f"{what or 'this'} is {have}, and {wanted} is needed",
        where=expr.where,
    )


def unwrap(expr: Expr) -> Expr:
    """An optional's value; any other expression unchanged."""
    if isinstance(expr.type, OptionalT):
        return tree.Unwrap(expr.where, expr.type.inner, expr)
    return expr


def where_present(expr: Expr, condition: Callable[[Expr], Expr]) -> Expr:
    """``condition`` of an optional's value; False where it is None. The optional is evaluated once."""
    bind, local = once(expr)
    where = expr.where
    present = tree.Not(where, BoolT(), tree.IsNone(where, BoolT(), local))
    both = tree.And(where, BoolT(), (present, condition(unwrap(local))))
    return tree.Then(where, BoolT(), (bind,), both)


def once(expr: Expr) -> tuple[tree.Bind, tree.Local]:
    """An expression bound to a name that no model can use, and that name."""
    name = f"<{expr.where.line}:{expr.where.column}>"
    local = tree.Local(expr.where, expr.type, name)
    return tree.Bind(expr.where, expr.type, name, expr), local


def join(left: Expr, right: Expr) -> tuple[Expr, Expr]:
    """Both expressions as one type: for ``==``, conditional expressions, ``min``.

    Raises ModelError where they have no type in common.
    """
    a, b = left.type, right.type
    if a == b or (is_number(a) and is_number(b)):
        return left, right
    for x, y in ((a, b), (b, a)):
        if isinstance(x, OptionalT) and (isinstance(y, NoneT) or y == x.inner):
            return fit(left, x), fit(right, x)
        if isinstance(x, OptionalT) and is_number(x.inner) and is_number(y):
            return fit(left, x), fit(right, x)
        if isinstance(x, NoneT) and not isinstance(y, OptionalT) and not isinstance(y, NoneT):
            optional = OptionalT(y)  # type: ignore[arg-type] # fit refuses what cannot be inside
            return fit(left, optional), fit(right, optional)
        if isinstance(x, OptionalT) and isinstance(x.inner, UnionT) and y in x.inner.variants:
            return fit(left, x), fit(right, x)
        if isinstance(x, UnionT) and y in x.variants:
            return fit(left, x), fit(right, x)
        if isinstance(x, UnionT) and isinstance(y, UnionT) and set(y.variants) <= set(x.variants):
            return fit(left, x), fit(right, x)
        if isinstance(x, SetT) and isinstance(y, EmptySetT):
            return fit(left, x), fit(right, x)
        if is_number(x) and isinstance(y, BoolT):
            return fit(left, NumberT()), fit(right, NumberT())
    raise ModelError(f"{a} and {b} have no type in common", where=left.where)
