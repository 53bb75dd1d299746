"""Why a step is disabled: the first ``require`` that does not hold, the part of it that is false, and the values that it reads."""

from __future__ import annotations

import ast
import inspect
import textwrap
from dataclasses import dataclass
from types import FrameType

import explorer.lang
from explorer.lang.run import Blocked
from explorer.trace.blame import Blame, blame_part
from explorer.trace.frame import Frame

_LANG = explorer.lang.__path__[0]


@dataclass(frozen=True)
class Obstacle:
    """A ``require`` (or ``given``) that disables a step: its place, the part of its condition that decides, and what that reads."""

    file: str
    line: int
    text: str
    reads: tuple[tuple[str, str], ...] = ()


def obstacle(outcome: Blocked) -> Obstacle | None:
    """What disables a step; None where that cannot be found. To be called within the scope of the system."""
    where, frame = outcome.where, _frame(outcome)
    if where is None or frame is None:
        return None
    try:
        return _look(frame, where.line, where.column)
    except Exception:
        # A courtesy, as every explanation.
        return Obstacle(where.file, where.line, outcome.reason.partition(": ")[2])


def _frame(outcome: Blocked) -> FrameType | None:
    """The model's innermost frame."""
    trace, found = outcome.error.__traceback__, None
    while trace is not None:
        if not trace.tb_frame.f_code.co_filename.startswith(_LANG):
            found = trace.tb_frame
        trace = trace.tb_next
    return found


def _look(frame: FrameType, line: int, column: int | None) -> Obstacle:
    lines, first = inspect.getsourcelines(frame.f_code)
    source = textwrap.dedent("".join(lines))
    margin = len(lines[0]) - len(lines[0].lstrip())
    definition = ast.parse(source).body[0]
    assert isinstance(definition, ast.FunctionDef)
    calls = [
        n
        for n in ast.walk(definition)
        if isinstance(n, ast.Call) and n.lineno + first - 1 == line and len(n.args) == 1
    ]
    exact = [n for n in calls if column is None or n.col_offset + margin == column]
    call = (exact or calls)[0]
    values = {**frame.f_globals, **frame.f_locals}
    here = Frame(
        definition, source, frame.f_code.co_filename, first, values, frozenset(frame.f_locals)
    )
    if isinstance(call.func, ast.Name) and call.func.id == "given":
        found = blame_part(here, ast.copy_location(_is_there(call.args[0]), call.args[0]))
        return Obstacle(
            found.file, line, f"given({here.text(call.args[0])})", _telling(here, found)
        )
    found = blame_part(here, call.args[0])
    reads = tuple(dict((*found.bindings, *_telling(here, found))).items())
    text = found.text if found.expected else f"not {_bracketed(found.text)}"
    return Obstacle(found.file, found.line, text, reads)


def _telling(frame: Frame, found: Blame) -> tuple[tuple[str, str], ...]:
    """What is read, without the values that are only made: ``Task(id=id)``."""
    return tuple(
        (place, value)
        for place, value in found.reads
        if not isinstance(frame.env.get(place.partition("(")[0]), type)
    )


def _is_there(node: ast.expr) -> ast.expr:
    there = ast.Compare(node, [ast.IsNot()], [ast.Constant(None)])
    return ast.fix_missing_locations(ast.copy_location(there, node))


def _bracketed(text: str) -> str:
    return text if text.replace(".", "").replace("_", "").isalnum() else f"({text})"
