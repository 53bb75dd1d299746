"""All that is to be said about a trace, put together."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from explorer import interrupts
from explorer.compiler.lower import Lowered, lower
from explorer.compiler.native import compile_program
from explorer.explain.causes import Slice, causes
from explorer.explain.fate import Fates, Turn, Undecided
from explorer.explain.marks import Unclear
from explorer.explain.rerun import Rerun, rerun
from explorer.explain.threads import Held, Moment, held, moment
from explorer.explain.words import Words
from explorer.interrupts import patiently
from explorer.lang.errors import ModelError
from explorer.lang.run import Next, evaluate, step
from explorer.lang.system import System
from explorer.result import OUT_OF_MEMORY
from explorer.search.explore import SECONDS, search, short_of_memory
from explorer.trace.lasso import Lasso
from explorer.trace.replay import Played, ReplayMismatch
from explorer.trace.trace import Trace

MOST_STATES = 1_000_000
MOST_SECONDS = 60.0


@dataclass(frozen=True)
class Fate:
    """The point of no return, under the assumptions that were asked for, in order.

    ``undecided`` is why the last of them has no answer, ``between`` which steps it may be (0: the initial state); ``states`` is how many states the answers rest on, ``complete`` whether these are all.
    """

    turns: tuple[Turn, ...]
    undecided: str | None
    states: int
    complete: bool
    between: tuple[int, int] | None = None


@dataclass(frozen=True)
class Explanation:
    """Why a run is a counterexample (or how it comes to its witness).

    ``fate`` is None for a witness. ``slice`` is None where the model cannot be compiled; ``uncompiled`` says why. ``moment`` is who was about
    to do what, ``held`` what keeps the fair steps that a cycle does not take from being taken.
    """

    rerun: Rerun
    fate: Fate | None
    slice: Slice | None
    moment: Moment | None
    words: Words
    held: tuple[Held, ...] = ()
    uncompiled: str | None = None

    @property
    def complete(self) -> bool:
        """Whether every question was answered."""
        return self.uncompiled is None and (self.fate is None or self.fate.undecided is None)


def explain(
    trace: Trace,
    system: System[Any],
    *,
    max_states: int = MOST_STATES,
    max_seconds: float = MOST_SECONDS,
    progress: Callable[[str], None] = lambda what: None,
) -> Explanation:
    """Explains a trace of ``system``, which is in the design of the trace.

    The limits are for the point of no return; over them it is left open.

    Raises
    ------
    ModelError
        The run is not the one that is recorded any more.
    """
    progress("replaying")
    run = rerun(trace, system)
    words = Words(system)
    progress("looking at the threads")
    now, kept = moment(run), held(run)
    try:
        progress("compiling")
        lowered = lower(system, () if run.declared is None else (run.declared,))
    except ModelError as error:
        return Explanation(run, None, None, now, words, kept, error.message)
    progress("looking for causes")
    found = causes(run, lowered)
    fate = None
    if run.trace.kind != "reachable":
        progress("looking for the point of no return")
        fate = _fate(run, lowered, max_states, max_seconds)
    return Explanation(run, fate, found, now, words, kept)


def _fate(run: Rerun, lowered: Lowered, max_states: int, max_seconds: float) -> Fate:
    turns: list[Turn] = []
    states, complete = 0, False
    why: str | None
    between: tuple[int, int] | None = None
    started = time.monotonic()

    def pause(done: int, of: int) -> None:
        stop = interrupts.requested()
        if stop is None and time.monotonic() - started > max_seconds:
            stop = SECONDS
        stop = stop or short_of_memory(None)
        if stop is not None:
            raise Undecided(stop)

    try:
        if _stops_anywhere(run):
            turns.append(Turn("declared", len(run.played.taken) - 1))
        native = patiently(compile_program, lowered.program)
        with run.system:
            rows = [lowered.flatten(s) for s in run.played.states]
        found = search(
            native,
            rows,
            switches=lowered.switch_values,
            max_states=max_states,
            max_seconds=max_seconds,
        )
        states, complete = found.states, found.complete
        fates = Fates(run, lowered, found, pause)
        if not turns:
            turns.append(_confirmed(run, fates.turn("declared")))
        # Of a temporal property the declared fairness is part.
        if run.stated is None and turns[0].last == len(run.played.taken) - 1:
            turns.append(_confirmed(run, fates.turn("no thread stops")))
        why = None
    except Undecided as problem:
        why, between = str(problem), problem.between
    except Unclear:
        why = "the property cannot be evaluated in a state that the search found"
    except ModelError as error:
        why = error.message
    except MemoryError:
        why = OUT_OF_MEMORY
    except KeyboardInterrupt:
        interrupts.hold()
        why = interrupts.requested() or interrupts.INTERRUPTED
    return Fate(tuple(turns), why, states, complete, between)


def _stops_anywhere(run: Rerun) -> bool:
    """Whether nothing is declared fair, so that a run may stop in any state and violate nothing more."""
    return run.stated is None and bool(run.length) and not type(run.system).fairness


def _confirmed(run: Rerun, turn: Turn) -> Turn:
    """The way out, taken under CPython.

    Raises
    ------
    ReplayMismatch
        It is none: a mistake of the checker.
    """
    escape = turn.escape
    if escape is None:
        return turn
    system, played = run.system, run.played
    states = list(played.states[: turn.last + 1])
    outcomes = list(played.outcomes[: turn.last])
    for number, instance in enumerate(escape.steps, turn.last + 1):
        outcome = step(system, states[-1], instance)
        outcomes.append(outcome)
        if not isinstance(outcome, Next):
            raise ReplayMismatch(f"{system.name}: step {number} of a way out has no successor")
        states.append(outcome.state)
        if not _is_fine(run, outcome, states):
            raise ReplayMismatch(f"{system.name}: step {number} of a way out violates the property")
    if run.stated is not None:
        taken = (*played.taken[: turn.last], *escape.steps)
        way = Played(played.init, tuple(states), taken, tuple(outcomes))
        lasso = Lasso(system, way, turn.last + escape.loop, run.stated, run.fair)
        if lasso.problem() != "satisfies the property":
            raise ReplayMismatch(f"{system.name}: a way out is none: it {lasso.problem()}")
    return turn


def _is_fine(run: Rerun, outcome: Next, states: list[Any]) -> bool:
    declared = run.declared
    if declared is None:
        return run.trace.property_name not in outcome.soft
    if declared.kind == "step_invariant":
        return evaluate(run.system, declared, *states[-2:])
    return declared.kind != "invariant" or evaluate(run.system, declared, states[-1])
