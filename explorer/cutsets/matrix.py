"""Property by mechanism: how many mechanisms have to go, this one among them, before the property is violated."""

from __future__ import annotations

from dataclasses import dataclass

from explorer.cutsets.mechanisms import Mechanism
from explorer.cutsets.search import CutSets, Row


@dataclass(frozen=True)
class Cell:
    """``size`` of the smallest cut set with the mechanism, and the shortest ``length`` of those of that size."""

    size: int
    length: int | None


@dataclass(frozen=True)
class Line:
    """A property, and its cell for each column; None: the mechanism is in no set."""

    row: Row
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True)
class Matrix:
    """Properties that have a cut set, by mechanisms that are in one."""

    columns: tuple[Mechanism, ...]
    lines: tuple[Line, ...]


def matrix_of(answer: CutSets) -> Matrix:
    """What of an answer fits into a table. A property that fails with all mechanisms in place hangs on none."""
    rows = [row for row in answer.rows if any(c.parts for c in row.cut_sets)]
    columns = tuple(m for m in answer.mechanisms if any(_cell(row, m) for row in rows))
    return Matrix(columns, tuple(Line(row, tuple(_cell(row, m) for m in columns)) for row in rows))


def _cell(row: Row, mechanism: Mechanism) -> Cell | None:
    sets = [c for c in row.cut_sets if mechanism in c.parts]
    if not sets:
        return None
    size = min(len(c.parts) for c in sets)
    lengths = [c.length for c in sets if len(c.parts) == size and c.length is not None]
    return Cell(size, min(lengths, default=None))
