"""Runs that go on for ever, through CPython: a prefix and a cycle, or a prefix after which the run stops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from explorer.lang.fairness import FairSet, fair_sets
from explorer.lang.formulas import Atom
from explorer.lang.properties import Property
from explorer.lang.run import Cut, Instance, Next, holds, instances, step
from explorer.lang.system import System
from explorer.lang.temporal import Bound, fairness_of
from explorer.lang.temporal import Instance as Stated
from explorer.lang.text import to_json
from explorer.logic.lasso import satisfies
from explorer.logic.owed import owed, when
from explorer.logic.owed import shown as formula_text
from explorer.trace.replay import Played, ReplayMismatch, play, record
from explorer.trace.trace import Trace
from explorer.trace.twice import refuse_unsteady

# As many names are listed; of more, the number.
_MOST_NAMES = 3
# As many fair sets get a line of their own.
_MOST_SETS = 12


def build_lasso(
    system: System[Any],
    init_values: Sequence[object],
    prefix: Sequence[Instance],
    cycle: Sequence[Instance],
    prop: Property,
    stated: Stated,
    fair: Sequence[FairSet],
) -> Trace:
    """The trace of a fair run that does not satisfy a temporal property, confirmed by CPython.

    The trace's ``loop`` is the length of the prefix. Without a cycle the run stops there.

    Raises ReplayMismatch if a step is impossible, the cycle does not lead back, the run is not fair, or it satisfies the property;
    ModelError if that is because the model does not do the same twice.
    """
    taken = (*prefix, *cycle)
    try:
        played = play_in(system, tuple(init_values), taken)
        lasso = Lasso(system, played, len(prefix), stated, tuple(fair))
        problem = lasso.problem()
        if problem is not None:
            raise ReplayMismatch(f"{system.name}: the run against {prop.name} {problem}")
    except ReplayMismatch:
        with system:
            refuse_unsteady(system, tuple(init_values), taken)
        raise
    trace = record(system, played, prop.name, "temporal")
    return replace(
        trace, loop=lasso.loop, instance=stated.text or None, explanation=lasso.explanation()
    )


def play_in(system: System[Any], init: tuple[object, ...], taken: Sequence[Instance]) -> Played:
    """``play`` within the scope of the system."""
    with system:
        return play(system, init, taken)


def declared_fair(system: System[Any], prop: Property) -> tuple[FairSet, ...]:
    """The sets of instances to which runs are fair, as far as a property is concerned."""
    return fair_sets(fairness_of(system, prop), instances(system))


@dataclass(frozen=True)
class Standing:
    """What a cycle does about a fair set: the first of its steps in the set, and after which steps the set is disabled."""

    fair: FairSet
    taken: int | None
    disabled: tuple[int, ...]
    everywhere: bool

    @property
    def is_met(self) -> bool:
        """Whether the cycle is fair to the set."""
        return self.taken is not None or (self.everywhere if self.fair.strong else self.any)

    @property
    def any(self) -> bool:
        """Whether the set is disabled somewhere."""
        return bool(self.disabled)

    def __str__(self) -> str:
        if self.taken is not None:
            return f"{self.fair.name}: taken at step {self.taken}"
        if self.is_met:
            return f"{self.fair.name}: disabled {when(self.disabled[0])}"
        if self.any:
            return f"{self.fair.name}: enabled again and again, and never taken"
        return f"{self.fair.name}: enabled all the time, and never taken"


class Lasso:
    """A run as CPython executed it that returns to state ``loop``, or stops there if that is its last one."""

    def __init__(
        self,
        system: System[Any],
        played: Played,
        loop: int,
        stated: Stated,
        fair: tuple[FairSet, ...],
    ) -> None:
        self.system, self.played, self.loop = system, played, loop
        self.stated, self.fair = stated, fair
        self.instances = instances(system)
        self.stops = loop == len(played.taken)
        self.positions = len(played.taken) + (1 if self.stops else 0)

    def problem(self) -> str | None:
        """Why this is no counterexample, as the end of a sentence about the run; None if it is one."""
        if not all(isinstance(outcome, Next) for outcome in self.played.outcomes):
            return "has a step without a successor"
        states = self.played.states
        if to_json(states[self.loop]) != to_json(states[-1]):
            return "does not come back to where its cycle begins"
        unfair = next((s for s in self.standings() if not s.is_met), None)
        if unfair is not None:
            return f"is not fair ({unfair})"
        if satisfies(self.stated.formula, self.positions, self.loop, self.holds):
            return "satisfies the property"
        return None

    def holds(self, atom: Atom, position: int) -> bool:
        """Whether an atom holds in a state of the run."""
        assert isinstance(atom.what, Bound)
        return holds(self.system, atom.what, self.played.states[position])

    def standings(self) -> tuple[Standing, ...]:
        """How the cycle stands to each fair set.

        Judged by steps: one counts if its own instance is in the set. An instance that fails is not enabled, one that uses the
        scope up is.
        """
        numbers = {instance: i for i, instance in enumerate(self.instances)}
        steps = [numbers[i] for i in self.played.taken[self.loop :]]
        cycle = range(self.loop, self.positions)
        enabled = [self.enabled(position) for position in cycle]
        found = []
        for fair in self.fair:
            taken = next(
                (n for n, i in enumerate(steps, self.loop + 1) if i in fair.instances), None
            )
            off = tuple(n for n, on in zip(cycle, enabled, strict=True) if not fair.instances & on)
            found.append(Standing(fair, taken, off, len(off) == len(cycle)))
        return tuple(found)

    def enabled(self, position: int) -> frozenset[int]:
        """The numbers of the instances enabled in a state."""
        state = self.played.states[position]
        outcomes = enumerate(step(self.system, state, i) for i in self.instances)
        return frozenset(i for i, o in outcomes if isinstance(o, (Next, Cut)))

    def explanation(self) -> tuple[str, ...]:
        """What the run owes, since when, and why it may go on like that."""
        formula = formula_text(self.stated.formula)
        about = f"{formula} is false" if len(formula) <= 100 else "the formula is false"
        return (
            f"{about}:",
            *(
                f"  {line}"
                for line in owed(self.stated.formula, self.positions, self.loop, self.holds)
            ),
            *(self._stop() if self.stops else self._cycle()),
        )

    def _stop(self) -> Iterator[str]:
        enabled = sorted(self.enabled(self.loop))
        if not enabled:
            yield "no step is enabled there: the state repeats for ever"
        elif not self.fair:
            yield f"it may stop: no fairness is declared, so no step has to be taken ({self._names(enabled)})"
        else:
            yield f"it may stop: no fair step is enabled there, only {self._names(enabled)}"

    def _cycle(self) -> Iterator[str]:
        if not self.fair:
            idle = self._ignored()
            yield "no fairness is declared, so no step has to be taken" + (
                f" ({idle})" if idle else ""
            )
            return
        yield "and yet the run is fair:"
        standings = self.standings()
        shown = [s for s in standings if s.taken is not None or not s.everywhere]
        for standing in shown[:_MOST_SETS]:
            yield f"  {standing}"
        if len(shown) > _MOST_SETS:
            yield f"  and {len(shown) - _MOST_SETS} more, each taken or disabled somewhere"
        off = [s.fair.name for s in standings if s.taken is None and s.everywhere]
        if off:
            yield f"  {_listed(off)}: disabled throughout the cycle"
        idle = self._ignored()
        if idle:
            yield f"  always enabled, never taken, and not fair: {idle}"

    def _ignored(self) -> str:
        """The steps that could be taken in every state of the cycle, and that no fair set has."""
        taken = set(self.played.taken[self.loop :])
        always = frozenset.intersection(*map(self.enabled, range(self.loop, self.positions)))
        fair = frozenset[int]().union(*(f.instances for f in self.fair))
        return self._names(i for i in sorted(always - fair) if self.instances[i] not in taken)

    def _names(self, numbers: Iterator[int] | Sequence[int]) -> str:
        return _listed([self.instances[i].text for i in numbers])


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
