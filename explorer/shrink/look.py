"""Asks for the shortest trace of a property in a scope and a design: by exhaustive search, or by trying a known run there."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from explorer import interrupts
from explorer.configure import Configured
from explorer.engines import Limits, run
from explorer.lang.errors import ModelError
from explorer.lang.properties import Property
from explorer.result import NOT_CALM, NotEvaluated, Result
from explorer.shrink.goals import Goal
from explorer.shrink.run import OutOfSteps, Player, Run, Text, parsed, text_of
from explorer.trace.replay import find_property
from explorer.trace.trace import Trace

Verdict: TypeAlias = Literal["fails", "holds", "unknown", "unusable"]


@dataclass(frozen=True)
class Looked:
    """What is known about a property in a scope and a design.

    ``trace`` is a trace of it, ``shortest`` and ``calmest`` whether it is proved to be. ``depth``: no run with fewer steps than
    this shows it. ``why`` is what leaves it open, or makes the scope unusable.
    """

    verdict: Verdict
    trace: Trace | None = None
    shortest: bool = False
    calmest: bool = False
    depth: int = 0
    why: str = ""


@dataclass
class Search:
    """Exhaustive searches for one property, each configuration once, within limits for each and for all together."""

    name: str
    max_states: int | None = None
    max_seconds: float | None = None
    max_memory: int | None = None
    tell: Callable[[str], None] = lambda what: None
    stopped: str | None = None
    started: float = field(default_factory=time.monotonic)
    known: dict[tuple[object, ...], Looked] = field(default_factory=dict)

    def left(self) -> float | None:
        """Seconds that are left."""
        if self.max_seconds is None:
            return None
        return self.max_seconds - (time.monotonic() - self.started)

    def over(self) -> str | None:
        """Why to end now, if there is a reason."""
        left = self.left()
        if self.stopped is None and left is not None and left <= 0:
            self.stopped = interrupts.TIME_LIMIT
        self.stopped = self.stopped or interrupts.requested()
        return self.stopped

    def look(self, configured: Configured, what: str) -> Looked:
        """The verdict in a configuration; ``what`` says which, for whoever watches."""
        if configured.key not in self.known:
            why = self.over()
            if why is not None:
                return Looked("unknown", why=why)
            self.tell(what)
            self.known[configured.key] = self._look(configured)
        return self.known[configured.key]

    def _look(self, configured: Configured) -> Looked:
        declared = find_property(configured.system, self.name)
        properties = () if declared is None else (declared,)
        kind = "failure" if declared is None else declared.kind
        # What is violated ends such a search at once, and most often it is this property.
        eager = kind not in ("reachable", "temporal")
        looked = self._run(configured, properties, first=eager)
        if eager and looked.verdict == "unknown" and looked.why.startswith("stopped at"):
            looked = self._run(configured, properties, first=False)
        return looked

    def _run(self, configured: Configured, properties: tuple[Property, ...], first: bool) -> Looked:
        limits = Limits(first, self.max_states, self.left(), self.max_memory)
        try:
            result = run("exhaustive", configured.system, properties, limits)
        except NotEvaluated as error:
            result = error.result
        except ModelError as error:
            return Looked("unusable", why=error.message)
        found = result.find(self.name)
        why = _open(result)
        if interrupts.signalled():
            self.stopped = interrupts.INTERRUPTED
        if found is None or found.trace is None:
            # A failure that an engine does not list cannot occur.
            return Looked("holds" if why is None else "unknown", depth=result.depth, why=why or "")
        trace = found.trace.labelled(configured.name, configured.preset)
        calm = not any(note.startswith(NOT_CALM) for note in result.notes)
        exact = found.kind != "temporal"
        return Looked("fails", trace, exact, exact and calm, trace.length, why or "")


def _open(result: Result) -> str | None:
    """Why a search did not see all runs in its scope. Steps that would use the scope up are not in it."""
    reasons = [why for why in result.incomplete if not why.endswith(" used up")]
    return "; ".join(reasons) or None


def transplanted(
    player: Player, goal: Goal, init: dict[str, str], steps: tuple[Text, ...], *, drop: bool
) -> Run | None:
    """A run of another system, taken in this one; None if it does not show the goal there."""
    try:
        values, taken = parsed(player.system, init, steps)
        with player.system:
            begun = player.start(values)
            if begun is None:
                return None
            tried = player.take(begun, taken, drop=drop, done=goal.at_once)
            length = None if tried is None else goal.length(tried)
            return None if tried is None or length is None else tried.first(length)
    except (ModelError, OutOfSteps):
        return None


def text(trace: Trace) -> tuple[dict[str, str], tuple[Text, ...]]:
    """A trace's steps as text."""
    init, steps = text_of(trace)
    return dict(init), steps
