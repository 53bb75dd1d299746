"""Wake-ups: what each mechanism does for a peek that waits."""

from __future__ import annotations

import pytest

import properties.wake  # noqa: F401
from explorer.lang.system import with_preset
from explorer.search.check import check
from model.systems import Wake

LOST = "no_wake_up_is_lost"


def wake(preset: str | None, switch: str | None) -> Wake:
    """A design with a switch off."""
    cls: type[Wake] = Wake if preset is None else with_preset(Wake, preset)[0]
    return cls({}, {} if switch is None else {switch: False})


@pytest.mark.parametrize(
    ("scope", "states", "transitions", "depth"),
    [
        ({"GlobalId": 1}, 1_368, 3_627, 19),
        ({}, 229_359, 864_700, 32),
    ],
)
def test_no_wake_up_is_lost(
    scope: dict[str, int], states: int, transitions: int, depth: int
) -> None:
    result = check(Wake(scope))
    assert (result.states, result.transitions, result.depth) == (states, transitions, depth)
    assert result.complete and not result.warnings
    lost = result.find(LOST)
    assert lost is not None and lost.verdict == "holds"


@pytest.mark.parametrize(
    ("preset", "switch", "length"),
    [
        (None, "notify_on_publish", 11),
        (None, "notify_on_seal", 14),
        (None, "errs_notify", 16),
        (None, "sticky_token", 4),
        (None, "reads_before_parking", 12),
        ("notify_first", None, 16),
        ("dirty_set", "drains_first", 12),
        ("dirty_set", "sticky_token", 4),
        ("dirty_aliases", "fans_out", 18),
        ("dirty_aliases", "fans_out_after_drop", 20),
    ],
)
def test_without_it_the_worker_sleeps_through_a_change(
    preset: str | None, switch: str | None, length: int
) -> None:
    found = check(wake(preset, switch), first=True)
    lost = found.find(LOST)
    assert lost is not None and lost.length == length


@pytest.mark.parametrize(
    ("preset", "switch"),
    [(None, "notify_on_unpublish"), ("dirty_set", None), (None, "drains_first")],
)
def test_without_it_nothing_is_lost(preset: str | None, switch: str | None) -> None:
    found = check(wake(preset, switch))
    lost = found.find(LOST)
    assert found.complete and lost is not None and lost.verdict == "holds"


@pytest.mark.parametrize(
    ("scope", "switches", "verdict", "length"),
    [
        ({"GlobalId": 1}, {}, "holds", None),
        ({}, {}, "violated", 9),
        ({}, {"drains_commands": False}, "holds", None),
        ({"GlobalId": 1}, {"notify_on_seal": False}, "violated", 14),
        ({"GlobalId": 1}, {"notify_on_unpublish": False}, "holds", None),
    ],
)
def test_whether_a_peek_that_can_be_answered_is(
    scope: dict[str, int], switches: dict[str, bool], verdict: str, length: int | None
) -> None:
    """With two indexes, commands about one keep the worker from the peek on the other."""
    answered = check(Wake(scope, switches)).find("an_answerable_peek_is_answered")
    assert answered is not None and (answered.verdict, answered.length) == (verdict, length)
