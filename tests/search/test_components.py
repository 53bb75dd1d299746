"""Properties typed on a part of the state hold of all its occurrences: in pools, in maps, in records that derive from it."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from explorer import (
    Between,
    Map,
    Pool,
    Sort,
    System,
    action,
    invariant,
    reachable,
    record,
    require,
    step_invariant,
)
from explorer.lang.properties import idle_properties
from explorer.reference.search import explore
from explorer.search.check import check


class Ref(Sort): ...


@record
class Cell:
    level: Annotated[int, Between(0, 3)]


@record
class Wide(Cell):
    flag: bool


@record
class InPool:
    cells: Pool[Ref, Cell]


@record
class InMap:
    cells: Map[bool, Wide]


@record
class Nowhere:
    flag: bool


class Pooled(System[InPool]):
    default_scope = {"Ref": 2}

    @action
    def add(self, s: InPool) -> None:
        s.cells.alloc(Cell(level=1))

    @action
    def raise_level(self, s: InPool, r: Ref) -> None:
        require(r in s.cells)
        s.cells[r].level += 1

    @action
    def remove(self, s: InPool, r: Ref) -> None:
        require(r in s.cells)
        s.cells.free(r)


class Mapped(System[InMap]):
    @action
    def raise_level(self, s: InMap, key: bool) -> None:
        s.cells[key].level += 1


class Own(System[Wide]):
    @action
    def raise_level(self, s: Wide) -> None:
        s.level += 1


@invariant
def a_cell_is_low(cell: Cell) -> bool:
    return cell.level < 2


@step_invariant
def a_cell_never_falls(before: Cell, after: Cell) -> bool:
    return after.level >= before.level


@reachable
def a_cell_is_full(cell: Cell) -> bool:
    return cell.level == 3


@invariant
def nobody_asks(s: Nowhere) -> bool:
    return s.flag


LENGTHS: list[tuple[type[System[Any]], dict[str, int | None]]] = [
    (Pooled, {"a_cell_is_low": 2, "a_cell_never_falls": None, "a_cell_is_full": 3}),
    (Mapped, {"a_cell_is_low": 2, "a_cell_never_falls": None, "a_cell_is_full": 3}),
    (Own, {"a_cell_is_low": 2, "a_cell_never_falls": None, "a_cell_is_full": 3}),
]


@pytest.mark.parametrize(("cls", "lengths"), LENGTHS)
def test_every_occurrence_is_looked_at(
    cls: type[System[Any]], lengths: dict[str, int | None]
) -> None:
    for result in (check(cls()), explore(cls()).result):
        declared = [p for p in result.properties if p.kind not in ("failure", "deadlock")]
        assert {p.name: p.length for p in declared} == lengths
        assert result.states == check(cls()).states


def test_a_property_that_applies_to_nothing_is_noticed() -> None:
    idle = idle_properties(__name__, [Pooled(), Mapped(), Own()])
    assert [p.name for p in idle] == ["nobody_asks"]
