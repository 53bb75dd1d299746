"""The page on explanations shows models whose words are right. (What it shows is run with the other pages.)"""

from __future__ import annotations

from tests.docs.document import ROOT, blocks


def test_nothing_is_wrong_with_the_words() -> None:
    page = (ROOT / "docs" / "explaining.md").read_text()
    shown = [block.text for block in blocks(page) if block.language == "console"]
    assert shown and not any("warning" in text for text in shown)
