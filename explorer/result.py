"""What a run found, independent of the engine that found it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from explorer.lang.errors import ModelError
from explorer.lang.text import Json
from explorer.trace.trace import Trace

SCHEMA = "slotcheck.result/1"

Kind: TypeAlias = Literal[
    "invariant", "step_invariant", "reachable", "temporal", "failure", "deadlock"
]
Verdict: TypeAlias = Literal["holds", "violated", "unknown", "reached", "unreached"]

PASSED = 0
VIOLATED = 1
WRONG_INPUT = 2
INCOMPLETE = 3

OUT_OF_MEMORY = "out of memory"


@dataclass(frozen=True)
class PropertyResult:
    """The verdict on one property.

    ``length`` is the number of steps to the violation (or to the witness); the offending step of a step
    invariant or of a failure counts; of a temporal property it counts the run's prefix and its cycle. Failures (panics, range
    errors, ...) have the kind ``failure``. ``vacuous`` is why a temporal property that holds says nothing.
    """

    name: str
    kind: Kind
    verdict: Verdict
    length: int | None = None
    trace: Trace | None = None
    vacuous: str | None = None

    @property
    def failed(self) -> bool:
        """Whether this verdict alone makes the run fail."""
        return self.verdict in ("violated", "unreached")


@dataclass(frozen=True)
class ActionCount:
    """How often an action ran: ``enabled`` counts pairs of a state and an instance that is not disabled there
    (failing ones and those that used a scope up included), ``taken`` those that have a successor."""

    enabled: int
    taken: int


@dataclass(frozen=True)
class Result:
    """The outcome of one run of one engine.

    ``design`` holds the switches that differ from the default; ``preset`` names the design they stand
    upon. ``notes`` are for people only. ``incomplete`` says why the run does not cover every reachable state ("SlotRef used up", "state limit").
    """

    system: str
    scope: Mapping[str, int]
    design: Mapping[str, Json]
    engine: str
    complete: bool
    states: int
    transitions: int
    depth: int
    properties: tuple[PropertyResult, ...]
    actions: Mapping[str, ActionCount]
    incomplete: tuple[str, ...] = ()
    reductions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    preset: str | None = None
    trace_files: Mapping[str, str] = field(default_factory=dict)

    def find(self, name: str) -> PropertyResult | None:
        """The result of the property called ``name``; None for one that this run does not know."""
        return next((p for p in self.properties if p.name == name), None)

    @property
    def lists_failures(self) -> bool:
        """Whether every failure that the model can have is among the properties, once the model is compiled."""
        return self.engine == "exhaustive" and bool(self.actions)

    @property
    def violations(self) -> tuple[PropertyResult, ...]:
        """The properties that fail, in order."""
        return tuple(p for p in self.properties if p.failed)

    def exit_code(self) -> int:
        """1 if a property fails, else 3 if anything is left open, else 0."""
        if self.violations:
            return VIOLATED
        if not self.complete or any(p.verdict == "unknown" for p in self.properties):
            return INCOMPLETE
        return PASSED

    def to_json(self) -> dict[str, Json]:
        """The run as one object; a trace is the path it was written to, or the trace itself."""
        return {
            "schema": SCHEMA,
            "system": self.system,
            "scope": dict(self.scope),
            "design": design_json(self.design, self.preset),
            "engine": self.engine,
            "complete": self.complete,
            "reductions": list(self.reductions),
            "states": self.states,
            "transitions": self.transitions,
            "depth": self.depth,
            "properties": [self._property_json(p) for p in self.properties],
            "actions": {
                name: {"enabled": count.enabled, "taken": count.taken}
                for name, count in self.actions.items()
            },
            "warnings": [*self.warnings, *(f"incomplete: {why}" for why in self.incomplete)],
            "timing": {"seconds": round(self.seconds, 3)},
        }

    def _property_json(self, item: PropertyResult) -> dict[str, Json]:
        trace: Json = None
        if item.name in self.trace_files:
            trace = self.trace_files[item.name]
        elif item.trace is not None:
            trace = item.trace.to_json()
        return {
            "name": item.name,
            "kind": item.kind,
            "verdict": item.verdict,
            "length": item.length,
            "trace": trace,
        }


def design_json(switches: Mapping[str, Json], preset: str | None) -> dict[str, Json]:
    """A design as one object: the preset, if any, and the switches that differ from the default."""
    named: dict[str, Json] = {} if preset is None else {"preset": preset}
    return named | dict(switches)


IDLE = (
    "the only steps change nothing and the state is not final: for its threads that is a deadlock"
)
"""What is said of a state that can only be repeated."""


NOT_CALM = "of the shortest traces the first are shown, not those with the fewest thread switches"
"""What is said where there was no time, or memory, to choose among the shortest traces."""


class NotEvaluated(ModelError):
    """The model has a mistake that only running it shows; ``result`` is what was found until then."""

    def __init__(self, error: ModelError, result: Result) -> None:
        super().__init__(error.message, where=error.where, hint=error.hint)
        self.result = result
