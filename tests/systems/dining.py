"""Dining philosophers who get hungry, and whether they eat in the end.

Dijkstra, "Hierarchical ordering of sequential processes", 1971. Each takes one fork, then the other one, then puts both down. If all
take their left fork first they can all end up holding one: a deadlock, after 2 N steps. With a last philosopher who is left-handed, as it
were, and takes the right fork first, there is none.

Nobody is ever required to get hungry. What is assumed of the other steps makes the difference, without a deadlock:

* nothing: anybody may stop, and nobody eats;
* weak fairness: somebody eats. A particular philosopher may starve: the fork that they wait for is taken again and again, and while it
  is, they cannot take it, so that weak fairness asks for nothing;
* strong fairness: everybody who is hungry eats.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from explorer.lang import (
    Formula,
    Map,
    Ordinal,
    Set,
    System,
    action,
    invariant,
    leads_to,
    now,
    record,
    require,
    strong,
    temporal,
    weak,
)


class Seat(Ordinal):
    """A place at the round table: of the philosopher who sits there and of the fork to their left."""


class Phase(Enum):
    """What a philosopher is doing."""

    THINKING = 0
    HUNGRY = 1
    HOLDING_ONE = 2
    EATING = 3


@record
class State:
    """What each philosopher does, and which forks are on the table."""

    phase: Map[Seat, Phase]
    table: Set[Seat]


@dataclass(frozen=True)
class Design:
    """What there is against deadlock."""

    left_handed: bool = True


def right_of(seat: Seat) -> Seat:
    """The next seat around the table, whose fork is this seat's right one."""
    return Seat.first() if seat == Seat.last() else seat.next()


class Dining(System[State]):
    """N philosophers, the last one of whom takes the right fork first."""

    default_scope = {"Seat": 3}
    design = Design()
    fairness = (weak.each("take_one", "take_other", "put_down"),)

    def init(self, s: State) -> None:
        for fork in Seat:
            s.table.add(fork)

    def is_final(self, s: State) -> bool:
        return all(s.phase[seat] == Phase.THINKING for seat in Seat)

    def one(self, seat: Seat) -> Seat:
        """The fork that a philosopher takes first."""
        return right_of(seat) if self.design.left_handed and seat == Seat.last() else seat

    def other(self, seat: Seat) -> Seat:
        """The fork that a philosopher takes second."""
        return seat if self.design.left_handed and seat == Seat.last() else right_of(seat)

    @action(thread="seat")
    def get_hungry(self, s: State, seat: Seat) -> None:
        require(s.phase[seat] == Phase.THINKING)
        s.phase[seat] = Phase.HUNGRY

    @action(thread="seat")
    def take_one(self, s: State, seat: Seat) -> None:
        require(s.phase[seat] == Phase.HUNGRY and self.one(seat) in s.table)
        s.table.remove(self.one(seat))
        s.phase[seat] = Phase.HOLDING_ONE

    @action(thread="seat")
    def take_other(self, s: State, seat: Seat) -> None:
        require(s.phase[seat] == Phase.HOLDING_ONE and self.other(seat) in s.table)
        s.table.remove(self.other(seat))
        s.phase[seat] = Phase.EATING

    @action(thread="seat")
    def put_down(self, s: State, seat: Seat) -> None:
        require(s.phase[seat] == Phase.EATING)
        s.table.add(seat)
        s.table.add(right_of(seat))
        s.phase[seat] = Phase.THINKING


def is_hungry(s: State, seat: Seat) -> bool:
    """Whether a philosopher wants to eat."""
    return s.phase[seat] in (Phase.HUNGRY, Phase.HOLDING_ONE)


def eats(s: State, seat: Seat) -> bool:
    """Whether a philosopher eats."""
    return s.phase[seat] == Phase.EATING


def somebody_is_hungry(s: State) -> bool:
    """Whether anybody wants to eat."""
    return any(s.phase[seat] in (Phase.HUNGRY, Phase.HOLDING_ONE) for seat in Seat)


def somebody_eats(s: State) -> bool:
    """Whether anybody eats."""
    return any(s.phase[seat] == Phase.EATING for seat in Seat)


@invariant
def neighbours_never_eat_together(s: State) -> bool:
    return not any(
        s.phase[seat] == Phase.EATING and s.phase[right_of(seat)] == Phase.EATING for seat in Seat
    )


STRONG = (strong.each("take_one", "take_other"), weak.each("put_down"))


@temporal(fairness=())
def somebody_eats_without_fairness() -> Formula:
    return leads_to(somebody_is_hungry, somebody_eats)


@temporal
def somebody_eats_under_weak_fairness() -> Formula:
    return leads_to(somebody_is_hungry, somebody_eats)


@temporal
def everybody_eats_under_weak_fairness(seat: Seat) -> Formula:
    return leads_to(now(is_hungry, seat), now(eats, seat))


@temporal(fairness=STRONG)
def everybody_eats_under_strong_fairness(seat: Seat) -> Formula:
    return leads_to(now(is_hungry, seat), now(eats, seat))
