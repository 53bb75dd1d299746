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
class Moving:
    """How one leaf takes part in a permutation.

    ``family`` is the same for the leaves that permutations move onto each other. A leaf that holds a name of ``holds``
    has the value ``first`` plus the name's number; lower values (None) are not names.
    """

    family: int
    indices: tuple[Index, ...]
    holds: type[Sort] | None = None
    first: int = 0


Indices = tuple[Index, ...]


def moving_leaves(layout: Layout, kind: Type) -> tuple[Moving, ...]:
    """One entry per leaf of ``kind``, in order."""
    families: dict[tuple[object, ...], int] = {}
    result = []
    for position, (indices, holds, first) in enumerate(_leaves(layout, kind, ())):
        start = position - sum(i.stride * i.number for i in indices)
        key = (start, tuple((i.sort, i.stride) for i in indices))
        result.append(Moving(families.setdefault(key, len(families)), indices, holds, first))
    return tuple(result)


Described = tuple[Indices, type[Sort] | None, int]


def _leaves(layout: Layout, kind: Type, indices: Indices) -> Iterator[Described]:
    match kind:
        case SortT(sort):
            yield indices, sort, 0
        case OptionalT(SortT(sort)):
            yield indices, sort, 1
        case OptionalT(inner) if not is_scalar(inner):
            yield indices, None, 0
            yield from _leaves(layout, inner, indices)
        case RecordT(cls):
            for field in fields_of(cls):
                yield from _leaves(layout, field.type, indices)
        case UnionT(variants):
            yield indices, None, 0
            for variant in variants:
                yield from _leaves(layout, variant, indices)
        case MapT(key, value):
            for entry in _keys(layout, key, layout.size(value)):
                yield from _leaves(layout, value, indices + entry)
        case SetT(item):
            for entry in _keys(layout, item, 1):
                yield indices + entry, None, 0
        case PoolT(ref, value):
            for entry in _keys(layout, ref, 1 + layout.size(value)):
                yield indices + entry, None, 0
                yield from _leaves(layout, value, indices + entry)
        case SeqT(item, _, _):
            yield indices, None, 0
            for _ in range(layout.capacity(kind)):
                yield from _leaves(layout, item, indices)
        case _:
            yield indices, None, 0


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
