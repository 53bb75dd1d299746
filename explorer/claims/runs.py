"""Runs of the engine, each configuration once however many claims need it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from explorer.configure import Configured
from explorer.engines import Limits, run
from explorer.lang.properties import properties_for
from explorer.lang.system import System
from explorer.result import Result

INTERRUPTED = "interrupted"

Engine: TypeAlias = Callable[[System[Any]], Result]


def exhaustive(system: System[Any]) -> Result:
    """Everything about ``system``, without limits."""
    return run("exhaustive", system, properties_for(system), Limits())


@dataclass
class Runs:
    """Remembers results by configuration."""

    engine: Engine = exhaustive
    results: dict[tuple[object, ...], Result] = field(default_factory=dict)

    def __call__(self, configured: Configured) -> Result:
        """The result for a configuration. Raises KeyboardInterrupt if its run was interrupted.

        An engine that is interrupted returns what it has; the claims that need the rest are not to start anew.
        """
        if configured.key not in self.results:
            result = self.engine(configured.system)
            if INTERRUPTED in result.incomplete:
                raise KeyboardInterrupt
            self.results[configured.key] = result
        return self.results[configured.key]
