"""Die Hard's jugs: one of 3 litres, one of 5, a tap; the heroes must measure exactly 4 litres.

16 distinct states, 97 generated (96 transitions, those that change nothing included, and the initial state).
The invariant "never four litres" is meant to fail: its shortest counterexample, 6 steps, saves the heroes.

Source: github.com/tlaplus/Examples (specifications/DieHard).
"""

from __future__ import annotations

from typing import Annotated

from explorer.lang import Between, System, action, invariant, reachable, record


@record
class State:
    """The litres in each jug. The bounds are checked at every store: no jug is ever overfull."""

    small: Annotated[int, Between(0, 3)]
    big: Annotated[int, Between(0, 5)]


class Jugs(System[State]):
    """Fill a jug, empty it, or pour it into the other one until that is full."""

    @action
    def fill_small(self, s: State) -> None:
        s.small = 3

    @action
    def fill_big(self, s: State) -> None:
        s.big = 5

    @action
    def empty_small(self, s: State) -> None:
        s.small = 0

    @action
    def empty_big(self, s: State) -> None:
        s.big = 0

    @action
    def pour_small_into_big(self, s: State) -> None:
        poured = min(s.small, 5 - s.big)
        s.small -= poured
        s.big += poured

    @action
    def pour_big_into_small(self, s: State) -> None:
        poured = min(s.big, 3 - s.small)
        s.big -= poured
        s.small += poured


@invariant
def never_four_litres(s: State) -> bool:
    return s.big != 4


@reachable
def four_litres(s: State) -> bool:
    return s.big == 4
