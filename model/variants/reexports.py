"""Re-exports before the current design, and the repairs that the review of the first one asks for (2.14, A1.Q1, A1.Q2).

In these, the registry forwards what the controller allows to a point (``writer_logical``), a publisher's agent per point
forwards the holds found there, and an interactive runtime keeps the point at what it has applied (``standing_hold``).
"""

from __future__ import annotations

from explorer.lang import action, require
from model.aliases import Export, Exports, SharedTrace, is_published, is_rendered
from model.state import Runtime, Time


class Reimports(SharedTrace):
    """R2: the re-export's dataflow imports the trace and publishes it again, with a point of its own."""

    def keep(self, s: Exports, point: Export, id: Export, frontier: Time) -> None:
        """``note_standing_hold``: the standing hold joins, it never goes back (C10)."""
        super().keep(s, point, self.key_of_hold(point, id), frontier)

    def key_of_hold(self, point: Export, id: Export) -> Export:
        """Under which id a point keeps a standing hold: all in one place, unless they are keyed."""
        return id if self.design.keyed_holds else point

    def release(self, s: Exports, point: Export, id: Export) -> None:
        """A standing hold that is one id's own goes with it; one for two ids stays, and so does what it is at."""
        if self.design.keyed_holds or s.bound[Export.REEXPORT] == Export.REEXPORT:
            super().release(s, point, id)

    def note_allow_compaction(self, s: Exports, id: Export, frontier: Time) -> None:
        """The point's writer frontier is assigned: the last one counts."""
        point = s.bound[id]
        if point is not None:
            key = id if self.design.keyed_frontiers else point
            s.points[point].writer[key] = frontier

    @action(thread=Runtime.MAINTENANCE)
    def apply_holds(self, s: Exports) -> None:
        """Each point's agent follows the holds there; the trace follows all agents."""
        require(is_rendered(s))
        target = self.agents_allow(s)
        moved = False
        for name in Export:
            point = s.points[name]
            if self.is_used(s, name):
                held = (
                    point.forwarded
                )  # Where nobody holds the point, its agent stays where it is (C56).
                if self.is_held(s, name):
                    held = self.point_allows(s, name, Time.last())
                moved = moved or held > point.forwarded
                point.forwarded = max(point.forwarded, held)
                target = min(target, point.forwarded)
        require(moved or target > s.since)
        s.since = max(s.since, target)
        for name in Export:
            point = s.points[name]
            if is_published(s, name):
                point.since = min(point.forwarded, self.written(s, name))

    def is_used(self, s: Exports, point: Export) -> bool:
        """Whether the point has an agent on the trace: an id that leads there is rendered, or somebody holds it."""
        return is_published(s, point) or (s.points[point].backed and self.is_held(s, point))

    def is_held(self, s: Exports, point: Export) -> bool:
        """Whether anybody holds the point."""
        return any(
            (s.holds[point][id] is not None and self.counts(s, point, id))
            or (s.readers[id].point == point and s.readers[id].at is not None)
            for id in Export
        )

    def written(self, s: Exports, point: Export) -> Time:
        """The meet of the writer frontiers noted at a point; for one that is not there yet something stands in (C55)."""
        floor = Time.first() if self.design.floor_is_captured else s.points[point].forwarded
        result = Time.last()
        noted = False
        for id in Export:
            frontier = s.points[point].writer[id]
            if self.design.keyed_frontiers and s.agents[id] is None:
                pass  # It was dropped.
            elif frontier is not None and self.counts(s, point, id):
                noted = True
                result = min(result, frontier)
            elif self.design.keyed_frontiers and s.bound[id] == point:
                result = min(result, floor)
        return result if noted else floor


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
    """R3, ``publish_alias``: what is noted for an alias bears on the point it shares only when the source is gone (C40)."""

    def share(self, s: Exports) -> None:
        """Both ids lead to one point, and each has an entry in the table of aliases."""
        super().share(s)
        s.points[Export.SOURCE].writer[Export.REEXPORT] = s.since

    def key_of_hold(self, point: Export, id: Export) -> Export:
        """The table keeps what is noted by id."""
        return id

    def note_allow_compaction(self, s: Exports, id: Export, frontier: Time) -> None:
        """So it does with writer frontiers."""
        point = s.bound[id]
        if point is not None:
            s.points[point].writer[id] = frontier

    def counts(self, s: Exports, point: Export, id: Export) -> bool:
        """The source speaks for the point; once it is removed, its aliases do."""
        if s.bound[Export.REEXPORT] != Export.SOURCE or point != Export.SOURCE:
            return True
        removed = s.agents[Export.SOURCE] is None
        return (id == Export.REEXPORT) == removed


class RefusesOccupied(Overwrites):
    """The second repair: an id that is occupied is not re-exported, and that is said."""

    def publish_reexport(self, s: Exports) -> None:
        """The re-export fails; whoever waits for it is told."""
        if s.bound[Export.REEXPORT] is None:
            self.share(s)
        else:
            s.agents[Export.REEXPORT] = None
            s.refused = True
