"""Exhaustive search over hand-built and random programs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.compiler.native import TUNED, compile_program
from explorer.compiler.program import Failure, Predicate, Program
from explorer.search import explore, space
from explorer.search.explore import INTERRUPT, MEMORY, SECONDS, STATES, search
from explorer.search.found import Found, InternalError, Occurrence
from explorer.search.memory import resident
from tests.search import oracle
from tests.search.programs import Builder, counters, philosophers, toggles, two_phase_commit
from tests.search.random_programs import programs


def zeros(program: Program) -> list[tuple[int, ...]]:
    return [(0,) * len(program.leaves)]


def run(program: Program, **options: float | bool | None) -> Found:
    return search(compile_program(program), zeros(program), **options)  # type: ignore[arg-type]


# Published counts


@pytest.mark.parametrize(
    ("managers", "states", "generated"),
    [
        (2, 56, 154),
        (3, 288, 1_146),
        (4, 1_568, 8_258),
        (5, 8_832, 58_146),
        (6, 50_816, 402_306),
        (7, 296_448, 2_744_706),
    ],
)
def test_two_phase_commit(managers: int, states: int, generated: int) -> None:
    found = run(two_phase_commit(managers))
    assert (found.states, found.transitions + found.initial) == (states, generated)
    assert found.depth == 3 * managers + 1
    assert found.complete
    assert found.properties[0] is None
    witness = found.properties[1]
    assert witness is not None
    assert len(found.path(witness.state)[1]) == 3 * managers + 1
    assert found.enabled == found.taken
    assert sum(found.taken) == found.transitions
    assert sum(found.levels()) == states
    assert len(found.levels()) == found.depth + 1


@pytest.mark.parametrize("n", [1, 4, 10])
def test_toggles(n: int) -> None:
    found = run(toggles(n))
    assert (found.states, found.transitions, found.depth) == (2**n, n * 2**n, n)
    assert found.deadlock is None


@pytest.mark.parametrize(
    ("n", "states", "generated"), [(2, 6, 9), (5, 82, 266), (12, 39_202, 304_105)]
)
def test_philosophers_deadlock_once_at_depth_n(n: int, states: int, generated: int) -> None:
    found = run(philosophers(n))
    assert (found.states, found.transitions + 1, found.depth) == (states, generated, n)
    assert found.deadlock is not None
    initial, taken = found.path(found.deadlock)
    assert (initial, taken) == (0, list(range(n)))


@pytest.mark.parametrize(("n", "words"), [(21, 1), (22, 2), (43, 3), (190, 10)])
def test_states_of_several_words(n: int, words: int) -> None:
    """Many counters of which only three move: the same search whatever the width."""
    program = counters(n, 2)
    moving = (0, n // 2, n - 1)
    program.transitions = tuple(program.transitions[i] for i in moving)
    program.instances = tuple(program.instances[i] for i in moving)
    native = compile_program(program)
    found = search(native, zeros(program))
    assert native.packing.words == words
    assert (found.states, found.transitions, found.depth) == (27, 54, 6)
    assert found.values(26) == tuple(2 if i in moving else 0 for i in range(n))


@pytest.mark.parametrize("spare", [4096, 0])
@pytest.mark.parametrize("reserved", [1 << 30, 0])
@pytest.mark.parametrize("n", [13, 20])
def test_growth(n: int, reserved: int, spare: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same states from arrays that start small, with one word per state and with two.

    They grow where they are or are copied, and so does the table, or it is made anew.
    """
    monkeypatch.setattr(space, "_FIRST_BITS", 4)
    monkeypatch.setattr(space, "_SPARE", spare)
    monkeypatch.setattr(space, "machine_memory", lambda: reserved)
    program = counters(n, 5)
    program.transitions = program.transitions[:5]
    program.instances = program.instances[:5]
    found = search(compile_program(program), zeros(program))
    assert (found.states, found.transitions) == (6**5, 5 * 5 * 6**4)


def test_the_state_with_all_bits_set() -> None:
    """It looks like an empty slot where the table holds the states themselves."""
    b = Builder()
    most = (1 << 32) - 1
    x, y = b.leaf("x", 0, most), b.leaf("y", 0, most)
    action = b.action("flip", ("i", 2))
    for i, leaf in enumerate((x, y)):
        b.instance(action, (i,), b.dag.true, {leaf: b.dag.sub(b.dag.number(most), leaf)})
    found = run(b.program())
    assert (found.states, found.transitions) == (4, 8)
    assert found.values(3) == (most, most)


# Agreement with evaluation by the definition


def where(occurrence: Occurrence | None) -> oracle.Where | None:
    return None if occurrence is None else (occurrence.state, occurrence.instance)


def agree(found: Found, answer: oracle.Answer) -> None:
    assert [found.values(i) for i in range(found.states)] == answer.states
    assert found.transitions == answer.transitions
    assert found.depth == max(map(answer.depth, range(found.states)))
    assert {i: where(o) for i, o in enumerate(found.properties) if o} == answer.properties
    assert {i: where(o) for i, o in enumerate(found.failures) if o} == answer.failures
    assert {i: n for i, n in enumerate(found.cuts) if n} == answer.cuts
    assert found.deadlock == answer.deadlock
    assert (list(found.enabled), list(found.taken)) == (answer.enabled, answer.taken)
    for number in range(found.initial, found.states):
        assert found.origin(number) == answer.origin[number]


@settings(max_examples=100, deadline=None)
@given(programs(), st.sampled_from((1, 2, 5, 64)))
def test_random_programs(made: tuple[Program, list[tuple[int, ...]]], batch: int) -> None:
    program, initial = made
    native = compile_program(program)
    arrays = space.Space(native, batch=batch)
    arrays.begin(initial)
    # A budget of one: returning to Python between any two expansions changes nothing.
    while arrays.run(1) == 0:
        pass
    answer = oracle.explore(program, initial)
    agree(arrays.found(None), answer)
    agree(search(native, initial), answer)


@settings(max_examples=50, deadline=None)
@given(programs(failing_properties=True))
def test_failed_evaluations(made: tuple[Program, list[tuple[int, ...]]]) -> None:
    """The search stops at the first, and what it stopped at is right."""
    program, initial = made
    answer = oracle.explore(program, initial)
    found = search(compile_program(program), initial)
    if not answer.unclear:
        assert not found.unclear
        agree(found, answer)
        return
    assert found.unclear
    for number, occurrence in found.unclear:
        assert where(occurrence) == answer.unclear[number]


def test_tuned_code_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explore, "_PATIENCE", 0)
    program = two_phase_commit(4)
    found = run(program)
    assert (found.states, found.transitions) == (1568, 8257)
    again = search(compile_program(program, TUNED), zeros(program))
    assert (again.states, again.transitions) == (1568, 8257)


# Initial states


def test_an_initial_state_given_twice_counts_once_and_paths_name_the_first() -> None:
    program = toggles(2)
    found = search(compile_program(program), [(1, 1), (0, 0), (1, 1)])
    assert (found.states, found.initial, found.depth) == (4, 2, 1)
    assert [found.path(i) for i in range(4)] == [(0, []), (1, []), (0, [0]), (0, [1])]


def test_properties_are_checked_on_initial_states() -> None:
    b = Builder()
    x = b.flag("x")
    b.property("never", "invariant", b.dag.not_(x))
    b.property("once", "reachable", x)
    found = search(compile_program(b.program()), [(0,), (1,)])
    assert found.properties == (Occurrence(1), Occurrence(1))
    assert found.deadlock == 0


# Switches


def test_switches_are_given_per_run() -> None:
    b = Builder()
    x = b.leaf("x", 0, 9)
    limit = b.dag.switch(0, -5, 9)
    b.instance(b.action("count"), (), b.dag.lt(x, limit), {x: b.dag.add(x, b.dag.number(1))})
    native = compile_program(b.program((("limit", -5, 9),)))
    assert [search(native, [(0,)], switches=(n,)).states for n in (-5, 0, 9)] == [1, 1, 10]


# Stopping early


def test_a_state_limit_is_exact() -> None:
    native = compile_program(toggles(4))
    zero = [(0,) * 4]
    assert search(native, zero, max_states=16).stopped is None
    found = search(native, zero, max_states=15)
    assert (found.states, found.stopped, found.complete) == (15, STATES, False)
    assert search(native, [(0,) * 4, (1,) * 4], max_states=1).states == 1


def test_a_time_limit() -> None:
    found = run(two_phase_commit(3), max_seconds=0)
    assert (found.stopped, found.states) == (SECONDS, 1)


@pytest.mark.parametrize("seconds", [1.0, 0.01])
def test_limits_are_looked_at_however_dear_a_state_is(
    seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a state takes a second, each is followed by a look; where it takes less, no call is to take a second."""
    clock, budgets = 0.0, list[int]()
    plain = space.Space.run

    def slow(self: space.Space, budget: int) -> int:
        nonlocal clock
        budgets.append(budget)
        clock += budget * seconds
        return plain(self, budget)

    monkeypatch.setattr(space.Space, "run", slow)
    monkeypatch.setattr("explorer.search.explore.time.monotonic", lambda: clock)
    found = run(two_phase_commit(4), max_seconds=3 + seconds / 2)
    assert found.stopped == SECONDS
    assert clock < 4 + seconds and max(budgets) * seconds <= 1


def test_a_memory_limit() -> None:
    taken = resident()
    if taken is None:
        pytest.skip("the system does not say how much memory a process takes")
    found = run(toggles(16), max_memory=taken + 34_000_000)
    assert found.stopped == MEMORY
    assert 4096 <= found.states < 65536


def test_an_interrupt_keeps_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0
    plain = space.Space.run

    def interrupted(self: space.Space, budget: int) -> int:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise KeyboardInterrupt
        return plain(self, 100)

    monkeypatch.setattr(space.Space, "run", interrupted)
    found = run(philosophers(12))
    assert found.stopped == INTERRUPT
    assert 100 < found.states < 39_202
    assert len(found.path(found.states - 1)[1]) == found.depth > 0


def test_an_interrupt_among_the_initial_states() -> None:
    def initial() -> Iterator[tuple[int, int]]:
        yield (0, 0)
        raise KeyboardInterrupt

    found = search(compile_program(toggles(2)), initial())
    assert (found.stopped, found.states, found.depth) == (INTERRUPT, 1, 0)


def test_first_stops_at_a_violation_but_not_at_a_witness() -> None:
    b = Builder()
    x = b.leaf("x", 0, 100)
    count = b.dag.add(x, b.dag.number(1))
    b.instance(b.action("count"), (), b.dag.lt(x, b.dag.number(100)), {x: count})
    b.property("seen", "reachable", b.dag.eq(x, b.dag.number(3)))
    b.property("small", "invariant", b.dag.lt(x, b.dag.number(7)))
    b.property("smaller", "invariant", b.dag.lt(x, b.dag.number(50)))
    native = compile_program(b.program())
    found = search(native, [(0,)], first=True)
    assert (found.states, found.complete) == (8, False)
    assert found.properties == (Occurrence(3), Occurrence(7), None)
    assert search(native, [(0,)]).properties == (Occurrence(3), Occurrence(7), Occurrence(50))


# Errors


def test_a_value_that_slips_past_its_leaf_is_an_internal_error() -> None:
    b = Builder()
    x = b.leaf("x", 0, 2)
    b.instance(b.action("count"), (), b.dag.true, {x: b.dag.add(x, b.dag.number(1))})
    with pytest.raises(InternalError, match=r"count\(\) stores a value outside 0..2 in x"):
        run(b.program())


def test_a_final_state_that_cannot_be_told() -> None:
    b = Builder()
    b.flag("x")
    program = b.program()
    program.final = Predicate("final", "final", b.dag.false, (Failure(b.dag.true, 0),))
    assert run(program).unclear == ((-1, Occurrence(0)),)
