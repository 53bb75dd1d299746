"""Records: made, compared, stored."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from types import ModuleType

import pytest

from explorer.lang import ModelError, Violation
from tests.lang.sources import load

TEXT = """
@record(frozen=True)
class Point:
    x: Level
    y: Level = 2

@record(frozen=True)
class Point3(Point):
    z: Level = 1

@record
class Part:
    level: Level
    color: Color = Color.GREEN
    names: Set[Name] = initial()
    point: Point = Point(1)
    def double(self) -> int: return 2 * self.level
    @property
    def low(self) -> bool: return self.level == 0

@record
class State:
    part: Part
    parts: Map[Color, Part]
    name: Name
    names: Set[Name]
    at: Time
    low: Annotated[int, Between(2, 4)]
    signed: Annotated[int, Between(-1, 1)]
    maybe: Point | None
    wide: Annotated[int, Between(0, "Max")]

class Model(System[State]):
    default_scope = {"Name": 2, "Time": 2, "Max": 9}
    def init(self, s: State, name: Name) -> None:
        s.name = name
    @action
    def go(self, s: State) -> None: ...
"""


@pytest.fixture
def m(tmp_path: Path) -> ModuleType:
    return load(tmp_path, TEXT)


def test_initial_values(m: ModuleType) -> None:
    from explorer.lang.run import initial_states

    (_, s), _ = initial_states(m.Model())
    assert (s.low, s.signed, s.maybe, s.wide, s.at) == (2, 0, None, 0, m.Time(0))
    assert (s.part.level, s.part.color, s.part.point) == (0, m.Color.GREEN, m.Point(1, 2))
    assert len(s.parts) == 2 and s.parts[m.Color.RED] == s.part


def test_constructor(m: ModuleType) -> None:
    with m.Model():
        assert m.Point(1) == m.Point(x=1, y=2) == m.Point(1, y=2)
        assert m.Point3(1, 2, 3).z == 3
        assert m.Part(level=1).names == m.Set()
        for make, message in [
            (m.Point, "Point needs x"),
            (lambda: m.Point(1, x=2), "Point is given x twice"),
            (lambda: m.Point(1, z=2), "Point has no field z"),
            (lambda: m.Point(1, 2, 3), "Point has 2 fields, not 3"),
            (lambda: m.Part(level="a"), "level holds int 0..3, not 'a'"),
            (lambda: m.Part(1, color=3), "color holds Color, not 3"),
            (lambda: m.Part(1, names=3), "names holds a Set, not 3"),
            (lambda: m.Part(1, point=m.Point3(1)), "point holds Point, not Point3"),
        ]:
            with pytest.raises(ModelError, match=message):
                make()
        with pytest.raises(Violation) as caught:
            m.Point(4)
        assert caught.value.name == "range:x"


def test_a_mutable_record_needs_a_scope(m: ModuleType) -> None:
    with pytest.raises(ModelError, match="no scope is bound"):
        m.Part(1)


def test_a_frozen_constant_is_checked_where_it_is_stored(m: ModuleType) -> None:
    wrong = m.Point(7)
    with m.Model():
        part = m.Part(1)
        with pytest.raises(Violation) as caught:
            part.point = wrong
        assert caught.value.name == "range:x"


def test_frozen_records_are_values(m: ModuleType) -> None:
    with m.Model():
        assert m.Point(1) != m.Point3(1) and m.Point3(1) == m.Point3(1)
        assert len({m.Point(1), m.Point(1, 2), m.Point(2)}) == 2
        with pytest.raises(ModelError, match="Point is frozen: its field x cannot change"):
            m.Point(1).x = 3
        with pytest.raises(ModelError, match="a field cannot be deleted"):
            del m.Point(1).x
        assert pickle.loads(pickle.dumps(m.Point(1))) == m.Point(1)
        assert copy.deepcopy(m.Point(1)) == m.Point(1)
        assert repr(m.Point(1)) == "Point(x=1, y=2)"


def test_match(m: ModuleType) -> None:
    with m.Model():
        match m.Point(1, 3):
            case m.Point(x=x, y=3):
                assert x == 1
            case _:
                raise AssertionError


def test_mutable_records(m: ModuleType) -> None:
    with m.Model():
        part = m.Part(1)
        assert part.double() == 2 and not part.low
        assert part == m.Part(1) and part != m.Part(2)
        with pytest.raises(TypeError):
            hash(part)
        with pytest.raises(ModelError, match="Part has no field levl") as caught:
            part.levl = 3
        assert "level, color" in caught.value.hint
        with pytest.raises(AttributeError, match="Part has no field or method levl"):
            _ = part.levl
        with pytest.raises(ModelError, match="cannot be copied or pickled"):
            copy.copy(part)


def test_storing_copies_into_the_place(m: ModuleType) -> None:
    with m.Model():
        state = m.State(
            part=m.Part(1),
            parts=_map(m),
            name=m.Name(0),
            names=m.Set(),
            at=m.Time(0),
            low=2,
            signed=0,
            maybe=None,
            wide=9,
        )
        place = state.part
        other = m.Part(3, names=m.Set((m.Name(0),)))
        state.part = other
        assert state.part is place and place is not other
        assert place.level == 3
        other.level = 0
        other.names.clear()
        assert place.level == 3 and m.Name(0) in place.names
        state.parts[m.Color.RED] = place
        place.level = 2
        assert state.parts[m.Color.RED].level == 3
        state.part = place
        assert state.part.level == 2


def _map(m: ModuleType) -> object:
    from explorer.lang.run import initial_states

    return next(initial_states(m.Model()))[1].parts


def test_ranges_are_checked_at_the_store(m: ModuleType) -> None:
    from explorer.lang.run import initial_states

    _, s = next(initial_states(m.Model()))
    for name, value in [("low", 5), ("low", 1), ("signed", 2), ("wide", 10)]:
        with pytest.raises(Violation) as caught:
            setattr(s, name, value)
        assert caught.value.name == f"range:{name}"
    with pytest.raises(Violation) as caught:
        s.parts[m.Color.RED].level = 4
    assert caught.value.name == "range:level"
    s.signed = True
    assert type(s.signed) is int


def test_an_unset_name_cannot_be_read(m: ModuleType) -> None:
    from explorer.lang.types import RecordT
    from explorer.lang.values import kind_of

    model = m.Model()
    s = kind_of(RecordT(m.State), model.scope).initial()
    with pytest.raises(ModelError, match="State.name is read before it has a value"):
        _ = s.name
