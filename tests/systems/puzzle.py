"""The sliding puzzle: a board of width x height squares, one of them empty.

    width x height    2 x 2  3 x 2    3 x 3
    distinct states      12    360  181,440
    depth                 6     21       31

The number of states is (width * height)! / 2: sliding reaches exactly the even arrangements. So Sam
Loyd's prize for exchanging the last two tiles was never at risk.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

from explorer.lang import Between, Map, System, action, invariant, reachable, record, require

Row: TypeAlias = Annotated[int, Between(1, "Height")]
Column: TypeAlias = Annotated[int, Between(1, "Width")]


@record(frozen=True)
class Square:
    """A square of the board; a tile is named by the square it belongs on."""

    row: Row
    column: Column


@record
class State:
    """Which tile lies on each square. The tile that belongs on the first square is the hole."""

    tile: Map[Square, Square]
    hole: Square


def adjacent(a: Square, b: Square) -> bool:
    """Whether the two squares share an edge."""
    same_row = a.row == b.row and (a.column == b.column + 1 or b.column == a.column + 1)
    same_column = a.column == b.column and (a.row == b.row + 1 or b.row == a.row + 1)
    return same_row or same_column


class Puzzle(System[State]):
    """The puzzle from its solved position, the hole in a corner."""

    default_scope = {"Width": 3, "Height": 2}

    def init(self, s: State) -> None:
        for square in s.tile:
            s.tile[square] = square

    @action
    def slide(self, s: State, square: Square) -> None:
        require(adjacent(square, s.hole))
        moved = s.tile[square]
        s.tile[square] = s.tile[s.hole]
        s.tile[s.hole] = moved
        s.hole = square


@invariant
def the_hole_is_where_the_board_shows_it(s: State) -> bool:
    return s.tile[s.hole] == Square(1, 1)


@invariant
def exactly_two_tiles_are_never_exchanged(s: State) -> bool:
    return sum(1 for square in s.tile if s.tile[square] != square) != 2 or s.hole != Square(1, 1)


@reachable
def the_hole_is_back_and_the_board_is_not_solved(s: State) -> bool:
    return s.hole == Square(1, 1) and any(s.tile[square] != square for square in s.tile)
