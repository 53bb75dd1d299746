"""Every minimal cut set, and nothing else."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer.batch.job import Job, Outcome
from explorer.batch.pool import Pool
from explorer.batch.store import Store
from explorer.configure import configure
from explorer.cutsets.mechanisms import Mechanism, mechanisms_of, sets_of
from explorer.cutsets.search import CutSets, find_cut_sets
from explorer.lang.errors import ModelError
from explorer.loading import Found, find_system
from explorer.search.check import check
from tests.cutsets.models import Design, House

HOUSE = "tests/cutsets/models.py:House"


def found() -> Found:
    return find_system(HOUSE)


def answer(largest: int = 3, job: Job | None = None, **switches: object) -> CutSets:
    """The cut sets of the house in a design."""
    start = job or Job(switches={k: str(v) for k, v in switches.items()})
    configured = configure(found(), start.scope, start.preset, dict(switches))
    empty = CutSets("house", {}, {}, mechanisms_of(configured, without=switches), largest)
    return find_cut_sets(
        empty, start, Pool(found(), Store(found(), None)), lambda name, kind: kind != "reachable"
    )


def shown(sets: CutSets) -> dict[str, list[tuple[str, ...]]]:
    return {
        r.name: [tuple(m.name for m in c.parts) for c in r.cut_sets]
        for r in sets.rows
        if r.cut_sets
    }


def test_mechanisms_are_what_is_on_and_the_other_members() -> None:
    assert [m.name for m in mechanisms_of(configure(found()))] == [
        *("a", "b", "c", "d"),
        *("mode=ALARMED", "mode=OPEN"),
    ]
    assert [m.name for m in mechanisms_of(configure(found(), preset="bare"))][0] == "c"
    only = mechanisms_of(configure(found()), only=["d", "thieves"])
    assert [m.name for m in only] == ["d", "thieves"]
    assert "mode=OPEN" not in {m.name for m in mechanisms_of(configure(found()), without=["mode"])}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nix", "there is no switch nix"),
        ("extra", "the switch extra is off already"),
        ("tries", "the switch tries is a number and cannot be taken away"),
    ],
)
def test_what_cannot_be_taken_away(name: str, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        mechanisms_of(configure(found()), only=[name])
    assert caught.value.message == message


def test_the_cut_sets_of_the_house() -> None:
    sets = answer()
    assert shown(sets) == {
        "nobody_is_in": [("mode=OPEN",), ("a", "b")],
        "panic:the_ladder": [("a", "b"), ("a", "mode=OPEN")],
    }
    assert sets.exact and [m.name for m in sets.redundant] == ["c", "d", "mode=ALARMED"]
    row = next(r for r in sets.rows if r.name == "nobody_is_in")
    assert [(c.length, c.minimal) for c in row.cut_sets] == [(1, True), (1, True)]


def test_they_are_those_of_a_search_of_every_design() -> None:
    """Nothing that is skipped would have been a minimal set."""
    mechanisms = mechanisms_of(configure(found()))
    violated: dict[frozenset[Mechanism], set[str]] = {}
    for chosen in every(mechanisms):
        system = configure(found(), None, None, {m.switch: m.value for m in chosen}).system
        result = check(system)
        violated[frozenset(chosen)] = {p.name for p in result.properties if p.verdict == "violated"}
    expected: dict[str, set[frozenset[str]]] = {}
    for some, names in violated.items():
        for name in names:
            if not any(part < some and name in violated[part] for part in violated):
                expected.setdefault(name, set()).add(frozenset(m.name for m in some))
    sets = answer(largest=5)
    assert {name: set(map(frozenset, found)) for name, found in shown(sets).items()} == expected


def every(mechanisms: tuple[Mechanism, ...]) -> Iterator[tuple[Mechanism, ...]]:
    for size in range(len(mechanisms) + 1):
        for chosen in itertools.combinations(mechanisms, size):
            if len({m.switch for m in chosen}) == size:
                yield chosen


def test_no_set_has_two_values_of_one_switch() -> None:
    mechanisms = mechanisms_of(configure(found()))
    assert sum(1 for _ in sets_of(mechanisms, 2)) == 6 * 5 // 2 - 1


def test_what_fails_with_everything_in_place_hangs_on_nothing() -> None:
    sets = answer(tries=3)
    assert shown(sets)["few_try"] == [()]
    assert next(r for r in sets.rows if r.name == "few_try").fails


def test_what_a_limit_leaves_open_is_no_answer() -> None:
    sets = answer(job=Job(max_states=1))
    assert not sets.exact and sets.to_json()["redundant"] is None
    assert {why for _, why in sets.reasons} == {"stopped at 1 state"} or sets.reasons


def test_a_set_is_not_called_minimal_if_a_part_of_it_is_open() -> None:
    class Half(Pool):
        """A pool that cannot decide the designs without ``a`` alone."""

        def outcomes(self, jobs: object) -> list[Outcome | None]:
            made = super().outcomes(jobs)  # type: ignore[arg-type]
            return [
                Outcome(incomplete=("state limit",)) if dict(j.switches) == {"a": "false"} else o
                for j, o in zip(jobs, made, strict=True)  # type: ignore[call-overload]
            ]

    configured = configure(found())
    empty = CutSets("house", {}, {}, mechanisms_of(configured), 2)
    sets = find_cut_sets(
        empty, Job(), Half(found(), Store(found(), None)), lambda name, kind: kind != "reachable"
    )
    row = next(r for r in sets.rows if r.name == "nobody_is_in")
    assert [(tuple(m.name for m in c.parts), c.minimal) for c in row.cut_sets] == [
        (("mode=OPEN",), True),
        (("a", "b"), False),
    ]
    assert [tuple(m.name for m in parts) for parts in row.open] == [("a",)] and not sets.exact


def test_an_environment_that_is_no_switch_is_refused() -> None:
    class Wrong(House):
        environment = ("theives",)

    class Text(House):
        environment = "thieves"  # type: ignore[assignment]

    with pytest.raises(ModelError) as caught:
        Wrong()
    assert caught.value.message == "Wrong.environment has an unknown switch theives"
    assert caught.value.hint == "did you mean thieves or tries?"
    with pytest.raises(ModelError, match=r"Text\.environment is 'thieves'"):
        Text()
    assert Design().thieves


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "finished"
    configured = configure(found())
    empty = CutSets("house", {}, {}, mechanisms_of(configured), 1)
    pool = Pool(found(), Store(found(), path))
    first = find_cut_sets(empty, Job(), pool, lambda name, kind: True)
    told: list[tuple[int, int]] = []
    again = Pool(found(), Store(found(), path), 1, lambda *n: told.append(n))
    assert find_cut_sets(empty, Job(), again, lambda name, kind: True) == first
    assert told == [(1, 1), (6, 6)]
