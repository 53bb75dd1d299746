"""A repair that the documents do not have (H1): whoever passes on a later arrival leaves its own connection.

The other side has arrived at a later connection, so the controller of this one is gone, and nobody waits for what it creates.
"""

from __future__ import annotations

from explorer.lang import action, given, require
from model.barrier import other
from model.pair_state import PairState, Reconcile, Stage
from model.retention import Reconciling
from model.state import Runtime


class LeavesSuperseded(Reconciling):
    """No creates, and no live commands, of a connection that the other side has left behind."""

    @action(thread="runtime")
    def pass_barrier(self, s: PairState, runtime: Runtime) -> None:
        """The other side arrived at this connection, or at a later one, which ends this one."""
        side = s.sides[runtime]
        require(side.stage == Stage.ARRIVED)
        theirs = given(s.sides[other(runtime)].arrived)
        require(theirs >= given(side.connection))
        if theirs > given(side.connection):
            side.to_reserve.clear()
            side.stage = Stage.SKIPPING
        else:
            self.go_on(s, runtime)

    def go_on(self, s: PairState, runtime: Runtime) -> None:
        """Both are at the same connection."""
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
        """Whether the worker takes up a new connection."""
        return stage == Stage.RUNNING or stage == Stage.SKIPPING
