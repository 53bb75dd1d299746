"""AllowCompaction on the maintenance runtime: from an agent to the trace to its points (2.5, 2.6)."""

from __future__ import annotations

from explorer.lang import action, require
from model.holds import reader_hold
from model.state import (
    GlobalId,
    Half,
    MaintenanceStep,
    MaintenanceTask,
    Phase,
    Runtime,
    SlotRef,
    State,
    Time,
)
from model.traces import Traces, has_agents, local_logical


class Compaction(Traces):
    """The published since follows the meet of the agents and of all readers."""

    @action(thread=Runtime.MAINTENANCE)
    def allow_compaction(self, s: State, id: GlobalId, frontier: Time) -> None:
        """The trace manager moves the agent of the oks of {id} to {frontier}."""
        require(self.maintenance_is_free(s))
        require(s.phase[Runtime.MAINTENANCE] == Phase.CREATING)
        bundle = s.bundles[id]
        agent = bundle.agents[Half.OKS]
        require(agent is not None and agent < frontier)
        require(all(is_past_create(s, to, id, frontier) for to in GlobalId))
        bundle.agents[Half.OKS] = frontier
        self.apply_to_trace(s, id, Half.OKS)
        s.publisher = MaintenanceTask(id=id, next=MaintenanceStep.COMPACT_ERRS)

    @action(thread=Runtime.MAINTENANCE)
    def allow_compaction_errs(self, s: State, id: GlobalId) -> None:
        """The trace manager moves the agent of the errs of {id} to the same frontier."""
        require(s.publisher == MaintenanceTask(id=id, next=MaintenanceStep.COMPACT_ERRS))
        bundle = s.bundles[id]
        bundle.agents[Half.ERRS] = bundle.agents[Half.OKS]
        self.apply_to_trace(s, id, Half.ERRS)
        s.publisher = None

    @action(thread=Runtime.MAINTENANCE)
    def apply_holds(self, s: State, trace: GlobalId, half: Half) -> None:
        """The writer of {trace} wakes up after a reader moved a hold on its {half}."""
        require(self.maintenance_is_free(s) and has_agents(s, trace, half))
        require(self.target(s, trace, half) > s.traces[trace][half].since)
        self.apply_target(s, trace, half)

    def apply_to_trace(self, s: State, id: GlobalId, half: Half) -> None:
        """``apply_holds`` on the trace that the agents of ``id`` read."""
        trace = s.bundles[id].trace
        if trace is not None:
            self.apply_target(s, trace, half)

    def apply_target(self, s: State, trace: GlobalId, half: Half) -> None:
        """With all attached points locked, publishes how far the trace may compact (C52)."""
        target = self.target(s, trace, half)
        if self.design.compaction_joins:
            target = max(s.traces[trace][half].since, target)
        s.traces[trace][half].since = target
        for slot in s.slots:
            if s.slots[slot].points[half].trace == trace:
                s.slots[slot].points[half].since = target

    def target(self, s: State, trace: GlobalId, half: Half) -> Time:
        """The meet of the agents and of the readers of all attached points."""
        local = local_logical(s, trace, half)
        if not self.design.holds_bound_compaction:
            return local
        return min(on_trace(s, slot, trace, half, local) for slot in SlotRef)


def on_trace(s: State, slot: SlotRef, trace: GlobalId, half: Half, frontier: Time) -> Time:
    """The meet of ``frontier`` and of the slot's readers, if the slot is attached to the trace."""
    if slot not in s.slots or s.slots[slot].points[half].trace != trace:
        return frontier
    return reader_hold(s, slot, half, frontier)


def is_past_create(s: State, to: GlobalId, source: GlobalId, frontier: Time) -> bool:
    """Whether the controller may let ``source`` compact to ``frontier``, as far as ``to`` is concerned.

    A re-export reads its source at its own as_of; its create precedes any compaction beyond that (C2, C3).
    """
    create = s.commands[s.connection[Runtime.MAINTENANCE]][to]
    if create is None or create.source != source:
        return True
    return s.bundles[to].create == create or frontier <= create.as_of
