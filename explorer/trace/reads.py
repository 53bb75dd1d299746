"""The places that an expression reads, and their values as text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from explorer.lang.text import format_value
from explorer.lang.types import is_record
from explorer.trace.frame import Frame

# Longer values are of no help beside the states of the trace, which show them in full.
LONGEST = 72


def show(value: object) -> str:
    """A value as short text."""
    try:
        text = format_value(value)
    except Exception:
        text = repr(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def reads_in(frame: Frame, node: ast.expr) -> tuple[tuple[str, str], ...]:
    """Every place in ``node`` that starts at a local name (``s.slots[r].backed``) and every call, with its value.

    Loop variables are left out, being reported as bindings, and so are whole records, being too long to help.
    """
    bound = {name for name, _ in frame.bindings}
    found: dict[str, str] = {}
    for place in _places(node):
        if place is node and isinstance(place, ast.Call):
            continue  # its value is known: it is what is blamed
        if isinstance(place, ast.Name) and place.id in bound:
            continue
        if not isinstance(place, ast.Call) and _root(place) not in frame.local:
            continue
        try:
            value = frame.evaluate(place)
        except Exception:
            continue  # it names a variable of a comprehension that is not being followed
        if not callable(value) and not _whole(value):
            found.setdefault(frame.text(place), show(value))
    return tuple(found.items())


def _whole(value: Any) -> bool:
    return is_record(type(value)) and not type(value).__record_frozen__


def _places(node: ast.AST) -> Iterator[ast.expr]:
    """The longest paths and the calls in ``node``, then those inside subscripts and arguments."""
    match node:
        case ast.Call(func=function):
            yield node
            if isinstance(function, ast.Attribute):
                yield from _places(function.value)
            for argument in (*node.args, *(k.value for k in node.keywords)):
                yield from _places(argument)
        case ast.Attribute() | ast.Subscript() | ast.Name():
            if _root(node) is not None:
                yield node
            inner: ast.AST = node
            while isinstance(inner, (ast.Attribute, ast.Subscript)):
                if isinstance(inner, ast.Subscript):
                    yield from _places(inner.slice)
                inner = inner.value
            if not isinstance(inner, ast.Name):
                yield from _places(inner)
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _places(child)


def _root(node: ast.AST) -> str | None:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None
