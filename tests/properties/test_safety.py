"""Every property has a design that breaks it, and one that keeps it."""

from __future__ import annotations

import dataclasses

import pytest

from explorer.lang.properties import properties_for
from model.design import Design
from model.systems import Registry
from tests.properties.engine import HIGHER, ONE, TWO, TWO_ONCE, explore

ENVIRONMENT = ("inputs_end", "same_as_of")

# Property or failure: a scope, and the switches to turn off there, or a preset.
BROKEN: dict[str, tuple[tuple[tuple[str, int], ...], tuple[str, ...] | str]] = {
    "both_sides_hold_the_same_slot": (ONE, ("inputs_end", "barrier")),
    "no_current_slot_is_replaced": (ONE, ("inputs_end", "barrier", "same_as_of")),
    "no_import_is_left_where_no_publisher_can_back_it": (TWO_ONCE, "reexport_overwrites"),
    "no_reader_sees_an_earlier_incarnation": (ONE, ("inputs_end", "barrier")),
    "an_import_is_where_its_incarnation_is_published": (ONE, ("inputs_end", "barrier")),
    "every_id_has_points_of_its_own": (TWO_ONCE, "reexport_overwrites"),
    "no_dead_entry_is_returned": (ONE, ("inputs_end", "weak_map")),
    "a_point_never_takes_a_second_trace": (ONE, ("inputs_end", "weak_map", "replace_frozen")),
    "a_reader_of_a_frozen_point_keeps_its_view": (ONE, ("inputs_end", "drop_keeps_upper")),
    "a_point_without_a_trace_shows_nothing": (ONE, ("inputs_end", "unbacked_at_minimum")),
    "no_read_of_a_compacted_chain": (ONE, ("inputs_end", "reserve_peer_hold")),
    "a_since_never_passes_a_hold": (ONE, ("inputs_end", "holds_bound_compaction")),
    "a_hold_is_at_or_below_every_reader": (ONE, ("inputs_end", "import_holds")),
    "a_since_never_regresses": (
        HIGHER,
        ("inputs_end", "barrier", "key_on_as_of", "compaction_joins"),
    ),
    "a_point_admits_no_more_than_its_trace": (ONE, ("inputs_end", "attach_publishes_since")),
    "a_publication_and_its_peer_are_paired": (ONE, ("inputs_end", "count_early_peers")),
    "a_slot_lives_as_long_as_a_holder": (ONE, ("inputs_end", "import_keeps_slot")),
    "panic:import_below_the_hold_of_its_peer": (ONE, ("inputs_end", "reserve_peer_hold")),
    "panic:a_peer_below_the_since_of_its_point": (
        ONE,
        ("inputs_end", "reserve_peer_hold", "peer_never_refuses"),
    ),
    "panic:publish_into_a_slot_that_another_trace_backs": (TWO, ("inputs_end", "weak_map")),
    "soft_panic:publish_into_a_slot_that_the_same_trace_backs": (TWO, ("inputs_end", "weak_map")),
}

# Switched off, these show in a scope and together with others that are off as well.
SHOWN = {
    "key_on_as_of": (ONE, ("inputs_end", "barrier")),
    "publish_checks_slot": (TWO, ("inputs_end", "weak_map")),
    "import_checks_hold": (ONE, ("inputs_end", "reserve_peer_hold")),
    "close_freezes": (ONE, ()),
    "replace_frozen": (ONE, ()),
    "either_half_freezes": (ONE, ()),
    "compaction_joins": (HIGHER, ("inputs_end", "barrier", "key_on_as_of")),
    "peer_never_refuses": (ONE, ("inputs_end", "reserve_peer_hold")),
}


@pytest.mark.parametrize("name", BROKEN)
def test_it_is_violated_in_a_broken_design(name: str) -> None:
    scope, broken = BROKEN[name]
    if isinstance(broken, str):
        outcome = explore(scope, frozenset(["inputs_end"]), broken)
    else:
        outcome = explore(scope, frozenset(broken))
    assert name in outcome.violated


@pytest.mark.parametrize("scope", [ONE, TWO, TWO_ONCE])
def test_nothing_is_violated_while_no_input_ends(scope: tuple[tuple[str, int], ...]) -> None:
    assert explore(scope, frozenset(["inputs_end"])).violated == set()


def test_nothing_is_violated_when_only_drops_freeze() -> None:
    assert explore(ONE, frozenset(["close_freezes"])).violated == set()


def test_a_close_strands_late_readers() -> None:
    assert explore(ONE, frozenset()).violated == {
        "an_import_is_where_its_incarnation_is_published",
        "both_sides_hold_the_same_slot",
        "no_current_slot_is_replaced",
        "no_import_is_left_where_no_publisher_can_back_it",
    }


def test_every_property_is_broken_by_something() -> None:
    declared = {p.name for p in properties_for(Registry()) if p.kind != "reachable"}
    assert declared <= set(BROKEN)


@pytest.mark.parametrize("switch", [f.name for f in dataclasses.fields(Design)])
def test_every_switch_changes_something(switch: str) -> None:
    scope, others = SHOWN.get(switch, (ONE, () if switch in ENVIRONMENT else ("inputs_end",)))
    assert explore(scope, frozenset(others)) != explore(scope, frozenset((*others, switch)))


def test_the_state_space_does_not_shrink_unnoticed() -> None:
    counts = {
        (scope, off): explore(scope, frozenset(off)).states
        for scope, off in ((ONE, ()), (ONE, ("inputs_end",)), (TWO, ("inputs_end",)))
    }
    assert counts == {
        (ONE, ()): 57_306,
        (ONE, ("inputs_end",)): 17_672,
        (TWO, ("inputs_end",)): 159_502,
    }
