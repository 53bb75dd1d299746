"""R1: a re-export is an alias, written into the map whatever is there (A1.Q1, B1)."""

from __future__ import annotations

from explorer.lang import require
from model.reexport import Reexports
from model.state import Create, GlobalId, MaintenanceStep, MaintenanceTask, State


class ReexportOverwrites(Reexports):
    """``reexport(from, to)``: the entry of ``to`` becomes the slot of ``from``."""

    def publish_reexport(self, s: State, id: GlobalId, create: Create, source: GlobalId) -> None:
        """One acquisition of the map's lock; no slot is looked up and nothing is attached."""
        slot = s.entry[source]
        require(slot is not None)
        overwritten = s.entry[id]
        s.entry[id] = slot
        bundle = s.bundles[id]
        bundle.create = create
        bundle.trace = source
        bundle.token = slot
        s.publisher = MaintenanceTask(id=id, next=MaintenanceStep.NOTIFY)
        if overwritten is not None and overwritten != slot:
            self.reclaim(s, overwritten)
