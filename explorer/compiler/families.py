"""How the leaves of a state move when the names of its sorts are permuted.

Inside a map (or set, or pool) keyed by a sort, the leaves of one entry follow those of another at a fixed distance, its
stride. So where a leaf goes is a sum of strides, whatever the nesting; and a leaf that holds a name changes its value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from explorer.compiler.layout import Layout
from explorer.lang.sorts import Sort
from explorer.lang.types import (
    MapT,
    OptionalT,
    PoolT,
    RecordT,
    SeqT,
    SetT,
    SortT,
    Type,
    UnionT,
    fields_of,
    is_scalar,
)


@dataclass(frozen=True)
class Index:
    """A leaf's index in one dimension: the name's sort and number, and the distance to the next name's leaf."""

    sort: type[Sort]
    number: int
    stride: int


@dataclass(frozen=True)
class Guard:
    """A leaf that must be in ``low..high`` for a part of the state to exist: a flag, a tag, a length."""

    leaf: int
    low: int
    high: int


@dataclass(frozen=True)
class Moving:
    """How one leaf takes part in a permutation.

    ``family`` is the same for the leaves that permutations move onto each other. A leaf that holds a name of ``holds``
    has the value ``first`` plus the name's number; lower values (None) are not names, and no value is one where
    a guard fails: parts that do not exist are zero.
    """

    family: int
    indices: tuple[Index, ...]
    holds: type[Sort] | None = None
    first: int = 0
    guards: tuple[Guard, ...] = ()


Indices = tuple[Index, ...]
Guards = tuple[Guard, ...]


def moving_leaves(layout: Layout, kind: Type) -> tuple[Moving, ...]:
    """One entry per leaf of ``kind``, in order."""
    families: dict[tuple[object, ...], int] = {}
    result = []
    for position, (indices, holds, first, guards) in enumerate(_leaves(layout, kind, 0, (), ())):
        start = position - sum(i.stride * i.number for i in indices)
        key = (start, tuple((i.sort, i.stride) for i in indices))
        family = families.setdefault(key, len(families))
        result.append(Moving(family, indices, holds, first, guards))
    return tuple(result)


Described = tuple[Indices, type[Sort] | None, int, Guards]


def _leaves(
    layout: Layout, kind: Type, at: int, indices: Indices, guards: Guards
) -> Iterator[Described]:
    """The leaves of a part that starts ``at`` a leaf of the state and exists where ``guards`` hold."""
    plain: Described = (indices, None, 0, guards)
    match kind:
        case SortT(sort):
            yield indices, sort, 0, guards
        case OptionalT(SortT(sort)):
            yield indices, sort, 1, guards
        case OptionalT(inner) if not is_scalar(inner):
            yield plain
            yield from _leaves(layout, inner, at + 1, indices, (*guards, Guard(at, 1, 1)))
        case RecordT(cls):
            for field in fields_of(cls):
                yield from _leaves(layout, field.type, at, indices, guards)
                at += layout.size(field.type)
        case UnionT(variants):
            yield plain
            for i, variant in enumerate(variants):
                start = at + layout.variant(kind, i)
                yield from _leaves(layout, variant, start, indices, (*guards, Guard(at, i, i)))
        case MapT(key, value):
            for entry in _keys(layout, key, layout.size(value)):
                yield from _leaves(layout, value, at, indices + entry, guards)
                at += layout.size(value)
        case SetT(item):
            for entry in _keys(layout, item, 1):
                yield indices + entry, None, 0, guards
        case PoolT(ref, value):
            for entry in _keys(layout, ref, 1 + layout.size(value)):
                yield indices + entry, None, 0, guards
                inside = (*guards, Guard(at, 1, 1))
                yield from _leaves(layout, value, at + 1, indices + entry, inside)
                at += 1 + layout.size(value)
        case SeqT(item, _, _):
            yield plain
            capacity = layout.capacity(kind)
            for i in range(capacity):
                start = at + 1 + i * layout.size(item)
                inside = (*guards, Guard(at, i + 1, capacity))
                yield from _leaves(layout, item, start, indices, inside)
        case _:
            yield plain


def _keys(layout: Layout, kind: Type, stride: int) -> Iterator[Indices]:
    """The indices that each value of a key's type stands for, in the order of the domain."""
    match kind:
        case SortT(sort):
            for number in range(layout.scope[sort.__name__]):
                yield (Index(sort, number, stride),)
        case OptionalT(inner):
            yield ()
            yield from _keys(layout, inner, stride)
        case UnionT(variants):
            for variant in variants:
                yield from _keys(layout, variant, stride)
        case RecordT(cls):
            yield from _products(layout, [f.type for f in fields_of(cls)], stride)
        case _:
            for _ in layout.domain(kind):
                yield ()


def _products(layout: Layout, kinds: list[Type], stride: int) -> Iterator[Indices]:
    """The keys of a record: its first field is the slowest."""
    if not kinds:
        yield ()
        return
    inner = stride
    for kind in kinds[1:]:
        inner *= len(layout.domain(kind))
    for first in _keys(layout, kinds[0], inner):
        for rest in _products(layout, kinds[1:], stride):
            yield first + rest
