"""The page on labelled graphs describes every key of the file."""

from __future__ import annotations

from explorer.graphs.read import _KEYS
from tests.docs.document import ROOT


def test_every_key_is_described() -> None:
    page = (ROOT / "docs" / "graphs.md").read_text()
    table = [line for line in page.splitlines() if line.startswith("| `")]
    described = " ".join(line.split("|")[1] for line in table)
    assert [key for key in _KEYS if f"`{key}`" not in described] == []
