"""The interactive runtime takes a broadcast drop for one of its own collections (B21)."""

from __future__ import annotations

from explorer.lang import action, panic, require
from model.pair_state import Drop, PairState, Stage
from model.retention import Reconciling
from model.state import Runtime


class DropsAsItsOwn(Reconciling):
    """A live drop goes to the collections that a runtime renders, and a peer is none."""

    @action(thread="runtime")
    def execute(self, s: PairState, runtime: Runtime) -> None:
        """Executes a live command."""
        side = s.sides[runtime]
        require(side.stage == Stage.RUNNING and len(side.commands) > 0)
        match side.commands.first():
            case Drop():
                if runtime == Runtime.INTERACTIVE:
                    panic("drop of a collection that is not tracked")
        super().execute(s, runtime)
