"""Shrinking from Python: a run and what it must go on to show, made smaller by replaying parts of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from explorer.lang.errors import ModelError
from explorer.lang.properties import Property
from explorer.lang.run import Instance
from explorer.lang.system import System
from explorer.shrink.delta import LEAST_STEPS, Reduced, reduce
from explorer.shrink.goals import Goal, Oracle, Says, goal_of
from explorer.shrink.run import Player, Run, parsed_steps, why_not


def shrink(
    system: System[Any],
    steps: Sequence[Instance | str],
    fails: Oracle,
    *,
    init: tuple[object, ...] | None = None,
    max_steps: int | None = None,
    stop: Callable[[], str | None] = lambda: None,
) -> Reduced:
    """The smallest run found of which ``fails`` is still true.

    Parts of the run are left out and the rest is replayed under CPython; what is disabled then is dropped, too. After that the steps are
    ordered for fewer thread switches, and names of sorts become the first of their kind. No engine is asked, so the run is
    the best found, and no single step of it can be left out; it need not be the shortest there is.

    Parameters
    ----------
    steps
        The run, in order: instances, or texts like ``"publish(id=GlobalId0, as_of=1)"``.
    fails
        A function of a ``Run`` that is True where it shows the fault, and depends on nothing else. An exception that it raises is passed on.
    init
        The values of init's parameters; None where there is one initial state only.
    max_steps
        How many steps may be executed; by default 300,000, or twenty times the run's length if that is more.
    stop
        Asked now and then; a text ends the work for that reason, and the best run so far is returned.

    Raises
    ------
    ModelError
        A step cannot be taken, ``fails`` is not True of the run as given, or it does not answer with a bool.
    """
    return _reduced(system, steps, Says(fails), init, max_steps, stop)


def shrink_steps(
    system: System[Any],
    instances: Sequence[Instance | str],
    property: Property | str,
    *,
    init: tuple[object, ...] | None = None,
    max_steps: int | None = None,
    stop: Callable[[], str | None] = lambda: None,
) -> Reduced:
    """``shrink`` for a property of the system: it fails (a reachable: is reached) at the end of the run, and not before.

    ``property`` is a declared one, its name, or that of a failure (``panic:...``, ``deadlock``). Raises ModelError as ``shrink`` does, and for a
    temporal property.
    """
    return _reduced(system, instances, goal_of(system, property), init, max_steps, stop)


def _reduced(
    system: System[Any],
    steps: Sequence[Instance | str],
    goal: Goal,
    init: tuple[object, ...] | None,
    max_steps: int | None,
    stop: Callable[[], str | None],
) -> Reduced:
    taken = _instances(system, steps)
    most = max(LEAST_STEPS, 20 * len(taken)) if max_steps is None else max_steps
    with system:
        # What the run does is known before anything can end the work.
        run = whole(Player(system, len(taken)), init, taken, goal)
        length = goal.length(run)
        if length is None:
            what = f"{goal.name} does not fail" if hasattr(goal, "name") else "the oracle is false"
            raise ModelError(
                f"{what} at the end of the run as it is given",
                hint="shrinking begins with a run that shows the fault",
            )
        return reduce(Player(system, most, stop), run.first(length), goal)


def whole(
    player: Player, init: tuple[object, ...] | None, taken: Sequence[Instance], goal: Goal
) -> Run:
    """The run as it is given. Raises ModelError at a step that cannot be taken; what comes after the fault does not count."""
    begun = player.start(init)
    if begun is None:
        raise ModelError("there is no such initial state: a require of init fails")
    if goal.by_states and goal.length(begun) is not None:
        return begun
    run = player.take(begun, taken, done=goal.at_once)
    assert run is not None
    for number, (given, kept) in enumerate(zip(taken, run.steps, strict=False), 1):
        if given != kept:
            raise _impossible(player.system, run.first(number - 1), given, number)
    cut_short = len(run.steps) < len(taken) and goal.length(run, len(run.steps)) is None
    if cut_short and run.failure is not None:
        raise ModelError(f"step {len(run.steps)} fails with {run.failure}, and the run goes on")
    if cut_short:
        raise _impossible(player.system, run, taken[len(run.steps)], len(run.steps) + 1)
    return run


def _impossible(system: System[Any], run: Run, instance: Instance, number: int) -> ModelError:
    return ModelError(
        f"step {number} cannot be taken: {instance.text}", hint=why_not(system, run, instance)
    )


def _instances(system: System[Any], steps: Sequence[Instance | str]) -> tuple[Instance, ...]:
    read = iter(parsed_steps(system, [s for s in steps if isinstance(s, str)]))
    return tuple(next(read) if isinstance(s, str) else s for s in steps)
