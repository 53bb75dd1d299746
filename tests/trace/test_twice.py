"""A model that does not do the same twice is told so, not that the checker is wrong."""

from __future__ import annotations

import itertools

import pytest

from explorer.lang import ModelError, System, action, panic, record
from explorer.lang.run import instances
from explorer.trace.replay import ReplayMismatch, build_trace

FLIPS = itertools.count()


@record
class State:
    """One coin."""

    heads: bool = False


class Coin(System[State]):
    """It changes its mind."""

    default_scope = {}

    @action
    def flip(self, s: State) -> None:
        s.heads = next(FLIPS) % 2 == 0
        if next(FLIPS) % 3 == 0:
            panic("an edge")


class Stone(System[State]):
    """It does not."""

    default_scope = {}

    @action
    def lie(self, s: State) -> None:
        s.heads = True


def test_different_results_are_the_models_mistake() -> None:
    system = Coin()
    with pytest.raises(ModelError, match="different results when run twice: action flip"):
        build_trace(system, (), instances(system) * 2, "panic:a_wall")


def test_equal_results_are_the_checkers_mistake() -> None:
    system = Stone()
    with pytest.raises(ReplayMismatch):
        build_trace(system, (), instances(system), "panic:a_wall")
