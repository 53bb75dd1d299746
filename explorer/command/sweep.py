"""``slotcheck sweep``: a system in many scopes and designs."""

from __future__ import annotations

from pathlib import Path

import click

from explorer import interrupts
from explorer.command.options import batch_options, json_option
from explorer.command.output import Output
from explorer.configure import choose_properties, configure
from explorer.lang.errors import ModelError
from explorer.loading import close, find_system
from explorer.result import INCOMPLETE, PASSED, VIOLATED


@click.command()
@click.argument("system")
@click.option(
    "--scope",
    multiple=True,
    metavar="NAME=LOW..HIGH,...",
    help="Sizes to go over, for scope entries (repeatable); others keep their default.",
)
@click.option(
    "--set",
    "switches",
    multiple=True,
    metavar="SWITCH=VALUE,...",
    help="Values of a switch to go over (repeatable).",
)
@click.option(
    "--design", "presets", multiple=True, metavar="PRESET", help="A preset design (repeatable)."
)
@click.option(
    "--property",
    "asked",
    multiple=True,
    metavar="NAME",
    help="Decide this property only (repeatable). Failures of the model are always looked for.",
)
@batch_options
@json_option
def sweep(
    system: str,
    scope: tuple[str, ...],
    switches: tuple[str, ...],
    presets: tuple[str, ...],
    asked: tuple[str, ...],
    jobs: int,
    resume: Path | None,
    max_states: int | None,
    max_seconds: float | None,
    max_memory: int | None,
    json_target: str | None,
) -> int:
    """Search SYSTEM in every combination of scopes and designs.

    Exit code 1 if a property fails in one of them, 3 if a limit or an interrupt left something open.
    """
    from explorer.batch.job import Job
    from explorer.batch.pool import Pool
    from explorer.batch.store import Store
    from explorer.sweep.answer import Row, Sweep
    from explorer.sweep.grid import read_grid
    from explorer.sweep.report import heading, lines, table

    output = Output(json_target)
    found = find_system(system)
    grid = read_grid(found, scope, presets, switches)
    points = list(grid.points())
    for preset in grid.presets:
        choose_properties(configure(found, None, preset).system, asked)
    limits = (max_states, max_seconds, max_memory)
    todo = [Job(p.scope, p.preset, p.switches, asked, *limits) for p in points]

    def tell(done: int, of: int) -> None:
        output.progress(f"{done} of {of} combinations ...")

    interrupts.hold()
    with Pool(found, Store(found, resume), jobs, tell).open() as pool:
        outcomes = pool.outcomes(todo)
    known = {p.name for o in outcomes if o is not None for p in o.properties}
    for name in asked:
        if known and name not in known:
            raise ModelError(f"{found.name} cannot fail with {name}", hint=close(name, known))
    stopped = None
    if any(outcome is None for outcome in outcomes):
        stopped = interrupts.requested() or interrupts.INTERRUPTED
    rows = tuple(Row(p, o) for p, o in zip(points, outcomes, strict=True))
    answer = Sweep(found.name, grid, rows, stopped)
    output.clear()
    output.wrapped(heading(answer), indent=2)
    output.line()
    output.lines(table(answer, output.width))
    output.lines(lines(answer))
    output.json(answer.to_json())
    if any(row.failed for row in rows):
        return VIOLATED
    return PASSED if answer.complete else INCOMPLETE
