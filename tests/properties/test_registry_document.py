"""The checked document of the registry: what it defines, and its scripts."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import model
import properties
from explorer.claims.claim import read_document
from explorer.claims.resolve import resolve
from model.design import Design

CLAIMS = Path(properties.__file__).parent / "claims"
DOCUMENT = CLAIMS / "registry.md"
ID = re.compile(r"\b(?:A[12]\.Q?\d+|[BCHR]\d+)\b")


def cited() -> dict[str, str]:
    """Each id that the model and the properties cite, with a file that does."""
    packages = (Path(p.__file__ or "").parent for p in (model, properties))
    files = [file for package in packages for file in sorted(package.rglob("*.py"))]
    return {name: file.name for file in files for name in ID.findall(file.read_text("utf-8"))}


def defined() -> set[str]:
    """The ids that the document explains: in a heading, a claim, the table, or in bold."""
    text = DOCUMENT.read_text("utf-8")
    lines = [line for line in text.splitlines() if line.startswith(("#", "|", "claim =", "**"))]
    reasons = [line for line in text.splitlines() if line.startswith("not_modelled")]
    return set(ID.findall("\n".join(lines + reasons)))


def test_every_id_that_is_cited_is_defined() -> None:
    missing = {name: file for name, file in cited().items() if name not in defined()}
    assert missing == {}


def test_every_id_that_the_document_mentions_is_defined() -> None:
    assert set(ID.findall(DOCUMENT.read_text("utf-8"))) <= defined()


def test_every_claim_names_what_exists() -> None:
    for claim in read_document(DOCUMENT):
        if claim.not_modelled is None:
            resolve(claim)


def test_every_script_is_used() -> None:
    used = {claim.script for claim in read_document(DOCUMENT) if claim.script is not None}
    assert used == set((CLAIMS / "scripts").glob("*.txt"))


def test_every_mechanism_is_in_the_table_and_in_a_claim() -> None:
    text = DOCUMENT.read_text("utf-8")
    table = set(re.findall(r"`(\w+)`", "\n".join(x for x in text.splitlines() if x[:1] == "|")))
    switched: set[str] = set()
    for claim in read_document(DOCUMENT):
        switched.update(name for part in claim.breaks for name in part.off)
        switched.update(name for part in claim.second_lines for name in part.off)
    mechanisms = {f.name for f in fields(Design)} - {"inputs_end", "same_as_of"}
    assert mechanisms <= table and mechanisms == switched


def test_every_argument_has_a_claim() -> None:
    claims = {claim.id.partition("-")[0] for claim in read_document(DOCUMENT)}
    assert {"A1.2", "A1.3", "A1.4", "A1.5", "A1.6", "A1.7", "A1.Q1"} <= claims
