"""``slotcheck findings``: the counterexamples that a document states as findings."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from explorer import interrupts
from explorer.claims.claim import Claim
from explorer.claims.findings import Finding, finding_of, to_json
from explorer.claims.resolve import Ready
from explorer.claims.runs import Runs
from explorer.claims.verify import verify_all
from explorer.command.claims import TABLE_WIDTH, read
from explorer.command.options import json_option
from explorer.command.output import Output
from explorer.command.progress import shown
from explorer.lang.errors import ModelError
from explorer.loading import bundled_documents
from explorer.result import INCOMPLETE, PASSED, VIOLATED, WRONG_INPUT
from explorer.trace.render import counted


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE...]")
@json_option
def findings(files: tuple[Path, ...], json_target: str | None) -> int:
    """Find the counterexample of every finding in checked documents again; without FILE in the bundled ones.

    A finding is a claim with finding = "...". Exit code 0 if each has its counterexample and no scripted run is shorter, else 1.
    """
    output = Output(json_target)
    documents = [(f, str(f)) for f in files] or [(f, f.name) for f in bundled_documents()]
    claims = read(documents)
    if claims is None:
        return WRONG_INPUT
    stated = [item for item in claims if _claim(item).finding is not None]
    if not stated:
        names = ", ".join(name for _, name in documents)
        raise ModelError(
            f"{names} states no findings",
            hint='a finding is a claim with finding = "what was wrong"',
        )
    with shown(output) as progress:

        def begin(number: int, claim: Claim) -> None:
            progress.begin(f"finding {claim.id} ({number + 1} of {len(stated)})")

        rows = [finding_of(item) for item in verify_all(stated, Runs(), begin)]
    interrupts.hold()
    if output.terminal and output.width >= TABLE_WIDTH:
        _table(rows, output)
    else:
        for row in rows:
            output.wrapped("  ".join(_cells(row)), indent=4)
    missing = [row.id for row in rows if not row.found]
    output.line()
    output.line(
        f"NOT FOUND: {', '.join(missing)} (of {len(rows)})"
        if missing
        else f"OK: {counted(len(rows), 'finding')}, each found again"
    )
    output.json(to_json(rows))
    codes = {row.exit_code for row in rows}
    return next((c for c in (WRONG_INPUT, VIOLATED, INCOMPLETE) if c in codes), PASSED)


def _claim(item: Ready | Claim) -> Claim:
    return item.claim if isinstance(item, Ready) else item


def _cells(row: Finding) -> list[str]:
    return [
        row.id,
        row.text,
        row.design,
        ", ".join(row.properties),
        "-" if row.length is None else str(row.length),
        "-" if row.script is None else str(row.script),
        f"{row.states:,}",
    ]


def _table(rows: list[Finding], output: Output) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("", "finding", "design", "broken", "steps", "script", "states"):
        right = heading in ("steps", "script", "states")
        table.add_column(heading, overflow="fold", justify="right" if right else "left")
    for row in rows:
        table.add_row(*(Text(cell, "" if row.found else "red") for cell in _cells(row)))
    Console(file=output.stream, width=output.width, highlight=False).print(table)
