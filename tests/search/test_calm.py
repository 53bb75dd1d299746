"""Of the shortest runs the one with the fewest switches is shown, whatever the search was like."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest

from explorer.compiler.lower import lower
from explorer.compiler.native import compile_program
from explorer.lang.run import instances
from explorer.lang.system import System
from explorer.reference.search import explore
from explorer.result import NOT_CALM, Result
from explorer.search import calm
from explorer.search.check import _Pause, _Stopped, check
from explorer.search.explore import search
from explorer.search.probe import Probe
from explorer.search.symmetry import symmetry_of
from explorer.search.threads import threads_of
from explorer.trace.trace import Trace
from tests.search.relay import Relay
from tests.systems.increment import Increment
from tests.systems.two_phase_commit import TwoPhaseCommit

SYSTEMS = [Relay(), Increment({"Thread": 3}), TwoPhaseCommit({"Manager": 2})]


def traces(result: Result) -> dict[str, Any]:
    return {p.name: p.trace.to_json() for p in result.properties if p.trace is not None}


def shown(result: Result, name: str) -> list[str]:
    return [step.label() for step in trace(result, name).steps]


def trace(result: Result, name: str) -> Trace:
    found = result.find(name)
    assert found is not None and found.trace is not None
    return found.trace


def switches(found: Trace) -> int:
    return sum(a.thread != b.thread for a, b in itertools.pairwise(found.steps))


def always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("explorer.search.check.probe", lambda *_: Probe(99.0, 0.0))


def test_a_thread_goes_on_while_it_can() -> None:
    result = check(Relay())
    # In declaration order the clerk would come between begin and finish.
    assert shown(result, "not_all_done_and_signed") == [
        "Worker0: begin(worker=Worker0)",
        "Worker0: finish(worker=Worker0)",
        "Worker1: begin(worker=Worker1)",
        "Worker1: finish(worker=Worker1)",
        "CLERK: sign()",
        "CLERK: sign()",
    ]
    assert trace(result, "not_all_done_and_signed").init == {"rains": "False"}


def test_steps_without_a_thread_are_steps_of_one_thread() -> None:
    result = check(Relay())
    assert shown(result, "no_storm") == ["change()", "blow()"]
    assert trace(result, "no_storm").init == {"rains": "True"}
    # The soft panic is in the last step, which counts like the others.
    assert shown(result, "soft_panic:paper_flies") == [
        "Worker0: begin(worker=Worker0)",
        "CLERK: sign()",
        "change()",
        "blow()",
    ]


def test_the_thread_of_a_step_that_fails_counts() -> None:
    found = trace(check(Relay()), "panic:blown_away")
    assert (switches(found), found.steps[-1].state) == (3, None)
    assert [s.thread for s in found.steps] == ["Worker0", "CLERK", None, None, *["Worker0"] * 2]


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_all_engines_show_the_same(system: System[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    expected = traces(explore(system).result)
    assert expected
    assert traces(check(system)) == expected
    always(monkeypatch)
    assert traces(check(system, reductions=True)) == expected


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_limits_do_not_change_what_is_shown(system: System[Any]) -> None:
    expected = traces(check(system))
    stopped = check(system, first=True)
    assert stopped.violations or stopped.complete
    assert traces(stopped).items() <= expected.items()
    for states in range(1, check(system).states, 10):
        for result in (check(system, max_states=states), explore(system, max_states=states).result):
            assert traces(result).items() <= expected.items()


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
@pytest.mark.parametrize("reductions", [False, True])
def test_work_in_small_pieces_finds_the_same(
    system: System[Any], reductions: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    always(monkeypatch)
    expected = traces(check(system, reductions=reductions))
    for place in ("_BUDGET", "_LEVELS", "_FIRST_ROOM", "_AT_ONCE"):
        monkeypatch.setattr(calm, place, 1)
    assert traces(check(system, reductions=reductions)) == expected
    for place in ("_LEAST_BITS", "_QUICK_BITS"):
        monkeypatch.setattr(calm, place, 1)
    assert traces(check(system, reductions=reductions)) == expected


def test_time_that_is_up_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = check(Relay())
    calls = allowed = 0

    def pause(self: _Pause, done: int, of: int) -> None:
        nonlocal calls
        calls += 1
        if calls > allowed:
            raise _Stopped("time limit")

    monkeypatch.setattr(_Pause, "calm", pause)
    monkeypatch.setattr(calm, "_BUDGET", 20)
    monkeypatch.setattr(calm, "_LEVELS", 1)
    result = check(Relay())
    while result.notes:
        # The runs are other ones; nothing else is.
        assert result.notes == (f"{NOT_CALM}: time limit",)
        assert (result.complete, result.exit_code()) == (True, 1)
        for one, other in zip(result.properties, expected.properties, strict=True):
            assert (one.name, one.verdict, one.length) == (other.name, other.verdict, other.length)
        assert shown(result, "not_all_done_and_signed")[1] == "Worker1: begin(worker=Worker1)"
        calls, allowed = 0, allowed + 1
        result = check(Relay())
    assert allowed > 10
    assert traces(result) == traces(expected)


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (MemoryError(), "out of memory"),
        (KeyboardInterrupt(), "interrupted"),
        (calm.GaveUp(), "too many orders of names"),
    ],
)
def test_what_else_can_happen_meanwhile(
    error: BaseException, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: Any, **named: Any) -> None:
        raise error

    monkeypatch.setattr("explorer.search.check.calmest", fail)
    result = check(Relay())
    assert result.notes == (f"{NOT_CALM}: {why}",)
    assert len(result.violations) == 6


def test_the_reference_says_so_as_well() -> None:
    calls = 0

    def stop() -> str | None:
        nonlocal calls
        calls += 1
        return "time limit" if calls > states else None

    states = explore(Relay()).result.states
    result = explore(Relay(), stop=stop).result
    assert (result.complete, result.notes) == (True, (NOT_CALM,))
    assert [(p.name, p.length) for p in result.properties] == [
        (p.name, p.length) for p in explore(Relay()).result.properties
    ]


def test_not_many_states_are_looked_at_for_a_witness(monkeypatch: pytest.MonkeyPatch) -> None:
    system = TwoPhaseCommit({"Manager": 2})
    expected = check(system)
    assert switches(trace(expected, "everyone_commits")) == 4
    monkeypatch.setattr(calm, "WITNESS_STATES", 3)
    result = check(system)
    assert switches(trace(result, "everyone_commits")) > 4
    assert not result.notes
    assert [(p.name, p.verdict, p.length) for p in result.properties] == [
        (p.name, p.verdict, p.length) for p in expected.properties
    ]
    # For a violation all that is needed.
    assert traces(check(Relay())) == traces(explore(Relay()).result)


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
@pytest.mark.parametrize("states", [None, 7, 20])
def test_levels_end_where_they_do(system: System[Any], states: int | None) -> None:
    lowered = lower(system)
    found = search(
        compile_program(lowered.program),
        [leaves for _, leaves in lowered.initial],
        switches=lowered.switch_values,
        max_states=states,
    )
    graph = explore(system, max_states=states).graph
    assert found.levels() == list(Counter(depth for _, depth in graph.nodes(data="depth")).values())


def test_threads_follow_the_names_in_them() -> None:
    system = Relay({"Worker": 3})
    native = compile_program(lower(system).program)
    symmetry = symmetry_of(system, native.packing)
    everything = instances(system)
    plain = threads_of(everything, system.scope)
    threads = threads_of(everything, system.scope, symmetry)
    assert plain.count == threads.count == 5
    # The same instances belong together.
    assert len(set(zip(plain.of, threads.of, strict=True))) == 5
    for number, instance in zip(threads.of, everything, strict=True):
        if instance.action.thread == "worker":
            ((name, stride),) = threads.parts[number]
            # Were this worker the next one, its thread would be that one's.
            later = number + (1 if name < 2 else -2) * stride
            assert threads.parts[later] == (((name + 1) % 3, stride),)
        else:
            assert threads.parts[number] == ()


def test_the_same_for_any_hash_seed() -> None:
    command = [sys.executable, "-m", "explorer.cli", "check", "tests/search/relay.py:Relay"]
    shown = [
        subprocess.run(
            [*command, "--no-reductions"],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=False,
        ).stdout.partition("  0. ")[2]
        for seed in ("0", "1")
    ]
    assert shown[0] == shown[1] != ""
