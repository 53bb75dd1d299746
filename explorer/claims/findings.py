"""What was wrong once: claims with a ``finding``, as rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from explorer.claims.verify import Verified
from explorer.lang.text import Json

SCHEMA = "slotcheck.findings/1"


@dataclass(frozen=True)
class Finding:
    """A finding. ``length`` is that of the shortest counterexample, ``script`` the step at which the scripted run violates; ``found`` says whether all
    came out as stated."""

    id: str
    text: str
    design: str
    properties: tuple[str, ...]
    length: int | None
    script: int | None
    states: int
    found: bool
    exit_code: int


def finding_of(item: Verified) -> Finding:
    """The row of a claim with a finding."""
    claim = item.claim
    own = [c.length for c in item.checks if c.kind == "violates" and c.length is not None]
    script = [c.length for c in item.checks if c.kind == "script" and c.length is not None]
    sizes = [f"{name}={size}" for name, size in claim.scope.items()]
    return Finding(
        claim.id,
        claim.finding or "",
        " ".join([claim.system, claim.design or "(default)", *sizes]),
        claim.violates,
        min(own, default=None),
        min(script, default=None),
        0 if item.result is None else item.result.states,
        item.as_expected,
        item.exit_code(),
    )


def to_json(rows: Sequence[Finding]) -> dict[str, Json]:
    """All rows."""
    return {
        "schema": SCHEMA,
        "findings": [
            {
                "id": row.id,
                "finding": row.text,
                "design": row.design,
                "violates": list(row.properties),
                "length": row.length,
                "script": row.script,
                "states": row.states,
                "found": row.found,
            }
            for row in rows
        ],
    }
