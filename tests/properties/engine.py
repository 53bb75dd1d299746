"""Many designs of one system: lowered and compiled once per scope."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import properties.safety
import properties.witnesses  # noqa: F401
from explorer.compiler.lower import Lowered, lower
from explorer.compiler.native import Native, compile_program
from explorer.lang.system import switch_values, with_preset
from explorer.search.explore import search
from model.systems import Registry

ONE = (("Time", 2),)
"""One index."""
HIGHER = (("Time", 3),)
"""The same with three times."""
TWO = (("GlobalId", 2), ("Time", 1), ("SlotRef", 5))
"""An index and its re-export."""
TWO_ONCE = (("GlobalId", 2), ("Time", 1), ("Connection", 1))
"""The same without a reconnect."""


@dataclass(frozen=True)
class Outcome:
    """What a design comes to: violated are properties and failures, reached are witnesses."""

    violated: frozenset[str]
    reached: frozenset[str]
    states: int
    transitions: int


@functools.cache
def _compiled(scope: tuple[tuple[str, int], ...], preset: str | None) -> tuple[Lowered, Native]:
    cls = Registry if preset is None else with_preset(Registry, preset)[0]
    lowered = lower(cls(dict(scope)))
    return lowered, compile_program(lowered.program)


@functools.cache
def explore(
    scope: tuple[tuple[str, int], ...], off: frozenset[str], preset: str | None = None
) -> Outcome:
    """Everything about the design with the switches ``off``, or of a preset."""
    lowered, program = _compiled(scope, preset)
    names = list(switch_values(lowered.system))
    values = list(lowered.switch_values)
    for name in off:
        values[names.index(name)] = 0
    found = search(program, [leaves for _, leaves in lowered.initial], switches=tuple(values))
    assert found.complete, "the scope is too small"
    hit = {p.name: p.kind for p, w in zip(lowered.properties, found.properties, strict=True) if w}
    failed = (n for n, w in zip(lowered.program.failure_names, found.failures, strict=True) if w)
    assert found.deadlock is None
    return Outcome(
        frozenset(n for n, kind in hit.items() if kind != "reachable") | frozenset(failed),
        frozenset(n for n, kind in hit.items() if kind == "reachable"),
        found.states,
        found.transitions,
    )
