"""Replaying a trace file: the same run under CPython, state by state, in its own design or in another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from explorer.lang.errors import ModelError
from explorer.lang.properties import Property
from explorer.lang.run import (
    Blocked,
    Cut,
    Failed,
    Instance,
    Next,
    Outcome,
    evaluate,
    init_params,
    initial_states,
    key,
    step,
)
from explorer.lang.system import System
from explorer.lang.temporal import temporal_instances
from explorer.lang.text import Json, to_json
from explorer.trace.blame import Blame
from explorer.trace.digest import digest
from explorer.trace.lasso import Lasso, declared_fair
from explorer.trace.observe import why_blocked
from explorer.trace.render import differences
from explorer.trace.replay import (
    Played,
    ReplayMismatch,
    confirm,
    find_property,
    kind_of,
    reason,
    record,
    thread_of,
)
from explorer.trace.script import find_action, parse_arguments
from explorer.trace.trace import Trace

# Rounds that a cycle may take to come back to where it has begun, in another design.
_MOST_ROUNDS = 1_000
_ENDLESS = f"does not come back to where its cycle begins in {_MOST_ROUNDS:,} rounds"


@dataclass(frozen=True)
class Difference:
    """Where a run first departs from the recorded one (step 0: the initial state), and why, line by line."""

    step: int
    what: str
    details: tuple[str, ...] = ()


@dataclass(frozen=True)
class Replayed:
    """A trace run again.

    ``now`` is the run as far as it went, None if there is no such initial state. ``difference`` is the first one. ``confirmed``
    says whether the property still fails (or is reached) at the end; it is False for a run that ends early. ``stopped``
    is the step that cannot be taken, or that fails too early. ``earlier`` is the step at which it fails before the end, ``other`` another failure in which the run ends.
    ``problem`` is why a run that goes on for ever is no counterexample any more; ``open`` says that it may still be one.
    """

    recorded: Trace
    now: Trace | None
    same_source: bool
    difference: Difference | None
    possible: bool
    confirmed: bool
    blame: Blame | None = None
    stopped: Difference | None = None
    earlier: int | None = None
    other: str | None = None
    problem: str | None = None
    open: bool = False


def replay(trace: Trace, system: System[Any]) -> Replayed:
    """Runs ``trace`` in ``system``, which may be of another design.

    Raises ModelError if the property does not exist or the model cannot be run.
    """
    same = trace.digest == digest(type(system))
    declared = find_property(system, trace.property_name)
    if (declared is None) != (trace.kind in ("failure", "deadlock")):
        raise ModelError(
            f"{system.name} has no property {trace.property_name}",
            hint="the trace was recorded with another version of the properties",
        )
    if trace.kind != kind_of(trace.property_name, declared):
        raise ModelError(
            f"the trace calls {trace.property_name} {trace.kind}, and it is {kind_of(trace.property_name, declared)}",
            hint="the trace was edited, or recorded with another version of the properties",
        )
    run = _Run(system, trace)
    try:
        init, state = run.start()
    except ModelError as error:
        return Replayed(trace, None, same, Difference(0, error.message, _hint(error)), False, False)
    run.compare(0, to_json(state), trace.initial)
    possible = run.steps(state)
    confirmed, message, lasso, problem, loop = False, None, None, None, trace.loop
    whole_run = possible and declared is not None and declared.kind == "temporal"
    if whole_run and loop is not None:
        loop, problem = run.round(loop)
    played = Played(init, tuple(run.states), tuple(run.taken), tuple(run.outcomes))
    if whole_run:
        assert declared is not None
        lasso = _lasso(system, trace, loop, played, declared)
        problem = problem or lasso.problem()
        confirmed = problem is None
    elif possible:
        try:
            message = confirm(system, played, trace.property_name, declared)
            confirmed = True
        except ReplayMismatch:
            pass
    now = record(system, played, trace.property_name, trace.kind, message)
    if lasso is not None:
        explanation = lasso.explanation() if confirmed else ()
        now = replace(now, loop=loop, instance=trace.instance, explanation=explanation)
    return Replayed(
        recorded=trace,
        now=now,
        same_source=same,
        difference=run.difference,
        possible=possible,
        confirmed=confirmed,
        blame=reason(system, played, declared) if confirmed and lasso is None else None,
        stopped=run.stopped,
        earlier=None if confirmed else _earlier(system, played, trace.property_name, declared),
        other=_other_end(played, trace.property_name),
        problem=problem,
        open=problem == _ENDLESS,
    )


def _lasso(
    system: System[Any], trace: Trace, loop: int | None, played: Played, declared: Property
) -> Lasso:
    """The run as one that goes on for ever."""
    if loop is None:
        raise ModelError(
            f"the trace does not say to which step its run returns, and {declared.name} is about whole runs",
            hint='a trace of a temporal property has "loop"',
        )
    stated = next(
        (s for s in temporal_instances(system, declared) if s.text == (trace.instance or "")), None
    )
    if stated is None:
        raise ModelError(
            f"{declared.name} is not checked for {trace.instance or 'the whole system'}",
            hint="the trace was recorded with another version of the properties",
        )
    return Lasso(system, played, loop, stated, declared_fair(system, declared))


def _earlier(
    system: System[Any], played: Played, name: str, declared: Property | None
) -> int | None:
    """The first step of a run after which a property is found violated."""
    if declared is None:
        for number, outcome in enumerate(played.outcomes, 1):
            failed = isinstance(outcome, Failed) and outcome.name == name
            if failed or name in getattr(outcome, "soft", ()):
                return number
        return None
    if declared.kind == "step_invariant":
        pairs = zip(played.states, played.states[1:], strict=False)
        wrong = (i for i, s in enumerate(pairs, 1) if not evaluate(system, declared, *s))
    elif declared.kind == "invariant":
        wrong = (i for i, s in enumerate(played.states) if not evaluate(system, declared, s))
    else:
        return None
    return next(wrong, None)


def _other_end(played: Played, name: str) -> str | None:
    last = played.outcomes[-1] if played.outcomes else None
    return last.name if isinstance(last, Failed) and last.name != name else None


def _hint(error: ModelError) -> tuple[str, ...]:
    return (error.hint,) if error.hint else ()


class _Run:
    """The run so far, and where it first differs."""

    def __init__(self, system: System[Any], trace: Trace) -> None:
        self.system = system
        self.trace = trace
        self.states: list[Any] = []
        self.taken: list[Instance] = []
        self.outcomes: list[Outcome] = []
        self.difference: Difference | None = None
        self.stopped: Difference | None = None

    def differ(self, number: int, what: str, details: Sequence[str] = ()) -> None:
        if self.difference is None:
            self.difference = Difference(number, what, tuple(details))

    def stop(self, number: int, what: str, details: Sequence[str] = ()) -> bool:
        self.differ(number, what, details)
        self.stopped = Difference(number, what, tuple(details))
        return False

    def start(self) -> tuple[tuple[object, ...], Any]:
        params = init_params(self.system)
        init = parse_arguments("init", params, self.trace.init, self.system)
        for values, state in initial_states(self.system):
            if tuple(values) == init:
                self.states.append(state)
                return init, state
        raise ModelError("there is no such initial state: a require of init fails")

    def compare(self, number: int, now: Json, recorded: Json) -> None:
        places = differences(recorded, now)
        if places:
            details = [f"{path}: {old} recorded, {new} now" for path, old, new in places]
            self.differ(number, "the state differs", details)

    def steps(self, state: Any) -> bool:
        """Takes every step; False if one is not possible."""
        for number, recorded in enumerate(self.trace.steps, 1):
            last = number == self.trace.length
            try:
                action = find_action(self.system, recorded.action)
                values = parse_arguments(action.name, action.params, recorded.params, self.system)
            except ModelError as error:
                return self.stop(number, error.message, _hint(error))
            instance = Instance(action, values)
            thread = thread_of(instance)
            if thread != recorded.thread:
                self.differ(
                    number,
                    f"{recorded.thread or 'no thread'} took the step, and {thread or 'none'} takes it now",
                )
            outcome = step(self.system, self.states[-1], instance)
            if isinstance(outcome, Blocked):
                return self.stop(number, "the step is disabled", [f"at {why_blocked(outcome)}"])
            self.taken.append(instance)
            self.outcomes.append(outcome)
            if isinstance(outcome, Next):
                self.states.append(outcome.state)
                if recorded.state is None:
                    self.differ(number, "the step does not fail now")
                else:
                    self.compare(number, to_json(outcome.state), recorded.state)
            else:
                if recorded.state is not None or isinstance(outcome, Cut):
                    self.differ(number, _ending(outcome))
                if not last:
                    return self.stop(number, _ending(outcome))
        return True

    def round(self, loop: int) -> tuple[int, str | None]:
        """Repeats the steps of the cycle until it comes back to where it has begun once.

        In another design that may take more than one round. Returns where the cycle begins, and why the run is none, as
        the end of a sentence about it.
        """
        cycle = self.taken[loop:]
        begun = {key(self.states[loop]): loop}
        for rounds in range(1, _MOST_ROUNDS + 1):
            if len(self.states) <= len(self.taken):
                return loop, None  # a step has failed, which is another matter
            again = begun.setdefault(key(self.states[-1]), len(self.taken))
            if again < len(self.taken) or not cycle:
                if again != loop or rounds > 1:
                    end = len(self.trace.steps)
                    self.differ(end, f"the cycle comes back only in round {rounds}")
                return again, None
            for instance in cycle:
                outcome = step(self.system, self.states[-1], instance)
                if not isinstance(outcome, Next):
                    return loop, (
                        f"cannot go round its cycle for ever: {instance.text} is disabled in round {rounds + 1}"
                        if isinstance(outcome, Blocked)
                        else f"cannot go round its cycle for ever: in round {rounds + 1} {_ending(outcome)}"
                    )
                self.taken.append(instance)
                self.outcomes.append(outcome)
                self.states.append(outcome.state)
        return loop, _ENDLESS


def _ending(outcome: Failed | Cut) -> str:
    if isinstance(outcome, Cut):
        return f"the step uses up {outcome.name}: the scope is too small for it"
    return f"the step fails: {outcome.name}" + (f" ({outcome.message})" if outcome.message else "")
