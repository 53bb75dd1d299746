"""Every engine reproduces the published counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from explorer.lang import System
from explorer.reference.search import explore
from explorer.result import Result
from explorer.search.check import check
from explorer.search.probe import Probe
from tests.systems.hanoi import Hanoi
from tests.systems.increment import Increment
from tests.systems.jugs import Jugs
from tests.systems.philosophers import Philosophers
from tests.systems.puzzle import Puzzle
from tests.systems.toggles import Toggles
from tests.systems.two_phase_commit import TwoPhaseCommit

FAST_ENOUGH_FOR_THE_REFERENCE = 3000


@dataclass(frozen=True)
class Case:
    """A system in a scope and what is known about it.

    ``found`` holds the length of the shortest run to every violation and witness.
    """

    system: System[Any]
    states: int
    transitions: int
    depth: int
    found: dict[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        return " ".join([type(self.system).__name__, *map(str, self.system.scope.values())])


def two_phase_commit(managers: int, states: int, generated: int) -> Case:
    # Everyone prepares, is heard and learns of the decision: three steps each.
    found = {"everyone_commits": 3 * managers + 1, "everyone_aborts": managers}
    system = TwoPhaseCommit({"Manager": managers})
    return Case(system, states, generated - 1, 3 * managers + 1, found)


def philosophers(number: int, states: int, transitions: int) -> Case:
    found = {"somebody_eats": 2, "deadlock": number}
    return Case(Philosophers({"Seat": number}), states, transitions, number, found)


def puzzle(width: int, height: int, states: int, transitions: int, depth: int) -> Case:
    # Three tiles turn in a 2 x 2 corner: once around is 12 moves, the first time the hole is back after 4.
    found = {"the_hole_is_back_and_the_board_is_not_solved": 4}
    system = Puzzle({"Width": width, "Height": height})
    return Case(system, states, transitions, depth, found)


def toggles(number: int) -> Case:
    found = {"all_are_on": number}
    return Case(Toggles({"Toggle": number}), 2**number, number * 2**number, number, found)


def increment(threads: int, states: int, transitions: int) -> Case:
    # Two threads read, then both write.
    found = {"the_counter_counts_the_threads_that_are_done": 4, "no_update_is_lost": 2 * threads}
    return Case(Increment({"Thread": threads}), states, transitions, 2 * threads, found)


def hanoi(discs: int) -> Case:
    moves = 2**discs - 1
    found = {"the_tower_is_on_the_right": moves}
    return Case(Hanoi({"Disc": discs}), 3**discs, 3 * 3**discs - 3, moves, found)


CASES = [
    two_phase_commit(2, 56, 154),
    two_phase_commit(3, 288, 1_146),
    two_phase_commit(4, 1_568, 8_258),
    two_phase_commit(5, 8_832, 58_146),
    two_phase_commit(6, 50_816, 402_306),
    two_phase_commit(7, 296_448, 2_744_706),
    philosophers(2, 6, 8),
    philosophers(3, 14, 27),
    philosophers(4, 34, 88),
    philosophers(5, 82, 265),
    philosophers(8, 1_154, 5_968),
    philosophers(10, 6_726, 43_480),
    philosophers(12, 39_202, 304_104),
    puzzle(2, 2, 12, 24, 6),
    puzzle(3, 2, 360, 840, 21),
    puzzle(2, 3, 360, 840, 21),
    puzzle(3, 3, 181_440, 483_840, 31),
    toggles(1),
    toggles(4),
    toggles(8),
    toggles(16),
    Case(Jugs(), 16, 96, 7, {"never_four_litres": 6, "four_litres": 6}),
    increment(2, 13, 14),
    increment(3, 84, 111),
    increment(4, 755, 1_156),
    hanoi(1),
    hanoi(3),
    hanoi(6),
    hanoi(10),
]


def compare(case: Case, result: Result) -> None:
    """A result against what is known."""
    assert result.complete
    assert (result.states, result.transitions) == (case.states, case.transitions)
    assert result.depth == case.depth
    found = {p.name: p.length for p in result.properties if p.length is not None}
    assert found == case.found
    for p in result.properties:
        expected = {"reachable": ("reached", "unreached")}.get(p.kind, ("violated", "holds"))
        assert p.verdict == expected[p.name not in case.found], p.name


@pytest.mark.parametrize(
    "case", [c for c in CASES if c.states <= FAST_ENOUGH_FOR_THE_REFERENCE], ids=str
)
def test_reference(case: Case) -> None:
    compare(case, explore(case.system).result)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_exhaustive_search(case: Case) -> None:
    compare(case, check(case.system))


@pytest.mark.parametrize(
    ("system", "orbits"),
    [
        *(
            (TwoPhaseCommit({"Manager": n}), count)
            for n, count in {2: 34, 3: 80, 4: 166, 5: 314, 6: 553, 7: 920}.items()
        ),
        *((Increment({"Thread": n}), count) for n, count in {2: 8, 3: 22, 4: 63}.items()),
        *((Toggles({"Toggle": n}), n + 1) for n in (2, 5, 8)),
    ],
    ids=lambda value: value.name if isinstance(value, System) else str(value),
)
def test_search_up_to_renaming(
    system: System[Any], orbits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("explorer.search.check.probe", lambda *_: Probe(99.0, 0.0))
    result = check(system, reductions=True)
    assert result.complete
    assert (result.states, result.reductions) == (orbits, ("symmetry",))
    assert {p.name: (p.verdict, p.length) for p in result.properties} == {
        p.name: (p.verdict, p.length) for p in check(system).properties
    }


@pytest.mark.slow
def test_two_phase_commit_with_nine_managers() -> None:
    compare(two_phase_commit(9, 10_340_352, 123_558_402), check(TwoPhaseCommit({"Manager": 9})))


@pytest.mark.parametrize("number", [2, 5, 8])
def test_philosophers_have_exactly_one_deadlock(number: int) -> None:
    graph = explore(Philosophers({"Seat": number})).graph
    stuck = [n for n in graph if graph.out_degree(n) == 0]
    assert [graph.nodes[n]["depth"] for n in stuck] == [number]


def test_the_jugs_generate_97_states() -> None:
    graph = explore(Jugs()).graph
    assert graph.number_of_edges() + 1 == 97
