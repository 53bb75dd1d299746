"""Random systems with random formulas and fairness: the native search says what the reference engine says.

The reference looks for runs in CPython, without any automaton.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.differential.chooser import Seeded
from tests.differential.generator import generate
from tests.differential.model import loaded
from tests.differential.temporal import compare_runs, with_temporal

BLOCKS, EACH = 4, 12


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.mark.parametrize("block", range(BLOCKS))
def test_engines_agree_about_runs(directory: Path, block: int) -> None:
    verdicts = Counter[str]()
    for seed in range(EACH * block, EACH * (block + 1)):
        source = with_temporal(generate(Seeded(seed)), seed)
        try:
            with loaded(source, directory) as systems:
                for system in systems:
                    verdicts.update((compare_runs(system) or {}).values())
        except Exception as error:
            raise AssertionError(f"seed {seed}:\n{source}") from error
    assert verdicts["holds"] > 1
    assert verdicts["violated"] > 1
