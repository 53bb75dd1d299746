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


def broken(preset: str | None, **switches: bool) -> dict[str, int | None]:
    """The violated properties with the lengths of their counterexamples."""
    cls: type[Aliases] = Aliases
    fixed: dict[str, object] = {}
    if preset is not None:
        cls, fixed = with_preset(Aliases, preset)
    result = check(cls({}, fixed | switches))
    assert result.complete
    assert not [p.name for p in result.properties if p.verdict == "unreached"]
    return {p.name: p.length for p in result.violations}


def test_the_current_design_in_numbers() -> None:
    result = check(Aliases())
    assert (result.states, result.transitions, result.depth) == (13_423, 62_388, 19)
    assert result.complete and not result.violations and not result.warnings


@pytest.mark.parametrize("preset", [None, "reimports", "in_place_keyed"])
def test_no_reader_loses_anything(preset: str | None) -> None:
    assert broken(preset) == {}


def test_an_alias_of_a_source_that_follows_is_sound() -> None:
    assert broken("publish_alias", source_follows=True) == {}


@pytest.mark.parametrize(
    ("preset", "switches", "expected"),
    [
        (None, {"meets_all_points": False}, {PEER: 10, READER: 11}),
        (None, {"holds_bound_compaction": False}, {PEER: 8, READER: 9}),
        ("overwrites", {}, {STRANDED: 3, REFUSED: 8, PEER: 10, READER: 12, REGRESSES: 11}),
        ("publish_alias", {}, {REFUSED: 8, PEER: 10, READER: 12}),
        ("in_place", {}, {REFUSED: 8, PEER: 10, READER: 12, REGRESSES: 11}),
        ("refuses", {}, {REFUSED: 8, PEER: 10, READER: 12, REGRESSES: 11}),
        ("keyed", {}, {STRANDED: 3}),
        ("publishes_late", {}, {"a_shared_point_admits_no_more_than_its_trace": 11}),
    ],
)
def test_a_reader_loses_something(
    preset: str | None, switches: dict[str, bool], expected: dict[str, int]
) -> None:
    assert broken(preset, **switches) == expected
