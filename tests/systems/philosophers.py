"""Dining philosophers who all take the left fork first, and so can starve together.

Each takes the left fork, then the right one, then puts both down, one action per move.

    philosophers       2   3   4    5      8     10       12       14
    distinct states    6  14  34   82  1,154  6,726   39,202  228,486
    generated                    266                 304,105

The number of states is (1 + sqrt 2)^N + (1 - sqrt 2)^N: a ring of N philosophers in three phases, where
the one after an eating philosopher is thinking. Exactly one state is a deadlock, everyone holding
a left fork, N steps from the start; no state is farther. SPIN, rumur and TLC agree.
"""

from __future__ import annotations

from enum import Enum

from explorer.lang import Map, Ordinal, Set, System, action, invariant, reachable, record, require


class Seat(Ordinal):
    """A place at the round table: of the philosopher who sits there and of the fork to their left.

    A ring needs an order, so this is an Ordinal and not a Sort.
    """


class Phase(Enum):
    """What a philosopher is doing."""

    THINKING = 0
    HOLDING_LEFT = 1
    EATING = 2


@record
class State:
    """What each philosopher does, and which forks are on the table."""

    phase: Map[Seat, Phase]
    table: Set[Seat]


def right_of(seat: Seat) -> Seat:
    """The next seat around the table, whose fork is this seat's right one."""
    return Seat.first() if seat == Seat.last() else seat.next()


class Philosophers(System[State]):
    """N philosophers without any rule against deadlock."""

    default_scope = {"Seat": 5}

    def init(self, s: State) -> None:
        for fork in Seat:
            s.table.add(fork)

    @action(thread="seat")
    def take_left(self, s: State, seat: Seat) -> None:
        require(s.phase[seat] == Phase.THINKING)
        require(seat in s.table)
        s.table.remove(seat)
        s.phase[seat] = Phase.HOLDING_LEFT

    @action(thread="seat")
    def take_right(self, s: State, seat: Seat) -> None:
        require(s.phase[seat] == Phase.HOLDING_LEFT)
        require(right_of(seat) in s.table)
        s.table.remove(right_of(seat))
        s.phase[seat] = Phase.EATING

    @action(thread="seat")
    def put_down_both(self, s: State, seat: Seat) -> None:
        require(s.phase[seat] == Phase.EATING)
        s.table.add(seat)
        s.table.add(right_of(seat))
        s.phase[seat] = Phase.THINKING


@invariant
def neighbours_never_eat_together(s: State) -> bool:
    return not any(
        s.phase[seat] == Phase.EATING and s.phase[right_of(seat)] == Phase.EATING for seat in Seat
    )


@reachable
def somebody_eats(s: State) -> bool:
    return any(s.phase[seat] == Phase.EATING for seat in Seat)
