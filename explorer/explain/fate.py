"""The point of no return: the last state of a run from which a run that satisfies the property still exists.

A state is *open* if some fair run from there never violates the property (in CTL with fairness: E G ok; for a temporal property:
some fair run goes on from there so that the whole of it satisfies the formula). Once a run has left the open states it does not come
back to one: whatever follows an open state makes its predecessor open, too. So there is one step that loses it, the *point of no return*;
from there on the violation is inevitable under every schedule that is fair.

Jin, Ravi and Somenzi ("Fate and free will in error traces", TACAS 2002) split an error trace in the same spirit into parts that are fated and
parts of free will, by a game between the system and its environment. Here there is one player, the scheduler, and fairness is all
that binds it: a protocol's threads do not play against each other.

Which runs are fair is asked twice. As *declared*: then a run may stop wherever no fair step is enabled, and without any
declaration everywhere, so that the answer is the last step for every safety property. And if *no thread stops*: a run goes on as long as
any step is enabled, and a thread that can take steps all the time takes one in the end (weak fairness to each thread, on top of what is declared).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from explorer.compiler.lower import Lowered
from explorer.explain.marks import Marks, marks_of
from explorer.explain.rerun import Rerun
from explorer.lang.fairness import FairSet, fair_sets, weak
from explorer.lang.formulas import Atom, Formula, Not, always, replace_atoms
from explorer.lang.run import Instance, instances
from explorer.liveness.decide import Fairness, Labelled
from explorer.liveness.graph import NOWHERE, Graph, graph_of
from explorer.liveness.labels import labels_of
from explorer.liveness.lasso import Lasso
from explorer.search.found import Found

Assumption: TypeAlias = Literal["declared", "no thread stops"]
Pause: TypeAlias = Callable[[int, int], None]

OK = always(~Atom(0))
"""Atom 0: the property is violated here."""


class Undecided(Exception):
    """What it says is why there is no answer; ``between`` are the first and the last step that may be it, as far as that is known."""

    def __init__(self, why: str, between: tuple[int, int] | None = None) -> None:
        super().__init__(why)
        self.between = between


@dataclass(frozen=True)
class Escape:
    """A run that leaves the trace and satisfies the property: its steps after the state where it leaves.

    ``loop`` is how many of them come before its cycle: as many as there are if it stops.
    """

    steps: tuple[Instance, ...]
    loop: int

    @property
    def stops(self) -> bool:
        return self.loop == len(self.steps)


@dataclass(frozen=True)
class Turn:
    """Where it was lost under an assumption.

    ``last`` is the number of steps after which the last open state comes, -1 if not even the initial state is open. ``never`` says that
    every state of a run that goes on for ever is open. ``escape`` is a run that leaves there.
    """

    assumption: Assumption
    last: int
    never: bool = False
    escape: Escape | None = None


class Fates:
    """The open states of a run, on the graph of all states that can be reached from it."""

    def __init__(self, rerun: Rerun, lowered: Lowered, found: Found, pause: Pause) -> None:
        """``found`` is a search that starts from the states of the run, without a reduction by symmetry."""
        self._rerun, self._lowered, self._found, self._pause = rerun, lowered, found, pause
        self._instances = instances(rerun.system)
        self.states = found.states
        self._where = self._numbers()
        self._temporal = rerun.stated is not None
        self._graphs: dict[bool, Graph] = {}
        self._labelled: dict[bool, Labelled] = {}
        self._fairness: dict[tuple[bool, tuple[FairSet, ...]], Fairness] = {}

    def turn(self, assumption: Assumption) -> Turn:
        """Where it was lost. Raises Undecided if what was not explored could make a difference."""
        fair = self.fair(assumption)
        certain = self._last_open(fair, generous=False)
        if self._cut:
            self._refuse_if_different(certain, fair)
        last = self._candidates - 1
        escape = self._escape(certain, fair) if certain >= 0 else None
        return Turn(assumption, certain, self._temporal and certain == last, escape)

    def fair(self, assumption: Assumption) -> tuple[FairSet, ...]:
        """What runs are fair to."""
        return self.fair_sets(self._rerun, assumption)

    @staticmethod
    def fair_sets(rerun: Rerun, assumption: Assumption) -> tuple[FairSet, ...]:
        """What an assumption demands of runs."""
        everything = instances(rerun.system)
        declared = rerun.fair
        if rerun.stated is None:
            declared = fair_sets(type(rerun.system).fairness, everything)
        if assumption == "declared":
            return declared
        threads = fair_sets((weak.threads(),), everything)
        return (*declared, *threads, FairSet("any step", False, frozenset(range(len(everything)))))

    # The states of the run

    def _numbers(self) -> list[int]:
        """The number that the graph has for each state of the run."""
        with self._rerun.system:
            rows = [self._lowered.flatten(s) for s in self._rerun.played.states]
        known: dict[tuple[int, ...], int] = {}
        for number, choice in enumerate(self._found.choices):
            known.setdefault(rows[choice], number)
        if any(row not in known for row in rows):
            raise Undecided("the run alone has more states than the limit allows")
        return [known[row] for row in rows]

    @property
    def _candidates(self) -> int:
        """How many states of the run may be open: those before the violation."""
        if self._temporal or self._rerun.trace.kind == "failure":
            count = len(self._rerun.played.states)
            soft = count > len(self._rerun.played.taken)
            return count - 1 if soft and not self._temporal else count
        return len(self._rerun.played.states) - 1

    def _last_open(self, fair: tuple[FairSet, ...], *, generous: bool, known: int = -1) -> int:
        """The last open state, -1 if none is; open states come first, and ``known`` is one (or -1)."""
        low, high = known, self._candidates - 1
        # Mostly nothing is lost until the end, or nothing more is gained than what is known.
        probes = [high] if known < 0 else [known + 1]
        while low < high:
            middle = probes.pop() if probes else (low + high + 1) // 2
            self._pause(0, 1)
            if self._is_open(middle, fair, generous=generous):
                low = middle
            else:
                high = middle - 1
        return low

    def _is_open(self, position: int, fair: tuple[FairSet, ...], *, generous: bool) -> bool:
        labelled, fairness = self._from(position, fair, generous=generous)
        return not labelled.satisfies(Not(self._formula), fairness)

    def _escape(self, position: int, fair: tuple[FairSet, ...]) -> Escape:
        """A shortest run that satisfies the property and leaves the trace after ``position`` steps."""
        labelled, fairness = self._from(position, fair, generous=False)
        found = labelled.violation(Not(self._formula), fairness)
        assert found is not None
        return self._steps(found, position if self._temporal else 0)

    def _steps(self, lasso: Lasso, passed: int) -> Escape:
        prefix = [self._instances[i] for i, _ in lasso.prefix[passed:]]
        cycle = [self._instances[i] for i, _ in lasso.cycle]
        return Escape((*prefix, *cycle), len(prefix))

    # Graphs

    @property
    def _cut(self) -> bool:
        return not self._found.complete

    def _refuse_if_different(self, certain: int, fair: tuple[FairSet, ...]) -> None:
        """Raises Undecided if a state that was not found open may be so beyond what was explored."""
        most = self._candidates - 1
        if certain < most and not self._temporal:
            most = self._last_open(fair, generous=True, known=certain)
        if certain == most:
            return
        used_up = [
            name
            for name, count in zip(self._lowered.program.cut_names, self._found.cuts, strict=True)
            if count
        ]
        why = self._found.stopped or f"{', '.join(used_up)} used up"
        raise Undecided(why, None if self._temporal else (certain + 1, most + 1))

    @cached_property
    def _formula(self) -> Formula:
        if not self._temporal:
            return OK
        assert self._rerun.stated is not None
        numbers = {bound: i for i, bound in enumerate(self._lowered.labels)}

        def number(atom: Atom) -> Formula:
            return Atom(numbers[atom.what])  # type: ignore[index]

        return replace_atoms(self._rerun.stated.formula, number)

    @cached_property
    def _marks(self) -> Marks:
        trace = self._rerun.trace
        return marks_of(
            self._found, self._lowered.switch_values, trace.property_name, trace.kind, self._pause
        )

    @cached_property
    def _plain(self) -> Graph:
        return graph_of(self._found, self._lowered.switch_values, self._pause)

    def _graph(self, generous: bool) -> Graph:
        """The states and, except for temporal properties, two more: where a wrong step leads, and where one may that was not explored."""
        if self._temporal:
            return self._plain
        if generous not in self._graphs:
            self._graphs[generous] = _with_ends(self._plain, self._marks, generous=generous)
        return self._graphs[generous]

    def _base(self, generous: bool) -> Labelled:
        if generous not in self._labelled:
            if self._temporal:
                labels = labels_of(self._found, self._lowered.switch_values, self._pause)
            else:
                labels = np.zeros((self.states + 2, 1), np.uint64)
                labels[: self.states, 0] = self._marks.states
                labels[self.states, 0] = 1
            self._labelled[generous] = Labelled(self._graph(generous), labels, pause=self._pause)
        return self._labelled[generous]

    def _fair_on(self, fair: tuple[FairSet, ...], generous: bool) -> Fairness:
        key = generous, fair
        if key not in self._fairness:
            self._fairness[key] = self._base(generous).fairness(
                len(self._instances),
                [s.instances for s in fair if not s.strong],
                [s.instances for s in fair if s.strong],
            )
        return self._fairness[key]

    def _from(
        self, position: int, fair: tuple[FairSet, ...], *, generous: bool
    ) -> tuple[Labelled, Fairness]:
        """The graph with the runs that begin like the trace, up to a state: what a formula says of a run depends on its beginning."""
        base, fairness = self._base(generous), self._fair_on(fair, generous)
        passed = self._where[:position] if self._temporal else []
        graph = _after(base.graph, passed, self._where[position])
        labels = np.concatenate([base.labels, base.labels[passed]]) if passed else base.labels
        none = np.zeros((len(passed), fairness.sets.words), np.uint64)
        extended = Fairness(
            fairness.sets,
            np.concatenate([fairness.enabled, none]),
            np.concatenate([fairness.may_stop, np.zeros(len(passed), bool)]),
        )
        return Labelled(graph, labels, pause=self._pause), extended


def _with_ends(graph: Graph, marks: Marks, *, generous: bool) -> Graph:
    """The graph with the steps that fail, which are enabled as well, and with two more states.

    The first, to which every wrong step leads, violates the property; the second, which does not, stands for what was not explored.
    Without ``generous`` nothing is known of that: such steps still lead nowhere.
    """
    wrong, unknown = graph.states, graph.states + 1
    first = graph.first.astype(np.int64)
    source = np.repeat(np.arange(graph.states), first[1:] - first[:-1])
    label, target = graph.label.astype(np.int64), graph.target.astype(np.int64)
    if generous:
        target[target == NOWHERE] = unknown
    width = int(max(label.max(initial=0), marks.instance.max(initial=0))) + 1
    key = source * width + label
    target[np.isin(key, marks.source * width + marks.instance)] = wrong
    ends = ~marks.goes_on
    source = np.concatenate([source, marks.source[ends]])
    label = np.concatenate([label, marks.instance[ends]])
    target = np.concatenate([target, np.full(int(ends.sum()), wrong)])
    # In the order of declaration again.
    order = np.lexsort((label, source))
    counts = np.bincount(source, minlength=graph.states + 2)
    return Graph(
        np.concatenate([[0], np.cumsum(counts)]).astype(np.uint64),
        target[order].astype(np.uint32),
        label[order].astype(np.uint32 if width > 0x10000 else np.uint16),
        graph.initial,
    )


def _after(graph: Graph, passed: Sequence[int], state: int) -> Graph:
    """The graph with a way to ``state`` on which nothing can be chosen, and which begins with copies of the states ``passed``."""
    if not passed:
        return Graph(graph.first, graph.target, graph.label, np.array([state], np.uint32))
    count, edges = graph.states, len(graph.target)
    ways: NDArray[Any] = np.arange(count + 1, count + len(passed) + 1)
    ways[-1] = state
    return Graph(
        np.concatenate([graph.first, np.arange(edges + 1, edges + len(passed) + 1)]).astype(
            np.uint64
        ),
        np.concatenate([graph.target, ways.astype(np.uint32)]),
        np.concatenate([graph.label, np.zeros(len(passed), graph.label.dtype)]),
        np.array([count], np.uint32),
    )
