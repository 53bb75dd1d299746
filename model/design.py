"""The switches: one per mechanism of the protocol, and what is assumed about its environment."""

from __future__ import annotations

from dataclasses import dataclass


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
