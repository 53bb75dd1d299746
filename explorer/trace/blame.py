"""Which part of a property is false, and for which values.

A property is an ordinary function. Its ``ast`` is followed along the path that CPython takes: through early returns,
``and``, ``or``, ``not``, ``all``, ``any`` and calls of other model functions, down to the smallest expression that
decides. Whatever is not understood is blamed whole; nothing here decides a verdict.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from explorer.trace.frame import Frame, Unsupported, enter
from explorer.trace.reads import reads_in, show

# Far deeper than any readable property calls helpers, and a stop for recursion.
MAX_DEPTH = 12


@dataclass(frozen=True)
class Blame:
    """An expression that is not ``expected``.

    ``premises`` are what has to be true for it to matter (``p`` of ``not p or q``), ``bindings`` the loop variables that
    make it so, ``reads`` the places it reads with their values, ``via`` the functions on the way to it, ``note`` what
    evaluating it ran into.
    """

    text: str
    file: str
    line: int
    expected: bool
    premises: tuple[str, ...] = ()
    bindings: tuple[tuple[str, str], ...] = ()
    reads: tuple[tuple[str, str], ...] = ()
    via: tuple[str, ...] = ()
    note: str | None = None


def blame(function: Callable[..., Any], *arguments: object) -> Blame | None:
    """The part of the property ``function(*arguments)`` that makes it false.

    None if it is true, or if its source cannot be read.
    """
    try:
        frame = enter(function, arguments, {})
        return _function(frame, True)
    except (Unsupported, _Agrees):
        return None
    except Exception:
        # An explanation is a courtesy: whatever goes wrong in it must not hide the counterexample.
        return None


def blame_part(frame: Frame, node: ast.expr) -> Blame:
    """The part of an expression of a call that makes it false; the whole of it where that cannot be told."""
    try:
        return _expression(frame, node, True)
    except Exception:
        return _report(frame, node, True)


class _Agrees(Exception):
    """What is looked at has the value it should have."""


class _Continue(Exception):
    pass


class _Break(Exception):
    pass


def _function(frame: Frame, want: bool) -> Blame:
    """The reason why the call does not return ``want``."""
    try:
        found = _block(frame, frame.definition.body, want)
    except Unsupported:
        found = None
    if found is not None:
        return found
    returns = [
        n.value
        for n in ast.walk(frame.definition)
        if isinstance(n, ast.Return) and n.value is not None
    ]
    if len(returns) == 1:
        return _report(frame, returns[0], want)
    return Blame(f"{frame.definition.name}(...)", frame.file, frame.line, want, via=frame.via)


def _block(frame: Frame, body: list[ast.stmt], want: bool) -> Blame | None:
    """Follows statements to the ``return`` that is reached; None if none is."""
    for statement in body:
        match statement:
            case ast.Return(value=ast.expr() as value):
                return _expression(frame, value, want)
            case ast.If(test=test):
                found = _branch(frame, statement, bool(frame.evaluate(test)), want)
                if found is not None:
                    return found
            case ast.For(target=target, iter=values, orelse=[]):
                found = _loop(frame, target, frame.evaluate(values), statement.body, want)
                if found is not None:
                    return found
            case ast.Continue():
                raise _Continue
            case ast.Break():
                raise _Break
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.Expr() | ast.Pass():
                frame.execute(statement)
            case _:
                raise Unsupported
    return None


def _branch(frame: Frame, statement: ast.If, taken: bool, want: bool) -> Blame | None:
    body = statement.body if taken else statement.orelse
    match body:
        case [ast.Return(value=ast.Constant(value=bool() as value))] if value != want:
            # `if p: return False`: p is the reason, not the constant.
            return _expression(frame, statement.test, not taken)
        case _:
            return _block(frame, body, want)


def _loop(
    frame: Frame, target: ast.expr, values: Any, body: list[ast.stmt], want: bool
) -> Blame | None:
    for value in values:
        try:
            found = _block(frame.choose(target, value, fresh=False), body, want)
        except _Continue:
            continue
        except _Break:
            break
        if found is not None:
            return found
    return None


def _expression(frame: Frame, node: ast.expr, want: bool) -> Blame:
    """The smallest part of ``node`` that makes its truth differ from ``want``."""
    if not _differs(frame, node, want):
        raise _Agrees
    match node:
        case ast.NamedExpr(value=value):
            return _expression(frame, value, want)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _expression(frame, operand, not want)
        case ast.BoolOp(op=op, values=parts):
            return _connective(frame, node, isinstance(op, ast.And), parts, want)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return _expression(frame, body if frame.evaluate(test) else orelse, want)
        case ast.Call(
            func=ast.Name(id="all" | "any" as name),
            args=[ast.GeneratorExp() | ast.ListComp() | ast.SetComp() as terms],
        ) if (name == "all") == want:
            return _quantifier(frame, terms, want)
        case ast.Call():
            return _call(frame, node, want)
        case ast.Attribute(value=owner, attr=name):
            return _property(frame, node, frame.evaluate(owner), name, want)
        case _:
            return _report(frame, node, want)


def _differs(frame: Frame, node: ast.expr, want: bool) -> bool:
    try:
        return bool(frame.evaluate(node)) != want
    except Exception:
        return True


def _connective(
    frame: Frame, node: ast.expr, conjunction: bool, parts: list[ast.expr], want: bool
) -> Blame:
    if conjunction == want:
        # A false conjunction has a false part, a true disjunction a true one.
        return next(_expression(frame, p, want) for p in parts if _differs(frame, p, want))
    *before, last = parts
    denied = [p.operand for p in before if isinstance(p, ast.UnaryOp) and isinstance(p.op, ast.Not)]
    if conjunction or len(denied) < len(before):
        return _report(frame, node, want)
    # `not p or q` reads "p implies q": q is to blame, and p is why it matters.
    found = _expression(frame, last, want)
    return replace(found, premises=(*(frame.text(p) for p in denied), *found.premises))


def _quantifier(
    frame: Frame, terms: ast.GeneratorExp | ast.ListComp | ast.SetComp, want: bool
) -> Blame:
    for chosen in _choices(frame, terms.generators):
        if _differs(chosen, terms.elt, want):
            return _expression(chosen, terms.elt, want)
    raise Unsupported


def _choices(frame: Frame, generators: list[ast.comprehension]) -> Iterator[Frame]:
    if not generators:
        yield frame
        return
    first, *rest = generators
    for value in frame.evaluate(first.iter):
        chosen = frame.choose(first.target, value, fresh=True)
        if all(chosen.evaluate(condition) for condition in first.ifs):
            yield from _choices(chosen, rest)


def _call(frame: Frame, node: ast.Call, want: bool) -> Blame:
    if any(isinstance(a, ast.Starred) for a in node.args) or any(
        k.arg is None for k in node.keywords
    ):
        return _report(frame, node, want)
    function = frame.evaluate(node.func)
    arguments = tuple(frame.evaluate(a) for a in node.args)
    keywords = {k.arg: frame.evaluate(k.value) for k in node.keywords if k.arg is not None}
    return _inside(frame, node, function, arguments, keywords, want)


def _property(frame: Frame, node: ast.expr, owner: object, name: str, want: bool) -> Blame:
    descriptor = inspect.getattr_static(type(owner), name, None)
    if isinstance(descriptor, property) and descriptor.fget is not None:
        return _inside(frame, node, descriptor.fget, (owner,), {}, want)
    return _report(frame, node, want)


def _inside(
    frame: Frame,
    node: ast.expr,
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    keywords: dict[str, Any],
    want: bool,
) -> Blame:
    """Looks into a function of the model; the checker's own are blamed at the call."""
    if len(frame.via) >= MAX_DEPTH or _foreign(function):
        return _report(frame, node, want)
    try:
        callee = enter(function, arguments, keywords)
    except Unsupported:
        return _report(frame, node, want)
    via = (*frame.via, frame.text(node))
    return _function(replace(callee, bindings=frame.bindings, via=via), want)


def _foreign(function: object) -> bool:
    module = getattr(function, "__module__", None) or "builtins"
    return module == "builtins" or module.startswith("explorer.lang")


def _report(frame: Frame, node: ast.expr, want: bool) -> Blame:
    note = None
    try:
        frame.evaluate(node)
    except Exception as error:
        note = str(error) or type(error).__name__
    return Blame(
        text=frame.text(node),
        file=frame.file,
        line=frame.first_line + node.lineno - 1,
        expected=want,
        bindings=tuple({n: show(v) for n, v in frame.bindings}.items()),
        reads=reads_in(frame, node),
        via=frame.via,
        note=note,
    )
