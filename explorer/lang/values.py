"""Values by type: makes the kind of a type in a scope, and the kinds of records and unions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterator
from typing import Any

from explorer.lang.containers import MapKind, PoolKind, SeqKind, SetKind
from explorer.lang.effects import NoneUsed
from explorer.lang.errors import ModelError
from explorer.lang.kinds import (
    UNSET,
    BoolKind,
    EnumKind,
    IntKind,
    Kind,
    NamedKind,
    OptionalKind,
    read_unset,
)
from explorer.lang.markers import Initial
from explorer.lang.scope import LARGEST, Scope
from explorer.lang.sorts import Sort
from explorer.lang.types import (
    MISSING,
    BoolT,
    EnumT,
    IntT,
    MapT,
    OptionalT,
    OrdinalT,
    PoolT,
    RecordT,
    SeqT,
    SetT,
    SortT,
    Type,
    UnionT,
    bounds,
    fields_of,
)


class RecordTable:
    """The fields of a record class in a scope; every mutable record holds the one it was made with."""

    __slots__ = ("clones", "cls", "defaults", "keys", "kinds", "names", "required", "scope")

    def __init__(self, cls: type[Any], scope: Scope) -> None:
        self.cls = cls
        self.scope = scope
        fields = fields_of(cls)
        self.kinds = {f.name: kind_of(f.type, scope, f.name) for f in fields}
        self.names = tuple(self.kinds)
        self.defaults = {f.name: f.default for f in fields}
        self.required = [f.name for f in fields if f.default is MISSING]
        # Cloning and keys are what a search spends its time on: only what is mutable is looked into.
        self.clones = [(n, k.clone) for n, k in self.kinds.items() if not k.immutable]
        self.keys = [(n, None if k.immutable else k.key) for n, k in self.kinds.items()]

    def default(self, name: str) -> Any:
        """The value of a field that nobody gave: its default, else its type's initial value."""
        default = self.defaults[name]
        if default is MISSING or isinstance(default, Initial):
            return self.kinds[name].initial()
        return self.kinds[name].check(default)

    def store(self, place: Any, name: str, value: Any) -> None:
        """``place.name = value`` of a mutable record."""
        kind = self.kinds.get(name)
        if kind is None:
            raise ModelError(
                f"{self.cls.__name__} has no field {name}",
                hint=f"its fields are {', '.join(self.names)}",
            )
        if kind.immutable:
            place.__dict__[name] = kind.check(value)
        else:
            kind.fill(place.__dict__[name], value)

    def clone(self, record: Any) -> Any:
        """An independent copy of a mutable record."""
        copy = object.__new__(self.cls)
        content = copy.__dict__
        content.update(record.__dict__)
        for name, clone in self.clones:
            content[name] = clone(content[name])
        return copy

    def key(self, record: Any) -> Hashable:
        """The values of the fields as nested tuples. Raises ModelError where one is not set."""
        content = record.__dict__
        try:
            return tuple([content[n] if key is None else key(content[n]) for n, key in self.keys])
        except KeyError as error:
            read_unset(str(error.args[0]))


def table_of(cls: type[Any], scope: Scope) -> RecordTable:
    """The table of ``cls``, made once per scope."""
    table: RecordTable | None = scope.tables.get(cls)
    if table is None:
        table = scope.tables[cls] = RecordTable(cls, scope)
    return table


class RecordKind(Kind):
    """The kind of a mutable record. Its ``__dict__`` has the fields that are set, and ``_table``."""

    __slots__ = ("table",)
    immutable = False

    def __init__(self, field: str, table: RecordTable) -> None:
        super().__init__(field)
        self.table = table

    def initial(self) -> Any:
        table = self.table
        record = object.__new__(table.cls)
        content = record.__dict__
        content["_table"] = table
        for name in table.names:
            value = table.default(name)
            if value is not UNSET:
                content[name] = value
        return record

    def check(self, value: Any) -> Any:
        record = self.initial()
        self.fill(record, value)
        return record

    def fill(self, place: Any, value: Any) -> None:
        if type(value) is not self.table.cls:
            self.refuse(value, self.table.cls.__name__)
        if place is value:
            return
        store = self.table.store
        for name in self.table.names:
            store(place, name, getattr(value, name))

    def clone(self, value: Any) -> Any:
        return self.table.clone(value)

    def key(self, value: Any) -> Hashable:
        return self.table.key(value)

    def unset(self, value: Any, path: str) -> Iterator[str]:
        for name, kind in self.table.kinds.items():
            inner = f"{path}.{name}" if path else name
            yield from kind.unset(value.__dict__.get(name, UNSET), inner)

    def names(self, value: Any) -> Iterator[Sort]:
        for name, kind in self.table.kinds.items():
            yield from kind.names(value.__dict__.get(name, UNSET))


class FrozenKind(Kind):
    """The kind of a frozen record."""

    __slots__ = ("table",)

    def __init__(self, field: str, table: RecordTable) -> None:
        super().__init__(field)
        self.table = table

    def initial(self) -> Any:
        values = {name: self.table.default(name) for name in self.table.names}
        # A frozen record is complete or not there at all.
        if any(value is UNSET for value in values.values()):
            return UNSET
        return self.table.cls(**values)

    def check(self, value: Any) -> Any:
        if type(value) is not self.table.cls:
            self.refuse(value, self.table.cls.__name__)
        content = value.__dict__
        if content.get("_scope") is not self.table.scope:
            for name, kind in self.table.kinds.items():
                kind.check(content[name])
            content["_scope"] = self.table.scope
        return value

    def count(self) -> int:
        return math.prod(kind.count() for kind in self.table.kinds.values())

    def domain(self) -> Iterator[Any]:
        domains = [tuple(kind.domain()) for kind in self.table.kinds.values()]
        for values in itertools.product(*domains):
            yield self.table.cls(*values)

    def rank(self, value: Any) -> Any:
        return tuple(kind.rank(value.__dict__[name]) for name, kind in self.table.kinds.items())

    def names(self, value: Any) -> Iterator[Sort]:
        if value is not UNSET:
            for name, kind in self.table.kinds.items():
                yield from kind.names(value.__dict__[name])


class UnionKind(Kind):
    """The kind of a union of frozen records; the domains of its variants follow each other."""

    __slots__ = ("variants",)

    def __init__(self, field: str, variants: dict[type[Any], FrozenKind]) -> None:
        super().__init__(field)
        self.variants = variants

    def initial(self) -> Any:
        return next(iter(self.variants.values())).initial()

    def check(self, value: Any) -> Any:
        kind = self.variants.get(type(value))
        if kind is None:
            self.refuse(value, " | ".join(cls.__name__ for cls in self.variants))
        return kind.check(value)

    def count(self) -> int:
        return sum(kind.count() for kind in self.variants.values())

    def domain(self) -> Iterator[Any]:
        for kind in self.variants.values():
            yield from kind.domain()

    def rank(self, value: Any) -> Any:
        for i, (cls, kind) in enumerate(self.variants.items()):
            if type(value) is cls:
                return i, kind.rank(value)
        raise NoneUsed if value is None else AssertionError(value)

    def names(self, value: Any) -> Iterator[Sort]:
        return iter(()) if value is UNSET else self.variants[type(value)].names(value)


def kind_of(kind: Type, scope: Scope, field: str = "") -> Kind:
    """The kind of a type in ``scope``; ``field`` names the violations of its places.

    Raises ModelError where ``scope`` misses an entry or a bound makes no sense.
    """
    found: Kind | None = scope.tables.get((kind, field))
    if found is None:
        found = scope.tables[kind, field] = _make(kind, scope, field)
    return found


def _make(kind: Type, scope: Scope, field: str) -> Kind:
    match kind:
        case BoolT():
            return BoolKind(field)
        case IntT():
            low, high = bounds(kind, scope)
            if low > high:
                raise ModelError(f"{field}: {kind} contains no number in the scope {dict(scope)}")
            return IntKind(field, low, high)
        case EnumT(enum_cls):
            return EnumKind(field, enum_cls)
        case SortT(cls):
            return NamedKind(field, cls, scope[cls.__name__])
        case OrdinalT(ordinal):
            return NamedKind(field, ordinal, scope[ordinal.__name__])
        case OptionalT(inner):
            return OptionalKind(field, kind_of(inner, scope, field))
        case RecordT(record):
            table = table_of(record, scope)
            return FrozenKind(field, table) if kind.frozen else RecordKind(field, table)
        case UnionT(variants):
            return UnionKind(
                field, {v.cls: FrozenKind(field, table_of(v.cls, scope)) for v in variants}
            )
        case MapT(key, value):
            key_kind = kind_of(key, scope, field)
            if key_kind.count() > LARGEST:
                raise ModelError(
                    f"the Map {field} would have {key_kind.count()} entries in the scope {dict(scope)}",
                    hint="make the key's type or the scope smaller",
                )
            return MapKind(field, key_kind, kind_of(value, scope, field))
        case SetT(item):
            return SetKind(field, kind_of(item, scope, field))
        case SeqT(item, capacity, _):
            name = capacity if isinstance(capacity, str) else None
            limit = scope[capacity] if isinstance(capacity, str) else capacity
            return SeqKind(field, kind_of(item, scope, field), limit, name)
        case PoolT(ref, value):
            return PoolKind(
                field,
                kind_of(ref, scope, field),
                ref.cls.__name__,
                kind_of(value, scope, field),
            )
