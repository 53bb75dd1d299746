"""A trace as data: what is written to a file, compared in a replay and shown on a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from explorer.lang.errors import Location
from explorer.lang.text import Json
from explorer.trace.blame import Blame

SCHEMA = "slotcheck.trace/1"


@dataclass(frozen=True)
class Step:
    """One action: parameters as text, and the state after it (None if the step failed and has no successor).

    ``changes`` are the places it changed, with the old and the new value as text; only the state is written to files.
    """

    thread: str | None
    action: str
    params: Mapping[str, str]
    state: Json
    changes: tuple[tuple[str, str, str], ...] = field(default=(), compare=False)

    def label(self) -> str:
        """``thread: action(param=value)``."""
        call = f"{self.action}({', '.join(f'{k}={v}' for k, v in self.params.items())})"
        return call if self.thread is None else f"{self.thread}: {call}"


@dataclass(frozen=True)
class Trace:
    """A run from an initial state to the place where ``property_name`` fails (or is reached).

    ``digest`` identifies the model's source, ``init`` are the parameters of ``init`` as text, ``design`` the switches that
    differ from the default on top of ``preset``. ``loop`` is for a run that goes on for ever: the number of the step
    after which its cycle begins, 0 for the initial state, the number of steps for one that stops; ``instance`` is for which
    parameters of a temporal property, ``explanation`` what the run owes and why it is fair. ``message`` is that of a failure, ``where``
    its place in the model, ``blame`` the part of the property that is false.
    """

    system: str
    digest: str
    scope: Mapping[str, int]
    design: Mapping[str, Json]
    property_name: str
    kind: str
    init: Mapping[str, str]
    initial: Json
    steps: tuple[Step, ...]
    preset: str | None = None
    loop: int | None = None
    message: str | None = None
    blame: Blame | None = field(default=None, compare=False)
    instance: str | None = None
    explanation: tuple[str, ...] = field(default=(), compare=False)
    where: Location | None = field(default=None, compare=False)

    @property
    def length(self) -> int:
        """The number of steps, the offending one included."""
        return len(self.steps)

    def states(self) -> tuple[Json, ...]:
        """The initial state and the state after each step."""
        return (self.initial, *(step.state for step in self.steps))

    def labelled(self, system: str, preset: str | None) -> Trace:
        """The same trace under the name by which the system can be found again."""
        return replace(self, system=system, preset=preset)

    def to_json(self) -> dict[str, Json]:
        """The trace as an object, in the order in which people read it."""
        design: dict[str, Json] = {} if self.preset is None else {"preset": self.preset}
        data: dict[str, Json] = {
            "schema": SCHEMA,
            "system": self.system,
            "digest": self.digest,
            "scope": dict(self.scope),
            "design": design | dict(self.design),
            "property": self.property_name,
            "kind": self.kind,
            "init": dict(self.init),
            "initial": self.initial,
            "steps": [
                {
                    "thread": step.thread,
                    "action": step.action,
                    "parameters": dict(step.params),
                    "state": step.state,
                }
                for step in self.steps
            ],
        }
        if self.message is not None:
            data["message"] = self.message
        if self.loop is not None:
            data["loop"] = self.loop
        if self.instance is not None:
            data["instance"] = self.instance
        return data
