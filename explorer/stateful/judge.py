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

    ``names`` is None when every failure counts; else only those named, built-in ones included.
    """

    system: System[Any]
    invariants: tuple[Property, ...]
    step_invariants: tuple[Property, ...]
    names: frozenset[str] | None

    def counts(self, name: str) -> bool:
        """Whether the failure called ``name`` (a panic, a range error, deadlock) fails the run."""
        return self.names is None or name in self.names

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


def judge(system: System[Any], properties: Iterable[str | Property] | None) -> Judge:
    """The judge of ``properties``: names or declared properties; None for all of them.

    Raises ModelError for a name that the system does not know.
    """
    declared = properties_for(system)
    names: frozenset[str] | None = None
    if properties is not None:
        names = frozenset(p if isinstance(p, str) else p.name for p in properties)
        known = {p.name for p in declared if p.kind != "reachable"}
        for name in sorted(names - known):
            if name != "deadlock" and ":" not in name:
                raise ModelError(
                    f"{system.name} has no invariant called {name}",
                    hint=f"one of: {', '.join(sorted(known)) or 'none is declared'}; or a failure "
                    "such as panic:NAME, range:FIELD or deadlock",
                )
    chosen = [p for p in declared if names is None or p.name in names]
    return Judge(
        system,
        tuple(p for p in chosen if p.kind == "invariant"),
        tuple(p for p in chosen if p.kind == "step_invariant"),
        names,
    )
