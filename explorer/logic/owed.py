"""Why a run does not satisfy a formula: what it owes, and since when."""

from __future__ import annotations

from collections.abc import Callable, Iterator

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
    is_plain,
)
from explorer.logic.lasso import where
from explorer.logic.normal import normal_form


def owed(
    f: Formula, positions: int, loop: int, holds: Callable[[Atom, int], bool]
) -> tuple[str, ...]:
    """Why ``f`` is false at the start of a run of ``positions`` states, the last of which is followed by state ``loop``.

    One fact a line. State i is called by the step that leads to it: ``after step i``. ``holds(atom, i)`` says whether an atom holds
    there.
    """
    return tuple(_Owed(positions, loop, holds).lines(normal_form(f), 0))


def shown(f: Formula) -> str:
    """A formula for people: its atoms are not in quotes."""
    return str(f).replace('"', "")


def when(position: int) -> str:
    """``after step 3``."""
    return "at the start" if position == 0 else f"after step {position}"


class _Owed:
    """Walks down a formula that is false, to the parts and states that make it so."""

    def __init__(self, positions: int, loop: int, holds: Callable[[Atom, int], bool]) -> None:
        self.positions, self.loop, self.holds = positions, loop, holds
        self.known: dict[Formula, tuple[bool, ...]] = {}

    def is_true(self, f: Formula, position: int) -> bool:
        if f not in self.known:
            self.known[f] = where(f, self.positions, self.loop, self.holds)
        return self.known[f][position]

    def from_on(self, position: int) -> list[int]:
        """A state and those that follow it, each once."""
        later = range(position, self.positions)
        return [*later, *range(self.loop, min(position, self.positions))]

    def lines(self, f: Formula, position: int) -> Iterator[str]:
        """Why ``f``, in negation normal form, is false from a state on."""
        match f:
            case Constant():
                yield "nothing satisfies it"
            case Atom():
                yield f"{shown(f)} does not hold {when(position)}"
            case Not(Atom() as atom):
                yield f"{shown(atom)} holds {when(position)}"
            case And(left, right):
                yield from self.lines(right if self.is_true(left, position) else left, position)
            case Or(left, right):
                # What is about this state first: it is what the rest is owed for.
                for part in sorted((left, right), key=lambda part: not is_plain(part)):
                    yield from self.lines(part, position)
            case Next(operand):
                after = position + 1 if position + 1 < self.positions else self.loop
                yield from self.lines(operand, after)
            case Until(left, right):
                yield from self.until(f, left, right, position)
            case Release(_, right):
                wrong = next(i for i in self.from_on(position) if not self.is_true(right, i))
                yield from self.lines(right, wrong)

    def until(self, f: Formula, left: Formula, right: Formula, position: int) -> Iterator[str]:
        wrong = next((i for i in self.from_on(position) if not self.is_true(left, i)), None)
        if wrong is None:
            yield (
                f"{when(position)} {shown(f)} is owed: {shown(right)} holds neither then nor later"
            )
            if not is_plain(right):
                # It is false everywhere; what repeats is the reason.
                for line in self.lines(right, max(position, self.loop)):
                    yield f"again and again: {line}"
            return
        yield f"{when(position)} {shown(f)} is owed: {shown(right)} does not hold before {shown(left)} ends"
        yield from self.lines(left, wrong)
