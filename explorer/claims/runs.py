"""Runs of the engine, each configuration once however many claims need it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from explorer.configure import Configured
from explorer.engines import Limits, run
from explorer.lang.properties import Property, properties_for
from explorer.lang.system import System
from explorer.result import Result

INTERRUPTED = "interrupted"

Engine: TypeAlias = Callable[[System[Any], tuple[Property, ...]], Result]


def exhaustive(system: System[Any], properties: tuple[Property, ...]) -> Result:
    """Everything about ``system`` and these properties, without limits."""
    return run("exhaustive", system, properties, Limits())


@dataclass
class Runs:
    """Remembers results by configuration.

    All properties of states and steps are decided, and those temporal ones that some claim names: they take longer, and rule the
    symmetry out. So there are up to two results for a configuration, and what they say does not depend on which other claims are
    verified.
    """

    engine: Engine = exhaustive
    results: dict[tuple[object, ...], Result] = field(default_factory=dict)
    named: dict[object, set[str]] = field(default_factory=dict)

    def expect(self, configured: Configured, temporal: Iterable[str]) -> None:
        """Say which temporal properties will be asked for, so that one run decides them all."""
        self.named.setdefault(configured.key, set()).update(temporal)

    def __call__(self, configured: Configured, temporal: Iterable[str] = ()) -> Result:
        """The result for a configuration, with these temporal properties.

        Raises KeyboardInterrupt if its run was interrupted: an engine that is interrupted returns what it has, and the claims that
        need the rest are not to start anew.
        """
        names = frozenset(temporal)
        key = (configured.key, bool(names))
        known = self.results.get(key)
        if known is None or any(known.find(name) is None for name in names):
            self.expect(configured, names)
            wanted = self.named[configured.key] if names else ()
            declared = properties_for(configured.system)
            chosen = tuple(p for p in declared if p.kind != "temporal" or p.name in wanted)
            known = self.engine(configured.system, chosen)
            if INTERRUPTED in known.incomplete:
                raise KeyboardInterrupt
            self.results[key] = known
        return known
