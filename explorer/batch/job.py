"""One search among many, and what is kept of its result: both can be written down."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from explorer import interrupts
from explorer.configure import choose_properties, configure
from explorer.engines import Limits, run
from explorer.lang.errors import ModelError
from explorer.lang.text import Json
from explorer.loading import Found
from explorer.result import Kind, NotEvaluated, Result, Verdict


@dataclass(frozen=True)
class Job:
    """A system's search in one scope and design. Values of switches are texts, as on the command line.

    ``names`` are the properties to decide; none: all of them. With ``traces`` those of violated properties are kept.
    """

    scope: Mapping[str, int] = field(default_factory=dict)
    preset: str | None = None
    switches: Mapping[str, str] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    max_states: int | None = None
    max_seconds: float | None = None
    max_memory: int | None = None
    traces: bool = False

    @property
    def key(self) -> str:
        """The same for equal jobs, and for no others."""
        return json.dumps(
            [
                sorted(self.scope.items()),
                self.preset,
                sorted(self.switches.items()),
                sorted(self.names),
                self.max_states,
                self.max_seconds,
                self.max_memory,
                self.traces,
            ]
        )


@dataclass(frozen=True)
class Decided:
    """What a search said of one property; ``length`` as in results."""

    name: str
    kind: Kind
    verdict: Verdict
    length: int | None = None
    trace: Json = None


@dataclass(frozen=True)
class Outcome:
    """What is kept of a search. ``unusable`` is why there was none: the configuration is not one of the model."""

    complete: bool = False
    states: int = 0
    transitions: int = 0
    depth: int = 0
    properties: tuple[Decided, ...] = ()
    incomplete: tuple[str, ...] = ()
    unusable: str | None = None

    def find(self, name: str) -> Decided | None:
        """What was said of the property called ``name``."""
        return next((p for p in self.properties if p.name == name), None)

    @property
    def interrupted(self) -> bool:
        """Whether it ended only because somebody wanted to end everything: it is to be made again."""
        return interrupts.INTERRUPTED in self.incomplete

    def to_json(self) -> dict[str, Json]:
        """All of it."""
        return {
            "complete": self.complete,
            "states": self.states,
            "transitions": self.transitions,
            "depth": self.depth,
            "properties": [[p.name, p.kind, p.verdict, p.length, p.trace] for p in self.properties],
            "incomplete": list(self.incomplete),
            "unusable": self.unusable,
        }

    @classmethod
    def of_json(cls, data: Mapping[str, Json]) -> Outcome:
        """The same, read back. Raises KeyError, TypeError or ValueError for anything else."""
        listed = cast("list[tuple[str, Kind, Verdict, int | None, Json]]", data["properties"])
        return cls(
            bool(data["complete"]),
            int(cast(int, data["states"])),
            int(cast(int, data["transitions"])),
            int(cast(int, data["depth"])),
            tuple(Decided(*item) for item in listed),
            tuple(cast("list[str]", data["incomplete"])),
            cast("str | None", data["unusable"]),
        )


def perform(found: Found, job: Job) -> Outcome:
    """Runs the search. A configuration that the model does not have, or fails in, is an outcome, too."""
    try:
        configured = configure(found, job.scope, job.preset, job.switches)
        properties = choose_properties(configured.system, job.names)
        limits = Limits(False, job.max_states, job.max_seconds, job.max_memory)
        result = run("exhaustive", configured.system, properties, limits)
    except NotEvaluated as error:
        return Outcome(unusable=_said(error))
    except ModelError as error:
        return Outcome(unusable=_said(error))
    return outcome_of(result, configured.name, configured.preset, job.traces)


def outcome_of(result: Result, name: str, preset: str | None, traces: bool) -> Outcome:
    """What is kept of a result."""
    return Outcome(
        result.complete,
        result.states,
        result.transitions,
        result.depth,
        tuple(
            Decided(
                p.name,
                p.kind,
                p.verdict,
                p.length,
                p.trace.labelled(name, preset).to_json()
                if traces and p.failed and p.trace
                else None,
            )
            for p in result.properties
        ),
        result.incomplete,
    )


def _said(error: ModelError) -> str:
    place = "" if error.where is None else f"{error.where.file}:{error.where.line}: "
    return f"{place}{error.message}"
