"""The steps that matter: a slice of a run, backwards from what its property reads.

A dynamic slice (Korel and Laski, "Dynamic program slicing", 1988) on the scalar IR. It starts with the leaves of the state that decide
the property at the end. A step matters if it changes a leaf that is asked for; then the leaves that decided what it wrote there, and those
that decided that it could be taken, are asked for in the state before it. Only values count that were really used: see ``decides``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from explorer.compiler.lower import Lowered
from explorer.explain.decides import Deciding, Mask, numbers
from explorer.explain.rerun import Rerun
from explorer.lang.run import Failed, Instance, instances
from explorer.lang.temporal import Bound
from explorer.trace.lasso import Lasso, play_in
from explorer.trace.replay import Played, ReplayMismatch, confirm

PROPERTY, CYCLE = 0, -1
"""Stand among the steps that read a value for the property, and for the cycle of a run, which has to come back to where it begins."""


@dataclass(frozen=True)
class Wrote:
    """A place of the state that a step changed and that is read later: by steps, given by number, the property, or the cycle."""

    place: str
    readers: tuple[int, ...]


@dataclass(frozen=True)
class Slice:
    """The steps that matter, by number, and what each wrote that is read later.

    ``alone`` is whether these steps alone were replayed and are a run in which the property fails (is reached); if not, ``problem``
    says why they are not.
    """

    steps: tuple[int, ...]
    wrote: dict[int, tuple[Wrote, ...]]
    alone: bool
    problem: str | None = None


def causes(rerun: Rerun, lowered: Lowered) -> Slice:
    """The slice of a run. That what is left out keeps a step from failing is taken into account only where it makes a difference."""
    found = _Slicer(rerun, lowered).slice(guarded=False)
    if not found.alone:
        careful = _Slicer(rerun, lowered).slice(guarded=True)
        if careful.alone or len(careful.steps) > len(found.steps):
            return careful
    return found


@dataclass
class _Wanted:
    """The leaves that are asked for, and by whom."""

    readers: dict[int, set[int]] = field(default_factory=dict)

    def ask(self, mask: Mask, reader: int) -> None:
        for leaf in numbers(mask):
            self.readers.setdefault(leaf, set()).add(reader)

    def take(self, leaf: int) -> set[int]:
        return self.readers.pop(leaf)


class _Slicer:
    def __init__(self, rerun: Rerun, lowered: Lowered) -> None:
        self.rerun, self.lowered, self.program = rerun, lowered, lowered.program
        self.played = rerun.played
        self.size = len(self.program.leaves)
        self.deciding = Deciding(self.size, lowered.switch_values)
        order = {instance: i for i, instance in enumerate(instances(rerun.system))}
        self.taken = [order[i] for i in self.played.taken]
        with rerun.system:
            self.states = [lowered.flatten(s) for s in self.played.states]
        self.wanted = _Wanted()
        self.wrote: dict[int, tuple[Wrote, ...]] = {}
        # What a step property reads in the state before the last step.
        self.before: Mask = 0

    def slice(self, *, guarded: bool) -> Slice:
        kept = self._begin(guarded)
        loop = self.rerun.trace.loop
        rest = len(self.taken)
        if loop is not None:
            self._around(loop, kept, guarded)
            rest = loop
        for number in range(rest, 0, -1):
            self._back(number, number in kept, guarded)
        steps = tuple(sorted(self.wrote))
        problem = self._problem(steps)
        return Slice(steps, {n: self.wrote[n] for n in steps}, problem is None, problem)

    def _back(self, number: int, kept: bool, guarded: bool) -> None:
        if number < len(self.states):
            self._step(number, kept, guarded)
        self._atoms(number - 1)

    def _around(self, loop: int, kept: frozenset[int], guarded: bool) -> None:
        """Back through a cycle, until what is asked for where it begins is asked for where it ends as well."""
        while True:
            asked = {leaf: set(readers) for leaf, readers in self.wanted.readers.items()}
            for number in range(len(self.taken), loop, -1):
                self._back(number, number in kept, guarded)
            if self.wanted.readers.keys() <= asked.keys():
                return
            for leaf, readers in asked.items():
                self.wanted.readers.setdefault(leaf, set()).update(readers)

    # Where it begins

    def _begin(self, guarded: bool) -> frozenset[int]:
        """Asks for what the property reads; the steps that matter whatever they change."""
        rerun, last = self.rerun, len(self.taken)
        if rerun.stated is not None:
            return self._begin_lasso()
        if rerun.declared is not None:
            predicate = next(p for p in self.program.predicates if p.name == rerun.declared.name)
            if predicate.kind == "step_invariant":
                _, mask = self.deciding.look(predicate.holds, self.states[-2], self.states[-1])
                # Leaves after the step are asked for first; the step itself then asks for those before it.
                self.wanted.ask(mask >> self.size, PROPERTY)
                self.before = mask & (1 << self.size) - 1
                return frozenset([last])
            self.wanted.ask(self.deciding.look(predicate.holds, self.states[-1])[1], PROPERTY)
            return frozenset()
        if rerun.trace.property_name == "deadlock":
            for transition in self.program.transitions:
                self._ask_look(transition.disabled, self.states[-1])
            self._ask_look(self.program.final.holds, self.states[-1])
            return frozenset()
        self._begin_failure(last, guarded)
        return frozenset([last])

    def _begin_failure(self, last: int, guarded: bool) -> None:
        """What decides that the last step fails."""
        transition = self.program.transitions[self.taken[-1]]
        state = self.states[last - 1]
        soft = not isinstance(self.played.outcomes[-1], Failed) or (
            self.rerun.trace.property_name in self.played.outcomes[-1].soft
        )
        name = self.program.failure_names.index(self.rerun.trace.property_name)
        failures = transition.soft if soft else transition.failures
        for failure in failures:
            if failure.failure == name and self.deciding.value(failure.condition, state):
                self._ask_look(failure.condition, state, last)
                break
        self._guard(last, guarded, reader=last)
        self.wrote[last] = ()

    def _begin_lasso(self) -> frozenset[int]:
        """The steps of a cycle all matter, for it is fair and comes back to where it began; so does what it writes, and what keeps
        fair steps disabled."""
        loop = self.rerun.trace.loop or 0
        for number in self.taken[loop:]:
            for leaf in self.program.transitions[number].updates:
                self.wanted.ask(1 << leaf, CYCLE)
        for position in range(loop, len(self.states)):
            for fair in self.rerun.fair:
                for number in sorted(fair.instances):
                    disabled = self.program.transitions[number].disabled
                    if self.deciding.value(disabled, self.states[position]):
                        self._ask_look(disabled, self.states[position])
        self._atoms(len(self.states) - 1)
        return frozenset(range(loop + 1, len(self.taken) + 1))

    def _atoms(self, position: int) -> None:
        """What the formula is about, in a state of a run that goes on for ever."""
        if self.rerun.stated is None:
            return
        for bound, label in zip(self.lowered.labels, self.program.labels, strict=True):
            if bound in self._bound():
                self._ask_look(label.holds, self.states[position])

    def _bound(self) -> tuple[Bound, ...]:
        assert self.rerun.stated is not None
        return self.rerun.stated.atoms()

    def _ask_look(self, node: Any, state: Sequence[int], reader: int = PROPERTY) -> None:
        self.wanted.ask(self.deciding.look(node, state)[1], reader)

    # Backwards

    def _step(self, number: int, kept: bool, guarded: bool) -> None:
        """One step that has a successor."""
        before, after = self.states[number - 1], self.states[number]
        changed = [leaf for leaf in sorted(self.wanted.readers) if before[leaf] != after[leaf]]
        if not changed and not kept:
            return
        updates = self.program.transitions[self.taken[number - 1]].updates
        self.wrote[number] = tuple(
            Wrote(place_of(self.program.leaves[leaf].path), tuple(sorted(self.wanted.take(leaf))))
            for leaf in changed
        )
        for leaf in changed:
            self._ask_look(updates[leaf], before, number)
        self._guard(number, guarded, reader=number)
        if number == len(self.taken):
            self.wanted.ask(self.before, PROPERTY)

    def _guard(self, number: int, guarded: bool, *, reader: int) -> None:
        """What decides that a step can be taken, and, if ``guarded``, that it does not fail otherwise."""
        transition = self.program.transitions[self.taken[number - 1]]
        state = self.states[number - 1]
        self._ask_look(transition.disabled, state, reader)
        if guarded:
            for other in (*transition.failures, *transition.cuts):
                if not self.deciding.value(other.condition, state):
                    self._ask_look(other.condition, state, reader)

    # Alone

    def _problem(self, steps: tuple[int, ...]) -> str | None:
        """Why the steps are no counterexample by themselves; None if they are."""
        rerun = self.rerun
        taken = [self.played.taken[n - 1] for n in steps]
        if len(taken) == len(self.taken):
            return None
        try:
            played = play_in(rerun.system, self.played.init, taken)
            if rerun.stated is None:
                with rerun.system:
                    confirm(rerun.system, played, rerun.trace.property_name, rerun.declared)
                return None
            return self._lasso_problem(played, steps)
        except ReplayMismatch:
            return _stuck(rerun, taken, steps)

    def _lasso_problem(self, played: Played, steps: tuple[int, ...]) -> str | None:
        rerun = self.rerun
        assert rerun.stated is not None
        loop = sum(1 for n in steps if n <= (rerun.trace.loop or 0))
        return Lasso(rerun.system, played, loop, rerun.stated, rerun.fair).problem()


def _stuck(rerun: Rerun, taken: list[Instance], steps: tuple[int, ...]) -> str:
    """Which of the steps is not possible without those left out."""
    for count in range(1, len(taken) + 1):
        try:
            play_in(rerun.system, rerun.played.init, taken[:count])
        except ReplayMismatch:
            return f"cannot take step {steps[count - 1]} without the others"
        except Exception:
            break
    return "does not end in the violation"


def place_of(path: str) -> str:
    """The place of the state that a leaf belongs to, as the changes of a trace name it."""
    for mark in (" is not None", " is"):
        if path.endswith(mark):
            return path.removesuffix(mark)
    if path.startswith("len(") and path.endswith(")"):
        return path[4:-1]
    name, inside, owner = path.rpartition(" in ")
    return f"{owner}[{name}]" if inside else path


def is_part(place: str, change: str) -> bool:
    """Whether a place is what a trace shows as a change, or is part of it."""
    return place == change or place.startswith((f"{change}.", f"{change}["))
