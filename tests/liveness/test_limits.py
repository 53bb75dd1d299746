"""Whatever ends the work on temporal properties early leaves what was found, and ``unknown`` for the rest."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import explorer.liveness.check
from explorer import interrupts
from explorer.engines import Limits, run
from explorer.lang import System
from explorer.lang.properties import properties_for
from explorer.liveness.graph import graph_of
from explorer.logic.automaton import translate
from explorer.result import Result
from explorer.search.check import _Pause
from tests.liveness.cases import random_case, random_formula, search
from tests.liveness.systems import Counts, Serving, Shared
from tests.liveness.test_random import ATOMS, ours


def checked(system: System[Any], **limits: Any) -> Result:
    return run("exhaustive", system, properties_for(system), Limits(**limits))


def temporal(result: Result) -> dict[str, str]:
    """Verdicts on temporal properties."""
    return {p.name: p.verdict for p in result.properties if p.kind == "temporal"}


@pytest.fixture
def after_the_search(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Lets something happen between the search and the work on temporal properties."""

    def let(happen: Callable[[], None]) -> None:
        def happening(*arguments: Any) -> Any:
            happen()
            return graph_of(*arguments)

        monkeypatch.setattr(explorer.liveness.check, "graph_of", happening)

    yield let
    interrupts._state.reason = None


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled code returns after each state and each step."""
    for place in (
        "graph._BUDGET",
        "labels._BUDGET",
        "lasso._BUDGET",
        "product._STATES",
        "product._STEPS",
    ):
        monkeypatch.setattr(f"explorer.liveness.{place}", 1)


@pytest.mark.parametrize("system", [Counts(), Serving(), Shared()])
def test_to_stop_anywhere_contradicts_nothing(
    system: System[Any], monkeypatch: pytest.MonkeyPatch, small_chunks: None
) -> None:
    expected = temporal(checked(system))
    calls = allowed = 0

    def pause(self: _Pause, done: int, of: int) -> None:
        nonlocal calls
        calls += 1
        if calls > allowed:
            raise explorer.liveness.check.Stopped("enough")

    monkeypatch.setattr(_Pause, "__call__", pause)
    result = checked(system)
    while "enough" in result.incomplete:
        assert not result.complete
        assert result.exit_code() in (1, 3)
        for name, verdict in temporal(result).items():
            assert verdict in (expected[name], "unknown")
        calls, allowed = 0, allowed + 1
        result = checked(system)
    assert allowed > 10
    assert temporal(result) == expected


@pytest.mark.parametrize("seed", range(60))
def test_work_in_small_chunks_finds_the_same(seed: int, request: pytest.FixtureRequest) -> None:
    source = random.Random(60_000 + seed)
    case, f = random_case(source), ours(random_formula(source, 3))
    expected = search(case, translate(f, ATOMS))
    request.getfixturevalue("small_chunks")
    assert search(case, translate(f, ATOMS)) == expected


def test_a_violation_that_was_found_stays_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second property of this system is decided after the first."""
    decide = explorer.liveness.check._Work.decide

    def first_only(self: Any, prop: Any, stated: Any) -> Any:
        if prop.name != "reaches_two":
            raise explorer.liveness.check.Stopped("enough")
        return decide(self, prop, stated)

    monkeypatch.setattr(explorer.liveness.check._Work, "decide", first_only)
    result = checked(Counts())
    assert temporal(result) == {"reaches_two": "violated", "reaches_two_by_itself": "unknown"}
    assert (result.exit_code(), result.incomplete) == (1, ("enough",))


def test_time_that_is_up_after_the_search(
    after_the_search: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def late() -> None:
        monkeypatch.setattr("explorer.search.check.time.monotonic", lambda: 1e18)

    after_the_search(late)
    result = checked(Serving(), seconds=1000)
    assert result.incomplete == ("time limit",)
    assert (set(temporal(result).values()), result.exit_code()) == ({"unknown"}, 3)


def test_an_interrupt_after_the_search(after_the_search: Callable[..., None]) -> None:
    after_the_search(lambda: interrupts._end(interrupts.INTERRUPTED))
    result = checked(Serving())
    assert result.incomplete == ("interrupted",)
    assert set(temporal(result).values()) == {"unknown"}


def test_memory_that_is_used_up_after_the_search(
    after_the_search: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    after_the_search(
        lambda: monkeypatch.setattr("explorer.search.explore.memory.resident", lambda: 1 << 50)
    )
    result = checked(Serving(), memory=1 << 40)
    assert result.incomplete == ("memory limit",)
    assert set(temporal(result).values()) == {"unknown"}


def test_no_memory_for_the_graph(after_the_search: Callable[..., None]) -> None:
    def fail() -> None:
        raise MemoryError

    after_the_search(fail)
    result = checked(Serving())
    assert result.incomplete == ("out of memory",)
    assert (set(temporal(result).values()), result.exit_code()) == ({"unknown"}, 3)
    # The rest of the report is there.
    assert result.states and result.find("deadlock") is not None


def test_what_ended_the_search_ends_this_too() -> None:
    result = checked(Serving({"Worker": 8}), seconds=1e-6)
    assert result.incomplete == ("time limit",)
    assert set(temporal(result).values()) == {"unknown"}
