"""Re-exports before the current design, and the repairs that the review of the first one asks for (2.14, A1.Q1, A1.Q2).

In these, the registry forwards what the controller allows to a point (``writer_logical``), a publisher's agent per point
forwards the holds found there, and an interactive runtime keeps the point at what it has applied (``standing_hold``).
"""

from __future__ import annotations

from explorer.lang import action, require
from model.aliases import Export, Exports, SharedTrace, is_rendered
from model.state import Runtime, Time


class Reimports(SharedTrace):
    """R2: the re-export's dataflow imports the trace and publishes it again, with a point of its own."""

    def key(self, point: Export, id: Export) -> Export:
        """Under which id a point keeps a frontier: all in one place, unless they are keyed."""
        return id if self.design.keyed_by_id else point

    def keep(self, s: Exports, point: Export, id: Export, frontier: Time) -> None:
        """``note_standing_hold``: the standing hold joins, it never goes back (C10)."""
        key = self.key(point, id)
        old = s.holds[point][key]
        s.holds[point][key] = frontier if old is None else max(old, frontier)

    def note_allow_compaction(self, s: Exports, id: Export, frontier: Time) -> None:
        """The point's writer frontier is assigned: the last one counts."""
        point = s.bound[id]
        if point is not None:
            s.points[point].writer[self.key(point, id)] = frontier

    @action(thread=Runtime.MAINTENANCE)
    def apply_holds(self, s: Exports) -> None:
        """Each point's agent follows the holds there; the trace follows all agents."""
        require(is_rendered(s))
        target = self.agents_allow(s)
        moved = False
        for name in Export:
            point = s.points[name]
            if point.backed:
                held = self.point_allows(s, name, Time.last())
                moved = moved or held > point.forwarded
                point.forwarded = max(point.forwarded, held)
                target = min(target, point.forwarded)
        require(moved or target > s.since)
        s.since = max(s.since, target)
        for name in Export:
            point = s.points[name]
            if point.backed:
                point.since = min(point.forwarded, self.written(s, name))

    def written(self, s: Exports, point: Export) -> Time:
        """The meet of the writer frontiers noted at a point; before the first one the minimum serves (C55)."""
        result = Time.last()
        noted = False
        for id in Export:
            frontier = s.points[point].writer[id]
            if frontier is not None:
                noted = True
                result = min(result, frontier)
            elif self.design.keyed_by_id and s.bound[id] == point:
                result = Time.first()
        return result if noted else Time.first()


class Overwrites(Reimports):
    """R1: the re-export's id leads to the source's point, whatever it led to before."""

    def publish_reexport(self, s: Exports) -> None:
        """Overwrites the map entry."""
        self.share(s)

    def share(self, s: Exports) -> None:
        """Both ids lead to one point."""
        s.bound[Export.REEXPORT] = Export.SOURCE
        self.keep(s, Export.SOURCE, Export.REEXPORT, s.since)


class BacksInPlace(Overwrites):
    """The first repair: an alias, unless a reader has a point at the id already; that one is backed where it is."""

    def publish_reexport(self, s: Exports) -> None:
        """The reader's point, or the source's."""
        if s.bound[Export.REEXPORT] is None:
            self.share(s)
        else:
            self.back(s, Export.REEXPORT)


class SourceGoverns(BacksInPlace):
    """R3, ``publish_alias``: what is noted for an alias does not reach the point it shares (C40)."""

    def is_alias(self, s: Exports, point: Export, id: Export) -> bool:
        """Whether the id has no point of its own."""
        return id == Export.REEXPORT and point == Export.SOURCE

    def keep(self, s: Exports, point: Export, id: Export, frontier: Time) -> None:
        """The source's standing hold is the only one."""
        if not self.is_alias(s, point, id):
            super().keep(s, point, id, frontier)

    def note_allow_compaction(self, s: Exports, id: Export, frontier: Time) -> None:
        """The source's writer frontier is the only one."""
        if s.bound[id] == id:
            super().note_allow_compaction(s, id, frontier)


class RefusesOccupied(Overwrites):
    """The second repair: an id that is occupied is not re-exported, and that is said."""

    def publish_reexport(self, s: Exports) -> None:
        """The re-export fails; whoever waits for it is told."""
        if s.bound[Export.REEXPORT] is None:
            self.share(s)
        else:
            s.agents[Export.REEXPORT] = None
            s.refused = True
