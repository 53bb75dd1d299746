"""The traces behind the points: seal, close and drop, on the maintenance worker (2.4, 2.9).

Several points may be attached to one trace. What happens to the trace reaches them one at a time, each under the
lock of that point, and the worker does nothing else before all have it. So it is in the middle of such an operation
exactly while a point lags behind its trace.
"""

from __future__ import annotations

from explorer.lang import action, require
from model.controller import Controller
from model.state import GlobalId, Half, Runtime, SlotRef, State, Time, Trace, Upper


class Traces(Controller):
    """What changes a trace, and how its points learn of it."""

    def maintenance_is_free(self, s: State) -> bool:
        return s.publisher is None and points_are_settled(s)

    @action(thread=Runtime.MAINTENANCE)
    def seal(self, s: State, id: GlobalId, half: Half) -> None:
        """The spine of {id} takes a batch of {half} that ends past every time in scope."""
        require(self.maintenance_is_free(s) and has_agents(s, id, half))
        trace = s.traces[id][half]
        require(trace.upper == Upper.MINIMUM)
        trace.upper = Upper.SEALED

    @action(thread=Runtime.MAINTENANCE)
    def close(self, s: State, id: GlobalId, half: Half) -> None:
        """The spine of {id} takes an empty batch of {half} up to the empty frontier."""
        require(self.design.inputs_end)
        require(self.maintenance_is_free(s) and has_agents(s, id, half))
        trace = s.traces[id][half]
        require(trace.upper != Upper.COMPLETE)
        trace.upper = Upper.COMPLETE

    @action(thread=Runtime.MAINTENANCE)
    def seal_point(self, s: State, slot: SlotRef, half: Half) -> None:
        """The {half} point of {slot} learns how far its trace is sealed."""
        require(slot in s.slots and lags(s, slot, half))
        point = s.slots[slot].points[half]
        if point.trace is not None:
            require(has_agents(s, point.trace, half))
            point.upper = s.traces[point.trace][half].upper

    @action(thread=Runtime.MAINTENANCE)
    def freeze_point(self, s: State, slot: SlotRef, half: Half) -> None:
        """The {half} point of {slot} learns that its trace was dropped; it stays at what it shows."""
        require(slot in s.slots and lags(s, slot, half))
        point = s.slots[slot].points[half]
        if point.trace is not None:
            require(not has_agents(s, point.trace, half))
            point.trace = None
            point.dropped = True
            if not self.design.drop_keeps_upper:
                point.upper = Upper.COMPLETE

    def drop_agent(self, s: State, id: GlobalId, half: Half) -> None:
        """Drops the agent of one half in the bundle of ``id``; the trace goes with its last agent."""
        bundle = s.bundles[id]
        bundle.agents[half] = None
        if bundle.trace is not None and not has_agents(s, bundle.trace, half):
            s.traces[bundle.trace][half] = Trace()


def has_agents(s: State, trace: GlobalId, half: Half) -> bool:
    """Whether the trace lives (1.5)."""
    return any(
        s.bundles[id].trace == trace and s.bundles[id].agents[half] is not None for id in GlobalId
    )


def local_logical(s: State, trace: GlobalId, half: Half) -> Time:
    """The meet of the trace's agents."""
    return min(agent_on(s, id, trace, half) for id in GlobalId)


def agent_on(s: State, id: GlobalId, trace: GlobalId, half: Half) -> Time:
    """Where the agent of ``id`` allows the trace to compact to; without one, anywhere."""
    agent = s.bundles[id].agents[half]
    return Time.last() if agent is None or s.bundles[id].trace != trace else agent


def lags(s: State, slot: SlotRef, half: Half) -> bool:
    """Whether the point does not show yet what happened to its trace."""
    point = s.slots[slot].points[half]
    if point.trace is None:
        return False
    return not has_agents(s, point.trace, half) or point.upper != s.traces[point.trace][half].upper


def points_are_settled(s: State) -> bool:
    """Whether every point shows what happened to its trace."""
    return not any(lags(s, slot, half) for slot in s.slots for half in Half)
