"""Verified claims as JSON and as text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from explorer.claims.verify import Check, Verified
from explorer.lang.text import Json
from explorer.trace.render import render, steps

SCHEMA = "slotcheck.claims/1"


def to_json(verified: Sequence[Verified]) -> dict[str, Json]:
    """The run over one or more documents as one object."""
    return {"schema": SCHEMA, "claims": [_claim_json(v) for v in verified]}


def _claim_json(verified: Verified) -> dict[str, Json]:
    claim, result = verified.claim, verified.result
    data: dict[str, Json] = {
        "claim": claim.id,
        "document": claim.document,
        "line": claim.line,
        "verdict": verified.verdict,
        "expect": claim.expect,
    }
    if claim.not_modelled is not None:
        return data | {"reason": claim.not_modelled, "checks": []}
    if result is None:
        return data | {"system": claim.system, "checks": []}
    return data | {
        "system": claim.system,
        "scope": dict(result.scope),
        "states": result.states,
        "depth": result.depth,
        "checks": [_check_json(c) for c in verified.checks],
    }


def _check_json(check: Check) -> dict[str, Json]:
    data: dict[str, Json] = {"kind": check.kind}
    if check.off:
        data["off"] = list(check.off)
    data |= {"property": check.property, "result": check.result}
    if check.kind == "breaks_without":
        data["minimal"] = check.minimal
    if check.length is not None:
        data["length"] = check.length
    if check.note:
        data["note"] = check.note
    return data


def covered(verified: Verified) -> str:
    """What the run of a claim's own design covered."""
    result = verified.result
    if result is None:
        return verified.claim.not_modelled or "interrupted"
    scope = " ".join(f"{name}={size}" for name, size in result.scope.items())
    return f"{result.states:,} states, depth {result.depth}, {scope}"


def counterexamples(verified: Verified) -> list[str]:
    """The lengths of the counterexamples, by what is turned off."""
    lines: dict[str, None] = {}
    for check in verified.checks:
        if check.length is None or check.result != "violated":
            continue
        if check.kind in ("breaks_without", "holds_without"):
            lines[f"without {' and '.join(check.off)}: {steps(check.length)}"] = None
        elif check.kind == "script":
            lines[f"script: {steps(check.length)}"] = None
        else:
            lines[f"{check.property}: {steps(check.length)}"] = None
    return list(lines)


def place(verified: Verified) -> str:
    """``registry.md:12``; of a path only the last part, which is what a row has space for."""
    return f"{Path(verified.claim.document).name}:{verified.claim.line}"


def verdict(verified: Verified) -> str:
    """The verdict, with what the document expects where that is something else."""
    if verified.as_expected:
        known = verified.verdict == "refuted"
        return "refuted, as stated" if known else verified.verdict.replace("_", " ")
    if verified.verdict == verified.claim.expect:
        return f"{verified.verdict}, but not as stated"
    return f"{verified.verdict}, expected {verified.claim.expect}"


def details(verified: Verified, *, full: bool = False) -> list[str]:
    """What is behind a verdict that is refuted or unexpected: each check that failed, with its trace."""
    claim = verified.claim
    lines = [f"{claim.id} ({claim.document}:{claim.line}): {verdict(verified)}"]
    for check in verified.checks:
        if check.ok and (check.kind != "violates" or claim.expect != "refuted"):
            continue
        off = f" without {' and '.join(check.off)}" if check.off else ""
        lines.append(f"  {check.kind}{off}: {check.property} {check.result}".rstrip())
        if check.note:
            lines += [f"    {line}" for line in check.note.splitlines()]
        if check.trace is not None and check.kind in ("holds", "holds_without"):
            lines += [f"    {line}".rstrip() for line in render(check.trace, full=full)]
    return lines


def warnings(verified: Sequence[Verified]) -> list[str]:
    """What the runs of the claims' own designs warn about, each thing once."""
    found: dict[str, None] = {}
    for item in verified:
        for warning in item.result.warnings if item.result is not None else ():
            found[f"{Path(item.claim.system).name}: {warning}"] = None
        for check in item.checks:
            if check.ok and check.note:
                off = " and ".join(check.off)
                found[f"{item.claim.id}, {check.kind} {off}: {check.note}"] = None
    return list(found)
