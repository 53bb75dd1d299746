"""Traces as text: numbered steps with the fields that changed, then what failed and why."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from explorer.lang.text import Json
from explorer.trace.blame import Blame
from explorer.trace.trace import Step, Trace


def render(trace: Trace, *, full: bool = False) -> list[str]:
    """The lines of a trace. ``full`` shows whole states in place of changes."""
    lines = [f"  0. {start_label(trace)}"]
    if full:
        lines += whole(trace.initial)
    for number, step in enumerate(trace.steps, 1):
        lines += step_lines(number, step, full=full)
    return lines + loop_lines(trace) + [""] + outcome(trace)


def loop_lines(trace: Trace) -> list[str]:
    """How a run goes on that does so for ever."""
    if trace.loop is None:
        return []
    stops = trace.loop == trace.length
    again = "stays there" if stops else f"goes on with step {trace.loop + 1}"
    return [f"     and {again}, for ever"]


def start_label(trace: Trace) -> str:
    """The initial state as ``init(param=value)``."""
    return f"init({', '.join(f'{k}={v}' for k, v in trace.init.items())})"


def step_lines(number: int, step: Step, *, full: bool = False) -> list[str]:
    """One step and what it changed."""
    lines = [f"{number:3}. {step.label()}"]
    if full:
        return lines + whole(step.state)
    lines += [f"       {path}: {old} -> {new}" for path, old, new in step.changes]
    if step.state is not None and not step.changes:
        lines.append("       (nothing changes)")
    return lines


def outcome(trace: Trace) -> list[str]:
    """What the trace shows: the property that fails (or is reached) and the reason."""
    length = steps(trace.length)
    name = trace.property_name
    if trace.kind == "reachable":
        return [f"{name} is reached after {length}"]
    if trace.kind == "deadlock":
        return [f"deadlock after {length}: no action is enabled, and the state is not final"]
    if trace.kind == "temporal":
        of = "" if trace.instance is None else f" for {trace.instance}"
        lines = [f"{name} is violated{of} by a run of {length} that {ending(trace)}"]
        return lines + [f"  {line}" for line in trace.explanation]
    if trace.kind == "failure":
        line = f"{name} after {length}"
        place = trace.where
        return [
            f"{line}: {trace.message}" if trace.message else line,
            *([] if place is None else [f"  at {short(place.file)}:{place.line}"]),
        ]
    return [
        f"{name} is violated after {length}",
        *(blame_lines(trace.blame) if trace.blame else []),
    ]


def ending(trace: Trace) -> str:
    """``stops``, ``repeats its last 3``: what the run does in the end."""
    if trace.loop is None or trace.loop == trace.length:
        return "stops"
    last = trace.length - trace.loop
    return "repeats its last step" if last == 1 else f"repeats its last {last}"


def counted(number: int, what: str) -> str:
    """``1 step``, ``2 steps``, ``1,000 steps``."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def steps(number: int) -> str:
    """``1 step``, ``2 steps``."""
    return "1 step" if number == 1 else f"{number} steps"


def blame_lines(blame: Blame) -> list[str]:
    """The conjunct that is false, the bindings that make it false, and what it read."""
    lines = [f"  {'false' if blame.expected else 'true'}: {blame.text}"]
    if blame.premises:
        lines.append(f"  although: {' and '.join(blame.premises)}")
    if blame.bindings:
        lines.append(f"  for: {', '.join(f'{n} = {v}' for n, v in blame.bindings)}")
    lines += [f"    {place} = {value}" for place, value in blame.reads]
    lines += [f"  in: {call}" for call in blame.via]
    if blame.note:
        lines.append(f"  evaluating it fails: {blame.note}")
    lines.append(f"  at {short(blame.file)}:{blame.line}")
    return lines


def short(file: str) -> str:
    """A path as one would type it from here, if the file is below the working directory."""
    try:
        relative = os.path.relpath(file)
    except ValueError:  # another drive
        return file
    return file if relative.startswith("..") else relative


def whole(state: Json, indent: int = 7) -> list[str]:
    """A whole state, one place a line."""
    return [" " * indent + line for line in _tree(state)] if state is not None else []


def _tree(value: Json) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield text(value)
        return
    for name, part in value.items():
        if isinstance(part, Mapping) and part and "is" not in part:
            yield f"{name}:"
            yield from (f"  {line}" for line in _tree(part))
        else:
            yield f"{name}: {text(part)}"


def text(value: Json) -> str:
    """A value of a state's JSON, as it is written elsewhere in a trace."""
    if isinstance(value, Mapping):
        parts = ", ".join(f"{k}={text(v)}" for k, v in value.items() if k != "is")
        return f"{value['is']}({parts})" if "is" in value else f"{{{parts}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(text, value))}]"
    return str(value)


def differences(left: Json, right: Json, path: str = "") -> list[tuple[str, str, str]]:
    """The places where two states differ: path, left value, right value."""
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        found: list[tuple[str, str, str]] = []
        for key in dict.fromkeys([*left, *right]):
            inner = f"{path}.{key}" if path else key
            if key not in left or key not in right:
                found.append((inner, _shown(left, key), _shown(right, key)))
            else:
                found += differences(left[key], right[key], inner)
        return found
    same = left == right and isinstance(left, bool) == isinstance(right, bool)
    return [] if same else [(path, text(left), text(right))]


def _shown(values: Mapping[str, Json], key: str) -> str:
    return text(values[key]) if key in values else "(absent)"
