"""Checks statements."""

from __future__ import annotations

import ast
import typing
from collections.abc import Sequence

from explorer.compiler import tree
from explorer.compiler.calls import STATEMENTS
from explorer.compiler.context import NOT_DEFINED, Context, agreeing
from explorer.compiler.conversion import alike, fit, is_exact, loose, unwrap
from explorer.compiler.domains import check_domain, loop_names
from explorer.compiler.expressions import binary, check_expression
from explorer.compiler.patterns import check_match
from explorer.compiler.source import source_text
from explorer.compiler.tree import DesignT, NumberT, Stmt, SystemT, VoidT
from explorer.compiler.unordered import is_unordered
from explorer.lang.effects import slug
from explorer.lang.errors import ModelError
from explorer.lang.types import BoolT, MapT, PoolT, RecordT, SeqT, SetT, resolve

UNSUPPORTED: dict[type[ast.stmt], tuple[str, str]] = {
    ast.While: (
        "while is not supported: its bound is not known",
        "loop over a finite domain with for",
    ),
    ast.Raise: ("raise is not supported", 'write panic("what went wrong")'),
    ast.Try: ("try is not supported", "nothing in a model can be caught: use if"),
    ast.TryStar: ("try is not supported", "nothing in a model can be caught: use if"),
    ast.With: ("with is not supported", "write the statements in order"),
    ast.Delete: ("del is not supported", "use .discard(), .free() or assign None"),
    ast.Global: ("global is not supported", "everything that changes lives in the state"),
    ast.Nonlocal: ("nonlocal is not supported", "everything that changes lives in the state"),
    ast.FunctionDef: (
        "a function inside a function is not supported",
        "define it at the top level",
    ),
    ast.AsyncFunctionDef: ("async is not supported", "each action is one atomic step"),
    ast.ClassDef: ("a class inside a function is not supported", "define it at the top level"),
    ast.Import: ("import inside a function is not supported", "import at the top of the file"),
    ast.ImportFrom: ("import inside a function is not supported", "import at the top of the file"),
    ast.AsyncFor: ("async is not supported", "each action is one atomic step"),
    ast.AsyncWith: ("async is not supported", "each action is one atomic step"),
}


def check_block(ctx: Context, body: Sequence[ast.stmt]) -> tuple[Stmt, ...]:
    """The typed form of a list of statements."""
    result: list[Stmt] = []
    for node in body:
        if result and tree.leaves(result[-1:]):
            ctx.error(node, "this statement is never reached", "leave it out")
        result += _statement(ctx, node)
    return tuple(result)


def _statement(ctx: Context, node: ast.stmt) -> list[Stmt]:
    where = ctx.at(node)
    match node:
        case ast.Pass():
            return []
        case ast.Expr(ast.Constant(value)) if value is ... or isinstance(value, str):
            return []
        case ast.Expr(value):
            return [_effect(ctx, value)]
        case ast.Assign(targets, value):
            if len(targets) != 1:
                ctx.error(node, "a = b = c is not supported", "write two assignments")
            return [_assign(ctx, targets[0], value)]
        case ast.AnnAssign():
            return _annotated(ctx, node)
        case ast.AugAssign():
            return [_augmented(ctx, node)]
        case ast.If(test, body, orelse):
            return [_if(ctx, node, test, body, orelse)]
        case ast.For():
            return [_for(ctx, node)]
        case ast.Match():
            return check_match(ctx, node, check_block)
        case ast.Return(value):
            return [_return(ctx, node, value)]
        case ast.Break() | ast.Continue():
            return [tree.Jump(where, "break" if isinstance(node, ast.Break) else "continue")]
        case ast.Assert(test, text):
            message = _literal(ctx, text) if text is not None else ctx.name
            name = _failure(ctx, node, "assert", message)
            return [tree.Fail(where, name, ctx.condition(test), soft=False)]
    text_of_node = f"`{source_text(node)}` is not supported"
    message, hint = UNSUPPORTED.get(type(node), (text_of_node, ""))
    ctx.error(node, message, hint)


def _literal(ctx: Context, node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and slug(node.value):
        return node.value
    ctx.error(
        node, "a message is a literal string", "its words name the property: no f-string, not empty"
    )


def _failure(ctx: Context, node: ast.AST, kind: str, message: str) -> str:
    """The name of the failure with a message; two messages must not share one."""
    name = f"{kind}:{slug(message)}"
    known = ctx.library.failure(name, message)
    if known != message:
        ctx.error(
            node,
            f"{message!r} and {known!r} make one name, {name}: they would count as the same failure",
            "use the same words, or other ones",
        )
    return name


def _effect(ctx: Context, node: ast.expr) -> Stmt:
    where = ctx.at(node)
    if isinstance(node, ast.Call):
        function = ctx.static(node.func)
        name = STATEMENTS.get(function) if isinstance(function, typing.Hashable) else None
        if name == "assert_never":
            return tree.Never(where)
        if name is not None:
            if len(node.args) != 1 or node.keywords:
                ctx.error(
                    node,
                    f"{name} takes one argument",
                    "join conditions with `and`" if name == "require" else 'write it as one "text"',
                )
            argument = node.args[0]
            if name == "require":
                return tree.Require(where, ctx.condition(argument))
            failure = _failure(ctx, argument, name, _literal(ctx, argument))
            return tree.Fail(where, failure, None, name != "panic")
    expr = check_expression(ctx, node)
    if not isinstance(expr, (tree.Call, tree.Operate, tree.Given)):
        ctx.error(
            node, f"`{source_text(node)}` changes nothing", "write require(...), or assign it"
        )
    return tree.Evaluate(where, expr)


def _assign(ctx: Context, target: ast.expr, value: ast.expr) -> Stmt:
    where = ctx.at(target)
    if isinstance(target, ast.Name):
        bind = ctx.binding(target, target.id, _for_name(ctx, target.id, value), source_text(value))
        return tree.Let(where, bind.name, bind.value)
    place = _place(ctx, target)
    return tree.Assign(where, place, ctx.expression(value, place.type))


def _for_name(ctx: Context, name: str, value: ast.expr) -> tree.Expr:
    """The value of an assignment to a name; a Set takes its type from the name, if that has one already."""
    known = ctx.locals.get(name)
    return ctx.expression(value, known if isinstance(known, SetT) else None)


def _place(ctx: Context, target: ast.expr) -> tree.Expr:
    if not isinstance(target, (ast.Attribute, ast.Subscript)):
        ctx.error(
            target,
            f"cannot assign to `{source_text(target)}`",
            "assign one name or place at a time",
        )
    if isinstance(ctx.value(target.value).type, (SystemT, DesignT)):
        ctx.error(
            target,
            f"`{source_text(target)}` cannot be assigned: a system has no state of its own",
            "everything that changes lives in the state",
        )
    place = ctx.expression(target)
    base: tree.Expr
    match place:
        case tree.FieldOf(_, _, base, name):
            if isinstance(base.type, RecordT) and base.type.frozen:
                ctx.error(
                    target,
                    f"{base.type} is frozen: {name} cannot be assigned",
                    "assign a whole new record",
                )
        case tree.ItemOf(_, _, base, _) if isinstance(base.type, (MapT, PoolT, SeqT)):
            pass
        case _:
            ctx.error(
                target,
                f"`{source_text(target)}` is no place that can be assigned",
                "assign a field of a record or an entry of a Map, Seq or Pool",
            )
    _check_root(ctx, target, base)
    return place


def _check_root(ctx: Context, target: ast.expr, base: tree.Expr) -> None:
    """A place must be part of the state or of a local record, not of a value on its way."""
    while isinstance(base, (tree.FieldOf, tree.ItemOf)):
        base = base.base
    if not isinstance(base, (tree.Local, tree.Call, tree.IfElse)):
        ctx.error(
            target,
            "this assignment would be lost: its target is not part of the state",
            "give the new record a name first",
        )


def _annotated(ctx: Context, node: ast.AnnAssign) -> list[Stmt]:
    if not isinstance(node.target, ast.Name):
        ctx.error(
            node.target, "only a local name can be annotated here", "leave the annotation out"
        )
    name = node.target.id
    kind = loose(_annotation(ctx, node.annotation, name))
    value: tree.Expr | None = None
    if node.value is not None and is_exact(kind):
        value = ctx.expression(node.value, kind, silent=True)
    elif node.value is not None:
        # An annotation cannot name the capacity of a sequence.
        value = ctx.expression(node.value)
        kind = value.type if alike(value.type, kind) else kind
    known = ctx.declare(node.target, name, kind)
    if known != kind:
        ctx.error(node.target, f"{name} is already {known}", "use another name")
    if value is None:
        return []
    return [tree.Let(ctx.at(node), name, fit(value, kind, what=name))]


def _annotation(ctx: Context, node: ast.expr, name: str) -> tree.Kind:
    """A local's annotation, evaluated where the function stands."""
    expression = node.value if isinstance(node, ast.Constant) else ast.unparse(node)
    try:
        annotation = eval(str(expression), dict(ctx.names))  # the model's own source
    except Exception as error:  # any error of the model's own annotation
        ctx.error(node, f"this annotation cannot be read: {error}", NOT_DEFINED)
    if annotation is int:
        return NumberT()
    try:
        return resolve(annotation, field=name, where=lambda: ctx.at(node))
    except ModelError as error:
        ctx.error(node, error.message, error.hint)


def _augmented(ctx: Context, node: ast.AugAssign) -> Stmt:
    where = ctx.at(node)
    if isinstance(node.target, ast.Name):
        value = binary(ctx, node, node.op, ctx.value(node.target), ctx.value(node.value))
        return tree.Let(where, node.target.id, fit(value, ctx.locals[node.target.id]))
    place = _place(ctx, node.target)
    step = ctx.value(node.value)
    if _has_effect(place) or (_has_effect(step) and not _is_fixed(place)):
        # Python evaluates the target once, before the value.
        ctx.error(
            node.target,
            "a call in an augmented assignment may change which place this is",
            "bind the result of the call to a name first",
        )
    value = binary(ctx, node, node.op, unwrap(place), step)
    return tree.Assign(where, place, fit(value, place.type))


def _has_effect(expr: tree.Expr) -> bool:
    """Whether evaluating an expression twice could be noticed."""
    for part in tree.walk(expr):
        if isinstance(part, (tree.Assign, tree.Bind)):
            return True
        if isinstance(part, tree.Operate) and part.op not in ("first", "last"):
            return True
    return False


def _is_fixed(place: tree.Expr) -> bool:
    """Whether a target is the same place before and after any call."""
    while isinstance(place, tree.FieldOf):
        place = place.base
    return isinstance(place, tree.Local)


def _if(
    ctx: Context, node: ast.If, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt]
) -> Stmt:
    condition = ctx.condition(test)
    narrowed = dict(ctx.narrowed)
    ctx.narrow(condition)
    then = check_block(ctx, body)
    after = ctx.narrowed
    ctx.narrowed = dict(narrowed)
    ctx.narrow(tree.Not(condition.where, BoolT(), condition))
    otherwise = check_block(ctx, orelse)
    if tree.leaves(otherwise):
        ctx.narrowed = after
    elif not tree.leaves(then):
        # After `if ...: return`, what the condition's failure establishes goes on to hold.
        ctx.narrowed = agreeing(after, ctx.narrowed)
    return tree.If(ctx.at(node), condition, then, otherwise)


def _for(ctx: Context, node: ast.For) -> Stmt:
    if node.orelse:
        ctx.error(node.orelse[0], "for ... else is not supported", "use a local flag")
    domain, kinds = check_domain(ctx, node.iter)
    before = dict(ctx.locals)
    unordered = is_unordered(domain)
    for name in ast.walk(node.target):
        if unordered and isinstance(name, ast.Name) and name.id in before:
            ctx.error(
                name,
                f"{name.id} would keep the last name of the loop, and names have no order",
                "give the loop a name of its own",
            )
    names = loop_names(ctx, node.target, kinds)
    # The body's assignments hold for its next pass, too.
    for name in ast.walk(ast.Module(node.body, [])):
        match name:
            case ast.Name(id, ast.Store()) | ast.MatchAs(_, str(id)):
                ctx.narrowed.pop(id, None)
    narrowed = dict(ctx.narrowed)
    body = check_block(ctx, node.body)
    ctx.narrowed = narrowed
    if unordered:
        # What the last pass left in a name of the loop's own would show the order of the names.
        ctx.locals = before
    return tree.For(ctx.at(node), names, domain, body, frozenset(before))


def _return(ctx: Context, node: ast.Return, value: ast.expr | None) -> Stmt:
    where = ctx.at(node)
    if isinstance(ctx.result, VoidT):
        if value is not None and not (isinstance(value, ast.Constant) and value.value is None):
            ctx.error(
                node,
                f"{ctx.name} returns nothing, and this returns a value",
                "annotate what it returns",
            )
        return tree.Return(where, None)
    if value is None:
        ctx.error(node, f"{ctx.name} returns {ctx.result}", "return a value")
    ctx.returned, before = True, ctx.returned
    if is_exact(ctx.result):
        return tree.Return(where, ctx.expression(value, ctx.result, silent=True))
    # A signature cannot name the capacity of the sequence that comes back: the first one does.
    expr = ctx.expression(value)
    if not before and alike(expr.type, ctx.result):
        ctx.result = expr.type
    return tree.Return(where, fit(expr, ctx.result, what=source_text(value)))
