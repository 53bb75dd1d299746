"""Situations that the arguments speak of: each must be reachable, or the argument is about nothing."""

from __future__ import annotations

from explorer.lang import reachable
from model.state import (
    Connection,
    Create,
    GlobalId,
    Half,
    Runtime,
    SlotRef,
    State,
    Time,
    Upper,
)
from properties.safety import is_backed, is_read

# Recreation


@reachable
def an_index_is_recreated_below_its_old_as_of(s: State) -> bool:
    """Published again where the old incarnation was compacted from the start (A1.2)."""
    return any(
        is_published_again(s, id, early, late) and as_of(s, early, id) > as_of(s, late, id)
        for id in GlobalId
        for early in Connection
        for late in Connection
    )


@reachable
def an_index_is_recreated_at_the_same_as_of(s: State) -> bool:
    """Published again at the as_of it had: the key does not tell them apart (C35)."""
    return any(
        is_published_again(s, id, early, late) and as_of(s, early, id) == as_of(s, late, id)
        for id in GlobalId
        for early in Connection
        for late in Connection
    )


@reachable
def an_index_is_recreated_above_its_old_as_of(s: State) -> bool:
    """Published again at a later as_of."""
    return any(
        is_published_again(s, id, early, late) and as_of(s, early, id) < as_of(s, late, id)
        for id in GlobalId
        for early in Connection
        for late in Connection
    )


@reachable
def both_runtimes_read_a_recreated_index(s: State) -> bool:
    """Both sides are at a later connection's incarnation, in one slot."""
    return any(
        (create := s.bundles[id].create) is not None
        and create.connection > Connection.first()
        and s.peers[id].create == create
        and s.peers[id].slot == s.bundles[id].token
        and all(shows(s, s.peers[id].slot, half, create) for half in Half)
        for id in GlobalId
    )


# Who is first


@reachable
def the_reader_is_first(s: State) -> bool:
    """A peer and an import are at a slot that the publisher has not touched (A1.4)."""
    return any(
        (slot := s.imports[id].slot) is not None
        and s.peers[id].slot == slot
        and not s.slots[slot].points[Half.OKS].backed
        and s.commands[s.connection[Runtime.MAINTENANCE]][id] == s.imports[id].create
        and s.bundles[id].create is None
        for id in GlobalId
    )


@reachable
def the_publisher_is_first(s: State) -> bool:
    """An index is published and its hold reserved, before the reading side knows of it (A1.4, C12)."""
    return any(
        (slot := s.bundles[id].token) is not None
        and len(s.slots[slot].reserved) > 0
        and s.peers[id].create is None
        and s.publisher is None
        for id in GlobalId
    )


@reachable
def the_publisher_adopts_the_readers_slot(s: State) -> bool:
    """An import built over an empty point sees rows and errors sealed."""
    return any(
        (slot := s.imports[id].slot) is not None
        and s.bundles[id].token == slot
        and all(s.slots[slot].points[half].upper == Upper.SEALED for half in Half)
        for id in GlobalId
    )


@reachable
def a_reader_sees_what_is_published(s: State) -> bool:
    """An import has both halves of the incarnation that its create names, sealed, and holds both."""
    return any(
        (create := s.imports[id].create) is not None
        and (slot := s.imports[id].slot) is not None
        and all(
            shows(s, slot, half, create)
            and s.imports[id].holds[half] is not None
            and s.slots[slot].points[half].upper == Upper.SEALED
            for half in Half
        )
        for id in GlobalId
    )


@reachable
def a_reader_arrives_in_the_middle_of_publish(s: State) -> bool:
    """One half of a slot has its trace, the other not yet, and a peer holds both."""
    return any(
        (slot := s.peers[id].slot) is not None
        and s.bundles[id].token == slot
        and s.peers[id].holds[Half.ERRS] is not None
        and s.slots[slot].points[Half.OKS].backed
        and not s.slots[slot].points[Half.ERRS].backed
        for id in GlobalId
    )


@reachable
def a_read_index_is_compacted(s: State) -> bool:
    """Both halves of a slot that both sides are in are compacted beyond its as_of."""
    return any(
        (slot := s.bundles[id].token) is not None
        and s.peers[id].slot == slot
        and all(
            s.peers[id].holds[half] is not None
            and s.slots[slot].points[half].since > s.slots[slot].as_of
            for half in Half
        )
        for id in GlobalId
    )


@reachable
def a_hold_keeps_compaction_back(s: State) -> bool:
    """The publisher's agents are ahead of what a reader's hold lets the trace do (C6)."""
    return any(
        (agent := s.bundles[id].agents[half]) is not None
        and (hold := s.peers[id].holds[half]) is not None
        and hold < agent
        and s.peers[id].slot == s.bundles[id].token
        and s.traces[id][half].since == hold
        for id in GlobalId
        for half in Half
    )


@reachable
def an_import_keeps_compaction_back(s: State) -> bool:
    """The agents and the peer's hold have moved on; what holds a half is a dataflow that reads it (C62)."""
    return any(
        (own := s.imports[id].holds[half]) is not None
        and (agent := s.bundles[id].agents[half]) is not None
        and (hold := s.peers[id].holds[half]) is not None
        and s.imports[id].slot == s.bundles[id].token
        and s.peers[id].slot == s.bundles[id].token
        and own < agent
        and own < hold
        and s.traces[id][half].since == own
        for id in GlobalId
        for half in Half
    )


@reachable
def what_nobody_reads_follows_its_agents(s: State) -> bool:
    """No reader and no reserved hold is left at a publication, and its since is where its agents are (C56)."""
    return any(
        (slot := s.bundles[id].token) is not None
        and s.publisher is None
        and s.reader is None
        and not any(is_read(s, slot, half) for half in Half)
        and len(s.slots[slot].reserved) == 0
        and all(
            s.slots[slot].points[half].since == s.bundles[id].agents[half]
            and s.slots[slot].points[half].since > s.slots[slot].as_of
            for half in Half
        )
        for id in GlobalId
    )


@reachable
def a_reserved_hold_keeps_compaction_back(s: State) -> bool:
    """The publisher's agents are ahead of a hold that its peer has yet to take (C12)."""
    return any(
        (agent := s.bundles[id].agents[half]) is not None
        and (slot := s.bundles[id].token) is not None
        and any(pair.at(half) < agent for pair in s.slots[slot].reserved)
        for id in GlobalId
        for half in Half
    )


@reachable
def a_reserved_hold_is_never_taken(s: State) -> bool:
    """The peer came and went before the publication, so what that reserves stays for its life (H7)."""
    return any(
        (create := s.bundles[id].create) is not None
        and (slot := s.bundles[id].token) is not None
        and len(s.slots[slot].reserved) > 0
        and s.connection[Runtime.INTERACTIVE] > create.connection
        and s.commands[s.connection[Runtime.INTERACTIVE]][id] != create
        for id in GlobalId
    )


# Frozen slots


@reachable
def a_read_slot_is_frozen_by_a_drop(s: State) -> bool:
    """An import is at a slot whose traces were dropped (A1.5)."""
    return any(
        (slot := s.imports[id].slot) is not None
        and all(s.slots[slot].points[half].dropped for half in Half)
        for id in GlobalId
    )


@reachable
def a_read_slot_is_frozen_by_a_close(s: State) -> bool:
    """An import is at a slot whose traces closed and live on (A1.5)."""
    return any(
        (slot := s.imports[id].slot) is not None
        and all(
            s.slots[slot].points[half].upper == Upper.COMPLETE
            and s.slots[slot].points[half].trace is not None
            for half in Half
        )
        for id in GlobalId
    )


@reachable
def one_half_of_a_read_slot_is_frozen(s: State) -> bool:
    """The window between the drops of the two traces (H4)."""
    return any(
        (slot := s.imports[id].slot) is not None
        and s.slots[slot].points[Half.OKS].dropped
        and s.slots[slot].points[Half.ERRS].trace is not None
        for id in GlobalId
    )


@reachable
def a_first_reader_arrives_after_the_trace_closed(s: State) -> bool:
    """A published index has closed; only now its peer takes a slot."""
    return any(
        (slot := s.bundles[id].token) is not None
        and all(s.slots[slot].points[half].upper == Upper.COMPLETE for half in Half)
        and len(s.slots[slot].reserved) > 0
        and s.peers[id].create == s.bundles[id].create
        for id in GlobalId
    )


@reachable
def a_first_reader_arrives_after_the_drop(s: State) -> bool:
    """The publisher has dropped what the reading side, an earlier connection behind, starts to read."""
    return any(
        (create := s.imports[id].create) is not None
        and create.connection < s.connection[Runtime.MAINTENANCE]
        and s.bundles[id].create is None
        and not is_backed(s, s.imports[id].slot)
        for id in GlobalId
    )


# Lifetime


@reachable
def a_slot_outlives_its_publisher(s: State) -> bool:
    """Published, unpublished, and still what its id leads to, because of a reader (A1.6)."""
    return any(
        (slot := s.entry[id]) is not None
        and s.slots[slot].points[Half.OKS].backed
        and s.bundles[id].token is None
        and s.peers[id].slot == slot
        for id in GlobalId
    )


@reachable
def a_slot_outlives_its_peer(s: State) -> bool:
    """Only an import keeps it."""
    return any(
        (slot := s.imports[id].slot) is not None
        and s.peers[id].slot != slot
        and s.bundles[id].token != slot
        for id in GlobalId
    )


@reachable
def a_replaced_slot_lives_on(s: State) -> bool:
    """No id leads to it any more, and somebody holds it (1.2)."""
    return any(s.slots[r].live and all(s.entry[id] != r for id in GlobalId) for r in s.slots)


@reachable
def an_id_is_left_without_a_slot(s: State) -> bool:
    """After a publication, nobody holds a slot of the id, and no withdrawal was sent (A1.6)."""
    return any(
        s.entry[id] is None and s.connection[Runtime.MAINTENANCE] > Connection.first()
        for id in GlobalId
    )


# Re-exports


@reachable
def two_ids_are_published_over_one_trace(s: State) -> bool:
    """A re-export and its source, each in a slot of its own (R5)."""
    return any(
        s.bundles[id].token != s.bundles[source].token
        and all(
            is_attached(s, s.bundles[id].token, half, source)
            and is_attached(s, s.bundles[source].token, half, source)
            for half in Half
        )
        for id in GlobalId
        for source in GlobalId
    )


@reachable
def a_reexport_outlives_its_source(s: State) -> bool:
    """The source's own publication is gone, and the trace lives through the re-export's agents (C42)."""
    return any(
        (slot := s.bundles[id].token) is not None
        and (source := s.bundles[id].trace) is not None
        and source != id
        and s.bundles[source].create is None
        and s.slots[slot].points[Half.OKS].trace == source
        for id in GlobalId
    )


@reachable
def a_dropped_reexport_is_not_frozen(s: State) -> bool:
    """The re-export is dropped, its source is not, and a reader still holds its slot (A1.7, C37)."""
    return any(
        (slot := s.peers[id].slot) is not None
        and s.bundles[id].create is None
        and any(
            (source := s.slots[slot].points[half].trace) is not None and source != id
            for half in Half
        )
        for id in GlobalId
    )


@reachable
def a_point_that_nothing_refers_to_is_detached(s: State) -> bool:
    """A re-export was dropped, nobody reads it, and its source's trace has but one point left (C32)."""
    return any(
        (source := reexported(s, id)) is not None
        and s.bundles[id].create is None
        and s.publisher is None
        and s.bundles[source].token is not None
        and s.connection[Runtime.MAINTENANCE] > Connection.first()
        and all(
            s.slots[r].points[half].trace != source or s.bundles[source].token == r
            for r in s.slots
            for half in Half
        )
        for id in GlobalId
    )


@reachable
def a_reexport_is_recreated_over_a_kept_source(s: State) -> bool:
    """Published again, over the trace that was there before (A1.7)."""
    return any(
        (create := s.bundles[id].create) is not None
        and (source := create.source) is not None
        and (original := s.bundles[source].create) is not None
        and original.connection < create.connection
        and s.publisher is None
        for id in GlobalId
    )


@reachable
def a_reexport_is_recreated_with_its_source(s: State) -> bool:
    """Both were published and dropped, and are published again, the one over the other (H8)."""
    return any(
        (create := s.bundles[id].create) is not None
        and (source := create.source) is not None
        and source == reexported(s, id)
        and (original := s.bundles[source].create) is not None
        and original.connection > Connection.first()
        and s.publisher is None
        for id in GlobalId
    )


# What the situations speak of


def as_of(s: State, connection: Connection, id: GlobalId) -> Time:
    """The as_of at which the connection has ``id``, if it has it."""
    create = s.commands[connection][id]
    return Time.first() if create is None else create.as_of


def reexported(s: State, id: GlobalId) -> GlobalId | None:
    """What the first connection re-exports as ``id``, if it does."""
    create = s.commands[Connection.first()][id]
    return None if create is None else create.source


def is_attached(s: State, slot: SlotRef | None, half: Half, trace: GlobalId) -> bool:
    """Whether the slot's half shows the live trace of ``trace``."""
    return slot is not None and s.slots[slot].points[half].trace == trace


def shows(s: State, slot: SlotRef | None, half: Half, create: Create) -> bool:
    """Whether the slot's half shows this incarnation."""
    return slot is not None and s.slots[slot].points[half].shows == create


def is_published_again(s: State, id: GlobalId, early: Connection, late: Connection) -> bool:
    """Whether ``id`` is published for a later connection's create, after an earlier one's."""
    create = s.bundles[id].create
    return (
        early < late
        and s.commands[early][id] is not None
        and create is not None
        and create.connection == late
        and s.publisher is None
    )
