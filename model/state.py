"""What exists: one registry, shared by one worker of each runtime, and what the two keep about it.

Rows are abstracted away: of a chain only its frontiers are kept, and which incarnation of the index it is the history
of. One ``None`` stands for one absent thing: an agent or reader that was dropped, a reference that was released.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated, TypeAlias

from explorer.lang import Between, Map, Ordinal, Pool, Seq, Sort, initial, record


class GlobalId(Sort):
    """The id of an index."""


class SlotRef(Sort):
    """The address of a slot: what an ``Arc`` points to."""


class Time(Ordinal):
    """Timestamps, as as_ofs and as compaction frontiers."""


class Connection(Ordinal):
    """Controller connections in the order of their Hellos. Each brings its own incarnations of the ids."""


class Runtime(Enum):
    """The two runtimes: one publishes, the other reads."""

    MAINTENANCE = 0
    INTERACTIVE = 1


class Half(Enum):
    """An index is arranged twice: its rows and its errors. Each half has its own trace, point and lock."""

    OKS = 0
    ERRS = 1


class Upper(Enum):
    """How far a half is sealed."""

    MINIMUM = 0
    """Nothing is sealed yet; also the upper of a point that no trace backs (C30)."""
    SEALED = 1
    """Past every time that a reader in scope asks for."""
    COMPLETE = 2
    """The empty frontier: the trace closed, there will be no more times."""


class Phase(Enum):
    """Where a runtime is with its connection's commands."""

    CREATING = 0
    """Past the barrier: it executes creates, compactions and reads."""
    DROPPING = 1
    """It reconciles: what the new connection does not keep is dropped."""
    ARRIVED = 2
    """Its drops are done; it waits for the other runtime."""


@record(frozen=True)
class Create:
    """The controller's CreateDataflow for an index: one incarnation of the id."""

    connection: Connection
    """The connection that brought it; tells apart two incarnations that have the same as_of."""
    as_of: Time
    source: GlobalId | None
    """None: the dataflow arranges the index itself. Else it exports the arrangement of this index, which it
    imports, once more: a re-export."""


@record
class Point:
    """A publication point: one half of a slot, under one lock."""

    trace: GlobalId | None
    """The index whose live trace is attached."""
    dropped: bool
    """A trace was attached and has been dropped."""
    upper: Upper
    since: Time
    """The published since (``logical``): reads below it are refused."""
    shows: Create | None
    """Ghost: the incarnation that was published here last."""

    @property
    def backed(self) -> bool:
        """Whether a trace is or was attached."""
        return self.trace is not None or self.dropped


@record(frozen=True)
class ReaderPair:
    """A reader's logical holds, one on each half."""

    oks: Time
    errs: Time

    def at(self, half: Half) -> Time:
        """The hold on ``half``."""
        return self.oks if half == Half.OKS else self.errs


Count: TypeAlias = Annotated[int, Between(0, 3)]


@record
class Slot:
    """``SharedIndexArrangement``: what the registry maps an id to."""

    as_of: Time
    """The as_of of the dataflow that exports the index: which incarnation this is (A1.2)."""
    live: bool = True
    """Upgradeable from the map: somebody holds it strongly. Never becomes true again."""
    points: Map[Half, Point] = initial()
    reserved: Seq[ReaderPair] = initial()
    """Holds that publications registered for a peer and that no peer has taken yet (C12)."""
    unpublished_peers: Count = 0
    """Peers recorded before their publication (C13)."""


@record
class Trace:
    """One half of an arranged index on the maintenance runtime. It lives as long as an agent does."""

    upper: Upper = Upper.MINIMUM
    since: Time = initial()


@record
class Bundle:
    """The ``TraceBundle`` of an id on the maintenance runtime."""

    create: Create | None = None
    """None: the id is not rendered."""
    trace: GlobalId | None = None
    """The index whose traces the agents read: the id itself, or the source of a re-export."""
    agents: Map[Half, Time | None] = initial()
    """The compaction frontiers of the trace manager's agents."""
    token: SlotRef | None = None
    """``PublishToken``; while ``publish`` runs, its local reference."""


@record
class Peer:
    """The peer bundle of an id on the interactive runtime, which does not render it."""

    create: Create | None = None
    """None: the id is not recorded."""
    frontier: Time = initial()
    """The as_of, then the compaction that this runtime has applied: it may be asked to read from here on."""
    holds: Map[Half, Time | None] = initial()
    slot: SlotRef | None = None


@record
class Import:
    """A dataflow of the interactive runtime that reads an index at one time through its peer bundle."""

    create: Create | None = None
    """The incarnation read; None: there is no such dataflow."""
    as_of: Time = initial()
    holds: Map[Half, Time | None] = initial()
    """Its readers."""
    slot: SlotRef | None = None
    """Whose points it reads, and the slot that its token keeps."""


class MaintenanceStep(Enum):
    """What the maintenance worker does next in the operation it is in."""

    ATTACH_OKS = 0
    ATTACH_ERRS = 1
    RESERVE = 2
    NOTIFY = 3
    COMPACT_ERRS = 4
    DROP_ERRS = 5
    DROP_TOKEN = 6


class InteractiveStep(Enum):
    """What the interactive worker does next in the operation it is in."""

    HOLD = 0
    HOLD_ERRS = 1
    DOWNGRADE_ERRS = 2
    IMPORT_ERRS = 3
    CLOSE_ERRS = 4
    CLOSE_TOKEN = 5
    DROP_ERRS = 6
    DROP_SLOT = 7
    EVICT = 8
    """Only where slots are evicted (C33)."""


@record(frozen=True)
class MaintenanceTask:
    """The operation that the maintenance worker is in."""

    id: GlobalId
    next: MaintenanceStep


@record(frozen=True)
class InteractiveTask:
    """The operation that the interactive worker is in."""

    id: GlobalId
    next: InteractiveStep


@record
class State:
    """One registry and its two workers."""

    # The controller's side of it: what it sends, and how far each runtime is.
    reexport: GlobalId | None
    connection: Map[Runtime, Connection]
    phase: Map[Runtime, Phase]
    commands: Map[Connection, Map[GlobalId, Create | None]]

    # The registry.
    entry: Map[GlobalId, SlotRef | None]
    slots: Pool[SlotRef, Slot]

    # The maintenance worker.
    traces: Map[GlobalId, Map[Half, Trace]]
    bundles: Map[GlobalId, Bundle]
    publisher: MaintenanceTask | None

    # The interactive worker.
    peers: Map[GlobalId, Peer]
    imports: Map[GlobalId, Import]
    reader: InteractiveTask | None
