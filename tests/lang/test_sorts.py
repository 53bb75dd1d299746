"""Sort and Ordinal."""

from __future__ import annotations

import copy
import pickle

import pytest

from explorer.lang import Incomplete, ModelError, Sort
from tests.lang.sample_model import Frontier, GlobalId, Sample, Time

SCOPE = {"GlobalId": 2, "Time": 3, "Frontier": 2}


def test_a_sort_has_as_many_values_as_the_scope_says() -> None:
    with Sample(SCOPE):
        assert [str(i) for i in GlobalId] == ["GlobalId0", "GlobalId1"]
        assert len(GlobalId) == 2
    with Sample({"GlobalId": 1}):
        assert list(GlobalId) == [GlobalId(0)]


def test_values_are_equal_by_index() -> None:
    assert GlobalId(0) is GlobalId(0)
    assert GlobalId(0) != GlobalId(1)
    assert len({GlobalId(0), GlobalId(1), GlobalId(0)}) == 2


def test_names_of_a_sort_have_no_order_and_no_number() -> None:
    with pytest.raises(TypeError):
        _ = GlobalId(0) < GlobalId(1)  # type: ignore[operator]
    with pytest.raises(TypeError):
        int(GlobalId(0))  # type: ignore[call-overload]


def test_a_value_cannot_change_and_copies_are_the_same() -> None:
    with pytest.raises(TypeError):
        GlobalId(0).index = 3
    for value in (GlobalId(1), Time(1), Frontier.top()):
        assert copy.copy(value) is value
        assert copy.deepcopy(value) is value
        assert pickle.loads(pickle.dumps(value)) is value


def test_a_size_needs_a_scope() -> None:
    with pytest.raises(ModelError, match="no scope is bound") as caught:
        list(GlobalId)
    assert "with system:" in caught.value.hint


def test_the_class_is_true_even_without_a_scope() -> None:
    assert bool(GlobalId)


def test_a_value_outside_the_scope() -> None:
    with Sample(SCOPE):
        with pytest.raises(
            ModelError, match=r"the scope is too small for Time\(3\): Time=3"
        ) as caught:
            Time(3)
        assert "--scope Time=4" in caught.value.hint
        with pytest.raises(ModelError, match="Time has no value -1"):
            Time(-1)
    with pytest.raises(ModelError, match="needs an integer"):
        Time("1")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="base class"):
        Sort(0)


def test_ordinals_are_ordered() -> None:
    with Sample(SCOPE):
        assert [str(t) for t in Time] == ["0", "1", "2"]
        assert Time.first() < Time(1) < Time.last()
        assert Time(1) <= Time(1) and Time(1) >= Time(1) and Time(2) > Time(1)
        assert max(Time(0), Time(2), Time(1)) == Time(2)
        assert Time(0).next() == Time(1)
        with pytest.raises(Incomplete) as caught:
            Time.last().next()
        assert caught.value.name == "Time"
    with pytest.raises(TypeError):
        _ = Time(0) < Frontier(0)  # type: ignore[operator]


def test_the_top_is_above_all() -> None:
    with Sample(SCOPE):
        assert [str(f) for f in Frontier] == ["0", "1", "INF"]
        assert len(Frontier) == 3
        assert Frontier.last() == Frontier(1) < Frontier.top()
        assert Frontier.top().next() == Frontier.top()
        with pytest.raises(Incomplete):
            Frontier.last().next()
    with pytest.raises(ModelError, match="Time has no top") as caught:
        Time.top()
    assert 'class Time(Ordinal, top="INF")' in caught.value.hint


def test_scopes_nest() -> None:
    with Sample(SCOPE) as outer:
        with Sample({"GlobalId": 1}):
            assert len(GlobalId) == 1
            with outer:
                assert len(GlobalId) == 2
        assert len(GlobalId) == 2
