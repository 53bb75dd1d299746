"""Decides formulas on a labelled graph: the same search as for systems."""

from __future__ import annotations

import time
from collections.abc import Sequence
from difflib import get_close_matches

import numpy as np

from explorer import interrupts
from explorer.graphs.reached import Reached
from explorer.graphs.read import LabelledGraph
from explorer.graphs.trace import trace_of
from explorer.lang.errors import ModelError
from explorer.lang.formula_text import parse
from explorer.lang.formulas import Atom, Formula, atoms, replace_atoms
from explorer.liveness.decide import Labelled, remarks
from explorer.liveness.lasso import Lasso
from explorer.result import OUT_OF_MEMORY, ActionCount, NotEvaluated, PropertyResult, Result

ENGINE = "exhaustive"
_MOST_LISTED = 8


class _Stopped(Exception):
    """The work is to end."""


def check_graph(
    source: LabelledGraph,
    formulas: Sequence[str],
    *,
    first: bool = False,
    max_states: int | None = None,
    max_seconds: float | None = None,
) -> Result:
    """The verdict on each formula, given in Spot's syntax: does every fair run from every initial state satisfy it?

    ``first`` stops at the first violation. A limit, on the states looked at or on the time, and an interrupt leave open what is
    not decided by then.

    Raises
    ------
    ModelError
        A formula cannot be read, or has an atom that is no label.
    NotEvaluated
        A formula is too large; with the verdicts on the others.
    ReplayMismatch
        A counterexample is not one according to the file: a mistake of the search.
    """
    started = time.perf_counter()
    end = None if max_seconds is None else time.monotonic() + max_seconds

    def pause(done: int, of: int) -> None:
        why = interrupts.requested()
        if why is None and end is not None and time.monotonic() > end:
            why = interrupts.TIME_LIMIT
        if why is not None:
            raise _Stopped(why)

    parsed = {text: _known(source, text) for text in formulas}
    numbers = {name: i for i, (name, _) in enumerate(source.labels)}
    reached = Reached(source, max_states)
    labelled = Labelled(reached.graph, reached.labels, stuttering=source.stuttering, pause=pause)
    fairness = labelled.fairness(max(1, len(source.actions)), source.weak, source.strong)
    results: list[PropertyResult] = []
    warnings, notes = list[str](), list[str]()
    stopped = None if reached.complete else "state limit"
    mistake: ModelError | None = None
    try:
        for text, named in parsed.items():
            pause(0, 1)
            formula = replace_atoms(named, lambda atom: Atom(numbers[str(atom.what)]))
            try:
                lasso = labelled.violation(formula, fairness)
                # What is violated needs no remarks, what is open deserves none.
                holds = lasso is None and reached.complete
                said, noted = remarks(labelled, [formula], fairness) if holds else ([], [])
            except ModelError as error:
                # The others are worth a report.
                mistake = mistake or ModelError(f"{text}: {error.message}", hint=error.hint)
                results.append(PropertyResult(text, "temporal", "unknown"))
                continue
            if lasso is not None:
                trace = trace_of(source, text, named, _in_file(lasso, reached))
                results.append(PropertyResult(text, "temporal", "violated", lasso.length, trace))
                if first:
                    break
                continue
            results.append(PropertyResult(text, "temporal", "holds" if holds else "unknown"))
            warnings += [f"{text} {remark}" for remark in said]
            notes += [f"{text} {remark}" for remark in noted]
    except _Stopped as why:
        stopped = str(why)
    except MemoryError:
        stopped = OUT_OF_MEMORY
    results += [PropertyResult(t, "temporal", "unknown") for t in list(parsed)[len(results) :]]
    graph = reached.graph
    count = np.bincount(graph.label, minlength=len(source.actions)).tolist()
    if reached.complete and reached.unreached:
        notes.append(f"no run reaches {_listed(reached.unreached)}")
    why_not = [why for why in (stopped, mistake and mistake.message) if why]
    result = Result(
        system=source.name,
        scope={},
        design={},
        engine=ENGINE,
        complete=not why_not,
        states=graph.states,
        transitions=len(graph.target),
        depth=reached.depth,
        properties=tuple(results),
        actions={n: ActionCount(c, c) for n, c in zip(source.actions, count, strict=False)},
        incomplete=tuple(why_not),
        warnings=(*source.warnings, *warnings),
        notes=tuple(notes),
        seconds=time.perf_counter() - started,
    )
    if mistake is not None:
        raise NotEvaluated(mistake, result)
    return result


def _known(source: LabelledGraph, text: str) -> Formula:
    """The formula; its atoms are names of labels."""
    formula = parse(text)
    names = [name for name, _ in source.labels]
    for name in (str(atom.what) for atom in atoms(formula)):
        if name not in names:
            alike = get_close_matches(name, names, n=1)
            there = f"there is {', '.join(names)}" if names else "the graph has no labels"
            raise ModelError(
                f"the formula {text!r} names {name}, which is no label of {source.name}",
                hint=f"did you mean {alike[0]}?" if alike else there,
            )
    return formula


def _in_file(lasso: Lasso, reached: Reached) -> Lasso:
    """The run with the numbers that the states have in the file."""

    def steps(part: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
        return tuple((action, reached.order[state]) for action, state in part)

    return Lasso(reached.order[lasso.start], steps(lasso.prefix), steps(lasso.cycle))


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST_LISTED
    return ", ".join(names[:_MOST_LISTED]) + (f" and {more} more" if more > 0 else "")
