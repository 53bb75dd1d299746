"""Which failure ends a step must not depend on which of a sort's names comes first.

The passes of a loop over names may fail, be disabled, or leave the scope. Python takes them in some order and stops at the
first such end; in another order another one would be first. So all possible ends have to be alike. Where a quantifier stops
early, none is allowed: whether the element that fails is reached at all would depend on the order.

What only the first pass can do is no matter of the order: given that the first name did not do it, no other can.
"""

from __future__ import annotations

from explorer.compiler.machine import Machine
from explorer.lang.errors import Location, ModelError

DISABLED = "require"


class OrderOfEvents:
    """Looks at the events that the passes of a loop or quantifier over names add to a machine."""

    def __init__(self, machine: Machine, *, stops: bool = False) -> None:
        """``stops``: it is a quantifier that stops at the first element that decides."""
        self._events = machine.events
        self._stops = stops
        self._before = self._count()
        self._passes = 0
        self._later = self._before

    def passed(self) -> None:
        """To be called after each pass."""
        self._passes += 1
        if self._passes == 1:
            self._later = self._count()

    def check(self, where: Location) -> None:
        """Raises ModelError where the order of the passes decides how the step ends."""
        if self._passes < 2 or self._count() == self._later:
            return
        ends, soft = self._ends()
        names = ", ".join(sorted(ends | soft))
        if self._stops:
            raise ModelError(
                f"whether this fails depends on the order of the names: {names}",
                where=where,
                hint="an element that comes first may decide before one that fails: exclude the failure inside, "
                "`r in s.slots and ...`, `x is not None and ...`",
            )
        if len(ends) > 1 or (soft and ends - {DISABLED}):
            raise ModelError(
                f"what this loop fails with depends on the order of the names: {names}",
                where=where,
                hint="check one thing per loop, or exclude a failure first: `r in s.slots and ...`, `x is not None`",
            )

    def _count(self) -> tuple[int, int, int, int]:
        e = self._events
        return len(e.disabled), len(e.failures), len(e.cuts), len(e.soft)

    def _ends(self) -> tuple[set[str], set[str]]:
        """How the step may have ended since then, and what soft failures there may have been."""
        disabled, failures, cuts, soft = self._before
        ends = {name for _, name in self._events.failures[failures:]}
        ends |= {f"{name} used up" for _, name in self._events.cuts[cuts:]}
        if self._events.disabled[disabled:]:
            ends.add(DISABLED)
        return ends, {name for _, name in self._events.soft[soft:]}
