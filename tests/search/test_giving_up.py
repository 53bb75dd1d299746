"""A reduction by symmetry that is given up in the middle of a search: nothing that it found is lost, nothing is wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import explorer.search.check
from explorer.lang import Map, Sort, System, action, invariant, reachable, record, require
from explorer.result import Result
from explorer.search.check import check
from explorer.search.probe import Probe, probe


class Node(Sort):
    """A node."""


@record
class Chain:
    """Who comes next."""

    after: Map[Node, Node | None]


class Linking(System[Chain]):
    """Chains and rings are made, one link at a time; the nodes of a ring look the same."""

    default_scope = {"Node": 6}

    def is_final(self, s: Chain) -> bool:
        """It may end anywhere."""
        return True

    @action
    def link(self, s: Chain, a: Node, b: Node) -> None:
        """A link."""
        require(a != b and s.after[a] is None)
        require(all(s.after[c] != b for c in Node))
        s.after[a] = b


@invariant
def no_ring_of_two(s: Chain) -> bool:
    """Broken after two steps."""
    return not any(s.after[a] == b and s.after[b] == a for a in Node for b in Node)


@invariant
def an_end_is_left(s: Chain) -> bool:
    """Broken after six steps."""
    return any(s.after[a] is None for a in Node)


@reachable
def rings_of_two_only(s: Chain) -> bool:
    """After six steps."""
    return all(any(s.after[a] == b and s.after[b] == a for b in Node) for a in Node)


def lengths(result: Result) -> dict[str, tuple[str, int | None]]:
    return {p.name: (p.verdict, p.length) for p in result.properties}


@pytest.fixture
def giving_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has the sample say that hardly any order of names may be tried."""

    def sampled(*arguments: Any, **options: Any) -> Probe:
        found = probe(*arguments, **options)
        assert found.merges
        return replace(found, orders=0.0, allowed=1.0, gave_up=False)

    monkeypatch.setattr(explorer.search.check, "probe", sampled)


def given_up_after(result: Result) -> int:
    (note,) = (note for note in result.notes if "given up after" in note)
    return int(note.partition("given up after ")[2].partition(" ")[0])


def test_all_is_explored_again_and_right(giving_up: None) -> None:
    plain, result = check(Linking()), check(Linking(), reductions=True)
    assert 1 < given_up_after(result) < 100
    assert result.reductions == ()
    assert (result.states, result.transitions, result.depth, result.complete) == (
        plain.states,
        plain.transitions,
        plain.depth,
        True,
    )
    assert lengths(result) == lengths(plain)
    assert lengths(result)["no_ring_of_two"] == ("violated", 2)
    assert lengths(result)["rings_of_two_only"] == ("reached", 6)
    for found in result.properties:
        assert found.trace is None or found.trace.length == found.length


def test_what_was_found_before_stays_found(giving_up: None) -> None:
    """The second search may not get as far as the first: here it is stopped before two links are made."""
    result = check(Linking(), reductions=True, max_states=20)
    assert given_up_after(result) <= 20 and not result.complete
    assert lengths(result)["no_ring_of_two"] == ("violated", 2)
    assert lengths(result)["an_end_is_left"] == ("unknown", None)
