"""Checks a system exhaustively: lower, compile, search, and report what was found with replayed traces."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from explorer.compiler.lower import Lowered, lower
from explorer.compiler.native import Native, compile_program
from explorer.interrupts import patiently
from explorer.lang.properties import Property
from explorer.lang.run import instances
from explorer.lang.system import System
from explorer.result import ActionCount, Result
from explorer.search.explore import search
from explorer.search.found import Found, InternalError, Occurrence
from explorer.search.probe import Probe, probe
from explorer.search.report import DEADLOCK, FINAL, Run, refuse_unclear, shows, verdicts
from explorer.search.symmetry import Symmetry, symmetry_of
from explorer.search.unfold import Unfolder
from explorer.trace.replay import changed_switches, play

ENGINE = "exhaustive"


def check(
    system: System[Any],
    properties: Sequence[Property] | None = None,
    *,
    first: bool = False,
    max_states: int | None = None,
    max_seconds: float | None = None,
    max_memory: int | None = None,
    reductions: bool = False,
) -> Result:
    """Visit every reachable state of ``system`` and decide ``properties`` (default: all that apply to it).

    With ``reductions`` one state stands for all that differ from it by the names of sorts, where that pays (see ``probe``);
    verdicts and lengths are the same. ``first`` stops at the first violation; the limits (states stored, seconds, bytes) and an interrupt stop the search as
    well. What is undecided then is ``unknown``.

    Raises
    ------
    ModelError
        The model is outside the language, too large in this scope, or a property cannot be evaluated in a
        reachable state.
    """
    started = time.perf_counter()
    lowered = lower(system, properties)
    native = patiently(compile_program, lowered.program)
    initial = [leaves for _, leaves in lowered.initial]
    orbits = _orbits(system, lowered, native) if reductions else None

    def searched(symmetry: Symmetry | None) -> Found:
        return search(
            native,
            initial,
            switches=lowered.switch_values,
            symmetry=symmetry,
            first=first,
            max_states=max_states,
            max_seconds=max_seconds,
            max_memory=max_memory,
        )

    found = searched(None if orbits is None else orbits.symmetry)
    if orbits is not None and orbits.symmetry.gave_up:
        orbits, found = None, searched(None)
    return _Report(system, lowered, found, first, orbits).result(started)


@dataclass(frozen=True)
class _Orbits:
    """A symmetry that is used, what made it worth it, and how to get from orbits back to states."""

    symmetry: Symmetry
    sample: Probe
    unfolder: Unfolder


def _orbits(system: System[Any], lowered: Lowered, native: Native) -> _Orbits | None:
    symmetry = symmetry_of(system, native.packing)
    if symmetry is None:
        return None
    initial = [leaves for _, leaves in lowered.initial]
    sample = probe(native, initial, lowered.switch_values, symmetry)
    if not sample.pays:
        return None
    return _Orbits(symmetry, sample, Unfolder(native, lowered.switch_values, symmetry))


class _Report:
    """Turns numbers of states and instances into verdicts and traces."""

    def __init__(
        self,
        system: System[Any],
        lowered: Lowered,
        found: Found,
        first: bool,
        orbits: _Orbits | None,
    ) -> None:
        self.system = system
        self.orbits = orbits
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
            name = FINAL if prop is None else prop.name
            refuse_unclear(self.system, self._run_to(name, where), prop)
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
        runs = {name: self._run_to(name, where) for name, where in self.occurrences.items()}
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
            reductions=() if self.orbits is None else ("symmetry",),
            notes=() if self.orbits is None else (self._about(self.orbits),),
            seconds=time.perf_counter() - started,
        )

    @staticmethod
    def _about(orbits: _Orbits) -> str:
        """What the reduction brings."""
        sorts = " and ".join(orbits.symmetry.sorts)
        return (
            f"symmetry of {sorts}: in a sample {orbits.sample.factor:.1f} states fall into one orbit; "
            "--no-reductions explores them all"
        )

    def _unfolded(self, orbits: _Orbits, name: str, where: Occurrence) -> tuple[int, list[int]]:
        """A run to an occurrence that was found in another state of its orbit: there another instance shows it."""
        lowered = self.lowered
        initial = [leaves for _, leaves in lowered.initial]
        number, path, _ = orbits.unfolder.run(self.found, initial, where.state)
        if where.instance is None:
            return number, path
        state = play(
            self.system, lowered.initial[number][0], [self.instances[i] for i in path]
        ).states[-1]
        action = self.instances[where.instance].action
        prop = next((p for p in lowered.properties if p.name == name), None)
        for i, instance in enumerate(self.instances):
            if instance.action is action and shows(self.system, state, instance, name, prop):
                return number, [*path, i]
        raise InternalError(f"{name} is found in one state of an orbit and not in another")

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
        return *self.found.origin(where.state), 2

    def _run_to(self, name: str, where: Occurrence) -> Run:
        """The run to an occurrence, its own step included."""
        if self.orbits is None:
            initial, path = self.found.path(where.state)
            if where.instance is not None:
                path.append(where.instance)
        else:
            initial, path = self._unfolded(self.orbits, name, where)
        return Run(self.lowered.initial[initial][0], [self.instances[i] for i in path])
