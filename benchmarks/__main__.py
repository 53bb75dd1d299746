"""``python -m benchmarks``: slotcheck beside the checkers that are installed here."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from benchmarks.compare import compare
from benchmarks.peers import PEERS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--managers", type=int, help="one size of model for all")
    parser.add_argument("--times", type=int, default=2, help="runs, of which the best counts")
    names = [peer.name.lower() for peer in PEERS]
    parser.add_argument("--only", nargs="*", choices=names, help="these checkers")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()

    def say(line: str) -> None:
        print(line, flush=True)

    if hasattr(os, "getloadavg"):
        say(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}\n")
    figures = compare(managers=options.managers, times=options.times, only=options.only, say=say)
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
    return 0 if all(row["agrees"] for row in figures["peers"]) else 1


if __name__ == "__main__":
    sys.exit(main())
