"""The standing hold: one for each slot, which follows what the reading runtime has applied (2.7, C6, C9 to C11)."""

from __future__ import annotations

from explorer.lang import action, given, panic, require
from model.pair_state import PairState
from model.retention import Reconciling
from model.state import GlobalId, Runtime, SlotRef, Time


class StandingHold(Reconciling):
    """A slot has one hold, its only reserved one, and no peer has any. It joins, and nothing clears it at a reconnect.

    It begins at the minimum and is lifted to where the publisher is when a trace is attached, or it would stay there.
    """

    def reserve(self, s: PairState, ref: SlotRef, as_of: Time) -> None:
        """Seeds the slot's hold with the frontier of the publisher (C9)."""
        self.note_standing_hold(s, ref, as_of)

    def note_standing_hold(self, s: PairState, ref: SlotRef, frontier: Time) -> None:
        """Under the map's lock: the slot's hold joins the frontier (C10)."""
        slot = s.slots[ref]
        if len(slot.reserved) == 0:
            slot.reserved.append(frontier)
        else:
            slot.reserved.append(max(frontier, slot.reserved.pop_first()))

    @action(thread=Runtime.INTERACTIVE)
    def record_peer(self, s: PairState, id: GlobalId) -> None:
        """Adopts the slot or makes one. The hold is the slot's."""
        as_of = given(self.to_create(s, Runtime.INTERACTIVE, id))
        peer = s.recorded[id]
        require(peer.slot is None)
        ref = self.get_or_create(s, id, as_of)
        peer.slot = ref
        peer.frontier = as_of
        peer.hold = Time.last()
        if len(s.slots[ref].reserved) == 0:
            s.slots[ref].reserved.append(Time.first())

    def downgrade(self, s: PairState, id: GlobalId, frontier: Time) -> None:
        """Applies a compaction, live or of a replay: the slot's hold follows (C6)."""
        peer = s.recorded[id]
        peer.frontier = max(peer.frontier, frontier)
        self.note_standing_hold(s, given(peer.slot), frontier)

    def build(self, s: PairState, id: GlobalId, at: Time) -> None:
        """There is no peer's hold to check: the slot's since tells (C16)."""
        slot = given(s.recorded[id].slot)
        if s.slots[slot].since > at:
            panic("import below the since of its slot")
        s.readings[id].slot = slot
        s.readings[id].at = at
