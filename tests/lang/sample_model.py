"""A small model that uses the whole language; it must pass ``mypy --strict``."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated, TypeAlias

from explorer.lang import (
    Between,
    Capacity,
    Map,
    Ordinal,
    Pool,
    Seq,
    Set,
    Sort,
    System,
    action,
    given,
    initial,
    invariant,
    panic,
    reachable,
    record,
    require,
    soft_panic,
    step_invariant,
)


class GlobalId(Sort): ...


class SlotRef(Sort): ...


class Node(Sort): ...


class Time(Ordinal): ...


class Frontier(Ordinal, top="INF"): ...


class Runtime(Enum):
    MAINTENANCE = 0
    INTERACTIVE = 1


Level: TypeAlias = Annotated[int, Between(0, 3)]


@record(frozen=True)
class Publish:
    id: GlobalId
    as_of: Time


@record(frozen=True)
class Drop:
    id: GlobalId


Command: TypeAlias = Publish | Drop


@record
class Slot:
    as_of: Time
    backed: bool = False
    holders: Set[Node] = initial()

    def live(self) -> bool:
        return self.backed and len(self.holders) > 0

    @property
    def held(self) -> bool:
        return bool(len(self.holders))


@record
class State:
    entry: Map[GlobalId, SlotRef | None]
    slots: Pool[SlotRef, Slot]
    ready: Set[GlobalId]
    commands: Map[Runtime, Annotated[Seq[Command], Capacity("commands")]]
    leader: Node
    last: Command | None
    upper: Frontier
    level: Level = 0


@dataclass(frozen=True)
class Design:
    reuse: bool = True
    batch: Level = 1


class Sample(System[State]):
    """A registry of slots. It abstracts from everything else."""

    default_scope = {
        "GlobalId": 1,
        "SlotRef": 2,
        "Node": 1,
        "Time": 2,
        "Frontier": 1,
        "commands": 1,
    }
    design = Design()
    presets = {"no_reuse": {"reuse": False}}

    def init(self, s: State, leader: Node) -> None:
        s.leader = leader

    def is_final(self, s: State) -> bool:
        return s.upper == Frontier.top()

    @action(thread=Runtime.INTERACTIVE)
    def send(self, s: State, command: Command) -> None:
        require(s.upper != Frontier.top())
        s.commands[Runtime.MAINTENANCE].append(command)

    @action(thread=Runtime.MAINTENANCE)
    def receive(self, s: State) -> None:
        queue = s.commands[Runtime.MAINTENANCE]
        require(len(queue) > 0)
        command = queue.pop_first()
        s.last = command
        match command:
            case Publish(id=id, as_of=as_of):
                slot = s.slots[get_or_create(s, id, as_of, self.design.reuse)]
                if slot.as_of > as_of:
                    soft_panic("published below as_of")
                slot.backed = True
                slot.holders.add(s.leader)
                s.ready.add(id)
            case Drop(id=id):
                drop(s, id)
        s.level = min(s.level + self.design.batch, 3)

    @action(thread="node")
    def leave(self, s: State, node: Node) -> None:
        require(any(node in s.slots[r].holders for r in s.slots))
        for r in s.slots:
            s.slots[r].holders.discard(node)

    @action
    def close(self, s: State) -> None:
        assert s.upper <= Frontier.top(), "upper is bounded"
        s.upper = Frontier.top()


def get_or_create(s: State, id: GlobalId, as_of: Time, reuse: bool) -> SlotRef:
    if reuse and (found := s.entry[id]) is not None:
        return found
    r = s.slots.alloc(Slot(as_of=as_of))
    s.entry[id] = r
    return r


def drop(s: State, id: GlobalId) -> None:
    r = given(s.entry[id])
    if s.slots[r].backed and id not in s.ready:
        panic("drop of a slot in use")
    s.slots.free(r)
    s.entry[id] = None
    s.ready.discard(id)


@invariant
def a_ready_id_is_backed(s: State) -> bool:
    return all((r := s.entry[id]) is not None and s.slots[r].backed for id in s.ready)


@step_invariant
def upper_never_falls(before: State, after: State) -> bool:
    return before.upper <= after.upper


@reachable
def both_levels(s: State) -> bool:
    return s.level == 3 and sum(len(s.commands[r]) for r in Runtime) == 1


def helpers(s: State) -> bool:
    """What the type checker must infer."""
    everyone = Set(id for id in GlobalId if id not in s.ready)
    latest = max(Time.first(), Time.last())
    total = len(GlobalId) + len(Time) + len(everyone | s.ready)
    return total > 0 and latest >= Time(0) and all(t <= latest for t in Time)
