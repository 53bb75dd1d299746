"""Who was about to do what: for each thread its enabled steps in a state, and what keeps one without any from going on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from explorer.explain.blocked import Obstacle, obstacle
from explorer.explain.rerun import Rerun
from explorer.lang.run import Blocked, Cut, Failed, Instance, instances, step
from explorer.trace.lasso import Lasso
from explorer.trace.replay import params_of, thread_of


@dataclass(frozen=True)
class Enabled:
    """A step that could be taken; ``ends`` is what it would end in: a failure, a scope entry that is used up, or None."""

    instance: Instance
    ends: str | None = None


@dataclass(frozen=True)
class Waiting:
    """An action of which no instance is enabled: the instance that comes furthest, and what disables it there."""

    instance: Instance
    obstacle: Obstacle | None


@dataclass(frozen=True)
class Thread:
    """A thread in a state; ``name`` is None for the actions that belong to none. ``took`` is the step that it took there."""

    name: str | None
    enabled: tuple[Enabled, ...]
    waiting: tuple[Waiting, ...]
    took: Instance | None = None


@dataclass(frozen=True)
class Moment:
    """All threads after some steps of a run."""

    after: int
    threads: tuple[Thread, ...]


def moment(rerun: Rerun) -> Moment | None:
    """The threads when it went wrong: before the last step; where it ends, for a deadlock; where it stops or its cycle begins, for a run
    that goes on for ever. None for a witness."""
    kind, count = rerun.trace.kind, rerun.length
    if kind == "reachable":
        return None
    if kind == "temporal":
        after = rerun.trace.loop or 0
    else:
        after = count if kind == "deadlock" else max(0, count - 1)
    took = rerun.played.taken[after] if after < count else None
    # What a require says is evaluated again, in the scope.
    with rerun.system:
        return Moment(after, tuple(_threads(rerun, after, took)))


def _threads(rerun: Rerun, after: int, took: Instance | None) -> Iterator[Thread]:
    state = rerun.played.states[after]
    by_name: dict[str | None, list[Instance]] = {}
    for instance in instances(rerun.system):
        by_name.setdefault(thread_of(instance), []).append(instance)
    # What belongs to no thread comes last.
    for name in sorted(by_name, key=lambda n: n is None):
        enabled: list[Enabled] = []
        blocked: dict[str, list[tuple[Instance, Blocked]]] = {}
        for instance in by_name[name]:
            outcome = step(rerun.system, state, instance)
            if isinstance(outcome, Blocked):
                blocked.setdefault(instance.action.name, []).append((instance, outcome))
            else:
                ends = outcome.name if isinstance(outcome, (Failed, Cut)) else None
                enabled.append(Enabled(instance, ends))
        can = {e.instance.action.name for e in enabled}
        waiting = tuple(_furthest(tried) for action, tried in blocked.items() if action not in can)
        mine = took if took is not None and thread_of(took) == name else None
        yield Thread(name, tuple(enabled), waiting, mine)


def _furthest(tried: list[tuple[Instance, Blocked]]) -> Waiting:
    """Of an action's instances the first of those that are disabled last in its source."""

    def line(pair: tuple[Instance, Blocked]) -> int:
        where = pair[1].where
        function = pair[0].action.function.__code__
        if where is None:
            return -1
        # In a helper: somewhere after the call, of which no more is known than that the helper was reached.
        return where.line if where.file == function.co_filename else function.co_firstlineno

    instance, outcome = max(tried, key=line)
    found = obstacle(outcome)
    if found is not None:
        # The step says what its parameters are.
        params = params_of(instance).items()
        found = replace(found, reads=tuple(pair for pair in found.reads if pair not in params))
    return Waiting(instance, found)


@dataclass(frozen=True)
class Held:
    """Fair steps that a cycle does not take: where they are disabled (after how many steps), and what disables the first of them there."""

    name: str
    after: int
    waiting: Waiting


def held(rerun: Rerun) -> tuple[Held, ...]:
    """What keeps fair steps from being taken in a run that ends in a cycle; nothing for other runs."""
    loop = rerun.trace.loop
    if loop is None or rerun.stated is None or loop == rerun.length:
        return ()
    lasso = Lasso(rerun.system, rerun.played, loop, rerun.stated, rerun.fair)
    order = instances(rerun.system)
    found = []
    for standing in lasso.standings():
        if standing.taken is None and standing.disabled:
            after = standing.disabled[0]
            instance = order[min(standing.fair.instances)]
            outcome = step(rerun.system, rerun.played.states[after], instance)
            # One that fails is not enabled either.
            if isinstance(outcome, Blocked):
                with rerun.system:
                    waiting = _furthest([(instance, outcome)])
                found.append(Held(standing.fair.name, after, waiting))
    return tuple(found)
