"""What must never happen in the registry and between its two workers."""

from __future__ import annotations

from explorer.lang import invariant, step_invariant
from model.registry import is_referenced
from model.state import (
    Create,
    GlobalId,
    Half,
    InteractiveStep,
    MaintenanceStep,
    Point,
    Runtime,
    SlotRef,
    State,
    Upper,
)

# Which slot


@invariant
def both_sides_hold_the_same_slot(s: State) -> bool:
    """Once both sides touched an incarnation and neither dropped it, they are at the same slot (A1.4, C28)."""
    return all(
        s.bundles[id].create is None
        or s.bundles[id].create != s.peers[id].create
        or is_dropping(s, id)
        or s.bundles[id].token == s.peers[id].slot
        for id in GlobalId
    )


@invariant
def no_current_slot_is_replaced(s: State) -> bool:
    """An id leads to the slot that it is published in, as long as that is wanted (A1.3, C28)."""
    return all(
        s.bundles[id].create is None
        or s.bundles[id].create != s.commands[s.connection[Runtime.MAINTENANCE]][id]
        or s.bundles[id].token == s.entry[id]
        for id in GlobalId
    )


@invariant
def no_import_is_left_where_no_publisher_can_back_it(s: State) -> bool:
    """An import on an unbacked point has its publication to come (A1.Q1, B1).

    Not so where the maintenance side published the incarnation elsewhere and keeps it: the import waits for ever.
    """
    return all(
        s.imports[id].create is None
        or s.imports[id].create != s.bundles[id].create
        or is_dropping(s, id)
        or is_attaching(s, id)
        or is_backed(s, s.imports[id].slot)
        for id in GlobalId
    )


@invariant
def an_import_is_where_its_incarnation_is_published(s: State) -> bool:
    """Both sides being at one incarnation, an import reads the very slot that it is published in (A1.4, C28)."""
    return all(
        s.imports[id].create is None
        or s.imports[id].create != s.bundles[id].create
        or is_dropping(s, id)
        or is_closing(s, id)
        or s.imports[id].slot == s.bundles[id].token
        for id in GlobalId
    )


@invariant
def no_reader_sees_an_earlier_incarnation(s: State) -> bool:
    """A peer's slot shows nothing from before the create that the peer stands for (C35, C76, B11).

    A later incarnation is possible where a runtime lags behind a connection without the barrier: what it reads then, nobody
    is waiting for any more.
    """
    return all(
        (create := s.peers[id].create) is None
        or all(shows_none_before(s, s.peers[id].slot, half, create) for half in Half)
        for id in GlobalId
    )


@invariant
def every_id_has_points_of_its_own(s: State) -> bool:
    """No two ids lead to one slot (C39, B2, B3)."""
    return all(
        id == other or s.entry[id] is None or s.entry[id] != s.entry[other]
        for id in GlobalId
        for other in GlobalId
    )


@step_invariant
def no_dead_entry_is_returned(before: State, after: State) -> bool:
    """A slot that ``get_or_create`` found in the map had a holder (A1.6, C31)."""
    return all(
        was_held(before, before.bundles[id].token, after.bundles[id].token)
        and was_held(before, before.peers[id].slot, after.peers[id].slot)
        for id in GlobalId
    )


# What a slot shows


@step_invariant
def a_point_never_takes_a_second_trace(before: State, after: State) -> bool:
    """What a trace backs or has backed stays with that trace (A1.5, A1.7, C38)."""
    return all(
        r not in after.slots
        or not before.slots[r].points[half].backed
        or after.slots[r].points[half].trace is None
        or after.slots[r].points[half].trace == before.slots[r].points[half].trace
        for r in before.slots
        for half in Half
    )


@step_invariant
def a_reader_of_a_frozen_point_keeps_its_view(before: State, after: State) -> bool:
    """A point shows its readers the same once its trace closed, and when it drops and after (A1.5, C35, C64)."""
    return all(
        not is_read(before, r, half)
        or not is_read(after, r, half)
        or not (has_ended(before.slots[r].points[half]) or after.slots[r].points[half].dropped)
        or (
            before.slots[r].points[half].upper == after.slots[r].points[half].upper
            and before.slots[r].points[half].shows == after.slots[r].points[half].shows
        )
        for r in before.slots
        for half in Half
    )


@invariant
def a_point_without_a_trace_shows_nothing(s: State) -> bool:
    """It is sealed to nowhere: a reader waits, and is not told that there is nothing (C30)."""
    return all(
        s.slots[r].points[half].backed or s.slots[r].points[half].upper == Upper.MINIMUM
        for r in s.slots
        for half in Half
    )


@invariant
def no_read_of_a_compacted_chain(s: State) -> bool:
    """What a runtime may ask an index for, the index can serve: its chain is not compacted beyond that (A1.2, C1)."""
    return all(is_served(s, id, half) for id in GlobalId for half in Half)


@invariant
def a_point_admits_no_more_than_its_trace(s: State) -> bool:
    """The since published on a point is never below what its trace compacted to (C54)."""
    return all(
        (trace := s.slots[r].points[half].trace) is None
        or s.slots[r].points[half].since >= s.traces[trace][half].since
        for r in s.slots
        for half in Half
    )


@invariant
def a_since_never_passes_a_hold(s: State) -> bool:
    """A published since is at most every hold on its point, reserved ones too (C6, C12, C52)."""
    return all(holds_are_kept(s, r, half) for r in s.slots for half in Half)


@invariant
def a_hold_is_at_or_below_every_reader(s: State) -> bool:
    """Whatever an import reads, and whatever its peer may be asked to read, there is a hold for it (C1, C6, C62)."""
    return all(
        peer_is_held(s, id, half) and import_is_held(s, id, half)
        for id in GlobalId
        for half in Half
    )


@step_invariant
def a_since_never_regresses(before: State, after: State) -> bool:
    """A trace takes back nothing of what it has compacted to (C57)."""
    return all(
        r not in after.slots
        or (trace := before.slots[r].points[half].trace) is None
        or after.slots[r].points[half].trace != trace
        or before.slots[r].points[half].since <= after.slots[r].points[half].since
        for r in before.slots
        for half in Half
    )


@invariant
def a_publication_and_its_peer_are_paired(s: State) -> bool:
    """Once both are in a slot, neither has left there what the other did not take (C13)."""
    return all(
        s.peers[id].create is None
        or s.peers[id].create != s.bundles[id].create
        or s.peers[id].slot != s.bundles[id].token
        or s.publisher is not None
        or s.reader is not None
        or is_paired(s, s.bundles[id].token)
        for id in GlobalId
    )


# How long a slot lives


@invariant
def a_slot_lives_as_long_as_a_holder(s: State) -> bool:
    """A slot lives while a token, a peer bundle or an import refers to it, and no longer (A1.6, C31)."""
    return all(s.slots[r].live == is_referenced(s, r) for r in s.slots)


# What the properties speak of


def is_dropping(s: State, id: GlobalId) -> bool:
    """Whether one side is in the middle of dropping ``id``."""
    if s.publisher is not None and s.publisher.id == id:
        if s.publisher.next == MaintenanceStep.DROP_ERRS:
            return True
        if s.publisher.next == MaintenanceStep.DROP_TOKEN:
            return True
    if s.reader is not None and s.reader.id == id:
        return (
            s.reader.next == InteractiveStep.DROP_ERRS or s.reader.next == InteractiveStep.DROP_SLOT
        )
    return False


def is_attaching(s: State, id: GlobalId) -> bool:
    """Whether ``publish`` of ``id`` has yet to attach a trace."""
    if s.publisher is None or s.publisher.id != id:
        return False
    return (
        s.publisher.next == MaintenanceStep.ATTACH_OKS
        or s.publisher.next == MaintenanceStep.ATTACH_ERRS
    )


def is_backed(s: State, slot: SlotRef | None) -> bool:
    """Whether both points of the slot have or had a trace."""
    return slot is not None and all(s.slots[slot].points[half].backed for half in Half)


def has_ended(point: Point) -> bool:
    """Whether the point's trace closed or was dropped."""
    return point.dropped or (point.trace is not None and point.upper == Upper.COMPLETE)


def is_read(s: State, slot: SlotRef, half: Half) -> bool:
    """Whether a peer or an import has a reader on the point."""
    return any(
        (s.peers[id].slot == slot and s.peers[id].holds[half] is not None)
        or (s.imports[id].slot == slot and s.imports[id].holds[half] is not None)
        for id in GlobalId
    )


def was_held(before: State, old: SlotRef | None, new: SlotRef | None) -> bool:
    """Whether the slot that a step took, if it took one, is new or was referred to before."""
    if new is None or new == old or new not in before.slots:
        return True
    return is_referenced(before, new)


def is_paired(s: State, slot: SlotRef | None) -> bool:
    """Whether neither a hold waits for a peer there, nor a peer for its publication."""
    if slot is None:
        return True
    return len(s.slots[slot].reserved) == 0 and s.slots[slot].unpublished_peers == 0


def shows_none_before(s: State, slot: SlotRef | None, half: Half, create: Create) -> bool:
    """Whether the point shows no incarnation of an earlier connection than that of ``create``."""
    if slot is None:
        return True
    shown = s.slots[slot].points[half].shows
    return shown is None or shown.connection >= create.connection


def is_served(s: State, id: GlobalId, half: Half) -> bool:
    """Whether the half serves all that the peer's readers, to come and built, ask for."""
    hold = s.peers[id].holds[half]
    slot = s.peers[id].slot
    if hold is not None and slot is not None:
        if s.slots[slot].points[half].since > s.peers[id].frontier:
            return False
    read = s.imports[id].slot
    if read is None or is_closing(s, id):
        return True
    return s.slots[read].points[half].since <= s.imports[id].as_of


def peer_is_held(s: State, id: GlobalId, half: Half) -> bool:
    """Whether the hold of the peer, once it has one, is not beyond what it may be asked to read."""
    hold = s.peers[id].holds[half]
    return hold is None or hold <= s.peers[id].frontier


def import_is_held(s: State, id: GlobalId, half: Half) -> bool:
    """Whether the import, if there is one, has a hold of its own, or while it is built that of its peer."""
    slot = s.imports[id].slot
    if slot is None or is_closing(s, id):
        return True
    own = s.imports[id].holds[half]
    if own is not None and own <= s.imports[id].as_of:
        return True
    of_peer = s.peers[id].holds[half]
    return s.peers[id].slot == slot and of_peer is not None and of_peer <= s.imports[id].as_of


def is_closing(s: State, id: GlobalId) -> bool:
    """Whether the import of ``id`` is in the middle of being dropped."""
    if s.reader is None or s.reader.id != id:
        return False
    return (
        s.reader.next == InteractiveStep.CLOSE_ERRS or s.reader.next == InteractiveStep.CLOSE_TOKEN
    )


def holds_are_kept(s: State, slot: SlotRef, half: Half) -> bool:
    """Whether the point's since is at most each of its readers' holds."""
    since = s.slots[slot].points[half].since
    return all(
        (s.peers[id].slot != slot or (hold := s.peers[id].holds[half]) is None or since <= hold)
        and (s.imports[id].slot != slot or (at := s.imports[id].holds[half]) is None or since <= at)
        for id in GlobalId
    ) and all(since <= pair.at(half) for pair in s.slots[slot].reserved)
