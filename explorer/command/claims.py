"""``slotcheck claims`` and plain ``slotcheck``: verify checked design documents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from explorer import interrupts
from explorer.claims.claim import Claim, read_document
from explorer.claims.report import (
    counterexamples,
    covered,
    details,
    place,
    to_json,
    verdict,
    warnings,
)
from explorer.claims.resolve import Ready, resolve
from explorer.claims.runs import Runs
from explorer.claims.verify import Verified, verify_all
from explorer.command.options import all_option, full_option, json_option
from explorer.command.output import Output
from explorer.command.progress import shown
from explorer.lang.errors import ModelError
from explorer.loading import bundled_documents
from explorer.result import INCOMPLETE, PASSED, VIOLATED, WRONG_INPUT

# A table needs that much; below it each row is written as a paragraph.
TABLE_WIDTH = 72


@click.command()
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE..."
)
@all_option
@full_option
@json_option
def claims(files: tuple[Path, ...], slow: bool, full: bool, json_target: str | None) -> int:
    """Verify the claims of checked design documents (Markdown with ```slotcheck blocks)."""
    documents = [(f, str(f)) for f in files]
    return verify_documents(documents, Output(json_target), full=full, slow=slow)


def verify_bundled(output: Output, *, slow: bool = False) -> int:
    """Verifies the documents that installed packages bring along; their slow claims, too, if ``slow``."""
    documents = bundled_documents()
    if not documents:
        raise ModelError(
            "no checked design documents are installed",
            hint="slotcheck claims FILE.md verifies yours",
        )
    return verify_documents([(f, f.name) for f in documents], output, slow=slow)


def verify_documents(
    documents: Sequence[tuple[Path, str]], output: Output, *, full: bool = False, slow: bool = False
) -> int:
    """Verifies documents, given with the names to show; the exit code is the worst of what was found.

    Slow claims are left out unless ``slow``. That is said and has no effect on the exit code, unless nothing is left.
    """
    found = read(documents)
    if found is None:
        return WRONG_INPUT
    claims = [item for item in found if slow or not _claim(item).slow]
    left_out = [_claim(item) for item in found if not slow and _claim(item).slow]
    # Claims of one document run into each other's configurations: results are shared by all.
    runs = Runs()
    with shown(output) as progress:

        def begin(number: int, claim: Claim) -> None:
            progress.begin(f"verifying {claim.id} ({number + 1} of {len(claims)})")

        verified = list(verify_all(claims, runs, begin))
    interrupts.hold()
    _show(verified, left_out, output, full)
    output.json(to_json(verified, left_out))
    mistakes = (item.error.render() for item in verified if item.error is not None)
    for mistake in dict.fromkeys(mistakes):
        click.echo(mistake, err=True)
    codes = {item.exit_code() for item in verified} or {INCOMPLETE}
    return next((c for c in (WRONG_INPUT, VIOLATED, INCOMPLETE) if c in codes), PASSED)


def read(documents: Sequence[tuple[Path, str]]) -> list[Ready | Claim] | None:
    """Every claim of every document; None, and every message, if something is wrong with them."""
    claims: list[Ready | Claim] = []
    errors: list[ModelError] = []
    for path, name in documents:
        try:
            found = read_document(path, name)
        except ModelError as error:
            errors.append(error)
            continue
        for claim in found:
            try:
                claims.append(claim if claim.not_modelled is not None else resolve(claim))
            except ModelError as error:
                errors.append(error)
    for mistake in errors:
        click.echo(mistake.render(), err=True)
    return None if errors else claims


def _claim(item: Ready | Claim) -> Claim:
    return item.claim if isinstance(item, Ready) else item


def _show(
    verified: Sequence[Verified], left_out: Sequence[Claim], output: Output, full: bool
) -> None:
    if output.terminal and output.width >= TABLE_WIDTH:
        _table(verified, output)
    else:
        for item in verified:
            output.wrapped(_row(item), indent=4)
    for warning in warnings(verified):
        output.wrapped(f"warning: {warning}", indent=4)
    for item in verified:
        if not item.as_expected or item.verdict == "refuted":
            output.line()
            output.lines(details(item, full=full))
    output.line()
    output.line(_summary(verified))
    if left_out:
        one = len(left_out) == 1
        count = "1 slow claim is" if one else f"{len(left_out)} slow claims are"
        output.wrapped(f"{count} left out: --all verifies {'it' if one else 'them'}, too", indent=4)


def _row(item: Verified) -> str:
    parts = [f"{place(item)}  {item.claim.id}  {verdict(item)}", covered(item)]
    return "; ".join([*parts, *counterexamples(item)])


def _table(verified: Sequence[Verified], output: Output) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("where", "claim", "verdict", "covered", "counterexamples"):
        table.add_column(heading, overflow="fold")
    for item in verified:
        style = (
            "green" if item.as_expected else "yellow" if item.exit_code() == INCOMPLETE else "red"
        )
        table.add_row(
            Text(place(item)),
            Text(item.claim.id),
            Text(verdict(item), style),
            Text(covered(item)),
            Text("\n".join(counterexamples(item))),
        )
    Console(file=output.stream, width=output.width, highlight=False).print(table)


def _summary(verified: Sequence[Verified]) -> str:
    unexpected = [item.claim.id for item in verified if not item.as_expected]
    if not verified:
        return "NOTHING VERIFIED: every claim is slow"
    count = "1 claim" if len(verified) == 1 else f"{len(verified)} claims"
    if not unexpected:
        return f"OK: {count} as stated"
    return f"NOT AS STATED: {', '.join(unexpected)} (of {count})"
