"""The controller, as it behaves towards a replica, and what of it reaches each runtime (C2, 2.19)."""

from __future__ import annotations

from explorer.lang import System, action, given, require
from model.design import PairDesign
from model.pair_state import Allow, Command, Drop, EndRead, PairState, Read, Reconcile
from model.state import Connection, GlobalId, Runtime, Time


class PairCommands(System[PairState]):
    """Connections, and the live commands on the newest one."""

    design = PairDesign()

    @action
    def reconnect(self, s: PairState, without: Runtime | None) -> None:
        """The same controller connects again, and replays its reduced history: every index at what it allowed
        compaction to. One of the runtimes may lose all of that.
        """
        require(s.controller.connection is not None)
        connection = self.next_connection(s, without)
        for id in GlobalId:
            s.controller.desired[connection][id] = s.controller.allowed[id]
        self.send(s, Runtime.MAINTENANCE, Reconcile(connection))
        self.send(s, Runtime.INTERACTIVE, Reconcile(connection))

    @action
    def start(self, s: PairState, as_of: Time, without: Runtime | None) -> None:
        """A controller starts, for the first time or again, and names any as_of. It waits for no reads."""
        require(s.controller.connection is None or self.design.controller_restarts)
        connection = self.next_connection(s, without)
        for id in GlobalId:
            s.controller.reading[id] = None
            if id not in s.controller.dropped:
                s.controller.allowed[id] = as_of
                s.controller.desired[connection][id] = as_of
        self.send(s, Runtime.MAINTENANCE, Reconcile(connection))
        self.send(s, Runtime.INTERACTIVE, Reconcile(connection))

    def next_connection(self, s: PairState, without: Runtime | None) -> Connection:
        """A new connection, which one of the runtimes may lose from the start."""
        known = s.controller.connection
        require(known != Connection.last())
        connection = Connection.first() if known is None else known.next()
        s.controller.connection = connection
        s.controller.lost.clear()
        if without is not None:
            require(self.design.loses_connections)
            self.cut_off(s, without)
        return connection

    @action(thread="runtime")
    def lose(self, s: PairState, runtime: Runtime) -> None:
        """A response cannot be sent: nothing more of this connection reaches {runtime} (A2.6).

        What its adapter drops was sent before; here it is decided when the controller sends it.
        """
        require(self.design.loses_the_rest)
        self.cut_off(s, runtime)

    def cut_off(self, s: PairState, runtime: Runtime) -> None:
        """From here on the newest connection, which is not the last one in scope, does not reach the runtime."""
        require(self.design.sends_fail and s.controller.connection is not None)
        require(s.controller.connection != Connection.last() and runtime not in s.controller.lost)
        s.controller.lost.add(runtime)

    @action
    def read(self, s: PairState, id: GlobalId, at: Time) -> None:
        """Creates a dataflow over {id}, or peeks, at {at}, a time that is readable."""
        allowed = s.controller.allowed[id]
        require(allowed is not None and allowed <= at and s.controller.reading[id] is None)
        s.controller.reading[id] = at
        self.send_live(s, Runtime.INTERACTIVE, Read(id, at))

    @action
    def replay_read(self, s: PairState, id: GlobalId) -> None:
        """Part of a replay: what the controller still waits for from {id} comes again."""
        at = given(s.controller.reading[id])
        connection = given(s.controller.connection)
        commands = s.sides[Runtime.INTERACTIVE].commands
        require(len(commands) > 0 and commands.last() == Reconcile(connection))
        self.send_live(s, Runtime.INTERACTIVE, Read(id, at))

    @action
    def end_read(self, s: PairState, id: GlobalId) -> None:
        """Drops the read of {id}: it is done, or nobody wants to know any more."""
        require(s.controller.reading[id] is not None)
        s.controller.reading[id] = None
        self.send_live(s, Runtime.INTERACTIVE, EndRead(id))

    @action
    def allow(self, s: PairState, id: GlobalId, frontier: Time) -> None:
        """Allows compaction of {id} to {frontier}, not past what it has a dataflow for (C2)."""
        allowed = s.controller.allowed[id]
        reading = s.controller.reading[id]
        require(allowed is not None and allowed < frontier)
        require(reading is None or frontier <= reading)
        s.controller.allowed[id] = frontier
        self.send_live(s, Runtime.MAINTENANCE, Allow(id, frontier))
        self.send_live(s, Runtime.INTERACTIVE, Allow(id, frontier))

    @action
    def drop(self, s: PairState, id: GlobalId) -> None:
        """Drops {id}, which it does not read, for good."""
        require(s.controller.allowed[id] is not None and s.controller.reading[id] is None)
        s.controller.allowed[id] = None
        s.controller.dropped.add(id)
        self.send_live(s, Runtime.MAINTENANCE, Drop(id))
        self.send_live(s, Runtime.INTERACTIVE, Drop(id))

    def send(self, s: PairState, runtime: Runtime, command: Command) -> None:
        """Appends to the runtime's commands, unless they are lost."""
        if runtime not in s.controller.lost:
            s.sides[runtime].commands.append(command)

    def send_live(self, s: PairState, runtime: Runtime, command: Command) -> None:
        """The controller is at most ``backlog`` commands ahead of a runtime, but for those that connect."""
        require(len(s.sides[runtime].commands) < self.design.backlog)
        self.send(s, runtime, command)
