"""A map that keeps its slots, and readers that evict what no publisher has adopted (2.15, C33)."""

from __future__ import annotations

from explorer.lang import action, given, require
from model.publication import Publication
from model.registry import SlotMap, is_referenced
from model.state import GlobalId, InteractiveStep, InteractiveTask, Runtime, SlotRef, State


class Evicts(Publication):
    """``remove`` at the end of a publication, and ``evict_unadopted`` for a slot that was never published."""

    @action(thread=Runtime.MAINTENANCE)
    def unpublish(self, s: State, id: GlobalId) -> None:
        """Takes the slot out of the map, whoever reads it."""
        slot = given(s.bundles[id].token)
        super().unpublish(s, id)
        if s.entry[id] == slot:
            remove(self, s, id, slot)

    @action(thread=Runtime.INTERACTIVE)
    def evict_unadopted(self, s: State, id: GlobalId) -> None:
        """Under the map's lock: reads whether the slot was adopted and is referred to, and removes it if neither."""
        slot = given(s.entry[id])
        require(s.reader is None)
        if is_evictable(s, slot):
            remove(self, s, id, slot)


class EvictsLate(Evicts):
    """The same under two acquisitions of the lock: a publisher may adopt the slot in between."""

    @action(thread=Runtime.INTERACTIVE)
    def evict_unadopted(self, s: State, id: GlobalId) -> None:
        """Finds a slot that nobody has adopted or refers to."""
        slot = given(s.entry[id])
        require(s.reader is None and is_evictable(s, slot))
        s.reader = InteractiveTask(id=id, next=InteractiveStep.EVICT)

    @action(thread=Runtime.INTERACTIVE)
    def evict(self, s: State, id: GlobalId) -> None:
        """Removes what the id leads to now."""
        require(s.reader == InteractiveTask(id=id, next=InteractiveStep.EVICT))
        s.reader = None
        slot = s.entry[id]
        if slot is not None:
            remove(self, s, id, slot)


def is_evictable(s: State, slot: SlotRef) -> bool:
    """Whether the map alone keeps the slot, and no trace was attached."""
    return not is_referenced(s, slot) and not any(p.backed for p in s.slots[slot].points.values())


def remove(registry: SlotMap, s: State, id: GlobalId, slot: SlotRef) -> None:
    """Takes the slot out of the map."""
    s.entry[id] = None
    registry.reclaim(s, slot)
