"""A small system in which everything that a search reports happens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypeAlias

from explorer.lang import (
    Between,
    Seq,
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

Level: TypeAlias = Annotated[int, Between(0, 9)]


@dataclass(frozen=True)
class Design:
    guarded: bool = False
    stops: bool = False


@record
class State:
    log: Seq[Level]
    level: Level = 0
    over: bool = False


class Machine(System[State]):
    """A counter that logs, warns at 3, panics at 5 and is over at 8."""

    default_scope = {"log": 2}
    design = Design()

    def init(self, s: State, twice: bool) -> None:
        s.level = 1 if twice else 0

    def is_final(self, s: State) -> bool:
        return self.design.stops and s.over

    @action
    def count(self, s: State) -> None:
        require(not s.over)
        if s.level == 3:
            soft_panic("three")
        s.level += 1

    @action
    def note(self, s: State) -> None:
        require(not s.over and s.level == 2)
        s.log.append(s.level)

    @action
    def alarm(self, s: State) -> None:
        require(s.level == 5 and not self.design.guarded)
        panic("five")

    @action
    def end(self, s: State) -> None:
        require(s.level == 8 and not s.over)
        s.over = True

    @action
    def never(self, s: State) -> None:
        require(s.level == 9 and s.over)


@invariant
def below_seven(s: State) -> bool:
    return s.level < 7


@step_invariant
def the_log_is_kept(before: State, after: State) -> bool:
    return len(after.log) >= len(before.log)


@step_invariant
def four_is_the_end(before: State, after: State) -> bool:
    return after.level <= 4 or before.level > 4


@reachable
def it_ends(s: State) -> bool:
    return s.over


@reachable
def three_notes(s: State) -> bool:
    return len(s.log) == 3


@invariant
def six_cannot_be_judged(s: State) -> bool:
    if s.level == 6:
        panic("six")
    return True
