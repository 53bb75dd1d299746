"""Fuzzing: random runs of a system from a seed, until each property has failed or the runs are used up.

What is found is minimised by Hypothesis and then left out of what is judged, so that it does not hide what else there is: the next
runs go on past it.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, settings
from hypothesis.errors import Flaky, HypothesisWarning
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from explorer.lang.errors import ModelError
from explorer.lang.properties import Property
from explorer.lang.run import actions_of
from explorer.lang.system import System
from explorer.result import ActionCount, Kind, NotEvaluated, PropertyResult, Result
from explorer.stateful.course import Course, Ground
from explorer.stateful.judge import Judge, judge
from explorer.stateful.machine import watched_machine
from explorer.stateful.tally import Tally
from explorer.stateful.violated import Failing, PropertyViolated
from explorer.trace.replay import changed_switches
from explorer.trace.trace import Trace

ENGINE = "stateful"


@dataclass(frozen=True)
class Glimpse:
    """How far it is: the runs and their steps, and what is being shrunk to how many steps, if anything is."""

    runs: int
    steps: int
    shrinking: str | None = None
    length: int = 0


@dataclass(frozen=True)
class Fuzzed:
    """What random runs found. ``degenerate`` is why they say little, if they do."""

    result: Result
    tally: Tally
    seed: int
    max_examples: int
    max_steps: int
    degenerate: str | None
    shrunk: bool


BATCH = 10
"""So many runs are made by one call of Hypothesis. After ten it begins to vary each run five times, in a step or two: five runs in six
would be nearly the same as another one."""

PATIENCE = 400
"""Shrinking ends when so many runs in a row were no shorter: Hypothesis would go on with what it has not tried."""


class Stopped(BaseException):
    """Ends the work. Not an Exception: Hypothesis would take that for a failure of the model."""


@dataclass
class _Round:
    """Runs until one fails, and those that shrinking tries after that."""

    ground: Ground
    tally: Tally
    max_steps: int
    stop: Callable[[], str | None]
    watch: Callable[[Glimpse], None]
    patience: int
    best: Failing | None = None
    why: str | None = None
    mistake: ModelError | None = None
    # Runs since the last one that was better.
    vain: int = 0

    def begins(self, course: Course) -> None:
        self._pause()
        self.vain += 1
        if self.best is not None and self.vain > self.patience:
            raise Stopped

    def goes_on(self, course: Course, number: int) -> None:
        self._pause()

    def ends(self, course: Course, failing: Failing | None) -> None:
        if self.best is None:
            self.tally.add(self.ground, course, failing, self.max_steps)
        if failing is not None and (self.best is None or failing.size < self.best.size):
            self.best, self.vain = failing, 0
        found = (self.best.name, len(self.best.numbers)) if self.best else (None, 0)
        self.watch(Glimpse(self.tally.runs, self.tally.steps, *found))

    def mistaken(self, error: ModelError) -> None:
        if self.best is None:
            # It says where it is; a shorter run would not say more.
            self.mistake = error
            raise Stopped

    def _pause(self) -> None:
        self.why = self.stop()
        if self.why is not None:
            raise Stopped


def fuzz(
    system: System[Any],
    properties: Iterable[str | Property] | None = None,
    *,
    ignore: Iterable[str] = (),
    seed: int = 0,
    max_examples: int = 1000,
    max_steps: int = 50,
    first: bool = False,
    stop: Callable[[], str | None] = lambda: None,
    watch: Callable[[Glimpse], None] = lambda glimpse: None,
    patience: int = PATIENCE,
) -> Fuzzed:
    """Runs ``system`` at random, up to ``max_examples`` times, and shrinks what fails.

    ``first`` stops at the first violation; ``stop`` ends the work when it returns a reason, and what was found until then is kept. What is
    not found is ``unknown``: random runs prove nothing. Shrinking ends when ``patience`` runs in a row were no shorter.

    Raises ModelError as ``machine`` does, and NotEvaluated, with the result so far, where the model has a mistake that only running it
    shows.
    """
    asked = judge(system, properties, ignore)
    tally, shrunk = Tally(), True
    started = time.perf_counter()
    found: dict[str, tuple[Failing, Trace]] = {}
    why: str | None = None
    mistake: ModelError | None = None
    round = 0
    while tally.runs < max_examples and why is None and mistake is None:
        known = asked.ignored | set(found)
        judged = judge(system, [p for p in asked.declared if p.name not in found], known)
        here = _Round(Ground(system, judged), tally, max_steps, stop, watch, patience)
        before = tally.runs
        try:
            _run(system, here, f"{seed}/{round}", max_examples)
        except Stopped:
            why, mistake = here.why, here.mistake
        except ModelError as error:
            mistake = error
        except Flaky:
            # Hypothesis notices that a run which is stopped has drawn less than one that began alike.
            why, mistake = here.why, here.mistake
            if why is None and mistake is None and here.vain <= patience:
                mistake = _unsteady(system)
        if here.best is not None:
            shrunk = shrunk and why is None
            try:
                found[here.best.name] = here.best, here.best.trace(system)
                mistake = None
            except ModelError as error:
                mistake = error
        if here.best is None or first or tally.runs == before:
            break
        round += 1
    incomplete = [f"{name} used up" for name in sorted(tally.used_up)]
    incomplete += [] if why is None else [why]
    result = Result(
        system=system.name,
        scope=dict(system.scope),
        design=changed_switches(system),
        engine=ENGINE,
        complete=False,
        states=len(tally.states),
        transitions=tally.steps,
        depth=max(tally.lengths, default=0),
        properties=_verdicts(asked, {name: trace for name, (_, trace) in found.items()}),
        actions={
            a.name: ActionCount(tally.enabled[a.name], tally.taken[a.name])
            for a in actions_of(system)
        },
        incomplete=tuple(incomplete),
        warnings=_warnings(system, tally),
        seconds=time.perf_counter() - started,
    )
    if mistake is not None:
        raise NotEvaluated(mistake, result) from mistake
    degenerate = tally.degenerate(max_steps)
    return Fuzzed(result, tally, seed, max_examples, max_steps, degenerate, shrunk)


def _run(system: System[Any], here: _Round, seed: str, most: int) -> None:
    """Has Hypothesis make runs, up to ``most`` with those that are counted already, or until one fails."""
    machine = watched_machine(system, here.ground, here.max_steps, here)
    number = 0
    while here.tally.runs < most and here.best is None:
        before = here.tally.runs
        number += 1
        hypothesis.seed(f"{seed}/{number}")(machine)
        _batch(machine, here.max_steps, min(BATCH, most - before))
        if here.tally.runs == before:
            break


def _batch(machine: type[RuleBasedStateMachine], max_steps: int, runs: int) -> None:
    chosen = settings(
        max_examples=runs,
        stateful_step_count=max_steps + 1,
        database=None,
        deadline=None,
        derandomize=False,
        phases=[Phase.generate, Phase.shrink],
        print_blob=False,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HypothesisWarning)
        try:
            run_state_machine_as_test(machine, settings=chosen)
        except PropertyViolated:
            # It was noted when it happened.
            pass


def _unsteady(system: System[Any]) -> ModelError:
    return ModelError(
        f"{system.name} does not do the same when it is run twice",
        hint="a model depends on its state and its parameters, and on nothing else",
    )


def _verdicts(asked: Judge, traces: dict[str, Trace]) -> tuple[PropertyResult, ...]:
    """Declared properties in order, failures by name, deadlock."""

    def verdict(name: str, kind: Kind) -> PropertyResult:
        trace = traces.get(name)
        if trace is None:
            return PropertyResult(name, kind, "unknown")
        return PropertyResult(name, kind, "violated", trace.length, trace)

    declared = [verdict(p.name, p.kind) for p in asked.declared]
    names = {p.name for p in asked.declared} | {"deadlock"}
    failures = [verdict(name, "failure") for name in sorted(set(traces) - names)]
    last = [verdict("deadlock", "deadlock")] if asked.counts("deadlock") else []
    return (*declared, *failures, *last)


def _warnings(system: System[Any], tally: Tally) -> tuple[str, ...]:
    """Actions that no run met enabled."""
    if not tally.runs:
        return ()
    names = [a.name for a in actions_of(system)]
    return tuple(
        f"action {name} is not enabled in any state that was met"
        for name in names
        if not tally.enabled[name]
    )
