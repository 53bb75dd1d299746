"""What exists between one worker of each runtime, when all they do with the registry is of interest and not how (1.1 to 1.8)."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, TypeAlias

from explorer.lang import Between, Map, Pool, Seq, Set, initial, record
from model.state import Connection, GlobalId, Runtime, SlotRef, Time


@record(frozen=True)
class Reconcile:
    """A connection's commands up to ``InitializationComplete``."""

    connection: Connection


@record(frozen=True)
class Allow:
    """A live AllowCompaction."""

    id: GlobalId
    frontier: Time


@record(frozen=True)
class Drop:
    """A live AllowCompaction to the empty frontier."""

    id: GlobalId


@record(frozen=True)
class Read:
    """The create of a dataflow, or a peek, that reads an index at one time. Only the interactive runtime renders it."""

    id: GlobalId
    at: Time


@record(frozen=True)
class EndRead:
    """Its drop, or the peek's cancellation."""

    id: GlobalId


Command: TypeAlias = Reconcile | Allow | Drop | Read | EndRead

Count: TypeAlias = Annotated[int, Between(0, 3)]


@record
class Controller:
    """What the controller wants, and on which connection it says so."""

    connection: Connection | None = None
    """The newest one."""
    desired: Map[Connection, Map[GlobalId, Time | None]] = initial()
    """For each connection, the as_ofs of the indexes that it wants."""
    allowed: Map[GlobalId, Time | None] = initial()
    """How far each index that it wants may compact."""
    dropped: Set[GlobalId] = initial()
    """What it has dropped: no controller wants it again."""
    reading: Map[GlobalId, Time | None] = initial()
    """What it has a dataflow or peek for, and therefore holds (C2)."""
    lost: Set[Runtime] = initial()
    """The runtimes that get nothing more on the newest connection: a response could not be sent to them (A2.6)."""


class Stage(Enum):
    """Where a worker is in a reconciliation."""

    RUNNING = 0
    DROPPING = 1
    ARRIVED = 2
    """Its drops are done; it waits at the barrier."""
    CREATING = 3
    AGREEING = 4
    """It looks at what the other side keeps: see ``model.variants.agreement``."""
    SKIPPING = 5
    """It leaves out what its connection still has: see ``model.variants.superseded``."""


@record
class Side:
    """A worker and what is on its way to it."""

    commands: Seq[Command] = initial()
    stage: Stage = Stage.RUNNING
    connection: Connection | None = None
    """The one it reconciles with, or did last."""
    undecided: Set[GlobalId] = initial()
    """What it has and did not yet keep or drop."""
    to_reserve: Set[GlobalId] = initial()
    """What it has kept and will reserve a hold for: see ``retention_reserves``."""
    arrived: Connection | None = None
    """Its latest arrival at the barrier (A2.6)."""


@record
class PairSlot:
    """A slot with one point: the two halves of an index are treated alike."""

    as_of: Time
    backed: bool = False
    dropped: bool = False
    """The trace that backed it was dropped: frozen (A1.5)."""
    since: Time = initial()
    reserved: Seq[Time] = initial()
    """Holds that publications registered for a peer and that no peer has taken yet (C12)."""
    unpublished_peers: Count = 0
    """Peers recorded before their publication (C13)."""


@record
class Published:
    """The bundle of an index on the maintenance runtime, its trace, and its history."""

    slot: SlotRef | None = None
    """``PublishToken``; None: the index is not rendered."""
    agent: Time = initial()
    """The compaction that this runtime has applied, at least the as_of."""
    since: Time = initial()
    """How far the trace is compacted."""


@record
class Recorded:
    """The peer of an index on the interactive runtime, and its history."""

    slot: SlotRef | None = None
    """None: the index is not recorded."""
    frontier: Time = initial()
    """The compaction that this runtime has applied, at least the as_of."""
    hold: Time = initial()


@record
class Reading:
    """What the interactive runtime built to read an index."""

    slot: SlotRef | None = None
    """None: nothing."""
    at: Time = initial()


@record
class PairState:
    """The controller, the registry, and the two workers."""

    controller: Controller
    sides: Map[Runtime, Side]
    entry: Map[GlobalId, SlotRef | None]
    slots: Pool[SlotRef, PairSlot]
    published: Map[GlobalId, Published]
    recorded: Map[GlobalId, Recorded]
    readings: Map[GlobalId, Reading]
