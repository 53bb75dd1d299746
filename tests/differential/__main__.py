"""A long run: ``python -m tests.differential FIRST LAST`` compares the models of those seeds."""

from __future__ import annotations

import sys
import tempfile
import traceback
from collections import Counter
from pathlib import Path

from tests.differential.chooser import Seeded
from tests.differential.compare import compare
from tests.differential.generator import generate
from tests.differential.model import loaded


def main(first: int, last: int) -> int:
    """Prints each seed that fails, with the error, and a summary; 1 if any failed."""
    failed = Counter[str]()
    compared = states = 0
    with tempfile.TemporaryDirectory() as directory:
        for seed in range(first, last):
            source = generate(Seeded(seed))
            try:
                with loaded(source, Path(directory)) as systems:
                    agreements = [compare(system) for system in systems]
            except Exception as error:
                failed[type(error).__name__] += 1
                text = "".join(traceback.format_exception_only(error)).strip()
                print(f"seed {seed}: {text}", flush=True)
                continue
            for agreement in agreements:
                if agreement is not None:
                    compared += 1
                    states += agreement.states
    print(f"{compared} models compared, {states} states; failed: {dict(failed) or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) == 2:
        print(generate(Seeded(int(sys.argv[1]))))
    else:
        sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
