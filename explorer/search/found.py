"""What a search found."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from explorer.compiler.native import Native
from explorer.compiler.packing import Words
from explorer.search.history import History


class InternalError(Exception):
    """The compiler or the search contradicts itself; no verdict can be trusted."""


@dataclass(frozen=True)
class Occurrence:
    """Where something was found first: in a state, or in the step of an instance from it."""

    state: int
    instance: int | None = None


@dataclass(frozen=True)
class Found:
    """What a search found, complete or not.

    ``properties`` runs parallel to the program's predicates (the violation or the witness), ``failures`` to its
    ``failure_names``, ``cuts`` (how often) to its ``cut_names``, ``enabled`` and ``taken`` to its actions. ``unclear``
    lists the predicates whose evaluation failed, -1 for the program's ``final``. ``stopped`` says why the search
    ended early; then what was not found is unknown. The first states are initial ones: those whose
    numbers are in ``choices``. ``depth`` is the greatest distance of a state from the initial ones, ``idle`` the first state, not
    final, whose steps all lead to itself, ``expanded`` how
    many states' steps were taken. ``threads`` are those of the instances by number, where they matter.
    """

    native: Native
    states: int
    transitions: int
    depth: int
    choices: tuple[int, ...]
    properties: tuple[Occurrence | None, ...]
    failures: tuple[Occurrence | None, ...]
    unclear: tuple[tuple[int, Occurrence], ...]
    cuts: tuple[int, ...]
    deadlock: int | None
    enabled: tuple[int, ...]
    taken: tuple[int, ...]
    stopped: str | None
    rows: Words
    history: History
    expanded: int = 0
    threads: tuple[int, ...] = ()
    idle: int | None = None

    @property
    def initial(self) -> int:
        """How many initial states there are."""
        return len(self.choices)

    @property
    def complete(self) -> bool:
        """Whether everything within the scope was explored."""
        return self.stopped is None and not any(self.cuts)

    def origin(self, state: int) -> tuple[int, int]:
        """The first step into a state that is not initial: its predecessor and the instance.

        Raises
        ------
        InternalError
            There is none.
        """
        found = self.history.origin(state)
        if found is None:
            raise InternalError("a state that the search found cannot be reached again")
        return found

    def chain(self, state: int) -> tuple[int, list[tuple[int, int]]]:
        """The first shortest way to a state: the number of its initial state, then instances and the states they lead to."""
        steps: list[tuple[int, int]] = []
        while state >= self.initial:
            predecessor, instance = self.origin(state)
            steps.append((instance, state))
            state = predecessor
        steps.reverse()
        return self.choices[state], steps

    def path(self, state: int) -> tuple[int, list[int]]:
        """A shortest path to a state, the first in declaration order: which initial state, and the instances taken."""
        number, steps = self.chain(state)
        return number, [instance for instance, _ in steps]

    def ends(self, last: int) -> list[int]:
        """The number of the first state after each level, up to the level of the state ``last``."""
        return self.history.ends(self.initial, last, self.depth)

    def levels(self) -> list[int]:
        """How many states there are at each distance."""
        ends = [0, *self.ends(self.states - 1)]
        return [end - start for start, end in pairwise(ends)]

    def values(self, state: int) -> tuple[int, ...]:
        """A state as one number per leaf."""
        return self.native.unpack(self.rows[state])
