"""The page on labelled graphs says what happens: its files are written, its commands run, their output compared."""

from __future__ import annotations

from pathlib import Path

from explorer.graphs.read import _KEYS
from tests.docs.document import ROOT, agrees, play

DOCUMENT = ROOT / "docs" / "graphs.md"


def test_every_output_is_what_the_page_shows(tmp_path: Path) -> None:
    run = list(play(DOCUMENT.read_text(), tmp_path))
    assert len(run) == 3
    for command in run:
        assert agrees(command.expected, command.actual), command.actual


def test_every_key_is_described() -> None:
    table = [line for line in DOCUMENT.read_text().splitlines() if line.startswith("| `")]
    described = " ".join(line.split("|")[1] for line in table)
    assert [key for key in _KEYS if f"`{key}`" not in described] == []
