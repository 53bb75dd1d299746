"""Peer bundles: how the runtime that does not render an index holds it (2.8)."""

from __future__ import annotations

from explorer.lang import action, given, panic, require
from model.controller import Controller
from model.registry import SlotMap
from model.state import (
    GlobalId,
    Half,
    InteractiveStep,
    InteractiveTask,
    Peer,
    Phase,
    Runtime,
    SlotRef,
    State,
    Time,
)


class PeerHolds(SlotMap, Controller):
    """The interactive worker records a peer, moves its hold and drops it."""

    @action(thread=Runtime.INTERACTIVE)
    def peer_bundle(self, s: State, id: GlobalId, as_of: Time, source: GlobalId | None) -> None:
        """Applies the create of {id}, which it does not render, at {as_of}: takes the slot."""
        require(s.reader is None and s.peers[id].create is None)
        create = self.command(s, Runtime.INTERACTIVE, id, as_of, source)
        slot = self.get_or_create(s, id, as_of)
        peer = s.peers[id]
        peer.create = create
        peer.frontier = as_of
        peer.slot = slot
        s.reader = InteractiveTask(id=id, next=InteractiveStep.HOLD)

    @action(thread=Runtime.INTERACTIVE)
    def take_reserved(self, s: State, id: GlobalId) -> None:
        """Under the slot's lock for peer holds: takes over the hold that the publication left (C12)."""
        require(s.reader == InteractiveTask(id=id, next=InteractiveStep.HOLD))
        peer = s.peers[id]
        slot = s.slots[given(peer.slot)]
        require(len(slot.reserved) > 0)
        pair = slot.reserved.pop_first()
        for half in Half:
            peer.holds[half] = pair.at(half)
        self.finish(s, id)

    @action(thread=Runtime.INTERACTIVE)
    def register(self, s: State, id: GlobalId) -> None:
        """Takes the same lock and finds none: registers its own hold on the oks, and counts as early (C13)."""
        require(s.reader == InteractiveTask(id=id, next=InteractiveStep.HOLD))
        slot = s.slots[given(s.peers[id].slot)]
        require(len(slot.reserved) == 0)
        if self.design.count_early_peers:
            slot.unpublished_peers += 1
        self.hold_at_least(s, id, Half.OKS)
        s.reader = InteractiveTask(id=id, next=InteractiveStep.HOLD_ERRS)

    @action(thread=Runtime.INTERACTIVE)
    def register_errs(self, s: State, id: GlobalId) -> None:
        """Registers its own hold on the errs of {id} and releases the lock."""
        require(s.reader == InteractiveTask(id=id, next=InteractiveStep.HOLD_ERRS))
        self.hold_at_least(s, id, Half.ERRS)
        self.finish(s, id)

    def hold_at_least(self, s: State, id: GlobalId, half: Half) -> None:
        """``reader_at_least``: a peer's hold never refuses, it joins the since (C15)."""
        peer = s.peers[id]
        point = s.slots[given(peer.slot)].points[half]
        if not self.design.peer_never_refuses and point.since > peer.frontier:
            panic("a peer below the since of its point")
        peer.holds[half] = max(peer.frontier, point.since)

    def finish(self, s: State, id: GlobalId) -> None:
        """The bundle is stored; the local reference to the slot goes."""
        s.reader = None
        self.reclaim(s, given(s.peers[id].slot))

    @action(thread=Runtime.INTERACTIVE)
    def downgrade_peer(self, s: State, id: GlobalId, frontier: Time) -> None:
        """Applies an AllowCompaction of {id}: its hold on the oks joins {frontier} (C6)."""
        require(s.reader is None and s.phase[Runtime.INTERACTIVE] == Phase.CREATING)
        peer = s.peers[id]
        require(peer.create is not None and peer.frontier < frontier)
        peer.frontier = frontier
        peer.holds[Half.OKS] = max(given(peer.holds[Half.OKS]), frontier)
        s.reader = InteractiveTask(id=id, next=InteractiveStep.DOWNGRADE_ERRS)

    @action(thread=Runtime.INTERACTIVE)
    def downgrade_peer_errs(self, s: State, id: GlobalId) -> None:
        """Its hold on the errs of {id} follows."""
        require(s.reader == InteractiveTask(id=id, next=InteractiveStep.DOWNGRADE_ERRS))
        peer = s.peers[id]
        peer.holds[Half.ERRS] = max(given(peer.holds[Half.ERRS]), peer.frontier)
        s.reader = None

    @action(thread=Runtime.INTERACTIVE)
    def drop_peer(self, s: State, id: GlobalId) -> None:
        """Drops {id}, which its connection does not keep, first the hold on the oks."""
        require(s.reader is None and s.phase[Runtime.INTERACTIVE] == Phase.DROPPING)
        require(self.is_to_drop(s, Runtime.INTERACTIVE, id, s.peers[id].create))
        s.peers[id].holds[Half.OKS] = None
        s.reader = InteractiveTask(id=id, next=InteractiveStep.DROP_ERRS)

    @action(thread=Runtime.INTERACTIVE)
    def drop_peer_errs(self, s: State, id: GlobalId) -> None:
        """Drops the hold on the errs of {id}."""
        require(s.reader == InteractiveTask(id=id, next=InteractiveStep.DROP_ERRS))
        s.peers[id].holds[Half.ERRS] = None
        s.reader = InteractiveTask(id=id, next=InteractiveStep.DROP_SLOT)

    @action(thread=Runtime.INTERACTIVE)
    def drop_peer_slot(self, s: State, id: GlobalId) -> None:
        """Releases the slot of {id}."""
        require(s.reader == InteractiveTask(id=id, next=InteractiveStep.DROP_SLOT))
        slot = given(s.peers[id].slot)
        s.peers[id] = Peer()
        s.reader = None
        self.reclaim(s, slot)


def reader_hold(s: State, slot: SlotRef, half: Half, frontier: Time) -> Time:
    """The meet of ``frontier`` and of all readers of the slot's half."""
    held = min(peer_hold(s, id, slot, half, frontier) for id in GlobalId)
    held = min(held, min(import_hold(s, id, slot, half, frontier) for id in GlobalId))
    for pair in s.slots[slot].reserved:
        held = min(held, pair.at(half))
    return held


def peer_hold(s: State, id: GlobalId, slot: SlotRef, half: Half, frontier: Time) -> Time:
    """The meet of ``frontier`` and of what the peer of ``id`` holds there."""
    hold = s.peers[id].holds[half]
    return frontier if hold is None or s.peers[id].slot != slot else min(hold, frontier)


def import_hold(s: State, id: GlobalId, slot: SlotRef, half: Half, frontier: Time) -> Time:
    """The meet of ``frontier`` and of what the import of ``id`` holds there."""
    hold = s.imports[id].holds[half]
    return frontier if hold is None or s.imports[id].slot != slot else min(hold, frontier)
