"""``slotcheck explain``: why the run of a trace file is a counterexample."""

from __future__ import annotations

from pathlib import Path

import click

from explorer import interrupts
from explorer.command.options import finite, full_option, json_option
from explorer.command.output import Output
from explorer.command.progress import shown
from explorer.configure import configure
from explorer.explain.data import to_json
from explorer.explain.explanation import MOST_SECONDS, MOST_STATES
from explorer.explain.explanation import explain as explained
from explorer.explain.render import render
from explorer.loading import find_system
from explorer.result import INCOMPLETE, PASSED
from explorer.trace.files import read_trace


@click.command()
@click.argument("trace", type=click.Path(path_type=Path))
@click.option(
    "--max-states",
    type=click.IntRange(min=1),
    default=MOST_STATES,
    show_default=True,
    metavar="N",
    help="Look for the point of no return among at most N states.",
)
@click.option(
    "--max-seconds",
    type=click.FloatRange(min=0, min_open=True),
    callback=finite,
    default=MOST_SECONDS,
    show_default=True,
    metavar="S",
    help="Look for the point of no return for at most S seconds.",
)
@full_option
@json_option
def explain(
    trace: Path, max_states: int, max_seconds: float, full: bool, json_target: str | None
) -> int:
    """Explain TRACE: what is violated, which steps matter, where the violation became inevitable, and who was about to do what.

    Exit code 0; 2 if the run is not the recorded one any more; 3 if the point of no return is left open.
    """
    output = Output(json_target)
    recorded = read_trace(trace)
    found = find_system(recorded.system)
    configured = configure(found, recorded.scope, recorded.preset, recorded.design)
    with shown(output) as progress:
        explanation = explained(
            recorded,
            configured.system,
            max_states=max_states,
            max_seconds=max_seconds,
            progress=progress.begin,
        )
    interrupts.hold()
    for line in render(explanation, full=full):
        if line:
            output.wrapped(line, indent=len(line) - len(line.lstrip()) + 2)
        else:
            output.line()
    output.json(to_json(explanation))
    return PASSED if explanation.complete else INCOMPLETE
