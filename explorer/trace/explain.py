"""Why a property fails in a state: blames the first occurrence of its record where it does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from explorer.lang.properties import Path, Property, occurrences
from explorer.lang.system import System
from explorer.lang.text import format_value
from explorer.lang.types import RecordT
from explorer.trace.blame import Blame, blame


def explain(system: System[Any], prop: Property, *states: Any) -> Blame | None:
    """The part of ``prop`` that is false in a state (or before and after a step).

    None where it is true or cannot be explained.
    """
    with system:
        for path in (p for cls, p in occurrences(RecordT(system.state_type)) if cls is prop.record):
            for parts in zip(*(_places(s, path, "") for s in states), strict=True):
                found = blame(prop.function, *(value for _, value in parts))
                if found is not None:
                    name = parts[0][0]
                    part = ((prop.record.__name__, name),) if name else ()
                    return replace(found, bindings=part + found.bindings)
    return None


def _places(value: Any, path: Path, name: str) -> Iterator[tuple[str, Any]]:
    """The values that ``path`` leads to, with their names as the model would write them."""
    if not path:
        yield name, value
    elif path[0] is None:
        for key, entry in value.items():
            yield from _places(entry, path[1:], f"{name}[{format_value(key)}]")
    else:
        inner = f"{name}.{path[0]}" if name else path[0]
        yield from _places(getattr(value, path[0]), path[1:], inner)
