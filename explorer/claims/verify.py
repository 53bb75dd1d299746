"""Verifies claims: what holds, what is reached, and that it breaks without what it is said to rest on."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from explorer.claims.claim import Claim
from explorer.claims.resolve import Ready
from explorer.claims.runs import Runs
from explorer.configure import is_built_in
from explorer.lang.errors import ModelError
from explorer.loading import close
from explorer.result import INCOMPLETE, PASSED, VIOLATED, WRONG_INPUT, PropertyResult, Result
from explorer.trace.observe import Observed, observe
from explorer.trace.trace import Trace

Verdict: TypeAlias = Literal["verified", "refuted", "vacuous", "unknown", "not_modelled"]
CheckKind: TypeAlias = Literal[
    "holds", "reaches", "violates", "script", "ends_in", "breaks_without", "holds_without"
]


@dataclass(frozen=True)
class Check:
    """One thing looked at. ``ok`` says whether it came out as the claim states it, None if that is open; ``note`` why not.

    ``vacuous`` says that it did, and says nothing.
    """

    kind: CheckKind
    property: str
    result: str
    ok: bool | None
    off: tuple[str, ...] = ()
    minimal: bool | None = None
    length: int | None = None
    note: str = ""
    trace: Trace | None = None
    vacuous: bool = False


@dataclass(frozen=True)
class Verified:
    """The outcome of a claim. ``result`` is the run of its own design; ``as_expected`` whether the document is right about it."""

    claim: Claim
    verdict: Verdict
    as_expected: bool
    result: Result | None = None
    checks: tuple[Check, ...] = ()
    error: ModelError | None = None

    def exit_code(self) -> int:
        """2 if the model is wrong, 0 as expected, 3 if nothing is known to be wrong but something is open, else 1."""
        if self.error is not None:
            return WRONG_INPUT
        if self.as_expected:
            return PASSED
        return INCOMPLETE if self.verdict == "unknown" else VIOLATED


def verify(ready: Ready, runs: Runs) -> Verified:
    """The verdict on one claim. Raises ModelError where a built-in property that it names cannot occur."""
    claim = ready.claim
    result = runs(ready.base, ready.temporal)
    for name in dict.fromkeys((*claim.holds, *claim.violates)):
        _known(ready, name, result)
    checks = [*_holds(claim, result), *_reaches(claim, result), *_violates(claim, result)]
    checks += _ends(claim, result)
    if ready.script is not None:
        checks += _script(ready, observe(ready.base.system, ready.script), ready.script.file)
    checks += _breaks(ready, result, runs)
    checks += _second_lines(ready, result, runs)
    return _judge(claim, result, tuple(checks))


def not_modelled(claim: Claim) -> Verified:
    """What a claim that nothing here can check comes to."""
    return Verified(claim, "not_modelled", True)


def _judge(claim: Claim, result: Result, checks: tuple[Check, ...]) -> Verified:
    # Where a hole is known, these are not part of what is claimed: they say how the claim is refuted.
    evidence = ("violates", "script", "ends_in") if claim.expect == "refuted" else ()
    stated = [c for c in checks if c.kind not in evidence]
    verdict: Verdict = "verified"
    nothing_happens = result.complete and not result.transitions and claim.holds
    if any(c.ok is False for c in stated if c.kind != "reaches"):
        verdict = "refuted"
    elif any(c.ok is False or c.vacuous for c in stated) or nothing_happens:
        verdict = "vacuous"
    elif any(c.ok is None for c in stated):
        verdict = "unknown"
    expected = verdict == claim.expect and all(
        c.ok for c in checks if c.kind in evidence or c.kind == "reaches"
    )
    if claim.expect == "refuted" and claim.holds:
        # A hole that was closed must not hide behind another check that fails.
        expected = expected and any(c.ok is False for c in checks if c.kind == "holds")
    return Verified(claim, verdict, expected, result, checks)


def _known(ready: Ready, name: str, result: Result) -> None:
    """Refuses a misspelt failure: it would hold for ever."""
    listed = [p.name for p in result.properties]
    if is_built_in(name) and name not in listed and result.lists_failures:
        raise ready.claim.block.error(
            f"{ready.claim.system} cannot fail with {name}", name, hint=close(name, listed)
        )


def _verdict(result: Result, name: str) -> PropertyResult:
    """A failure that an engine does not list did not occur."""
    found = result.find(name)
    if found is not None:
        return found
    if not is_built_in(name):
        raise AssertionError(f"{name} was not checked")
    return PropertyResult(name, "failure", "holds" if result.complete else "unknown")


def _ok(found: PropertyResult, wanted: str) -> bool | None:
    return None if found.verdict == "unknown" else found.verdict == wanted


def _open(result: Result) -> str:
    return "; ".join(result.incomplete) or "the run is incomplete"


def _check(kind: CheckKind, result: Result, name: str, wanted: str) -> Check:
    found = _verdict(result, name)
    note = _open(result) if found.verdict == "unknown" else found.vacuous or ""
    return Check(
        kind,
        name,
        found.verdict,
        _ok(found, wanted),
        length=found.length,
        note=note,
        trace=found.trace,
        vacuous=found.vacuous is not None,
    )


def _holds(claim: Claim, result: Result) -> Iterator[Check]:
    return (_check("holds", result, name, "holds") for name in claim.holds)


def _reaches(claim: Claim, result: Result) -> Iterator[Check]:
    return (_check("reaches", result, name, "reached") for name in claim.reaches)


def _violates(claim: Claim, result: Result) -> Iterator[Check]:
    return (_check("violates", result, name, "violated") for name in claim.violates)


ENDINGS = ("panic:", "assert:", "range:", "full:", "none:", "freed:", "variant:")
"""Failures after which a run does not go on."""


def _hidden(result: Result, known: Sequence[str]) -> list[PropertyResult]:
    """Failures that a claim does not speak of: what would come after them was not explored."""
    found = (p for p in result.properties if p.name.startswith(ENDINGS) and p.name not in known)
    return [p for p in found if p.verdict == "violated"]


def _ends(claim: Claim, result: Result) -> Iterator[Check]:
    """What holds only because runs end in a failure does not count as holding."""
    if claim.holds or claim.reaches:
        for found in _hidden(result, (*claim.holds, *claim.violates)):
            note = "runs end in it, and the claim does not say so: list it under violates"
            yield Check(
                "holds",
                found.name,
                "violated",
                False,
                length=found.length,
                note=note,
                trace=found.trace,
            )


def _script(ready: Ready, seen: Observed, file: str) -> Iterator[Check]:
    """The scripted run: with ``violates`` it must violate one of them, else nothing that is said to hold.

    It ends, so that it says nothing about temporal properties.
    """
    claim, temporal = ready.claim, ready.temporal
    violates = [n for n in claim.violates if n not in temporal]
    violated = {f.name: f for f in seen.violations}
    if seen.blocked is not None:
        yield Check("script", "", "blocked", False, note=seen.blocked.render())
    elif seen.used_up is not None:
        yield Check("script", "", "unknown", None, note=f"{seen.used_up} used up")
    elif violates:
        hits = [violated[n] for n in violates if n in violated]
        if not hits:
            names = " or ".join(violates)
            yield Check("script", names, "holds", False, note=f"{file} does not violate {names}")
        for hit in hits:
            yield Check("script", hit.name, "violated", True, length=hit.step)
    else:
        holds = (n for n in claim.holds if n not in temporal)
        for name in dict.fromkeys((*holds, *violated)) or ("",):
            seen_at = violated[name].step if name in violated else None
            outcome = "holds" if seen_at is None else "violated"
            yield Check("script", name, outcome, seen_at is None, length=seen_at)
    for name in claim.ends_in:
        ends = name in seen.at_end
        note = "" if ends else f"the last state of {file} is not one"
        yield Check("ends_in", name, "reached" if ends else "unreached", ends, note=note)


def _breaks(ready: Ready, result: Result, runs: Runs) -> Iterator[Check]:
    """Without the set each property is violated; without less than the set it holds."""
    for broken in ready.claim.breaks:
        run = runs(ready.without[broken.off], ready.temporal)
        smaller: list[tuple[tuple[str, ...], Result]] = [((), result)]
        for size in range(1, len(broken.off)):
            for subset in itertools.combinations(broken.off, size):
                smaller.append((subset, runs(ready.without[subset], ready.temporal)))
        for name in broken.violates:
            _known(ready, name, run)
            known = (*ready.claim.holds, *ready.claim.violates, *broken.violates)
            yield _break(broken.off, name, run, smaller, known)


def _break(
    off: tuple[str, ...],
    name: str,
    run: Result,
    smaller: Sequence[tuple[tuple[str, ...], Result]],
    known: Sequence[str],
) -> Check:
    found = _verdict(run, name)
    without = "without " + " and ".join(off)
    check = Check(
        "breaks_without",
        name,
        found.verdict,
        _ok(found, "violated"),
        off,
        length=found.length,
        trace=found.trace,
    )
    if found.verdict != "violated":
        why = _open(run) if found.verdict == "unknown" else f"it holds {without}"
        return _with(check, None, why)
    minimal: bool | None = True
    note = ""
    for subset, part in smaller:
        verdict = _verdict(part, name).verdict
        if verdict == "violated":
            less = "without " + " and ".join(subset) if subset else "as the design stands"
            return _with(check, False, f"{without} is more than it takes: it is violated {less}")
        if verdict == "unknown":
            minimal, note = None, _open(part)
        elif hidden := _hidden(part, known):
            less = "without " + " and ".join(subset) if subset else "as the design stands"
            # It may be what a mechanism is for: to stop rather than go wrong. The reader should know.
            note = note or f"{less} runs end in {hidden[0].name}"
    return _with(check, minimal, note)


def _with(check: Check, minimal: bool | None, note: str) -> Check:
    ok = check.ok if minimal or not check.ok else minimal
    return replace(check, ok=ok, minimal=minimal, note=note)


def _second_lines(ready: Ready, result: Result, runs: Runs) -> Iterator[Check]:
    for line in ready.claim.second_lines:
        run = runs(ready.without[line.off], ready.temporal)
        same = (run.states, run.transitions) == (result.states, result.transitions)
        for name in ready.claim.holds:
            found = _verdict(run, name)
            note = _open(run) if found.verdict == "unknown" else found.vacuous or ""
            if same and found.verdict == "holds":
                note = "the switch changes nothing: as many states and transitions as with it"
            yield Check(
                "holds_without",
                name,
                found.verdict,
                _ok(found, "holds") and found.vacuous is None,
                line.off,
                length=found.length,
                note=note,
                trace=found.trace,
            )
        # A design in which nothing gets going holds, too: that is no second line of defence.
        for found in _hidden(run, (*ready.claim.holds, *ready.claim.violates)):
            note = "runs end in it, so nothing is known about what would come after"
            yield Check(
                "holds_without",
                found.name,
                "violated",
                False,
                line.off,
                length=found.length,
                note=note,
                trace=found.trace,
            )
        for check in _reaches(ready.claim, run):
            if not check.ok:
                yield replace(check, off=line.off)


def verify_all(
    claims: Sequence[Ready | Claim],
    runs: Runs,
    progress: Callable[[int, Claim], None] = lambda number, claim: None,
) -> Iterator[Verified]:
    """Each claim in turn; those that are not resolved are not modelled. After an interrupt the rest is unknown, as is a claim whose model
    turns out to be wrong."""
    interrupted = False
    for item in claims:
        if isinstance(item, Ready):
            for configured in item.configurations():
                runs.expect(configured, item.temporal)
    for number, item in enumerate(claims):
        claim = item.claim if isinstance(item, Ready) else item
        if not isinstance(item, Ready):
            yield not_modelled(claim)
            continue
        outcome = Verified(claim, "unknown", False)
        try:
            if not interrupted:
                progress(number, claim)
                outcome = verify(item, runs)
        except ModelError as error:
            outcome = Verified(claim, "unknown", False, error=error)
        except KeyboardInterrupt:
            interrupted = True
        yield outcome
