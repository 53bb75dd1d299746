"""Takes the steps of a run one by one under CPython, written as a trace shows them."""

from __future__ import annotations

from typing import Any

from explorer.lang.run import Cut, Failed, Instance, Next, initial_states, instances, step
from explorer.lang.system import System
from explorer.lang.text import format_value
from model.state import GlobalId, Half, Point, Slot, SlotRef, State, Trace

SOURCE, REEXPORT = 0, 1
"""The indexes of the two ids where one re-exports the other."""

PUBLISH = ("attach_oks(id={0})", "attach_errs(id={0})", "reserve(id={0})", "notify(id={0})")
"""What follows the first step of a publication."""

REGISTER = ("register(id={0})", "register_errs(id={0})")
DROP_INDEX = ("drop_index_errs(id={0})", "unpublish(id={0})", "notify(id={0})")
DROP_PEER = ("drop_peer(id={0})", "drop_peer_errs(id={0})", "drop_peer_slot(id={0})")


class Run:
    """A run of a system. ``state`` is where it is; ``soft`` are the soft panics of the last step."""

    def __init__(self, system: System[Any], reexport: int | None = None) -> None:
        self.system = system
        self.steps = {_text(i): i for i in instances(system)}
        with system:
            chosen = None if reexport is None else GlobalId(reexport)
        state: State
        (state,) = (s for values, s in initial_states(system) if values == (chosen,))
        self.state = state
        self.soft: tuple[str, ...] = ()

    def do(self, *calls: str) -> Run:
        """Takes the steps, each of which must be possible."""
        for call in calls:
            outcome = step(self.system, self.state, self.steps[call])
            assert isinstance(outcome, Next), f"{call}: {outcome}"
            self.state = outcome.state
            self.soft = outcome.soft
        return self

    def with_id(self, id: int, *calls: str) -> Run:
        """Takes the steps, with the id filled in."""
        return self.do(*(call.format(f"GlobalId{id}") for call in calls))

    def publish(self, id: int, as_of: int = 0) -> Run:
        """Publishes an index that arranges itself."""
        return self.do(f"publish(id=GlobalId{id}, as_of={as_of})").with_id(id, *PUBLISH)

    def reexport(self, id: int, source: int, as_of: int = 0) -> Run:
        """Publishes the traces of ``source`` once more."""
        call = f"reexport(id=GlobalId{id}, source=GlobalId{source}, as_of={as_of})"
        return self.do(call).with_id(id, *PUBLISH)

    def peer(self, id: int, as_of: int = 0, source: int | None = None) -> Run:
        """Records a peer: takes the reserved hold if there is one, else registers one."""
        whose = None if source is None else f"GlobalId{source}"
        self.do(f"peer_bundle(id=GlobalId{id}, as_of={as_of}, source={whose})")
        if self.slot_of_peer(id).reserved:
            return self.with_id(id, "take_reserved(id={0})")
        return self.with_id(id, *REGISTER)

    def reconnect(self, runtime: str, kept: int | None = None) -> Run:
        """Begins the next connection."""
        name = None if kept is None else f"GlobalId{kept}"
        return self.do(f"reconnect(runtime={runtime}, kept={name})")

    def create_again(self, runtime: str) -> Run:
        """Ends the drops and passes the barrier."""
        return self.do(f"arrive(runtime={runtime})", f"start_creates(runtime={runtime})")

    def blocks(self, call: str) -> bool:
        """Whether the step is disabled."""
        return not isinstance(step(self.system, self.state, self.steps[call]), Next | Failed | Cut)

    def failure(self, call: str) -> str:
        """The name of the failure that the step ends in."""
        outcome = step(self.system, self.state, self.steps[call])
        assert isinstance(outcome, Failed), outcome
        return outcome.name

    def freeze(self) -> Run:
        """Lets every point that a dropped trace backed know."""
        for call in [c for c in self.steps if c.startswith("freeze_point")]:
            if not self.blocks(call):
                self.do(call)
        return self

    def id(self, index: int) -> GlobalId:
        """The id with that number."""
        with self.system:
            return GlobalId(index)

    def entry(self, id: int) -> SlotRef | None:
        """Where the map leads to."""
        return self.state.entry[self.id(id)]

    def slot_of_peer(self, id: int) -> Slot:
        """The slot of a recorded peer."""
        ref = self.state.peers[self.id(id)].slot
        assert ref is not None
        return self.state.slots[ref]

    def point(self, id: int, half: Half = Half.OKS) -> Point:
        """A point of the slot that the map leads to."""
        ref = self.entry(id)
        assert ref is not None
        return self.state.slots[ref].points[half]

    def trace(self, id: int, half: Half = Half.OKS) -> Trace:
        """A trace of an index that arranges itself."""
        return self.state.traces[self.id(id)][half]


def _text(instance: Instance) -> str:
    pairs = zip(instance.action.params, instance.values, strict=True)
    values = ", ".join(f"{p.name}={format_value(v)}" for p, v in pairs)
    return f"{instance.action.name}({values})"
