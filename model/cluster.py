"""Several workers for each runtime: what pairs of them must agree on without talking to each other (A1.1, C29, B4, B5).

Every worker of a runtime executes the same commands in the same order, at its own pace. Maintenance creates two indexes
and re-exports the first under a third id; interactive creates a dataflow over each, the index that is published last
first. A process has a registry for each local ordinal, which the workers of that ordinal share.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated, TypeAlias

from explorer.lang import (
    Between,
    Capacity,
    Map,
    Ordinal,
    Seq,
    System,
    action,
    initial,
    record,
    require,
)
from model.connections import Process
from model.reconcile import Local, Pair
from model.state import Runtime


@dataclass(frozen=True)
class ClusterDesign:
    """What makes workers agree."""

    same_layout: bool = True
    """Both runtimes have as many workers in each process, and the processes in the same order (A1.1, C43)."""
    built_on_arrival: bool = True
    """A dataflow is built when its create arrives; off: when what it reads is published on this worker (C29, B40)."""
    points_of_its_own: bool = True
    """A re-export attaches a point of its own to the trace; off: it is an alias, unless a reader has bound its id on this
    worker, and else imports the trace and publishes it again (R3, 2.14)."""
    table_of_each_worker: bool = False
    """Without points of its own: what a re-export became is noted for each worker; off: for the process (B4)."""


class Index(Enum):
    """What is published: two indexes, and the first once more under another id."""

    FIRST = 0
    SECOND = 1
    AGAIN = 2


class Reexported(Enum):
    """How a worker came to publish the re-export."""

    NOT_YET = 0
    ALIAS = 1
    """The id leads to the point of the first index."""
    ATTACHED = 2
    """It has a point of its own, attached to the same trace. Nothing is built."""
    IMPORTED = 3
    """It has a point of its own, over operators that import the trace."""


class Key(Ordinal):
    """Keys of rows, by their hashes."""


Workers: TypeAlias = Annotated[int, Between(1, "Local")]
Done: TypeAlias = Annotated[int, Between(0, 3)]


@record(frozen=True)
class Layout:
    """How a runtime's workers are numbered."""

    per_process: Workers
    reversed: bool
    """Its processes are numbered the other way round."""


@record
class PairOfWorkers:
    """Two workers of one local ordinal and the registry they share."""

    published: Done = 0
    """How many of maintenance's creates are executed here."""
    reexported: Reexported = Reexported.NOT_YET
    executed: Done = 0
    """How many of interactive's creates arrived here."""
    built: Annotated[Seq[Index], Capacity(3)] = initial()
    """The dataflows that interactive built here, in the order in which it did."""
    compacted: bool = False
    """The re-export's own point was told of a compaction of its id."""


@record
class ClusterState:
    """The workers of a replica, by where they are."""

    layouts: Map[Runtime, Layout]
    pairs: Map[Pair, PairOfWorkers]
    governed: Map[Process, bool]
    """The table of aliases of each process says that the first index speaks for the re-export."""
    allowed: bool
    """The controller allowed the re-export to compact."""


class WorkersApart(System[ClusterState]):
    """The workers of both runtimes, each at its own pace."""

    design = ClusterDesign()

    @action(thread=Runtime.MAINTENANCE)
    def publish(self, s: ClusterState, pair: Pair) -> None:
        """Maintenance of {pair} executes its next create: publishes an index, or re-exports the first."""
        require(is_there(s, Runtime.MAINTENANCE, pair))
        here = s.pairs[pair]
        require(here.published < 3)
        here.published += 1
        if here.published == 3:
            if self.design.points_of_its_own:
                here.reexported = Reexported.ATTACHED
            elif here.executed == 3:
                here.reexported = Reexported.IMPORTED
            else:
                here.reexported = Reexported.ALIAS
                s.governed[pair.process] = True

    @action(thread=Runtime.INTERACTIVE)
    def create(self, s: ClusterState, pair: Pair) -> None:
        """Interactive of {pair} executes its next create, and binds the id that the dataflow reads."""
        require(is_there(s, Runtime.INTERACTIVE, pair))
        here = s.pairs[pair]
        require(here.executed < 3)
        here.executed += 1
        if self.design.built_on_arrival:
            here.built.append(dataflow(here.executed))

    @action(thread=Runtime.INTERACTIVE)
    def build_late(self, s: ClusterState, pair: Pair, index: Index) -> None:
        """Without building on arrival: {index} is published, so {pair} can build what reads it."""
        require(not self.design.built_on_arrival)
        here = s.pairs[pair]
        require(has_arrived(here, index) and index not in here.built)
        require(is_published(here, index))
        here.built.append(index)

    @action
    def allow_compaction(self, s: ClusterState) -> None:
        """The controller lets the re-export compact, once it is everywhere; each worker is told, and looks for its point."""
        require(not s.allowed)
        require(all(is_done(s, pair) for pair in s.pairs))
        s.allowed = True
        for pair in s.pairs:
            here = s.pairs[pair]
            if has_point_of_its_own(here):
                alias = s.governed[pair.process] and not self.design.table_of_each_worker
                here.compacted = not alias


def is_there(s: ClusterState, runtime: Runtime, pair: Pair) -> bool:
    """Whether the runtime has a worker of this ordinal."""
    return number_of_local(pair.local) < s.layouts[runtime].per_process


def is_done(s: ClusterState, pair: Pair) -> bool:
    """Whether maintenance has executed all its creates here, if it has a worker here."""
    return not is_there(s, Runtime.MAINTENANCE, pair) or s.pairs[pair].published == 3


def has_point_of_its_own(pair: PairOfWorkers) -> bool:
    """Whether the re-export's id leads to a point of its own here."""
    return pair.reexported == Reexported.ATTACHED or pair.reexported == Reexported.IMPORTED


def dataflow(number: int) -> Index:
    """What interactive's dataflows read, in the order of their creates."""
    if number == 1:
        return Index.SECOND
    return Index.FIRST if number == 2 else Index.AGAIN


def has_arrived(pair: PairOfWorkers, index: Index) -> bool:
    """Whether the create of the dataflow that reads ``index`` was executed here."""
    if index == Index.SECOND:
        return pair.executed >= 1
    return pair.executed >= 2 if index == Index.FIRST else pair.executed == 3


def is_published(pair: PairOfWorkers, index: Index) -> bool:
    """Whether maintenance has published ``index`` here."""
    if index == Index.FIRST:
        return pair.published >= 1
    return pair.published >= 2 if index == Index.SECOND else pair.published == 3


def owns(s: ClusterState, runtime: Runtime, pair: Pair, key: Key) -> bool:
    """Whether the rows of ``key`` belong to this worker of the runtime: its number is that of the key modulo all workers."""
    layout = s.layouts[runtime]
    process = sum(1 for p in Process if (p > pair.process if layout.reversed else p < pair.process))
    worker = process * layout.per_process + number_of_local(pair.local)
    peers = len(Process) * layout.per_process
    hashed = sum(1 for k in Key if k < key)
    return is_there(s, runtime, pair) and any(hashed == worker + n * peers for n in range(4))


def number_of_local(local: Local) -> int:
    """A local ordinal as a number."""
    return sum(1 for other in Local if other < local)
