"""The switches: one per mechanism of the protocol, and what is assumed about its environment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from explorer.lang import Between


@dataclass(frozen=True)
class Design:
    """The protocol as its documents describe it; switching a mechanism off shows what hangs on it."""

    # Which slot an id leads to.
    key_on_as_of: bool = True
    """``get_or_create`` returns a slot only for the as_of it was created with (A1.2, C34)."""
    replace_frozen: bool = True
    """``get_or_create`` replaces a frozen slot (A1.5, C35)."""
    close_freezes: bool = True
    """A trace that closes freezes its points, as one that is dropped does (A1.5)."""
    either_half_freezes: bool = True
    """A slot is frozen as soon as one of its points is; off: when both are (H4)."""
    publish_checks_slot: bool = True
    """``publish`` panics on a live slot that a trace backs, unless it is frozen (A1.7, C38)."""

    # Who keeps a slot.
    weak_map: bool = True
    """The registry does not keep the slots it maps to (A1.6, C31)."""
    token_keeps_slot: bool = True
    """The publisher's ``PublishToken`` does."""
    peer_keeps_slot: bool = True
    """The reading runtime's peer bundle does."""
    import_keeps_slot: bool = True
    """A dataflow that imports through a peer bundle does, with the bundle's drop token."""

    # What a point shows and who holds it.
    unbacked_at_minimum: bool = True
    """A point without a trace has the minimum as its upper; off: the empty frontier (C30)."""
    drop_keeps_upper: bool = True
    """A dropped trace leaves its points at their last upper; off: at the empty frontier (C64, B37)."""
    attach_publishes_since: bool = True
    """A trace that is attached publishes its since on the point at once (C54)."""
    import_holds: bool = True
    """An import has readers of its own, apart from those of its peer bundle (C62, B35)."""
    holds_bound_compaction: bool = True
    """A trace compacts no further than the readers of its points allow (C6, C52)."""
    compaction_joins: bool = True
    """A hold that is below what a trace has compacted to does not rewind it (C57, B10)."""
    peer_never_refuses: bool = True
    """A peer's hold joins a since that is beyond its as_of; off: to record that peer panics (C15)."""
    reserve_peer_hold: bool = True
    """``publish`` registers the hold of a peer that is not recorded yet (C12, B8)."""
    count_early_peers: bool = True
    """``publish`` reserves nothing for a peer that was recorded before it (C13)."""
    import_checks_hold: bool = True
    """Building an import panics when its peer's hold is beyond the dataflow's as_of (C16)."""

    # Reconciliation.
    barrier: bool = True
    """For each connection both runtimes finish their drops before either creates (A1.3, A2.1, C36)."""
    drops_end_imports: bool = True
    """The drops of a runtime include its dataflows that read an index (A1.7, C37)."""

    # What the controller and the inputs do. These are no mechanisms; off, they narrow the environment.
    inputs_end: bool = True
    """A trace may close: its input ended, or its dataflow was dropped before its last agent."""
    same_as_of: bool = True
    """An id may be recreated at the as_of it had before."""


@dataclass(frozen=True)
class BarrierDesign:
    """The reconcile barrier and what brings connections to it, as the documents describe them."""

    # The barrier.
    barrier: bool = True
    """A worker waits for the other side between its drops and its creates (A2.1, C76)."""
    arrive_after_drops: bool = True
    """It arrives when its drops are done; off: before it begins them (A2.1)."""
    later_arrival_counts: bool = True
    """It passes as well when the other side arrived at a later connection (A2.6, C79)."""
    only_latest_kept: bool = True
    """An arrival overwrites the one before; off: the barrier remembers every arrival (A2.6)."""
    keep_greatest_arrival: bool = False
    """An arrival at an earlier connection overwrites nothing. The documents do not say so (H6)."""
    wake_on_arrival: bool = True
    """An arrival unparks the other side (B56)."""
    sticky_token: bool = True
    """To unpark a thread that is not parked yet makes its next park return at once (C72)."""
    solo_skips: bool = True
    """A replica with one runtime does not wait (A2.3, C81)."""

    # Waiting and dropping.
    waiting_reads_nothing: bool = True
    """A waiting worker reads no command (A2.2, C77)."""
    waiting_steps: bool = True
    """A waiting worker steps its timely worker, and so the command channel, if it is global worker 0 (A2.2)."""
    drops_wait_for_nobody: bool = True
    """Drops are done without the other workers; off: they need those outside of the barrier (A2.9, C78)."""

    # The order of connections.
    record_before_forward: bool = True
    """The position of a connection is recorded before its Hello is forwarded (A2.4)."""
    position_in_band: bool = True
    """It comes with the commands; off: a worker looks it up in its own process (A2.5, C80, B54)."""

    # What the environment does. These are no mechanisms; off, they change it.
    sends_fail: bool = True
    """A response send may fail, and the adapter drops the rest of that connection's commands (A2.6)."""
    last_comes_through: bool = True
    """Of the connections that may be under way at once, the last one is not lost."""
    one_hello_at_a_time: bool = True
    """A Hello has reached both runtimes before the next one is recorded (H6)."""


@dataclass(frozen=True)
class PairDesign:
    """The whole protocol between one worker of each runtime; what is not here is looked into in the other systems."""

    key_on_as_of: bool = True
    """``get_or_create`` returns a slot only for the as_of it was created with (A1.2, C34)."""
    replace_frozen: bool = True
    """``get_or_create`` replaces a frozen slot (A1.5, C35)."""
    publish_checks_slot: bool = True
    """``publish`` panics on a slot that a trace backs or has backed (A1.7, C38)."""
    barrier: bool = True
    """A worker waits for the other side between its drops and its creates (A2.1, C76)."""
    holds_bound_compaction: bool = True
    """A trace compacts no further than the readers of its point allow (C6)."""
    compaction_joins: bool = True
    """A hold that is below what a trace has compacted to does not rewind it (C57, B10)."""
    reserve_peer_hold: bool = True
    """``publish`` registers the hold of a peer that is not recorded yet (C12)."""
    count_early_peers: bool = True
    """``publish`` reserves nothing for a peer that was recorded before it (C13)."""

    retains: bool = True
    """A reconnect keeps what a runtime's own history allows; off: it drops everything and creates it again (2.17, H1)."""
    peers_are_kept: bool = True
    """The interactive runtime keeps its peers over a reconnect, by its own history (2.17, H1)."""

    # Repairs that the documents do not have.
    retention_rekeys: bool = False
    """A kept index or peer moves its slot to the as_of it is kept at."""
    retention_reserves: bool = False
    """A kept index reserves a hold for a peer, as a publication does, if none waits to be taken."""

    # What the environment does. These are no mechanisms; off, they narrow it.
    sends_fail: bool = True
    """A response send may fail, and the adapter drops the rest of that connection's commands (A2.6)."""
    loses_connections: bool = True
    """A runtime may lose a connection altogether (A2.6, H1)."""
    loses_the_rest: bool = True
    """A runtime may lose the live commands of a connection from one on (A2.6, H1)."""
    controller_restarts: bool = True
    """A controller may start anew and name any as_of; off: the first one replays its history."""
    backlog: Annotated[int, Between(1, 7)] = 3
    """How many commands the controller may be ahead of a runtime."""
