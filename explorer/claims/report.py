"""Verified claims as JSON and as text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from explorer.claims.claim import Claim
from explorer.claims.verify import Check, Verified
from explorer.lang.text import Json
from explorer.trace.render import render, steps

SCHEMA = "slotcheck.claims/1"


def to_json(verified: Sequence[Verified], left_out: Sequence[Claim] = ()) -> dict[str, Json]:
    """The run over one or more documents as one object; ``left_out`` are the claims without a verdict, because they are slow."""
    return {
        "schema": SCHEMA,
        "claims": [_claim_json(v) for v in verified],
        "left_out": [
            {**_place_json(claim), "expect": claim.expect, "system": claim.system}
            for claim in left_out
        ],
    }


def _place_json(claim: Claim) -> dict[str, Json]:
    return {"claim": claim.id, "document": claim.document, "line": claim.line}


def _claim_json(verified: Verified) -> dict[str, Json]:
    claim, result = verified.claim, verified.result
    data = _place_json(claim) | {"verdict": verified.verdict, "expect": claim.expect}
    if claim.not_modelled is not None:
        return data | {"reason": claim.not_modelled, "checks": []}
    if verified.error is not None:
        data |= {"error": verified.error.message}
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
    if verified.error is not None:
        return "the model is wrong"
    if result is None:
        return verified.claim.not_modelled or "interrupted"
    scope = " ".join(f"{name}={size}" for name, size in result.scope.items())
    return ", ".join(filter(None, [f"{result.states:,} states", f"depth {result.depth}", scope]))


def counterexamples(verified: Verified) -> list[str]:
    """The lengths of the counterexamples, by what is turned off."""
    lengths: dict[str, dict[int, None]] = {}
    for check in verified.checks:
        if check.length is None or check.result != "violated":
            continue
        if check.off:
            what = f"without {' and '.join(check.off)}"
        else:
            what = "script" if check.kind == "script" else check.property
        lengths.setdefault(what, {})[check.length] = None
    found = [
        f"{what}: {', '.join(map(str, shorter))}{', ' if shorter else ''}{steps(longest)}"
        for what, (*shorter, longest) in ((what, sorted(n)) for what, n in lengths.items())
    ]
    notes = (c.note for c in verified.checks if c.kind == "breaks_without" and c.ok and c.note)
    return [*found, *dict.fromkeys(notes)]


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
    """What is behind a verdict that is refuted or unexpected: each check that did not come out, with its trace.

    Where the document knows of it, the shortest trace is enough.
    """
    claim = verified.claim
    lines = [f"{claim.id} ({claim.document}:{claim.line}): {verdict(verified)}"]
    failed = [c for c in verified.checks if not c.ok or c.vacuous]
    traced = [c for c in failed if c.trace is not None and c.kind in ("holds", "holds_without")]
    if verified.as_expected:
        traced = sorted(traced, key=lambda c: c.length or 0)[:1]
    for check in failed:
        off = f" without {' and '.join(check.off)}" if check.off else ""
        length = f" ({steps(check.length)})" if check.length is not None else ""
        lines.append(f"  {check.kind}{off}: {check.property} {check.result}{length}")
        if check.note:
            lines += [f"    {line}" for line in check.note.splitlines()]
    for check in traced:
        if check.trace is not None:
            lines += ["", *(f"    {line}".rstrip() for line in render(check.trace, full=full))]
    return lines


def warnings(verified: Sequence[Verified]) -> list[str]:
    """What all runs of a system warn about, and switches that change nothing in any claim.

    One claim's scope may leave an action without a use that another claim's has; each run's own warnings are what `slotcheck check`
    is for.
    """
    by_system: dict[str, list[tuple[str, ...]]] = {}
    for item in verified:
        if item.result is not None:
            by_system.setdefault(item.claim.system, []).append(item.result.warnings)
    found = {
        f"{Path(system).name}: {warning}": None
        for system, runs in by_system.items()
        for warning in runs[0]
        if all(warning in other for other in runs)
    }
    for item in verified:
        for check in item.checks:
            if check.kind == "breaks_without" or check.vacuous:
                continue
            if check.ok and check.note and not _matters(check, item, verified):
                off = " and ".join(check.off)
                found[f"{item.claim.id}, {check.kind} {off}: {check.note}"] = None
    return list(found)


def _matters(check: Check, item: Verified, verified: Sequence[Verified]) -> bool:
    """Whether something breaks in another claim, or together with others, without what ``check`` turns off."""
    return any(
        set(check.off) & set(other.off)
        for v in verified
        if v.claim.system == item.claim.system
        for other in v.checks
        if other.kind == "breaks_without" and other.result == "violated"
    )
