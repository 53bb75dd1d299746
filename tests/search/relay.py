"""Threads whose steps can be interleaved in many ways, with ties of every kind."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, TypeAlias

from explorer.lang import (
    Between,
    Map,
    Sort,
    System,
    action,
    invariant,
    panic,
    reachable,
    record,
    require,
    soft_panic,
    step_invariant,
)

Few: TypeAlias = Annotated[int, Between(0, 3)]


class Worker(Sort):
    """A worker."""


class Who(Enum):
    """The threads that are no workers."""

    CLERK = 0


@record
class State:
    """How far everybody is."""

    did: Map[Worker, Few]
    signed: Few
    weather: Few


class Relay(System[State]):
    """Workers, a clerk, and the weather, which belongs to no thread."""

    default_scope = {"Worker": 2}

    def init(self, s: State, rains: bool) -> None:
        s.weather = 1 if rains else 0

    def is_final(self, s: State) -> bool:
        return s.signed < 3

    @action(thread="worker")
    def begin(self, s: State, worker: Worker) -> None:
        require(s.did[worker] == 0)
        s.did[worker] = 1

    @action(thread=Who.CLERK)
    def sign(self, s: State) -> None:
        require(any(s.did[w] > 0 for w in Worker) and s.signed < 3)
        s.signed += 1

    @action
    def change(self, s: State) -> None:
        require(s.weather < 2)
        s.weather += 1

    @action
    def blow(self, s: State) -> None:
        require(s.weather == 2)
        if s.signed >= 1:
            soft_panic("paper flies")
        s.weather = 3

    @action(thread="worker")
    def finish(self, s: State, worker: Worker) -> None:
        require(s.did[worker] == 1)
        s.did[worker] = 2

    @action(thread="worker")
    def leave(self, s: State, worker: Worker) -> None:
        require(s.did[worker] == 2 and s.signed >= 1)
        if s.weather == 3:
            panic("blown away")
        s.did[worker] = 3


@invariant
def not_all_done_and_signed(s: State) -> bool:
    return not (s.signed >= 2 and all(s.did[w] >= 2 for w in Worker))


@invariant
def no_storm(s: State) -> bool:
    return s.weather < 3


@step_invariant
def nobody_leaves_after_the_second_signature(before: State, after: State) -> bool:
    return before.did == after.did or after.signed < 2 or all(after.did[w] < 3 for w in Worker)


@reachable
def one_has_left(s: State) -> bool:
    return any(s.did[w] == 3 for w in Worker) and s.weather == 1
