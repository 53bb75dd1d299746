"""Checks what loops, quantifiers and comprehensions range over."""

from __future__ import annotations

import ast
import enum
from collections.abc import Sequence

from explorer.compiler import tree
from explorer.compiler.context import ABSENT, Context
from explorer.compiler.conversion import (
    common,
    fit,
    is_number,
    loose,
    unwrap,
    where_present,
)
from explorer.compiler.source import source_text
from explorer.compiler.tree import DesignT, Domain, Kind, NoneT, NumberT, SystemT
from explorer.lang.sorts import Ordinal, Sort
from explorer.lang.types import (
    BoolT,
    EnumT,
    MapT,
    OptionalT,
    OrdinalT,
    PoolT,
    SeqT,
    SetT,
    SortT,
    Type,
)

NO_ORDER = "only these have an order; other values are compared with =="


def type_of_values(ctx: Context, node: ast.expr, value: object) -> Type | None:
    """The type whose values `for x in CLASS` ranges over."""
    if isinstance(value, type):
        if issubclass(value, (Sort, Ordinal)):
            ctx.sized(node, value.__name__)
            return SortT(value) if issubclass(value, Sort) else OrdinalT(value)
        if issubclass(value, enum.Enum):
            return EnumT(value)
    return None


def check_domain(ctx: Context, node: ast.expr) -> tuple[Domain, tuple[Kind, ...]]:
    """The domain behind ``in`` and the types of what it yields (two for ``m.items()``)."""
    where = ctx.at(node)
    value = ctx.static(node)
    if value is not ABSENT:
        kind = type_of_values(ctx, node, value)
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
        return _display(ctx, node)
    if isinstance(node, ast.Call):
        if ctx.static(node.func) is range:
            return _range(ctx, node), (NumberT(),)
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("items", "values"):
            base = ctx.value(node.func.value)
            if isinstance(base.type, MapT) and not node.args and not node.keywords:
                key, item = base.type.key, base.type.value
                with_key = node.func.attr == "items"
                yielded: tuple[Kind, ...] = (key, item) if with_key else (item,)
                return tree.EntriesOf(where, base, with_key), yielded
    container = ctx.value(node)
    match container.type:
        case SetT(item) | SeqT(item, _, _) | MapT(item, _) | PoolT(item, _):
            return tree.MembersOf(where, container), (item,)
    ctx.error(
        node,
        f"{source_text(node)} is {container.type}, nothing a model can loop over",
        "loop over a Sort, Ordinal or Enum, a container, range(...) or a tuple",
    )


def _display(ctx: Context, node: ast.Tuple | ast.List) -> tuple[Domain, tuple[Kind, ...]]:
    items = [ctx.expression(element) for element in node.elts]
    if not items:
        ctx.error(node, "this loop runs over nothing", "leave it out")
    kind: Kind | None = loose(items[0].type)
    for item in items[1:]:
        kind = None if kind is None else common(kind, item.type)
    if kind is None or (isinstance(kind, tree.OUTSIDE) and not is_number(kind)):
        ctx.error(
            node,
            "the elements of this loop have no type in common",
            "loop over values of one type",
        )
    return tree.ListOf(ctx.at(node), tuple(fit(i, kind) for i in items)), (kind,)


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
            ctx.error(
                target, f"{name} is already {known}, and the loop yields {kind}", "use another name"
            )
    return names


def check_generators(
    ctx: Context, generators: list[ast.comprehension]
) -> tuple[tree.Generator, ...]:
    """The ``for ... in ... if ...`` clauses; their variables are declared in ``ctx``."""
    result = []
    domain, kinds = check_domain(ctx, generators[0].iter)
    # A comprehension's variables are its own: they hide locals of the same names, but in the first domain.
    for part in (part for clause in generators for part in ast.walk(clause.target)):
        if isinstance(part, ast.Name):
            ctx.locals.pop(part.id, None)
            ctx.narrowed.pop(part.id, None)
            ctx.fixed -= {part.id}
    for i, clause in enumerate(generators):
        if clause.is_async:
            ctx.error(clause.target, "async comprehensions are not supported")
        if i > 0:
            domain, kinds = check_domain(ctx, clause.iter)
        names = loop_names(ctx, clause.target, kinds)
        conditions = []
        for condition in clause.ifs:
            checked = ctx.condition(condition)
            ctx.narrow(checked)
            conditions.append(checked)
        result.append(tree.Generator(ctx.at(clause.target), names, domain, tuple(conditions)))
    return tuple(result)


def check_quantifier(
    ctx: Context, node: ast.Call, op: str, argument: ast.expr, wanted: SetT | None = None
) -> tree.Expr:
    """``any``, ``all``, ``sum``, ``min``, ``max``, ``Set`` over a generator expression or over all of a domain.

    ``wanted``: the type of the Set, if its context says so.
    """
    saved = dict(ctx.locals), dict(ctx.narrowed), ctx.fixed
    ctx.fixed = ctx.fixed | frozenset(ctx.locals)
    found: tree.Expr | None = None
    if isinstance(argument, ast.GeneratorExp):
        generators = check_generators(ctx, argument.generators)
        source = argument.elt
    else:
        domain, kinds = check_domain(ctx, argument)
        if len(kinds) != 1:
            ctx.error(argument, "this yields two values at a time", "write x for k, v in m.items()")
        where = ctx.at(argument)
        variable = f"<{where.line}:{where.column}>"
        generators = (tree.Generator(where, (variable,), domain, ()),)
        source, found = argument, tree.Local(where, kinds[0], variable)
    result: Kind
    match op:
        case "any" | "all":
            element = found or ctx.condition(source)
            if element.type == OptionalT(BoolT()):
                element = where_present(element, lambda value: value)
            element, result = fit(element, BoolT(), what="an element"), BoolT()
        case "sum":
            element = fit(unwrap(found or ctx.expression(source)), NumberT(), what="an element")
            result = NumberT()
        case "Set":
            element = found or ctx.expression(source)
            if isinstance(element, tree.Local) and element.name in _present(generators):
                element = unwrap(element, silent=True)
            if wanted is not None:
                element = fit(element, wanted.item, what=source_text(source))
            result = wanted or SetT(member_type(ctx, source, element.type))
        case _:
            element = unwrap(found or ctx.expression(source))
            result = NumberT() if is_number(element.type) else element.type
            if not (is_number(result) or isinstance(result, OrdinalT)):
                ctx.error(
                    node, f"{op} needs numbers or values of an Ordinal, not {result}", NO_ORDER
                )
    default = None
    for keyword in node.keywords:
        if keyword.arg != "default" or op not in ("min", "max"):
            ctx.error(
                node,
                f"{op} takes no keyword {keyword.arg} here",
                "only min and max take one: default=",
            )
        default = ctx.expression(keyword.value, result)
    never_empty = all(
        (
            isinstance(g.domain, (tree.ValuesOf, tree.EntriesOf, tree.ListOf))
            or (isinstance(g.domain, tree.MembersOf) and isinstance(g.domain.container.type, MapT))
        )
        and not g.conditions
        for g in generators
    )
    if op in ("min", "max") and default is None and not never_empty:
        ctx.error(
            node,
            f"{op} of nothing has no value, and this may be empty",
            f"write {op}((x for x in xs), default=...)",
        )
    # A name bound inside stays inside: after `any(... (r := x) ...)` it would tell which x came first.
    ctx.locals, ctx.narrowed, ctx.fixed = saved
    return tree.Quantify(ctx.at(node), result, op, generators, element, default)


def _present(generators: Sequence[tree.Generator]) -> set[str]:
    """Names that the conditions of a comprehension exclude to be None."""
    found: set[str] = set()
    for condition in (c for g in generators for c in g.conditions):
        for part in condition.operands if isinstance(condition, tree.And) else (condition,):
            match part:
                case tree.Not(_, _, tree.IsNone(_, _, tree.Local() | tree.Bind() as operand)):
                    found.add(operand.name)
    return found


def member_type(ctx: Context, node: ast.AST, kind: Kind) -> Type:
    """The type of a set's members."""
    if isinstance(kind, (NumberT, NoneT, tree.VoidT, SystemT, DesignT, tree.EmptySetT)):
        ctx.error(
            node,
            f"a Set of {kind} has no bounds here",
            "assign it to a field of type Set[...], or add the members to one",
        )
    return kind
