"""Makes an expression fit the type its context asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from explorer.compiler import tree
from explorer.compiler.tree import OPTIONAL_NUMBER, EmptySetT, Expr, Kind, NoneT, NumberT
from explorer.lang.errors import ModelError
from explorer.lang.types import (
    BoolT,
    IntT,
    MapT,
    OptionalT,
    PoolT,
    RecordT,
    SeqT,
    SetT,
    Type,
    UnionT,
)


def is_number(kind: Kind) -> bool:
    """Whether a value is an integer, bounded or on its way."""
    return isinstance(kind, (NumberT, IntT))


def loose(kind: Kind) -> Kind:
    """A type as names, parameters and results have it: what is not stored has no bounds."""
    if isinstance(kind, IntT):
        return NumberT()
    if isinstance(kind, OptionalT) and isinstance(kind.inner, IntT):
        return OPTIONAL_NUMBER
    return kind


def alike(a: Kind, b: Kind) -> bool:
    """Whether two types differ in nothing but the capacities of sequences, which a signature cannot name."""
    return _without_capacity(a) == _without_capacity(b)


def is_exact(kind: Kind) -> bool:
    """Whether a signature says all of a type: not the capacity of a sequence."""
    return _without_capacity(kind) == kind


def _without_capacity(kind: Kind) -> Kind:
    match kind:
        case SeqT(item, _, _):
            return SeqT(item, 0, protocol=False)
        case MapT(key, value):
            return MapT(key, _inside(value))
        case PoolT(ref, value):
            return PoolT(ref, _inside(value))
        case _:
            return kind


def _inside(kind: Type) -> Type:
    result: Type = _without_capacity(kind)  # type: ignore[assignment] # a type stays one
    return result


def fit(expr: Expr, wanted: Kind, *, what: str = "", silent: bool = False) -> Expr:
    """``expr`` as a value of ``wanted``.

    Raises ModelError where no value of the expression's type is one of ``wanted``. An optional where a value
    is wanted becomes a checked use: ``none:FUNCTION`` is violated where it is None. ``silent``: Python would
    not notice a None here (a parameter, a result, a name), so it has to be excluded before.
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
            inner = fit(expr, loose(wanted.inner), what=what)
            return _convert(tree.Wrap(expr.where, _loose_optional(wanted), inner), wanted)
        if _converts(have.inner, wanted.inner):
            return _convert(expr, wanted)
    if isinstance(have, OptionalT) and not isinstance(wanted, OptionalT):
        return fit(unwrap(expr, silent=silent), wanted, what=what)
    if isinstance(wanted, UnionT):
        if isinstance(have, RecordT) and have in wanted.variants:
            return tree.Inject(expr.where, wanted, expr)
        if isinstance(have, UnionT) and set(have.variants) <= set(wanted.variants):
            return tree.Inject(expr.where, wanted, expr)
    if isinstance(have, EmptySetT) and isinstance(wanted, SetT):
        return replace(expr, type=wanted)
    hint = ""
    if alike(have, wanted):
        hint = "their capacities differ: clear the one and append the items of the other in a loop"
    elif isinstance(wanted, OptionalT | RecordT | UnionT) and isinstance(have, UnionT):
        hint = "take it apart with match, or ask isinstance first"
    elif isinstance(have, tree.VoidT):
        hint = "call it on a line of its own"
    raise ModelError(
        f"{what or 'this'} is {have}, and {wanted} is needed", where=expr.where, hint=hint
    )


def _loose_optional(kind: OptionalT) -> OptionalT:
    return OPTIONAL_NUMBER if isinstance(kind.inner, IntT) else kind


def _converts(have: Kind, wanted: Kind) -> bool:
    """Whether an optional of one type can be an optional of another."""
    if is_number(have) and is_number(wanted):
        return True
    variants = have.variants if isinstance(have, UnionT) else (have,)
    return isinstance(wanted, UnionT) and all(v in wanted.variants for v in variants)


def _convert(expr: Expr, wanted: OptionalT) -> Expr:
    return expr if expr.type == wanted else tree.Convert(expr.where, wanted, expr)


def unwrap(expr: Expr, *, silent: bool = False) -> Expr:
    """An optional's value; any other expression unchanged."""
    if isinstance(expr.type, OptionalT):
        return tree.Unwrap(expr.where, expr.type.inner, expr, silent)
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
    name = f"<{expr.where.line}:{expr.where.column}:{expr.where.end_column}>"
    local = tree.Local(expr.where, expr.type, name)
    return tree.Bind(expr.where, expr.type, name, expr), local


def common(a: Kind, b: Kind) -> Kind | None:
    """The type that values of both types have; None if there is none."""
    if a == b:
        return a
    if is_number(a) and is_number(b):
        return NumberT()
    for x, y in ((a, b), (b, a)):
        if isinstance(x, OptionalT):
            other = y.inner if isinstance(y, OptionalT) else y
            inner = x.inner if isinstance(y, NoneT) else common(x.inner, other)
            # An optional holds immutable values only: records and sets have no None.
            return None if inner is None else _optional(inner)
        if isinstance(x, NoneT):
            return _optional(loose(y))
        if is_number(x) and isinstance(y, BoolT):
            return NumberT()
        if isinstance(x, SetT) and isinstance(y, EmptySetT):
            return x
        if isinstance(x, UnionT):
            variants = y.variants if isinstance(y, UnionT) else (y,)
            if all(v in x.variants for v in variants):
                return x
    return None


def _optional(kind: Kind) -> Kind | None:
    if isinstance(kind, (NumberT, IntT)):
        return OPTIONAL_NUMBER
    if isinstance(kind, tree.OUTSIDE) or tree.is_mutable(kind):
        return None
    return kind if isinstance(kind, OptionalT) else OptionalT(kind)


def in_full(kind: Kind) -> str:
    """A type as text that tells apart what only its capacity does."""
    return f"{kind} of {kind.capacity}" if isinstance(kind, SeqT) else str(kind)
