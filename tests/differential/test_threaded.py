"""Of the shortest runs every engine shows the same one: the one with the fewest switches between threads.

A long run: ``python -m tests.differential.test_threaded FIRST LAST``.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from tests.differential.chooser import Seeded
from tests.differential.model import loaded
from tests.differential.threaded import compare_calm, threaded


def compare(seed: int, directory: Path) -> list[tuple[int, int]] | None:
    """Lengths and switches of what was found in the model of a seed; None if it is too large."""
    source = threaded(Seeded(seed))
    try:
        with loaded(source, directory) as (system,):
            return compare_calm(system)
    except Exception as error:
        raise AssertionError(f"seed {seed}:\n{source}") from error


@pytest.mark.parametrize("block", range(3))
def test_engines_show_the_calmest_run(tmp_path: Path, block: int) -> None:
    found = [compare(seed, tmp_path) for seed in range(12 * block, 12 * (block + 1))]
    runs = Counter(run for some in found if some is not None for run in some)
    assert sum(some is not None for some in found) > 6
    assert sum(n for (length, _), n in runs.items() if length > 2) > 3
    assert sum(n for (_, switches), n in runs.items() if switches > 0) > 3


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        total = Counter[tuple[int, int]]()
        for number in range(int(sys.argv[1]), int(sys.argv[2])):
            total.update(compare(number, Path(name)) or [])
        print("length and switches, how often:", sorted(total.items()))
