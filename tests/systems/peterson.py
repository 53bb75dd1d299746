"""Peterson's algorithm: two processes exclude each other with a flag each and a variable whose turn it is.

Peterson, "Myths about the mutual exclusion problem", 1981. Whoever wants to enter does, if both processes go on (weak fairness of
their steps; that they ask again is not assumed). Without fairness a process may just stop. The switch ``turn`` takes the variable away:
then both may wait for each other. With ``polite`` off, a process takes the turn instead of giving it away, and both get in.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from explorer.lang import (
    Formula,
    Map,
    System,
    action,
    always_eventually,
    invariant,
    leads_to,
    now,
    record,
    require,
    temporal,
    weak,
)


class Side(Enum):
    """A process."""

    LEFT = 0
    RIGHT = 1


class At(Enum):
    """Where a process is."""

    OUTSIDE = 0
    ASKED = 1
    WAITING = 2
    INSIDE = 3


@record
class State:
    """Where the processes are, and what they share."""

    at: Map[Side, At]
    wants: Map[Side, bool]
    turn: Side


@dataclass(frozen=True)
class Design:
    """What the algorithm consists of."""

    turn: bool = True
    polite: bool = True


def other(side: Side) -> Side:
    """The other process."""
    return Side.RIGHT if side == Side.LEFT else Side.LEFT


class Peterson(System[State]):
    """Two processes that enter again and again, or stop asking."""

    design = Design()
    # A process need not ask. Once it has, it goes on.
    fairness = (weak.each("give_way", "enter", "leave"),)

    def is_final(self, s: State) -> bool:
        return all(s.at[side] == At.OUTSIDE for side in Side)

    @action(thread="side")
    def ask(self, s: State, side: Side) -> None:
        require(s.at[side] == At.OUTSIDE)
        s.wants[side] = True
        s.at[side] = At.ASKED

    @action(thread="side")
    def give_way(self, s: State, side: Side) -> None:
        require(s.at[side] == At.ASKED)
        s.turn = other(side) if self.design.polite else side
        s.at[side] = At.WAITING

    @action(thread="side")
    def enter(self, s: State, side: Side) -> None:
        require(s.at[side] == At.WAITING)
        require(not s.wants[other(side)] or (self.design.turn and s.turn == side))
        s.at[side] = At.INSIDE

    @action(thread="side")
    def leave(self, s: State, side: Side) -> None:
        require(s.at[side] == At.INSIDE)
        s.wants[side] = False
        s.at[side] = At.OUTSIDE


def asks(s: State, side: Side) -> bool:
    """Whether a process wants to enter."""
    return s.at[side] in (At.ASKED, At.WAITING)


def is_inside(s: State, side: Side) -> bool:
    """Whether a process is in its critical section."""
    return s.at[side] == At.INSIDE


@invariant
def only_one_is_inside(s: State) -> bool:
    return not all(s.at[side] == At.INSIDE for side in Side)


@temporal
def whoever_asks_enters(side: Side) -> Formula:
    return leads_to(now(asks, side), now(is_inside, side))


@temporal(fairness=())
def whoever_asks_enters_without_fairness(side: Side) -> Formula:
    return leads_to(now(asks, side), now(is_inside, side))


@temporal(fairness=(weak.threads(),))
def everybody_enters_again_and_again_if_nobody_stops(side: Side) -> Formula:
    return always_eventually(now(is_inside, side))


@temporal
def everybody_enters_again_and_again(side: Side) -> Formula:
    return always_eventually(now(is_inside, side))
