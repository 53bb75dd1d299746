"""Checks a system exhaustively: lower, compile, search, and report what was found with replayed traces."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from explorer import interrupts
from explorer.compiler.lower import Lowered, lower
from explorer.compiler.native import Native, compile_program
from explorer.interrupts import patiently
from explorer.lang.errors import ModelError
from explorer.lang.properties import Property
from explorer.lang.run import instances
from explorer.lang.system import System
from explorer.result import IDLE, NOT_CALM, OUT_OF_MEMORY, ActionCount, NotEvaluated, Result
from explorer.search.calm import Calm, GaveUp, Target, calmest
from explorer.search.explore import FIRST, NO_SYMMETRY, SECONDS, STATES, search, short_of_memory
from explorer.search.found import Found, InternalError, Occurrence
from explorer.search.probe import Probe, probe
from explorer.search.progress import EVERY
from explorer.search.report import DEADLOCK, FINAL, Run, refuse_unclear, shows, verdicts
from explorer.search.symmetry import Symmetry, symmetry_of
from explorer.search.threads import threads_of
from explorer.search.unfold import Unfolder
from explorer.search.watch import Part, watcher
from explorer.trace.render import steps
from explorer.trace.replay import changed_switches, play

if TYPE_CHECKING:
    from explorer.liveness.check import Temporals

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
    searching = time.monotonic()

    def left() -> float | None:
        return None if max_seconds is None else max_seconds - (time.monotonic() - searching)

    def searched(symmetry: Symmetry | None) -> Found:
        return search(
            native,
            initial,
            switches=lowered.switch_values,
            symmetry=symmetry,
            first=first,
            max_states=max_states,
            max_seconds=left(),
            max_memory=max_memory,
        )

    def reported(orbits: _Orbits | None) -> _Report:
        found = searched(None if orbits is None else orbits.symmetry)
        pause = _Pause(left, max_memory, found.stopped)
        return _Report(system, lowered, found, first, orbits, pause)

    if lowered.temporal:
        notes = (_NO_SYMMETRY,) if reductions and symmetry_of(system, native.packing) else ()
        return reported(None).result(started, notes=notes)
    orbits = _orbits(system, lowered, native, left()) if reductions else None
    if orbits is None or not orbits.sample.pays:
        return reported(None).result(started, notes=() if orbits is None else orbits.unused())
    orbits.symmetry.begin(orbits.sample.allowed)
    report = reported(orbits)
    if not orbits.symmetry.gave_up:
        return report.result(started, notes=(orbits.used(),))
    # What is still to be canonical, to find runs, was so before.
    orbits.symmetry.begin()
    runs, states = report.first_runs(), report.found.states
    del report
    return reported(None).result(started, runs, (orbits.given_up(states),))


_NO_SYMMETRY = "symmetry is not used: a temporal property may tell like names apart along a run"


@dataclass
class _Pause:
    """Ends the work after a search for the reasons for which a search ends, and says how far it is.

    What a search found until it came to its limit of states is still looked at; after any other reason there is no time, or
    memory, to.
    """

    left: Callable[[], float | None]
    max_memory: int | None
    stopped: str | None
    said: float = 0.0

    def __call__(self, done: int, of: int) -> None:
        """Called while temporal properties are decided."""
        from explorer.liveness.check import Stopped

        self._say("looking at whole runs", done, of)
        why = FIRST if self.stopped == FIRST else self.why()
        if why is not None:
            raise Stopped(why)

    def calm(self, done: int, of: int) -> None:
        """Called while the calmest runs are looked for."""
        self._say("looking for the calmest runs", done, of)
        why = self.why()
        if why is not None:
            raise _Stopped(why)

    def why(self) -> str | None:
        """Why to end now, if there is a reason."""
        why = interrupts.requested()
        if why is None and self.stopped not in (None, STATES, FIRST):
            why = self.stopped
        seconds = self.left()
        if why is None and seconds is not None and seconds < 0:
            why = SECONDS
        return short_of_memory(self.max_memory) if why is None else why

    def _say(self, what: str, done: int, of: int) -> None:
        watch, now = watcher(), time.monotonic()
        if watch is not None and now - self.said > EVERY:
            self.said = now
            watch(Part(what, done, of))


class _Stopped(Exception):
    """The work is to end; what it says is why."""


@dataclass(frozen=True)
class _Orbits:
    """A symmetry, what a sample says about it, and how to get from orbits back to states."""

    symmetry: Symmetry
    sample: Probe
    unfolder: Unfolder

    @property
    def _gain(self) -> str:
        """What the reduction brings, and what it costs."""
        sorts, sample = " and ".join(self.symmetry.sorts), self.sample
        return (
            f"symmetry of {sorts}: in a sample {sample.factor:.1f} states fall into one orbit, "
            f"found in {sample.seconds * 1e6:.1f} us"
        )

    def used(self) -> str:
        """About a reduction that is used."""
        return f"{self._gain}; --no-reductions explores all"

    def unused(self) -> tuple[str, ...]:
        """About a reduction that would merge states, and is not used."""
        return (f"{self._gain}; that takes longer than to explore them",) * self.sample.merges

    def given_up(self, states: int) -> str:
        """About a reduction that was used for so many states."""
        return (
            f"{self._gain}; given up after {states:,} states: later, too many names look the same"
        )


def _orbits(
    system: System[Any], lowered: Lowered, native: Native, max_seconds: float | None
) -> _Orbits | None:
    symmetry = symmetry_of(system, native.packing)
    if symmetry is None:
        return None
    initial = [leaves for _, leaves in lowered.initial]
    sample = probe(native, initial, lowered.switch_values, symmetry, max_seconds)
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
        pause: _Pause,
    ) -> None:
        self.system = system
        self.pause = pause
        self.orbits = orbits
        self.lowered = lowered
        self.found = found
        self.instances = instances(system)
        self.occurrences = dict(self._occurrences())
        self.first = first
        if first:
            self._keep_first_violation()

    def first_runs(self) -> dict[str, Run]:
        """A shortest run to each violation and witness, by name: the first that the search met."""
        return {name: self._run_to(name, where) for name, where in self.occurrences.items()}

    def runs(self) -> tuple[dict[str, Run], str | None]:
        """The calmest run to each violation and witness, by name; or the first one, and why it is not the calmest."""
        if not self.occurrences:
            return {}, None
        try:
            return self._calm_runs(), None
        except _Stopped as stopped:
            why = str(stopped)
        except GaveUp:
            why = NO_SYMMETRY
        except MemoryError:
            why = OUT_OF_MEMORY
        except KeyboardInterrupt:
            interrupts.hold()
            why = interrupts.requested() or interrupts.INTERRUPTED
        return self.first_runs(), why

    def _calm_runs(self) -> dict[str, Run]:
        lowered = self.lowered
        symmetry = None if self.orbits is None else self.orbits.symmetry
        targets: dict[str, Target] = {
            p.name: ("property", i) for i, p in enumerate(lowered.properties)
        }
        targets |= {n: ("failure", i) for i, n in enumerate(lowered.program.failure_names)}
        targets[DEADLOCK] = "deadlock", 0
        runs = calmest(
            self.found,
            {targets[name]: where for name, where in self.occurrences.items()},
            [leaves for _, leaves in lowered.initial],
            lowered.switch_values,
            threads_of(self.instances, self.system.scope, symmetry),
            symmetry,
            self.pause.calm,
            witnesses=frozenset(
                targets[p.name] for p in lowered.properties if p.kind == "reachable"
            ),
        )
        return {name: self._calm_run(name, runs.get(targets[name])) for name in self.occurrences}

    def _calm_run(self, name: str, calm: Calm | None) -> Run:
        if calm is None:
            return self._run_to(name, self.occurrences[name])
        init = self.lowered.initial[calm.initial][0]
        return Run(init, [self.instances[i] for i in calm.steps])

    def result(
        self,
        started: float,
        earlier: Mapping[str, Run] = {},
        notes: tuple[str, ...] = (),
    ) -> Result:
        """What was found; ``earlier`` are runs that another search found, which may have come further."""
        program, found = self.lowered.program, self.found
        error = self._unclear()
        counts = {
            info.name: ActionCount(enabled, taken)
            for info, enabled, taken in zip(
                program.actions, found.enabled, found.taken, strict=True
            )
        }
        never = [f"action {name} is never enabled" for name, c in counts.items() if not c.enabled]
        used_up = (n for n, count in zip(program.cut_names, found.cuts, strict=True) if count)
        incomplete = sorted(f"{name} used up" for name in used_up)
        if error is not None:
            incomplete.append(error.message)
        elif found.stopped is not None:
            incomplete.append(found.stopped)
        runs, hurried = self.runs()
        if earlier.keys() - runs.keys():
            hurried = hurried or NO_SYMMETRY
        runs = {**earlier, **runs}
        if hurried is not None and any(len(run.taken) > 1 for run in runs.values()):
            notes += (f"{NOT_CALM}: {hurried}",)
        temporal = self._temporal() if error is None else None
        warnings = [*(never if found.complete else ()), *self._idle()]
        complete = found.complete
        properties = list(verdicts(self.system, self.lowered, runs, found.complete))
        if temporal is not None:
            # After the declared properties, before the failures.
            count = len(self.lowered.properties)
            properties[count:count] = temporal.properties
            warnings += temporal.warnings
            notes += temporal.notes
            error = temporal.error
            why = temporal.stopped if error is None else error.message
            if why is not None:
                complete = False
                incomplete += [why] * (why not in incomplete)
        result = Result(
            system=self.system.name,
            scope=dict(self.system.scope),
            design=changed_switches(self.system),
            engine=ENGINE,
            complete=complete,
            states=found.states,
            transitions=found.transitions,
            depth=found.depth,
            properties=tuple(properties),
            actions=counts,
            incomplete=tuple(incomplete),
            warnings=tuple(warnings),
            reductions=() if self.orbits is None else ("symmetry",),
            notes=notes,
            seconds=time.perf_counter() - started,
        )
        if error is not None:
            raise NotEvaluated(error, result)
        return result

    def _temporal(self) -> Temporals | None:
        """What holds of whole runs."""
        if not self.lowered.temporal:
            return None
        # Loops of their own, which most runs do not need.
        from explorer.liveness.check import check_temporal

        threads = threads_of(self.instances, self.system.scope).of
        found = replace(self.found, threads=threads)
        return check_temporal(self.system, self.lowered, found, self.pause, first=self.first)

    def _unclear(self) -> ModelError | None:
        """Why a property, or is_final, cannot be evaluated in a state that was found."""
        for number, where in self.found.unclear:
            prop = None if number < 0 else self.lowered.properties[number]
            name = FINAL if prop is None else prop.name
            try:
                refuse_unclear(self.system, self._run_to(name, where), prop)
            except ModelError as error:
                return error
        return None

    def _idle(self) -> Iterator[str]:
        if self.found.idle is not None:
            length = bisect_right(self.found.ends(self.found.idle), self.found.idle)
            yield f"after {steps(length)} {IDLE}"

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
