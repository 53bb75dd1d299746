"""Map, Set, Seq and Pool: what they offer and how they fail."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from explorer.lang import Incomplete, Map, ModelError, Pool, Seq, Set, Violation
from explorer.lang.effects import NoneUsed
from explorer.lang.run import initial_states
from tests.lang.sources import load

TEXT = """
@record(frozen=True)
class Message:
    name: Name
    level: Level = 0
@record(frozen=True)
class Stop: ...
Item: TypeAlias = Message | Stop
@record
class Part:
    level: Level
    names: Set[Name] = initial()
@record
class State:
    level: Map[Name, Level]
    deep: Map[Color, Map[Name, Level]]
    numbered: Map[Level, bool]
    names: Set[Name]
    mixed: Set[Item | None]
    queue: Seq[Item]
    bound: Annotated[Seq[Level], Capacity(2)]
    wide: Annotated[Seq[Level], Capacity("room")]
    pool: Pool[Name, Part]
    flat: Pool[Name, Level | None]
    owners: Map[Color, Name]
class Model(System[State]):
    default_scope = {"Name": 3, "queue": 2, "room": 1}
    def init(self, s: State) -> None:
        for c in Color:
            for n in Name:
                s.owners[c] = n
    @action
    def go(self, s: State) -> None: ...
"""


@pytest.fixture
def m(tmp_path: Path) -> ModuleType:
    return load(tmp_path, TEXT)


@pytest.fixture
def s(m: ModuleType) -> Any:
    system = m.Model()
    _, state = next(initial_states(system))
    with system:
        yield state


def violation(call: Any, *arguments: Any) -> str:
    with pytest.raises(Violation) as caught:
        call(*arguments)
    return caught.value.name


def cut(call: Any, *arguments: Any) -> str:
    with pytest.raises(Incomplete) as caught:
        call(*arguments)
    return caught.value.name


def test_map(m: ModuleType, s: Any) -> None:
    a, b, c = m.Name
    s.level[b] = 2
    assert list(s.level) == [a, b, c] and len(s.level) == 3
    assert s.level.values() == [0, 2, 0] and s.level.items()[1] == (b, 2)
    assert violation(s.level.__setitem__, a, 4) == "range:level"
    assert violation(s.deep[m.Color.RED].__setitem__, a, 4) == "range:deep"
    assert violation(s.numbered.__getitem__, 7) == "range:numbered"
    assert violation(s.numbered.__setitem__, 7, True) == "range:numbered"
    with pytest.raises(ModelError, match="every key is in level"):
        a in s.level  # noqa: B015
    with pytest.raises(ModelError, match="level holds Name, not <Color.RED"):
        s.level[m.Color.RED]
    with pytest.raises(NoneUsed):
        s.level[None]
    with pytest.raises(NoneUsed):
        s.level[a] = None
    with pytest.raises(ModelError, match="a Map cannot be made by hand"):
        Map()


def test_a_map_in_a_map_is_copied(m: ModuleType, s: Any) -> None:
    a = next(iter(m.Name))
    s.deep[m.Color.RED][a] = 3
    s.deep[m.Color.GREEN] = s.deep[m.Color.RED]
    s.deep[m.Color.RED][a] = 1
    assert s.deep[m.Color.GREEN][a] == 3
    s.level = s.deep[m.Color.GREEN]
    assert s.level[a] == 3
    with pytest.raises(ModelError, match="level holds a Map, not 3"):
        s.level = 3


def test_set(m: ModuleType, s: Any) -> None:
    a, b, c = m.Name
    place = s.names
    s.names.add(c)
    s.names.add(a)
    s.names.add(a)
    assert list(s.names) == [a, c] and len(s.names) == 2 and b not in s.names
    assert violation(s.names.remove, b) == "range:names"
    s.names.discard(b)
    s.names.remove(a)
    assert s.names == Set((c,))
    assert list(s.names | Set((b,))) == [b, c]
    assert list(Set((a, c)) & s.names) == [c]
    assert list(Set((a, c)) - s.names) == [a]
    assert Set() <= s.names <= Set((b, c)) and s.names >= Set() and not Set((a,)) <= s.names
    s.names = Set(n for n in m.Name if n != a)
    assert s.names is place and list(place) == [b, c]
    s.names.clear()
    assert len(place) == 0
    with pytest.raises(NoneUsed):
        s.names.add(None)
    assert None not in s.names
    with pytest.raises(ModelError, match="names holds Name, not 3"):
        s.names.add(3)
    with pytest.raises(ModelError, match="a Set combines with a Set"):
        s.names | [a]
    with pytest.raises(TypeError):
        hash(s.names)


def test_a_set_is_ordered_by_its_type(m: ModuleType, s: Any) -> None:
    a, b, _ = m.Name
    items = [None, m.Message(a, 0), m.Message(a, 1), m.Message(b, 0), m.Stop()]
    for item in reversed(items):
        s.mixed.add(item)
    assert list(s.mixed) == items


def test_a_set_is_not_changed_by_the_loop_over_it(m: ModuleType, s: Any) -> None:
    s.names = Set(m.Name)
    for n in s.names:
        s.names.remove(n)
    assert len(s.names) == 0


def test_seq(m: ModuleType, s: Any) -> None:
    a, b, _ = m.Name
    first, second = m.Message(a), m.Message(b, 1)
    s.queue.append(first)
    s.queue.insert(0, second)
    assert list(s.queue) == [second, first] and first in s.queue and m.Stop() not in s.queue
    assert s.queue.first() == second == s.queue[0] and s.queue.last() == first
    assert cut(s.queue.append, first) == "queue"
    assert cut(s.queue.insert, 0, first) == "queue"
    assert s.queue.pop_first() == second
    s.queue[0] = m.Stop()
    assert s.queue == Seq((m.Stop(),))
    for call, arguments in [
        (s.queue.__getitem__, (1,)),
        (s.queue.__getitem__, (-1,)),
        (s.queue.__setitem__, (1, first)),
        (s.queue.remove_at, (1,)),
        (s.queue.insert, (3, first)),
    ]:
        assert violation(call, *arguments) == "range:queue"
    s.queue.remove_at(0)
    for call in (s.queue.pop_first, s.queue.first, s.queue.last):
        assert violation(call) == "range:queue"
    with pytest.raises(ModelError, match="queue holds Message | Stop, not 3"):
        s.queue.append(3)
    with pytest.raises(NoneUsed):
        s.queue[None]
    with pytest.raises(ModelError, match="indexed by an integer"):
        s.queue["a"]


def test_capacities(s: Any) -> None:
    s.bound = Seq((1, 2))
    assert violation(s.bound.append, 1) == "full:bound"
    assert violation(s.bound.__setitem__, 0, 4) == "range:bound"
    with pytest.raises(Violation) as caught:
        s.bound = Seq((1, 2, 3))
    assert caught.value.name == "full:bound"
    s.wide.append(1)
    assert cut(s.wide.append, 1) == "room"
    s.bound.clear()
    assert len(s.bound) == 0


def test_a_none_counts_before_the_place_it_is_to_go_to(s: Any) -> None:
    s.bound = Seq((1, 2))
    assert violation(s.bound.append, 9) == "full:bound"
    assert violation(s.bound.insert, 3, 9) == "range:bound"
    with pytest.raises(NoneUsed):
        s.bound.append(None)
    with pytest.raises(NoneUsed):
        s.bound.insert(9, None)


def test_a_sequence_is_not_changed_by_the_loop_over_it(s: Any) -> None:
    s.bound = Seq((1, 2))
    for x in s.bound:
        s.bound.pop_first()
        assert x
    assert len(s.bound) == 0


def test_pool(m: ModuleType, s: Any) -> None:
    a, b, c = m.Name
    part = m.Part(2)
    assert s.pool.alloc(part) is a
    part.level = 0
    assert s.pool[a].level == 2
    assert s.pool.alloc(part) is b and s.pool.alloc(part) is c
    assert cut(s.pool.alloc, part) == "Name"
    s.pool[a].names.add(b)
    s.pool.free(a)
    assert a not in s.pool and b in s.pool and list(s.pool) == [b, c] and len(s.pool) == 2
    for call in (s.pool.__getitem__, s.pool.free):
        assert violation(call, a) == "freed:pool"
    assert violation(s.pool.__setitem__, a, part) == "freed:pool"
    assert s.pool.alloc(m.Part(1)) is a
    assert s.pool[a] == m.Part(1)
    s.pool[a] = m.Part(3)
    assert s.pool[a].level == 3
    with pytest.raises(NoneUsed):
        s.pool[None]
    with pytest.raises(ModelError, match="a Pool cannot be made by hand"):
        Pool()
    r = s.flat.alloc(None)
    s.flat[r] = 3
    assert s.flat[r] == 3


def test_freed_entries_do_not_show(m: ModuleType, s: Any) -> None:
    from explorer.lang.run import clone, key

    before = key(s)
    other = clone(s)
    r = s.pool.alloc(m.Part(1))
    assert key(s) != before
    s.pool.free(r)
    assert key(s) == before and s == other


def test_equality_of_containers(m: ModuleType, s: Any) -> None:
    from explorer.lang.run import clone

    other = clone(s)
    assert s.level == other.level and s.pool == other.pool and s.queue == other.queue
    other.pool.alloc(m.Part(1))
    other.level[m.Name(0)] = 1
    assert s.level != other.level and s.pool != other.pool
    assert s.level != 3 and s.pool != 3 and s.names != 3 and s.queue != 3
