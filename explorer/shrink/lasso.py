"""Delta debugging of runs that go on for ever: prefix and cycle lose steps, and the run stays fair and against its property."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from explorer.lang.properties import Property
from explorer.lang.run import Instance, Next, key
from explorer.lang.temporal import Instance as Stated
from explorer.shrink.names import renamings
from explorer.shrink.run import OutOfSteps, Player, Run
from explorer.trace.lasso import Lasso
from explorer.trace.lasso import declared_fair as fair_of


@dataclass(frozen=True)
class Endless:
    """A run that returns to state ``loop`` for ever (stops, if that is its last), against ``stated``, an instance of its property."""

    run: Run
    loop: int
    stated: Stated

    @property
    def prefix(self) -> tuple[Instance, ...]:
        """The steps before the cycle."""
        return self.run.steps[: self.loop]

    @property
    def cycle(self) -> tuple[Instance, ...]:
        """The steps that repeat."""
        return self.run.steps[self.loop :]

    @property
    def size(self) -> tuple[int, int, int]:
        """What is minimised: steps, then steps of the cycle, then thread switches."""
        return len(self.run.steps), len(self.cycle), self.run.switches


def endless(
    player: Player,
    begun: Run,
    prefix: Sequence[Instance],
    cycle: Sequence[Instance],
    prop: Property,
    stated: Sequence[Stated],
) -> Endless | None:
    """The run as a counterexample against the first instance of its property that it violates; None if it is none.

    Steps of the prefix that are disabled are dropped, those of the cycle must all be possible.
    """
    run = player.take(begun, prefix)
    if run is None or run.failure is not None:
        return None
    loop = len(run.steps)
    run = player.take(run, cycle, drop=False)
    if run is None or not all(isinstance(o, Next) for o in run.outcomes):
        return None
    if key(run.states[loop]) != key(run.states[-1]):
        return None
    fair = fair_of(player.system, prop)
    for instance in stated:
        if Lasso(player.system, run.played(), loop, instance, fair).problem() is None:
            return Endless(run, loop, instance)
    return None


def reduce_endless(
    player: Player, given: Endless, prop: Property, stated: Sequence[Stated]
) -> tuple[Endless, str | None]:
    """A smaller one of its kind, and why it was not made smaller still, if the work was ended early."""
    best = given

    def attempt(prefix: Sequence[Instance], cycle: Sequence[Instance], init: Run | None) -> bool:
        nonlocal best
        begun = init or best.run.first(0)
        tried = endless(player, begun, prefix, cycle, prop, stated)
        if tried is None or tried.size > best.size or (init is None and tried.size == best.size):
            return False
        best = tried
        return True

    try:
        progress = True
        while progress:
            progress = any(attempt(p, c, None) for p, c in _early(best))
            for which in (1, 0):
                parts = [best.prefix, best.cycle]
                size = max(len(parts[which]) // 2, 1)
                while size >= 1:
                    start = 0
                    while start < len(parts[which]):
                        rest = parts[which][:start] + parts[which][start + size :]
                        tried = (parts[0], rest) if which else (rest, parts[1])
                        if attempt(*tried, None):
                            parts, progress = [best.prefix, best.cycle], True
                        else:
                            start += size
                    size = size // 2
        for init, steps in renamings(best.run):
            begun = player.start(init)
            if begun is not None and attempt(steps[: best.loop], steps[best.loop :], begun):
                break
    except OutOfSteps:
        return best, player.why
    return best, None


def _early(best: Endless) -> Iterator[tuple[tuple[Instance, ...], tuple[Instance, ...]]]:
    """The same cycle, entered as soon as the prefix meets one of its states."""
    on_cycle = {key(best.run.states[i]): i for i in range(best.loop, len(best.run.steps))}
    for at in range(best.loop):
        place = on_cycle.get(key(best.run.states[at]))
        if place is not None:
            steps = best.run.steps
            yield steps[:at], steps[place:] + steps[best.loop : place]
            return
