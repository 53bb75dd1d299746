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
from tests.differential.temporal import answers, compare_runs, disguised, with_temporal

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


@pytest.mark.parametrize("block", range(BLOCKS))
def test_order_and_names_of_actions_do_not_matter(directory: Path, block: int) -> None:
    compared = 0
    for seed in range(EACH * block, EACH * (block + 1)):
        source = with_temporal(generate(Seeded(seed)), seed)
        if "class Base" in source:
            # There an action calls the one that it overrides.
            continue
        with loaded(source, directory) as systems:
            expected = [answers(system) for system in systems]
        with loaded(disguised(source, seed), directory) as systems:
            assert [answers(system) for system in systems] == expected, source
        compared += 1
    assert compared > 3
