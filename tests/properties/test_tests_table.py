"""The table of the sources' tests: its runs and claims are there, and belong together."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import properties
from explorer.claims.claim import Claim, read_document

CLAIMS = Path(properties.__file__).parent / "claims"
TABLE = CLAIMS / "tests.md"
# Runs that show what no test of the sources does: open holes.
OTHERS = ("open-questions.md", "findings.md")


def rows() -> Iterator[list[str]]:
    """The cells of each row below a heading."""
    for line in TABLE.read_text("utf-8").splitlines():
        if line.startswith("| ") and not line.startswith(("| ---", "| test |")):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def claims() -> dict[str, Claim]:
    """Claims by id; where documents share an id, one that has a script."""
    found: dict[str, Claim] = {}
    for document in sorted(CLAIMS.glob("*.md")):
        for claim in read_document(document):
            if claim.id not in found or claim.script is not None:
                found[claim.id] = claim
    return found


def test_each_run_is_that_of_its_claim() -> None:
    known = claims()
    for test, run, claim, _ in rows():
        script = known[claim].script
        assert script is not None and script.stem == run.strip("`"), test


def test_each_run_has_a_claim_about_every_run() -> None:
    known = claims()
    for test, _, _, general in rows():
        for name in general.partition(";")[0].split(", "):
            assert known[name].holds or known[name].violates, (test, name)


def test_every_run_is_in_the_table() -> None:
    named = {run.strip("`") for _, run, _, _ in rows()}
    for document in OTHERS:
        claims = read_document(CLAIMS / document)
        named |= {claim.script.stem for claim in claims if claim.script is not None}
    assert named == {file.stem for file in (CLAIMS / "scripts").glob("*.txt")}


def test_a_test_stands_in_one_row() -> None:
    text = TABLE.read_text("utf-8")
    tests = [word for test, *_ in rows() for word in test.split("`")[1::2]]
    assert len(tests) == len(set(tests)) > 40
    blocks = text.partition("## What is not modelled")[2]
    # Of this one a part is modelled.
    assert [t for t in tests if t in blocks] == ["remove_dirties_all_registered_workers"]
