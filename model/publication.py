"""``publish`` and its undoing: a dataflow's traces behind the points of its slot (2.2, 2.3, 2.13)."""

from __future__ import annotations

from explorer.lang import action, given, panic, require, soft_panic
from model.registry import SlotMap
from model.state import (
    Bundle,
    Create,
    GlobalId,
    Half,
    InteractiveStep,
    MaintenanceStep,
    MaintenanceTask,
    Phase,
    ReaderPair,
    Runtime,
    Slot,
    SlotRef,
    State,
    Time,
    Trace,
)
from model.traces import Traces, local_logical, points_are_settled


class Publication(SlotMap, Traces):
    """The maintenance worker renders an index, publishes it, and drops it."""

    @action(thread=Runtime.MAINTENANCE)
    def publish(self, s: State, id: GlobalId, as_of: Time) -> None:
        """Renders the dataflow of {id} at {as_of} and takes the slot to publish it in."""
        require(self.maintenance_is_free(s) and s.bundles[id].create is None)
        create = self.command(s, Runtime.MAINTENANCE, id, as_of, None)
        for half in Half:
            s.traces[id][half] = Trace(since=as_of)
            s.bundles[id].agents[half] = as_of
        self.take_slot(s, id, create, id)

    def take_slot(self, s: State, id: GlobalId, create: Create, trace: GlobalId) -> None:
        """The first step of ``publish``: the registry's lock, and the checks on the slot found.

        What they look at is under the locks of the points, but nobody else changes it.
        """
        slot = self.get_or_create(s, id, create.as_of)
        if self.design.publish_checks_slot:
            self.check_slot(s.slots[slot], trace)
        bundle = s.bundles[id]
        bundle.create = create
        bundle.trace = trace
        bundle.token = slot
        s.publisher = MaintenanceTask(id=id, next=MaintenanceStep.ATTACH_OKS)

    def check_slot(self, slot: Slot, trace: GlobalId) -> None:
        """A second trace would mix two histories (A1.7, C38)."""
        if not self.is_frozen(slot):
            for half in Half:
                backing = slot.points[half].trace
                if backing is not None and backing != trace:
                    panic("publish into a slot that another trace backs")
            if any(slot.points[half].trace == trace for half in Half):
                soft_panic("publish into a slot that the same trace backs")

    @action(thread=Runtime.MAINTENANCE)
    def attach_oks(self, s: State, id: GlobalId) -> None:
        """Attaches the trace of the rows of {id}."""
        require(s.publisher == MaintenanceTask(id=id, next=MaintenanceStep.ATTACH_OKS))
        self.attach(s, id, Half.OKS)
        s.publisher = MaintenanceTask(id=id, next=MaintenanceStep.ATTACH_ERRS)

    @action(thread=Runtime.MAINTENANCE)
    def attach_errs(self, s: State, id: GlobalId) -> None:
        """Attaches the trace of the errors of {id}."""
        require(s.publisher == MaintenanceTask(id=id, next=MaintenanceStep.ATTACH_ERRS))
        self.attach(s, id, Half.ERRS)
        s.publisher = MaintenanceTask(id=id, next=MaintenanceStep.RESERVE)

    def attach(self, s: State, id: GlobalId, half: Half) -> None:
        """Under the point's lock. Holds that readers registered before count from the trace's next change on."""
        bundle = s.bundles[id]
        trace = given(bundle.trace)
        point = s.slots[given(bundle.token)].points[half]
        point.trace = trace
        point.dropped = False
        point.upper = s.traces[trace][half].upper
        if self.design.attach_publishes_since:
            point.since = local_logical(s, trace, half)
        point.shows = bundle.create

    @action(thread=Runtime.MAINTENANCE)
    def reserve(self, s: State, id: GlobalId) -> None:
        """Under the slot's lock for peer holds: registers the hold of a peer that is still to come (C12, C13)."""
        require(s.publisher == MaintenanceTask(id=id, next=MaintenanceStep.RESERVE))
        slot = s.slots[given(s.bundles[id].token)]
        require(not is_registering_peer(s, given(s.bundles[id].token)))
        if slot.unpublished_peers > 0:
            slot.unpublished_peers -= 1
        elif self.design.reserve_peer_hold:
            as_of = given(s.bundles[id].create).as_of
            slot.reserved.append(
                ReaderPair(
                    oks=max(as_of, slot.points[Half.OKS].since),
                    errs=max(as_of, slot.points[Half.ERRS].since),
                )
            )
        s.publisher = MaintenanceTask(id=id, next=MaintenanceStep.NOTIFY)

    @action(thread=Runtime.MAINTENANCE)
    def notify(self, s: State, id: GlobalId) -> None:
        """Unparks the reading worker, which always runs here; ``publish`` returns the token, a drop is done."""
        require(s.publisher == MaintenanceTask(id=id, next=MaintenanceStep.NOTIFY))
        s.publisher = None
        token = s.bundles[id].token
        if token is not None:
            self.reclaim(s, token)

    @action(thread=Runtime.MAINTENANCE)
    def drop_index(self, s: State, id: GlobalId) -> None:
        """Drops the bundle of {id}, first the agent of the oks."""
        require(self.maintenance_is_free(s))
        require(s.phase[Runtime.MAINTENANCE] == Phase.DROPPING)
        require(self.is_to_drop(s, Runtime.MAINTENANCE, id, s.bundles[id].create))
        self.drop_agent(s, id, Half.OKS)
        s.publisher = MaintenanceTask(id=id, next=MaintenanceStep.DROP_ERRS)

    @action(thread=Runtime.MAINTENANCE)
    def drop_index_errs(self, s: State, id: GlobalId) -> None:
        """Drops the agent of the errs of {id}, when the points of the oks know."""
        require(s.publisher == MaintenanceTask(id=id, next=MaintenanceStep.DROP_ERRS))
        require(points_are_settled(s))
        self.drop_agent(s, id, Half.ERRS)
        s.publisher = MaintenanceTask(id=id, next=MaintenanceStep.DROP_TOKEN)

    @action(thread=Runtime.MAINTENANCE)
    def unpublish(self, s: State, id: GlobalId) -> None:
        """Drops the token of {id}, when the points of the errs know."""
        require(s.publisher == MaintenanceTask(id=id, next=MaintenanceStep.DROP_TOKEN))
        require(points_are_settled(s))
        slot = given(s.bundles[id].token)
        s.bundles[id] = Bundle()
        s.publisher = MaintenanceTask(id=id, next=MaintenanceStep.NOTIFY)
        self.reclaim(s, slot)


def is_registering_peer(s: State, slot: SlotRef) -> bool:
    """Whether the reading worker has the slot's lock for peer holds."""
    if s.reader is None or s.reader.next != InteractiveStep.HOLD_ERRS:
        return False
    return s.peers[s.reader.id].slot == slot
