"""The page of findings is what ``slotcheck findings`` says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import properties
from explorer.claims.claim import read_document
from explorer.cli import execute
from tests.docs.document import ROOT

DOCUMENT = Path(properties.__file__).parent / "claims/findings.md"


def rows() -> list[list[str]]:
    """The cells of the page's table."""
    text = (ROOT / "docs/findings.md").read_text()
    lines = [line for line in text.splitlines() if line.startswith("| B")]
    return [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines]


def test_every_finding_has_its_row() -> None:
    claims = [c for c in read_document(DOCUMENT) if c.finding is not None]
    stated = [[c.id, c.finding, ", ".join(c.violates)] for c in claims]
    assert [[row[0], row[1], row[3]] for row in rows()] == stated
    assert [row[2].split()[:2] for row in rows()] == [[c.system, c.design] for c in claims]


def test_all_that_was_found_is_there_or_has_a_reason() -> None:
    assert [c.id for c in read_document(DOCUMENT) if c.finding is None or c.script is not None]
    assert sorted(int(c.id[1:]) for c in read_document(DOCUMENT)) == list(range(1, 57))


@pytest.mark.slow
def test_the_numbers_are_those_of_a_run(tmp_path: Path) -> None:
    made = tmp_path / "made.json"
    assert execute(["findings", "--json", str(made)]) == 0
    found = json.loads(made.read_text())["findings"]
    assert rows() == [
        [
            f["id"],
            f["finding"],
            f["design"],
            ", ".join(f["violates"]),
            str(f["length"]),
            str(f["script"]),
            f"{f['states']:,}",
        ]
        for f in found
    ]
