"""A call of a model function being followed expression by expression."""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any


class Unsupported(Exception):
    """A shape of source that cannot be followed; the caller blames the whole of it."""


@dataclass(frozen=True)
class Frame:
    """Where a call stands.

    ``env`` holds globals and locals in one dictionary, because an expression evaluated on its own sees no enclosing scope.
    ``bindings`` are the values chosen by loops so far, ``via`` the functions entered.
    """

    definition: ast.FunctionDef
    source: str
    file: str
    first_line: int
    env: dict[str, Any]
    local: frozenset[str]
    bindings: tuple[tuple[str, object], ...] = ()
    via: tuple[str, ...] = ()

    @property
    def line(self) -> int:
        """The line of the function's ``def``."""
        return self.first_line + self.definition.lineno - 1

    def evaluate(self, node: ast.expr) -> Any:
        """The value of an expression; ``:=`` binds in ``env``."""
        return eval(compile(ast.Expression(node), self.file, "eval"), self.env)

    def execute(self, node: ast.stmt) -> None:
        """Runs one statement without control flow."""
        exec(compile(ast.Module([node], []), self.file, "exec"), self.env)

    def choose(self, target: ast.expr, value: object, *, fresh: bool) -> Frame:
        """The frame in which a loop variable has a value; ``fresh`` for the scope of a comprehension."""
        env = dict(self.env) if fresh else self.env
        chosen = tuple(_unpack(target, value))
        env.update(chosen)
        named = tuple((n, v) for n, v in chosen if n != "_")
        return replace(self, env=env, bindings=self.bindings + named)

    def text(self, node: ast.AST) -> str:
        """The source of ``node`` on one line."""
        return " ".join((ast.get_source_segment(self.source, node) or ast.unparse(node)).split())


def enter(
    function: Callable[..., Any], arguments: tuple[Any, ...], keywords: Mapping[str, Any]
) -> Frame:
    """The frame of a call; raises Unsupported if the source of ``function`` cannot be followed."""
    plain = inspect.unwrap(getattr(function, "__func__", function))
    if not isinstance(plain, types.FunctionType):
        raise Unsupported
    try:
        lines, first = inspect.getsourcelines(plain)
        source = textwrap.dedent("".join(lines))
        definition = ast.parse(source).body[0]
    except (OSError, TypeError, SyntaxError):
        raise Unsupported from None
    if not isinstance(definition, ast.FunctionDef):
        raise Unsupported
    if isinstance(function, types.MethodType):
        arguments = (function.__self__, *arguments)
    bound = inspect.signature(plain).bind(*arguments, **keywords)
    bound.apply_defaults()
    closure = inspect.getclosurevars(plain).nonlocals
    env = {**plain.__globals__, **closure, **bound.arguments}
    stored = {
        n.id
        for n in ast.walk(definition)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    local = frozenset(bound.arguments) | stored
    return Frame(definition, source, plain.__code__.co_filename, first, env, local)


def _unpack(target: ast.expr, value: Any) -> list[tuple[str, object]]:
    if isinstance(target, ast.Name):
        return [(target.id, value)]
    if isinstance(target, ast.Tuple):
        parts = zip(target.elts, value, strict=True)
        return [pair for element, part in parts for pair in _unpack(element, part)]
    raise Unsupported
