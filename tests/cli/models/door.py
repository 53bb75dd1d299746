"""A room for one: two mechanisms that back each other up, one that stands alone, and one that does nothing."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from explorer.lang import (
    Map,
    Seq,
    Sort,
    System,
    action,
    invariant,
    panic,
    reachable,
    record,
    require,
    step_invariant,
)


class Person(Sort):
    """Somebody who wants to be in the room."""


class Sign(Enum):
    """What the sign at the door says."""

    WELCOME = 0
    CLOSED = 1


@dataclass(frozen=True)
class Design:
    """What guards the room."""

    lock: bool = True
    guard: bool = True
    exit: bool = True
    carpet: bool = True
    alarm: bool = False
    sign: Sign = Sign.WELCOME


@record
class State:
    """Who is inside, and the order in which people came."""

    inside: Map[Person, bool]
    visits: Seq[Person]


class AjarDoor:
    """The door does not close."""


class Door(System[State]):
    """A room with one door.

    What happens behind it is not modelled.
    """

    default_scope = {"Person": 2, "visits": 1}
    design = Design()
    presets = {
        "open": {"lock": False, "guard": False},
        "ajar": (AjarDoor, {"lock": False}),
    }

    def init(self, s: State, first: Person | None) -> None:
        if first is not None:
            s.inside[first] = True

    @action(thread="person")
    def enter(self, s: State, person: Person) -> None:
        require(not s.inside[person])
        if self.design.lock:
            require(not any(s.inside[p] for p in Person))
        if self.design.guard:
            require(sum(1 for p in Person if s.inside[p]) == 0)
        s.inside[person] = True

    @action(thread="person")
    def leave(self, s: State, person: Person) -> None:
        require(self.design.exit)
        require(s.inside[person])
        s.inside[person] = False

    @action
    def ring(self, s: State) -> None:
        require(self.design.alarm)
        if any(s.inside[p] for p in Person):
            panic("somebody was inside")


class Logged(Door):
    """A room whose visitors sign a book of limited length."""

    @action(thread="person")
    def sign(self, s: State, person: Person) -> None:
        require(s.inside[person])
        s.visits.append(person)


@invariant
def at_most_one_is_inside(s: State) -> bool:
    return all(p == q or not (s.inside[p] and s.inside[q]) for p in Person for q in Person)


@step_invariant
def one_door_lets_one_through(before: State, after: State) -> bool:
    return sum(1 for p in Person if before.inside[p] != after.inside[p]) <= 1


@reachable
def somebody_is_inside(s: State) -> bool:
    return any(s.inside[p] for p in Person)
