"""What counts as a failure of a random run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from explorer.lang.errors import ModelError
from explorer.lang.properties import Property, properties_for
from explorer.lang.run import Blocked, Failed, Outcome, evaluate
from explorer.lang.system import System


@dataclass(frozen=True)
class Judge:
    """The properties that a run must keep.

    Failures of the model itself (panics, values out of range, deadlock) count as well, except those in ``ignored``.
    """

    system: System[Any]
    invariants: tuple[Property, ...]
    step_invariants: tuple[Property, ...]
    temporal: tuple[Property, ...]
    ignored: frozenset[str]

    @property
    def declared(self) -> tuple[Property, ...]:
        """The declared properties that are judged."""
        return (*self.invariants, *self.step_invariants, *self.temporal)

    def counts(self, name: str) -> bool:
        """Whether the failure called ``name`` (a panic, a range error, deadlock) fails the run."""
        return name not in self.ignored

    def of_state(self, state: Any) -> str | None:
        """The first invariant that is false in ``state``."""
        false = (p.name for p in self.invariants if not evaluate(self.system, p, state))
        return next(false, None)

    def of_step(self, before: Any, after: Any) -> str | None:
        """The first step invariant that the step breaks."""
        false = (
            p.name for p in self.step_invariants if not evaluate(self.system, p, before, after)
        )
        return next(false, None)

    def of_outcome(self, outcome: Outcome) -> str | None:
        """The first failure of the step itself."""
        failures: list[str] = []
        if not isinstance(outcome, Blocked):
            failures += outcome.soft
        if isinstance(outcome, Failed):
            failures.append(outcome.name)
        return next((name for name in failures if self.counts(name)), None)


def judge(
    system: System[Any], properties: Iterable[str | Property] | None, ignore: Iterable[str]
) -> Judge:
    """The judge of ``properties``: names or declared properties; None for all of them.

    Raises ModelError for a name that the system does not know, and for a witness.
    """
    every = properties_for(system)
    declared = {p.name: p for p in every if p.kind != "reachable"}
    witnesses = {p.name for p in every if p.kind == "reachable"}
    ignored = frozenset(ignore)
    chosen = frozenset(declared) - ignored
    if properties is not None:
        chosen = frozenset(p if isinstance(p, str) else p.name for p in properties)
    for name in sorted(chosen | {n for n in ignored if not _is_failure(n)}):
        if name in witnesses and name in chosen:
            raise ModelError(
                f"{name} is a witness, and random runs that miss it prove nothing",
                hint="slotcheck check looks for it",
            )
        if name not in declared and name not in witnesses:
            raise ModelError(
                f"{system.name} has no invariant called {name}, and no other property that random runs judge",
                hint=f"there is {', '.join(sorted(declared)) or 'none'}",
            )
    wanted = [p for p in declared.values() if p.name in chosen - ignored]
    return Judge(
        system,
        tuple(p for p in wanted if p.kind == "invariant"),
        tuple(p for p in wanted if p.kind == "step_invariant"),
        tuple(p for p in wanted if p.kind == "temporal"),
        ignored,
    )


def _is_failure(name: str) -> bool:
    """Whether ``name`` is that of a built-in property."""
    return name == "deadlock" or ":" in name
