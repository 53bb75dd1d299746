"""Delta debugging of a run: leaves steps out as long as it still shows the fault.

Zeller, Hildebrandt: Simplifying and Isolating Failure-Inducing Input, IEEE TSE 28(2), 2002. Steps that are disabled once others are gone
are dropped with them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from explorer.lang.run import Instance, Outcome, key
from explorer.shrink.goals import Goal
from explorer.shrink.names import renamings
from explorer.shrink.run import OutOfSteps, Player, Run

LEAST_STEPS = 300_000
"""As many steps are executed at least before a reduction ends with the best found."""

_MOST_PAIRS = 24
_MOST_MOVES = 40


@dataclass(frozen=True)
class Reduced:
    """A run that was made smaller.

    ``minimal``: no single step of it can be left out. ``stopped`` is why it may not be, if it was ended early.
    """

    run: Run
    stopped: str | None = None

    @property
    def minimal(self) -> bool:
        """Whether every step is needed."""
        return self.stopped is None


def reduce(player: Player, run: Run, goal: Goal) -> Reduced:
    """``run``, which shows ``goal``, with as few steps as leaving some out brings, and then as few thread switches.

    It always shows the goal, whatever ends the reduction early.
    """
    work = _Work(player, goal, run)
    try:
        work.cut_loops()
        work.leave_out()
        work.leave_out_pairs()
        work.calm_down()
        work.rename()
    except OutOfSteps:
        return Reduced(work.run, player.why)
    return Reduced(work.run)


def calmer(player: Player, run: Run, goal: Goal) -> Run:
    """The same steps in an order with fewer thread switches, if moving one at a time finds any."""
    work = _Work(player, goal, run)
    try:
        work.calm_down()
    except OutOfSteps:
        pass
    return work.run


class _Work:
    """The best run so far."""

    def __init__(self, player: Player, goal: Goal, run: Run) -> None:
        self.player, self.goal, self.run = player, goal, run
        length = goal.length(run)
        assert length is not None
        self.run = run.first(length)

    def cut_loops(self) -> None:
        """Leaves out what lies between two equal states."""
        if not self.goal.by_states:
            return
        last = {key(state): i for i, state in enumerate(self.run.states)}
        states, steps, outcomes = [self.run.states[0]], list[Instance](), list[Outcome]()
        at = last[key(self.run.states[0])]
        while at < len(self.run.steps):
            steps.append(self.run.steps[at])
            outcomes.append(self.run.outcomes[at])
            if at + 1 == len(self.run.states):
                break
            state = self.run.states[at + 1]
            states.append(state)
            at = last[key(state)]
        cut = replace(self.run, states=tuple(states), steps=tuple(steps), outcomes=tuple(outcomes))
        # A step invariant may fail on a loop: then its end was not to be cut off.
        length = self.goal.length(cut)
        if length is not None and len(cut.steps) < len(self.run.steps):
            self.run = cut.first(length)

    def leave_out(self) -> None:
        """Leaves out ever smaller parts, until no single step can go."""
        size = max(len(self.run.steps) // 2, 1)
        while True:
            before = len(self.run.steps)
            start = 0
            while start < len(self.run.steps):
                if not self.without(start, start + size):
                    start += size
            if size == 1 and len(self.run.steps) == before:
                return
            size = max(min(size // 2, len(self.run.steps) // 2), 1)

    def leave_out_pairs(self) -> None:
        """Two steps that undo each other go together."""
        again = len(self.run.steps) <= _MOST_PAIRS
        while again:
            again = False
            for i in range(len(self.run.steps)):
                for j in range(i + 2, len(self.run.steps)):
                    if not again and self.without(i, i + 1, j):
                        again = True
            if again:
                self.leave_out()

    def without(self, start: int, end: int, other: int | None = None) -> bool:
        """Tries the run without some steps; keeps it if that is shorter and still shows the goal."""
        rest = [s for i, s in enumerate(self.run.steps[end:], end) if i != other]
        return self.accept(
            self.run.first(start), rest, lambda r: len(r.steps) < len(self.run.steps)
        )

    def accept(
        self, begun: Run, rest: Sequence[Instance], better: Callable[[Run], bool], drop: bool = True
    ) -> bool:
        """Goes on from ``begun`` with ``rest``; keeps the run if it shows the goal and is better."""
        tried = self.player.take(begun, rest, drop=drop, done=self.goal.at_once)
        shown = None if tried is None else self.goal.length(tried, len(begun.steps))
        if tried is None or shown is None:
            return False
        tried = tried.first(shown)
        if not better(tried):
            return False
        self.run = tried
        return True

    def calm_down(self) -> None:
        """Moves single steps, or blocks of a thread, next to others of their thread."""
        again = len(self.run.steps) <= _MOST_MOVES and self.run.switches > 0
        while again:
            again = self._move_any()

    def _move_any(self) -> bool:
        steps, length, switches = self.run.steps, len(self.run.steps), self.run.switches
        for size in (1, 2, 3):
            for start in range(length - size + 1):
                block = steps[start : start + size]
                rest = steps[:start] + steps[start + size :]
                for to in range(len(rest) + 1):
                    order = rest[:to] + block + rest[to:]
                    moved = replace(self.run, steps=order)
                    if to == start or moved.switches >= switches:
                        continue
                    same = min(start, to)
                    if self.accept(
                        self.run.first(same),
                        order[same:],
                        lambda r: (len(r.steps), r.switches) < (length, switches),
                        drop=False,
                    ):
                        return True
        return False

    def rename(self) -> None:
        """Renames values of sorts to the first of their kind."""
        for init, steps in renamings(self.run):
            begun = self.player.start(init)
            if begun is not None and self.accept(
                begun, steps, lambda r: len(r.steps) <= len(self.run.steps), drop=False
            ):
                return
