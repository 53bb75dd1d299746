"""Whether one run satisfies a formula: a lasso, which ends in a cycle.

This evaluates the formula's own recursion on the positions of the lasso. It shares nothing with the automaton, so that each can
check the other.
"""

from __future__ import annotations

from collections.abc import Callable

from explorer.lang.formulas import (
    And,
    Atom,
    Constant,
    Formula,
    Next,
    Not,
    Or,
    Release,
    Until,
)


def satisfies(f: Formula, positions: int, loop: int, holds: Callable[[Atom, int], bool]) -> bool:
    """Whether ``f`` holds at the start of a run of ``positions`` states, the last of which is followed by state ``loop``.

    ``holds(atom, i)`` says whether an atom holds in state i.
    """
    return _Lasso(positions, loop, holds).values(f)[0]


def where(
    f: Formula, positions: int, loop: int, holds: Callable[[Atom, int], bool]
) -> tuple[bool, ...]:
    """Whether ``f`` holds from each state of the lasso on."""
    return tuple(_Lasso(positions, loop, holds).values(f))


class _Lasso:
    def __init__(self, positions: int, loop: int, holds: Callable[[Atom, int], bool]) -> None:
        assert 0 <= loop < positions
        self.after = [*range(1, positions), loop]
        self.holds = holds
        self.known: dict[Formula, list[bool]] = {}

    def values(self, f: Formula) -> list[bool]:
        if f not in self.known:
            self.known[f] = self.compute(f)
        return self.known[f]

    def compute(self, f: Formula) -> list[bool]:
        everywhere = range(len(self.after))
        match f:
            case Constant(value):
                return [value for _ in everywhere]
            case Atom():
                return [self.holds(f, i) for i in everywhere]
            case Not(operand):
                return [not v for v in self.values(operand)]
            case Next(operand):
                inner = self.values(operand)
                return [inner[self.after[i]] for i in everywhere]
            case And(left, right):
                return [a and b for a, b in zip(self.values(left), self.values(right), strict=True)]
            case Or(left, right):
                return [a or b for a, b in zip(self.values(left), self.values(right), strict=True)]
            case Until(left, right):
                # The least solution of u = right | left & X u.
                a, b = self.values(left), self.values(right)
                return self.solution(False, lambda u, i: b[i] or (a[i] and u[self.after[i]]))
            case Release(left, right):
                # The greatest solution of r = right & (left | X r).
                a, b = self.values(left), self.values(right)
                return self.solution(True, lambda r, i: b[i] and (a[i] or r[self.after[i]]))
        raise AssertionError(f)

    def solution(self, start: bool, step: Callable[[list[bool], int], bool]) -> list[bool]:
        result = [start for _ in self.after]
        while True:
            new = [step(result, i) for i in range(len(self.after))]
            if new == result:
                return result
            result = new
