"""slotcheck: a model checker for protocols written in plain Python.

Everything a model author needs can be imported from here; nothing is loaded before it is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__all__ = [
    "Between",
    "Capacity",
    "Disabled",
    "Formula",
    "Incomplete",
    "Location",
    "Map",
    "ModelError",
    "Ordinal",
    "Pool",
    "Seq",
    "Set",
    "Sort",
    "System",
    "Violation",
    "action",
    "always",
    "always_eventually",
    "eventually",
    "eventually_always",
    "given",
    "initial",
    "invariant",
    "leads_to",
    "ltl",
    "next_time",
    "now",
    "panic",
    "reachable",
    "record",
    "release",
    "require",
    "soft_panic",
    "step_invariant",
    "strong",
    "temporal",
    "until",
    "weak",
    "weak_until",
]

if TYPE_CHECKING:
    from explorer.lang import (
        Between,
        Capacity,
        Disabled,
        Formula,
        Incomplete,
        Location,
        Map,
        ModelError,
        Ordinal,
        Pool,
        Seq,
        Set,
        Sort,
        System,
        Violation,
        action,
        always,
        always_eventually,
        eventually,
        eventually_always,
        given,
        initial,
        invariant,
        leads_to,
        ltl,
        next_time,
        now,
        panic,
        reachable,
        record,
        release,
        require,
        soft_panic,
        step_invariant,
        strong,
        temporal,
        until,
        weak,
        weak_until,
    )
    from explorer.shrink.pinned import PinnedRun as PinnedRun
else:
    # For tests rather than models: __all__ is the language, and loads nothing else.
    _ELSEWHERE = {"PinnedRun": "explorer.shrink.pinned"}

    # Where a type checker saw this function it would take every name for granted.
    def __getattr__(name: str) -> Any:
        if name in __all__ or name in _ELSEWHERE:
            return getattr(importlib.import_module(_ELSEWHERE.get(name, "explorer.lang")), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
