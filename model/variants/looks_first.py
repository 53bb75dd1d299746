"""Readers that compare the since under one lock and register their hold under another (C51)."""

from __future__ import annotations

from explorer.lang import action, given
from model.aliases import Export, Exports, SharedTrace
from model.state import Runtime, Time


class LooksFirst(SharedTrace):
    """``reader_at`` in two acquisitions."""

    def mint(self, s: Exports, id: Export, at: Time) -> None:
        """The since was not beyond the time when the reader looked."""
        s.readers[id].found = at

    @action(thread=Runtime.INTERACTIVE)
    def register(self, s: Exports, id: Export) -> None:
        """Registers the hold."""
        s.readers[id].at = given(s.readers[id].found)
        s.readers[id].found = None
