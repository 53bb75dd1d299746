"""Runs an engine by its name. Engines are imported when they are used: listing systems should not load a compiler."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from explorer import interrupts
from explorer.lang.errors import ModelError
from explorer.lang.properties import Property
from explorer.lang.system import System
from explorer.lang.values import kind_of
from explorer.result import OUT_OF_MEMORY, PropertyResult, Result
from explorer.search.memory import require_engine
from explorer.trace.replay import changed_switches

EngineName: TypeAlias = Literal["exhaustive", "reference", "bmc"]
# So many instances of actions take seconds to compile.
_MANY = 2_000

ENGINES: tuple[EngineName, ...] = ("exhaustive", "reference", "bmc")


@dataclass(frozen=True)
class Limits:
    """Where a run stops early; None for no limit. What a limit leaves open is ``unknown``."""

    first: bool = False
    states: int | None = None
    seconds: float | None = None
    memory: int | None = None
    depth: int | None = None
    reductions: bool = True


def run(
    engine: EngineName,
    system: System[Any],
    properties: tuple[Property, ...],
    limits: Limits = Limits(),
) -> Result:
    """Checks ``properties`` and the built-in failures of ``system``; whatever ends the run early, what it found is in the result.

    Raises ModelError for a limit that the engine does not have.
    """
    try:
        interrupts.release()
        interrupts.limit(limits.seconds)
        return _run(engine, system, properties, limits)
    except KeyboardInterrupt:
        # Before anything was found: later, engines stop by themselves.
        why = interrupts.requested() or interrupts.INTERRUPTED
        return undecided(engine, system, properties, why)
    except MemoryError:
        return undecided(engine, system, properties, OUT_OF_MEMORY)
    finally:
        interrupts.hold()
        interrupts.limit(None)


def _run(
    engine: EngineName, system: System[Any], properties: tuple[Property, ...], limits: Limits
) -> Result:
    if (limits.depth is None) == (engine == "bmc"):
        raise ModelError(
            "bmc needs a depth" if engine == "bmc" else f"the {engine} engine has no depth",
            hint="--engine bmc --depth K looks at runs of up to K steps",
        )
    if engine == "bmc":
        refuse(engine, limits.first, "--first")
        refuse(engine, limits.states is not None, "--max-states")
        refuse(engine, limits.seconds is not None, "--max-seconds")
        refuse(engine, limits.memory is not None, "--max-memory")
        from explorer.symbolic.bmc import bmc

        assert limits.depth is not None
        return bmc(system, limits.depth, properties)
    if engine == "reference":
        refuse(engine, limits.memory is not None, "--max-memory")
        from explorer.reference.search import explore

        interrupts.hold()
        return explore(
            system,
            properties=properties,
            first=limits.first,
            max_states=limits.states,
            stop=interrupts.requested,
        ).result
    require_engine()
    from explorer.search.check import check

    return check(
        system,
        properties=properties,
        first=limits.first,
        max_states=limits.states,
        max_seconds=limits.seconds,
        max_memory=limits.memory,
        reductions=limits.reductions,
    )


def undecided(
    engine: EngineName, system: System[Any], properties: tuple[Property, ...], why: str
) -> Result:
    """The result of a run that ended before it found anything."""
    steps = sum(
        math.prod(kind_of(p.type, system.scope, p.name).count() for p in action.params)
        for action in system.actions
    )
    notes = (f"in this scope the actions have {steps:,} instances, and each is compiled first",)
    goals = [PropertyResult(p.name, p.kind, "unknown") for p in properties]
    return Result(
        system=system.name,
        scope=dict(system.scope),
        design=changed_switches(system),
        engine=engine,
        complete=False,
        states=0,
        transitions=0,
        depth=0,
        properties=(*goals, PropertyResult("deadlock", "deadlock", "unknown")),
        actions={},
        incomplete=(why,),
        notes=notes if steps > _MANY else (),
    )


def refuse(engine: str, given: bool, option: str) -> None:
    """Says that an engine does not know an option, rather than ignoring it."""
    if given:
        raise ModelError(f"the {engine} engine has no {option}")
