"""A map that keeps its slots, and readers that evict what nobody adopted (C33)."""

from __future__ import annotations

from explorer.lang.system import with_preset
from model.systems import Registry
from tests.properties.engine import ONE, explore

LOST = {
    "both_sides_hold_the_same_slot",
    "no_current_slot_is_replaced",
    "no_import_is_left_where_no_publisher_can_back_it",
    "an_import_is_where_its_incarnation_is_published",
}


def evicting(preset: str) -> frozenset[str]:
    off = [name for name, value in with_preset(Registry, preset)[1].items() if value is False]
    return explore(ONE, frozenset([*off, "inputs_end"]), preset).violated


def test_what_was_adopted_is_never_evicted() -> None:
    assert not LOST & evicting("evicts")


def test_under_two_locks_it_may_be() -> None:
    assert evicting("evicts_late") >= LOST
