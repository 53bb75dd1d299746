"""A walk kept in a file: as a trace of what fails or is reached at its end, else as a script."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from explorer.files import write_text
from explorer.lang.errors import ModelError
from explorer.lang.run import init_params
from explorer.lang.text import format_value
from explorer.stepping.session import Session
from explorer.stepping.standing import Standing, standings
from explorer.trace.replay import build_trace, changed_switches, describe


@dataclass(frozen=True)
class Kept:
    """What was written: ``shows`` is the property of a trace, None for a script; ``command`` runs it again."""

    path: Path
    shows: Standing | None
    command: str


def keep(session: Session, path: Path, preset: str | None, name: str | None = None) -> Kept:
    """Writes the walk up to where one stands; ``name`` asks for a trace of that property.

    Raises ModelError if the file exists or cannot be written, or ``name`` neither fails nor is reached here.
    """
    start = session.start
    if start is None:
        raise ModelError("there is no run to save yet", hint=session.way_out)
    if path.exists():
        raise ModelError(f"{path} exists", hint="save under another name")
    shown = [s for s in standings(session, deadlock=True) if s.verdict in ("violated", "reached")]
    if name is not None:
        chosen = next((s for s in shown if s.name == name), None)
        if chosen is None:
            known = ", ".join(s.name for s in shown)
            raise ModelError(
                f"{name} neither fails nor is reached here",
                hint=f"what does: {known}"
                if known
                else "without its name the run is saved as a script",
            )
    else:
        chosen = next(iter(sorted(shown, key=lambda s: s.verdict == "reached")), None)
    quoted = shlex.quote(str(path))
    if chosen is None:
        command = f"slotcheck run {_configuration(session, preset)} --script {quoted}"
        write_text(path, script(session, command))
        return Kept(path, None, command)
    trace = build_trace(session.system, start.values, session.path, chosen.name)
    trace = trace.labelled(session.system.name, preset)
    write_text(path, json.dumps(trace.to_json(), indent=1) + "\n")
    return Kept(path, chosen, f"slotcheck replay {quoted}")


def script(session: Session, command: str) -> str:
    """The walk as ``slotcheck run`` takes it."""
    start = session.start
    assert start is not None
    lines = [f"# {command}"]
    params = init_params(session.system)
    if params or not session.at:
        values = zip(params, start.values, strict=True)
        lines.append(f"init({', '.join(f'{p.name}={format_value(v)}' for p, v in values)})")
    lines += [describe(instance) for instance in session.path]
    return "\n".join(lines) + "\n"


def _configuration(session: Session, preset: str | None) -> str:
    """The system as arguments of a command."""
    system = session.system
    words = [system.name]
    default: Mapping[str, int] = type(system).default_scope
    sizes = [f"{n}={size}" for n, size in system.scope.items() if default.get(n) != size]
    if sizes:
        words += ["--scope", ",".join(sizes)]
    if preset is not None:
        words += ["--design", preset]
    for name, value in changed_switches(system).items():
        words += ["--set", f"{name}={value}"]
    return " ".join(shlex.quote(word) for word in words)
