"""A trace whose points hold nothing takes that for a release (C56, B31)."""

from __future__ import annotations

from explorer.lang import action, require
from model.aliases import Export, Exports, SharedTrace, is_rendered
from model.state import Runtime, Time


class ForwardsEmpty(SharedTrace):
    """The empty meet of the holds is forwarded to the trace, whatever its agents hold: it gives up everything."""

    @action(thread=Runtime.MAINTENANCE)
    def apply_holds(self, s: Exports) -> None:
        """Compacts the trace as far as the holds allow."""
        require(is_rendered(s))
        released = not any(self.is_held(s, point) for point in Export)
        target = Time.last() if released else self.agents_allow(s)
        for point in Export:
            target = self.point_allows(s, point, target)
        self.compact(s, target)
        for point in Export:
            if s.points[point].backed:
                s.points[point].since = s.since

    def is_held(self, s: Exports, point: Export) -> bool:
        """Whether anybody holds anything at the point."""
        return any(
            s.holds[point][id] is not None
            or (s.readers[id].at is not None and s.readers[id].point == point)
            for id in Export
        )
