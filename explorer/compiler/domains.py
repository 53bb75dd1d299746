"""Checks what loops, quantifiers and comprehensions range over."""

from __future__ import annotations

import ast
import enum

from explorer.compiler import tree
from explorer.compiler.context import ABSENT, Context
from explorer.compiler.conversion import fit, is_number
from explorer.compiler.source import source_text
from explorer.compiler.tree import DesignT, Domain, Kind, NoneT, NumberT, SystemT
from explorer.lang.sorts import Ordinal, Sort
from explorer.lang.types import BoolT, EnumT, MapT, OrdinalT, PoolT, SeqT, SetT, SortT, Type


def type_of_values(value: object) -> Type | None:
    """The type whose values `for x in CLASS` ranges over."""
    if isinstance(value, type):
        if issubclass(value, Sort):
            return SortT(value)
        if issubclass(value, Ordinal):
            return OrdinalT(value)
        if issubclass(value, enum.Enum):
            return EnumT(value)
    return None


def check_domain(ctx: Context, node: ast.expr) -> tuple[Domain, tuple[Kind, ...]]:
    """The domain behind ``in`` and the types of what it yields (two for ``m.items()``)."""
    where = ctx.at(node)
    value = ctx.static(node)
    if value is not ABSENT:
        kind = type_of_values(value)
        if kind is not None:
            return tree.ValuesOf(where, kind), (kind,)
        if isinstance(value, tuple):
            return _constants(ctx, node, value)
        ctx.error(
            node,
            f"{source_text(node)} is nothing a model can loop over",
            "loop over a Sort, Ordinal or Enum, a container, range(...) or a tuple",
        )
    if isinstance(node, (ast.Tuple, ast.List)):
        items = [ctx.value(element) for element in node.elts]
        if not items:
            ctx.error(node, "a loop over nothing")
        kind_of_first: Kind = NumberT() if is_number(items[0].type) else items[0].type
        fitted = tuple(fit(i, kind_of_first) for i in items)
        return tree.ListOf(where, fitted), (kind_of_first,)
    if isinstance(node, ast.Call):
        if ctx.static(node.func) is range:
            return _range(ctx, node), (NumberT(),)
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("items", "values", "keys"):
            base = ctx.value(node.func.value)
            if isinstance(base.type, MapT):
                key, item = base.type.key, base.type.value
                if node.func.attr == "keys":
                    return tree.ValuesOf(where, key), (key,)
                with_key = node.func.attr == "items"
                yielded: tuple[Kind, ...] = (key, item) if with_key else (item,)
                return tree.EntriesOf(where, base, with_key), yielded
    container = ctx.value(node)
    match container.type:
        case SetT(item) | SeqT(item, _, _):
            return tree.MembersOf(where, container), (item,)
        case MapT(key, _):
            return tree.ValuesOf(where, key), (key,)
        case PoolT(ref, _):
            return tree.MembersOf(where, container), (ref,)
    ctx.error(
        node,
        f"{container.type} is nothing a model can loop over",
        "loop over a Sort, Ordinal or Enum, a container, range(...) or a tuple",
    )


def _constants(
    ctx: Context, node: ast.expr, values: tuple[object, ...]
) -> tuple[Domain, tuple[Kind, ...]]:
    where = ctx.at(node)
    items: list[tree.Expr] = []
    for value in values:
        if isinstance(value, bool):
            items.append(tree.Const(where, BoolT(), int(value)))
        elif isinstance(value, enum.Enum):
            position = list(type(value)).index(value)
            items.append(tree.Const(where, EnumT(type(value)), position))
        elif isinstance(value, int):
            items.append(tree.Const(where, NumberT(), value))
        else:
            ctx.error(
                node,
                f"{source_text(node)} holds {type(value).__name__}, which is no constant of a model",
                "a module's constants may be bool, int and enum members, and tuples of them",
            )
    if not items or any(i.type != items[0].type for i in items):
        ctx.error(node, f"{source_text(node)} needs one or more values of one type")
    return tree.ListOf(where, tuple(items)), (items[0].type,)


def _range(ctx: Context, node: ast.Call) -> tree.RangeOf:
    if not 1 <= len(node.args) <= 2 or node.keywords:
        ctx.error(node, "range takes one or two bounds here", "write range(n) or range(low, high)")
    bounds = [ctx.expression(a, NumberT()) for a in node.args]
    zero = tree.Const(ctx.at(node), NumberT(), 0)
    low, high = bounds if len(bounds) == 2 else (zero, bounds[0])
    return tree.RangeOf(ctx.at(node), low, high)


def loop_names(ctx: Context, target: ast.expr, kinds: tuple[Kind, ...]) -> tuple[str, ...]:
    """The names a loop binds, with their types declared."""
    targets = target.elts if isinstance(target, ast.Tuple) else [target]
    if len(targets) != len(kinds) or not all(isinstance(t, ast.Name) for t in targets):
        ctx.error(
            target,
            f"this loop yields {len(kinds)} value{'s' * (len(kinds) > 1)} at a time",
            "write `for x in ...`, or `for k, v in m.items()`",
        )
    names = tuple(t.id for t in targets if isinstance(t, ast.Name))
    for name, kind in zip(names, kinds, strict=True):
        known = ctx.declare(target, name, kind)
        if known != kind and not (is_number(known) and is_number(kind)):
            ctx.error(target, f"{name} is already {known}, and the loop yields {kind}", "rename it")
    return names


def check_generators(
    ctx: Context, generators: list[ast.comprehension]
) -> tuple[tree.Generator, ...]:
    """The ``for ... in ... if ...`` clauses; their variables are declared in ``ctx``."""
    result = []
    for clause in generators:
        if clause.is_async:
            ctx.error(clause.target, "async comprehensions are not supported")
        domain, kinds = check_domain(ctx, clause.iter)
        # A comprehension's variables are its own: they hide a local of the same name.
        for name in ast.walk(clause.target):
            if isinstance(name, ast.Name):
                ctx.locals.pop(name.id, None)
                ctx.fixed -= {name.id}
        names = loop_names(ctx, clause.target, kinds)
        conditions = []
        for condition in clause.ifs:
            checked = ctx.condition(condition)
            ctx.narrow(checked)
            conditions.append(checked)
        result.append(tree.Generator(ctx.at(clause.target), names, domain, tuple(conditions)))
    return tuple(result)


def check_quantifier(
    ctx: Context,
    node: ast.Call,
    op: str,
    argument: ast.GeneratorExp,
    wanted: SetT | None = None,
) -> tree.Expr:
    """``any``, ``all``, ``sum``, ``min``, ``max``, ``Set`` over a generator expression."""
    saved = dict(ctx.locals), dict(ctx.narrowed), ctx.fixed
    ctx.fixed = ctx.fixed | frozenset(ctx.locals)
    generators = check_generators(ctx, argument.generators)
    result: Kind
    match op:
        case "any" | "all":
            element, result = ctx.condition(argument.elt), BoolT()
        case "sum":
            element = fit(ctx.value(argument.elt), NumberT())
            result = NumberT()
        case "Set":
            element = ctx.expression(argument.elt, None if wanted is None else wanted.item)
            result = wanted or SetT(member_type(ctx, argument.elt, element.type))
        case _:
            element = ctx.value(argument.elt)
            result = NumberT() if is_number(element.type) else element.type
            if not (is_number(result) or isinstance(result, OrdinalT)):
                ctx.error(node, f"{op} needs numbers or values of an Ordinal, not {result}")
    default = None
    for keyword in node.keywords:
        if keyword.arg != "default" or op not in ("min", "max"):
            ctx.error(node, f"{op} takes no keyword {keyword.arg} here")
        default = ctx.expression(keyword.value, result)
    never_empty = all(
        isinstance(g.domain, (tree.ValuesOf, tree.EntriesOf, tree.ListOf)) and not g.conditions
        for g in generators
    )
    if op in ("min", "max") and default is None and not never_empty:
        ctx.error(
            node,
            f"{op} of nothing has no value",
            f"write {op}((...), default=...)",
        )
    # A name bound inside stays inside: after `any(... (r := x) ...)` it would tell which x came first.
    ctx.locals, ctx.narrowed, ctx.fixed = saved
    return tree.Quantify(ctx.at(node), result, op, generators, element, default)


def member_type(ctx: Context, node: ast.AST, kind: Kind) -> Type:
    """The type of a set's members."""
    if isinstance(kind, (NumberT, NoneT, tree.VoidT, SystemT, DesignT, tree.EmptySetT)):
        ctx.error(
            node,
            f"a Set of {kind} has no bounds",
            "make sets of fields, parameters or loop variables with a bounded type",
        )
    return kind
