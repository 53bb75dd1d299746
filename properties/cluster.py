"""What must hold between the pairs of workers of a replica."""

from __future__ import annotations

from explorer.lang import invariant, reachable
from model.cluster import (
    ClusterState,
    Index,
    Key,
    PairOfWorkers,
    Reexported,
    has_point_of_its_own,
    is_published,
    owns,
)
from model.state import Runtime


@invariant
def a_key_is_read_where_it_is(s: ClusterState) -> bool:
    """The worker of interactive that a key belongs to shares a registry with the worker of maintenance that has it (A1.1)."""
    return all(
        len(s.pairs[pair].built) == 0
        or not owns(s, Runtime.INTERACTIVE, pair, key)
        or owns(s, Runtime.MAINTENANCE, pair, key)
        for pair in s.pairs
        for key in Key
    )


@invariant
def all_workers_build_in_one_order(s: ClusterState) -> bool:
    """Channels get the same numbers on all workers of interactive, as they build the same in the same order (C29, B40)."""
    return all(begin_alike(s.pairs[p], s.pairs[q]) for p in s.pairs for q in s.pairs)


@invariant
def all_workers_render_the_same(s: ClusterState) -> bool:
    """The dataflow of a re-export has operators on all workers of maintenance or on none (B5)."""
    return all(
        s.pairs[p].published < 3
        or s.pairs[q].published < 3
        or is_imported(s.pairs[p]) == is_imported(s.pairs[q])
        for p in s.pairs
        for q in s.pairs
    )


@invariant
def every_point_is_told_of_its_compaction(s: ClusterState) -> bool:
    """A re-export that has a point of its own hears what is allowed for its id (B4)."""
    return not s.allowed or all(
        not has_point_of_its_own(here) or here.compacted for here in s.pairs.values()
    )


# Situations


@reachable
def a_dataflow_is_built_over_an_index_that_is_not_published(s: ClusterState) -> bool:
    """Its import reads an empty point (A1.4, C29)."""
    return any(
        index in here.built and not is_published(here, index)
        for here in s.pairs.values()
        for index in Index
    )


@reachable
def a_reader_is_first_on_one_worker_only(s: ClusterState) -> bool:
    """Of two workers that have re-exported, on one the reader was there before (B4, B5)."""
    return any(
        p != q
        and s.pairs[p].executed == 3
        and s.pairs[q].executed < 3
        and s.pairs[p].published == 2
        and s.pairs[q].published == 3
        for p in s.pairs
        for q in s.pairs
    )


@reachable
def all_is_read_everywhere(s: ClusterState) -> bool:
    """Every worker of interactive has built all dataflows, and all that they read is published."""
    return all(len(here.built) == 3 and here.published == 3 for here in s.pairs.values())


# What the properties speak of


def begin_alike(one: PairOfWorkers, two: PairOfWorkers) -> bool:
    """Whether what was built on one worker begins like what was built on the other, or the other way round."""
    return all(i >= len(two.built) or one.built[i] == two.built[i] for i in range(len(one.built)))


def is_imported(pair: PairOfWorkers) -> bool:
    """Whether operators were built for the re-export."""
    return pair.reexported == Reexported.IMPORTED
