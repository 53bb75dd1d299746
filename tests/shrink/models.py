"""Small systems whose shortest runs are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from explorer.lang import (
    Between,
    Map,
    Ordinal,
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


class Cell(Sort):
    """A cell."""


class Level(Ordinal):
    """How full a cell is."""


@dataclass(frozen=True)
class Design:
    """What keeps cells from overflowing."""

    valve: bool = True
    float_switch: bool = True
    drain: bool = True
    watch: bool = True
    limit: Annotated[int, Between(1, 3)] = 1


@record
class Tank:
    """Cells, a tally that grows with every step, and whether somebody looks."""

    level: Map[Cell, Level]
    over: Map[Cell, bool]
    looks: bool
    tally: Annotated[int, Between(0, 200_000)]


class Overflow:
    """Anybody may fill."""


class Tanks(System[Tank]):
    """Two mechanisms back the valve up; the watch is a mechanism of its own."""

    default_scope = {"Cell": 3, "Level": 3}
    design = Design()
    presets = {
        "open": {"valve": False, "float_switch": False, "drain": False, "watch": False},
        "mixed": (Overflow, {"watch": False}),
    }

    def init(self, s: Tank) -> None:
        s.tally = 0

    @action(thread="cell")
    def fill(self, s: Tank, cell: Cell) -> None:
        require(not s.over[cell])
        if s.level[cell] < Level.last():
            s.level[cell] = s.level[cell].next()
        else:
            require(not self.design.valve or not self.design.watch)
            require(self.design.valve or not self.design.float_switch or not self.design.watch)
            s.over[cell] = True

    @action(thread="cell")
    def empty(self, s: Tank, cell: Cell) -> None:
        s.level[cell] = Level.first()
        s.over[cell] = False

    @action
    def look(self, s: Tank) -> None:
        s.looks = not s.looks

    @action
    def warn(self, s: Tank) -> None:
        require(s.looks and any(s.over[c] for c in Cell))
        soft_panic("wet")
        s.looks = False

    @action
    def slip(self, s: Tank, cell: Cell) -> None:
        require(s.over[cell])
        panic("slipped")


class Counter(System[Tank]):
    """Counts."""

    default_scope = {"Cell": 1, "Level": 1}

    def init(self, s: Tank) -> None:
        s.tally = 0

    @action
    def count(self, s: Tank) -> None:
        require(s.tally < 200_000)
        s.tally += 1


@invariant
def nothing_is_wet(s: Tank) -> bool:
    return not any(s.over[c] for c in Cell)


@step_invariant
def levels_move_by_one(before: Tank, after: Tank) -> bool:
    return all(
        after.level[c] <= before.level[c] or after.level[c] == before.level[c].next() for c in Cell
    )


@reachable
def two_are_half_full(s: Tank) -> bool:
    return any(
        c != d and s.level[c] > Level.first() and s.level[d] > Level.first()
        for c in Cell
        for d in Cell
    )
