"""Two-phase commit for minicheck: the states and steps of tests/systems/two_phase_commit.py.

``python two_phase_commit_minicheck.py MANAGERS`` prints states and transitions.
"""

from __future__ import annotations

import sys
from typing import Any

from minicheck import Protocol, check_safety

WORKING, PREPARED, COMMITTED, ABORTED = range(4)
State = tuple[Any, ...]


def protocol(managers: int, counted: list[int]) -> Protocol:
    everyone = frozenset(range(managers))

    def transitions(s: State) -> list[tuple[str, State]]:
        phase, decision, heard, prepared, commit, abort = s
        steps: list[tuple[str, State]] = []

        def moved(name: str, m: int, to: int, sent: frozenset[int]) -> None:
            new = (*phase[:m], to, *phase[m + 1 :])
            steps.append((f"{name} {m}", (new, decision, heard, sent, commit, abort)))

        for m in range(managers):
            if decision == 0 and m in prepared:
                new = (phase, decision, heard | {m}, prepared, commit, abort)
                steps.append((f"hear prepared {m}", new))
            if phase[m] == WORKING:
                moved("prepare", m, PREPARED, prepared | {m})
                moved("abort alone", m, ABORTED, prepared)
            if commit:
                moved("hear commit", m, COMMITTED, prepared)
            if abort:
                moved("hear abort", m, ABORTED, prepared)
        if decision == 0 and heard == everyone:
            steps.append(("decide to commit", (phase, 1, heard, prepared, True, abort)))
        if decision == 0:
            steps.append(("decide to abort", (phase, 2, heard, prepared, commit, True)))
        counted[0] += len(steps)
        return steps

    nobody: frozenset[int] = frozenset()
    return Protocol(
        name="two-phase commit",
        candidate=False,
        fields=("phase", "decision", "heard", "prepared", "commit", "abort"),
        initial=((WORKING,) * managers, 0, nobody, nobody, False, False),
        transitions=transitions,
        invariants={
            "consistent": lambda d: not (COMMITTED in d["phase"] and ABORTED in d["phase"])
        },
    )


if __name__ == "__main__":
    counted = [0]
    result = check_safety(protocol(int(sys.argv[1]), counted), max_states=100_000_000)
    print(
        f"{result.get('states', result.get('reachable_states'))} states, {counted[0]} transitions"
    )
    if not all(p["holds"] for p in result["properties"].values()):
        sys.exit("violated")
