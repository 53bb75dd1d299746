"""A repair that the documents do not have (H1): whoever passes on a later arrival leaves its own connection.

The other side has arrived at a later connection, so the controller of this one is gone, and nobody waits for what it creates.
"""

from __future__ import annotations

from explorer.lang import action, given, require
from model.barrier import other
from model.pair_state import PairState, Reconcile, Stage
from model.reconcile import Reconciliation, ReplicaState, Worker, position_of
from model.retention import Reconciling
from model.state import Runtime


class LeavesSuperseded(Reconciling):
    """No creates, and no live commands, of a connection that the other side has left behind."""

    def go_on(self, s: PairState, runtime: Runtime) -> None:
        """Leaves the connection if the other side has arrived at a later one."""
        side = s.sides[runtime]
        theirs = s.sides[other(runtime)].arrived
        if theirs is not None and theirs > given(side.connection):
            side.to_reserve.clear()
            side.stage = Stage.SKIPPING
        else:
            self.take_up(s, runtime)

    def take_up(self, s: PairState, runtime: Runtime) -> None:
        """Both are at the same connection: the creates."""
        s.sides[runtime].stage = Stage.CREATING

    @action(thread="runtime")
    def skip(self, s: PairState, runtime: Runtime) -> None:
        """Leaves out a live command of the connection that is over."""
        side = s.sides[runtime]
        require(side.stage == Stage.SKIPPING and len(side.commands) > 0)
        match side.commands.pop_first():
            case Reconcile():
                require(False)

    def is_idle(self, stage: Stage) -> bool:
        """Whether a worker takes up a new connection."""
        return stage == Stage.RUNNING or stage == Stage.SKIPPING


class LeavesSupersededCreates(Reconciliation):
    """The same among the workers of a runtime: each decides by the arrival that it sees in its own pair."""

    def create_all(self, s: ReplicaState, worker: Worker) -> None:
        """Creates nothing if its partner has arrived at a later connection."""
        me = s.workers[worker]
        position = given(position_of(s, worker.process, given(me.connection)))
        arrived = s.barriers[worker.pair].arrivals[other(worker.runtime)]
        if not any(known > position for known in arrived):
            super().create_all(s, worker)
