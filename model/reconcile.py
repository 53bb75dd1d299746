"""Reconciliation of the workers of a replica: drops, the barrier, creates (2.17, A2.1 to A2.6).

What a connection's commands say is left out: the drops of a connection end everything that was created before it, its
creates make something new. Which dataflows a worker keeps is another mechanism.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated, TypeAlias

from explorer.lang import (
    Between,
    Map,
    Ordinal,
    Seq,
    System,
    action,
    given,
    initial,
    panic,
    record,
    require,
)
from model.barrier import (
    ReconcileBarrier,
    Wait,
    arrive,
    before,
    forget,
    leave,
    may_pass,
    other,
    park,
)
from model.connections import (
    Channel,
    Command,
    Hellos,
    Kind,
    Process,
    forget_commands,
    forget_hello,
    is_under_way,
    record_hello,
)
from model.design import BarrierDesign
from model.state import Connection, Runtime


class Local(Ordinal):
    """The workers of one runtime in one process: local ordinals."""


@record(frozen=True)
class Pair:
    """Where the workers of the same local ordinal meet, one of each runtime."""

    process: Process
    local: Local


@record(frozen=True)
class Worker:
    """A worker: a thread."""

    runtime: Runtime
    process: Process
    local: Local

    @property
    def pair(self) -> Pair:
        """Where it meets the worker of the other runtime."""
        return Pair(self.process, self.local)


class Phase(Enum):
    """Where a worker is with its connection's commands."""

    RUNNING = 0
    """It executes commands as they come."""
    DROPPING = 1
    """It has the commands of a new connection, and runs the drops that they mean."""
    WAITING = 2
    """It arrived at the barrier."""


class What(Enum):
    """What a worker executes."""

    DROPS = 0
    CREATES = 1
    LIVE = 2


@record(frozen=True)
class Executed:
    """One thing that a worker executed."""

    connection: Connection
    what: What


Read: TypeAlias = Annotated[int, Between(0, "log")]


@record
class WorkerState:
    """What a worker has."""

    phase: Phase = Phase.RUNNING
    connection: Connection | None = None
    """Whose commands it reconciles with."""
    read: Read = 0
    """How many of the commands in its runtime's log it has read."""
    holds: bool = False
    """It holds what some connection created."""
    held: Connection | None = None
    """That connection; None if it is forgotten."""
    executed: Seq[Executed] = initial()
    """Ghost: what it executed, as far as not all workers of its runtime did."""


@record
class ReplicaState:
    """The workers of a replica, and the connections that reach them."""

    solo: bool
    """There is one runtime, not two."""
    looked_up_in: Map[Process, Process]
    """In whose order the workers of a process know positions: see ``position_in_band``."""
    hellos: Hellos
    channels: Map[Runtime, Channel]
    workers: Map[Worker, WorkerState]
    barriers: Map[Pair, ReconcileBarrier]


class Connections(System[ReplicaState]):
    """Hello, adapters and command channels."""

    design = BarrierDesign()

    @action
    def hello(self, s: ReplicaState) -> None:
        """A controller connects. Process 0 records the position before it forwards anything (A2.4)."""
        newest = s.hellos.newest
        require(newest != Connection.last())
        if self.design.one_hello_at_a_time:
            require(is_forwarded(s))
        connection = Connection.first() if newest is None else newest.next()
        s.hellos.newest = connection
        for runtime in Runtime:
            if runtime == Runtime.MAINTENANCE or not s.solo:
                s.hellos.to_forward[runtime].add(connection)
        if self.design.record_before_forward:
            record_hello(s.hellos, Process.first(), connection)

    @action
    def record_late(self, s: ReplicaState, connection: Connection) -> None:
        """Without the order of the two steps: process 0 records the position of {connection} at any time after."""
        require(not self.design.record_before_forward)
        self.may_record(s, Process.first(), connection)
        record_hello(s.hellos, Process.first(), connection)

    @action
    def hello_elsewhere(self, s: ReplicaState, process: Process, connection: Connection) -> None:
        """{process} sees the Hello of {connection}, early or late (A2.5). Matters only if its workers look there."""
        require(process != Process.first() and not self.design.position_in_band)
        self.may_record(s, process, connection)
        record_hello(s.hellos, process, connection)

    @action
    def hello_missed(self, s: ReplicaState, process: Process, connection: Connection) -> None:
        """Or {process} never sees that of {connection}: the connection to it broke, and others were faster."""
        require(process != Process.first() and not self.design.position_in_band)
        self.may_record(s, process, connection)
        s.hellos.missed[process].add(connection)

    def may_record(self, s: ReplicaState, process: Process, connection: Connection) -> None:
        """A connection that exists, and that the process did not record yet."""
        newest = s.hellos.newest
        require(newest is not None and connection <= newest)
        require(s.hellos.order[process][connection] is None)
        require(connection not in s.hellos.missed[process])

    @action(thread="runtime")
    def forward_hello(self, s: ReplicaState, runtime: Runtime, connection: Connection) -> None:
        """The multiplexing client hands {connection} to {runtime}; maintenance comes first."""
        require(connection in s.hellos.to_forward[runtime])
        if runtime == Runtime.INTERACTIVE:
            require(connection not in s.hellos.to_forward[Runtime.MAINTENANCE])
        s.hellos.to_forward[runtime].remove(connection)
        s.channels[runtime].accepted.append(connection)

    @action(thread="runtime")
    def sequence(self, s: ReplicaState, runtime: Runtime) -> None:
        """The adapter of {runtime} forwards a command; worker 0 looks the position up and broadcasts both (A2.4)."""
        channel = s.channels[runtime]
        require(len(channel.accepted) > 0)
        if not self.design.waiting_steps:
            first = Worker(runtime, Process.first(), Local.first())
            require(s.workers[first].phase != Phase.WAITING)
        connection = channel.accepted.first()
        if s.hellos.order[Process.first()][connection] is None:
            panic("a connection without a position")
        channel.log.append(Command(connection, Kind.LIVE if channel.begun else Kind.COMPLETE))
        if channel.begun:
            channel.accepted.pop_first()
        channel.begun = not channel.begun

    @action(thread="runtime")
    def drop_commands(self, s: ReplicaState, runtime: Runtime) -> None:
        """A response cannot be sent: the adapter drops what is left of the connection's commands (A2.6)."""
        require(self.design.sends_fail)
        channel = s.channels[runtime]
        require(len(channel.accepted) > 0)
        if self.design.last_comes_through:
            require(channel.accepted.first() != Connection.last())
        channel.accepted.pop_first()
        channel.begun = False
        self.forget_old(s)

    def forget_old(self, s: ReplicaState) -> None:
        """Forgets connections that have been dealt with everywhere, from the first on."""
        for _ in Connection:
            if self.is_over(s, Connection.first()):
                for pair in s.barriers:
                    where = s.looked_up_in[pair.process]
                    gone = s.hellos.order[where][Connection.first()]
                    if gone is not None:
                        forget(s.barriers[pair], gone)
                forget_hello(s.hellos)
                for runtime in Runtime:
                    forget_commands(s.channels[runtime])
                for worker in s.workers:
                    forget_worker(s.workers[worker])

    def is_over(self, s: ReplicaState, connection: Connection) -> bool:
        """Whether nothing of the connection is left anywhere."""
        newest = s.hellos.newest
        if newest is None or connection > newest:
            return False
        return not any(
            connection in s.hellos.to_forward[runtime]
            or is_under_way(s.channels[runtime], connection)
            for runtime in Runtime
        ) and not any(is_busy(worker, connection) for worker in s.workers.values())


class Reconciliation(Connections):
    """A worker reads its commands, and reconciles."""

    @action(thread="worker")
    def read(self, s: ReplicaState, worker: Worker) -> None:
        """Reads the next command, and executes it if it is a live one."""
        me = s.workers[worker]
        channel = s.channels[worker.runtime]
        require(me.read < len(channel.log))
        command = channel.log[me.read]
        if command.kind == Kind.COMPLETE:
            require(me.phase == Phase.RUNNING)
            me.connection = command.connection
            me.phase = Phase.DROPPING
        else:
            require(me.phase == Phase.RUNNING or self.reads_while_it_waits(s, worker))
            self.execute(s, worker, command.connection, What.LIVE)
        me.read += 1
        self.drop_what_all_have_read(s, worker.runtime)
        self.forget_old(s)

    def reads_while_it_waits(self, s: ReplicaState, worker: Worker) -> bool:
        """Whether the worker is at the barrier and reads commands nevertheless."""
        if self.design.waiting_reads_nothing:
            return False
        return s.barriers[worker.pair].wait[worker.runtime] == Wait.AWAKE

    def drop_what_all_have_read(self, s: ReplicaState, runtime: Runtime) -> None:
        """The first command of the log goes when all workers of the runtime have it."""
        if all(s.workers[w].read > 0 for w in s.workers if w.runtime == runtime):
            s.channels[runtime].log.pop_first()
            for worker in s.workers:
                if worker.runtime == runtime:
                    s.workers[worker].read -= 1

    @action(thread="worker")
    def drop_and_arrive(self, s: ReplicaState, worker: Worker) -> None:
        """Runs compactions and drops, which waits on no other worker, and arrives (A2.1, A2.9).

        When before its arrival the worker did the drops cannot be told.
        """
        me = s.workers[worker]
        require(me.phase == Phase.DROPPING)
        if not self.design.drops_wait_for_nobody:
            require(
                all(
                    s.workers[w].phase != Phase.WAITING
                    for w in s.workers
                    if w.runtime == worker.runtime
                )
            )
        if self.design.arrive_after_drops:
            self.drop_all(s, worker)
        position = given(position_of(s, worker.process, given(me.connection)))
        arrive(s.barriers[worker.pair], worker.runtime, position, self.design)
        me.phase = Phase.WAITING

    def drop_all(self, s: ReplicaState, worker: Worker) -> None:
        """Nothing is left of what earlier connections created."""
        me = s.workers[worker]
        me.holds = False
        me.held = None
        self.execute(s, worker, given(me.connection), What.DROPS)

    @action(thread="worker")
    def pass_barrier(self, s: ReplicaState, worker: Worker) -> None:
        """Looks, under the lock; the other side is there, so it leaves and runs the creates (A2.1, A2.6)."""
        me = s.workers[worker]
        barrier = s.barriers[worker.pair]
        require(me.phase == Phase.WAITING and barrier.wait[worker.runtime] == Wait.AWAKE)
        require(self.is_free_to_pass(s, worker))
        leave(barrier, worker.runtime)
        if not self.design.arrive_after_drops:
            self.drop_all(s, worker)
        me.phase = Phase.RUNNING
        self.create_all(s, worker)
        me.connection = None
        self.forget_old(s)

    def create_all(self, s: ReplicaState, worker: Worker) -> None:
        """Makes what its connection wants."""
        me = s.workers[worker]
        me.holds = True
        me.held = me.connection
        self.execute(s, worker, given(me.connection), What.CREATES)

    def is_free_to_pass(self, s: ReplicaState, worker: Worker) -> bool:
        """Whether the worker needs to wait no longer."""
        if not self.design.barrier or (s.solo and self.design.solo_skips):
            return True
        position = position_of(s, worker.process, given(s.workers[worker].connection))
        if position is None:
            return False
        return may_pass(s.barriers[worker.pair], worker.runtime, position, self.design)

    @action(thread="worker")
    def look_in_vain(self, s: ReplicaState, worker: Worker) -> None:
        """Looks, under the lock; the other side is not there yet."""
        barrier = s.barriers[worker.pair]
        require(s.workers[worker].phase == Phase.WAITING)
        require(barrier.wait[worker.runtime] == Wait.AWAKE)
        require(not self.is_free_to_pass(s, worker))
        barrier.wait[worker.runtime] = Wait.PARKING

    @action(thread="worker")
    def park(self, s: ReplicaState, worker: Worker) -> None:
        """Parks, unless it was unparked meanwhile."""
        barrier = s.barriers[worker.pair]
        require(barrier.wait[worker.runtime] == Wait.PARKING)
        park(barrier, worker.runtime)

    def execute(self, s: ReplicaState, worker: Worker, connection: Connection, what: What) -> None:
        """Notes what was executed, and forgets what all workers of the runtime have executed."""
        runtime = worker.runtime
        s.workers[worker].executed.append(Executed(connection, what))
        if all(
            len(s.workers[w].executed) > 0
            and s.workers[w].executed.first() == s.workers[worker].executed.first()
            for w in s.workers
            if w.runtime == runtime
        ):
            for w in s.workers:
                if w.runtime == runtime:
                    s.workers[w].executed.pop_first()


def is_forwarded(s: ReplicaState) -> bool:
    """Whether every Hello is recorded and has reached its runtimes."""
    newest = s.hellos.newest
    if newest is not None and s.hellos.order[Process.first()][newest] is None:
        return False
    return all(len(waiting) == 0 for waiting in s.hellos.to_forward.values())


def position_of(s: ReplicaState, process: Process, connection: Connection) -> Connection | None:
    """The position of the connection as the workers of ``process`` know it."""
    return s.hellos.order[s.looked_up_in[process]][connection]


def is_busy(worker: WorkerState, connection: Connection) -> bool:
    """Whether the worker is not done with the connection."""
    return worker.connection == connection or any(
        e.connection == connection for e in worker.executed
    )


def forget_worker(worker: WorkerState) -> None:
    """The first connection is forgotten, the others move up."""
    connection = worker.connection
    if connection is not None:
        worker.connection = before(connection)
    held = worker.held
    if held is not None:
        worker.held = None if held == Connection.first() else before(held)
    for i in range(len(worker.executed)):
        executed = worker.executed[i]
        worker.executed[i] = Executed(before(executed.connection), executed.what)


def partner(worker: Worker) -> Worker:
    """The worker at the other side of the barrier."""
    return Worker(other(worker.runtime), worker.process, worker.local)
