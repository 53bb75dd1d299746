"""Dataflows of the interactive runtime that read an index through its peer bundle (2.8, 2.10)."""

from __future__ import annotations

from explorer.lang import action, given, panic, require
from model.holds import PeerHolds
from model.state import (
    GlobalId,
    Half,
    Import,
    InteractiveStep,
    InteractiveTask,
    Phase,
    Runtime,
    State,
    Time,
)


class Imports(PeerHolds):
    """One dataflow per index: built at any time that the controller still holds, ended at any time."""

    @action(thread=Runtime.INTERACTIVE)
    def build_import(self, s: State, id: GlobalId, as_of: Time) -> None:
        """Builds a dataflow over {id} at {as_of}: checks the hold and mints a reader of the oks.

        The controller holds what it has a dataflow for, so it asks for no time before the compaction that this
        runtime has applied (C2, C6).
        """
        require(s.reader is None and s.phase[Runtime.INTERACTIVE] == Phase.CREATING)
        peer = s.peers[id]
        require(peer.create is not None and peer.frontier <= as_of)
        require(s.imports[id].create is None)
        if self.design.import_checks_hold:
            for half in Half:
                if given(peer.holds[half]) > as_of:
                    panic("import below the hold of its peer")
        s.imports[id].create = peer.create
        s.imports[id].as_of = as_of
        s.imports[id].slot = peer.slot
        self.mint(s, id, Half.OKS)
        s.reader = InteractiveTask(id=id, next=InteractiveStep.IMPORT_ERRS)

    @action(thread=Runtime.INTERACTIVE)
    def build_import_errs(self, s: State, id: GlobalId) -> None:
        """Mints a reader of the errs of {id}."""
        require(s.reader == InteractiveTask(id=id, next=InteractiveStep.IMPORT_ERRS))
        self.mint(s, id, Half.ERRS)
        s.reader = None

    def mint(self, s: State, id: GlobalId, half: Half) -> None:
        """A reader at the dataflow's as_of; until it is there, the peer's hold serves (C62)."""
        if self.design.import_holds:
            s.imports[id].holds[half] = s.imports[id].as_of

    @action(thread=Runtime.INTERACTIVE)
    def drop_import(self, s: State, id: GlobalId) -> None:
        """The dataflow over {id} is done, cancelled, or dropped: first its reader of the oks."""
        require(s.reader is None and s.phase[Runtime.INTERACTIVE] != Phase.ARRIVED)
        require(s.imports[id].create is not None)
        s.imports[id].holds[Half.OKS] = None
        s.reader = InteractiveTask(id=id, next=InteractiveStep.CLOSE_ERRS)

    @action(thread=Runtime.INTERACTIVE)
    def drop_import_errs(self, s: State, id: GlobalId) -> None:
        """Then its reader of the errs."""
        require(s.reader == InteractiveTask(id=id, next=InteractiveStep.CLOSE_ERRS))
        s.imports[id].holds[Half.ERRS] = None
        s.reader = InteractiveTask(id=id, next=InteractiveStep.CLOSE_TOKEN)

    @action(thread=Runtime.INTERACTIVE)
    def drop_import_token(self, s: State, id: GlobalId) -> None:
        """Then its token, and with it the slot."""
        require(s.reader == InteractiveTask(id=id, next=InteractiveStep.CLOSE_TOKEN))
        slot = given(s.imports[id].slot)
        s.imports[id] = Import()
        s.reader = None
        self.reclaim(s, slot)
