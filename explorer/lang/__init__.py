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
from explorer.lang.markers import Between, Capacity, initial
from explorer.lang.properties import invariant, reachable, step_invariant
from explorer.lang.record import record
from explorer.lang.sorts import Ordinal, Sort
from explorer.lang.system import System

__all__ = [
    "Between",
    "Capacity",
    "Disabled",
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
    "given",
    "initial",
    "invariant",
    "panic",
    "reachable",
    "record",
    "require",
    "soft_panic",
    "step_invariant",
]
