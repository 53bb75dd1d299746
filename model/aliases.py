"""Two ids over one trace: what a re-export does to frontiers and holds (2.5 to 2.8, 2.14, A1.Q1, A1.Q2).

One index is published and exported again under a second id. The creates of both come at time 0 and before any compaction, in
the order of each runtime's stream (C3). Each id has a frontier of its own: the controller allows
compaction of each, and each runtime applies that at its own pace. All of them bear on the one trace behind both.
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
    frontier: Time
    """The compaction that this runtime has applied: it may be asked to read from here on."""
    at: Time | None
    """The time of a dataflow that reads the id; its reader holds the trace there."""


@record(frozen=True)
class AllowCompaction:
    """The controller gives up what is before ``frontier``."""

    id: Export
    frontier: Time


Position: TypeAlias = Annotated[int, Between(0, "stream")]


@record
class Exports:
    """One trace, its points, and who reads them."""

    since: Time
    """The real logical compaction of the trace."""
    agents: Map[Export, Time | None]
    """The maintenance runtime's agent for each id; None: the id is not rendered."""
    allowed: Map[Export, Time]
    """The controller's compaction frontiers."""
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
    keyed_by_id: bool = False
    """Aliases only: a point keeps the frontiers and holds of each of its ids apart (A1.Q2's repair)."""

    # No mechanism: it narrows what the controller does.
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
        old = s.holds[point][id]
        s.holds[point][id] = frontier if old is None else max(old, frontier)

    # The maintenance worker.

    @action(thread=Runtime.MAINTENANCE)
    def publish(self, s: Exports) -> None:
        """Renders and publishes the source."""
        require(s.agents[Export.SOURCE] is None)
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
        """Applies an AllowCompaction: the id's agent moves."""
        require(is_rendered(s))
        command = self.next_command(s, Runtime.MAINTENANCE)
        if s.agents[command.id] is not None:
            s.agents[command.id] = command.frontier
            self.note_allow_compaction(s, command.id, command.frontier)

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
        require(target > s.since)
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
            if hold is not None:
                target = min(target, hold)
            at = s.readers[id].at
            if at is not None and s.readers[id].point == point:
                target = min(target, at)
        return target

    # The interactive worker.

    @action(thread=Runtime.INTERACTIVE)
    def record_peer(self, s: Exports, id: Export) -> None:
        """``peer_bundle``: the create of an id that this runtime does not render."""
        require(s.readers[id].point is None)
        point = self.get_or_create(s, id)
        s.readers[id].point = point
        self.keep(s, point, id, s.readers[id].frontier)

    @action(thread=Runtime.INTERACTIVE)
    def downgrade_peer(self, s: Exports) -> None:
        """Applies an AllowCompaction: the peer's hold follows (C6)."""
        require(all(s.readers[id].point is not None for id in Export))
        command = self.next_command(s, Runtime.INTERACTIVE)
        reader = s.readers[command.id]
        reader.frontier = command.frontier
        self.keep(s, given(reader.point), command.id, command.frontier)

    @action(thread=Runtime.INTERACTIVE)
    def build_import(self, s: Exports, id: Export, at: Time) -> None:
        """Builds a dataflow that reads the id at a time that its controller still holds."""
        reader = s.readers[id]
        require(reader.point is not None and reader.at is None and reader.frontier <= at)
        point = s.points[given(reader.point)]
        require(not point.backed or point.since <= at)
        reader.at = at

    @action(thread=Runtime.INTERACTIVE)
    def drop_import(self, s: Exports, id: Export) -> None:
        """The dataflow is done."""
        require(s.readers[id].at is not None)
        s.readers[id].at = None

    # The controller.

    @action
    def allow(self, s: Exports, id: Export, frontier: Time) -> None:
        """Allows compaction of an id; the command is on its way to both runtimes from now on.

        A dataflow that the controller created, it holds the index for (C2); one that it has dropped may be built late.
        """
        require(s.allowed[id] < frontier)
        if self.design.source_follows and id == Export.SOURCE:
            require(frontier <= s.allowed[Export.REEXPORT])
        s.allowed[id] = frontier
        s.stream.append(AllowCompaction(id=id, frontier=frontier))


def is_rendered(s: Exports) -> bool:
    """Whether the maintenance runtime is past both creates."""
    return s.agents[Export.SOURCE] is not None and (
        s.agents[Export.REEXPORT] is not None or s.refused
    )
