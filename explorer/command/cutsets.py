"""``slotcheck cutsets``: which mechanisms each property hangs on."""

from __future__ import annotations

from pathlib import Path

import click

from explorer import interrupts
from explorer.command.options import batch_options, design_options, json_option
from explorer.command.output import Output, check_writable
from explorer.configure import choose_properties, configure, parse_scope, parse_switches
from explorer.files import write_text
from explorer.lang.errors import ModelError
from explorer.loading import close, find_system
from explorer.result import INCOMPLETE, PASSED, VIOLATED, Kind, design_json
from explorer.trace.replay import changed_switches


@click.command()
@click.argument("system")
@design_options
@click.option(
    "--property",
    "asked",
    multiple=True,
    metavar="NAME",
    help="Look at this property only (repeatable): one that is declared, deadlock, or a failure such as panic:NAME.",
)
@click.option(
    "--mechanism",
    "only",
    multiple=True,
    metavar="SWITCH",
    help="Take away this switch only (repeatable). By default: every bool that is on and every Enum, but for what the system "
    "names as its environment.",
)
@click.option(
    "--keep", multiple=True, metavar="SWITCH", help="Do not take away this switch (repeatable)."
)
@click.option(
    "--max-size",
    type=click.IntRange(min=1),
    default=2,
    show_default=True,
    metavar="K",
    help="Look at sets of up to K mechanisms.",
)
@batch_options
@click.option(
    "--trace-dir",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write the shortest counterexample of each set to DIR.",
)
@click.option(
    "--html", type=click.Path(path_type=Path), metavar="FILE", help="Write the matrix as a page."
)
@click.option(
    "--svg", type=click.Path(path_type=Path), metavar="FILE", help="Write the matrix as a picture."
)
@json_option
def cutsets(
    system: str,
    scope: tuple[str, ...],
    preset: str | None,
    switches: tuple[str, ...],
    asked: tuple[str, ...],
    only: tuple[str, ...],
    keep: tuple[str, ...],
    max_size: int,
    jobs: int,
    resume: Path | None,
    max_states: int | None,
    max_seconds: float | None,
    max_memory: int | None,
    trace_dir: Path | None,
    html: Path | None,
    svg: Path | None,
    json_target: str | None,
) -> int:
    """For each property of SYSTEM, find every minimal set of mechanisms without which it is violated.

    Exit code 1 if a property fails with every mechanism in place, 3 if a limit or an interrupt left something open.
    """
    from explorer.batch.job import Job
    from explorer.batch.pool import Pool
    from explorer.batch.store import Store
    from explorer.cutsets.html import page
    from explorer.cutsets.mechanisms import mechanisms_of
    from explorer.cutsets.report import heading, lines, table
    from explorer.cutsets.search import CutSets, find_cut_sets
    from explorer.cutsets.svg import picture
    from explorer.cutsets.traces import traces_of
    from explorer.trace.files import prepare, write_named

    output = Output(json_target)
    for target in (html, svg):
        if target is not None:
            check_writable(target)
    if trace_dir is not None:
        prepare(trace_dir)
    found = find_system(system)
    sizes, values = parse_scope(scope), parse_switches(switches)
    configured = configure(found, sizes, preset, values)
    choose_properties(configured.system, asked)
    empty = CutSets(
        configured.name,
        dict(configured.system.scope),
        design_json(changed_switches(configured.system), preset),
        mechanisms_of(configured, only, (*keep, *values)),
        max_size,
    )
    job = Job(
        sizes,
        preset,
        {name: str(value) for name, value in values.items()},
        asked,
        max_states,
        max_seconds,
        max_memory,
    )
    size = 0

    def level(number: int) -> None:
        nonlocal size
        size = number

    def tell(done: int, of: int) -> None:
        output.progress(f"sets of {size}: {done} of {of} designs ...")

    listed: list[str] = []

    def wanted(name: str, kind: Kind) -> bool:
        listed.append(name)
        return name in asked if asked else kind != "reachable"

    interrupts.hold()
    with Pool(found, Store(found, resume), jobs, tell).open() as pool:
        answer = find_cut_sets(empty, job, pool, wanted, level)
        for name in asked:
            if listed and name not in listed:
                raise ModelError(
                    f"{configured.name} cannot fail with {name}", hint=close(name, listed)
                )
        traces = {} if trace_dir is None else traces_of(answer, job, pool)
    output.clear()
    output.wrapped(heading(answer), indent=2)
    for line in lines(answer):
        output.wrapped(line, indent=4) if line else output.line()
    output.line()
    output.lines(table(answer, output.width))
    if trace_dir is not None:
        for file in write_named(traces, trace_dir):
            output.line(f"written to {file}")
    for target, text in ((html, page), (svg, picture)):
        if target is not None:
            write_text(target, text(answer))
            output.line(f"written to {target}")
    output.json(answer.to_json())
    if any(row.fails for row in answer.rows):
        return VIOLATED
    return PASSED if answer.exact else INCOMPLETE
