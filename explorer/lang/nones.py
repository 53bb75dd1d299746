"""Which expression was None where a value is needed: it names the violation ``none:WHERE``.

Python says where it failed, down to the columns. The operands there are looked at once more, without calling
anything, and the first that is None is to blame.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType, TracebackType
from typing import TypeAlias

from explorer.lang.cache import cached

Position: TypeAlias = tuple[int | None, int | None, int | None, int | None]

_RESULTS = ("alloc", "first", "last", "pop_first")
"""Methods of containers that return a value: ``queue.first`` is then the name."""

_PURE = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.NamedExpr, ast.expr_context)


def position(trace: TracebackType) -> Position:
    """First and last line, first and last column of the instruction that failed in a frame."""
    line, end_line, column, end_column = list(trace.tb_frame.f_code.co_positions())[
        trace.tb_lasti // 2
    ]
    return line, end_line, column, end_column


def name_of_none(trace: TracebackType) -> str | None:
    """The name of the None that made the innermost frame of ``trace`` fail; None if there is no such operand."""
    frame = trace.tb_frame
    found = _nodes(frame.f_code.co_filename).get(position(trace))
    if found is None:
        return None
    unknown: str | None = None
    for operand in _operands(found):
        if isinstance(operand, ast.Constant):
            continue
        known, value = _look(operand, frame)
        if known and value is None:
            return name_of(operand)
        if not known and unknown is None:
            unknown = name_of(operand)
    return unknown


def name_of(node: ast.expr) -> str:
    """What a violation calls the value of an expression: its field's, local's or function's name."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=value):
            return name_of(value)
        case ast.NamedExpr(target=target):
            return name_of(target)
        case ast.Call(func=ast.Attribute(value=base, attr=name)) if name in _RESULTS:
            return f"{name_of(base)}.{name}"
        case ast.Call(func=function):
            return name_of(function)
        case _:
            return "value"


@dataclass(frozen=True)
class _Found:
    """A node, and what is assigned to it if it is the target of an assignment."""

    node: ast.AST
    assigned: ast.expr | None


def _nodes(file: str) -> dict[Position, _Found]:
    return _index("".join(linecache.getlines(file)))


@cached
def _index(source: str) -> dict[Position, _Found]:
    """The expressions and augmented assignments of a file by position."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return {}
    assigned: dict[ast.AST, ast.expr | None] = {}
    result: dict[Position, _Found] = {}
    # Breadth first: of nodes in one place the inner one stays.
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            assigned |= dict.fromkeys(node.targets, node.value)
        elif isinstance(node, ast.AnnAssign):
            assigned[node.target] = node.value
        if isinstance(node, (ast.expr, ast.AugAssign)):
            place = (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset)
            result[place] = _Found(node, assigned.get(node))
    return result


def _operands(found: _Found) -> Iterator[ast.expr]:
    """The parts of an expression that need a value, in the order in which they are evaluated."""
    match found.node:
        case ast.Attribute(value=value):
            yield value
        case ast.Subscript(value=value, slice=index):
            yield value
            yield index
        case ast.Call(func=function, args=arguments, keywords=keywords):
            if isinstance(function, ast.Attribute):
                yield function.value
            yield from arguments
            yield from (k.value for k in keywords)
        case ast.Compare(left=left, comparators=comparators):
            yield left
            yield from comparators
        case ast.BinOp(left=left, right=right):
            yield left
            yield right
        case ast.AugAssign(target=target, value=value):
            yield target
            yield value
        case ast.UnaryOp(operand=operand):
            yield operand
        case ast.expr():
            yield found.node
        case _:
            pass
    if found.assigned is not None:
        yield found.assigned


def _look(node: ast.expr, frame: FrameType) -> tuple[bool, object]:
    """The value of an expression in a frame, if it can be had without calling anything."""
    if not all(isinstance(part, _PURE) for part in ast.walk(node)):
        return False, None
    # The target of an augmented assignment is written; reading it takes a fresh tree.
    fresh = ast.parse(ast.unparse(node), mode="eval")
    code = compile(fresh, "<operand>", "eval")
    try:
        return True, eval(code, frame.f_globals, dict(frame.f_locals))
    except Exception:
        return False, None
