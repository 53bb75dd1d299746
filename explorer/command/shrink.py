"""``slotcheck shrink``: makes a trace as easy to understand as possible."""

from __future__ import annotations

import json
from pathlib import Path

import click

from explorer import interrupts
from explorer.command.options import finite, full_option, json_option, number_of_bytes
from explorer.command.output import Output
from explorer.command.progress import shown
from explorer.files import write_text
from explorer.lang.errors import ModelError
from explorer.loading import find_system
from explorer.result import INCOMPLETE, PASSED
from explorer.trace.files import read_trace
from explorer.trace.render import render


@click.command()
@click.argument("trace", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the trace to FILE; by default to TRACE-shrunk.json, next to TRACE.",
)
@click.option(
    "--from",
    "base",
    metavar="PRESET",
    help="The design that holds, from which switches are to differ; the default design if there is no such option.",
)
@click.option(
    "--others",
    type=click.IntRange(min=1),
    metavar="N",
    help="Look for minimal sets of up to N switches among all bools, not only among those that the trace's design changes.",
)
@click.option("--keep-scope", is_flag=True, help="Leave the scope as it is.")
@click.option("--keep-design", is_flag=True, help="Leave the design as it is.")
@click.option(
    "--oracle",
    metavar="FILE.py:FUNCTION",
    help="What the run must go on to show, in place of its property: fails(run: Run) -> bool.",
)
@click.option(
    "--replay-only",
    is_flag=True,
    help="Search nothing: leave parts of the run out and replay the rest. For models that are too large to search.",
)
@click.option(
    "--max-states", type=click.IntRange(min=1), metavar="N", help="Stop each search after N states."
)
@click.option(
    "--max-seconds",
    type=click.FloatRange(min=0, min_open=True),
    callback=finite,
    metavar="S",
    help="Stop after S seconds in all.",
)
@click.option(
    "--max-memory",
    callback=number_of_bytes,
    metavar="N[K|M|G|T]",
    help="Stop a search before the process takes more memory: 512M, 2G.",
)
@full_option
@json_option
def shrink(
    trace: Path,
    out: Path | None,
    base: str | None,
    others: int | None,
    keep_scope: bool,
    keep_design: bool,
    oracle: str | None,
    replay_only: bool,
    max_states: int | None,
    max_seconds: float | None,
    max_memory: int | None,
    full: bool,
    json_target: str | None,
) -> int:
    """Make TRACE as easy to understand as possible.

    In this order: the fewest steps; of those the fewest switches between threads; the smallest scope; the fewest design
    switches (every minimal set is named); names of sorts in order. Exit code 3 if a limit or an interrupt left something open.
    """
    from explorer.shrink.oracles import find_oracle
    from explorer.shrink.report import heading, lines
    from explorer.shrink.traces import Wishes, shrink_trace

    output = Output(json_target)
    recorded = read_trace(trace)
    target = out or trace.with_name(f"{trace.stem}-shrunk.json")
    _check_target(target)
    found = find_system(recorded.system)
    fails = None if oracle is None else find_oracle(oracle)
    with shown(output) as progress:
        wishes = Wishes(
            base,
            others,
            keep_scope,
            keep_design,
            replay_only,
            max_states,
            max_seconds,
            max_memory,
            progress.begin,
        )
        interrupts.hold()
        shrunk = shrink_trace(recorded, found, wishes, fails)
    mistake: ModelError | None = None
    try:
        write_text(target, json.dumps(shrunk.after.to_json(), indent=1) + "\n")
    except ModelError as error:
        # What was found comes first.
        mistake = error
    output.wrapped(heading(shrunk), indent=2)
    output.line()
    for line in lines(shrunk):
        output.wrapped(line, indent=10)
    for warning in shrunk.warnings:
        output.wrapped(f"warning: {warning}", indent=2)
    output.line()
    output.lines(render(shrunk.after, full=full))
    output.line()
    left_open = shrunk.stopped is not None or any(stage.open for stage in shrunk.stages)
    if mistake is None:
        output.line(f"written to {target}")
    output.json(
        {**shrunk.to_json(), "trace": str(target) if mistake is None else shrunk.after.to_json()}
    )
    if mistake is not None:
        raise mistake
    return INCOMPLETE if left_open else PASSED


def _check_target(path: Path) -> None:
    """Complains before a long run, not after it."""
    if path.is_dir():
        raise ModelError(f"cannot write {path}: it is a directory", hint="name a file with --out")
    if not path.absolute().parent.is_dir():
        raise ModelError(f"cannot write {path}: there is no directory {path.parent}")
