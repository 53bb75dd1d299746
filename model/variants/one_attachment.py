"""A trace with one place for a point: attaching a second point detaches the first (B36)."""

from __future__ import annotations

from explorer.lang import action, require
from model.aliases import Export, Exports, SharedTrace, is_rendered
from model.state import Runtime


class OneAttachment(SharedTrace):
    """Only the point that was attached last bears on the trace, and hears of it."""

    @action(thread=Runtime.MAINTENANCE)
    def apply_holds(self, s: Exports) -> None:
        """Compacts the trace as far as agents and the holds of one point allow."""
        require(is_rendered(s))
        last = Export.REEXPORT if s.points[Export.REEXPORT].backed else Export.SOURCE
        self.compact(s, self.point_allows(s, last, self.agents_allow(s)))
        s.points[last].since = s.since
