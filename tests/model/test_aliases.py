"""Two ids over one trace: what each design of a re-export does to the readers of either."""

from __future__ import annotations

import pytest

import properties.aliases  # noqa: F401
from explorer.lang.system import with_preset
from explorer.search.check import check
from model.systems import Aliases

STRANDED = "no_reader_is_stranded_by_a_reexport"
REFUSED = "no_legal_read_is_refused"
PEER = "the_trace_serves_what_a_peer_may_ask_for"
READER = "a_shared_trace_serves_its_readers"
REGRESSES = "a_published_since_never_regresses"
BEHIND = "a_shared_point_admits_no_more_than_its_trace"
SHARED = "every_id_has_a_point_of_its_own"

# What is wrong where the frontiers of two ids are mixed.
MIXED = {SHARED: 2, REFUSED: 8, PEER: 10, READER: 12}

# Designs without a point that the reader made, backed.
ALIASES = ("overwrites", "keyed", "refuses")


def broken(preset: str | None, **switches: bool) -> dict[str, int | None]:
    """The violated properties with the lengths of their counterexamples."""
    cls: type[Aliases] = Aliases
    fixed: dict[str, object] = {}
    if preset is not None:
        cls, fixed = with_preset(Aliases, preset)
    result = check(cls({}, fixed | switches))
    assert result.complete
    unreached = [p.name for p in result.properties if p.verdict == "unreached"]
    assert unreached == (["the_readers_own_point_is_backed"] if preset in ALIASES else [])
    return {p.name: p.length for p in result.violations if p.verdict == "violated"}


def test_the_current_design_in_numbers() -> None:
    result = check(Aliases())
    assert (result.states, result.transitions, result.depth) == (47_559, 281_063, 22)
    assert result.complete and not result.violations and not result.warnings


@pytest.mark.parametrize("preset", [None, "reimports", "looks_first"])
def test_no_reader_loses_anything(preset: str | None) -> None:
    assert broken(preset) == {}


def test_two_ids_at_one_point_are_sound_if_kept_apart() -> None:
    assert set(broken("in_place_keyed")) == {SHARED}


def test_an_alias_of_a_source_that_follows_is_sound() -> None:
    assert set(broken("publish_alias", source_follows=True)) == {SHARED}


def test_without_its_source_an_alias_governs_the_point() -> None:
    """R3: the trace is compacted with the re-export when the source is gone."""
    cls, switches = with_preset(Aliases, "publish_alias")
    found = check(cls({}, switches | {"source_follows": True})).find(
        "the_reexport_outlives_its_source"
    )
    assert found is not None and found.verdict == "reached"


@pytest.mark.parametrize(
    ("preset", "switches", "expected"),
    [
        (None, {"peers_hold": False}, {PEER: 8}),
        ("looks_first", {"peers_hold": False}, {PEER: 8, READER: 10}),
        ("reimports", {"floor_is_captured": False}, {REGRESSES: 13}),
        (None, {"meets_all_points": False}, {PEER: 8, READER: 9}),
        (None, {"holds_bound_compaction": False}, {PEER: 8, READER: 9}),
        ("overwrites", {}, MIXED | {STRANDED: 3, REGRESSES: 11, BEHIND: 12}),
        ("publish_alias", {}, MIXED | {REGRESSES: 13}),
        ("in_place", {}, MIXED | {REGRESSES: 11, BEHIND: 12}),
        ("refuses", {}, MIXED | {REGRESSES: 11, BEHIND: 12}),
        ("keyed", {}, {SHARED: 2, STRANDED: 3}),
        ("in_place_keyed", {"keyed_holds": False}, {SHARED: 2, PEER: 10, READER: 12}),
        ("in_place_keyed", {"keyed_frontiers": False}, {SHARED: 2, REGRESSES: 14, BEHIND: 14}),
        ("publishes_late", {}, {BEHIND: 10}),
        (None, {"drop_releases": False}, {"no_hold_is_left_for_an_id_that_is_gone": 7}),
    ],
)
def test_a_reader_loses_something(
    preset: str | None, switches: dict[str, bool], expected: dict[str, int]
) -> None:
    assert broken(preset, **switches) == expected
