"""What must hold, and what must be possible, when two runtimes reconcile over one registry."""

from __future__ import annotations

from explorer.lang import (
    Formula,
    invariant,
    leads_to,
    now,
    reachable,
    step_invariant,
    temporal,
)
from model.pair_state import PairState, Read, Reconcile, Side, Stage
from model.state import Connection, GlobalId, Runtime, SlotRef, Time

# Which slot


@invariant
def a_peer_is_where_its_index_is_published(s: PairState) -> bool:
    """Once both sides are through with a connection, both are at one slot of each index (A1.4, A2.1, H1, H2)."""
    return all(
        not is_settled(s, id) or s.published[id].slot == s.recorded[id].slot for id in GlobalId
    )


@invariant
def nothing_reads_a_slot_that_was_replaced(s: PairState) -> bool:
    """What is built for a connection does not read what its maintenance side dropped (C76, B11)."""
    return all(
        (slot := s.readings[id].slot) is None
        or s.published[id].slot is None
        or not s.slots[slot].dropped
        or not are_through(s)
        for id in GlobalId
    )


@invariant
def no_peer_stays_in_a_frozen_slot(s: PairState) -> bool:
    """Once both sides are through with a connection, no peer of a published index is where a trace was dropped (H1)."""
    return all(not is_settled(s, id) or not s.slots[peer_slot(s, id)].dropped for id in GlobalId)


@invariant
def no_peer_waits_where_nobody_publishes(s: PairState) -> bool:
    """Once both sides are through with a connection, no peer of a published index is in an empty slot (H1, H2)."""
    return all(not is_settled(s, id) or s.slots[peer_slot(s, id)].backed for id in GlobalId)


@invariant
def an_id_leads_to_where_it_is_published(s: PairState) -> bool:
    """Nobody evicts the slot of a publication (A1.3, C36)."""
    return all(
        s.published[id].slot is None or s.published[id].slot == s.entry[id] for id in GlobalId
    )


@step_invariant
def a_point_never_takes_a_second_trace(before: PairState, after: PairState) -> bool:
    """What a trace backs or has backed stays with that trace (A1.5, A1.7, C38)."""
    return all(
        before.published[id].slot == after.published[id].slot
        or (slot := after.published[id].slot) is None
        or slot not in before.slots
        or not before.slots[slot].backed
        for id in GlobalId
    )


# What a slot serves


@invariant
def what_is_queued_can_be_read(s: PairState) -> bool:
    """Window 1 of I1: a create that waits in the queue of the interactive runtime will find its time (C1, C5, C12)."""
    return maintenance(s).stage == Stage.DROPPING or all(
        (slot := s.published[id].slot) is None or waits_above(s, id, s.slots[slot].since)
        for id in GlobalId
    )


@invariant
def what_is_built_can_be_read(s: PairState) -> bool:
    """Window 2 of I1: what reads an index finds its time for as long as it exists (C1)."""
    return all(
        (slot := s.readings[id].slot) is None or s.slots[slot].since <= s.readings[id].at
        for id in GlobalId
    )


@invariant
def no_hold_is_passed(s: PairState) -> bool:
    """A published since is at most every hold on its point, reserved ones too (C6, C12, C52)."""
    return all(
        (s.recorded[id].slot != r or s.slots[r].since <= s.recorded[id].hold)
        and (s.readings[id].slot != r or s.slots[r].since <= s.readings[id].at)
        for r in s.slots
        for id in GlobalId
    ) and all(all(s.slots[r].since <= hold for hold in s.slots[r].reserved) for r in s.slots)


@step_invariant
def a_since_never_regresses(before: PairState, after: PairState) -> bool:
    """No point takes back what it has let compact (C57)."""
    return all(
        r not in after.slots
        or not before.slots[r].backed
        or before.slots[r].since <= after.slots[r].since
        for r in before.slots
    )


@invariant
def no_hold_is_left_for_a_peer_that_has_one(s: PairState) -> bool:
    """Where a peer is recorded in its slot, no reserved hold waits for it besides: it would never be taken (C13, H7)."""
    return all(
        not are_through(s)
        or (slot := s.published[id].slot) is None
        or s.recorded[id].slot != slot
        or len(s.slots[slot].reserved) == 0
        for id in GlobalId
    )


# Progress


@temporal
def what_nobody_needs_is_compacted(id: GlobalId) -> Formula:
    """A trace that all who use it let compact compacts, at some time (C7, C25)."""
    return leads_to(now(may_compact, id), now(has_compacted, id))


# Situations


@reachable
def an_index_is_kept_on_both_sides(s: PairState) -> bool:
    """A later connection finds it published, and recorded, in the slot of the first, and wants it at a later time (H2)."""
    return are_through(s) and any(
        (slot := s.published[id].slot) is not None
        and slot == s.recorded[id].slot
        and (as_of := wanted(s, maintenance(s), id)) is not None
        and s.slots[slot].as_of < as_of
        and maintenance(s).connection != Connection.first()
        for id in GlobalId
    )


@reachable
def an_index_is_replaced_on_both_sides(s: PairState) -> bool:
    """A new controller names a time that is compacted away: both sides drop and create it."""
    return are_through(s) and any(
        (slot := s.published[id].slot) is not None
        and slot == s.recorded[id].slot
        and was_wanted_later(s, id)
        and s.published[id].agent == Time.first()
        for id in GlobalId
    )


@reachable
def the_sides_know_different_frontiers(s: PairState) -> bool:
    """Before a reconciliation, one side has applied a compaction that the other lost (H1)."""
    return all(side.stage == Stage.DROPPING for side in s.sides.values()) and any(
        s.published[id].slot is not None
        and s.recorded[id].slot is not None
        and s.published[id].agent != s.recorded[id].frontier
        for id in GlobalId
    )


@reachable
def one_side_knows_nothing_of_an_index(s: PairState) -> bool:
    """Before a reconciliation, one side has an index whose create the other lost (H2)."""
    return all(side.stage == Stage.DROPPING for side in s.sides.values()) and any(
        s.published[id].slot is not None and s.recorded[id].slot is None for id in GlobalId
    )


@reachable
def a_cancelled_read_is_still_queued(s: PairState) -> bool:
    """The controller dropped it and allowed compaction beyond; the interactive runtime will build it (C5, B13)."""
    return any(
        s.controller.reading[id] is None
        and s.published[id].slot is not None
        and not waits_above(s, id, s.published[id].agent)
        for id in GlobalId
    )


@reachable
def a_hold_keeps_compaction_back(s: PairState) -> bool:
    """Maintenance has applied a compaction that interactive has yet to apply (C6)."""
    return any(
        (slot := s.published[id].slot) is not None
        and s.recorded[id].slot == slot
        and s.published[id].since < s.published[id].agent
        for id in GlobalId
    )


@reachable
def a_read_is_built(s: PairState) -> bool:
    """Over a published index, in its slot."""
    return any(
        (slot := s.readings[id].slot) is not None and slot == s.published[id].slot
        for id in GlobalId
    )


@reachable
def a_runtime_skips_a_connection(s: PairState) -> bool:
    """Maintenance creates for a connection that the interactive side never sees (H3)."""
    theirs = interactive(s).connection
    mine = maintenance(s).connection
    return (
        maintenance(s).stage == Stage.CREATING
        and mine is not None
        and theirs is not None
        and theirs > mine
    )


# What the properties speak of


def may_compact(s: PairState, id: GlobalId) -> bool:
    """Whether the trace could compact further for all that its agent, its peer and its reader need.

    That a peer is recorded is part of it: before, what it will need is not known here.
    """
    published = s.published[id]
    return (
        published.slot is not None
        and s.recorded[id].slot == published.slot
        and published.since < published.agent
        and published.since < s.recorded[id].frontier
        and (s.readings[id].slot != published.slot or published.since < s.readings[id].at)
    )


def has_compacted(s: PairState, id: GlobalId) -> bool:
    """Whether it is compacted as far as that."""
    return not may_compact(s, id)


def maintenance(s: PairState) -> Side:
    """The maintenance worker."""
    return s.sides[Runtime.MAINTENANCE]


def interactive(s: PairState) -> Side:
    """The interactive worker."""
    return s.sides[Runtime.INTERACTIVE]


def are_through(s: PairState) -> bool:
    """Whether both sides have reconciled with one connection."""
    return (
        maintenance(s).stage == Stage.RUNNING
        and interactive(s).stage == Stage.RUNNING
        and maintenance(s).connection is not None
        and maintenance(s).connection == interactive(s).connection
    )


def is_settled(s: PairState, id: GlobalId) -> bool:
    """Whether both sides are through with a connection, and have the index."""
    return are_through(s) and s.published[id].slot is not None and s.recorded[id].slot is not None


def peer_slot(s: PairState, id: GlobalId) -> SlotRef:
    """The slot of the peer of ``id``."""
    slot = s.recorded[id].slot
    assert slot is not None
    return slot


def wanted(s: PairState, side: Side, id: GlobalId) -> Time | None:
    """The as_of at which the side's connection wants the index."""
    connection = side.connection
    return None if connection is None else s.controller.desired[connection][id]


def was_wanted_later(s: PairState, id: GlobalId) -> bool:
    """Whether an earlier connection wanted the index at a later time than the newest does."""
    newest = s.controller.connection
    return newest is not None and any(
        (early := s.controller.desired[c][id]) is not None
        and (late := s.controller.desired[newest][id]) is not None
        and early > late
        for c in Connection
    )


def waits_above(s: PairState, id: GlobalId, since: Time) -> bool:
    """Whether every queued read of what maintenance has published is at ``since`` or later."""
    commands = interactive(s).commands
    return all(
        not is_read_before(interactive(s), i, id, since) or not is_of_publication(s, i)
        for i in range(len(commands))
    )


def is_read_before(side: Side, i: int, id: GlobalId, since: Time) -> bool:
    """Whether the command is a read of the index at a time before ``since``."""
    command = side.commands[i]
    match command:
        case Read(id=read, at=at):
            return read == id and at < since
        case _:
            return False


def is_of_publication(s: PairState, i: int) -> bool:
    """Whether the command came on the connection that maintenance has reconciled with."""
    side = interactive(s)
    of = side.connection
    for j in range(len(side.commands)):
        command = side.commands[j]
        match command:
            case Reconcile(connection=connection):
                if j < i:
                    of = connection
            case _:
                pass
    return of is not None and of == maintenance(s).connection
