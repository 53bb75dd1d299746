"""Lowers ``match`` to conditions and bindings."""

from __future__ import annotations

import ast
import enum
import typing
from collections.abc import Callable, Sequence

from explorer.compiler import tree
from explorer.compiler.context import Context, agreeing
from explorer.compiler.conversion import is_number, once, unwrap
from explorer.compiler.tree import Expr, Stmt
from explorer.lang.errors import Location
from explorer.lang.types import (
    BoolT,
    EnumT,
    OptionalT,
    OrdinalT,
    RecordT,
    UnionT,
    fields_of,
    is_record,
)

Block = Callable[[Context, Sequence[ast.stmt]], tuple[Stmt, ...]]
Captures = tuple[tree.Bind, ...]


def check_match(ctx: Context, node: ast.Match, block: Block) -> list[Stmt]:
    """A ``match`` as a chain of conditions; a case that completes the variants needs none."""
    subject = ctx.expression(node.subject)
    if isinstance(subject.type, tree.OUTSIDE) and not is_number(subject.type):
        ctx.error(
            node.subject,
            f"match takes a value apart, and this is {subject.type}",
            "match a field of the state, a parameter or a local name",
        )
    statements: list[Stmt] = []
    if not isinstance(subject, tree.Local):
        bind, subject = once(subject)
        statements.append(tree.Let(bind.where, bind.name, bind.value))
    arms: list[tuple[Expr, tuple[Stmt, ...]]] = []
    remaining = _values(subject)
    saved = dict(ctx.narrowed)
    after = [saved]
    for case in node.cases:
        if remaining is not None and not remaining:
            if _never(ctx, case):
                continue
            ctx.error(
                case.pattern,
                "this case is never reached: those above cover everything",
                "leave it out",
            )
        ctx.narrowed = dict(saved)
        condition, captures = _pattern(ctx, case.pattern, subject)
        ctx.narrow(condition)
        if remaining is not None and case.guard is None:
            remaining -= _covered(ctx, case.pattern, subject)
            if not remaining:
                condition = tree.Const(ctx.at(case.pattern), BoolT(), 1)
        lets: tuple[Stmt, ...] = tuple(tree.Let(b.where, b.name, b.value) for b in captures)
        if case.guard is not None:
            guard = tree.Then(ctx.at(case.guard), BoolT(), captures, ctx.condition(case.guard))
            condition, lets = tree.And(guard.where, BoolT(), (condition, guard)), ()
        arms.append((condition, (*lets, *block(ctx, case.body))))
        after.append(ctx.narrowed)
    ctx.narrowed = agreeing(*after)
    chain: tuple[Stmt, ...] = ()
    for condition, body in reversed(arms):
        if isinstance(condition, tree.Const) and condition.value:
            chain = body
        else:
            chain = (tree.If(condition.where, condition, body, chain),)
    return [*statements, *chain]


def _never(ctx: Context, case: ast.match_case) -> bool:
    """Whether a case only tells the type checker that nothing is left for it."""
    match case.body:
        case [ast.Expr(ast.Call(function))]:
            return ctx.static(function) is typing.assert_never
    return False


def _values(subject: Expr) -> set[object] | None:
    """What the cases have to cover, where that is a matter of names: variants, members, None."""
    kind = subject.type
    found: set[object] = set()
    if isinstance(kind, OptionalT):
        found.add(None)
        kind = kind.inner
    match kind:
        case UnionT(variants):
            return found | {v.cls for v in variants}
        case EnumT(cls):
            return found | set(cls)
        case RecordT(cls):
            return found | {cls}
        case BoolT():
            return found | {True, False}
        case _:
            return None


def _covered(ctx: Context, pattern: ast.pattern, subject: Expr) -> set[object]:
    """The part of ``_values`` that a pattern takes whatever the fields hold."""
    match pattern:
        case ast.MatchAs(None, _):
            return _values(subject) or set()
        case ast.MatchAs(inner, _) if inner is not None:
            return _covered(ctx, inner, subject)
        case ast.MatchOr(patterns):
            return set().union(*(_covered(ctx, p, subject) for p in patterns))
        case ast.MatchSingleton(value):
            return {value}
        case ast.MatchValue(value):
            member = ctx.static(value)
            return {member}
        case ast.MatchClass(cls, patterns, _, kwd_patterns):
            if all(
                isinstance(p, ast.MatchAs) and p.pattern is None for p in patterns + kwd_patterns
            ):
                return {ctx.static(cls)}
    return set()


def _pattern(ctx: Context, pattern: ast.pattern, subject: Expr) -> tuple[Expr, Captures]:
    where = ctx.at(pattern)
    always = tree.Const(where, BoolT(), 1)
    match pattern:
        case ast.MatchAs(None, None):
            return always, ()
        case ast.MatchAs(None, str(name)):
            return always, (ctx.binding(pattern, name, subject, name),)
        case ast.MatchAs(inner, str(name)) if inner is not None:
            condition, captures = _pattern(ctx, inner, subject)
            value = _as_matched(ctx, inner, subject)
            return condition, (*captures, ctx.binding(pattern, name, value, name))
        case ast.MatchSingleton(None):
            if not isinstance(subject.type, OptionalT):
                ctx.error(pattern, f"{subject.type} is never None", "leave the case out")
            return tree.IsNone(where, BoolT(), subject), ()
        case ast.MatchSingleton(bool(flag)):
            present, value = _present(subject)
            if not isinstance(value.type, BoolT):
                ctx.error(pattern, f"{value.type} is never {flag}", "leave the case out")
            truth = value if flag else tree.Not(where, BoolT(), value)
            return _all(where, [*present, truth]), ()
        case ast.MatchValue(value):
            return _value_pattern(ctx, value, subject), ()
        case ast.MatchOr(patterns):
            parts = [_pattern(ctx, p, subject) for p in patterns]
            if any(captures for _, captures in parts):
                ctx.error(
                    pattern, "alternatives that bind names are not supported", "write two cases"
                )
            return tree.Or(where, BoolT(), tuple(c for c, _ in parts)), ()
        case ast.MatchClass():
            return _class_pattern(ctx, pattern, subject)
    ctx.error(
        pattern,
        "this pattern is not supported",
        "use Record(field=name), an enum's member, None, a number, a name or _",
    )


def _present(subject: Expr) -> tuple[list[Expr], Expr]:
    """The condition that an optional is not None, if it is one, and its value."""
    if not isinstance(subject.type, OptionalT):
        return [], subject
    none = tree.IsNone(subject.where, BoolT(), subject)
    return [tree.Not(subject.where, BoolT(), none)], unwrap(subject)


def _all(where: Location, conditions: list[Expr]) -> Expr:
    return conditions[0] if len(conditions) == 1 else tree.And(where, BoolT(), tuple(conditions))


def _as_matched(ctx: Context, pattern: ast.pattern, subject: Expr) -> Expr:
    """The subject, of the type that a pattern without alternatives establishes."""
    if not isinstance(pattern, ast.MatchClass):
        return subject
    cls = ctx.static(pattern.cls)
    _, value = _present(subject)
    if isinstance(value.type, UnionT):
        for index, variant in enumerate(value.type.variants):
            if variant.cls is cls:
                return tree.Project(subject.where, variant, value, index)
    return value


def _value_pattern(ctx: Context, value: ast.expr, subject: Expr) -> Expr:
    where = ctx.at(value)
    present, subject = _present(subject)
    expected = ctx.expression(value)
    same = expected.type == subject.type or (is_number(expected.type) and is_number(subject.type))
    if not same or isinstance(subject.type, OrdinalT | UnionT):
        ctx.error(
            value,
            f"{expected.type} is no case of {subject.type}",
            "a case is a value of the type that is matched",
        )
    return _all(where, [*present, tree.Compare(where, BoolT(), "eq", subject, expected)])


def _class_pattern(ctx: Context, pattern: ast.MatchClass, subject: Expr) -> tuple[Expr, Captures]:
    where = ctx.at(pattern)
    cls = ctx.static(pattern.cls)
    if not (isinstance(cls, type) and is_record(cls)):
        hint = f"write case {cls.__name__}.MEMBER:" if isinstance(cls, enum.EnumType) else ""
        ctx.error(
            pattern.cls,
            "a case names a record class here",
            hint or "write case RECORD(FIELD=name):",
        )
    conditions, subject = _present(subject)
    if isinstance(subject.type, UnionT):
        index = next((i for i, v in enumerate(subject.type.variants) if v.cls is cls), None)
        if index is None:
            ctx.error(
                pattern.cls,
                f"{cls.__name__} is no variant of {subject.type}",
                "name one of its records",
            )
        conditions.append(tree.IsVariant(where, BoolT(), subject, index))
        subject = tree.Project(where, subject.type.variants[index], subject, index)
    elif not (isinstance(subject.type, RecordT) and subject.type.cls is cls):
        ctx.error(pattern.cls, f"{subject.type} is never {cls.__name__}")
    fields = {f.name: f for f in fields_of(cls)}
    order = list(fields)
    if len(pattern.patterns) > len(order):
        ctx.error(
            pattern,
            f"{cls.__name__} has {len(order)} field{'s' * (len(order) != 1)}",
            f"in this order: {', '.join(order)}",
        )
    parts = dict(zip(order, pattern.patterns, strict=False))
    parts.update(zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True))
    captures: list[tree.Bind] = []
    for name, inner in parts.items():
        if name not in fields:
            ctx.error(inner, f"{cls.__name__} has no field {name}", f"fields: {', '.join(order)}")
        value = tree.FieldOf(ctx.at(inner), fields[name].type, subject, name)
        condition, bound = _pattern(ctx, inner, value)
        if not (isinstance(condition, tree.Const) and condition.value):
            conditions.append(condition)
        captures += bound
    return _all(where, conditions or [tree.Const(where, BoolT(), 1)]), tuple(captures)
