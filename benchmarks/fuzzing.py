"""Fuzzing beside exhaustive search and a plain random walk: ``python -m benchmarks.fuzzing [--seconds S] [--seed N] [CLAIM...]``.

The broken designs are those of the bundled documents: each set of switches without which a claim does not hold. All three look for what the
claim says is violated. A time is that of the processor, in seconds; fuzzing and the walk get ``--seconds`` to find it (shrinking comes on top).
Prints a line of JSON for each design: with the exhaustive search, of which ``states`` and ``shortest`` are, in one go for all that is to be found.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator
from typing import Any

from explorer.claims.claim import Claim, read_document
from explorer.claims.resolve import resolve
from explorer.configure import Configured
from explorer.lang.properties import Property, properties_for
from explorer.lang.run import Blocked, Failed, Next, initial_states, instances, is_final, step
from explorer.lang.system import System
from explorer.loading import bundled_documents
from explorer.search.check import check
from explorer.stateful.fuzz import Glimpse, fuzz
from explorer.stateful.judge import Judge, judge

clock = time.process_time


def designs(wanted: list[str]) -> Iterator[tuple[Claim, tuple[str, ...], Configured, list[str]]]:
    """Each broken design once: claim, switches that are off, system, what is violated."""
    seen = set()
    for document in bundled_documents():
        for claim in read_document(document, document.name):
            if not claim.breaks or (wanted and claim.id not in wanted):
                continue
            ready = resolve(claim)
            for broken in claim.breaks:
                configured = ready.without[broken.off]
                key = configured.key, broken.violates
                if key not in seen:
                    seen.add(key)
                    yield claim, broken.off, configured, list(broken.violates)


def measure(
    configured: Configured, violates: list[str], seconds: float, seed: int
) -> dict[str, Any]:
    """What the three of them find, and when."""
    system = configured.system
    declared = [p for p in properties_for(system) if p.name in violates]
    started = clock()
    result = check(system, declared, reductions=True)
    row: dict[str, Any] = {
        "states": result.states,
        "exhaustive": {"seconds": round(clock() - started, 2)},
        "shortest": {
            p.name: p.length
            for p in result.properties
            if p.verdict == "violated" and p.name in violates
        },
    }
    # A failure of the model that is not looked for would end runs.
    built_in = (p.name for p in result.properties if p.kind in ("failure", "deadlock"))
    ignore = [name for name in built_in if name not in violates]
    row["fuzz"] = fuzzed(system, declared, ignore, seconds, seed)
    if any(p.kind != "temporal" for p in declared) or len(declared) < len(violates):
        row["walk"] = walked(system, declared, ignore, seconds, seed)
    return row


def fuzzed(
    system: System[Any], declared: list[Property], ignore: list[str], seconds: float, seed: int
) -> dict[str, Any]:
    """When fuzzing finds one of them, and how long shrinking it takes."""
    started = clock()
    found: list[float] = []
    length = 0

    def watch(glimpse: Glimpse) -> None:
        nonlocal length
        if glimpse.shrinking and not found:
            found.append(clock() - started)
            length = glimpse.length

    def stop() -> str | None:
        return "time" if not found and clock() - started > seconds else None

    done = fuzz(
        system,
        declared,
        ignore=ignore,
        seed=seed,
        max_examples=100_000,
        first=True,
        stop=stop,
        watch=watch,
    )
    row: dict[str, Any] = {"runs": done.tally.runs, "steps": done.tally.steps}
    for item in done.result.violations:
        row |= {
            "found": item.name,
            "seconds": round(found[0], 2),
            "length": length,
            "shrinking": round(clock() - started - found[0], 2),
            "shrunk": item.length,
        }
    return row


def walked(
    system: System[Any],
    declared: list[Property],
    ignore: list[str],
    seconds: float,
    seed: int,
    max_steps: int = 50,
) -> dict[str, Any]:
    """When a plain random walk finds one of them: any instance that is enabled, all equally likely, and nothing else."""
    judged = judge(system, declared, ignore)
    chance = random.Random(seed)
    every = list(instances(system))
    starts = [s for _, s in initial_states(system)]
    started = clock()
    runs = steps = 0
    while clock() - started <= seconds:
        runs += 1
        state = chance.choice(starts)
        for length in range(1, max_steps + 1):
            name, state = _walk_on(system, judged, chance, every, state)
            steps += state is not None
            if name is not None:
                found = round(clock() - started, 2)
                return {
                    "runs": runs,
                    "steps": steps,
                    "found": name,
                    "seconds": found,
                    "length": length,
                }
            if state is None:
                break
    return {"runs": runs, "steps": steps}


def _walk_on(
    system: System[Any], judged: Judge, chance: random.Random, every: list[Any], state: Any
) -> tuple[str | None, Any]:
    """What a step fails, and where it leads; None where there is none."""
    stuck = True
    for instance in chance.sample(every, len(every)):
        outcome = step(system, state, instance)
        if isinstance(outcome, Blocked):
            continue
        stuck = False
        name = judged.of_outcome(outcome)
        if name is not None:
            return name, None
        if isinstance(outcome, Failed) or not isinstance(outcome, Next):
            continue
        name = judged.of_step(state, outcome.state) or judged.of_state(outcome.state)
        return name, outcome.state
    dead = stuck and judged.counts("deadlock") and not is_final(system, state)
    return ("deadlock" if dead else None), None


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzzing", description=__doc__)
    parser.add_argument("claims", nargs="*", metavar="CLAIM", help="of these claims only")
    parser.add_argument("--seconds", type=float, default=10.0, help="to find it, by default 10")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for claim, off, configured, violates in designs(options.claims):
        row = measure(configured, violates, options.seconds, options.seed)
        named = {
            "claim": claim.id,
            "system": configured.name,
            "design": configured.preset,
            "off": off,
        }
        print(json.dumps(named | row), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
