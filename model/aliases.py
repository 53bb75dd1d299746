"""Two ids over one trace: what a re-export does to frontiers and holds (2.5 to 2.8, 2.14, A1.Q1, A1.Q2).

One index is published and exported again under a second id. The creates of both come at time 0 and before any compaction, in
the order of each runtime's stream (C3). Each id has a frontier of its own: the controller allows
compaction of each, and may drop the source, and each runtime applies that at its own pace. All of it bears on the one trace behind both.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated, TypeAlias

from explorer.lang import Between, Map, Seq, System, action, given, record, require
from model.state import Runtime, Time


class Export(Enum):
    """The two ids, and the points made for them."""

    SOURCE = 0
    REEXPORT = 1


@record
class SharedPoint:
    """A publication point, as far as frontiers are concerned. Its two halves are alike."""

    backed: bool
    since: Time
    """The published since: reads below it are refused."""
    forwarded: Time
    """What the publisher's own agent on the trace holds; only where there is one per point."""
    writer: Map[Export, Time | None]
    """``writer_logical``: the compaction last noted; only where the registry forwards it."""


@record
class Reader:
    """What the interactive runtime has of an id."""

    point: Export | None
    """The point that its peer bundle leads to; None: no peer is recorded."""
    dropped: bool
    """The peer was dropped with its id."""
    frontier: Time
    """The compaction that this runtime has applied: it may be asked to read from here on."""
    at: Time | None
    """How far a dataflow that reads the id has read; its reader holds the trace there."""
    found: Time | None
    """What a dataflow that is being built will read: the point admits it, as far as it has seen. Only where this is not done at once."""


@record(frozen=True)
class AllowCompaction:
    """The controller gives up what is before ``frontier``; with None, the id."""

    id: Export
    frontier: Time | None


Position: TypeAlias = Annotated[int, Between(0, "stream")]


@record
class Exports:
    """One trace, its points, and who reads them."""

    since: Time
    """The real logical compaction of the trace."""
    agents: Map[Export, Time | None]
    """The maintenance runtime's agent for each id; None: the id is not rendered, or not any more."""
    allowed: Map[Export, Time]
    """The controller's compaction frontiers."""
    gives_up: bool
    """The controller has dropped the source."""
    stream: Seq[AllowCompaction]
    """What the controller sent to both runtimes."""
    applied: Map[Runtime, Position]
    """How far in the stream each runtime is."""
    bound: Map[Export, Export | None]
    """The registry's map: whose point an id leads to."""
    points: Map[Export, SharedPoint]
    holds: Map[Export, Map[Export, Time | None]]
    """By point, by id: what the point keeps for the id's peer: reserved by a publication, or registered by the peer."""
    readers: Map[Export, Reader]
    refused: bool
    """The re-export found its id occupied and said so."""


@dataclass(frozen=True)
class AliasDesign:
    """The current protocol: every id has points of its own (C39)."""

    meets_all_points: bool = True
    """The trace applies the meet over the holds of all its points (C39); off: of the source's only."""
    holds_bound_compaction: bool = True
    """Holds count at all (C6)."""
    peers_hold: bool = True
    """There is a hold for each peer, reserved or its own (C6, C12); off: who reads an index finds it as it is."""
    drop_releases: bool = True
    """A peer that is dropped, or that will never come, leaves no hold (C14)."""

    # Designs with a writer frontier at each point only.
    keyed_frontiers: bool = False
    """A point keeps the writer frontiers of its ids apart (A1.Q2's repair)."""
    keyed_holds: bool = False
    """A point keeps the standing holds of its ids apart (A1.Q2's repair)."""
    floor_is_captured: bool = True
    """What stands in for a writer frontier not noted yet is the since that the trace was attached at (C55)."""

    # No mechanism: what the controller does.
    source_is_dropped: bool = True
    """The controller may drop the source while its re-export lives (C42)."""
    source_follows: bool = False
    """The controller compacts the source no further than the re-export, whose dataflow imports it (C40)."""


class SharedTrace(System[Exports]):
    """The current design (R5): a second pair of points over the same trace."""

    design = AliasDesign()

    # The registry.

    def get_or_create(self, s: Exports, id: Export) -> Export:
        """The point that the id leads to; its own if nobody asked for it before."""
        if s.bound[id] is None:
            s.bound[id] = id
        return given(s.bound[id])

    def back(self, s: Exports, id: Export) -> None:
        """Attaches the trace to the point that the id leads to, and reserves the peer's hold (C12)."""
        target = self.get_or_create(s, id)
        point = s.points[target]
        point.backed = True
        point.since = s.since
        point.forwarded = s.since
        self.keep(s, target, id, s.since)

    def keep(self, s: Exports, point: Export, id: Export, frontier: Time) -> None:
        """The hold of the id's peer joins ``frontier``."""
        if not self.design.peers_hold:
            return
        old = s.holds[point][id]
        s.holds[point][id] = frontier if old is None else max(old, frontier)

    # The maintenance worker.

    @action(thread=Runtime.MAINTENANCE)
    def publish(self, s: Exports) -> None:
        """Renders and publishes the source."""
        require(s.agents[Export.SOURCE] is None and not is_rendered(s))
        s.agents[Export.SOURCE] = s.since
        self.back(s, Export.SOURCE)

    @action(thread=Runtime.MAINTENANCE)
    def reexport(self, s: Exports) -> None:
        """Renders a dataflow that imports the source and exports its arrangement again, with an agent of its own (C42)."""
        source = s.agents[Export.SOURCE]
        require(source is not None and s.agents[Export.REEXPORT] is None and not s.refused)
        s.agents[Export.REEXPORT] = source
        self.publish_reexport(s)

    def publish_reexport(self, s: Exports) -> None:
        """Attaches the trace to the re-export's point, whoever made it."""
        self.back(s, Export.REEXPORT)

    @action(thread=Runtime.MAINTENANCE)
    def allow_compaction(self, s: Exports) -> None:
        """Applies an AllowCompaction: the id's agent moves, or goes. The trace lives as long as there is one."""
        require(is_rendered(s))
        command = self.next_command(s, Runtime.MAINTENANCE)
        if s.agents[command.id] is not None:
            s.agents[command.id] = command.frontier
            frontier = command.frontier
            if frontier is None:
                self.unpublish(s, command.id)
            else:
                self.note_allow_compaction(s, command.id, frontier)

    def unpublish(self, s: Exports, id: Export) -> None:
        """The token goes. Where no peer has the slot, it goes as well, with what was reserved in it (A1.6, C14)."""
        point = s.bound[id]
        if point is not None and s.readers[id].point is None:
            self.release(s, point, id)
            if not is_published(s, point):
                s.bound[id] = None
                s.points[point].backed = False

    def next_command(self, s: Exports, runtime: Runtime) -> AllowCompaction:
        """The next command of the stream, which this runtime is about to apply."""
        position = s.applied[runtime]
        require(position < len(s.stream))
        s.applied[runtime] = position + 1
        return s.stream[position]

    def note_allow_compaction(self, s: Exports, id: Export, frontier: Time) -> None:
        """The registry has no part in it: the trace publishes its since itself."""

    @action(thread=Runtime.MAINTENANCE)
    def apply_holds(self, s: Exports) -> None:
        """Compacts the trace as far as agents and holds allow, and publishes how far, in one step (C52)."""
        require(is_rendered(s))
        target = self.agents_allow(s)
        for point in Export:
            if self.design.meets_all_points or point == Export.SOURCE:
                target = self.point_allows(s, point, target)
        self.compact(s, target)
        for point in Export:
            if s.points[point].backed:
                s.points[point].since = s.since

    def compact(self, s: Exports, target: Time) -> None:
        """The trace never rewinds (C57)."""
        require(target > s.since and any(s.agents[id] is not None for id in Export))
        s.since = target

    def agents_allow(self, s: Exports) -> Time:
        """The meet of the maintenance runtime's agents."""
        result = Time.last()
        for id in Export:
            agent = s.agents[id]
            if agent is not None:
                result = min(result, agent)
        return result

    def point_allows(self, s: Exports, point: Export, target: Time) -> Time:
        """The meet of ``target`` and of everything that is held at a point."""
        if not self.design.holds_bound_compaction or not s.points[point].backed:
            return target
        for id in Export:
            hold = s.holds[point][id]
            if hold is not None and self.counts(s, point, id):
                target = min(target, hold)
            at = s.readers[id].at
            if at is not None and s.readers[id].point == point:
                target = min(target, at)
        return target

    def counts(self, s: Exports, point: Export, id: Export) -> bool:
        """Whether what a point keeps for an id bears on it."""
        return True

    # The interactive worker.

    @action(thread=Runtime.INTERACTIVE)
    def record_peer(self, s: Exports, id: Export) -> None:
        """``peer_bundle``: the create of {id}, which this runtime does not render."""
        require(s.readers[id].point is None and not s.readers[id].dropped)
        point = self.get_or_create(s, id)
        s.readers[id].point = point
        self.keep(s, point, id, s.readers[id].frontier)

    @action(thread=Runtime.INTERACTIVE)
    def downgrade_peer(self, s: Exports) -> None:
        """Applies an AllowCompaction: the peer's hold follows (C6), or goes, when nothing reads the id any more (C2)."""
        require(all(s.readers[id].point is not None or s.readers[id].dropped for id in Export))
        require(all(s.readers[id].found is None for id in Export))
        command = self.next_command(s, Runtime.INTERACTIVE)
        reader = s.readers[command.id]
        point = given(reader.point)
        frontier = command.frontier
        if frontier is None:
            require(reader.at is None)
            reader.point = None
            reader.dropped = True
            self.release(s, point, command.id)
        else:
            reader.frontier = frontier
            self.keep(s, point, command.id, frontier)

    def release(self, s: Exports, point: Export, id: Export) -> None:
        """The hold of the id's peer goes."""
        if self.design.drop_releases:
            s.holds[point][id] = None

    @action(thread=Runtime.INTERACTIVE)
    def build_import(self, s: Exports, id: Export, at: Time) -> None:
        """``reader_at``: a dataflow reads the id at a time that its controller still holds, and that its point admits."""
        reader = s.readers[id]
        require(reader.point is not None and reader.at is None and reader.frontier <= at)
        require(all(s.readers[id].found is None for id in Export))
        point = s.points[given(reader.point)]
        require(not point.backed or point.since <= at)
        self.mint(s, id, at)

    def mint(self, s: Exports, id: Export, at: Time) -> None:
        """The reader's hold is registered under the lock under which the since was compared (C51)."""
        s.readers[id].at = at

    @action(thread=Runtime.INTERACTIVE)
    def refuse_read(self, s: Exports, id: Export, at: Time) -> None:
        """``reader_at`` finds the since beyond the time and registers nothing. Whoever asked gets an error."""
        point = s.points[given(s.readers[id].point)]
        require(point.backed and point.since > at)
        require(all(s.readers[id].found is None for id in Export))

    @action(thread=Runtime.INTERACTIVE)
    def read_on(self, s: Exports, id: Export, at: Time) -> None:
        """A dataflow has read up to ``at``, and its hold follows (C62)."""
        require(given(s.readers[id].at) < at)
        s.readers[id].at = at

    @action(thread=Runtime.INTERACTIVE)
    def drop_import(self, s: Exports, id: Export) -> None:
        """The dataflow that reads {id} is done."""
        require(s.readers[id].at is not None)
        s.readers[id].at = None

    # The controller.

    @action
    def allow(self, s: Exports, id: Export, frontier: Time) -> None:
        """Allows compaction of {id} to {frontier}; the command is on its way to both runtimes from now on.

        A dataflow that the controller created, it holds the index for (C2); one that it has dropped may be built late.
        """
        require(s.allowed[id] < frontier and not (id == Export.SOURCE and s.gives_up))
        if self.design.source_follows and id == Export.SOURCE:
            require(frontier <= s.allowed[Export.REEXPORT])
        s.allowed[id] = frontier
        s.stream.append(AllowCompaction(id=id, frontier=frontier))

    @action
    def drop_source(self, s: Exports) -> None:
        """Drops the source. The dataflow of the re-export imports it, so its trace stays (C42)."""
        require(self.design.source_is_dropped and not s.gives_up)
        s.gives_up = True
        s.stream.append(AllowCompaction(id=Export.SOURCE, frontier=None))


def is_published(s: Exports, point: Export) -> bool:
    """Whether the trace is attached to the point for an id that is rendered."""
    return s.points[point].backed and any(
        s.bound[id] == point and s.agents[id] is not None for id in Export
    )


def is_rendered(s: Exports) -> bool:
    """Whether the maintenance runtime is past both creates."""
    return s.agents[Export.REEXPORT] is not None or s.refused
