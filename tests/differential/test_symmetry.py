"""What the compiler accepts is symmetric: loops over names that do anything are refused, or do no harm."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.compiler.lower import lower
from explorer.lang import ModelError, System
from explorer.reference.search import explore
from tests.differential.chooser import Seeded
from tests.differential.generator import generate
from tests.differential.model import loaded
from tests.differential.symmetry import compare_symmetry
from tests.systems.increment import Increment
from tests.systems.toggles import Toggles
from tests.systems.two_phase_commit import TwoPhaseCommit

STATES = 300


@pytest.mark.parametrize("block", range(2))
def test_accepted_models_are_symmetric(tmp_path: Path, block: int) -> None:
    symmetric = refused = 0
    for seed in range(40 * block, 40 * (block + 1)):
        source = generate(Seeded(seed), wild=True)
        with loaded(source, tmp_path) as (system, *_):
            try:
                lower(system)
            except ModelError:
                refused += 1
                continue
            found = explore(system, max_states=STATES)
            try:
                compare_symmetry(system, found)
            except AssertionError as error:
                raise AssertionError(f"seed {seed}:\n{source}") from error
            symmetric += 1
    assert symmetric > 15
    assert refused > 5


@pytest.mark.parametrize(
    ("system", "orbits"),
    [
        (TwoPhaseCommit({"Manager": 2}), 34),
        (TwoPhaseCommit({"Manager": 3}), 80),
        (Increment({"Thread": 2}), 8),
        (Increment({"Thread": 3}), 22),
        pytest.param(Increment({"Thread": 4}), 63, marks=pytest.mark.slow),
        (Toggles({"Toggle": 5}), 6),
    ],
    ids=lambda value: value.name if isinstance(value, System) else str(value),
)
def test_orbits_have_their_published_number(system: System[object], orbits: int) -> None:
    assert compare_symmetry(system, explore(system)) == orbits
