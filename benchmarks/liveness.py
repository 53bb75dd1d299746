"""Liveness beside safety: ``python -m benchmarks.liveness [MANAGERS]`` prints figures as JSON.

Two-phase commit, weakly fair to every action instance: once somebody is prepared, there is a decision. It holds. ``violated`` is the
same without fairness.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from typing import Any

from explorer.compiler.lower import lower
from explorer.compiler.native import compile_program
from explorer.lang import Formula, leads_to, temporal, weak
from explorer.lang.properties import properties_for
from explorer.liveness.check import check_temporal
from explorer.liveness.graph import graph_of
from explorer.search.explore import search
from tests.systems.two_phase_commit import Decision, Manager, Phase, State, TwoPhaseCommit


class Fair(TwoPhaseCommit):
    """Every action instance is taken unless it is disabled again and again."""

    fairness = (
        weak.each(
            "hear_prepared",
            "decide_to_commit",
            "decide_to_abort",
            "prepare",
            "abort_alone",
            "hear_commit",
            "hear_abort",
        ),
    )


def prepared(s: State) -> bool:
    return any(s.phase[m] == Phase.PREPARED for m in Manager)


def decided(s: State) -> bool:
    return s.decision != Decision.OPEN


@temporal
def whoever_is_prepared_hears_a_decision() -> Formula:
    return leads_to(prepared, decided)


@temporal(fairness=())
def without_fairness() -> Formula:
    return leads_to(prepared, decided)


def measure(managers: int, repeat: int = 3) -> dict[str, Any]:
    """The best of some runs, in one process: seconds of the safety search, of each liveness pass (edges, labels, decision,
    vacuity and replay included), and of the edges alone."""
    system = Fair({"Manager": managers})
    declared = {p.name: p for p in properties_for(system)}
    safety = [p for p in declared.values() if p.kind != "temporal"]
    wanted = {"holds": "whoever_is_prepared_hears_a_decision", "violated": "without_fairness"}
    lowered = {
        name: lower(system, [*safety, declared[prop]])
        for name, prop in (("safety", ""), *wanted.items())
        if prop
    } | {"safety": lower(system, safety)}
    best: dict[str, float] = {}

    def least(name: str, seconds: float) -> None:
        best[name] = min(best.get(name, seconds), seconds)

    clock = time.perf_counter
    for _ in range(repeat):
        for name, made in lowered.items():
            code = compile_program(made.program).tuned()
            initial = [leaves for _, leaves in made.initial]
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            started = clock()
            found = search(code, initial, switches=made.switch_values)
            least("safety", clock() - started)
            if name == "safety":
                started = clock()
                graph_of(found, made.switch_values)
                least("edges", clock() - started)
                continue
            started = clock()
            result = check_temporal(system, made, found)
            least(name, clock() - started)
            assert result.properties[0].verdict == name
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            best.setdefault("peak_bytes_per_state", (peak - before) * 1024 / found.states)
    return {
        "managers": managers,
        "states": found.states,
        "transitions": found.transitions,
        **best,
        "times_safety": best["holds"] / best["safety"],
        "violated_times_safety": best["violated"] / best["safety"],
    }


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 7)))
