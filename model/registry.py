"""``ArrangementSharingRegistry``: which slot an id leads to, and how long a slot lives (A1.2 to A1.6)."""

from __future__ import annotations

from explorer.lang import System
from model.design import Design
from model.state import GlobalId, Half, Point, Slot, SlotRef, State, Time, Upper


class SlotMap(System[State]):
    """``get_or_create`` and the weak map. Each call is one acquisition of the registry's lock."""

    design = Design()

    def get_or_create(self, s: State, id: GlobalId, as_of: Time) -> SlotRef:
        """The slot of this incarnation, whichever side touches it first (A1.4)."""
        found = s.entry[id]
        if found is not None and self.is_adoptable(s.slots[found], as_of):
            return found
        fresh = s.slots.alloc(Slot(as_of=as_of))
        if not self.design.unbacked_at_minimum:
            for half in Half:
                s.slots[fresh].points[half].upper = Upper.COMPLETE
        s.entry[id] = fresh
        if found is not None:
            self.reclaim(s, found)
        return fresh

    def is_adoptable(self, slot: Slot, as_of: Time) -> bool:
        """Whether ``get_or_create`` returns this slot: it upgrades, and it is the incarnation asked for."""
        if not slot.live:
            return False
        if self.design.key_on_as_of and slot.as_of != as_of:
            return False
        return not (self.design.replace_frozen and self.is_frozen(slot))

    def is_frozen(self, slot: Slot) -> bool:
        """Whether the slot's traces closed or dropped (A1.5)."""
        oks = self.is_half_frozen(slot.points[Half.OKS])
        errs = self.is_half_frozen(slot.points[Half.ERRS])
        return (oks or errs) if self.design.either_half_freezes else (oks and errs)

    def is_half_frozen(self, point: Point) -> bool:
        """Whether the point's trace closed or dropped."""
        return point.dropped or (self.design.close_freezes and point.upper == Upper.COMPLETE)

    def reclaim(self, s: State, slot: SlotRef) -> None:
        """After a reference went away: drops the slot if it was the last that keeps it (A1.6).

        Its map entry is dead then. That the code prunes dead entries only when it creates a slot cannot be observed,
        so this one goes at once. What the slot itself owned, the reserved holds, goes with it (C14); its points stay
        for the readers that they still have (1.3).
        """
        if not self.is_kept(s, slot):
            dying = s.slots[slot]
            dying.live = False
            dying.reserved.clear()
            dying.unpublished_peers = 0
            for id in GlobalId:
                if s.entry[id] == slot:
                    s.entry[id] = None
            if not is_referenced(s, slot):
                s.slots.free(slot)

    def is_kept(self, s: State, slot: SlotRef) -> bool:
        """Whether somebody holds the slot strongly."""
        if not self.design.weak_map and any(s.entry[id] == slot for id in GlobalId):
            return True
        return any(
            self.publisher_keeps(s, id, slot)
            or self.peer_keeps(s, id, slot)
            or (self.design.import_keeps_slot and s.imports[id].slot == slot)
            for id in GlobalId
        )

    def publisher_keeps(self, s: State, id: GlobalId, slot: SlotRef) -> bool:
        """The token of a publication, or the local reference of a ``publish`` that is running."""
        if s.bundles[id].token != slot:
            return False
        return self.design.token_keeps_slot or (s.publisher is not None and s.publisher.id == id)

    def peer_keeps(self, s: State, id: GlobalId, slot: SlotRef) -> bool:
        """The peer bundle, or the local reference of a ``peer_bundle`` that is running."""
        if s.peers[id].slot != slot:
            return False
        return self.design.peer_keeps_slot or (s.reader is not None and s.reader.id == id)


def is_referenced(s: State, slot: SlotRef) -> bool:
    """Whether anybody still reads the slot's points, or names them."""
    return any(
        s.bundles[id].token == slot or s.peers[id].slot == slot or s.imports[id].slot == slot
        for id in GlobalId
    )
