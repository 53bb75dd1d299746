"""Where the parts of a value lie: every type in a scope is a fixed list of numbers, its leaves.

Parts that do not exist (the payload of None, the tail of a sequence, a freed entry, the other variants of a
union) are kept at zero, so that equal states have equal leaves.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from explorer.compiler.program import Leaf
from explorer.compiler.tree import OPTIONAL_NUMBER, NumberT
from explorer.lang.errors import ModelError
from explorer.lang.scope import Scope
from explorer.lang.text import format_value
from explorer.lang.types import (
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
    is_scalar,
    scope_names,
)
from explorer.lang.values import kind_of

Flat = tuple[int, ...]
LARGEST_STATE = 1 << 16
"""Leaves of a state; more would take minutes to compile."""


class Layout:
    """Sizes and positions of the leaves of every type in one scope."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.known = functools.cache(self._known)
        self.size = functools.cache(self._size)
        self.domain = functools.cache(self._domain)
        self.zero = functools.cache(self._zero)
        self.initial = functools.cache(self._initial)
        self._fields: dict[type[Any], dict[str, tuple[int, Type]]] = {}

    def entry(self, name: str) -> int:
        """The scope's entry of that name. Raises ModelError where there is none."""
        if name not in self.scope:
            raise ModelError(
                f"the scope has no entry {name}",
                hint=f'add it to default_scope: {{"{name}": 2}}; it has: {", ".join(self.scope)}',
            )
        return self.scope[name]

    def _known(self, kind: Type) -> Type:
        """``kind``, if the scope has what it names."""
        for name in scope_names(kind):
            self.entry(name)
        return kind

    def limits(self, kind: Type) -> tuple[int, int]:
        """The least and greatest number that stands for a value of a scalar type."""
        match kind:
            case BoolT():
                return 0, 1
            case IntT():
                self.known(kind)
                return bounds(kind, self.scope)
            case EnumT(cls):
                return 0, len(cls) - 1
            case SortT(sort):
                return 0, self.scope[sort.__name__] - 1
            case OrdinalT(ordinal):
                finite = self.scope[ordinal.__name__]
                return 0, finite if ordinal._top_name else finite - 1
        raise AssertionError(kind)

    def capacity(self, kind: SeqT) -> int:
        """How many items fit into a sequence."""
        limit = kind.capacity
        return self.scope[limit] if isinstance(limit, str) else limit

    def _domain(self, kind: Type) -> tuple[Flat, ...]:
        """All values of an immutable type, in the language's order."""
        counted = kind_of(self.known(kind), self.scope)
        if counted.count() > LARGEST_STATE:
            raise ModelError(
                f"{kind} has {counted.count()} values in this scope, too many to list",
                hint="make the type or the scope smaller",
            )
        return tuple(self.flatten(kind, value) for value in counted.domain())

    def names(self, kind: Type) -> list[str]:
        """All values of an immutable type as text, in the order of ``domain``."""
        return [format_value(v) for v in kind_of(kind, self.scope).domain()]

    def _size(self, kind: Type) -> int:
        """The number of leaves."""
        if kind == OPTIONAL_NUMBER:
            return 2
        self.known(kind)
        match kind:
            case OptionalT(inner):
                size = 1 if is_scalar(inner) else 1 + self.size(inner)
            case RecordT(cls):
                size = sum(self.size(f.type) for f in fields_of(cls))
            case UnionT(variants):
                size = 1 + sum(self.size(v) for v in variants)
            case MapT(key, value):
                size = len(self.domain(key)) * self.size(value)
            case SetT(item):
                size = len(self.domain(item))
            case SeqT(item, _, _):
                size = 1 + self.capacity(kind) * self.size(item)
            case PoolT(ref, value):
                size = len(self.domain(ref)) * (1 + self.size(value))
            case _:
                size = 1
        if size > LARGEST_STATE:
            raise ModelError(
                f"{kind} takes {size} numbers in this scope, more than {LARGEST_STATE}",
                hint="make the scope smaller",
            )
        return size

    def field(self, cls: type[Any], name: str) -> tuple[int, Type]:
        """A field's first leaf inside its record, and its type."""
        found = self._fields.get(cls)
        if found is None:
            found, offset = {}, 0
            for f in fields_of(cls):
                found[f.name] = offset, f.type
                offset += self.size(f.type)
            self._fields[cls] = found
        return found[name]

    def variant(self, kind: UnionT, index: int) -> int:
        """The first leaf of a variant inside its union."""
        return 1 + sum(self.size(v) for v in kind.variants[:index])

    def leaves(self, kind: Type, path: str = "") -> Iterator[Leaf]:
        """What each leaf holds."""
        match kind:
            case OptionalT(inner) if is_scalar(inner):
                low, high = self.limits(inner)
                yield Leaf(path, 0, high - low + 1, is_bool=False)
            case OptionalT(inner):
                yield Leaf(f"{path} is not None", 0, 1, is_bool=True)
                yield from self.leaves(inner, path)
            case RecordT(cls):
                for f in fields_of(cls):
                    yield from self.leaves(f.type, f"{path}.{f.name}" if path else f.name)
            case UnionT(variants):
                yield Leaf(f"{path} is", 0, len(variants) - 1, is_bool=False)
                for variant in variants:
                    yield from self.leaves(variant, f"{path}.{variant}")
            case MapT(key, value):
                for name in self.names(key):
                    yield from self.leaves(value, f"{path}[{name}]")
            case SetT(item):
                for name in self.names(item):
                    yield Leaf(f"{name} in {path}", 0, 1, is_bool=True)
            case SeqT(item, _, _):
                yield Leaf(f"len({path})", 0, self.capacity(kind), is_bool=False)
                for i in range(self.capacity(kind)):
                    yield from self.leaves(item, f"{path}[{i}]")
            case PoolT(ref, value):
                for name in self.names(ref):
                    yield Leaf(f"{name} in {path}", 0, 1, is_bool=True)
                    yield from self.leaves(value, f"{path}[{name}]")
            case _:
                low, high = self.limits(kind)
                ordinal = kind.cls.__name__ if isinstance(kind, OrdinalT) else None
                yield Leaf(path, low, high, isinstance(kind, BoolT), ordinal)

    def _zero(self, kind: Type) -> Flat:
        """The leaves of a part that does not exist."""
        match kind:
            case RecordT(cls):
                return tuple(n for f in fields_of(cls) for n in self.zero(f.type))
            case MapT(key, value):
                return self.zero(value) * len(self.domain(key))
            case OptionalT(NumberT()):
                return (0, 0)
            case IntT():
                return (bounds(kind, self.scope)[0],)
            case OptionalT(inner) if not is_scalar(inner):
                return (0, *self.zero(inner))
            case UnionT(variants):
                return (0, *(n for v in variants for n in self.zero(v)))
            case SeqT(item, _, _):
                return (0, *self.zero(item) * self.capacity(kind))
            case PoolT(ref, value):
                return (0, *self.zero(value)) * len(self.domain(ref))
            case _:
                return (0,) * self.size(kind)

    def _initial(self, kind: Type, field: str = "") -> Flat:
        """The leaves of the initial value. A sort inside has none: its leaves are zero, and the language
        refuses to read them before they are assigned."""
        value = kind_of(self.known(kind), self.scope, field).initial()
        return self.flatten(kind, value)

    def flatten(self, kind: Type, value: Any) -> Flat:
        """The leaves of a CPython value."""
        match kind:
            case BoolT() | IntT():
                return (int(value),)
            case EnumT(cls):
                return (list(cls).index(value),)
            case SortT():
                return (value._index if isinstance(value, kind.cls) else 0,)
            case OrdinalT(ordinal):
                top = ordinal._top_name is not None and value is ordinal.top()
                return (self.scope[ordinal.__name__] if top else value._index,)
            case OptionalT(inner) if is_scalar(inner):
                if value is None:
                    return (0,)
                return (self.flatten(inner, value)[0] - self.limits(inner)[0] + 1,)
            case OptionalT(inner):
                if value is None:
                    return self.zero(kind)
                return (1, *self.flatten(inner, value))
            case RecordT(cls):
                inside = value.__dict__ if hasattr(value, "__dict__") else {}
                return tuple(
                    n for f in fields_of(cls) for n in self.flatten(f.type, inside.get(f.name))
                )
            case UnionT(variants):
                if not any(isinstance(value, v.cls) for v in variants):
                    return self.zero(kind)  # an unset one: see _initial
                index = next(i for i, v in enumerate(variants) if type(value) is v.cls)
                parts = [index]
                for i, variant in enumerate(variants):
                    parts += self.flatten(variant, value) if i == index else self.zero(variant)
                return tuple(parts)
            case MapT(_, item):
                return tuple(
                    n for entry in value._items.values() for n in self.flatten(item, entry)
                )
            case SetT(item):
                return tuple(int(m in value._items) for m in kind_of(item, self.scope).domain())
            case SeqT(item, _, _):
                parts = [len(value)]
                for entry in value._items:
                    parts += self.flatten(item, entry)
                return (*parts, *self.zero(item) * (self.capacity(kind) - len(value)))
            case PoolT(ref, item):
                parts = []
                for name in kind_of(ref, self.scope).domain():
                    if name in value._items:
                        parts += [1, *self.flatten(item, value._items[name])]
                    else:
                        parts += [0, *self.zero(item)]
                return tuple(parts)
