"""Checks calls: helpers, methods, constructors, the language's own functions, operations on containers."""

from __future__ import annotations

import ast
import enum
import inspect
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from explorer.compiler import tree
from explorer.compiler.context import ABSENT, NOT_DEFINED, Context
from explorer.compiler.conversion import (
    alike,
    common,
    fit,
    is_exact,
    is_number,
    loose,
    unwrap,
    where_present,
)
from explorer.compiler.domains import NO_ORDER, check_quantifier, member_type, type_of_values
from explorer.compiler.source import source_text
from explorer.compiler.tree import EmptySetT, Expr, NumberT, SystemT
from explorer.lang.containers import Map, Pool, Seq, Set
from explorer.lang.effects import given, panic, require, soft_panic
from explorer.lang.errors import ModelError
from explorer.lang.markers import Initial
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
    SortT,
    Type,
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
            ctx.error(node, f"{node.func.id} is a value, not a function", "leave the call out")
        ctx.error(node, f"{node.func.id} is not defined here", NOT_DEFINED)
    ctx.error(
        node,
        "only a function or method that is named here can be called",
        "write FUNCTION(...), MODULE.FUNCTION(...) or OBJECT.METHOD(...)",
    )


def _static_call(ctx: Context, node: ast.Call, function: object) -> Expr:
    where = ctx.at(node)
    if not isinstance(function, typing.Hashable):
        ctx.error(
            node,
            f"{source_text(node.func)} is {type(function).__name__}, not a function",
            "call functions you define with `def`",
        )
    if function in QUANTIFIERS and len(node.args) == 1:
        if isinstance(node.args[0], (ast.ListComp, ast.SetComp)):
            ctx.error(
                node.args[0],
                "the brackets collect everything before the first element is looked at",
                "leave them out",
            )
        return check_quantifier(ctx, node, QUANTIFIERS[function], node.args[0])
    if function in (min, max):
        return _extreme(ctx, node, QUANTIFIERS[function])
    if function in (any, all, sum):
        name = QUANTIFIERS[function]
        ctx.error(node, f"{name} takes one argument", f"write {name}(p(x) for x in xs)")
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
    if isinstance(function, type) and function not in INSTEAD:
        return _construct(ctx, node, function)
    if isinstance(function, types.MethodType):
        return _class_method(ctx, node, function)
    if isinstance(function, types.FunctionType):
        return _function_call(ctx, node, function)
    ctx.error(
        node,
        f"{source_text(node.func)} cannot be called from a model",
        INSTEAD.get(
            function,
            "call functions you define with `def` (undecorated, parameters annotated), and what "
            "explorer.lang offers",
        ),
    )


INSTEAD: dict[object, str] = {
    abs: "write `x if x >= 0 else -x`",
    bool: "write a comparison",
    dict: "use a field of type Map",
    enumerate: "loop over range(len(q)) and read q[i]",
    filter: "write Set(x for x in xs if p(x))",
    frozenset: "write Set((a, b))",
    getattr: "write the field's name",
    hash: "a value is no number: compare with ==",
    id: "a value is no number: compare with ==",
    int: "write `1 if p else 0`",
    iter: "write a for loop, any(...) or all(...)",
    list: "use a field of type Seq, or a Set",
    map: "write Set(f(x) for x in xs)",
    next: "write any(...), min(...) or a loop; the successor of an Ordinal is t.next()",
    print: "a trace shows every step with what it changed",
    reversed: "loop over range(len(q)) and read q[len(q) - 1 - i]",
    set: "write Set((a, b)), or Set(x for x in xs)",
    setattr: "write the field's name",
    sorted: "names of a Sort have no order; the values of an Ordinal come in theirs",
    str: "a model has no strings: use an Enum",
    tuple: "use a frozen record or a Set",
    zip: "loop over range(len(q)) and read q[i]",
}
"""What to write instead of Python's own functions."""


def _function_call(ctx: Context, node: ast.Call, function: types.FunctionType) -> Expr:
    """A helper, or a method that is called as ``Class.method(self, ...)``."""
    owner = _owner_of(function)
    receiver: tree.Kind | None = None
    if owner is not None and not _is_static(owner, function.__name__):
        if not node.args:
            ctx.error(
                node,
                f"{source_text(node.func)} needs the object it is called on",
                f"write {source_text(node.func)}(self, ...)",
            )
        receiver = ctx.expression(node.args[0]).type
        cls = receiver.cls if isinstance(receiver, RecordT) else None
        if isinstance(receiver, SystemT):
            cls = ctx.library.system_class()
        if cls is None or not issubclass(cls, owner):
            ctx.error(
                node.args[0],
                f"{source_text(node.func)} is called on {receiver}, which is no {owner.__name__}",
                f"write {source_text(node.func)}(self, ...)",
            )
    return _apply(ctx, node, Callee(function, owner, receiver), ())


def _owner_of(function: types.FunctionType) -> type[Any] | None:
    """The class whose method a plain function is, where it is called as ``Class.method(...)``."""
    path = function.__qualname__.split(".")
    owner = function.__globals__.get(path[-2]) if len(path) > 1 else None
    return owner if isinstance(owner, type) else None


def _is_static(cls: type[Any], name: str) -> bool:
    return isinstance(inspect.getattr_static(cls, name, None), staticmethod)


def _only_argument(ctx: Context, node: ast.Call) -> ast.expr:
    if len(node.args) != 1 or node.keywords:
        text = source_text(node.func)
        ctx.error(node, f"{text} takes one argument", f"write {text}(x)")
    return node.args[0]


@dataclass(frozen=True)
class Callee:
    """A function to call: whose method it is, and on what it is called."""

    function: types.FunctionType
    owner: type[Any] | None
    receiver: tree.Kind | None


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
        ctx.error(node, f"{op} needs numbers or values of an Ordinal, not {kind}", NO_ORDER)
    return tree.Extreme(ctx.at(node), kind, op, tuple(fit(o, kind) for o in operands))


def _length(ctx: Context, node: ast.Call) -> Expr:
    argument = _only_argument(ctx, node)
    value = ctx.static(argument)
    kind = type_of_values(ctx, argument, value)
    if kind is not None:
        return tree.DomainSize(ctx.at(node), NumberT(), kind)
    container = ctx.value(argument)
    if isinstance(container.type, (MapT, SetT, SeqT, PoolT)):
        return tree.Size(ctx.at(node), NumberT(), container)
    ctx.error(
        node,
        f"{source_text(argument)} is {container.type}, which has no length",
        "len takes a Set, Seq, Map or Pool, or a class of values",
    )


def _isinstance(ctx: Context, node: ast.Call) -> Expr:
    where = ctx.at(node)
    if len(node.args) != 2 or node.keywords:
        ctx.error(node, "isinstance takes a value and a record class", "write isinstance(c, Drop)")
    operand, cls = ctx.expression(node.args[0]), ctx.static(node.args[1])
    if not (isinstance(cls, type) and is_record(cls)):
        ctx.error(
            node.args[1],
            "isinstance takes one record class",
            "write isinstance(x, A) or isinstance(x, B)",
        )
    inner = operand.type.inner if isinstance(operand.type, OptionalT) else operand.type
    if isinstance(operand, tree.Project):
        # Around it, another isinstance or match has told which one it is.
        return tree.Const(where, BoolT(), int(inner == RecordT(cls)))
    variants = inner.variants if isinstance(inner, UnionT) else ()
    index = next((i for i, v in enumerate(variants) if v.cls is cls), None)
    if index is None:
        optional = operand.type != inner and not variants
        hint = "for T | None write `is not None`" if optional else ""
        ctx.error(
            node,
            f"isinstance asks which record of a union this is, and {operand.type} is never {cls.__name__}"
            if variants
            else f"isinstance asks which record of a union this is, and this is {operand.type}",
            hint,
        )
    if not isinstance(operand.type, OptionalT):
        return tree.IsVariant(where, BoolT(), operand, index)
    if not isinstance(operand, tree.Local):
        return where_present(operand, lambda value: tree.IsVariant(where, BoolT(), value, index))
    present = tree.Not(where, BoolT(), tree.IsNone(where, BoolT(), operand))
    return tree.And(
        where, BoolT(), (present, tree.IsVariant(where, BoolT(), unwrap(operand), index))
    )


def _construct(ctx: Context, node: ast.Call, cls: type[Any]) -> Expr:
    where = ctx.at(node)
    if is_record(cls):
        return _build(ctx, node, cls)
    if cls is Set:
        return check_set(ctx, node, None)
    if issubclass(cls, Ordinal):
        argument = _only_argument(ctx, node)
        if not (isinstance(argument, ast.Constant) and type(argument.value) is int):
            ctx.error(
                node,
                f"a value of {cls.__name__} is made from a literal",
                "use parameters, loops, .next(), or a bounded integer instead of the Ordinal",
            )
        ctx.sized(node, cls.__name__)
        return tree.OrdinalConst(where, OrdinalT(cls), argument.value)
    if issubclass(cls, Sort):
        ctx.error(
            node,
            f"{cls.__name__} is a Sort: its names are interchangeable, so a model cannot name one",
            "take it as a parameter, from a loop, or from a Pool; or make the class an Enum",
        )
    if issubclass(cls, enum.Enum):
        ctx.error(
            node,
            f"{cls.__name__}(...) looks a member up by its value, which is not used",
            f"write {cls.__name__}.{next(iter(cls)).name}",
        )
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
    ctx.error(
        node,
        f"{cls.__name__} is no class whose values a model can make",
        "ask isinstance(x, Class), or use match"
        if cls is type
        else "put @record or @record(frozen=True) above it",
    )


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
            arguments.append(_default(ctx, node, cls, field))
    _check_order(ctx, node, dict(zip((f.name for f in fields), arguments, strict=True)))
    return tree.Build(ctx.at(node), RecordT(cls), tuple(arguments))


def _default(ctx: Context, node: ast.Call, cls: type[Any], field: FieldT) -> Expr | None:
    """A field's declared default; None stands for the initial value of its type."""
    if isinstance(field.default, Initial):
        if not has_initial(field.type):
            ctx.error(
                node,
                f"{cls.__name__} needs a value for {field.name}: a Sort has no initial value",
                f"write {field.name}=..., or declare it as T | None",
            )
        return None
    return fit(_constant(ctx, node, field.default), field.type)


def _constant(ctx: Context, node: ast.Call, value: object) -> Expr:
    """What a default stands for."""
    where = ctx.at(node)
    if value is None:
        return tree.Nothing(where, tree.NoneT())
    if isinstance(value, bool):
        return tree.Const(where, BoolT(), int(value))
    if isinstance(value, enum.Enum):
        return tree.Const(where, EnumT(type(value)), list(type(value)).index(value))
    if isinstance(value, int):
        return tree.Const(where, NumberT(), value)
    if isinstance(value, Ordinal):
        index: int | str = "top" if value is value._top else value._index
        return tree.OrdinalConst(where, OrdinalT(type(value)), index)
    fields = fields_of(type(value))
    parts = (fit(_constant(ctx, node, getattr(value, f.name)), f.type) for f in fields)
    return tree.Build(where, RecordT(type(value)), tuple(parts))


def has_initial(kind: Type) -> bool:
    """Whether a place of this type starts with a value: a Sort has none."""
    match kind:
        case SortT():
            return False
        case RecordT(cls):
            return all(
                has_initial(f.type) for f in fields_of(cls) if f.default in (MISSING, Initial())
            )
        case UnionT(variants):
            return has_initial(variants[0])
        case MapT(_, value):
            return has_initial(value)
        case _:
            return True


def _check_order(ctx: Context, node: ast.Call, arguments: Mapping[str, Expr | None]) -> None:
    """Python evaluates arguments as they are written, the compiler in the order of the parameters."""
    written = [(k.value.lineno, k.value.col_offset) for k in node.keywords]
    plain = {n for n, a in arguments.items() if a is None or tree.is_plain(a)}
    order = [k.arg for k in node.keywords if k.arg not in plain]
    if order != [n for n in arguments if n in order] and written:
        ctx.error(
            node,
            "these arguments are not evaluated in the order of the parameters",
            f"write them in this order: {', '.join(arguments)}",
        )


def _bind(ctx: Context, node: ast.Call, name: str, names: list[str]) -> dict[str, ast.expr]:
    """Which argument goes to which parameter."""
    if len(node.args) > len(names):
        ctx.error(
            node,
            f"{name} takes {len(names)} argument{'s' * (len(names) != 1)}, not {len(node.args)}",
            f"it has: {', '.join(names)}" if names else "",
        )
    bound = dict(zip(names, node.args, strict=False))
    for keyword in node.keywords:
        if keyword.arg is None:
            ctx.error(node, "** in a call is not supported", "name the arguments")
        if keyword.arg not in names:
            ctx.error(
                node,
                f"{name} has no parameter {keyword.arg}",
                f"it has: {', '.join(names)}" if names else "",
            )
        if keyword.arg in bound:
            ctx.error(node, f"{name} gets {keyword.arg} twice", "leave one of them out")
        bound[keyword.arg] = keyword.value
    return bound


def check_set(ctx: Context, node: ast.Call, wanted: SetT | None) -> Expr:
    """``Set()``, ``Set((a, b))``, ``Set(x for ...)``; its context may say of what."""
    where = ctx.at(node)
    if not node.args:
        return tree.SetOf(where, wanted or EmptySetT(), ())
    argument = _only_argument(ctx, node)
    if not isinstance(argument, (ast.Tuple, ast.List)):
        return check_quantifier(ctx, node, "Set", argument, wanted)
    if wanted is not None:
        return tree.SetOf(
            where, wanted, tuple(ctx.expression(e, wanted.item) for e in argument.elts)
        )
    items = [ctx.expression(e) for e in argument.elts]
    if not items:
        return tree.SetOf(where, EmptySetT(), ())
    kind: tree.Kind | None = items[0].type
    for item in items[1:]:
        kind = None if kind is None else common(kind, item.type)
    if kind is None:
        ctx.error(
            node, "the members of this Set have no type in common", "a Set holds values of one type"
        )
    bounded = member_type(ctx, node, kind)
    return tree.SetOf(where, SetT(bounded), tuple(fit(i, bounded) for i in items))


def _class_method(ctx: Context, node: ast.Call, method: types.MethodType) -> Expr:
    owner = method.__self__
    known = ("first", "last", "top")
    if isinstance(owner, type) and issubclass(owner, Ordinal) and method.__name__ in known:
        if node.args or node.keywords:
            text = source_text(node.func)
            ctx.error(node, f"{text} takes no argument", f"write {text}()")
        if method.__name__ == "top" and not owner._top_name:
            ctx.error(
                node,
                f"{owner.__name__} declares no top element",
                f'write class {owner.__name__}(Ordinal, top="INF")',
            )
        ctx.sized(node, owner.__name__)
        return tree.OrdinalConst(ctx.at(node), OrdinalT(owner), method.__name__)
    ctx.error(
        node,
        f"{source_text(node.func)} is a class method, which a model cannot call",
        "make it a function of the module",
    )


def _method_call(ctx: Context, node: ast.Call, attribute: ast.Attribute) -> Expr:
    name = attribute.attr
    if _is_super(ctx, attribute.value):
        return _super_call(ctx, node, name)
    base = ctx.value(attribute.value)
    match base.type:
        case SystemT():
            return _system_call(ctx, node, name, None, base)
        case RecordT(cls):
            return _record_call(ctx, node, name, cls, base)
        case OrdinalT():
            if name == "next":
                if node.args or node.keywords:
                    ctx.error(node, "next takes no argument", "write t.next().next()")
                return tree.Next(ctx.at(node), base.type, base)
            ctx.error(node, f"{base.type} has no method {name}", "an Ordinal has t.next()")
        case UnionT():
            ctx.error(
                node,
                f"{source_text(attribute.value)} may be {base.type}: which one is not known here",
                "take it apart with match; or give it a name and ask isinstance first",
            )
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
    ctx.error(
        node,
        f"{source_text(attribute.value)} is {base.type}, which has no methods",
        "records, sets, sequences, pools and ordinals have methods",
    )


Operations = dict[str, tuple[tuple[tree.Kind, ...], tree.Kind]]


def _operate(ctx: Context, node: ast.Call, base: Expr, name: str, known: Operations) -> Expr:
    if name not in known:
        ctx.error(node, f"{base.type} has no method {name}", f"it has: {', '.join(known)}")
    wanted, result = known[name]
    if len(node.args) != len(wanted) or node.keywords:
        ctx.error(
            node,
            f"{name} takes {len(wanted)} argument{'s' * (len(wanted) != 1)}",
            f"their types: {', '.join(map(str, wanted))}" if wanted else "",
        )
    # A set does not look at the type of what it takes out.
    silent = name in ("discard", "remove")
    arguments = tuple(
        ctx.expression(a, loose(k) if silent else k, silent=silent)
        for a, k in zip(node.args, wanted, strict=True)
    )
    return tree.Operate(ctx.at(node), result, name, base, arguments)


def _is_super(ctx: Context, node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and ctx.static(node.func) is super and not node.args


def _super_call(ctx: Context, node: ast.Call, name: str) -> Expr:
    receiver = next(iter(ctx.locals.items()), None)
    if ctx.owner is None or receiver is None:
        ctx.error(node, "super() stands in a method only", "call the function by its name")
    base = tree.Local(ctx.at(node), receiver[1], receiver[0])
    if isinstance(base.type, RecordT):
        return _record_call(ctx, node, name, base.type.cls, base, ctx.owner)
    return _system_call(ctx, node, name, ctx.owner, tree.Expr(ctx.at(node), SystemT()))


def _system_call(
    ctx: Context, node: ast.Call, name: str, after: type[Any] | None, base: Expr
) -> Expr:
    """``self.name(...)``, or ``super().name(...)`` seen from the class ``after``."""
    method, owner = ctx.library.method(name, after)
    if isinstance(method, staticmethod):
        return _apply(ctx, node, Callee(_plain(method), owner, None), ())
    if not isinstance(method, types.FunctionType):
        where = "super() has" if after is not None else "the system has"
        classes = ctx.library.system_class().__mro__
        start = classes.index(after) + 1 if after is not None else 0
        _no_method(ctx, node, where, name, method, classes[start:])
    return _apply(ctx, node, Callee(method, owner, SystemT()), (base,))


def _record_call(
    ctx: Context,
    node: ast.Call,
    name: str,
    cls: type[Any],
    base: Expr,
    after: type[Any] | None = None,
) -> Expr:
    """A method of a record; ``after``: seen through ``super()`` from that class."""
    classes = cls.__mro__[cls.__mro__.index(after) + 1 :] if after is not None else cls.__mro__
    owner = next((c for c in classes if name in vars(c)), None)
    method = ABSENT if owner is None else vars(owner)[name]
    if isinstance(method, staticmethod):
        return _apply(ctx, node, Callee(_plain(method), owner, None), ())
    if not isinstance(method, types.FunctionType) or name.startswith("__"):
        _no_method(ctx, node, f"{cls.__name__} has", name, method, classes)
    return _apply(ctx, node, Callee(method, owner, base.type), (base,))


def _plain(method: staticmethod[..., Any]) -> types.FunctionType:
    function: types.FunctionType = method.__func__  # type: ignore[assignment]
    return function


def _no_method(
    ctx: Context,
    node: ast.Call,
    whose: str,
    name: str,
    found: object,
    classes: Iterable[type[Any]],
) -> NoReturn:
    known = {
        n: None
        for cls in classes
        for n, value in vars(cls).items()
        if isinstance(value, types.FunctionType) and not n.startswith("_")
    }
    hint = ""
    if isinstance(found, classmethod):
        hint = f"{name} is a class method: make it a plain or static method"
    elif isinstance(found, property):
        hint = f"{name} is a property: leave the parentheses out"
    elif hasattr(found, "__wrapped__") or callable(found):
        hint = f"{name} is decorated: a model calls plain functions and methods"
    elif found is ABSENT:
        hint = f"it has: {', '.join(known)}" if known else "it has none"
    ctx.error(node, f"{whose} no method {name}", hint)


def _apply(ctx: Context, node: ast.Call, callee: Callee, receiver: tuple[Expr, ...]) -> Expr:
    function = ctx.library.function(callee.function, callee.owner, callee.receiver)
    parameters = function.parameters[len(receiver) :]
    bound = _bind(ctx, node, function.name, [name for name, _ in parameters])
    arguments: dict[str, Expr] = {}
    actual: dict[str, tree.Kind] = {}
    for name, kind in parameters:
        if name not in bound:
            ctx.error(
                node,
                f"{function.name} needs a value for {name}",
                f"it takes: {', '.join(n for n, _ in parameters)}",
            )
        try:
            if is_exact(kind):
                argument = ctx.expression(bound[name], kind, silent=True)
            else:
                # A signature cannot name the capacity of a sequence: the function is checked for the actual one.
                argument = ctx.expression(bound[name])
                actual[name] = argument.type if alike(argument.type, kind) else kind
                argument = fit(argument, actual[name], what=source_text(bound[name]))
        except ModelError as error:
            if error.where == ctx.at(bound[name]):
                error.hint = error.hint or f"{function.name} takes {name}: {kind}"
            raise
        arguments[name] = argument
    _check_order(ctx, node, arguments)
    if actual:
        function = ctx.library.function(
            callee.function, callee.owner, callee.receiver, tuple(actual.items())
        )
    values = (*receiver, *arguments.values())
    return tree.Call(ctx.at(node), function.result, function, values)
