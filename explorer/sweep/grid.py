"""What a sweep goes over: each value of each scope entry with each value of each switch."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from explorer.configure import switch_of, switch_value
from explorer.lang.errors import ModelError
from explorer.lang.text import Json, format_value
from explorer.loading import Found, close

MOST = 10_000
"""As many combinations are taken; more would not end, and nobody would read them."""


@dataclass(frozen=True)
class Point:
    """One combination. Switches are texts."""

    scope: Mapping[str, int]
    preset: str | None
    switches: Mapping[str, str]

    def to_json(self) -> dict[str, Json]:
        """As JSON."""
        return {
            "scope": dict(self.scope),
            "preset": self.preset,
            "switches": dict(self.switches),
        }


@dataclass(frozen=True)
class Grid:
    """All values, by name in the order in which they were given."""

    scope: Mapping[str, tuple[int, ...]]
    presets: tuple[str | None, ...]
    switches: Mapping[str, tuple[str, ...]]

    @property
    def size(self) -> int:
        """How many combinations there are."""
        number = len(self.presets)
        for values in (*self.scope.values(), *self.switches.values()):
            number *= len(values)
        return number

    def points(self) -> Iterator[Point]:
        """Every combination: designs one after the other, in each the scopes, the last entry moving first."""
        for preset, *rest in itertools.product(self.presets, *self.switches.values()):
            switches = dict(zip(self.switches, map(str, rest), strict=True))
            for sizes in itertools.product(*self.scope.values()):
                yield Point(dict(zip(self.scope, sizes, strict=True)), preset, switches)


def read_grid(
    found: Found, scope: Iterable[str], presets: Iterable[str], switches: Iterable[str]
) -> Grid:
    """``GlobalId=1..3,Time=2`` and ``barrier=true,false``, checked against the system. Raises ModelError."""
    sizes: dict[str, tuple[int, ...]] = {}
    for item in ",".join(scope).split(",") if scope else ():
        entry = re.fullmatch(r"\s*(\w+)\s*=\s*([0-9]{1,9})(?:\s*\.\.\s*([0-9]{1,9}))?\s*", item)
        if entry is None:
            raise ModelError(
                f"{item.strip()!r} is no range of sizes", hint="write --scope NAME=1..3,OTHER=2"
            )
        name, low, high = entry[1], int(entry[2]), int(entry[3] or entry[2])
        known = found.cls.default_scope
        if name not in known:
            raise ModelError(f"{found.name} has no scope entry {name}", hint=close(name, known))
        if high < low:
            raise ModelError(f"the range {low}..{high} of {name} is empty", hint=f"{high}..{low}?")
        _put(sizes, name, tuple(range(low, high + 1)))
        if high - low >= MOST:
            raise ModelError(f"the range {low}..{high} of {name} is too large for a sweep")
    values: dict[str, tuple[str, ...]] = {}
    for item in switches:
        name, equals, text = (part.strip() for part in item.partition("="))
        if not equals or not name or not text:
            raise ModelError(f"{item!r} sets no switch", hint="write --set switch=value,value")
        switch = switch_of(found.cls, name)
        parsed = (switch_value(switch, part.strip()) for part in text.split(","))
        _put(values, name, tuple(dict.fromkeys(map(format_value, parsed))))
    grid = Grid(sizes, tuple(dict.fromkeys(presets)) or (None,), values)
    if grid.size > MOST:
        raise ModelError(
            f"these are {grid.size:,} combinations", hint=f"a sweep takes up to {MOST:,}"
        )
    return grid


def _put(into: dict[str, Any], name: str, value: object) -> None:
    if into.setdefault(name, value) != value:
        raise ModelError(f"{name} is given twice")
