"""Runs that go on for ever: fair cycles, and whether a temporal property is violated on one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from explorer.lang.fairness import FairSet, fair_sets
from explorer.lang.formulas import Atom, Next, atoms, subformulas
from explorer.lang.properties import Property
from explorer.lang.run import holds, instances
from explorer.lang.system import System
from explorer.lang.temporal import Bound, fairness_of, temporal_instances
from explorer.lang.temporal import Instance as Stated
from explorer.logic.lasso import satisfies
from explorer.stateful.judge import Judge
from explorer.stateful.places import Place

# So many verdicts on runs are kept.
_REMEMBERED = 1 << 17

Letter: TypeAlias = tuple[bool, ...]


@dataclass(frozen=True, eq=False)
class Goal:
    """A temporal property and what it states for one choice of its parameters."""

    prop: Property
    stated: Stated
    verdicts: dict[tuple[tuple[Letter, ...], int], bool] = field(default_factory=dict)

    @cached_property
    def atoms(self) -> dict[Atom, int]:
        """The atoms of its formula, numbered."""
        return {a: i for i, a in enumerate(atoms(self.stated.formula))}

    @cached_property
    def stutters(self) -> bool:
        """Whether repeating a state makes no difference: without "next" it makes none (Lamport, "What good is temporal logic?", 1983)."""
        return not any(isinstance(f, Next) for f in subformulas(self.stated.formula))

    def letter(self, system: System[Any], place: Place) -> Letter:
        """The truth of its atoms in a state."""
        found: Letter | None = place.notes.get(self)
        if found is None:
            bounds = (a.what for a in self.atoms)
            found = tuple(holds(system, b, place.state) for b in bounds if isinstance(b, Bound))
            place.notes[self] = found
        return found

    def satisfied(self, system: System[Any], places: Sequence[Place], loop: int) -> bool:
        """Whether the run satisfies its formula that goes from its last state to that with the number ``loop``."""
        letters = [self.letter(system, p) for p in places]
        if self.stutters:
            letters, loop = without_repetition(letters, loop)
        word = tuple(letters), loop
        if word not in self.verdicts:
            if len(self.verdicts) >= _REMEMBERED:
                self.verdicts.clear()
            self.verdicts[word] = satisfies(
                self.stated.formula,
                len(letters),
                loop,
                lambda atom, i: letters[i][self.atoms[atom]],
            )
        return self.verdicts[word]


class Fairness:
    """Fair sets, and the properties that are to hold on runs that are fair to them."""

    def __init__(
        self, system: System[Any], fair: tuple[FairSet, ...], goals: tuple[Goal, ...]
    ) -> None:
        self.system, self.fair, self.goals = system, fair, goals
        self._all = (1 << len(fair)) - 1
        self._strong = sum(1 << i for i, s in enumerate(fair) if s.strong)
        self._sets: dict[int, int] = {}
        for i, s in enumerate(fair):
            for number in s.instances:
                self._sets[number] = self._sets.get(number, 0) | 1 << i

    def sets_of(self, number: int) -> int:
        """The fair sets that an instance is in, as bits."""
        return self._sets.get(number, 0)

    def on(self, place: Place) -> int:
        """The fair sets that are enabled in a state, as bits."""
        bits: int | None = place.notes.get(self)
        if bits is None:
            bits = 0
            for number in place.enabled:
                bits |= self._sets.get(number, 0)
            place.notes[self] = bits
        return bits

    def may_stop(self, place: Place) -> bool:
        """Whether a run may stop in a state: no fair step is enabled."""
        return not self.on(place)

    def fair_cycle(
        self, places: Sequence[Place], numbers: Sequence[int], visits: Sequence[int]
    ) -> int | None:
        """The last of the visits to the run's last state from which on the run is a fair cycle; None if there is none."""
        taken, always, ever = 0, self._all, 0
        wanted = set(visits)
        for i in range(len(numbers) - 1, min(visits, default=len(numbers)) - 1, -1):
            on = self.on(places[i])
            taken |= self.sets_of(numbers[i])
            always &= on
            ever |= on
            # A weak set is met where it is off somewhere, a strong one where it is never on.
            met = taken | (~always & ~self._strong) | (~ever & self._strong)
            if i in wanted and met & self._all == self._all:
                return i
        return None

    def violated(self, places: Sequence[Place], loop: int) -> Goal | None:
        """The first goal that a run does not satisfy. It goes from its last state to that with the number ``loop``: to itself, if
        the run stops there."""
        return next((g for g in self.goals if not g.satisfied(self.system, places, loop)), None)


def fairnesses(system: System[Any], judged: Judge) -> tuple[Fairness, ...]:
    """The goals by the fairness that they assume. The system's own comes first, if it has one; it may have no goals."""
    every = instances(system)
    groups: dict[tuple[FairSet, ...], list[Goal]] = {}
    if system.fairness:
        groups[fair_sets(system.fairness, every)] = []
    for prop in judged.temporal:
        fair = fair_sets(fairness_of(system, prop), every)
        goals = [Goal(prop, stated) for stated in temporal_instances(system, prop)]
        groups.setdefault(fair, []).extend(goals)
    return tuple(Fairness(system, fair, tuple(goals)) for fair, goals in groups.items())


def without_repetition(letters: Sequence[Letter], loop: int) -> tuple[list[Letter], int]:
    """The run with states that look alike, one after the other, put together; the cycle keeps at least one."""
    shorter: list[Letter] = []
    start = 0
    for i, letter in enumerate(letters):
        if i == loop:
            start = len(shorter)
        elif shorter and shorter[-1] == letter and len(shorter) > (start if i > loop else 0):
            continue
        shorter.append(letter)
    return shorter, start
