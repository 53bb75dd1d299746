"""The outcome of random runs as text and JSON."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from explorer.command.output import Output
from explorer.command.report import heading, remedy, row
from explorer.lang.text import Json
from explorer.result import PropertyResult, Result
from explorer.stateful.fuzz import Fuzzed, Glimpse
from explorer.trace.render import render, steps

# Lengths of runs are shown in so many groups.
_GROUPS = 5


def progress_line(what: str, runs: int, glimpse: Glimpse) -> str:
    """How far it is."""
    if glimpse.shrinking is not None:
        return f"fuzzing {what}: shrinking {glimpse.shrinking}, {steps(glimpse.length)}"
    return f"fuzzing {what}: {glimpse.runs:,} of {runs:,} runs, {steps(glimpse.steps)}"


def report(
    result: Result,
    fuzzed: Fuzzed | None,
    programs: Mapping[str, str],
    output: Output,
    *,
    full: bool,
    ordinals: Collection[str],
) -> None:
    """What was run, a line per property, the distribution of the runs, then each failing run as a trace and as a program."""
    output.wrapped(heading(result), indent=2)
    output.wrapped(coverage(result, fuzzed), indent=2)
    output.line()
    runs = None if fuzzed is None else fuzzed.tally.runs
    for item in result.properties:
        output.wrapped(_verdict(item, runs), indent=2)
    if fuzzed is not None and runs:
        output.line()
        for text in distribution(fuzzed):
            output.wrapped(text, indent=2)
    for warning in result.warnings:
        output.wrapped(f"warning: {warning}", indent=2)
    if fuzzed is not None and fuzzed.degenerate is not None and result.violations:
        output.wrapped(f"warning: these runs say little: {fuzzed.degenerate}", indent=2)
    for why in result.incomplete:
        output.wrapped(f"incomplete: {why}{remedy(result, why, ordinals)}", indent=2)
    if fuzzed is not None and not fuzzed.shrunk:
        output.wrapped("note: shrinking was cut short; a shorter run may exist", indent=2)
    for item in result.properties:
        if item.verdict == "violated" and item.trace is not None:
            output.line()
            output.lines(render(item.trace, full=full))
            if item.name in result.trace_files:
                output.line(f"  written to {result.trace_files[item.name]}")
            if item.name in programs:
                output.line()
                output.line("As a program:")
                output.line()
                output.lines(programs[item.name].splitlines())
    output.line()
    output.wrapped(summary(result), indent=2)


def coverage(result: Result, fuzzed: Fuzzed | None) -> str:
    """How much was run."""
    counts = f"{steps(result.transitions)}, {result.states:,} states"
    if fuzzed is None:
        return f"stateful: {counts}"
    runs = _count(fuzzed.tally.runs, "run")
    return f"stateful: {runs} of up to {steps(fuzzed.max_steps)}, seed {fuzzed.seed}; {counts}"


def _verdict(item: PropertyResult, runs: int | None) -> str:
    missing = (
        "" if runs is None or item.verdict != "unknown" else f": not found in {_count(runs, 'run')}"
    )
    return row(item) + missing


def distribution(fuzzed: Fuzzed) -> Iterator[str]:
    """How long the runs were, why they ended, and how often each action was taken."""
    tally = fuzzed.tally
    width = max(-(-(fuzzed.max_steps + 1) // _GROUPS), 1)
    groups: dict[int, int] = {}
    for length, count in sorted(tally.lengths.items()):
        groups[length // width] = groups.get(length // width, 0) + count
    lengths = (
        f"{_span(g * width, min(g * width + width - 1, max(fuzzed.max_steps, g * width)))}: {n:,}"
        for g, n in groups.items()
    )
    yield f"runs by steps: {', '.join(lengths)}"
    yield f"runs ended by: {', '.join(f'{why} {n:,}' for why, n in sorted(tally.ended.items()))}"
    taken = sorted(tally.taken.items(), key=lambda item: (-item[1], item[0]))
    yield f"steps by action: {', '.join(f'{name} {n:,}' for name, n in taken) or '(none)'}"


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def summary(result: Result) -> str:
    """The verdict on the run as a whole."""
    failed = [p.name for p in result.violations]
    if failed:
        return f"FAILED: {', '.join(failed)}"
    if not result.transitions:
        return "INCOMPLETE: nothing was run"
    return "INCOMPLETE: nothing fails in these runs, which proves nothing"


def to_json(result: Result, fuzzed: Fuzzed | None, programs: Mapping[str, str]) -> dict[str, Json]:
    """The run as one object: a result with a part ``runs``; each violated property also has its ``program``."""
    data = result.to_json()
    timing = data.pop("timing")
    entries: list[Json] = []
    for item, entry in zip(result.properties, _list(data["properties"]), strict=True):
        assert isinstance(entry, dict)
        entries.append(entry | {"program": programs[item.name]} if item.name in programs else entry)
    data["properties"] = entries
    if fuzzed is not None:
        tally = fuzzed.tally
        data["runs"] = {
            "seed": fuzzed.seed,
            "max_examples": fuzzed.max_examples,
            "max_steps": fuzzed.max_steps,
            "runs": tally.runs,
            "lengths": {str(n): count for n, count in sorted(tally.lengths.items())},
            "ended": dict(sorted(tally.ended.items())),
            "degenerate": fuzzed.degenerate,
            "shrunk": fuzzed.shrunk,
        }
    data["timing"] = timing
    return data


def _list(value: Json) -> list[Json]:
    assert isinstance(value, list)
    return value
