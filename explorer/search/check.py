"""Checks a system exhaustively: lower, compile, search, and report what was found with replayed traces."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

from explorer.compiler.lower import Lowered, lower
from explorer.compiler.native import compile_program
from explorer.lang.properties import Property
from explorer.lang.run import instances
from explorer.lang.system import System
from explorer.result import ActionCount, Result
from explorer.search.explore import search
from explorer.search.found import Found, Occurrence
from explorer.search.report import DEADLOCK, Run, refuse_unclear, verdicts
from explorer.trace.replay import changed_switches

ENGINE = "exhaustive"


def check(
    system: System[Any],
    properties: Sequence[Property] | None = None,
    *,
    first: bool = False,
    max_states: int | None = None,
    max_seconds: float | None = None,
    max_memory: int | None = None,
) -> Result:
    """Visit every reachable state of ``system`` and decide ``properties`` (default: all that apply to it).

    ``first`` stops at the first violation; the limits (states stored, seconds, bytes) and an interrupt stop the search as
    well. What is undecided then is ``unknown``.

    Raises
    ------
    ModelError
        The model is outside the language, too large in this scope, or a property cannot be evaluated in a
        reachable state.
    """
    started = time.perf_counter()
    lowered = lower(system, properties)
    found = search(
        compile_program(lowered.program),
        [leaves for _, leaves in lowered.initial],
        switches=lowered.switch_values,
        first=first,
        max_states=max_states,
        max_seconds=max_seconds,
        max_memory=max_memory,
    )
    return _Report(system, lowered, found, first).result(started)


class _Report:
    """Turns numbers of states and instances into verdicts and traces."""

    def __init__(self, system: System[Any], lowered: Lowered, found: Found, first: bool) -> None:
        self.system = system
        self.lowered = lowered
        self.found = found
        self.instances = instances(system)
        self.occurrences = dict(self._occurrences())
        if first:
            self._keep_first_violation()

    def result(self, started: float) -> Result:
        program, found = self.lowered.program, self.found
        for number, where in found.unclear:
            prop = None if number < 0 else self.lowered.properties[number]
            refuse_unclear(self.system, self._run_to(where), prop)
        counts = {
            info.name: ActionCount(enabled, taken)
            for info, enabled, taken in zip(
                program.actions, found.enabled, found.taken, strict=True
            )
        }
        never = [f"action {name} is never enabled" for name, c in counts.items() if not c.enabled]
        used_up = (n for n, count in zip(program.cut_names, found.cuts, strict=True) if count)
        incomplete = sorted(f"{name} used up" for name in used_up)
        if found.stopped is not None:
            incomplete.append(found.stopped)
        runs = {name: self._run_to(where) for name, where in self.occurrences.items()}
        return Result(
            system=self.system.name,
            scope=dict(self.system.scope),
            design=changed_switches(self.system),
            engine=ENGINE,
            complete=found.complete,
            states=found.states,
            transitions=found.transitions,
            depth=found.depth,
            properties=tuple(verdicts(self.system, self.lowered, runs, found.complete)),
            actions=counts,
            incomplete=tuple(incomplete),
            warnings=tuple(never) if found.complete else (),
            seconds=time.perf_counter() - started,
        )

    def _occurrences(self) -> Iterator[tuple[str, Occurrence]]:
        """What was found, by name: properties and failures as they occur, and deadlock."""
        program, found = self.lowered.program, self.found
        names = [*(p.name for p in self.lowered.properties), *program.failure_names]
        for name, where in zip(names, (*found.properties, *found.failures), strict=True):
            if where is not None:
                yield name, where
        if found.deadlock is not None:
            yield DEADLOCK, Occurrence(found.deadlock)

    def _keep_first_violation(self) -> None:
        """The last expansion may have shown several violations; what counts is the first."""
        wanted = {p.name for p in self.lowered.properties if p.kind == "reachable"}
        violations = [name for name in self.occurrences if name not in wanted]
        for name in sorted(violations, key=self._when)[1:]:
            del self.occurrences[name]

    def _when(self, name: str) -> tuple[int, int, int]:
        """Orders occurrences as one meets them who takes the steps one by one."""
        where = self.occurrences[name]
        if where.instance is not None:
            # In a step: soft panics, what ends it, what is wrong with the state after it, step properties.
            declared = any(p.name == name for p in self.lowered.properties)
            rank = 3 if declared else 0 if name.startswith("soft_panic:") else 1
            return where.state, where.instance, rank
        if name == DEADLOCK:
            return where.state, len(self.instances), 0
        if where.state < self.found.initial:
            return -1, where.state, 2
        return int(self.found.parent[where.state]), int(self.found.via[where.state]), 2

    def _run_to(self, where: Occurrence) -> Run:
        """The run to an occurrence, its own step included."""
        initial, path = self.found.path(where.state)
        if where.instance is not None:
            path.append(where.instance)
        return Run(self.lowered.initial[initial][0], [self.instances[i] for i in path])
