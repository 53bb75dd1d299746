"""Finds the syntax tree of a function and turns syntax nodes into places for error messages."""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import types
from collections.abc import Callable
from typing import Any

from explorer.lang.errors import Location, ModelError


@functools.cache
def module_tree(file: str, text: str) -> ast.Module:
    """The syntax of a module. Raises SyntaxError."""
    return ast.parse(text, filename=file)


def function_syntax(
    function: Callable[..., Any],
) -> tuple[ast.FunctionDef | ast.AsyncFunctionDef, str]:
    """The definition of ``function`` and the file it stands in.

    Raises ModelError where there is no source to read: built-in functions, lambdas, code typed at a prompt.
    """
    wrapped = inspect.unwrap(function)
    code: types.CodeType | None = getattr(wrapped, "__code__", None)
    if code is not None and code.co_name == "<lambda>":
        raise ModelError(
            "a lambda cannot be called from a model",
            where=Location(code.co_filename, code.co_firstlineno),
            hint="write it with `def`, and annotate its parameters and result",
        )
    if code is None or wrapped is not function:
        raise ModelError(
            f"{getattr(function, '__name__', function)!s} is decorated or no plain Python function",
            where=None if code is None else Location(code.co_filename, code.co_firstlineno),
            hint="write it with `def`, without decorators that change it",
        )
    file = inspect.getsourcefile(function) or code.co_filename
    text = "".join(linecache.getlines(file))
    if not text:
        raise ModelError(
            f"the source of {function.__name__} cannot be read",
            where=Location(file, code.co_firstlineno),
            hint="define the model in a file: the compiler reads its source",
        )
    for node in ast.walk(module_tree(file, text)):
        if (
            isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            and node.name == function.__name__
        ):
            first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
            if first == code.co_firstlineno:
                return node, file
    raise ModelError(
        f"the source of {function.__name__} cannot be found",
        where=Location(file, code.co_firstlineno),
        hint="define it with `def` in a file, undecorated or with slotcheck's own decorators; "
        "a file edited after it was imported must be loaded again",
    )


def location(file: str, node: ast.AST) -> Location:
    """The place of a syntax node, for an error's caret."""
    line: int = getattr(node, "lineno", 1)
    column: int = getattr(node, "col_offset", 0)
    same_line = getattr(node, "end_lineno", None) == line
    end: int | None = getattr(node, "end_col_offset", None) if same_line else None
    return Location(file, line, column, end)


def source_text(node: ast.AST, limit: int = 60) -> str:
    """A syntax node as short source text."""
    text = ast.unparse(node)
    return text if len(text) <= limit else text[: limit - 3] + "..."
