"""Checks expressions: Python syntax in, typed tree out."""

from __future__ import annotations

import ast
import enum
from functools import partial

from explorer.compiler import tree
from explorer.compiler.calls import check_call, check_set
from explorer.compiler.context import ABSENT, Context
from explorer.compiler.conversion import fit, is_number, join, once, unwrap, where_present
from explorer.compiler.source import source_text
from explorer.compiler.tree import DesignT, EmptySetT, Expr, Kind, NoneT, NumberT, SystemT
from explorer.lang.containers import Set
from explorer.lang.errors import ModelError
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


def check_expression(ctx: Context, node: ast.expr, wanted: Kind | None = None) -> Expr:
    """The typed form of ``node``; as a value of ``wanted`` if that is given."""
    if isinstance(node, ast.Call) and isinstance(wanted, SetT) and ctx.static(node.func) is Set:
        return check_set(ctx, node, wanted)
    if isinstance(node, ast.IfExp) and wanted is not None:
        return _conditional(ctx, node, wanted)
    expr = _expression(ctx, node)
    return fit(expr, wanted, what=source_text(node)) if wanted is not None else expr


def check_value(ctx: Context, node: ast.expr) -> Expr:
    """An expression with an optional's value unwrapped."""
    return unwrap(_expression(ctx, node))


def check_condition(ctx: Context, node: ast.expr) -> Expr:
    """A Boolean expression; Python's notion of truth for other values is refused."""
    expr = _expression(ctx, node)
    if isinstance(expr.type, BoolT):
        return expr
    if expr.type == OptionalT(BoolT()):
        return where_present(expr, lambda value: value)  # None counts as False, as in Python
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
    ctx.error(node, f"a condition is a bool, and {text} is {expr.type}", hint)


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
            return _connective(ctx, node)
        case ast.UnaryOp():
            return _unary(ctx, node)
        case ast.BinOp():
            return check_binary(ctx, node, node.op, node.left, node.right)
        case ast.IfExp():
            return _conditional(ctx, node)
        case ast.NamedExpr():
            value = _expression(ctx, node.value)
            kind = ctx.declare(node, node.target.id, value.type)
            return tree.Bind(ctx.at(node), kind, node.target.id, fit(value, kind))
        case ast.Set():
            ctx.error(node, "a set display makes a Python set", "write Set((a, b))")
        case ast.JoinedStr():
            ctx.error(node, "a model has no strings", "messages are plain literals")
        case ast.Lambda():
            ctx.error(node, "lambda is not supported", "define a helper function")
        case ast.Tuple() | ast.List() | ast.Dict():
            ctx.error(
                node,
                "a tuple, list or dict is no value of a model",
                "use a frozen record, a Set or a Map; a tuple may stand after `in` and in `for`",
            )
        case ast.GeneratorExp() | ast.ListComp() | ast.SetComp() | ast.DictComp():
            ctx.error(
                node,
                "a comprehension may only stand inside any, all, sum, min, max or Set",
                "write Set(x for x in ...), or a loop",
            )
        case ast.Await() | ast.Yield() | ast.YieldFrom():
            ctx.error(node, "actions and helpers are plain functions: no await, no yield")
        case ast.Starred():
            ctx.error(node, "* in front of an argument is not supported")
        case ast.Slice():
            ctx.error(node, "slices are not supported", "loop over the positions you need")
    ctx.error(node, f"{type(node).__name__} is not supported in a model")


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
    ctx.error(node, f"a model has no {type(node.value).__name__} values", "use an Enum")


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
        ctx.error(
            node,
            f"{value.__name__} is a type, not a value",
            f"write `for x in {value.__name__}` or make a value of it",
        )
    if callable(value):
        ctx.error(node, f"{source_text(node)} is a function; call it")
    ctx.error(
        node,
        f"{source_text(node)} is {type(value).__name__}, which is no constant of a model",
        "a module's constants may be bool, int and enum members; everything else lives in the state",
    )


def _name(ctx: Context, node: ast.Name) -> Expr:
    if node.id in ctx.locals:
        return ctx.local(node)
    value = ctx.static(node)
    if value is ABSENT:
        ctx.error(node, f"{node.id} is not defined here")
    return constant_of(ctx, node, value)


def _attribute(ctx: Context, node: ast.Attribute) -> Expr:
    value = ctx.static(node)
    if value is not ABSENT:
        return constant_of(ctx, node, value)
    owner = ctx.static(node.value)
    if owner is not ABSENT and isinstance(owner, type):
        ctx.error(node, f"{owner.__name__} has no {node.attr}")
    base = check_value(ctx, node.value)
    where = ctx.at(node)
    match base.type:
        case SystemT():
            if node.attr == "design":
                return tree.Expr(where, DesignT())
            found, _ = ctx.library.method(node.attr, None)
            if found is ABSENT:
                ctx.error(node, f"the system has no {node.attr}")
            return constant_of(ctx, node, found)
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
            known = ", ".join(f.name for f in fields_of(cls)) or "none"
            ctx.error(node, f"{cls.__name__} has no field {node.attr}", f"fields: {known}")
        case UnionT():
            ctx.error(
                node,
                f"{source_text(node.value)} may be {base.type}: which one is not known here",
                "take it apart with match, or ask isinstance first",
            )
    ctx.error(node, f"{base.type} has no attribute {node.attr}")


def _subscript(ctx: Context, node: ast.Subscript) -> Expr:
    if (
        isinstance(node.value, ast.Attribute)
        and node.value.attr == "scope"
        and isinstance(node.value.value, ast.Name)
        and isinstance(ctx.locals.get(node.value.value.id), SystemT)
    ):
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            return tree.ScopeSize(ctx.at(node), NumberT(), node.slice.value)
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
    operands = [node.left, *node.comparators]
    results = [
        _compare(ctx, node, op, left, right)
        for op, left, right in zip(node.ops, operands, operands[1:], strict=False)
    ]
    if len(results) == 1:
        return results[0]
    if not all(isinstance(o, (ast.Name, ast.Constant, ast.Attribute)) for o in operands[1:-1]):
        ctx.error(
            node,
            "the middle of a chained comparison is evaluated once in Python",
            "bind it to a name first, or join two comparisons with `and`",
        )
    return tree.And(ctx.at(node), BoolT(), tuple(results))


def _compare(ctx: Context, node: ast.expr, op: ast.cmpop, left: ast.expr, right: ast.expr) -> Expr:
    where = ctx.at(node)
    if isinstance(op, (ast.Is, ast.IsNot)):
        result = _identity(ctx, node, left, right)
        return tree.Not(where, BoolT(), result) if isinstance(op, ast.IsNot) else result
    if isinstance(op, (ast.In, ast.NotIn)):
        result = _membership(ctx, node, left, right)
        return tree.Not(where, BoolT(), result) if isinstance(op, ast.NotIn) else result
    if isinstance(op, (ast.Eq, ast.NotEq)):
        result = _equality(ctx, node, *_pair(ctx, left, right))
        return tree.Not(where, BoolT(), result) if isinstance(op, ast.NotEq) else result
    a, b = (unwrap(operand) for operand in _pair(ctx, left, right))
    name = COMPARISONS[type(op)]
    if isinstance(a.type, SortT) or isinstance(b.type, SortT):
        ctx.error(
            node,
            f"{a.type if isinstance(a.type, SortT) else b.type} is a Sort: its names have no order",
            "use ==, or make the class an Ordinal",
        )
    if isinstance(a.type, SetT) or isinstance(b.type, SetT):
        a, b = join(a, b)
        if name in ("gt", "ge"):
            a, b = b, a
        subset = tree.Compare(where, BoolT(), "subset", a, b)
        if name in ("le", "ge"):
            return subset
        proper = tree.Not(where, BoolT(), tree.Compare(where, BoolT(), "eq", a, b))
        return tree.And(where, BoolT(), (subset, proper))
    ordered = (is_number(a.type) and is_number(b.type)) or (
        isinstance(a.type, OrdinalT) and a.type == b.type
    )
    if not ordered:
        ctx.error(
            node,
            f"{a.type} and {b.type} cannot be ordered",
            "numbers and values of one Ordinal can",
        )
    if name in ("gt", "ge"):
        a, b = b, a
    return tree.Compare(where, BoolT(), "lt" if name in ("lt", "gt") else "le", a, b)


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
    same_enum = a.type == b.type and isinstance(a.type, EnumT)
    if same_enum and isinstance(b, tree.Const):
        return tree.Compare(ctx.at(node), BoolT(), "eq", a, b)
    ctx.error(node, "`is` asks for None or an enum's member", "write ==")


def _is_none(ctx: Context, node: ast.expr, operand: Expr) -> Expr:
    if isinstance(operand.type, OptionalT):
        return tree.IsNone(ctx.at(node), BoolT(), operand)
    if isinstance(operand.type, NoneT):
        return tree.Const(ctx.at(node), BoolT(), 1)
    ctx.error(node, f"{operand.type} is never None")


def _equality(ctx: Context, node: ast.expr, a: Expr, b: Expr) -> Expr:
    for x, y in ((a, b), (b, a)):
        if isinstance(y.type, NoneT):
            return _is_none(ctx, node, x)
        if isinstance(x.type, OptionalT) and is_number(x.type.inner) and is_number(y.type):
            # An integer outside the optional's bounds is no error here: it is just not equal.
            # Both sides are evaluated, in their order.
            (bind_a, a), (bind_b, b) = once(a), once(b)
            optional, number = (a, b) if isinstance(a.type, OptionalT) else (b, a)
            equal = partial(tree.Compare, ctx.at(node), BoolT(), "eq", number)
            result = where_present(optional, equal)
            return tree.Then(ctx.at(node), BoolT(), (bind_a, bind_b), result)
    try:
        a, b = join(a, b)
    except ModelError:
        ctx.error(
            node,
            f"compares {a.type} with {b.type}, which are never equal",
            "compare values of one type",
        )
    return tree.Compare(ctx.at(node), BoolT(), "eq", a, b)


def _membership(ctx: Context, node: ast.expr, left: ast.expr, right: ast.expr) -> Expr:
    where = ctx.at(node)
    if isinstance(right, (ast.Tuple, ast.List, ast.Set)):
        if isinstance(right, ast.Set):
            ctx.error(right, "a set display makes a Python set", "write a tuple after `in`")
        item = _expression(ctx, left)
        choices = []
        for element in right.elts:
            choice = _expression(ctx, element)
            choices.append(_equality(ctx, element, item, choice))
        pairs = tuple(choices)
        if any(isinstance(t, tree.Operate | tree.Call | tree.Given) for t in tree.walk(item)):
            ctx.error(left, "a call before `in (...)` is evaluated once in Python", "bind it first")
        return tree.Or(where, BoolT(), pairs) if pairs else tree.Const(where, BoolT(), 0)
    container = check_value(ctx, right)
    kind: Type
    match container.type:
        case SetT(member):
            kind = member
        case PoolT(ref, _):
            kind = ref
        case SeqT(member, _, _):
            kind = member
        case MapT():
            ctx.error(
                node,
                "every key is in a Map: maps are total",
                "use a Set for presence, or a Map to T | None",
            )
        case _:
            ctx.error(node, f"`in` asks a Set, Pool, Seq or a tuple, not {container.type}")
    item = _expression(ctx, left)
    if isinstance(item.type, OptionalT) and not isinstance(kind, OptionalT):
        # `None in s` is False in Python: no violation, just no member.
        return where_present(
            item, lambda value: tree.Contains(where, BoolT(), fit(value, kind), container)
        )
    return tree.Contains(where, BoolT(), fit(item, kind, what=source_text(left)), container)


def _connective(ctx: Context, node: ast.BoolOp) -> Expr:
    narrowed = dict(ctx.narrowed)
    operands = []
    for value in node.values:
        operand = check_condition(ctx, value)
        operands.append(operand)
        if isinstance(node.op, ast.And):
            ctx.narrow(operand)
        elif isinstance(operand, tree.Not):
            ctx.narrow(operand.operand)
    ctx.narrowed = narrowed
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


def check_binary(
    ctx: Context, node: ast.AST, op: ast.operator, left: ast.expr, right: ast.expr
) -> Expr:
    """``left op right``, also for augmented assignments."""
    a, b = _pair(ctx, left, right)
    return binary(ctx, node, op, unwrap(a), unwrap(b))


def binary(ctx: Context, node: ast.AST, op: ast.operator, a: Expr, b: Expr) -> Expr:
    """``a op b`` of checked operands."""
    where = ctx.at(node)
    if type(op) in SET_OPERATIONS and isinstance(a.type, EmptySetT) and a.type == b.type:
        return a
    if type(op) in SET_OPERATIONS and (isinstance(a.type, SetT) or isinstance(b.type, SetT)):
        a, b = join(a, b)
        return tree.SetOp(where, a.type, SET_OPERATIONS[type(op)], a, b)
    if isinstance(a.type, OrdinalT) or isinstance(b.type, OrdinalT):
        ctx.error(
            node,
            f"{a.type if isinstance(a.type, OrdinalT) else b.type} is an Ordinal: no arithmetic",
            "write t.next(), or use a bounded integer",
        )
    if isinstance(a.type, SortT) or isinstance(b.type, SortT):
        ctx.error(
            node, f"{a.type if isinstance(a.type, SortT) else b.type} is a Sort: no arithmetic"
        )
    name = ARITHMETIC.get(type(op))
    if name is None:
        ctx.error(
            node, f"the operator {type(op).__name__} is not supported", "use + - * // % on integers"
        )
    return tree.Arithmetic(where, NumberT(), name, fit(a, NumberT()), fit(b, NumberT()))


def _conditional(ctx: Context, node: ast.IfExp, wanted: Kind | None = None) -> Expr:
    condition = check_condition(ctx, node.test)
    narrowed = dict(ctx.narrowed)
    ctx.narrow(condition)
    then = check_expression(ctx, node.body, wanted)
    ctx.narrowed = dict(narrowed)
    if isinstance(condition, tree.Not):
        ctx.narrow(condition.operand)
    orelse = check_expression(ctx, node.orelse, wanted)
    ctx.narrowed = narrowed
    then, orelse = join(then, orelse)
    return tree.IfElse(ctx.at(node), then.type, condition, then, orelse)


class Checker(Context):
    """The context of one function, with expressions it can check."""

    def expression(self, node: ast.expr, wanted: Kind | None = None) -> Expr:
        return check_expression(self, node, wanted)

    def value(self, node: ast.expr) -> Expr:
        return check_value(self, node)

    def condition(self, node: ast.expr) -> Expr:
        return check_condition(self, node)
