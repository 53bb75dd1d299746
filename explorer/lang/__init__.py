"""What a model author imports."""

from explorer.lang.actions import action
from explorer.lang.containers import Map, Pool, Seq, Set
from explorer.lang.effects import (
    Disabled,
    Incomplete,
    Violation,
    given,
    panic,
    require,
    soft_panic,
)
from explorer.lang.errors import Location, ModelError
from explorer.lang.fairness import strong, weak
from explorer.lang.formulas import (
    Formula,
    always,
    always_eventually,
    eventually,
    eventually_always,
    leads_to,
    next_time,
    release,
    until,
    weak_until,
)
from explorer.lang.markers import Between, Capacity, initial
from explorer.lang.properties import invariant, reachable, step_invariant
from explorer.lang.record import record
from explorer.lang.sorts import Ordinal, Sort
from explorer.lang.system import System
from explorer.lang.temporal import ltl, now, temporal

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
