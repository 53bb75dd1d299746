"""Runs an engine by its name. Engines are imported when they are used: listing systems should not load a compiler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from explorer.lang.errors import ModelError
from explorer.lang.properties import Property
from explorer.lang.system import System
from explorer.result import Result

EngineName: TypeAlias = Literal["exhaustive", "reference", "bmc"]
ENGINES: tuple[EngineName, ...] = ("exhaustive", "reference", "bmc")


@dataclass(frozen=True)
class Limits:
    """Where a run stops early; None for no limit. What a limit leaves open is ``unknown``."""

    first: bool = False
    states: int | None = None
    seconds: float | None = None
    depth: int | None = None


def run(
    engine: EngineName,
    system: System[Any],
    properties: tuple[Property, ...],
    limits: Limits = Limits(),
) -> Result:
    """Checks ``properties`` and the built-in failures of ``system``. Raises ModelError for a limit that the engine does not have."""
    if (limits.depth is None) == (engine == "bmc"):
        raise ModelError(
            "bmc needs a depth" if engine == "bmc" else f"the {engine} engine has no depth",
            hint="--engine bmc --depth K looks at runs of up to K steps",
        )
    if engine == "bmc":
        refuse(engine, limits.first, "--first")
        refuse(engine, limits.states is not None, "--max-states")
        refuse(engine, limits.seconds is not None, "--max-seconds")
        from explorer.symbolic.bmc import bmc

        assert limits.depth is not None
        return bmc(system, limits.depth, properties)
    if engine == "reference":
        refuse(engine, limits.seconds is not None, "--max-seconds")
        from explorer.reference.search import explore

        return explore(
            system, properties=properties, first=limits.first, max_states=limits.states
        ).result
    from explorer.search.check import check

    return check(
        system,
        properties=properties,
        first=limits.first,
        max_states=limits.states,
        max_seconds=limits.seconds,
    )


def refuse(engine: str, given: bool, option: str) -> None:
    """Says that an engine does not know an option, rather than ignoring it."""
    if given:
        raise ModelError(f"the {engine} engine has no {option}")
