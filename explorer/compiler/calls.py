"""Checks calls: helpers, methods, constructors, the language's own functions, operations on containers."""

from __future__ import annotations

import ast
import enum
import types
import typing
from collections.abc import Callable
from typing import Any

from explorer.compiler import tree
from explorer.compiler.context import ABSENT, Context
from explorer.compiler.conversion import fit, is_number, unwrap
from explorer.compiler.domains import check_quantifier, member_type, type_of_values
from explorer.compiler.source import source_text
from explorer.compiler.tree import EmptySetT, Expr, NumberT, SystemT
from explorer.lang.containers import Map, Pool, Seq, Set
from explorer.lang.effects import given, panic, require, soft_panic
from explorer.lang.errors import ModelError
from explorer.lang.sorts import Ordinal, Sort
from explorer.lang.types import (
    MISSING,
    BoolT,
    EnumT,
    FieldT,
    MapT,
    OptionalT,
    OrdinalT,
    PoolT,
    RecordT,
    SeqT,
    SetT,
    UnionT,
    fields_of,
    is_record,
)

STATEMENTS: dict[object, str] = {
    require: "require",
    panic: "panic",
    soft_panic: "soft_panic",
    typing.assert_never: "assert_never",
}
QUANTIFIERS: dict[object, str] = {any: "any", all: "all", sum: "sum", min: "min", max: "max"}


def check_call(ctx: Context, node: ast.Call) -> Expr:
    """The typed form of a call that stands for a value (or is used for its effect)."""
    function = ctx.static(node.func)
    if function is not ABSENT:
        return _static_call(ctx, node, function)
    if isinstance(node.func, ast.Attribute):
        return _method_call(ctx, node, node.func)
    if isinstance(node.func, ast.Name):
        if node.func.id in ctx.locals:
            ctx.error(node, f"{node.func.id} is a value, not a function")
        ctx.error(node, f"{node.func.id} is not defined here")
    ctx.error(node, "only a function or method that is named here can be called")


def _static_call(ctx: Context, node: ast.Call, function: object) -> Expr:
    where = ctx.at(node)
    if function in QUANTIFIERS and len(node.args) == 1:
        if isinstance(node.args[0], ast.GeneratorExp):
            return check_quantifier(ctx, node, QUANTIFIERS[function], node.args[0])
        if isinstance(node.args[0], (ast.ListComp, ast.SetComp)):
            ctx.error(node.args[0], "the brackets make a list first", "leave them out")
    if function in (min, max):
        return _extreme(ctx, node, QUANTIFIERS[function])
    if function in (any, all, sum):
        ctx.error(
            node,
            f"{source_text(node.func)} takes a generator expression",
            "write any(p for x in xs)",
        )
    if function is len:
        return _length(ctx, node)
    if function is isinstance:
        return _isinstance(ctx, node)
    if function is given:
        operand = ctx.expression(_only_argument(ctx, node))
        if not isinstance(operand.type, OptionalT):
            ctx.error(
                node, f"given() takes an optional, and this is {operand.type}", "leave it out"
            )
        return tree.Given(where, operand.type.inner, operand)
    if function in STATEMENTS:
        ctx.error(
            node, f"{STATEMENTS[function]} is a statement, not a value", "give it its own line"
        )
    if function is bool or function is int:
        ctx.error(
            node, f"{source_text(node.func)}() is not supported", "compare, or use `1 if p else 0`"
        )
    if isinstance(function, type):
        return _construct(ctx, node, function)
    if isinstance(function, types.MethodType):
        return _class_method(ctx, node, function)
    if isinstance(function, types.FunctionType):
        checked = ctx.library.function(function, _owner_of(function), None)
        return _apply(ctx, node, checked, ())
    ctx.error(
        node,
        f"{source_text(node.func)} cannot be called from a model",
        "call functions you define with `def`, their parameters annotated, and what explorer.lang offers",
    )


def _owner_of(function: types.FunctionType) -> type[Any] | None:
    """The class whose method a plain function is, where it is called as ``Class.method(...)``."""
    path = function.__qualname__.split(".")
    owner = function.__globals__.get(path[-2]) if len(path) > 1 else None
    return owner if isinstance(owner, type) else None


def _only_argument(ctx: Context, node: ast.Call) -> ast.expr:
    if len(node.args) != 1 or node.keywords:
        ctx.error(node, f"{source_text(node.func)} takes one argument")
    return node.args[0]


def _extreme(ctx: Context, node: ast.Call, op: str) -> Expr:
    if len(node.args) < 2 or node.keywords:
        ctx.error(
            node,
            f"{op} takes two or more values, or a generator expression with default=",
            f"write {op}(a, b)",
        )
    operands = [ctx.value(a) for a in node.args]
    first = operands[0].type
    kind = NumberT() if is_number(first) else first
    if not (is_number(kind) or isinstance(kind, OrdinalT)):
        ctx.error(node, f"{op} needs numbers or values of an Ordinal, not {kind}")
    return tree.Extreme(ctx.at(node), kind, op, tuple(fit(o, kind) for o in operands))


def _length(ctx: Context, node: ast.Call) -> Expr:
    argument = _only_argument(ctx, node)
    value = ctx.static(argument)
    kind = type_of_values(value)
    if kind is not None:
        return tree.DomainSize(ctx.at(node), NumberT(), kind)
    container = ctx.value(argument)
    if isinstance(container.type, MapT):
        return tree.DomainSize(ctx.at(node), NumberT(), container.type.key)
    if isinstance(container.type, (SetT, SeqT, PoolT)):
        return tree.Size(ctx.at(node), NumberT(), container)
    ctx.error(node, f"{container.type} has no length")


def _isinstance(ctx: Context, node: ast.Call) -> Expr:
    where = ctx.at(node)
    if len(node.args) != 2:
        ctx.error(node, "isinstance takes a value and a record class")
    operand = ctx.value(node.args[0])
    cls = ctx.static(node.args[1])
    if isinstance(operand.type, UnionT) and isinstance(cls, type) and is_record(cls):
        for index, variant in enumerate(operand.type.variants):
            if variant.cls is cls:
                return tree.IsVariant(where, BoolT(), operand, index)
    ctx.error(node, f"isinstance asks which variant a union holds, and this is {operand.type}")


def _construct(ctx: Context, node: ast.Call, cls: type[Any]) -> Expr:
    where = ctx.at(node)
    if is_record(cls):
        return _build(ctx, node, cls)
    if cls is Set:
        return check_set(ctx, node, None)
    if issubclass(cls, Ordinal):
        argument = _only_argument(ctx, node)
        if not (isinstance(argument, ast.Constant) and isinstance(argument.value, int)):
            ctx.error(
                node,
                f"a value of {cls.__name__} is made from a literal",
                "use parameters, loops, .next(), or a bounded integer instead of the Ordinal",
            )
        return tree.OrdinalConst(where, OrdinalT(cls), argument.value)
    if issubclass(cls, Sort):
        ctx.error(
            node,
            f"{cls.__name__} is a Sort: its names are interchangeable, so a model cannot name one",
            "take it as a parameter, from a loop, or from a Pool; or make the class an Enum",
        )
    if issubclass(cls, enum.Enum):
        ctx.error(node, f"{cls.__name__}(...) looks a member up", f"write {cls.__name__}.MEMBER")
    if issubclass(cls, Seq):
        ctx.error(
            node,
            "a Seq is not made in an expression",
            "use the field's place: q.clear(), q.append(x)",
        )
    if issubclass(cls, (Map, Pool)):
        ctx.error(
            node, f"a {cls.__name__} is not made in an expression", "write into the field's place"
        )
    ctx.error(node, f"{cls.__name__} is not part of the language", "use @record classes")


def _build(ctx: Context, node: ast.Call, cls: type[Any]) -> Expr:
    fields = fields_of(cls)
    given_values = _bind(ctx, node, cls.__name__, [f.name for f in fields])
    arguments: list[Expr | None] = []
    for field in fields:
        value = given_values.get(field.name)
        if value is not None:
            arguments.append(ctx.expression(value, field.type))
        elif field.default is MISSING:
            ctx.error(
                node, f"{cls.__name__} needs a value for {field.name}", f"write {field.name}=..."
            )
        else:
            arguments.append(_default(ctx, node, field))
    return tree.Build(ctx.at(node), RecordT(cls), tuple(arguments))


def _default(ctx: Context, node: ast.Call, field: FieldT) -> Expr | None:
    """A field's declared default; None stands for the initial value of its type."""
    where = ctx.at(node)
    value = field.default
    if value is None:
        return fit(tree.Nothing(where, tree.NoneT()), field.type)
    if isinstance(value, bool):
        return fit(tree.Const(where, BoolT(), int(value)), field.type)
    if isinstance(value, int):
        return fit(tree.Const(where, NumberT(), value), field.type)
    if isinstance(value, enum.Enum):
        member = tree.Const(where, EnumT(type(value)), list(type(value)).index(value))
        return fit(member, field.type)
    return None


def _bind(ctx: Context, node: ast.Call, name: str, names: list[str]) -> dict[str, ast.expr]:
    """Which argument goes to which parameter."""
    if len(node.args) > len(names):
        ctx.error(node, f"{name} takes {len(names)} argument{'s' * (len(names) != 1)}")
    bound = dict(zip(names, node.args, strict=False))
    for keyword in node.keywords:
        if keyword.arg is None:
            ctx.error(node, "** in a call is not supported", "name the arguments")
        if keyword.arg not in names:
            ctx.error(node, f"{name} has no parameter {keyword.arg}", f"it has: {', '.join(names)}")
        if keyword.arg in bound:
            ctx.error(node, f"{name} gets {keyword.arg} twice")
        bound[keyword.arg] = keyword.value
    return bound


def check_set(ctx: Context, node: ast.Call, wanted: SetT | None) -> Expr:
    """``Set()``, ``Set((a, b))``, ``Set(x for ...)``; its context may say of what."""
    where = ctx.at(node)
    if not node.args:
        return tree.SetOf(where, wanted or EmptySetT(), ())
    argument = _only_argument(ctx, node)
    if isinstance(argument, ast.GeneratorExp):
        return check_quantifier(ctx, node, "Set", argument, wanted)
    if not isinstance(argument, (ast.Tuple, ast.List)):
        container = ctx.value(argument)
        if isinstance(container.type, SetT):
            return container
        ctx.error(node, "Set takes a tuple or a generator expression", "write Set((a, b))")
    if wanted is not None:
        return tree.SetOf(
            where, wanted, tuple(ctx.expression(e, wanted.item) for e in argument.elts)
        )
    items = [ctx.value(e) for e in argument.elts]
    if not items:
        return tree.SetOf(where, EmptySetT(), ())
    kind = items[0].type
    if isinstance(kind, NumberT):
        ctx.error(
            node,
            "a Set of int has no bounds",
            "add the members to a field of type Set[...] one by one",
        )
    return tree.SetOf(where, SetT(member_type(ctx, node, kind)), tuple(fit(i, kind) for i in items))


def _class_method(ctx: Context, node: ast.Call, method: types.MethodType) -> Expr:
    owner = method.__self__
    if isinstance(owner, type) and issubclass(owner, Ordinal):
        if node.args or node.keywords:
            ctx.error(node, f"{source_text(node.func)} takes no argument")
        if method.__name__ == "top" and not owner._top_name:
            ctx.error(
                node,
                f"{owner.__name__} declares no top element",
                f'write class {owner.__name__}(Ordinal, top="INF")',
            )
        return tree.OrdinalConst(ctx.at(node), OrdinalT(owner), method.__name__)
    ctx.error(node, f"{source_text(node.func)} cannot be called from a model")


def _method_call(ctx: Context, node: ast.Call, attribute: ast.Attribute) -> Expr:
    name = attribute.attr
    if _is_super(ctx, attribute.value):
        if ctx.owner is None:
            ctx.error(node, "super() outside a method")
        return _system_call(ctx, node, name, ctx.owner)
    base = ctx.value(attribute.value)
    match base.type:
        case SystemT():
            return _system_call(ctx, node, name, None)
        case RecordT(cls):
            method = getattr(cls, name, None)
            if isinstance(method, types.FunctionType):
                checked = ctx.library.function(method, cls, base.type)
                return _apply(ctx, node, checked, (base,))
            ctx.error(node, f"{cls.__name__} has no method {name}")
        case OrdinalT():
            if name == "next" and not node.args:
                return tree.Next(ctx.at(node), base.type, base)
            ctx.error(node, f"{base.type} has no method {name}", "an Ordinal has .next()")
        case SetT(item):
            return _operate(
                ctx,
                node,
                base,
                name,
                {
                    "add": ((item,), tree.VoidT()),
                    "discard": ((item,), tree.VoidT()),
                    "remove": ((item,), tree.VoidT()),
                    "clear": ((), tree.VoidT()),
                },
            )
        case SeqT(item, _, _):
            number = NumberT()
            return _operate(
                ctx,
                node,
                base,
                name,
                {
                    "append": ((item,), tree.VoidT()),
                    "insert": ((number, item), tree.VoidT()),
                    "remove_at": ((number,), tree.VoidT()),
                    "pop_first": ((), item),
                    "first": ((), item),
                    "last": ((), item),
                    "clear": ((), tree.VoidT()),
                },
            )
        case PoolT(ref, value):
            return _operate(
                ctx,
                node,
                base,
                name,
                {
                    "alloc": ((value,), ref),
                    "free": ((ref,), tree.VoidT()),
                },
            )
    ctx.error(node, f"{base.type} has no method {name}")


Operations = dict[str, tuple[tuple[tree.Kind, ...], tree.Kind]]


def _operate(ctx: Context, node: ast.Call, base: Expr, name: str, known: Operations) -> Expr:
    if name not in known:
        ctx.error(node, f"{base.type} has no method {name}", f"it has: {', '.join(known)}")
    wanted, result = known[name]
    if len(node.args) != len(wanted) or node.keywords:
        ctx.error(node, f"{name} takes {len(wanted)} argument{'s' * (len(wanted) != 1)}")
    arguments = tuple(ctx.expression(a, k) for a, k in zip(node.args, wanted, strict=True))
    return tree.Operate(ctx.at(node), result, name, base, arguments)


def _is_super(ctx: Context, node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and ctx.static(node.func) is super and not node.args


def _system_call(ctx: Context, node: ast.Call, name: str, after: type[Any] | None) -> Expr:
    method, owner = ctx.library.method(name, after)
    if not isinstance(method, types.FunctionType):
        base = "super()" if after is not None else "the system"
        ctx.error(node, f"{base} has no method {name}")
    checked = ctx.library.function(method, owner, SystemT())
    return _apply(ctx, node, checked, (tree.Expr(ctx.at(node), SystemT()),))


def _apply(
    ctx: Context, node: ast.Call, function: tree.Function, receiver: tuple[Expr, ...]
) -> Expr:
    parameters = function.parameters[len(receiver) :]
    bound = _bind(ctx, node, function.name, [name for name, _ in parameters])
    arguments = list(receiver)
    for name, kind in parameters:
        if name not in bound:
            ctx.error(node, f"{function.name} needs a value for {name}")
        try:
            arguments.append(ctx.expression(bound[name], kind))
        except ModelError as error:
            if error.where == ctx.at(bound[name]) and not error.hint:
                error.hint = f"{function.name} takes {name}: {kind}"
            raise
    return tree.Call(ctx.at(node), function.result, function, tuple(arguments))


Resolver = Callable[..., Any]
__all__ = ["STATEMENTS", "check_call", "unwrap"]
