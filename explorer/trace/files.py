"""Trace files: written next to each other in a directory, read back with every part checked."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from explorer.files import read_text, write_text
from explorer.lang.errors import Location, ModelError
from explorer.lang.text import Json
from explorer.trace.trace import SCHEMA, Step, Trace


def prepare(directory: Path) -> None:
    """Makes the directory that traces are to go to, before a long run rather than after it. Raises ModelError."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ModelError(f"cannot write traces to {directory}: {reason}") from None


def write_traces(traces: Iterable[Trace], directory: Path) -> dict[str, str]:
    """Writes each trace as SYSTEM-PROPERTY.json; returns the path of each property's trace.

    Raises ModelError if the directory cannot be made or written to.
    """
    listed = list(traces)
    named = {f"{t.system.rpartition(':')[2]}-{t.property_name}": t.to_json() for t in listed}
    paths = write_named(named, directory)
    return {trace.property_name: path for trace, path in zip(listed, paths, strict=True)}


def write_named(traces: Mapping[str, Json], directory: Path) -> list[str]:
    """Writes each trace under its name, without what file systems may not like; returns the paths. Raises ModelError."""
    paths: list[str] = []
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name, trace in traces.items():
            stem = re.sub(r"[^A-Za-z0-9_.+-]+", "_", name)
            while str(directory / f"{stem}.json") in paths:
                stem += "_"
            path = directory / f"{stem}.json"
            write_text(path, json.dumps(trace, indent=1) + "\n")
            paths.append(str(path))
    except OSError as error:
        raise ModelError(f"cannot write traces to {directory}: {error.strerror}") from None
    return paths


def read_trace(path: Path) -> Trace:
    """The trace in a file. Raises ModelError for anything that is not a whole trace of a known schema."""
    text = read_text(path, "a trace")
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise ModelError(
            f"this is not a trace: {error.msg}",
            where=Location(str(path), error.lineno, max(error.colno - 1, 0)),
            hint="a trace is the JSON file that `slotcheck check --trace-dir DIR` writes",
        ) from None
    except (RecursionError, ValueError):
        raise ModelError(f"{path} is not a trace: its JSON cannot be read") from None
    return _Reader(str(path)).trace(data)


class _Reader:
    """Turns parsed JSON into a trace; every complaint names the file and the part."""

    def __init__(self, path: str) -> None:
        self.path = path

    def error(self, message: str, hint: str = "") -> ModelError:
        return ModelError(f"{self.path} is not a trace: {message}", hint=hint)

    def trace(self, data: Json) -> Trace:
        if not isinstance(data, dict) or "schema" not in data:
            raise self.error("it has no schema", f'a trace begins with "schema": "{SCHEMA}"')
        if data["schema"] != SCHEMA:
            raise self.error(f"its schema is {data['schema']!r}", f"this version reads {SCHEMA}")
        design = dict(self.mapping(data, "design"))
        preset = design.pop("preset", None)
        if not isinstance(preset, str | None):
            raise self.error("design.preset is not a name")
        steps = data.get("steps")
        if not isinstance(steps, list):
            raise self.error("steps is not a list")
        message, loop = data.get("message"), data.get("loop")
        if not isinstance(message, str | None):
            raise self.error("message is not text")
        if not isinstance(loop, int | None) or isinstance(loop, bool):
            raise self.error("loop is not a number")
        instance = data.get("instance")
        if not isinstance(instance, str | None):
            raise self.error("instance is not text")
        if loop is not None and not 0 <= loop <= len(steps):
            raise self.error(f"its cycle returns to step {loop} of {len(steps)}")
        return Trace(
            system=self.string(data, "system"),
            digest=self.string(data, "digest"),
            scope=self.sizes(data),
            design=design,
            property_name=self.string(data, "property"),
            kind=self.string(data, "kind"),
            init=self.strings(data, "init"),
            initial=dict(self.mapping(data, "initial")),
            steps=tuple(self.step(s, n, n == len(steps)) for n, s in enumerate(steps, 1)),
            preset=preset,
            loop=loop,
            instance=instance,
            message=message,
        )

    def step(self, data: Json, number: int, last: bool) -> Step:
        where = f"step {number}: "
        if not isinstance(data, dict):
            raise self.error(f"{where}it is not an object")
        thread, state = data.get("thread"), data.get("state")
        if not isinstance(thread, str | None):
            raise self.error(f"{where}thread is not a name")
        if not isinstance(state, dict) and not (state is None and last):
            raise self.error(f"{where}it has no state")
        action = self.string(data, "action", where)
        return Step(thread, action, self.strings(data, "parameters", where), state)

    def mapping(self, data: Mapping[str, Json], key: str, where: str = "") -> Mapping[str, Json]:
        value = data.get(key)
        if not isinstance(value, dict):
            raise self.error(f"{where}{key} is {'missing' if key not in data else 'no object'}")
        return value

    def string(self, data: Mapping[str, Json], key: str, where: str = "") -> str:
        value = data.get(key)
        if not isinstance(value, str):
            raise self.error(f"{where}{key} is {'missing' if key not in data else 'not text'}")
        return value

    def strings(self, data: Mapping[str, Json], key: str, where: str = "") -> dict[str, str]:
        result = {}
        for name, value in self.mapping(data, key, where).items():
            if not isinstance(value, str):
                raise self.error(f"{where}{key}.{name} is not text")
            result[name] = value
        return result

    def sizes(self, data: Mapping[str, Json]) -> dict[str, int]:
        result = {}
        for name, value in self.mapping(data, "scope").items():
            if not isinstance(value, int) or isinstance(value, bool):
                raise self.error(f"scope.{name} is not a number")
            result[name] = value
        return result
