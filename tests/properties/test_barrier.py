"""The reconcile barrier: every property has a design that breaks it, every switch changes something."""

from __future__ import annotations

import dataclasses
import functools

import pytest

import properties.barrier  # noqa: F401
from explorer.lang.properties import properties_for
from explorer.result import Result
from explorer.search.check import check
from model.design import BarrierDesign
from model.systems import Barrier

PAIR = (("Local", 1),)
"""One worker of each runtime."""
LATER = (("Local", 1), ("Connection", 3))
"""The same with three connections under way."""
TWO: tuple[tuple[str, int], ...] = ()
"""Two workers of each runtime."""
APART = (("Local", 1), ("Process", 2))
"""Two workers of each runtime, in two processes."""

# Property or failure: a scope, and the switches to change there.
BROKEN: dict[str, tuple[tuple[tuple[str, int], ...], tuple[str, ...]]] = {
    "no_create_before_the_drops_of_the_other_side": (PAIR, ("barrier",)),
    "a_pair_never_holds_two_incarnations": (PAIR, ("arrive_after_drops",)),
    "all_workers_execute_the_same": (TWO, ("waiting_reads_nothing",)),
    "all_workers_agree_on_positions": (APART, ("position_in_band",)),
    "panic:a_connection_without_a_position": (PAIR, ("record_before_forward",)),
    "a_waiting_worker_passes": (PAIR, ("last_comes_through",)),
    "an_arrival_lets_the_other_side_pass": (PAIR, ("wake_on_arrival",)),
}

STRANDED = {"a_waiting_worker_passes", "an_arrival_lets_the_other_side_pass", "deadlock"}
"""What is violated where the barrier itself loses a worker."""

# What a switch changes among the verdicts, and where.
STUCK: dict[str, tuple[tuple[tuple[str, int], ...], tuple[str, ...]]] = {
    "later_arrival_counts": (PAIR, ("sends_fail",)),
    "wake_on_arrival": (PAIR, ()),
    "sticky_token": (PAIR, ()),
    "solo_skips": (PAIR, ()),
    "drops_wait_for_nobody": (TWO, ()),
    "last_comes_through": (PAIR, ()),
    "one_hello_at_a_time": (LATER, ()),
}

# Nothing is violated without these, and the search is another one.
HARMLESS = {
    "only_latest_kept": (LATER, ()),
    "waiting_steps": (PAIR, ()),
    "sends_fail": (PAIR, ()),
    "keep_greatest_arrival": (LATER, ("one_hello_at_a_time",)),
}


@functools.cache
def explore(scope: tuple[tuple[str, int], ...], changed: tuple[str, ...]) -> Result:
    """Everything about the design with some switches changed."""
    default = BarrierDesign()
    result = check(Barrier(dict(scope), {name: not getattr(default, name) for name in changed}))
    assert result.complete
    return result


def violated(scope: tuple[tuple[str, int], ...], *changed: str) -> set[str]:
    return {p.name for p in explore(scope, changed).properties if p.verdict == "violated"}


@pytest.mark.parametrize("scope", [PAIR, LATER, APART])
def test_nothing_is_violated_and_everything_is_reached(scope: tuple[tuple[str, int], ...]) -> None:
    verdicts = {p.verdict for p in explore(scope, ()).properties}
    assert verdicts == {"holds", "reached"}


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] * (BROKEN[n][0] != PAIR)) for n in BROKEN]
)
def test_it_is_violated_in_a_broken_design(name: str) -> None:
    scope, changed = BROKEN[name]
    assert name in violated(scope, *changed)


def test_every_property_is_broken_by_something() -> None:
    declared = {p.name for p in properties_for(Barrier()) if p.kind != "reachable"}
    assert declared <= set(BROKEN)


@pytest.mark.parametrize("switch", STUCK)
def test_workers_are_stuck_at_the_barrier(switch: str) -> None:
    scope, others = STUCK[switch]
    assert "deadlock" in violated(scope, *others, switch)


@pytest.mark.parametrize("switch", HARMLESS)
def test_what_changes_no_verdict_changes_the_search(switch: str) -> None:
    scope, others = HARMLESS[switch]
    with_it, without = explore(scope, others), explore(scope, (*others, switch))
    assert with_it.states != without.states
    if not others:
        assert violated(scope, switch) == set()


def test_every_switch_is_looked_at() -> None:
    looked_at = {name for _, changed in BROKEN.values() for name in changed}
    assert {f.name for f in dataclasses.fields(BarrierDesign)} == looked_at | set(STUCK) | set(
        HARMLESS
    )


@pytest.mark.parametrize("changed", [("sends_fail",), ()])
def test_each_reason_for_later_arrivals_stands_alone(changed: tuple[str, ...]) -> None:
    """Overwritten arrivals where nothing is lost; lost commands where every arrival is remembered (A2.6)."""
    others = changed or ("only_latest_kept",)
    assert violated(LATER, *others) == set()
    assert violated(LATER, *others, "later_arrival_counts") == STRANDED


def test_without_the_assumption_a_worker_waits_for_ever_but_an_arrival_is_enough() -> None:
    """Passing rests on the other side's arrivals, and on nothing that comes after one (A2.6)."""
    assert violated(PAIR, "last_comes_through") == {"a_waiting_worker_passes", "deadlock"}


def test_an_exact_match_would_do_if_nothing_were_lost_or_overwritten() -> None:
    assert violated(LATER, "sends_fail", "later_arrival_counts", "only_latest_kept") == set()


def test_the_greatest_arrival_is_no_cure_for_overtaking() -> None:
    assert violated(LATER, "one_hello_at_a_time") == {
        "a_pair_never_holds_two_incarnations",
        *STRANDED,
    }
    assert violated(LATER, "one_hello_at_a_time", "keep_greatest_arrival") == {
        "a_pair_never_holds_two_incarnations",
        "no_create_before_the_drops_of_the_other_side",
    }


def test_the_state_space_does_not_shrink_unnoticed() -> None:
    counts = {scope: explore(scope, ()).states for scope in (PAIR, LATER, APART)}
    assert counts == {PAIR: 7_457, LATER: 102_610, APART: 462_761}
