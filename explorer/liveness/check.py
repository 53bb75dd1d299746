"""Decides the temporal properties of a system after its states were found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from explorer import interrupts
from explorer.compiler.lower import Lowered
from explorer.lang.errors import Location, ModelError
from explorer.lang.fairness import FairSet, fair_sets
from explorer.lang.formulas import Atom, Formula, replace_atoms
from explorer.lang.properties import Property
from explorer.lang.run import holds, instances
from explorer.lang.system import System
from explorer.lang.temporal import Instance, fairness_of
from explorer.liveness.decide import Fairness, Labelled, remarks
from explorer.liveness.graph import graph_of
from explorer.liveness.labels import Unclear, labels_of
from explorer.liveness.lasso import Lasso
from explorer.liveness.product import Pause
from explorer.result import OUT_OF_MEMORY, PropertyResult
from explorer.search.explore import FIRST
from explorer.search.found import Found
from explorer.trace.lasso import build_lasso
from explorer.trace.replay import ReplayMismatch, play


class Stopped(Exception):
    """The work is to end; what it says is why."""


@dataclass(frozen=True)
class Temporals:
    """The verdicts on all temporal properties, in order; ``stopped`` says why some are left open.

    ``warnings`` are about properties that hold for a reason that nobody wants, ``notes`` are for people only. ``error`` is
    why a predicate cannot be evaluated in a state that was found, and then nothing is decided; or why a property cannot be decided.
    """

    properties: tuple[PropertyResult, ...]
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    stopped: str | None = None
    error: ModelError | None = None


def check_temporal(
    system: System[Any],
    lowered: Lowered,
    found: Found,
    pause: Pause = lambda done, of: None,
    *,
    first: bool = False,
) -> Temporals:
    """Decide all temporal properties of a lowered system.

    Parameters
    ----------
    found
        The search, without a reduction by symmetry. If it is incomplete, a counterexample in what it found is one all the
        same, and a property that has none is unknown.
    pause
        Called now and then; raises ``Stopped`` to end the work.
    first
        Stop at the first violation.

    Raises
    ------
    ReplayMismatch
        CPython does not confirm a counterexample, or that a predicate cannot be evaluated.
    """
    groups = [
        (prop, tuple(stated for _, stated in group))
        for prop, group in groupby(lowered.temporal, key=lambda pair: pair[0])
    ]
    results: list[PropertyResult] = []
    warnings, notes = list[str](), list[str]()
    stopped: str | None = None
    error: ModelError | None = None
    try:
        pause(0, 1)
        work = _Work(system, lowered, found, pause)
        for prop, stated in groups:
            try:
                result, said, noted = work.decide(prop, stated)
            except ModelError as problem:
                # The others are worth a report.
                error = error or _about(prop, problem)
                result, said, noted = PropertyResult(prop.name, "temporal", "unknown"), [], []
            results.append(result)
            warnings += said
            notes += noted
            if first and result.failed and len(results) < len(groups):
                raise Stopped(FIRST)
    except Stopped as end:
        stopped = str(end)
    except MemoryError:
        stopped = OUT_OF_MEMORY
    except KeyboardInterrupt:
        interrupts.hold()
        stopped = interrupts.requested() or interrupts.INTERRUPTED
    except Unclear as problem:
        error = _confirmed(system, lowered, found, problem)
    results += [PropertyResult(p.name, "temporal", "unknown") for p, _ in groups[len(results) :]]
    return Temporals(tuple(results), tuple(warnings), tuple(notes), stopped, error)


class _Work:
    """The graph of a search with its labels, made once for all properties."""

    def __init__(self, system: System[Any], lowered: Lowered, found: Found, pause: Pause) -> None:
        self._system, self._lowered, self._found = system, lowered, found
        self._instances = instances(system)
        self._numbers = {bound: i for i, bound in enumerate(lowered.labels)}
        graph = graph_of(found, lowered.switch_values, pause)
        labels = labels_of(found, lowered.switch_values, pause)
        self._labelled = Labelled(graph, labels, pause=pause)
        self._fairness: dict[tuple[FairSet, ...], Fairness] = {}

    def decide(
        self, prop: Property, stated: Sequence[Instance]
    ) -> tuple[PropertyResult, list[str], list[str]]:
        """The verdict on a property, for each of its instances; warnings and notes about it."""
        fair = fair_sets(fairness_of(self._system, prop), self._instances)
        fairness = self._fairness_to(fair)
        formulas = [replace_atoms(s.formula, self._number) for s in stated]
        best: tuple[Instance, Lasso] | None = None
        for instance, formula in zip(stated, formulas, strict=True):
            lasso = self._labelled.violation(formula, fairness)
            if lasso is not None and (best is None or lasso.length < best[1].length):
                best = instance, lasso
        if best is not None:
            return self._violated(prop, *best, fair), [], []
        if not self._found.complete:
            return PropertyResult(prop.name, "temporal", "unknown"), [], []
        warnings, notes = remarks(self._labelled, formulas, fairness)
        return (
            PropertyResult(prop.name, "temporal", "holds", vacuous=next(iter(warnings), None)),
            [f"{prop.name} {text}" for text in warnings],
            [f"{prop.name} {text}" for text in notes],
        )

    def _violated(
        self, prop: Property, stated: Instance, lasso: Lasso, fair: tuple[FairSet, ...]
    ) -> PropertyResult:
        # The first states are the initial ones.
        init = self._lowered.initial[self._found.choices[lasso.start]][0]
        prefix = [self._instances[i] for i, _ in lasso.prefix]
        cycle = [self._instances[i] for i, _ in lasso.cycle]
        trace = build_lasso(self._system, init, prefix, cycle, prop, stated, fair)
        return PropertyResult(prop.name, "temporal", "violated", trace.length, trace)

    def _fairness_to(self, fair: tuple[FairSet, ...]) -> Fairness:
        if fair not in self._fairness:
            self._fairness[fair] = self._labelled.fairness(
                len(self._instances),
                [s.instances for s in fair if not s.strong],
                [s.instances for s in fair if s.strong],
            )
        return self._fairness[fair]

    def _number(self, atom: Atom) -> Formula:
        """The number of a label for what it is about."""
        return Atom(self._numbers[atom.what])  # type: ignore[index]


def _about(prop: Property, problem: ModelError) -> ModelError:
    """The error with the property that it is about."""
    return ModelError(
        f"{prop.name}: {problem.message}",
        where=problem.where or Location(prop.file, prop.line),
        hint=problem.hint,
    )


def _confirmed(system: System[Any], lowered: Lowered, found: Found, problem: Unclear) -> ModelError:
    """The error with which CPython fails to evaluate a predicate in a state."""
    number, path = found.path(problem.state)
    everything = instances(system)
    predicate = lowered.labels[problem.atom]
    with system:
        taken = [everything[i] for i in path]
        state = play(system, lowered.initial[number][0], taken).states[-1]
        try:
            holds(system, predicate, state)
        except ModelError as error:
            return error
    raise ReplayMismatch(f"{system.name}: the engine could not evaluate {predicate}, CPython can")
