"""Map, Set, Seq and Pool: what a model keeps values in.

A container inside a state knows its kind and checks every store. One that an expression made, like ``Set((a, b))``, has
no kind yet: it is checked when it is stored.
"""

from __future__ import annotations

import enum
from collections.abc import Hashable, Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Generic, NoReturn, TypeVar

from explorer.lang.effects import Incomplete, NoneUsed, Violation
from explorer.lang.errors import ModelError
from explorer.lang.kinds import UNSET, Kind, read_unset
from explorer.lang.sorts import Sort

K = TypeVar("K")
V = TypeVar("V")


class Map(Generic[K, V]):
    """A total map: every value of the key's type has an entry, from the start and for good.

    ``m[k]``, ``m[k] = v``, ``for k in m`` (all keys), ``m.values()``, ``m.items()``, ``len(m)``.
    """

    __slots__ = ("_items", "_kind")
    _items: dict[K, V]
    _kind: MapKind
    __hash__ = None  # type: ignore[assignment]

    def __init__(self) -> None:
        raise ModelError(
            "a Map cannot be made by hand",
            hint="declare it as a field (its entries get their initial values) and assign the entries",
        )

    def __getitem__(self, key: K) -> V:
        try:
            value = self._items[key]
        except (KeyError, TypeError):
            value = self._items[self._kind.at(key)]
        if value is UNSET:
            read_unset(f"{self._kind.field}[{key!r}]")
        return value

    def __setitem__(self, key: K, value: V) -> None:
        kind = self._kind
        kind.value.prepare(value)
        if key not in self._items:
            key = kind.at(key)
        if kind.value.immutable:
            self._items[key] = kind.value.check(value)
        else:
            kind.value.fill(self._items[key], value)

    def __iter__(self) -> Iterator[K]:
        return iter(self._kind.keys)

    def __len__(self) -> int:
        return len(self._kind.keys)

    def values(self) -> list[V]:
        """The entries in order of the keys."""
        return [self[k] for k in self._kind.keys]

    def items(self) -> list[tuple[K, V]]:
        """Keys and entries in order of the keys."""
        return [(k, self[k]) for k in self._kind.keys]

    def __contains__(self, key: object) -> NoReturn:
        raise ModelError(
            f"a Map is total: every key is in {self._kind.field}",
            hint="ask for the entry: `m[k] is not None`, or use a Set",
        )

    def __eq__(self, other: object) -> bool:
        return self._items == other._items if isinstance(other, Map) else NotImplemented

    def __repr__(self) -> str:
        return f"Map({self._items!r})"


class Set(Generic[K]):
    """A finite set of immutable values. It is iterated over in the order of the members' type."""

    __slots__ = ("_items", "_kind")
    _items: set[K]
    _kind: SetKind | None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, members: Iterable[K] = (), /) -> None:
        self._items = set(members)
        self._kind = None

    @classmethod
    def _of(cls, items: set[K], kind: SetKind | None) -> Set[K]:
        result = cls.__new__(cls)
        result._items = items
        result._kind = kind
        return result

    def add(self, member: K) -> None:
        """Put ``member`` in."""
        self._items.add(member if self._kind is None else self._kind.item.check(member))

    def discard(self, member: K) -> None:
        """Take ``member`` out if it is in."""
        self._items.discard(member)

    def remove(self, member: K) -> None:
        """Take ``member`` out. It is the violation ``range:FIELD`` if it is not in."""
        if member not in self._items:
            _out_of_range(self._kind, f"{member!r} is not in the set")
        self._items.remove(member)

    def clear(self) -> None:
        """Take every member out."""
        self._items.clear()

    def __contains__(self, member: object) -> bool:
        return member in self._items

    def __iter__(self) -> Iterator[K]:
        return iter(sorted(self._items, key=_rank if self._kind is None else self._kind.item.rank))

    def __len__(self) -> int:
        return len(self._items)

    def __or__(self, other: Set[K]) -> Set[K]:
        return self._combine(other, self._items | _members(other))

    def __and__(self, other: Set[K]) -> Set[K]:
        return self._combine(other, self._items & _members(other))

    def __sub__(self, other: Set[K]) -> Set[K]:
        return self._combine(other, self._items - _members(other))

    def _combine(self, other: Set[K], items: set[K]) -> Set[K]:
        return Set._of(items, self._kind or other._kind)

    def __le__(self, other: Set[K]) -> bool:
        return self._items <= _members(other)

    def __eq__(self, other: object) -> bool:
        return self._items == other._items if isinstance(other, Set) else NotImplemented

    def __repr__(self) -> str:
        return f"Set({list(self)!r})"


class Seq(Generic[V]):
    """A bounded sequence of immutable values, first in first out or indexed from 0.

    Taking from an empty one and an index that is out of range (a negative one too) are the violation ``range:FIELD``.
    """

    __slots__ = ("_items", "_kind")
    _items: list[V]
    _kind: SeqKind | None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, items: Iterable[V] = (), /) -> None:
        self._items = list(items)
        self._kind = None

    def append(self, item: V) -> None:
        """Put ``item`` behind the last."""
        self._items.append(self._admit(item))

    def insert(self, index: int, item: V) -> None:
        """Put ``item`` at ``index``; those from there on move up."""
        self._prepare(item)
        if not 0 <= index <= len(self._items):
            self._refuse(index)
        self._items.insert(index, self._admit(item))

    def pop_first(self) -> V:
        """Take the first item out."""
        if not self._items:
            _out_of_range(self._kind, "pop_first from an empty sequence")
        return self._items.pop(0)

    def first(self) -> V:
        """The first item."""
        if not self._items:
            _out_of_range(self._kind, "first of an empty sequence")
        return self._items[0]

    def last(self) -> V:
        """The last item."""
        if not self._items:
            _out_of_range(self._kind, "last of an empty sequence")
        return self._items[-1]

    def remove_at(self, index: int) -> None:
        """Take the item at ``index`` out; those behind it move down."""
        del self._items[self._index(index)]

    def clear(self) -> None:
        """Take every item out."""
        self._items.clear()

    def __getitem__(self, index: int) -> V:
        return self._items[self._index(index)]

    def __setitem__(self, index: int, item: V) -> None:
        self._prepare(item)
        index = self._index(index)
        self._items[index] = item if self._kind is None else self._kind.item.check(item)

    def __contains__(self, item: object) -> bool:
        return item in self._items

    def __iter__(self) -> Iterator[V]:
        return iter(tuple(self._items))

    def __len__(self) -> int:
        return len(self._items)

    def __eq__(self, other: object) -> bool:
        return self._items == other._items if isinstance(other, Seq) else NotImplemented

    def __repr__(self) -> str:
        return f"Seq({self._items!r})"

    def _admit(self, item: V) -> V:
        kind = self._kind
        if kind is None:
            return item
        kind.item.prepare(item)
        kind.make_room(len(self._items) + 1)
        checked: V = kind.item.check(item)
        return checked

    def _prepare(self, item: V) -> None:
        if self._kind is not None:
            self._kind.item.prepare(item)

    def _index(self, index: int) -> int:
        if index is None:
            raise NoneUsed
        if not isinstance(index, int):
            raise ModelError(f"a sequence is indexed by an integer, not by {index!r}")
        if not 0 <= index < len(self._items):
            self._refuse(index)
        return index

    def _refuse(self, index: int) -> NoReturn:
        _out_of_range(self._kind, f"no item {index} in a sequence of {len(self._items)}")


class Pool(Generic[K, V]):
    """Entries that are allocated and freed under names of a sort.

    ``pool[r]`` of a name that is not allocated is the violation ``freed:FIELD``; ``for r in pool`` goes through the
    allocated names.
    """

    __slots__ = ("_items", "_kind")
    _items: dict[K, V]
    _kind: PoolKind
    __hash__ = None  # type: ignore[assignment]

    def __init__(self) -> None:
        raise ModelError(
            "a Pool cannot be made by hand", hint="declare it as a field and use alloc"
        )

    def alloc(self, value: V, /) -> K:
        """Keep a copy of ``value`` under a name that nothing holds: it is neither allocated in a pool of this sort
        nor mentioned in the state (before the step or now) or in a parameter of the action. So it cannot be
        observed which one it is. With no such name the run is incomplete."""
        kind = self._kind
        kind.value.prepare(value)
        for ref in kind.blank(self):
            self._items[ref] = kind.value.check(value)
            name: K = ref
            return name
        raise Incomplete(kind.sort)

    def free(self, ref: K, /) -> None:
        """Give the name back and forget its entry."""
        self._kind.allocated(self, ref)
        del self._items[ref]

    def __contains__(self, ref: object) -> bool:
        return ref in self._items

    def __getitem__(self, ref: K) -> V:
        try:
            return self._items[ref]
        except (KeyError, TypeError):
            self._kind.allocated(self, ref)
            raise

    def __setitem__(self, ref: K, value: V) -> None:
        kind = self._kind
        kind.value.prepare(value)
        kind.allocated(self, ref)
        if kind.value.immutable:
            self._items[ref] = kind.value.check(value)
        else:
            kind.value.fill(self._items[ref], value)

    def __iter__(self) -> Iterator[K]:
        return iter([ref for ref in self._kind.refs if ref in self._items])

    def __len__(self) -> int:
        return len(self._items)

    def __eq__(self, other: object) -> bool:
        return self._items == other._items if isinstance(other, Pool) else NotImplemented

    def __repr__(self) -> str:
        return f"Pool({ {r: self._items[r] for r in self}!r})"


def _members(other: Any) -> set[Any]:
    if other is None:
        raise NoneUsed
    if not isinstance(other, Set):
        raise ModelError(f"a Set combines with a Set, not with {other!r}", hint="write Set((a, b))")
    return other._items


def _out_of_range(kind: SetKind | SeqKind | None, message: str) -> NoReturn:
    field = kind.field if kind is not None else "value"
    raise Violation(f"range:{field}", f"{field}: {message}")


def _rank(value: Any) -> Any:
    """A sort key for the members of a set whose type is not known yet."""
    if value is None:
        return ()
    if isinstance(value, (bool, int)):
        return (int(value),)
    if isinstance(value, enum.Enum):
        return (list(type(value)).index(value),)
    if hasattr(value, "_index"):
        return (value._index,)
    return (type(value).__qualname__, *(_rank(getattr(value, f)) for f in value.__match_args__))


class MapKind(Kind):
    """The kind of a Map. ``keys`` are all keys in order."""

    __slots__ = ("key_kind", "keys", "value")
    immutable = False

    def __init__(self, field: str, key: Kind, value: Kind) -> None:
        super().__init__(field)
        self.key_kind = key
        self.keys = tuple(key.domain())
        self.value = value

    def at(self, key: Any) -> Any:
        """The key itself, after a look that did not find it: raises unless its type allows it."""
        return self.key_kind.check(key)

    def _make(self, items: dict[Any, Any]) -> Map[Any, Any]:
        result: Map[Any, Any] = Map.__new__(Map)
        result._items = items
        result._kind = self
        return result

    def initial(self) -> Map[Any, Any]:
        return self._make({k: self.value.initial() for k in self.keys})

    def check(self, value: Any) -> Map[Any, Any]:
        result = self.initial()
        self.fill(result, value)
        return result

    def fill(self, place: Map[Any, Any], value: Any) -> None:
        if not isinstance(value, Map):
            self.refuse(value, "a Map")
        if place is value:
            return
        for k in self.keys:
            place[k] = value[k]

    def clone(self, value: Map[Any, Any]) -> Map[Any, Any]:
        items = value._items
        if self.value.immutable:
            return self._make(items.copy())
        clone = self.value.clone
        return self._make({k: clone(v) for k, v in items.items()})

    def key(self, value: Map[Any, Any]) -> Hashable:
        if self.value.immutable:
            return tuple(value._items.values())
        key = self.value.key
        return tuple([key(v) for v in value._items.values()])

    def unset(self, value: Map[Any, Any], path: str) -> Iterator[str]:
        for k, v in value._items.items():
            yield from self.value.unset(v, f"{path}[{k}]")

    def names(self, value: Map[Any, Any]) -> Iterator[Sort]:
        for v in value._items.values():
            yield from self.value.names(v)


class SetKind(Kind):
    """The kind of a Set."""

    __slots__ = ("item",)
    immutable = False

    def __init__(self, field: str, item: Kind) -> None:
        super().__init__(field)
        self.item = item

    def initial(self) -> Set[Any]:
        return Set._of(set(), self)

    def check(self, value: Any) -> Set[Any]:
        if not isinstance(value, Set):
            self.refuse(value, "a Set")
        check = self.item.check
        return Set._of({check(v) for v in value}, self)

    def fill(self, place: Set[Any], value: Any) -> None:
        place._items = self.check(value)._items

    def clone(self, value: Set[Any]) -> Set[Any]:
        return Set._of(value._items.copy(), self)

    def key(self, value: Set[Any]) -> Hashable:
        return frozenset(value._items)

    def unset(self, value: Any, path: str) -> Iterator[str]:
        return iter(())

    def names(self, value: Set[Any]) -> Iterator[Sort]:
        for v in value._items:
            yield from self.item.names(v)


class SeqKind(Kind):
    """The kind of a Seq. ``scope_name`` is the scope entry of a capacity that is not the protocol's."""

    __slots__ = ("capacity", "item", "scope_name")
    immutable = False

    def __init__(self, field: str, item: Kind, capacity: int, scope_name: str | None) -> None:
        super().__init__(field)
        self.item = item
        self.capacity = capacity
        self.scope_name = scope_name

    def make_room(self, length: int) -> None:
        """Raise Violation ``full:FIELD`` or Incomplete where ``length`` items do not fit."""
        if length > self.capacity:
            if self.scope_name is not None:
                raise Incomplete(self.scope_name)
            raise Violation(
                f"full:{self.field}",
                f"{self.field} has room for {self.capacity} item{'s' * (self.capacity != 1)}",
            )

    def initial(self) -> Seq[Any]:
        return self._make([])

    def _make(self, items: list[Any]) -> Seq[Any]:
        result: Seq[Any] = Seq.__new__(Seq)
        result._items = items
        result._kind = self
        return result

    def check(self, value: Any) -> Seq[Any]:
        if not isinstance(value, Seq):
            self.refuse(value, "a Seq")
        self.make_room(len(value))
        check = self.item.check
        return self._make([check(v) for v in value._items])

    def fill(self, place: Seq[Any], value: Any) -> None:
        place._items = self.check(value)._items

    def clone(self, value: Seq[Any]) -> Seq[Any]:
        return self._make(value._items.copy())

    def key(self, value: Seq[Any]) -> Hashable:
        return tuple(value._items)

    def unset(self, value: Any, path: str) -> Iterator[str]:
        return iter(())

    def names(self, value: Seq[Any]) -> Iterator[Sort]:
        for v in value._items:
            yield from self.item.names(v)


class PoolKind(Kind):
    """The kind of a Pool. ``refs`` are all names, ``sort`` is their class's."""

    __slots__ = ("ref", "refs", "sort", "value")
    immutable = False

    def __init__(self, field: str, ref: Kind, sort: str, value: Kind) -> None:
        super().__init__(field)
        self.ref = ref
        self.refs = tuple(ref.domain())
        self.sort = sort
        self.value = value

    def allocated(self, pool: Pool[Any, Any], ref: Any) -> None:
        """Raise Violation ``freed:FIELD`` unless ``ref`` is allocated."""
        if self.ref.check(ref) not in pool._items:
            raise Violation(f"freed:{self.field}", f"{self.field}: {ref!r} is not allocated")

    def _make(self, items: dict[Any, Any]) -> Pool[Any, Any]:
        result: Pool[Any, Any] = Pool.__new__(Pool)
        result._items = items
        result._kind = self
        return result

    def initial(self) -> Pool[Any, Any]:
        return self._make({})

    def check(self, value: Any) -> Pool[Any, Any]:
        if not isinstance(value, Pool):
            self.refuse(value, "a Pool")
        check = self.value.check
        return self._make({self.ref.check(r): check(v) for r, v in value._items.items()})

    def fill(self, place: Pool[Any, Any], value: Any) -> None:
        if place is not value:
            place._items = self.check(value)._items

    def clone(self, value: Pool[Any, Any]) -> Pool[Any, Any]:
        clone = self.value.clone
        return self._make({r: clone(v) for r, v in value._items.items()})

    def key(self, value: Pool[Any, Any]) -> Hashable:
        items, key = value._items, self.value.key
        return tuple([(r, key(items[r])) for r in self.refs if r in items])

    def unset(self, value: Any, path: str) -> Iterator[str]:
        return iter(())

    def names(self, value: Pool[Any, Any]) -> Iterator[Sort]:
        for r, v in value._items.items():
            yield r
            yield from self.value.names(v)

    def blank(self, pool: Pool[Any, Any]) -> Iterator[Any]:
        """The names that ``alloc`` may give, in order."""
        step = STEP.get()
        used = set(pool._items) if step is None else step.names()
        return (ref for ref in self.refs if ref not in used)


@dataclass(frozen=True)
class RunningStep:
    """A step while it runs: the state before it, the one that it changes, the values of its parameters.

    ``kind`` is the state's.
    """

    kind: Kind
    before: Any
    state: Any
    values: tuple[object, ...]

    def names(self) -> set[object]:
        """Every name that is allocated or held anywhere, before the step or now, or that is a parameter."""
        held = {*self.kind.names(self.before), *self.kind.names(self.state)}
        return held.union(*map(_names_in, self.values))


def _names_in(value: Any) -> set[Sort]:
    """The names in the value of a parameter: a scalar, None, or a frozen record of such."""
    if isinstance(value, Sort):
        return {value}
    fields = getattr(type(value), "__match_args__", ())
    return {name for f in fields for name in _names_in(getattr(value, f))}


STEP: ContextVar[RunningStep | None] = ContextVar("step", default=None)
"""The step that is running."""
