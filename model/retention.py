"""Reconciliation of the two runtimes, each from its own history, and what they do in between (2.2, 2.5, 2.8, 2.17).

What the registry does step by step in one operation is one step here.
"""

from __future__ import annotations

from explorer.lang import Set, action, given, panic, require
from model.barrier import other
from model.pair_commands import PairCommands
from model.pair_state import (
    Allow,
    Drop,
    EndRead,
    PairSlot,
    PairState,
    Published,
    Read,
    Reading,
    Reconcile,
    Recorded,
    Stage,
)
from model.state import Connection, GlobalId, Runtime, SlotRef, Time


class PairRegistry(PairCommands):
    """Slots and holds."""

    def get_or_create(self, s: PairState, id: GlobalId, as_of: Time) -> SlotRef:
        """The slot of this incarnation, whichever side touches it first (A1.2, A1.4, A1.5)."""
        found = s.entry[id]
        if found is not None and self.is_adoptable(s.slots[found], as_of):
            return found
        fresh = s.slots.alloc(PairSlot(as_of=as_of))
        s.entry[id] = fresh
        return fresh

    def is_adoptable(self, slot: PairSlot, as_of: Time) -> bool:
        """Whether it is the incarnation asked for, and not frozen."""
        if self.design.key_on_as_of and slot.as_of != as_of:
            return False
        return not (self.design.replace_frozen and slot.dropped)

    def reclaim(self, s: PairState, slot: SlotRef) -> None:
        """After a reference went away: drops the slot if it was the last (A1.6)."""
        if not is_referenced(s, slot):
            for id in GlobalId:
                if s.entry[id] == slot:
                    s.entry[id] = None
            s.slots.free(slot)

    def compact(self, s: PairState, id: GlobalId) -> None:
        """Publishes how far the trace may compact, and lets it (C52)."""
        published = s.published[id]
        slot = given(published.slot)
        target = published.agent
        if self.design.holds_bound_compaction:
            target = min(target, hold_on(s, slot, target))
        published.since = max(published.since, target) if self.design.compaction_joins else target
        s.slots[slot].since = published.since


class Reconciling(PairRegistry):
    """The two workers."""

    @action(thread="runtime")
    def begin(self, s: PairState, runtime: Runtime) -> None:
        """Has all commands of a new connection, and goes through what it has."""
        side = s.sides[runtime]
        require(self.is_idle(side.stage) and len(side.commands) > 0)
        command = side.commands.pop_first()
        match command:
            case Reconcile(connection=connection):
                side.connection = connection
                side.stage = Stage.DROPPING
                if runtime == Runtime.MAINTENANCE:
                    side.undecided = Set(id for id in GlobalId if s.published[id].slot is not None)
                else:
                    side.undecided = Set(id for id in GlobalId if s.recorded[id].slot is not None)
            case _:
                require(False)

    def is_idle(self, stage: Stage) -> bool:
        """Whether a worker takes up a new connection."""
        return stage == Stage.RUNNING

    @action(thread="runtime")
    def keep_or_drop(self, s: PairState, runtime: Runtime, id: GlobalId) -> None:
        """Keeps {id} unless it compacted it beyond the new as_of, as far as it knows, or drops it (A2.1)."""
        side = s.sides[runtime]
        require(side.stage == Stage.DROPPING and id in side.undecided)
        side.undecided.remove(id)
        as_of = s.controller.desired[given(side.connection)][id]
        if runtime == Runtime.MAINTENANCE:
            self.keep_or_drop_index(s, id, as_of)
        else:
            self.drop_reading(s, id)
            self.keep_or_drop_peer(s, id, as_of)

    def keep_or_drop_index(self, s: PairState, id: GlobalId, as_of: Time | None) -> None:
        """Maintenance: keeps the index and compacts it to the new as_of, or drops it."""
        published = s.published[id]
        if self.design.retains and as_of is not None and published.agent <= as_of:
            published.agent = as_of
            if self.design.retention_rekeys:
                s.slots[given(published.slot)].as_of = as_of
            if self.design.retention_reserves:
                s.sides[Runtime.MAINTENANCE].to_reserve.add(id)
            self.compact(s, id)
        else:
            self.drop_index(s, id)

    def drop_index(self, s: PairState, id: GlobalId) -> None:
        """Drops the trace, which freezes the slot, and the token."""
        slot = given(s.published[id].slot)
        s.slots[slot].dropped = True
        s.published[id] = Published()
        self.reclaim(s, slot)

    def keep_or_drop_peer(self, s: PairState, id: GlobalId, as_of: Time | None) -> None:
        """Interactive: keeps the peer and moves its hold to the new as_of, or drops it."""
        peer = s.recorded[id]
        kept = self.design.retains and self.design.peers_are_kept
        if kept and as_of is not None and peer.frontier <= as_of:
            self.downgrade(s, id, as_of)
            if self.design.retention_rekeys:
                s.slots[given(peer.slot)].as_of = as_of
        else:
            self.drop_peer(s, id)

    def downgrade(self, s: PairState, id: GlobalId, frontier: Time) -> None:
        """The peer's hold joins the frontier (C6)."""
        peer = s.recorded[id]
        peer.frontier = max(peer.frontier, frontier)
        peer.hold = max(peer.hold, frontier)

    def drop_peer(self, s: PairState, id: GlobalId) -> None:
        """Drops the hold and the slot."""
        slot = given(s.recorded[id].slot)
        s.recorded[id] = Recorded()
        self.reclaim(s, slot)

    def drop_reading(self, s: PairState, id: GlobalId) -> None:
        """Drops what reads the index, if anything does, with its hold and its token."""
        slot = s.readings[id].slot
        if slot is not None:
            s.readings[id] = Reading()
            self.reclaim(s, slot)

    @action(thread="runtime")
    def arrive(self, s: PairState, runtime: Runtime) -> None:
        """Its drops are done (A2.1)."""
        side = s.sides[runtime]
        require(side.stage == Stage.DROPPING and len(side.undecided) == 0)
        side.stage = Stage.ARRIVED
        side.arrived = side.connection

    @action(thread="runtime")
    def pass_barrier(self, s: PairState, runtime: Runtime) -> None:
        """The other side arrived at this connection or a later one (A2.6)."""
        side = s.sides[runtime]
        require(side.stage == Stage.ARRIVED)
        if self.design.barrier:
            theirs = s.sides[other(runtime)].arrived
            require(theirs is not None and theirs >= given(side.connection))
        self.go_on(s, runtime)

    def go_on(self, s: PairState, runtime: Runtime) -> None:
        """What follows the barrier: the creates."""
        s.sides[runtime].stage = Stage.CREATING

    @action(thread=Runtime.MAINTENANCE)
    def publish(self, s: PairState, id: GlobalId) -> None:
        """Maintenance creates {id}: adopts its slot or makes one, and backs it (A1.7)."""
        as_of = given(self.to_create(s, Runtime.MAINTENANCE, id))
        published = s.published[id]
        require(published.slot is None)
        ref = self.get_or_create(s, id, as_of)
        slot = s.slots[ref]
        if self.design.publish_checks_slot and slot.backed:
            panic("publish into a slot that another trace backed")
        slot.backed = True
        slot.dropped = False
        slot.since = as_of
        published.slot = ref
        published.agent = as_of
        published.since = as_of
        self.reserve(s, ref, as_of)

    def reserve(self, s: PairState, ref: SlotRef, as_of: Time) -> None:
        """Leaves a hold for the peer, unless that was first (C12, C13)."""
        slot = s.slots[ref]
        if slot.unpublished_peers > 0:
            slot.unpublished_peers -= 1
        elif self.design.reserve_peer_hold:
            slot.reserved.append(max(as_of, slot.since))

    @action(thread=Runtime.MAINTENANCE)
    def reserve_again(self, s: PairState, id: GlobalId) -> None:
        """After the barrier, {id}, which was kept, leaves a hold at its new as_of, unless its peer is there.

        The count of early peers tells nothing: it may be of a connection that this runtime never had (C13).
        """
        side = s.sides[Runtime.MAINTENANCE]
        require(side.stage == Stage.CREATING and id in side.to_reserve)
        side.to_reserve.remove(id)
        ref = given(s.published[id].slot)
        slot = s.slots[ref]
        slot.reserved.clear()
        slot.unpublished_peers = 0
        if s.recorded[id].slot != ref:
            slot.reserved.append(s.published[id].agent)

    @action(thread=Runtime.INTERACTIVE)
    def record_peer(self, s: PairState, id: GlobalId) -> None:
        """Interactive records {id}: adopts its slot or makes one, and takes a hold (A1.4, C12, C13)."""
        as_of = given(self.to_create(s, Runtime.INTERACTIVE, id))
        peer = s.recorded[id]
        require(peer.slot is None)
        ref = self.get_or_create(s, id, as_of)
        slot = s.slots[ref]
        peer.slot = ref
        peer.frontier = as_of
        if len(slot.reserved) > 0:
            # The same where the slot is keyed on the as_of; else the hold may have been reserved at an earlier one.
            peer.hold = max(as_of, slot.reserved.pop_first())
        else:
            peer.hold = max(as_of, slot.since)
            if self.design.count_early_peers:
                slot.unpublished_peers += 1

    def to_create(self, s: PairState, runtime: Runtime, id: GlobalId) -> Time | None:
        """The as_of at which the runtime's connection wants the index; it must be at its creates."""
        side = s.sides[runtime]
        require(side.stage == Stage.CREATING)
        return s.controller.desired[given(side.connection)][id]

    @action(thread="runtime")
    def finish(self, s: PairState, runtime: Runtime) -> None:
        """All creates are done; live commands follow."""
        side = s.sides[runtime]
        require(side.stage == Stage.CREATING)
        require(len(side.to_reserve) == 0)
        wanted = s.controller.desired[given(side.connection)]
        for id in GlobalId:
            if runtime == Runtime.MAINTENANCE:
                require(wanted[id] is None or s.published[id].slot is not None)
            else:
                require(wanted[id] is None or s.recorded[id].slot is not None)
        side.stage = Stage.RUNNING

    @action(thread="runtime")
    def execute(self, s: PairState, runtime: Runtime) -> None:
        """Executes a live command."""
        side = s.sides[runtime]
        require(side.stage == Stage.RUNNING and len(side.commands) > 0)
        command = side.commands.pop_first()
        match command:
            case Reconcile():
                require(False)
            case Allow(id=id, frontier=frontier):
                if runtime == Runtime.INTERACTIVE:
                    self.downgrade(s, id, frontier)
                else:
                    s.published[id].agent = frontier
                    self.compact(s, id)
            case Drop(id=id):
                if runtime == Runtime.INTERACTIVE:
                    self.drop_peer(s, id)
                else:
                    self.drop_index(s, id)
            case Read(id=id, at=at):
                self.build(s, id, at)
            case EndRead(id=id):
                self.drop_reading(s, id)

    def build(self, s: PairState, id: GlobalId, at: Time) -> None:
        """Builds what reads the index, with a hold of its own; refuses what the peer does not hold (C16)."""
        peer = s.recorded[id]
        if peer.hold > at:
            panic("import below the hold of its peer")
        s.readings[id].slot = peer.slot
        s.readings[id].at = at

    @action(thread=Runtime.MAINTENANCE)
    def apply_holds(self, s: PairState, id: GlobalId) -> None:
        """The writer wakes up after a reader moved a hold (2.6)."""
        published = s.published[id]
        require(published.slot is not None)
        since = published.since
        self.compact(s, id)
        require(published.since > since)

    def is_final(self, s: PairState) -> bool:
        """The last connection is executed, and the controller is content."""
        return s.controller.connection == Connection.last() and all(
            side.stage == Stage.RUNNING and len(side.commands) == 0 for side in s.sides.values()
        )


def hold_on(s: PairState, slot: SlotRef, frontier: Time) -> Time:
    """The meet of ``frontier`` and of all readers of the slot."""
    held = min(hold_of(s, id, slot, frontier) for id in GlobalId)
    for reserved in s.slots[slot].reserved:
        held = min(held, reserved)
    return held


def hold_of(s: PairState, id: GlobalId, slot: SlotRef, frontier: Time) -> Time:
    """The meet of ``frontier`` and of what the peer of ``id`` and its reader hold there."""
    held = frontier
    if s.recorded[id].slot == slot:
        held = min(held, s.recorded[id].hold)
    if s.readings[id].slot == slot:
        held = min(held, s.readings[id].at)
    return held


def is_referenced(s: PairState, slot: SlotRef) -> bool:
    """Whether a token, a peer or a reader keeps the slot."""
    return any(
        s.published[id].slot == slot or s.recorded[id].slot == slot or s.readings[id].slot == slot
        for id in GlobalId
    )
