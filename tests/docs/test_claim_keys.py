"""Every key of a claim is in the tutorial."""

from __future__ import annotations

from explorer.claims.claim import KEYS
from tests.docs.document import ROOT


def test_every_key_is_described() -> None:
    text = (ROOT / "docs" / "modelling.md").read_text().partition("## A checked document")[2]
    table = "\n".join(line for line in text.splitlines() if line.startswith("| `"))
    assert [key for key in KEYS if f"`{key}`" not in table and f"`[[{key}]]`" not in table] == []
