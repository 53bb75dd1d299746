"""The checked documents of the protocol: what they define, and their scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

import model
import properties
from explorer.claims.claim import Claim, read_document
from explorer.claims.resolve import resolve
from explorer.loading import find_system
from model.aliases import AliasDesign
from model.cluster import ClusterDesign
from model.design import BarrierDesign, Design, PairDesign
from model.threads import ThreadDesign
from model.wake import WakeDesign

CLAIMS = Path(properties.__file__).parent / "claims"
DOCUMENTS = sorted(CLAIMS.glob("*.md"))
ID = re.compile(r"\b(?:A[12]\.Q?\d+|[BCHR]\d+)\b")

# Each system's design: a claim about the system says what each of its switches carries.
DESIGNS = {
    "registry": Design,
    "wake": WakeDesign,
    "aliases": AliasDesign,
    "threads": ThreadDesign,
    "barrier": BarrierDesign,
    "cluster": ClusterDesign,
    "replica": PairDesign,
}


# What says how the environment behaves is no mechanism, and neither is the size of a queue.
ENVIRONMENT = {"backlog"}.union(*(find_system(name).cls.environment for name in DESIGNS))


def cited() -> dict[str, str]:
    """Each id that the model and the properties cite, with a file that does."""
    packages = (Path(p.__file__ or "").parent for p in (model, properties))
    files = [file for package in packages for file in sorted(package.rglob("*.py"))]
    return {name: file.name for file in files for name in ID.findall(file.read_text("utf-8"))}


def defined(document: Path) -> set[str]:
    """The ids that the document explains: in a heading, a claim, the table, or in bold."""
    text = document.read_text("utf-8")
    lines = [line for line in text.splitlines() if line.startswith(("#", "|", "claim =", "**"))]
    reasons = [line for line in text.splitlines() if line.startswith("not_modelled")]
    return set(ID.findall("\n".join(lines + reasons)))


def claims() -> Iterator[Claim]:
    for document in DOCUMENTS:
        yield from read_document(document)


def test_every_id_that_is_cited_is_defined() -> None:
    known = set[str]().union(*(defined(document) for document in DOCUMENTS))
    assert {name: file for name, file in cited().items() if name not in known} == {}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.name)
def test_every_id_that_a_document_mentions_is_defined_there(document: Path) -> None:
    assert set(ID.findall(document.read_text("utf-8"))) <= defined(document)


def test_every_claim_names_what_exists() -> None:
    for claim in claims():
        if claim.not_modelled is None:
            resolve(claim)


def test_every_script_is_used() -> None:
    used = {claim.script for claim in claims() if claim.script is not None}
    assert used == set((CLAIMS / "scripts").glob("*.txt"))


@pytest.mark.parametrize("system", DESIGNS)
def test_every_mechanism_is_in_a_claim(system: str) -> None:
    used: set[str] = set()
    for claim in claims():
        if claim.system == system and not claim.slow:
            used.update(claim.switches)
            used.update(name for part in claim.breaks for name in part.off)
            used.update(name for part in claim.second_lines for name in part.off)
    names = {name.partition("=")[0] for name in used}
    assert {f.name for f in fields(DESIGNS[system])} - ENVIRONMENT <= names


def test_what_is_slow_is_larger_than_what_is_not() -> None:
    """A slow claim repeats in a larger scope what is verified each time, so that leaving it out leaves no argument out."""
    fast = {(c.system, name) for c in claims() if not c.slow for name in c.holds}
    slow = [claim for claim in claims() if claim.slow]
    assert slow
    for claim in slow:
        assert claim.scope and not claim.breaks and claim.script is None
        assert {(claim.system, name) for name in claim.holds} <= fast


def test_every_mechanism_of_the_registry_is_in_its_table() -> None:
    text = (CLAIMS / "registry.md").read_text("utf-8")
    table = set(re.findall(r"`(\w+)`", "\n".join(x for x in text.splitlines() if x[:1] == "|")))
    assert {f.name for f in fields(Design)} - ENVIRONMENT <= table


def test_every_argument_has_a_claim() -> None:
    known = {claim.id.partition("-")[0] for claim in claims()}
    assert {f"A1.{n}" for n in range(1, 10)} | {"A1.Q1", "A1.Q2"} <= known
    assert {f"A2.{n}" for n in range(1, 10)} <= known
