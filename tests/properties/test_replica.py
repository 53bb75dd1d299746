"""Two runtimes over one registry: what holds, what breaks it, and where the two decide differently."""

from __future__ import annotations

import dataclasses
import functools

import pytest

import properties.replica  # noqa: F401
from explorer.lang.properties import properties_for
from explorer.lang.system import with_preset
from explorer.result import Result
from explorer.search.check import check
from model.design import PairDesign
from model.systems import Replica

TWO: tuple[tuple[str, int], ...] = ()
"""Two connections."""
THREE = (("Connection", 3),)
"""Three, so that a runtime may skip one and go on."""

RELIABLE = ("sends_fail",)
"""No command is lost."""
REPAIRED = ("key_on_as_of", "peers_are_kept", "retention_reserves")
"""Changed together, they make the two decisions harmless for two connections."""

ASIDE = "a_peer_is_where_its_index_is_published"
FROZEN = "nothing_reads_a_slot_that_was_replaced"
EVICTED = "an_id_leads_to_where_it_is_published"
QUEUED = "what_is_queued_can_be_read"
PASSED_BY = "no_peer_stays_in_a_frozen_slot"
EMPTY = "no_peer_waits_where_nobody_publishes"
ABORT = "panic:import_below_the_hold_of_its_peer"

# Property or failure: a scope, and the switches to change there.
BROKEN: dict[str, tuple[tuple[tuple[str, int], ...], tuple[str, ...]]] = {
    ASIDE: (TWO, (*RELIABLE, "barrier")),
    FROZEN: (TWO, (*RELIABLE, "barrier")),
    EVICTED: (TWO, (*RELIABLE, "barrier")),
    PASSED_BY: (TWO, (*RELIABLE, "barrier")),
    EMPTY: (TWO, (*RELIABLE, "barrier")),
    QUEUED: (TWO, (*RELIABLE, "reserve_peer_hold")),
    "what_is_built_can_be_read": (TWO, (*RELIABLE, "holds_bound_compaction")),
    "no_hold_is_passed": (TWO, (*RELIABLE, "holds_bound_compaction")),
    ABORT: (TWO, (*RELIABLE, "reserve_peer_hold")),
    "panic:publish_into_a_slot_that_another_trace_backed": (
        THREE,
        (*RELIABLE, "barrier", "replace_frozen"),
    ),
    "a_point_never_takes_a_second_trace": (
        THREE,
        (*RELIABLE, "barrier", "replace_frozen", "publish_checks_slot"),
    ),
    "no_hold_is_left_for_a_peer_that_has_one": (TWO, (*RELIABLE, "count_early_peers")),
    "what_nobody_needs_is_compacted": (TWO, (*RELIABLE, "count_early_peers")),
    "a_since_never_regresses": (
        THREE,
        (*RELIABLE, "barrier", "key_on_as_of", "compaction_joins"),
    ),
}

# Changed alone where no command is lost, these break nothing.
SECOND_LINES = (
    "key_on_as_of",
    "replace_frozen",
    "publish_checks_slot",
    "compaction_joins",
)


@functools.cache
def explore(scope: tuple[tuple[str, int], ...], changed: tuple[str, ...]) -> Result:
    """Everything about the design with some switches changed."""
    default = PairDesign()
    result = check(Replica(dict(scope), {name: not getattr(default, name) for name in changed}))
    assert result.complete
    return result


def verdicts(scope: tuple[tuple[str, int], ...], verdict: str, *changed: str) -> set[str]:
    return {p.name for p in explore(scope, changed).properties if p.verdict == verdict}


def violated(scope: tuple[tuple[str, int], ...], *changed: str) -> set[str]:
    return verdicts(scope, "violated", *changed)


@pytest.mark.parametrize("scope", [TWO, THREE])
def test_nothing_is_violated_while_no_command_is_lost(scope: tuple[tuple[str, int], ...]) -> None:
    assert violated(scope, *RELIABLE) == set()


def test_every_situation_is_reached() -> None:
    assert verdicts(TWO, "unreached") == set()


@pytest.mark.parametrize("name", BROKEN)
def test_it_is_violated_in_a_broken_design(name: str) -> None:
    scope, changed = BROKEN[name]
    assert name in violated(scope, *changed)


@pytest.mark.parametrize("switch", SECOND_LINES)
def test_a_second_line_changes_nothing_alone(switch: str) -> None:
    assert violated(THREE, *RELIABLE, switch) == set()


def test_every_property_is_broken_by_something() -> None:
    kinds = ("invariant", "step_invariant", "temporal")
    assert {p.name for p in properties_for(Replica()) if p.kind in kinds} <= set(BROKEN)


def test_every_switch_is_looked_at() -> None:
    looked_at = {name for _, changed in BROKEN.values() for name in changed}
    others = {
        "retains",
        "retention_rekeys",
        "loses_connections",
        "loses_the_rest",
        "controller_restarts",
        "backlog",
    }
    assert {f.name for f in dataclasses.fields(PairDesign)} == (
        looked_at | set(SECOND_LINES) | set(REPAIRED) | others
    )


def test_a_lost_connection_and_a_reconnect_part_the_two_sides() -> None:
    """H2, and that it is the key that does it."""
    assert violated(TWO, "controller_restarts") == {ASIDE, EVICTED, EMPTY}
    assert violated(TWO, "controller_restarts", "retention_rekeys") >= {ASIDE, EVICTED}
    assert violated(THREE, "controller_restarts", "key_on_as_of") == set()


def test_two_histories_part_the_two_sides() -> None:
    """H1."""
    assert violated(TWO) == {ASIDE, FROZEN, EVICTED, QUEUED, PASSED_BY, EMPTY, ABORT}
    assert violated(TWO, "key_on_as_of") == {ASIDE, FROZEN, QUEUED, PASSED_BY, ABORT}


def test_what_the_two_histories_take() -> None:
    """H1: a controller that restarts, and commands that one side loses. Of the latter either kind will do."""
    assert violated(THREE, "controller_restarts", "loses_connections") == set()
    assert violated(THREE, *RELIABLE) == set()
    assert PASSED_BY in violated(TWO, "loses_connections")
    assert PASSED_BY in violated(THREE, "loses_the_rest")


def test_two_repairs_hold_for_three_connections() -> None:
    """H1: to keep nothing, or to agree on what is kept."""
    assert violated(THREE, "retains") == set()
    cls, switches = with_preset(Replica, "agrees")
    result = check(cls(dict(THREE), switches))
    assert result.complete and not result.violations


def test_the_repair_has_three_parts() -> None:
    assert violated(TWO, *REPAIRED) == set()
    for part in REPAIRED:
        assert violated(TWO, *(other for other in REPAIRED if other != part)) != set()


def test_a_standing_hold_serves_reads_as_well() -> None:
    """C9: as long as no command is lost. Its hold waits in the slot, for no peer in particular."""
    cls, switches = with_preset(Replica, "standing_hold")
    result = check(cls({}, switches | {"sends_fail": False}))
    assert result.complete
    assert {p.name for p in result.violations} == {"no_hold_is_left_for_a_peer_that_has_one"}


@pytest.mark.slow
def test_the_repair_leaves_one_failure_with_three_connections() -> None:
    assert violated(THREE, *REPAIRED) == {ABORT}


def test_the_state_space_does_not_shrink_unnoticed() -> None:
    counts = {
        (scope, changed): explore(scope, changed).states
        for scope, changed in ((TWO, ()), (TWO, RELIABLE), (THREE, RELIABLE))
    }
    assert counts == {(TWO, ()): 34_194, (TWO, RELIABLE): 12_533, (THREE, RELIABLE): 64_497}
