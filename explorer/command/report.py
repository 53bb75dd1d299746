"""The outcome of a check as text."""

from __future__ import annotations

from collections.abc import Collection

from explorer import interrupts
from explorer.command.output import Output
from explorer.result import OUT_OF_MEMORY, PropertyResult, Result
from explorer.trace.render import render, steps, text


def report(
    result: Result, output: Output, *, full: bool = False, ordinals: Collection[str] = ()
) -> None:
    """What was covered, a line per property, warnings, then the trace of each violation."""
    output.wrapped(heading(result), indent=2)
    output.wrapped(coverage(result), indent=2)
    output.line()
    for item in result.properties:
        output.wrapped(row(item), indent=2)
    for note in result.notes:
        output.wrapped(f"note: {note}", indent=2)
    for warning in result.warnings:
        output.wrapped(f"warning: {warning}", indent=2)
    for why in result.incomplete:
        output.wrapped(f"incomplete: {why}{remedy(result, why, ordinals)}", indent=2)
    for item in result.properties:
        if item.verdict == "violated" and item.trace is not None:
            output.line()
            output.lines(render(item.trace, full=full))
            if item.name in result.trace_files:
                output.line(f"  written to {result.trace_files[item.name]}")
    output.line()
    output.wrapped(summary(result), indent=2)


def heading(result: Result) -> str:
    """System, scope and design."""
    scope = " ".join(f"{name}={size}" for name, size in result.scope.items())
    design = [result.preset] if result.preset is not None else []
    design += [f"{name}={text(value)}" for name, value in result.design.items()]
    return f"{result.system}: scope {scope or '(none)'}; design {' '.join(design) or '(default)'}"


def coverage(result: Result) -> str:
    """How much was explored."""
    counts = f"{result.states:,} states, {result.transitions:,} transitions, depth {result.depth}"
    if result.engine == "bmc":
        counts = f"runs of up to {result.depth} steps"
    how = "complete" if result.complete else "incomplete"
    reduced = f", reduced by {' and '.join(result.reductions)}" if result.reductions else ""
    return f"{result.engine}: {how}, {counts}{reduced}, {result.seconds:.1f} s"


def row(item: PropertyResult) -> str:
    """Verdict, name and length."""
    length = f" ({steps(item.length)})" if item.length is not None else ""
    return f"{item.verdict:<10}{item.name}{length}"


REMEDIES = {
    "state limit": "raise --max-states, or make the scope smaller",
    interrupts.TIME_LIMIT: "raise --max-seconds, or make the scope smaller",
    "memory limit": "raise --max-memory, or make the scope smaller",
    OUT_OF_MEMORY: "make the scope smaller, or run it where there is more memory",
}


def remedy(result: Result, why: str, ordinals: Collection[str]) -> str:
    """What to do about what the run was cut short by."""
    name, _, rest = why.partition(" ")
    if rest == "used up" and name in result.scope:
        larger = f"; run with --scope {name}={result.scope[name] + 1} or more"
        if name in ordinals:
            larger += f"; or, if it always grows, bound it on purpose: require(t < {name}.last())"
        return larger
    return f"; {REMEDIES[why]}" if why in REMEDIES else ""


def summary(result: Result) -> str:
    """The verdict on the run as a whole."""
    failed = [
        f"{p.name} (unreached)" if p.verdict == "unreached" else p.name for p in result.violations
    ]
    if failed:
        return f"FAILED: {', '.join(failed)}"
    if not result.exit_code():
        return "OK"
    if not result.states and result.engine != "bmc":
        return "INCOMPLETE: nothing was explored"
    return "INCOMPLETE: nothing fails in what was explored"
