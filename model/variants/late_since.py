"""Compaction that is published after it was applied (B12, against C52)."""

from __future__ import annotations

from explorer.lang import action, require
from model.aliases import Export, Exports, SharedTrace, is_rendered
from model.state import Runtime


class PublishesLate(SharedTrace):
    """``apply_holds`` reads the holds, releases the lock, compacts, and takes the lock again to publish how far."""

    @action(thread=Runtime.MAINTENANCE)
    def apply_holds(self, s: Exports) -> None:
        """Compacts the trace; the points still show the old since."""
        require(is_rendered(s) and not is_unpublished(s))
        target = self.agents_allow(s)
        for point in Export:
            target = self.point_allows(s, point, target)
        self.compact(s, target)

    @action(thread=Runtime.MAINTENANCE)
    def publish_since(self, s: Exports) -> None:
        """Publishes how far the trace is compacted, under a second acquisition of the lock."""
        require(is_unpublished(s))
        for point in Export:
            if s.points[point].backed:
                s.points[point].since = s.since


def is_unpublished(s: Exports) -> bool:
    """Whether some point shows an old since."""
    return any(s.points[point].backed and s.points[point].since < s.since for point in Export)
