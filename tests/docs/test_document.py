"""How documents are compared with what their commands print."""

from __future__ import annotations

import pytest

from tests.docs.document import agrees, patched


def test_dots_stand_for_any_lines() -> None:
    assert agrees("a\n...\nd", "a\nb\nc\nd")
    assert agrees("...", "")
    assert agrees("a, 0.5 s", "a, 12.3 s")
    assert not agrees("a\n...\nd", "a\nb")
    assert not agrees("a", "a\nb")


def test_a_diff_must_fit() -> None:
    assert patched("a\nb\nc\n", " a\n-b\n+x\n") == "a\nx\nc\n"
    with pytest.raises(AssertionError, match="0 times"):
        patched("a\n", "-b\n+c\n")
