"""``slotcheck run``: a scripted run, shown like a trace."""

from __future__ import annotations

from pathlib import Path

import click

from explorer.command.options import design_options, full_option
from explorer.command.output import Output
from explorer.configure import configure, parse_scope, parse_switches
from explorer.loading import find_system
from explorer.trace.observe import Finding, Observed, observe
from explorer.trace.render import blame_lines, start_label, step_lines, steps, whole
from explorer.trace.script import read_script


@click.command()
@click.argument("system")
@click.option(
    "--script",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="One action(param=value) a line, # for comments; init(param=value) may come first.",
)
@design_options
@full_option
def run(
    system: str,
    script: Path,
    scope: tuple[str, ...],
    preset: str | None,
    switches: tuple[str, ...],
    full: bool,
) -> int:
    """Take SYSTEM through the steps of a script, looking at every property after each of them.

    Exit code 1 if a property is violated on the way, 2 if a step cannot be taken.
    """
    output = Output()
    configured = configure(
        find_system(system), parse_scope(scope), preset, parse_switches(switches)
    )
    seen = observe(configured.system, read_script(script, configured.system))
    _show(seen, output, full)
    return seen.exit_code()


def _show(seen: Observed, output: Output, full: bool) -> None:
    findings = seen.violations + seen.reached
    output.line(f"  0. {start_label(seen.trace)}")
    if full:
        output.lines(whole(seen.trace.initial))
    _findings(findings, 0, output)
    for number, step in enumerate(seen.trace.steps, 1):
        output.lines(step_lines(number, step, full=full))
        _findings(findings, number, output)
    output.line()
    if seen.ignored:
        output.line(f"The step fails; {steps(seen.ignored)} after it cannot be taken.")
    if seen.used_up is not None:
        output.wrapped(f"INCOMPLETE: the last step uses up {seen.used_up}; run with a greater one.")
    if seen.violations:
        output.wrapped(f"FAILED: {', '.join(f.name for f in seen.violations)}", indent=2)
    if seen.blocked is not None:
        # What the script got wrong is the answer to it; the steps before it stay visible above.
        raise seen.blocked
    if not seen.violations and seen.used_up is None:
        output.line(f"OK: {steps(seen.trace.length)}, nothing is violated")


def _findings(findings: tuple[Finding, ...], number: int, output: Output) -> None:
    for finding in findings:
        if finding.step != number:
            continue
        if finding.kind == "reachable":
            output.line(f"     + {finding.name} is reached")
            continue
        message = f": {finding.message}" if finding.message else ""
        verb = "" if finding.kind in ("failure", "deadlock") else " is violated"
        output.line(f"     ! {finding.name}{verb}{message}")
        if finding.blame is not None:
            output.lines(f"     {line}" for line in blame_lines(finding.blame))
