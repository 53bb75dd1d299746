"""A system whose cut sets are known."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated

from explorer.lang import Between, System, action, invariant, panic, reachable, record, require


class Mode(Enum):
    """How the door is guarded."""

    LOCKED = 0
    ALARMED = 1
    OPEN = 2


@dataclass(frozen=True)
class Design:
    """``a`` and ``b`` guard the same; ``c`` helps whoever wants in if ``a`` is gone; ``d`` guards nothing."""

    a: bool = True
    b: bool = True
    c: bool = True
    d: bool = True
    mode: Mode = Mode.LOCKED
    thieves: bool = True
    tries: Annotated[int, Between(1, 3)] = 1
    extra: bool = False


@record
class State:
    """Whether somebody is in, and how many tried."""

    inside: bool
    tried: Annotated[int, Between(0, 3)]


class House(System[State]):
    """A house."""

    design = Design()
    environment = ("thieves",)
    presets = {"bare": {"a": False, "b": False}}

    @action
    def enter(self, s: State) -> None:
        """Somebody tries to get in."""
        require(self.design.thieves and not s.inside and s.tried < self.design.tries)
        s.tried += 1
        guarded = self.design.a or self.design.b
        s.inside = not guarded or self.design.mode == Mode.OPEN

    @action
    def leave(self, s: State) -> None:
        """And out; without ``a`` the ladder that is ``c`` is in the way."""
        require(s.inside)
        if not self.design.a and self.design.c:
            panic("the ladder")
        s.inside = False

    def is_final(self, s: State) -> bool:
        """Everybody has tried."""
        return True


@invariant
def nobody_is_in(s: State) -> bool:
    """The house is empty."""
    return not s.inside


@invariant
def few_try(s: State) -> bool:
    """As many as may."""
    return s.tried < 3


@reachable
def somebody_tries(s: State) -> bool:
    """At least once."""
    return s.tried > 0
