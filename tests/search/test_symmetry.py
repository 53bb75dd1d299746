"""Canonical states: true orbit counts, the same verdicts and lengths, runs that can be taken."""

from __future__ import annotations

from typing import Any

import pytest

from explorer.compiler import lower
from explorer.compiler.native import compile_program
from explorer.lang.run import Next, instances, key, step
from explorer.lang.system import System
from explorer.reference.search import explore
from explorer.search import probe
from explorer.search.check import check
from explorer.search.explore import search
from explorer.search.symmetry import Symmetry, symmetry_of
from explorer.search.unfold import Unfolder
from tests.differential.symmetry import Orbits, all_renamings
from tests.search import holders
from tests.systems.increment import Increment
from tests.systems.jugs import Jugs
from tests.systems.toggles import Toggles
from tests.systems.two_phase_commit import TwoPhaseCommit

# Orbits from the literature: see the headers of the systems.
COUNTS: list[tuple[type[System[Any]], dict[str, int], int]] = [
    *(
        (TwoPhaseCommit, {"Manager": n}, c)
        for n, c in zip(range(2, 8), (34, 80, 166, 314, 553, 920), strict=False)
    ),
    *((Increment, {"Thread": n}, c) for n, c in ((2, 8), (3, 22), (4, 63))),
    *((Toggles, {"Toggle": n}, n + 1) for n in (1, 2, 5, 9)),
]


def symmetry(system: System[Any]) -> Symmetry:
    found = symmetry_of(system, compile_program(lower(system).program).packing)
    assert found is not None
    return found


@pytest.mark.parametrize(("cls", "scope", "orbits"), COUNTS)
def test_orbits_are_counted_truly(
    cls: type[System[Any]], scope: dict[str, int], orbits: int
) -> None:
    system = cls(scope)
    lowered = lower(system)
    native = compile_program(lowered.program)
    initial = [leaves for _, leaves in lowered.initial]
    plain = search(native, initial)
    reduced = search(native, initial, symmetry=symmetry_of(system, native.packing))
    assert reduced.states == orbits
    assert reduced.depth == plain.depth
    lengths = [
        [None if o is None else len(f.path(o.state)[1]) for o in f.properties]
        for f in (plain, reduced)
    ]
    assert lengths[0] == lengths[1]
    assert (plain.deadlock is None) == (reduced.deadlock is None)


def test_a_system_without_sorts_has_no_symmetry() -> None:
    system = Jugs()
    assert symmetry_of(system, compile_program(lower(system).program).packing) is None
    assert (
        symmetry_of(Toggles({"Toggle": 1}), compile_program(lower(system).program).packing) is None
    )


def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the reduction whatever it costs."""
    for name, value in (("STATES", 1), ("WORTH", 0.0), ("SLOWER", 1e9), ("MOST", 10**6)):
        monkeypatch.setattr(probe, name, value)


HOLDERS: list[type[System[Any]]] = [
    holders.InSequence,
    holders.InOptional,
    holders.InUnion,
    holders.InPool,
    holders.InGraph,
]


@pytest.mark.parametrize(
    "system",
    [TwoPhaseCommit({"Manager": 4}), Increment({"Thread": 3}), *(cls() for cls in HOLDERS)],
    ids=lambda system: system.name,
)
def test_two_states_have_one_canonical_state_exactly_if_a_renaming_leads_from_one_to_the_other(
    system: System[Any],
) -> None:
    lowered = lower(system)
    native = compile_program(lowered.program)
    found = symmetry_of(system, native.packing)
    assert found is not None
    with system:
        orbits = Orbits(list(all_renamings(system)))
        pairs = set()
        for _, data in explore(system).graph.nodes(data=True):
            words = native.pack(lowered.flatten(data["state"]))
            pairs.add((orbits.of(data["state"]), found.canonical(words).tobytes()))
    assert len(pairs) == len({orbit for orbit, _ in pairs}) == len({words for _, words in pairs})


@pytest.mark.parametrize("cls", HOLDERS)
def test_verdicts_and_lengths_are_the_same_with_the_reduction(
    cls: type[System[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    always(monkeypatch)
    plain, reduced = check(cls()), check(cls(), reductions=True)
    assert reduced.reductions == ("symmetry",) and plain.reductions == ()
    assert reduced.states < plain.states
    verdicts = [[(p.name, p.verdict, p.length) for p in r.properties] for r in (plain, reduced)]
    assert verdicts[0] == verdicts[1]


def test_a_run_between_orbits_is_unfolded_into_one_that_can_be_taken() -> None:
    system = Increment({"Thread": 4})
    lowered = lower(system)
    native = compile_program(lowered.program)
    found = symmetry_of(system, native.packing)
    assert found is not None
    initial = [leaves for _, leaves in lowered.initial]
    reduced = search(native, initial, symmetry=found)
    unfolder = Unfolder(native, (), found)
    steps = instances(system)
    (start,) = (d["state"] for _, d in explore(system).graph.nodes(data=True) if d["depth"] == 0)
    for state in range(reduced.states):
        _, taken, words = unfolder.run(reduced, initial, state)
        here = start
        for number in taken:
            outcome = step(system, here, steps[number])
            assert isinstance(outcome, Next)
            here = outcome.state
        assert native.unpack(words) == lowered.flatten(here), key(here)


def test_too_many_names_that_look_the_same_are_not_tried_in_all_orders(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    always(monkeypatch)
    result = check(holders.Pairs({"Node": 8}), reductions=True)
    assert (result.reductions, result.states) == ((), 764)
    assert check(holders.Pairs({"Node": 6}), reductions=True).states == 4


def test_what_was_found_before_giving_up_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search that goes on without the reduction is stopped at once, and all the same nothing is lost."""
    always(monkeypatch)
    seen: list[bool] = []

    def hurried(*args: Any, **named: Any) -> Any:
        seen.append(named["symmetry"] is not None)
        return search(*args, **named | ({} if seen[-1] else {"max_seconds": -1.0}))

    monkeypatch.setattr("explorer.search.check.search", hurried)
    result = check(holders.Pairs({"Node": 8}), reductions=True)
    assert seen == [True, False]
    assert (result.complete, result.incomplete, result.states) == (False, ("time limit",), 1)
    found = {p.name: (p.verdict, p.length) for p in result.properties}
    assert found["a_pair"] == ("reached", 1)
    assert "given up after" in result.notes[0]


def test_the_time_that_is_left_is_what_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    always(monkeypatch)
    left: list[float] = []

    def watched(*args: Any, **named: Any) -> Any:
        left.append(named["max_seconds"])
        return search(*args, **named)

    monkeypatch.setattr("explorer.search.check.search", watched)
    check(holders.Pairs({"Node": 8}), reductions=True, max_seconds=100.0)
    assert 100.0 > left[0] > left[1] > 0.0


def test_many_orders_for_few_states_do_not_pay() -> None:
    """Pairs look the same and are not, so many orders are tried; the switches make the sample's factor small."""
    system = holders.PairsAndSwitches()
    result = check(system, reductions=True, max_states=20_000)
    assert result.reductions == ()
    assert "that takes longer than to explore them" in result.notes[0]


def test_a_reduction_that_pays_says_what_it_brings_and_costs() -> None:
    result = check(TwoPhaseCommit({"Manager": 6}), reductions=True)
    assert result.reductions == ("symmetry",)
    assert "states fall into one orbit, found in" in result.notes[0]


def test_a_sample_that_is_interrupted_before_its_first_state() -> None:
    system = TwoPhaseCommit({"Manager": 3})
    native = compile_program(lower(system).program)
    found = probe.probe(native, [], (), symmetry(system), max_seconds=-1.0)
    assert not found.pays
