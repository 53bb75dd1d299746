"""Scripts: a run written down as one ``action(param=value)`` a line, the way a trace shows its steps.

# Comments and blank lines are skipped.
init(leader=Node0)              the initial state, where init has parameters
publish(id=GlobalId0, as_of=1)
MAINTENANCE: seal(id=GlobalId0) a thread in front is checked
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from explorer.files import read_text
from explorer.lang.actions import Param
from explorer.lang.errors import Location, ModelError
from explorer.lang.run import Action, Instance, actions_of, init_params
from explorer.lang.system import System
from explorer.lang.text import parse_value
from explorer.trace.replay import thread_of

LINE = re.compile(
    r"(?:\d+\.\s+)?(?:(?P<thread>\w+)\s*:\s*)?(?P<action>\w+)\s*\((?P<arguments>.*)\)"
)


@dataclass(frozen=True)
class Line:
    """One call of a script, names not yet looked up."""

    where: Location
    text: str
    thread: str | None
    action: str
    arguments: Mapping[str, str]


@dataclass(frozen=True)
class Script:
    """A script bound to a system: the parameters of init (None: the only initial state), and the steps."""

    file: str
    init: tuple[object, ...] | None
    start: Location
    steps: tuple[tuple[Line, Instance], ...]


def read_script(path: Path, system: System[Any]) -> Script:
    """The script in a file. Raises ModelError at the line that does not fit the system."""
    lines = _parse(path)
    init = None
    if lines and lines[0].action == "init":
        first = lines.pop(0)
        init = _values(first, "init", init_params(system), system)
    if not lines and init is None:
        raise ModelError(f"{path} is an empty script", hint="write one action(param=value) a line")
    start = lines[0].where if init is None else first.where
    steps = tuple((line, _instance(line, system)) for line in lines)
    return Script(str(path), init, start, steps)


def _parse(path: Path) -> list[Line]:
    result = []
    for number, raw in enumerate(read_text(path, "a script").splitlines(), 1):
        text = raw.partition("#")[0].strip()
        if not text:
            continue
        start = raw.index(text)
        where = Location(
            str(path), number, len(raw[:start].encode()), len(raw[: start + len(text)].encode())
        )
        found = LINE.fullmatch(text)
        if found is None:
            raise ModelError(
                "this is not a step", where=where, hint="write action(param=value, other=value)"
            )
        arguments = _arguments(found["arguments"], where)
        result.append(Line(where, text, found["thread"], found["action"], arguments))
    return result


def _arguments(text: str, where: Location) -> dict[str, str]:
    arguments: dict[str, str] = {}
    for part in _split(text):
        name, equals, value = (p.strip() for p in part.partition("="))
        if not equals or not name.isidentifier() or not value:
            raise ModelError(
                f"{part.strip() or text!r} is not param=value",
                where=where,
                hint="parameters are given by name",
            )
        if name in arguments:
            raise ModelError(f"{name} is given twice", where=where)
        arguments[name] = value
    return arguments


def _split(text: str) -> list[str]:
    """``text`` at the commas outside brackets."""
    if not text.strip():
        return []
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _instance(line: Line, system: System[Any]) -> Instance:
    action = find_action(system, line.action, line.where)
    instance = Instance(action, _values(line, action.name, action.params, system))
    thread = thread_of(instance)
    if line.thread is not None and line.thread != thread:
        raise ModelError(
            f"{action.name} is not a step of {line.thread}",
            where=line.where,
            hint=f"it is one of {thread}" if thread else "it belongs to no thread",
        )
    return instance


def find_action(system: System[Any], name: str, where: Location | None = None) -> Action:
    """The action called ``name``. Raises ModelError if there is none."""
    known = {a.name: a for a in actions_of(system)}
    if name not in known:
        alike = get_close_matches(name, known, n=3)
        hint = f"did you mean {' or '.join(alike)}?" if alike else f"known: {', '.join(known)}"
        if name == "init":
            hint = "init comes first"
        raise ModelError(f"{system.name} has no action {name}", where=where, hint=hint)
    return known[name]


def _values(
    line: Line, name: str, params: tuple[Param, ...], system: System[Any]
) -> tuple[object, ...]:
    return parse_arguments(name, params, line.arguments, system, line.where)


def parse_arguments(
    name: str,
    params: tuple[Param, ...],
    arguments: Mapping[str, str],
    system: System[Any],
    where: Location | None = None,
) -> tuple[object, ...]:
    """The values of ``params`` from text. Raises ModelError for missing, unknown and ill-typed ones."""
    expected = [p.name for p in params]
    call = f"{name}({', '.join(expected)})"
    for given in arguments:
        if given not in expected:
            raise ModelError(f"{name} has no parameter {given}", where=where, hint=f"it is {call}")
    missing = [n for n in expected if n not in arguments]
    if missing:
        raise ModelError(f"{name} needs {', '.join(missing)}", where=where, hint=f"it is {call}")
    values = []
    for param in params:
        try:
            values.append(parse_value(param.type, arguments[param.name], system.scope))
        except ModelError as error:
            raise ModelError(
                f"{param.name}: {error.message}", where=where, hint=error.hint
            ) from None
    return tuple(values)
