"""The tower of Hanoi with N discs and three pegs.

3^N states (any disc may be on any peg: the order on a peg is fixed). Moving the tower takes 2^N - 1
moves, and no position is farther from the start. Transitions: from every position the smallest disc has two
moves, and one other disc has one unless all are on one peg, so 3 * 3^N - 3.
"""

from __future__ import annotations

from enum import Enum

from explorer.lang import Map, Ordinal, System, action, reachable, record, require


class Disc(Ordinal):
    """A disc; the first one is the smallest."""


class Peg(Enum):
    """A peg."""

    LEFT = 0
    MIDDLE = 1
    RIGHT = 2


@record
class State:
    """The peg of each disc."""

    peg: Map[Disc, Peg]


class Hanoi(System[State]):
    """Move the smallest disc of a peg to a peg without a smaller one; all start on the left."""

    default_scope = {"Disc": 3}

    @action
    def move(self, s: State, disc: Disc, to: Peg) -> None:
        require(to != s.peg[disc])
        require(all(s.peg[d] != s.peg[disc] and s.peg[d] != to for d in Disc if d < disc))
        s.peg[disc] = to


@reachable
def the_tower_is_on_the_right(s: State) -> bool:
    return all(s.peg[d] == Peg.RIGHT for d in Disc)
