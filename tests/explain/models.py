"""Systems of a few steps, whose explanations are plain."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated

from explorer.lang import (
    Between,
    Formula,
    System,
    action,
    always_eventually,
    invariant,
    leads_to,
    panic,
    reachable,
    record,
    require,
    soft_panic,
    step_invariant,
    temporal,
    weak,
)


class Who(Enum):
    """The threads."""

    LEFT = 0
    RIGHT = 1


Number = Annotated[int, Between(0, 3)]


@dataclass(frozen=True)
class Design:
    """What may be done."""

    detour: bool = True
    loud: bool = False


@record
class Walk:
    """How far one has gone, what is noted beside the way, and whether the way is blocked."""

    at: Number
    noted: Number
    blocked: bool
    over: bool


class Walking(System[Walk]):
    """LEFT walks to the end, where it falls over what RIGHT left there; RIGHT may also clear the way, at first."""

    design = Design()

    def describe(self, s: Walk) -> str:
        """How far, and what is there."""
        return f"at {s.at},\n{'blocked' if s.blocked else 'free'}"

    def is_final(self, s: Walk) -> bool:
        return s.over or (s.at == 3 and not s.blocked)

    @action(thread=Who.LEFT)
    def go(self, s: Walk) -> None:
        """Takes a step."""
        require(s.at < 3)
        s.at += 1

    @action(thread=Who.LEFT)
    def fall(self, s: Walk) -> None:
        require(s.at == 3 and not s.over)
        require(s.blocked)
        s.over = True
        if self.design.loud:
            soft_panic("a noise")

    @action(thread=Who.RIGHT)
    def block(self, s: Walk) -> None:
        require(not s.blocked and s.at == 0)
        s.blocked = True

    @action(thread=Who.RIGHT)
    def clear(self, s: Walk, more: bool) -> None:
        """Clears the way, and {more} is {{more}} or {nothing} of it."""
        require(self.design.detour)
        require(s.blocked and s.at < 2)
        s.blocked = False

    @action
    def note(self, s: Walk) -> None:
        require(s.noted < 3)
        s.noted += 1


class Polite(Walking):
    """Who can go on does."""

    fairness = (weak("go", "fall"),)


class Shaky(Walking):
    """Steps may also fail altogether."""

    @action(thread=Who.LEFT)
    def stumble(self, s: Walk) -> None:
        require(s.at == 2)
        if s.blocked:
            panic("over the edge")


class Numb(Walking):
    """Nobody falls: LEFT does not get past what is there."""

    @action(thread=Who.LEFT)
    def fall(self, s: Walk) -> None:
        require(s.at == 3 and not s.over and not s.blocked)
        s.over = True


@invariant
def nobody_falls(s: Walk) -> bool:
    return not s.over


@step_invariant
def one_step_at_a_time(before: Walk, after: Walk) -> bool:
    return not (after.over and not before.over)


@reachable
def the_way_is_free_again(s: Walk) -> bool:
    return s.at == 1 and not s.blocked


@record
class Lamp:
    """Whether it is on, and whether it is broken."""

    on: bool
    broken: bool


class Switching(System[Lamp]):
    """A lamp that is switched on and off, and may break."""

    fairness = (weak("press"),)

    @action
    def press(self, s: Lamp) -> None:
        require(not s.broken)
        s.on = not s.on

    @action
    def smash(self, s: Lamp) -> None:
        require(not s.broken)
        s.broken = True
        s.on = False

    @action
    def dust(self, s: Lamp) -> None:
        """Nothing comes of it."""


def lit(s: Lamp) -> bool:
    return s.on


def dark(s: Lamp) -> bool:
    return not s.on


@temporal
def it_is_lit_again_and_again() -> Formula:
    return always_eventually(lit)


@temporal
def what_is_lit_stays_so_for_ever() -> Formula:
    return leads_to(lit, dark) & ~leads_to(lit, dark)
