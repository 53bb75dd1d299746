"""Bounded model checking finds what exhaustive search finds, in as many steps."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from explorer.compiler.program import Program
from explorer.lang import System
from explorer.search.check import check
from explorer.symbolic.bmc import bmc
from explorer.symbolic.bounded import CUT, DEADLOCK, FAILURE, PROPERTY, UNCLEAR, Bounded, look
from explorer.symbolic.unrolling import Unrolling
from tests.search import oracle
from tests.search.programs import Builder, philosophers, two_phase_commit
from tests.search.random_programs import programs
from tests.systems.hanoi import Hanoi
from tests.systems.increment import Increment
from tests.systems.jugs import Jugs
from tests.systems.philosophers import Philosophers
from tests.systems.puzzle import Puzzle
from tests.systems.two_phase_commit import TwoPhaseCommit


def bounded(program: Program, initial: list[tuple[int, ...]], depth: int) -> Bounded:
    """Every instance is an action of its own, without parameters."""
    none: list[list[int]] = [[] for _ in program.transitions]
    unrolling = Unrolling(program, program.transitions, none, initial, ())
    return look(unrolling, program, program.transitions, depth)


def expected(answer: oracle.Answer, depth: int) -> dict[tuple[str, int], int]:
    """Lengths of the runs that the search's answer holds, up to a depth."""

    def length(where: oracle.Where) -> int:
        return answer.depth(where[0]) + (where[1] is not None)

    lengths = {(PROPERTY, i): length(w) for i, w in answer.properties.items()}
    lengths |= {(FAILURE, i): length(w) for i, w in answer.failures.items()}
    if answer.deadlock is not None:
        lengths[DEADLOCK, 0] = answer.depth(answer.deadlock)
    return {goal: n for goal, n in lengths.items() if n <= depth}


@settings(max_examples=60, deadline=None)
@given(programs())
def test_random_programs(made: tuple[Program, list[tuple[int, ...]]]) -> None:
    program, initial = made
    depth = 4
    found = bounded(program, initial, depth)
    answer = oracle.explore(program, initial)
    assert found.stopped is None
    lengths = {goal: len(run.steps) for goal, run in found.runs.items() if goal[0] != CUT}
    assert lengths == expected(answer, depth)
    assert {i for kind, i in found.runs if kind == CUT} <= set(answer.cuts)


@settings(max_examples=40, deadline=None)
@given(programs(failing_properties=True))
def test_failed_evaluations(made: tuple[Program, list[tuple[int, ...]]]) -> None:
    """What cannot be evaluated is noticed at the first depth where the search notices it."""
    program, initial = made
    found = bounded(program, initial, 4)
    answer = oracle.explore(program, initial)
    depths = [answer.depth(s) + (i is not None) for s, i in answer.unclear.values()]
    unclear = [len(run.steps) for (kind, _), run in found.runs.items() if kind == UNCLEAR]
    assert bool(unclear) == any(d <= 4 for d in depths)
    if unclear:
        assert min(unclear) == min(depths)


def test_hand_built_programs() -> None:
    commit = two_phase_commit(2)
    found = bounded(commit, [(0,) * len(commit.leaves)], 7)
    assert {goal: len(run.steps) for goal, run in found.runs.items()} == {(PROPERTY, 1): 7}
    fork = philosophers(3)
    assert len(bounded(fork, [(0, 0, 0)], 5).runs[DEADLOCK, 0].steps) == 3


def test_the_depth_is_inclusive() -> None:
    b = Builder()
    x = b.leaf("x", 0, 9)
    b.instance(
        b.action("count"),
        (),
        b.dag.true,
        {x: b.dag.add(x, b.dag.number(1))},
        failures=[(b.dag.eq(x, b.dag.number(4)), "panic:five")],
    )
    b.property("small", "invariant", b.dag.lt(x, b.dag.number(3)))
    b.property("slow", "step_invariant", b.dag.lt(b.after(x), b.dag.number(2)))
    program = b.program()
    lengths = [
        {goal: len(run.steps) for goal, run in bounded(program, [(0,)], depth).runs.items()}
        for depth in range(7)
    ]
    slow, small, five = {(PROPERTY, 1): 2}, {(PROPERTY, 0): 3}, {(FAILURE, 0): 5}
    assert lengths[:2] == [{}, {}]
    assert lengths[2:5] == [slow, slow | small, slow | small]
    assert lengths[5:] == [slow | small | five] * 2


def test_the_step_relation_can_be_exhausted() -> None:
    """Two steps and no more: looking further ends by itself, and proves nothing."""
    b = Builder()
    x = b.leaf("x", 0, 2)
    b.final = b.dag.eq(x, b.dag.number(2))
    b.instance(
        b.action("count"), (), b.dag.lt(x, b.dag.number(2)), {x: b.dag.add(x, b.dag.number(1))}
    )
    b.property("never", "reachable", b.dag.eq(b.dag.mod(b.dag.mul(x, x), 5), b.dag.number(3)))
    found = bounded(b.program(), [(0,)], 100)
    assert (found.depth, found.runs, found.stopped) == (2, {}, None)


@pytest.mark.parametrize(
    ("system", "depth"),
    [
        (TwoPhaseCommit({"Manager": 2}), 7),
        (Philosophers({"Seat": 4}), 5),
        (Jugs(), 7),
        (Increment({"Thread": 3}), 7),
        (Hanoi({"Disc": 3}), 7),
        (Puzzle({"Width": 2, "Height": 2}), 4),
    ],
    ids=lambda x: x.name if isinstance(x, System) else str(x),
)
def test_systems(system: System[Any], depth: int) -> None:
    """With symbolic parameters: the same lengths as exhaustive search, and what is not found is unknown."""
    known = {p.name: p.length for p in check(system).properties}
    result = bmc(system, depth)
    assert (result.engine, result.complete, result.states) == ("bmc", False, 0)
    for p in result.properties:
        assert p.length == known[p.name]
        assert p.verdict in (("violated", "reached") if p.length is not None else ("unknown",))
    assert result.exit_code() in (1, 3)


def test_the_same_run_is_found_every_time() -> None:
    results = [bmc(Jugs(), 6) for _ in range(2)]
    first, second = ([p.trace for p in r.properties] for r in results)
    assert first == second
