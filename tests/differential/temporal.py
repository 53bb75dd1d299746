"""Random temporal properties and fairness for random models."""

from __future__ import annotations

import random
import re
from typing import Any

from explorer.lang.system import System
from explorer.reference.search import explore
from explorer.result import Result
from explorer.search.check import check
from tests.differential.disagreement import Disagreement
from tests.liveness.cases import random_formula
from tests.liveness.tableau import text

STATES = 300
"""The reference engine's way to decide formulas is slow."""

FORMULAS = 3


def with_temporal(source: str, seed: int) -> str:
    """The source of a model with fairness, and with formulas over what its other properties say about states."""
    r = random.Random(seed)
    actions = re.findall(r"^    def (act\d+)\(", source, re.MULTILINE)
    predicates = re.findall(r"^@(?:invariant|reachable)\ndef (\w+)\(", source, re.MULTILINE)
    fair = []
    for _ in range(r.choice((0, 1, 1, 2, 3))):
        kind, form = r.choice(("weak", "weak", "strong")), r.choice(("", ".each"))
        names = r.sample(sorted(set(actions)), r.randint(1, min(2, len(set(actions)))))
        fair.append(f"{kind}{form}({', '.join(map(repr, names))}), ")
    head = re.search(r"^class Model\(.*\):\n    \"\"\".*\"\"\"\n", source, re.MULTILINE)
    assert head is not None and len(predicates) >= 2
    parts = [
        source[: head.end()],
        f"\n    fairness = ({''.join(fair)})\n",
        source[head.end() :],
        "\n\nfrom explorer.lang import Formula, ltl, strong, temporal, weak\n",
    ]
    # Fairness stands in the class, before the import at the end.
    parts[0] = parts[0].replace(
        "from explorer.lang import (",
        "from explorer.lang import strong, weak\nfrom explorer.lang import (",
        1,
    )
    for number in range(FORMULAS):
        formula = text(random_formula(r, r.choice((1, 2, 2, 3))), "pq")
        used = [
            f"{n}={f}" for n, f in zip("pq", r.sample(predicates, 2), strict=True) if n in formula
        ]
        if not used:
            continue
        own = r.choice(("", "", "(fairness=())"))
        parts.append(
            f"\n\n@temporal{own}\ndef runs{number}() -> Formula:\n"
            f"    return ltl({formula!r}, {', '.join(used)})\n"
        )
    return "".join(parts)


def compare_runs(system: System[Any]) -> dict[str, str] | None:
    """The verdicts on temporal properties; None for a system that is too large. Raises Disagreement where engines differ."""
    reference = explore(system, max_states=STATES).result
    if "state limit" in reference.incomplete:
        return None
    one, other = found(reference), found(check(system))
    if list(one) != list(other):
        raise Disagreement(f"{list(one)} by the reference, {list(other)} natively")
    for name in one:
        if "unknown" == one[name][0] and reference.complete:
            # A formula that is too large for the reference.
            continue
        if one[name] != other[name]:
            raise Disagreement(f"{name}: {one[name]} by the reference, {other[name]} natively")
    return {name: verdict for name, (verdict, *_) in other.items()}


def found(result: Result) -> dict[str, tuple[str, int | None, int | None]]:
    """Verdict, length and beginning of the cycle, by name."""
    return {
        p.name: (p.verdict, p.length, None if p.trace is None else p.trace.loop)
        for p in result.properties
        if p.kind == "temporal"
    }


def disguised(source: str, seed: int) -> str:
    """The same model with its actions in another order, under other names, beside one that is never enabled."""
    r = random.Random(seed)
    # An action ends where an empty line does.
    pattern = re.compile(r"    @action.*\n(?:    .*\n)+")
    actions = pattern.findall(source)
    shuffled = iter(r.sample(actions, len(actions)))
    idle = "    @action\n    def idle(self, s: State) -> None:\n        require(False)\n\n"
    moved = pattern.sub(lambda _: next(shuffled), source)
    first = moved.index("    @action")
    moved = moved[:first] + idle + moved[first:]
    return re.sub(r"\bact(\d+)\b", lambda found: f"go{97 - int(found[1])}", moved)


def answers(system: System[Any]) -> dict[str, tuple[str, int | None, int | None]]:
    """What the native search says about runs."""
    return found(check(system, max_states=STATES))
