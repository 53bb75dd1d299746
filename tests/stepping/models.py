"""Systems to walk through: one with every way in which a step can end, one with many of everything."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from explorer.lang import (
    Between,
    Formula,
    Map,
    Pool,
    Sort,
    System,
    action,
    eventually,
    given,
    invariant,
    panic,
    reachable,
    record,
    require,
    soft_panic,
    step_invariant,
    temporal,
)


class Gast(Sort):
    """A guest of the house."""


class Room(Sort):
    """A room; they run out."""


class Tür(Enum):
    """The door."""

    ZU = 0
    AUF = 1


@record
class Bed:
    """What is in a room."""

    made: bool


@record
class Haus:
    """The house."""

    tür: Tür
    inside: Map[Gast, bool]
    room: Map[Gast, Room | None]
    beds: Pool[Room, Bed]
    rung: Annotated[int, Between(0, 9)]


class Hotel(System[Haus]):
    """Guests come in through a door and take rooms."""

    default_scope = {"Gast": 2, "Room": 1}
    presets = {"haunted": {}}

    def init(self, s: Haus, tür: Tür) -> None:
        s.tür = tür

    def is_final(self, s: Haus) -> bool:
        return s.rung == 9

    @action
    def öffne(self, s: Haus) -> None:
        require(s.tür == Tür.ZU)
        s.tür = Tür.AUF

    @action(thread="who")
    def enter(self, s: Haus, who: Gast) -> None:
        """``{who}`` comes in."""
        require(s.tür == Tür.AUF)
        require(not s.inside[who])
        s.inside[who] = True

    @action(thread="who")
    def take_room(self, s: Haus, who: Gast) -> None:
        require(s.inside[who] and s.room[who] is None)
        s.room[who] = s.beds.alloc(Bed(made=True))

    @action(thread="who")
    def leave_room(self, s: Haus, who: Gast) -> None:
        room = given(s.room[who])
        s.room[who] = None
        s.beds.free(room)

    @action
    def back(self, s: Haus) -> None:
        require(s.rung > 0)
        s.rung -= 1

    @action
    def ring(self, s: Haus, loud: bool) -> None:
        require(s.tür == Tür.ZU)
        if loud and s.rung == 1:
            panic("the bell breaks")
        if loud:
            soft_panic("somebody wakes up")
        s.rung += 1

    @action
    def burn(self, s: Haus) -> None:
        require(s.rung == 3)
        s.rung = 9


@invariant
def nobody_is_alone(s: Haus) -> bool:
    return sum(1 for g in Gast if s.inside[g]) != 1


@step_invariant
def the_bell_rings_once_a_step(before: Haus, after: Haus) -> bool:
    return after.rung <= before.rung + 1


@reachable
def all_are_in(s: Haus) -> bool:
    return all(s.inside[g] for g in Gast)


def is_open(s: Haus) -> bool:
    """The door is open."""
    return s.tür == Tür.AUF


@temporal
def it_opens() -> Formula:
    return eventually(is_open)


class Number(Sort):
    """One of many."""


@record
class Many:
    """A long state."""

    on: Map[Number, bool]


class Lots(System[Many]):
    """Switches, as many as one likes."""

    default_scope = {"Number": 40}

    def init(self, s: Many, first: Number, second: Number) -> None:
        require(first != second)
        s.on[first] = True

    def is_final(self, s: Many) -> bool:
        return True

    @action
    def flip(self, s: Many, number: Number) -> None:
        """Flips {number}, and not {that}."""
        s.on[number] = not s.on[number]

    def describe(self, s: Many) -> str:
        return f"{sum(1 for n in Number if s.on[n])} are on"
