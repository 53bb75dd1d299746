"""Writes a trace down as a pytest file: what the design it came from does, and what the default design does instead."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from explorer.configure import configure
from explorer.lang.errors import ModelError
from explorer.lang.text import Json
from explorer.loading import Found
from explorer.shrink.pinned import PinnedRun
from explorer.trace.again import replay
from explorer.trace.trace import Trace


@dataclass(frozen=True)
class Pin:
    """A test and what it says: the default design stops the run at step ``stops`` (``departs``: goes elsewhere there); None for
    both where the run is possible in the default design."""

    text: str
    stops: int | None
    departs: int | None
    message: str


def pin(trace: Trace, found: Found, target: Path) -> Pin:
    """The test for a trace, to be written to ``target``. Raises ModelError for a trace that its own design does not have."""
    system = configure(found, trace.scope, trace.preset, trace.design).system
    replayed = replay(trace, system)
    if not replayed.possible or not (replayed.confirmed or replayed.earlier is not None):
        where = replayed.stopped or replayed.difference
        detail = f": step {where.step}: {where.what}" if where is not None else ""
        raise ModelError(
            f"the trace cannot be pinned, because it is no run of its own design to {trace.property_name}{detail}",
            hint="slotcheck replay TRACE shows where it differs",
        )
    if trace.kind == "failure" and ":" not in trace.property_name:
        raise ModelError(f"the trace shows no failure: {trace.property_name!r}")
    origin = _design(trace)
    run = PinnedRun(
        trace.system,
        trace.property_name,
        tuple(step.label() for step in trace.steps),
        trace.scope,
        trace.init,
        None,
        trace.loop,
    )
    is_path = ":" in trace.system
    name = _relative(trace.system, target) if is_path else trace.system
    writer = _Writer(trace, run, name, is_path)
    if not origin or run.fails({}):
        return writer.both(origin)
    stop = run.stopped({})
    if stop is not None:
        return writer.stopped(origin, stop.step, stop.why)
    departs = run.departs_at({}, origin)
    return writer.departs(origin, trace.length if departs is None else departs)


def _design(trace: Trace) -> dict[str, Json]:
    preset: dict[str, Json] = {} if trace.preset is None else {"preset": trace.preset}
    return preset | dict(trace.design)


def _relative(system: str, target: Path) -> str:
    """The path to a user's system as the test file finds it."""
    file, _, cls = system.rpartition(":")
    try:
        path = os.path.relpath(os.path.abspath(file), target.absolute().parent)
    except ValueError:  # another drive
        path = os.path.abspath(file)
    return f"{Path(path).as_posix()}:{cls}"


@dataclass(frozen=True)
class _Writer:
    trace: Trace
    run: PinnedRun
    system: str
    is_path: bool

    @property
    def ends(self) -> str:
        """What the property does at the end of the run."""
        return "is reached" if self.trace.kind == "reachable" else "fails"

    def both(self, origin: Mapping[str, Json]) -> Pin:
        """The default design has the run, too."""
        name = self.trace.property_name
        message = f"the run is possible in the default design: {name} {self.ends} there"
        body = [
            "def test_the_default_design_has_it() -> None:",
            f'    """{_doc(f"{name} {self.ends}.")}"""',
            "    assert RUN.fails({})",
        ]
        return Pin(self.file(origin, body, message), None, None, message)

    def stopped(self, origin: Mapping[str, Json], number: int, why: str) -> Pin:
        """The default design does not take a step."""
        step = self.trace.steps[number - 1].label()
        message = f"the default design stops the run at step {number} of {self.trace.length}"
        # Neither lines nor directories stay what they are.
        reason = re.sub(r"^disabled at (?:.*[/\\])?([^/\\]+?):\d+: ", r"disabled in \1: ", why)
        body = [
            f"def test_the_default_design_stops_it_at_step_{number}() -> None:",
            f'    """{_doc(step)}',
            "",
            f"    {_doc(_sentence(reason))}",
            '    """',
            f"    assert RUN.impossible_at({{}}) == {number}",
        ]
        return Pin(self.file(origin, body, message), number, None, f"{message}: {step}")

    def departs(self, origin: Mapping[str, Json], number: int) -> Pin:
        """The default design takes all steps, but they lead elsewhere."""
        step = self.trace.steps[number - 1].label() if number else "the initial state"
        name = self.trace.property_name
        message = (
            f"the default design takes all steps, departs from the run at step {number} of {self.trace.length}, "
            f"and {name} no longer {self.ends}"
        )
        body = [
            f"def test_the_default_design_departs_from_it_at_step_{number}() -> None:",
            f'    """{_doc(step)}',
            "",
            f"    Its steps are possible, but {_doc(name)} no longer {self.ends}.",
            '    """',
            f"    assert RUN.departs_at({{}}, ORIGIN) == {number}",
            "    assert not RUN.fails({})",
        ]
        return Pin(self.file(origin, body, message), None, number, f"{message}: {step}")

    def file(self, origin: Mapping[str, Json], body: list[str], message: str) -> str:
        """The whole test file. One item a line, so that no formatter has to lay it out again."""
        trace = self.trace
        about = f"A run to {trace.property_name}, kept by `slotcheck pin`."
        text = [f'"""{_doc(about)}', "", f"{_doc(_sentence(message))}", '"""', ""]
        text += ["from explorer import PinnedRun", "", "RUN = PinnedRun("]
        text += [f"    system={_quoted(self.system)},"]
        text += [f"    property={_quoted(trace.property_name)},"]
        text += [*_mapping("scope", trace.scope), *_mapping("init", trace.init)]
        if trace.steps:
            steps = [f"        {_quoted(step)}," for step in self.run.steps]
            text += ["    steps=[", *steps, "    ],"]
        else:
            text += ["    steps=[],"]
        text += [f"    loop={trace.loop},"] if trace.loop is not None else []
        text += ["    base=__file__,"] if self.is_path else []
        text += [")", *_assigned("ORIGIN", origin), "", "", *body]
        if origin:
            text += [
                "",
                "",
                "def test_the_design_it_came_from_has_it() -> None:",
                f'    """{_doc(f"{trace.property_name} {self.ends}.")}"""',
                "    assert RUN.fails(ORIGIN)",
            ]
        return "\n".join(text) + "\n"


def default_name(trace: Trace) -> str:
    """``test_SYSTEM_PROPERTY.py``."""
    system = Path(trace.system.rpartition(":")[2] or trace.system).stem
    stem = re.sub(r"\W+", "_", f"{system}_{trace.property_name}").strip("_").lower()
    return f"test_{stem}.py"


def _mapping(name: str, values: Mapping[str, object]) -> Iterator[str]:
    if values:
        yield f"    {name}={{"
        yield from (f"        {_quoted(k)}: {_literal(v)}," for k, v in values.items())
        yield "    },"


def _assigned(name: str, values: Mapping[str, Json]) -> Iterator[str]:
    if values:
        yield f"{name} = {{"
        yield from (f"    {_quoted(k)}: {_literal(v)}," for k, v in values.items())
        yield "}"


def _literal(value: object) -> str:
    return _quoted(value) if isinstance(value, str) else repr(value)


def _quoted(text: str) -> str:
    """A string as ``ruff format`` writes it."""
    plain = repr(text)
    if plain.startswith("'") and '"' not in text:
        return f'"{plain[1:-1]}"'
    return plain


def _doc(text: str) -> str:
    """Text that can stand in a docstring, on one line."""
    return " ".join(text.replace("\\", "/").replace('"""', "'''").split()).rstrip('"')


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith(".") else f"{text}."


__all__ = ["Pin", "default_name", "pin"]
