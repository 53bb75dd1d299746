"""Several workers: every property has a design that breaks it, every switch changes something."""

from __future__ import annotations

import dataclasses

import pytest

import properties.cluster  # noqa: F401
from explorer.lang.properties import properties_for
from explorer.result import Result
from explorer.search.check import check
from model.cluster import ClusterDesign
from model.systems import Cluster

BROKEN = {
    "a_key_is_read_where_it_is": "same_layout",
    "all_workers_build_in_one_order": "built_on_arrival",
    "all_workers_render_the_same": "points_of_its_own",
    "every_point_is_told_of_its_compaction": "points_of_its_own",
}


def explore(scope: dict[str, int], **design: bool) -> Result:
    result = check(Cluster(scope, design))
    assert result.complete
    return result


def violated(scope: dict[str, int], **design: bool) -> set[str]:
    return {p.name for p in explore(scope, **design).properties if p.verdict == "violated"}


@pytest.mark.parametrize("name", BROKEN)
def test_it_is_violated_in_a_broken_design(name: str) -> None:
    assert name in violated({}, **{BROKEN[name]: False})


def test_every_property_is_broken_by_something() -> None:
    declared = {p.name for p in properties_for(Cluster()) if p.kind != "reachable"}
    assert declared == set(BROKEN)


def test_every_switch_is_looked_at() -> None:
    repair = "table_of_each_worker"
    assert {f.name for f in dataclasses.fields(ClusterDesign)} == {*BROKEN.values(), repair}


def test_a_table_of_each_worker_repairs_half_of_it() -> None:
    repaired = violated({}, points_of_its_own=False, table_of_each_worker=True)
    assert repaired == {"all_workers_render_the_same"}


@pytest.mark.parametrize(
    ("scope", "states", "transitions", "depth"),
    [({}, 292, 839, 13), ({"Process": 2, "Local": 1}, 544, 1_616, 13)],
)
def test_nothing_is_violated_and_everything_is_reached(
    scope: dict[str, int], states: int, transitions: int, depth: int
) -> None:
    result = explore(scope)
    assert {p.verdict for p in result.properties} == {"holds", "reached"}
    assert (result.states, result.transitions, result.depth) == (states, transitions, depth)
