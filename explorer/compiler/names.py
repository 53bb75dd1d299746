"""Resolves names and dotted names in a function's source to the Python objects they stand for."""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Callable, Mapping
from typing import Any


class Absent:
    """The answer for a name that stands for nothing known before the model runs."""


ABSENT = Absent()


def environment(function: Callable[..., Any]) -> Mapping[str, object]:
    """What a function's free names stand for: enclosing scopes first, then globals, then builtins."""
    plain: types.FunctionType = function  # type: ignore[assignment]
    found: dict[str, object] = dict(vars(builtins))
    found.update(plain.__globals__)
    for name, cell in zip(plain.__code__.co_freevars, plain.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # a name that is bound later, or never
            found.pop(name, None)
    return found


def names_bound(function: Callable[..., Any]) -> frozenset[str]:
    """The parameters and local names of a function, those of its generator expressions not included."""
    code: types.CodeType = function.__code__
    return frozenset((*code.co_varnames, *code.co_cellvars))


def static_object(
    node: ast.expr, names: Mapping[str, object], local: Callable[[str], bool]
) -> object:
    """The object behind ``name`` or ``module.Class.member``, or ABSENT if a local name is involved."""
    if isinstance(node, ast.Name):
        return ABSENT if local(node.id) else names.get(node.id, ABSENT)
    if isinstance(node, ast.Attribute):
        base = static_object(node.value, names, local)
        if isinstance(base, (types.ModuleType, type)):
            return getattr(base, node.attr, ABSENT)
    return ABSENT
