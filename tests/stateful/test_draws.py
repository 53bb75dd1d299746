"""What is drawn: steps by action and parameters, and the actions that are off."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample
from hypothesis.strategies import SearchStrategy

from explorer.lang.run import instances
from explorer.stateful.draws import PAUSE, Choice, Steps, swarm
from tests.stateful.test_machine import Broken
from tests.systems.two_phase_commit import TwoPhaseCommit

QUICK = settings(max_examples=60, database=None, derandomize=True, deadline=None)


def drawn(strategy: SearchStrategy[Choice], times: int = 20) -> Counter[str]:
    seen: Counter[str] = Counter()

    @QUICK
    @given(st.lists(strategy, min_size=times, max_size=times))
    def draw(choices: list[Choice]) -> None:
        seen.update(repr(c) for c in choices)

    draw()
    return seen


def test_only_what_is_offered_is_drawn_and_all_of_it() -> None:
    every = instances(TwoPhaseCommit({"Manager": 3}))
    steps = Steps(every)
    offered = [n for n, i in enumerate(every) if n % 3 == 0]
    steps.offer(offered)
    assert set(drawn(steps.strategy)) == {every[n].text for n in offered}


def test_an_action_is_drawn_however_few_instances_it_has() -> None:
    """Actions first, then parameters: one with many instances does not crowd out the others."""
    every = instances(Broken())
    steps = Steps(every)
    steps.offer(range(len(every)))
    seen = drawn(steps.strategy)
    assert set(seen) == {"up()", "see(key=Key0)", "see(key=Key1)", "explode()"}
    assert min(seen["up()"], seen["explode()"]) > seen["see(key=Key1)"]


def test_a_pause_is_drawn_where_it_is_offered() -> None:
    steps = Steps(instances(Broken()))
    steps.offer([PAUSE])
    assert set(drawn(steps.strategy)) == {"pause"}


def test_some_runs_have_actions_off_and_shrinking_turns_them_on() -> None:
    actions = ["a", "b", "c"]
    seen: set[frozenset[str]] = set()

    @settings(QUICK, max_examples=300)
    @given(swarm(actions))
    def draw(off: frozenset[str]) -> None:
        seen.add(off)

    draw()
    assert frozenset() in seen and len(seen) == 8

    from hypothesis import find

    assert find(swarm(actions), lambda off: True, settings=QUICK) == frozenset()
    assert find(swarm(actions), lambda off: "b" in off, settings=QUICK) == {"b"}
    with pytest.raises(NoSuchExample):
        find(swarm(actions), lambda off: "d" in off, settings=QUICK)
