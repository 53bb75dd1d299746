"""Checks expressions: Python syntax in, typed tree out."""

from __future__ import annotations

import ast
import enum
import types
from collections.abc import Callable, Mapping

from explorer.compiler import tree
from explorer.compiler.calls import check_call, check_set
from explorer.compiler.context import ABSENT, NOT_DEFINED, Context, agreeing
from explorer.compiler.conversion import (
    common,
    fit,
    in_full,
    is_number,
    loose,
    once,
    unwrap,
    where_present,
)
from explorer.compiler.source import source_text
from explorer.compiler.steady import unsteady
from explorer.compiler.tree import DesignT, EmptySetT, Expr, Kind, NoneT, NumberT, SystemT
from explorer.lang.containers import Set
from explorer.lang.errors import Location
from explorer.lang.sorts import Ordinal, Sort
from explorer.lang.types import (
    BoolT,
    EnumT,
    IntT,
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
)

COMPARISONS = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}
ARITHMETIC = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "div", ast.Mod: "mod"}
SET_OPERATIONS = {ast.BitOr: "union", ast.BitAnd: "intersection", ast.Sub: "difference"}
SYMBOLS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.BitAnd: "&",
    ast.MatMult: "@",
}


def check_expression(
    ctx: Context, node: ast.expr, wanted: Kind | None = None, *, silent: bool = False
) -> Expr:
    """The typed form of ``node``; as a value of ``wanted`` if that is given.

    ``silent``: Python would not notice a None where ``wanted`` has none.
    """
    if wanted is None:
        return _expression(ctx, node)
    if isinstance(node, ast.Call) and isinstance(wanted, SetT) and ctx.static(node.func) is Set:
        return check_set(ctx, node, wanted)
    if isinstance(node, ast.IfExp):
        expr = _conditional(ctx, node, loose(wanted), silent=silent)
    else:
        expr = _expression(ctx, node)
    return fit(expr, wanted, what=source_text(node), silent=silent)


def check_value(ctx: Context, node: ast.expr) -> Expr:
    """An expression with an optional's value unwrapped."""
    return unwrap(_expression(ctx, node))


def check_condition(ctx: Context, node: ast.expr) -> Expr:
    """A Boolean expression; Python's notion of truth for other values is refused."""
    if isinstance(node, ast.BoolOp):
        return _connective(ctx, node, check_condition)
    expr = _expression(ctx, node)
    if expr.type == OptionalT(BoolT()):
        return where_present(expr, lambda value: value)  # None counts as False, as in Python
    return _boolean(ctx, node, expr, "a condition is a bool")


def _operand(ctx: Context, node: ast.expr) -> Expr:
    """An operand of ``and`` or ``or`` whose value is used: Python would hand a None on."""
    expr = _expression(ctx, node)
    if expr.type == OptionalT(BoolT()):
        return unwrap(expr, silent=True)
    return _boolean(ctx, node, expr, "`and` and `or` join bools")


def _boolean(ctx: Context, node: ast.expr, expr: Expr, rule: str) -> Expr:
    if isinstance(expr.type, BoolT):
        return expr
    text = source_text(node)
    match expr.type:
        case OptionalT():
            hint = f"write `{text} is not None`"
        case SetT() | SeqT() | PoolT():
            hint = f"write `len({text}) > 0`"
        case NumberT() | IntT():
            hint = f"write `{text} != 0`"
        case _:
            hint = "write a comparison"
    ctx.error(node, f"{rule}, and {text} is {expr.type}", hint)


UNSUPPORTED: dict[type[ast.expr], tuple[str, str]] = {
    ast.Set: (
        "a set display makes a Python set",
        "write Set((a, b)); to ask for one of several, x in (a, b)",
    ),
    ast.JoinedStr: (
        "a model has no strings",
        "the messages of panic and assert are plain literals",
    ),
    ast.Lambda: ("lambda is not supported", "define a helper function"),
    ast.Tuple: (
        "a tuple is no value of a model",
        "use a frozen record; a tuple may stand after `in`, and in Set((a, b))",
    ),
    ast.List: ("a list is no value of a model", "use a field of type Seq, or Set((a, b))"),
    ast.Dict: ("a dict is no value of a model", "use a field of type Map"),
    ast.Await: ("await is not supported", "each action is one atomic step"),
    ast.Yield: ("yield is not supported", "return one value, or add to a Set"),
    ast.YieldFrom: ("yield is not supported", "return one value, or add to a Set"),
    ast.Starred: ("* in a call is not supported", "write the arguments one by one"),
    ast.Slice: ("slices are not supported", "loop over the positions you need"),
}
COMPREHENSIONS = (ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)


def _expression(ctx: Context, node: ast.expr) -> Expr:
    match node:
        case ast.Constant():
            return _constant(ctx, node)
        case ast.Name():
            return _name(ctx, node)
        case ast.Attribute():
            return _attribute(ctx, node)
        case ast.Subscript():
            return _subscript(ctx, node)
        case ast.Call():
            return check_call(ctx, node)
        case ast.Compare():
            return _comparison(ctx, node)
        case ast.BoolOp():
            return _connective(ctx, node, _operand)
        case ast.UnaryOp():
            return _unary(ctx, node)
        case ast.BinOp():
            a, b = _pair(ctx, node.left, node.right)
            return binary(ctx, node, node.op, unwrap(a), unwrap(b))
        case ast.IfExp():
            return _conditional(ctx, node)
        case ast.NamedExpr():
            value = _expression(ctx, node.value)
            return ctx.binding(node, node.target.id, value, source_text(node.value))
    if isinstance(node, COMPREHENSIONS):
        ctx.error(
            node,
            "a comprehension may only stand inside any, all, sum, min, max or Set",
            "write Set(x for x in ...), or a loop",
        )
    text = f"`{source_text(node)}` is not supported in a model"
    message, hint = UNSUPPORTED.get(type(node), (text, ""))
    ctx.error(node, message, hint)


def _constant(ctx: Context, node: ast.Constant) -> Expr:
    where = ctx.at(node)
    if node.value is None:
        return tree.Nothing(where, NoneT())
    if isinstance(node.value, bool):
        return tree.Const(where, BoolT(), int(node.value))
    if isinstance(node.value, int):
        return tree.Const(where, NumberT(), node.value)
    if isinstance(node.value, float):
        ctx.error(node, "a model has no floating-point numbers", "use bounded integers")
    ctx.error(
        node,
        f"a model has no values of type {type(node.value).__name__}",
        "use an Enum; only the messages of panic, soft_panic and assert are strings",
    )


def constant_of(ctx: Context, node: ast.expr, value: object) -> Expr:
    """A Python constant that a model names: a module's integer, an enum's member."""
    where = ctx.at(node)
    if isinstance(value, bool):
        return tree.Const(where, BoolT(), int(value))
    if isinstance(value, enum.Enum):
        return tree.Const(where, EnumT(type(value)), list(type(value)).index(value))
    if isinstance(value, int):
        return tree.Const(where, NumberT(), value)
    if isinstance(value, type):
        ctx.error(node, f"{value.__name__} is a type, not a value", _how_to_get(value))
    if callable(value):
        text = source_text(node)
        ctx.error(node, f"{text} is a function, not a value", f"call it: {text}(...)")
    ctx.error(
        node,
        f"{source_text(node)} is {type(value).__name__}, which is no constant of a model",
        "a constant is a bool, an int or a member of an Enum; everything else lives in the state",
    )


def _how_to_get(cls: type[object]) -> str:
    """How a model gets at a value of a class."""
    if issubclass(cls, enum.Enum) and len(cls):
        return f"write {cls.__name__}.{next(iter(cls)).name}"
    if issubclass(cls, Sort):
        return "take a value as a parameter, from a loop, or from a Pool"
    if issubclass(cls, Ordinal):
        return f"write {cls.__name__}.first(), or take a value as a parameter"
    return f"write {cls.__name__}(...)"


def _name(ctx: Context, node: ast.Name) -> Expr:
    if node.id in ctx.locals:
        return ctx.local(node)
    if node.id in ctx.bound:
        ctx.error(
            node,
            f"{node.id} has no value here",
            "assign it first; a name from inside a quantifier or from a loop over a Sort or Set ends there",
        )
    value = ctx.static(node)
    if value is ABSENT:
        ctx.error(node, f"{node.id} is not defined here", NOT_DEFINED)
    _refuse_unsteady(ctx, node, ctx.module, node.id, value)
    return constant_of(ctx, node, value)


def _refuse_unsteady(
    ctx: Context, node: ast.expr, namespace: Mapping[str, object], name: str, value: object
) -> None:
    source = unsteady(namespace, name) if isinstance(value, int) else None
    if source is not None:
        ctx.error(
            node,
            f"{name} may be another one each time the model is loaded: {source}",
            'write a literal, an entry of the scope (self.scope["N"]) or a switch of the design',
        )


def _attribute(ctx: Context, node: ast.Attribute) -> Expr:
    value = ctx.static(node)
    owner = ctx.static(node.value)
    if value is not ABSENT:
        if isinstance(owner, types.ModuleType):
            _refuse_unsteady(ctx, node, vars(owner), node.attr, value)
        return constant_of(ctx, node, value)
    if isinstance(owner, (type, types.ModuleType)):
        hint = ""
        if isinstance(owner, type) and issubclass(owner, enum.Enum):
            hint = f"its members: {', '.join(member.name for member in owner)}"
        ctx.error(node, f"{owner.__name__} has no {node.attr}", hint)
    base = check_value(ctx, node.value)
    where = ctx.at(node)
    hint = ""
    match base.type:
        case SystemT():
            return _system_attribute(ctx, node)
        case DesignT():
            kind = ctx.library.switch(node.attr)
            if kind is None:
                known = ", ".join(ctx.library.switch_names()) or "none"
                ctx.error(node, f"the design has no switch {node.attr}", f"switches: {known}")
            return tree.Switch(where, kind, node.attr)
        case RecordT(cls):
            for field in fields_of(cls):
                if field.name == node.attr:
                    return tree.FieldOf(where, field.type, base, node.attr)
            member = getattr(cls, node.attr, None)
            if isinstance(member, property) and member.fget is not None:
                function = ctx.library.function(member.fget, cls, base.type)
                return tree.Call(where, function.result, function, (base,))
            if callable(member):
                ctx.error(
                    node,
                    f"{node.attr} is a method of {cls.__name__}, not a field",
                    f"call it: {source_text(node)}()",
                )
            known = ", ".join(f.name for f in fields_of(cls)) or "none"
            ctx.error(node, f"{cls.__name__} has no field {node.attr}", f"fields: {known}")
        case UnionT(variants):
            shared = _shared_field(where, base, variants, node.attr)
            if shared is not None:
                return shared
            ctx.error(
                node,
                f"{source_text(node.value)} may be {base.type}: which one is not known here",
                "take it apart with match; or give it a name and ask isinstance first",
            )
        case EnumT():
            hint = "compare members with ==; what they stand for is not used"
        case OrdinalT():
            hint = "compare values with <, <=, ==; t.next() is the successor"
        case SortT():
            hint = "names of a Sort can only be compared with =="
    ctx.error(node, f"{base.type} has no attribute {node.attr}", hint)


def _shared_field(
    where: Location, base: Expr, variants: tuple[RecordT, ...], name: str
) -> Expr | None:
    """A field that all records of a union have, with types in common; None where they do not. The union is looked at more than
    once, so it is a name or a field."""
    inner = base
    while isinstance(inner, (tree.FieldOf, tree.Unwrap)):
        inner = inner.base if isinstance(inner, tree.FieldOf) else inner.operand
    if not isinstance(inner, tree.Local):
        return None
    result: Expr | None = None
    for index, variant in reversed(list(enumerate(variants))):
        kind = next((f.type for f in fields_of(variant.cls) if f.name == name), None)
        if kind is None:
            return None
        value: Expr = tree.FieldOf(where, kind, tree.Project(where, variant, base, index), name)
        if result is not None:
            both = common(value.type, result.type)
            if both is None:
                return None
            asked = tree.IsVariant(where, BoolT(), base, index)
            value = tree.IfElse(where, both, asked, fit(value, both), fit(result, both))
        result = value
    return result


def _system_attribute(ctx: Context, node: ast.Attribute) -> Expr:
    """``self.design``, or a constant or property of the system's class."""
    where = ctx.at(node)
    if node.attr == "design":
        return tree.Expr(where, DesignT())
    found, owner = ctx.library.method(node.attr, None)
    if isinstance(found, property) and found.fget is not None:
        function = ctx.library.function(found.fget, owner, SystemT())
        return tree.Call(where, function.result, function, (tree.Expr(where, SystemT()),))
    if found is ABSENT:
        ctx.error(
            node,
            f"the system has no attribute {node.attr}",
            'self has the constants of its class, self.design and self.scope["NAME"]; what changes lives in the state',
        )
    return constant_of(ctx, node, found)


def _subscript(ctx: Context, node: ast.Subscript) -> Expr:
    if (
        isinstance(node.value, ast.Attribute)
        and node.value.attr == "scope"
        and isinstance(node.value.value, ast.Name)
        and isinstance(ctx.locals.get(node.value.value.id), SystemT)
    ):
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            name = ctx.sized(node, node.slice.value)
            return tree.ScopeSize(ctx.at(node), NumberT(), name)
        ctx.error(node, "an entry of the scope is named by a literal", 'write self.scope["Max"]')
    base = check_value(ctx, node.value)
    where = ctx.at(node)
    match base.type:
        case MapT(key, value):
            return tree.ItemOf(where, value, base, check_expression(ctx, node.slice, key))
        case PoolT(ref, value):
            return tree.ItemOf(where, value, base, check_expression(ctx, node.slice, ref))
        case SeqT(item, _, _):
            if isinstance(node.slice, ast.UnaryOp) and isinstance(node.slice.op, ast.USub):
                ctx.error(
                    node, "a negative position is not supported", "write q.last() or q[len(q) - 1]"
                )
            return tree.ItemOf(where, item, base, check_expression(ctx, node.slice, NumberT()))
        case SetT():
            ctx.error(node, "a Set has no positions", "use `in`, or loop over it")
    ctx.error(node, f"{base.type} cannot be indexed")


def _comparison(ctx: Context, node: ast.Compare) -> Expr:
    if len(node.ops) == 1:
        return _compare(ctx, node, node.ops[0], node.left, node.comparators[0])
    # a < b < c: b is evaluated once, and c only where a < b.
    results: list[Expr] = []
    left = _expression(ctx, node.left)
    for i, (op, operand) in enumerate(zip(node.ops, node.comparators, strict=True)):
        if isinstance(op, (ast.In, ast.NotIn, ast.Is, ast.IsNot)):
            ctx.error(
                node, "`in` and `is` cannot be chained", "join the two comparisons with `and`"
            )
        right = _expression(ctx, operand)
        if i == len(node.ops) - 1:
            results.append(_relation(ctx, node, op, left, right))
            break
        bind, name = once(right)
        results.append(_relation(ctx, node, op, left, bind))
        left = name
    return tree.And(ctx.at(node), BoolT(), tuple(results))


def _compare(ctx: Context, node: ast.expr, op: ast.cmpop, left: ast.expr, right: ast.expr) -> Expr:
    where = ctx.at(node)
    if isinstance(op, (ast.Is, ast.IsNot)):
        result = _identity(ctx, node, left, right)
        return tree.Not(where, BoolT(), result) if isinstance(op, ast.IsNot) else result
    if isinstance(op, (ast.In, ast.NotIn)):
        result = _membership(ctx, node, left, right)
        return tree.Not(where, BoolT(), result) if isinstance(op, ast.NotIn) else result
    return _relation(ctx, node, op, *_pair(ctx, left, right))


def _relation(ctx: Context, node: ast.expr, op: ast.cmpop, a: Expr, b: Expr) -> Expr:
    """``==``, ``!=``, ``<``, ... of checked operands."""
    where = ctx.at(node)
    if isinstance(op, (ast.Eq, ast.NotEq)):
        equal = _equality(ctx, node, a, b)
        return tree.Not(where, BoolT(), equal) if isinstance(op, ast.NotEq) else equal
    a, b = unwrap(a), unwrap(b)
    name = COMPARISONS[type(op)]
    for kind in (a.type, b.type):
        if isinstance(kind, SortT):
            ctx.error(
                node,
                f"{kind} is a Sort: its names have no order",
                "use ==, or make the class an Ordinal",
            )
    shared = common(a.type, b.type)
    if isinstance(shared, SetT):
        if name in ("lt", "gt"):
            ctx.error(
                node,
                "sets are compared with <=, >=, == and != only",
                "for a proper subset write `a <= b and a != b`",
            )
        # Only "subset" knows which operand is the smaller one; a is evaluated first all the same.
        a, b = fit(a, shared), fit(b, shared)
        return tree.Compare(where, BoolT(), "subset" if name == "le" else "superset", a, b)
    if shared is None or not (is_number(shared) or isinstance(shared, OrdinalT)):
        ctx.error(
            node,
            f"{a.type} and {b.type} cannot be ordered",
            "numbers and values of one Ordinal can",
        )
    return tree.Compare(where, BoolT(), name, fit(a, shared), fit(b, shared))


def _pair(ctx: Context, left: ast.expr, right: ast.expr) -> tuple[Expr, Expr]:
    """Two operands, where a Set written out on one side takes its type from the other."""
    if _is_set_call(ctx, left) and not _is_set_call(ctx, right):
        b = _expression(ctx, right)
        return check_expression(ctx, left, b.type if isinstance(b.type, SetT) else None), b
    a = _expression(ctx, left)
    if _is_set_call(ctx, right) and isinstance(a.type, SetT):
        return a, check_expression(ctx, right, a.type)
    return a, _expression(ctx, right)


def _is_set_call(ctx: Context, node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and ctx.static(node.func) is Set


def _identity(ctx: Context, node: ast.expr, left: ast.expr, right: ast.expr) -> Expr:
    a, b = _expression(ctx, left), _expression(ctx, right)
    if isinstance(b.type, NoneT):
        return _is_none(ctx, node, a)
    if isinstance(b, tree.Const) and isinstance(b.type, (EnumT, BoolT)):
        return _equality(ctx, node, a, b)
    ctx.error(node, "`is` asks for None or an enum's member", "write ==")


def _is_none(ctx: Context, node: ast.expr, operand: Expr) -> Expr:
    if isinstance(operand.type, OptionalT):
        return tree.IsNone(ctx.at(node), BoolT(), operand)
    if isinstance(operand.type, NoneT):
        return tree.Const(ctx.at(node), BoolT(), 1)
    ctx.error(
        node, f"{operand.type} is never None", "declare it as T | None, or leave the test out"
    )


def _equality(ctx: Context, node: ast.expr, a: Expr, b: Expr) -> Expr:
    for x, y in ((a, b), (b, a)):
        if isinstance(y.type, NoneT):
            return _is_none(ctx, node, x)
    kind = common(a.type, b.type)
    if kind is None:
        ctx.error(
            node,
            f"compares {a.type} with {b.type}, which are never equal",
            "compare values of one type",
        )
    if isinstance(kind, (tree.VoidT, SystemT, DesignT, EmptySetT)):
        ctx.error(node, f"{kind} cannot be compared", "compare values of the state")
    return tree.Compare(ctx.at(node), BoolT(), "eq", fit(a, kind), fit(b, kind))


def _membership(ctx: Context, node: ast.expr, left: ast.expr, right: ast.expr) -> Expr:
    where = ctx.at(node)
    if isinstance(right, (ast.Tuple, ast.List)):
        return _one_of(ctx, node, left, right)
    item, container = _expression(ctx, left), check_value(ctx, right)
    kind: Type
    match container.type:
        case SetT(member) | SeqT(member, _, _):
            kind = member
        case PoolT(ref, _):
            kind = ref
        case MapT():
            ctx.error(
                node,
                "every key is in a Map: maps are total",
                "use a Set for presence, or a Map to T | None",
            )
        case _:
            ctx.error(
                node,
                f"`in` asks a Set, Seq, Pool or a tuple, and {source_text(right)} is {container.type}",
                "write ==, or `in` with a container",
            )
    if isinstance(item.type, NoneT) and not isinstance(kind, OptionalT):
        ctx.error(node, f"None is never in a {container.type}", "leave the test out")
    if isinstance(item.type, OptionalT) and not isinstance(kind, OptionalT):
        # `None in s` is False in Python: no violation, just no member.
        (bind_item, item), (bind_container, container) = once(item), once(container)
        present = tree.Not(where, BoolT(), tree.IsNone(where, BoolT(), item))
        value = fit(unwrap(item), loose(kind), what=source_text(left))
        inside = tree.Contains(where, BoolT(), value, container)
        both = tree.And(where, BoolT(), (present, inside))
        return tree.Then(where, BoolT(), (bind_item, bind_container), both)
    sought = fit(item, loose(kind), what=source_text(left))
    return tree.Contains(where, BoolT(), sought, container)


def _one_of(ctx: Context, node: ast.expr, left: ast.expr, right: ast.Tuple | ast.List) -> Expr:
    """``x in (a, b)``: Python evaluates x and every element, then compares."""
    where = ctx.at(node)
    item = _expression(ctx, left)
    elements = [_expression(ctx, e) for e in right.elts]
    if not elements:
        ctx.error(node, "nothing is in an empty tuple", "write False, or what may be in it")
    bindings: list[tree.Bind] = []
    if not all(tree.is_plain(e) for e in (item, *elements)):
        (bind, item), *others = (once(e) for e in (item, *elements))
        bindings = [bind, *(b for b, _ in others)]
        elements = [name for _, name in others]
    pairs = zip(right.elts, elements, strict=True)
    choices = tuple(_equality(ctx, source, item, e) for source, e in pairs)
    found = tree.Or(where, BoolT(), choices)
    return tree.Then(where, BoolT(), tuple(bindings), found) if bindings else found


def _connective(ctx: Context, node: ast.BoolOp, check: Callable[[Context, ast.expr], Expr]) -> Expr:
    narrowed = dict(ctx.narrowed)
    operands = []
    for value in node.values:
        operand = check(ctx, value)
        operands.append(operand)
        if isinstance(node.op, ast.And):
            ctx.narrow(operand)
        else:
            ctx.narrow(tree.Not(operand.where, BoolT(), operand))
    ctx.narrowed = agreeing(narrowed, ctx.narrowed)
    cls = tree.And if isinstance(node.op, ast.And) else tree.Or
    return cls(ctx.at(node), BoolT(), tuple(operands))


def _unary(ctx: Context, node: ast.UnaryOp) -> Expr:
    where = ctx.at(node)
    if isinstance(node.op, ast.Not):
        return tree.Not(where, BoolT(), check_condition(ctx, node.operand))
    operand = check_expression(ctx, node.operand, NumberT())
    if isinstance(node.op, ast.USub):
        zero = tree.Const(where, NumberT(), 0)
        return tree.Arithmetic(where, NumberT(), "sub", zero, operand)
    if isinstance(node.op, ast.UAdd):
        return operand
    ctx.error(node, "~ is not supported", "bounded integers have no bits")


def binary(ctx: Context, node: ast.AST, op: ast.operator, a: Expr, b: Expr) -> Expr:
    """``a op b`` of checked operands."""
    where = ctx.at(node)
    if type(op) in SET_OPERATIONS and isinstance(a.type, EmptySetT) and a.type == b.type:
        return a
    if isinstance(a.type, SetT) or isinstance(b.type, SetT):
        kind = common(a.type, b.type)
        if kind is None or type(op) not in SET_OPERATIONS:
            ctx.error(
                node,
                f"{a.type} and {b.type} have no operator {SYMBOLS[type(op)]}",
                "two sets of one type have |, & and -",
            )
        return tree.SetOp(where, kind, SET_OPERATIONS[type(op)], fit(a, kind), fit(b, kind))
    for kind in (a.type, b.type):
        if isinstance(kind, OrdinalT):
            ctx.error(
                node,
                f"{kind} is an Ordinal: no arithmetic",
                "write t.next(), or use a bounded integer",
            )
        if isinstance(kind, SortT):
            ctx.error(
                node,
                f"{kind} is a Sort: no arithmetic",
                "names of a Sort can only be compared with ==",
            )
    name = ARITHMETIC.get(type(op))
    if name is None:
        boolean = isinstance(a.type, BoolT) and type(op) in (ast.BitAnd, ast.BitOr)
        ctx.error(
            node,
            f"the operator {SYMBOLS[type(op)]} is not supported",
            "write `and` or `or`" if boolean else "use + - * // % on integers",
        )
    return tree.Arithmetic(where, NumberT(), name, fit(a, NumberT()), fit(b, NumberT()))


def _conditional(
    ctx: Context, node: ast.IfExp, wanted: Kind | None = None, *, silent: bool = False
) -> Expr:
    condition = check_condition(ctx, node.test)
    narrowed = dict(ctx.narrowed)
    ctx.narrow(condition)
    then = check_expression(ctx, node.body, wanted, silent=silent)
    after = ctx.narrowed
    ctx.narrowed = dict(narrowed)
    ctx.narrow(tree.Not(condition.where, BoolT(), condition))
    orelse = check_expression(ctx, node.orelse, wanted, silent=silent)
    ctx.narrowed = agreeing(narrowed, after, ctx.narrowed)
    kind = common(then.type, orelse.type)
    if kind is None or isinstance(kind, (tree.VoidT, SystemT, DesignT)):
        ctx.error(
            node,
            f"one side of this is {in_full(then.type)}, the other {in_full(orelse.type)}",
            "both sides need a type in common",
        )
    return tree.IfElse(ctx.at(node), kind, condition, fit(then, kind), fit(orelse, kind))


class Checker(Context):
    """The context of one function, with expressions it can check."""

    def expression(
        self, node: ast.expr, wanted: Kind | None = None, *, silent: bool = False
    ) -> Expr:
        return check_expression(self, node, wanted, silent=silent)

    def value(self, node: ast.expr) -> Expr:
        return check_value(self, node)

    def condition(self, node: ast.expr) -> Expr:
        return check_condition(self, node)
