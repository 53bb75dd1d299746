"""Why a property fails in a state: blames the first occurrence of its record where it does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from explorer.lang.properties import Path, Property, paths_to, places
from explorer.lang.system import System
from explorer.lang.text import format_value
from explorer.trace.blame import Blame, blame


def explain(system: System[Any], prop: Property, *states: Any) -> Blame | None:
    """The part of ``prop`` that is false in a state (or before and after a step).

    None where it is true or cannot be explained.
    """
    with system:
        for path in paths_to(system.state_type, prop.record):
            for keys, values in places(states, path):
                found = blame(prop.function, *values)
                if found is not None:
                    name = _name(path, keys)
                    part = ((prop.record.__name__, name),) if name else ()
                    return replace(found, bindings=part + found.bindings)
    return None


def _name(path: Path, keys: Sequence[Any]) -> str:
    """A place as the model would write it."""
    rest = iter(keys)
    parts = (f"[{format_value(next(rest))}]" if part is None else f".{part}" for part in path)
    return "".join(parts).removeprefix(".")
