"""Random models and random runs: explanations agree with their definitions."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from explorer.explain.explanation import Explanation, explain
from explorer.explain.fate import Fates
from explorer.lang.errors import ModelError
from explorer.lang.run import Failed, Instance, Next, evaluate, initial_states, instances, step
from explorer.lang.system import System
from explorer.search.check import check
from explorer.trace.replay import ReplayMismatch, build_trace, find_property
from explorer.trace.trace import Trace
from tests.differential.chooser import Seeded
from tests.differential.generator import generate
from tests.differential.model import loaded
from tests.differential.temporal import with_temporal
from tests.explain.oracle import TooLarge, last_open, last_satisfiable

# States, for the oracle and for the explanation.
MOST, LIMIT = 250, 2_000
SEEDS = (2, 3, 5, 7, 14, 19)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


def violations(directory: Path, seed: int) -> Iterator[tuple[System[Any], Trace]]:
    with loaded(with_temporal(generate(Seeded(seed)), seed), directory) as systems:
        for system in systems:
            try:
                result = check(system, max_states=LIMIT)
            except ModelError:
                continue
            for item in result.violations:
                if item.trace is not None:
                    yield system, item.trace


def agree(found: Explanation) -> int:
    """How many answers the oracle confirms."""
    seen = 0
    assert found.fate is not None
    for turn in found.fate.turns:
        fair = Fates.fair_sets(found.rerun, turn.assumption)
        try:
            expected = last_open(found.rerun, fair, MOST)
        except (TooLarge, ModelError):
            continue
        assert turn.last == expected, (found.rerun.trace, turn)
        seen += 1
    return seen


@pytest.mark.parametrize("seed", SEEDS)
def test_explanations_agree_with_their_definitions(directory: Path, seed: int) -> None:
    compared = 0
    for system, trace in violations(directory, seed):
        found = explain(trace, system, max_states=LIMIT)
        if trace.kind == "temporal":
            compared += agree_about_runs(found)
            continue
        assert found.slice is not None and found.slice.alone
        compared += agree(found)
        for number in range(2):
            long = wandering(system, trace, random.Random(100 * seed + number))
            if long is not None:
                found = explain(long, system, max_states=LIMIT)
                # What decides is enough: such a slice is always a run.
                assert found.slice is not None and found.slice.alone, found.slice
                compared += agree(found)
    assert compared


def agree_about_runs(found: Explanation) -> int:
    """The same for a temporal property."""
    assert found.fate is not None
    try:
        expected = last_satisfiable(found.rerun, MOST // 5)
    except (TooLarge, ModelError):
        return 0
    if found.fate.undecided is not None:
        return 0
    assert [turn.last for turn in found.fate.turns] == [expected], found.rerun.trace
    return 1


def wandering(system: System[Any], trace: Trace, r: random.Random) -> Trace | None:
    """A random run that violates what a trace does, if one is found."""
    values, state = r.choice(list(initial_states(system)))
    taken: list[Instance] = []
    for _ in range(40):
        options = [(i, step(system, state, i)) for i in instances(system)]
        possible = [(i, o) for i, o in options if isinstance(o, (Next, Failed))]
        if not possible:
            break
        instance, outcome = r.choice(possible)
        taken.append(instance)
        if isinstance(outcome, Failed) or fails(system, trace, state, outcome):
            break
        state = outcome.state
    declared = find_property(system, trace.property_name)
    try:
        return build_trace(system, values, taken, declared or trace.property_name)
    except (ReplayMismatch, ModelError):
        return None


def fails(system: System[Any], trace: Trace, before: Any, outcome: Next) -> bool:
    declared = find_property(system, trace.property_name)
    if declared is None:
        return trace.property_name in outcome.soft
    states = (before, outcome.state) if declared.kind == "step_invariant" else (outcome.state,)
    try:
        return not evaluate(system, declared, *states)
    except ModelError:
        return True
