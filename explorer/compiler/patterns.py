"""Lowers ``match`` to conditions and bindings."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from explorer.compiler import tree
from explorer.compiler.context import Context
from explorer.compiler.conversion import fit, is_number, unwrap
from explorer.compiler.tree import Expr, Stmt
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
    statements: list[Stmt] = []
    if not isinstance(subject, tree.Local):
        name = f"match at line {node.lineno}"
        kind = ctx.declare(node.subject, name, subject.type)
        statements.append(tree.Let(ctx.at(node.subject), name, subject))
        subject = tree.Local(subject.where, kind, name)
    arms: list[tuple[Expr, tuple[Stmt, ...]]] = []
    remaining = _values(subject)
    saved = dict(ctx.narrowed)
    for case in node.cases:
        if remaining is not None and not remaining:
            ctx.error(case.pattern, "this case is never reached: those above cover everything")
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
        ctx.narrowed = dict(saved)
    chain: tuple[Stmt, ...] = ()
    for condition, body in reversed(arms):
        if isinstance(condition, tree.Const) and condition.value:
            chain = body
        else:
            chain = (tree.If(condition.where, condition, body, chain),)
    return [*statements, *chain]


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
        case ast.MatchSingleton(None):
            return {None}
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
            kind = ctx.declare(pattern, name, subject.type)
            return always, (tree.Bind(where, kind, name, fit(subject, kind)),)
        case ast.MatchAs(inner, str(name)) if inner is not None:
            condition, captures = _pattern(ctx, inner, subject)
            value = subject
            if isinstance(condition, tree.IsVariant) and isinstance(condition.operand.type, UnionT):
                variant = condition.operand.type.variants[condition.index]
                value = tree.Project(where, variant, condition.operand, condition.index)
            kind = ctx.declare(pattern, name, value.type)
            return condition, (*captures, tree.Bind(where, kind, name, fit(value, kind)))
        case ast.MatchSingleton(None):
            if not isinstance(subject.type, OptionalT):
                ctx.error(pattern, f"{subject.type} is never None")
            return tree.IsNone(where, BoolT(), subject), ()
        case ast.MatchSingleton(bool(flag)):
            value = tree.Const(where, BoolT(), int(flag))
            return tree.Compare(where, BoolT(), "eq", fit(subject, BoolT()), value), ()
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


def _value_pattern(ctx: Context, value: ast.expr, subject: Expr) -> Expr:
    where = ctx.at(value)
    wanted = subject.type
    condition: Expr | None = None
    if isinstance(wanted, OptionalT):
        condition = tree.Not(where, BoolT(), tree.IsNone(where, BoolT(), subject))
        subject, wanted = unwrap(subject), wanted.inner
    expected = ctx.expression(value)
    same = expected.type == wanted or (is_number(expected.type) and is_number(wanted))
    if not same or isinstance(wanted, OrdinalT | UnionT):
        ctx.error(value, f"{expected.type} is no case of {wanted}")
    equal = tree.Compare(where, BoolT(), "eq", subject, expected)
    return equal if condition is None else tree.And(where, BoolT(), (condition, equal))


def _class_pattern(ctx: Context, pattern: ast.MatchClass, subject: Expr) -> tuple[Expr, Captures]:
    where = ctx.at(pattern)
    cls = ctx.static(pattern.cls)
    if not (isinstance(cls, type) and is_record(cls)):
        ctx.error(pattern.cls, "a case names a record class here", "write case Publish(id=i):")
    conditions: list[Expr] = []
    if isinstance(subject.type, OptionalT):
        conditions.append(tree.Not(where, BoolT(), tree.IsNone(where, BoolT(), subject)))
        subject = unwrap(subject)
    if isinstance(subject.type, UnionT):
        index = next((i for i, v in enumerate(subject.type.variants) if v.cls is cls), None)
        if index is None:
            ctx.error(pattern.cls, f"{cls.__name__} is no variant of {subject.type}")
        conditions.append(tree.IsVariant(where, BoolT(), subject, index))
        subject = tree.Project(where, subject.type.variants[index], subject, index)
    elif not (isinstance(subject.type, RecordT) and subject.type.cls is cls):
        ctx.error(pattern.cls, f"{subject.type} is never {cls.__name__}")
    fields = {f.name: f for f in fields_of(cls)}
    order = list(fields)
    if len(pattern.patterns) > len(order):
        ctx.error(pattern, f"{cls.__name__} has {len(order)} fields")
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
    if len(conditions) == 1:
        return conditions[0], tuple(captures)
    if not conditions:
        return tree.Const(where, BoolT(), 1), tuple(captures)
    return tree.And(where, BoolT(), tuple(conditions)), tuple(captures)
