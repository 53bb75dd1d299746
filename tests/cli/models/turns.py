"""A lock without turns: whoever waits may be overtaken for ever."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from explorer.lang import (
    Formula,
    Map,
    Ordinal,
    System,
    action,
    always_eventually,
    eventually_always,
    leads_to,
    now,
    record,
    require,
    strong,
    temporal,
    weak,
)


class Side(Ordinal):
    """Who wants the lock."""


class Phase(Enum):
    """What one is doing."""

    IDLE = 0
    WAITING = 1
    IN = 2


@dataclass(frozen=True)
class Design:
    """What stands between a run and starvation."""

    in_turn: bool = False
    patient: bool = False
    fine: bool = True


@record
class State:
    """The phase of each, and who entered last."""

    phase: Map[Side, Phase]
    last: Side | None


class Free(System[State]):
    """Two who want a lock. Nobody has to do anything."""

    default_scope = {"Side": 2}
    design = Design()

    @action(thread="side")
    def ask(self, s: State, side: Side) -> None:
        require(s.phase[side] == Phase.IDLE)
        require(not self.design.patient or s.last != side)
        s.phase[side] = Phase.WAITING

    @action(thread="side")
    def enter(self, s: State, side: Side) -> None:
        require(s.phase[side] == Phase.WAITING)
        require(all(s.phase[x] != Phase.IN for x in Side))
        others = any(x != side and s.phase[x] == Phase.WAITING for x in Side)
        require(not (self.design.in_turn and others and s.last == side))
        s.phase[side] = Phase.IN
        s.last = side

    @action(thread="side")
    def leave(self, s: State, side: Side) -> None:
        require(s.phase[side] == Phase.IN)
        s.phase[side] = Phase.IDLE


class Lock(Free):
    """Whoever can enter for as long as it takes does, and whoever is inside leaves."""

    fairness = (weak.each("enter"), weak.each("leave"))


class Strong(Lock):
    """Whoever can enter again and again does."""

    fairness = (strong.each("enter"), weak.each("leave"))


def waiting(s: State, side: Side) -> bool:
    return s.phase[side] == Phase.WAITING


def inside(s: State, side: Side) -> bool:
    return s.phase[side] == Phase.IN


def quiet(s: State) -> bool:
    return all(s.phase[x] == Phase.IDLE for x in Side)


@temporal
def who_waits_enters(side: Side) -> Formula:
    return leads_to(now(waiting, side), now(inside, side))


@temporal
def it_is_quiet_again() -> Formula:
    return always_eventually(quiet)


@temporal(fairness=())
def it_stays_quiet_in_the_end() -> Formula:
    return eventually_always(quiet)
