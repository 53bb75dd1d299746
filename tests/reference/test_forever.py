"""The reference engine's decision about runs, against another way to make and search a product."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from explorer.lang.errors import ModelError
from explorer.lang.fairness import FairSet
from explorer.lang.formula_text import parse
from explorer.lang.formulas import Atom, Formula
from explorer.reference import forever
from explorer.reference.forever import MOST_PARTS, Lasso, Steps, violation
from tests.liveness.cases import random_case, random_formula
from tests.liveness.oracle import Case, Oracle
from tests.liveness.tableau import Tableau, negation, text


def decided(case: Case, f: Formula, pause: Callable[[], None] = lambda: None) -> Lasso | None:
    steps = dict(enumerate(case.edges))
    graph = Steps(
        case.initial,
        steps,
        {s: frozenset(label for label, _ in row) for s, row in steps.items()},
    )
    fair = [FairSet(f"weak {i}", False, s) for i, s in enumerate(case.weak)]
    fair += [FairSet(f"strong {i}", True, s) for i, s in enumerate(case.strong)]

    def holds(atom: Atom, state: int) -> bool:
        return bool(case.letters[state] >> "pqrs".index(str(atom.what)) & 1)

    return violation(graph, f, holds, fair, pause)


@pytest.mark.parametrize("seed", range(150))
def test_random_graphs(seed: int) -> None:
    source = random.Random(seed)
    case = replace(random_case(source), stuttering=True)
    f = random_formula(source, 3)
    found = decided(case, parse(text(f)))
    expected = Oracle(case, Tableau(negation(f))).answer()
    assert (found is None) == (expected is None), text(f)
    if found is not None and (found.prefix or not found.cycle):
        # In a product with an automaton no cycle begins where the run does: it has read nothing yet.
        assert (len(found.prefix), len(found.cycle)) == expected, text(f)


@pytest.mark.parametrize("seed", range(40))
def test_a_cycle_made_of_pieces_is_fair(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    source = random.Random(seed)
    case = replace(random_case(source), stuttering=True)
    formulas = [random_formula(source, 2) for _ in range(4)]
    short = [decided(case, parse(text(f))) for f in formulas]
    monkeypatch.setattr(forever, "_MOST_MET", 0)
    for f, expected in zip(formulas, short, strict=True):
        found = decided(case, parse(text(f)))
        assert (found is None) == (expected is None)
        if found is not None and expected is not None:
            assert len(found.prefix) == len(expected.prefix)
            assert len(found.cycle) >= len(expected.cycle)
            assert_fair(case, found)


def assert_fair(case: Case, lasso: Lasso) -> None:
    """The cycle's steps, taken from any state that they lead back to, are fair."""
    if not lasso.cycle:
        return
    taken = set(lasso.cycle)
    for visited in _cycles(case, lasso):
        weak = [s for s in case.weak if not s & taken]
        if any(all(case.enabled((s,), state) for state in visited) for s in weak):
            continue
        strong = [s for s in case.strong if not s & taken]
        if not any(case.enabled((s,), state) for s in strong for state in visited):
            return
    raise AssertionError(lasso)


def _cycles(case: Case, lasso: Lasso) -> list[list[int]]:
    """What the cycle may visit: several states may be behind steps of one instance."""
    starts = {lasso.start if not lasso.prefix else s for s in range(len(case.edges))}
    found = []
    ways = [[s] for s in starts]
    for instance in lasso.cycle:
        ways = [
            [*way, after]
            for way in ways
            for label, after in case.edges[way[-1]]
            if label == instance
        ]
    found += [way for way in ways if way[0] == way[-1]]
    return found


def test_a_formula_with_too_many_parts_is_refused() -> None:
    many = " & ".join(f"F X {'X ' * i}p" for i in range(MOST_PARTS))
    with pytest.raises(ModelError, match="temporal parts"):
        decided(Case(((),), (0,)), parse(many))


def test_it_can_be_interrupted() -> None:
    def pause() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        decided(Case((((0, 0),),), (1,)), parse("F !p"), pause)
