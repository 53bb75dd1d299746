"""Threads by number: who takes each instance's step, and who that is when the names of a symmetry's sorts are permuted."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from explorer.lang.run import Instance
from explorer.lang.scope import Scope
from explorer.lang.sorts import Sort
from explorer.lang.text import format_value
from explorer.lang.types import is_record
from explorer.search.symmetry import Symmetry
from explorer.trace.replay import thread_of


@dataclass(frozen=True)
class Threads:
    """The thread of each instance, as a number below ``count``.

    ``parts`` has, for each number, the names in its thread, each with the factor by which it counts: where a permutation takes name
    n to name m, the number of the thread grows by (m - n) times that factor.
    """

    of: tuple[int, ...]
    count: int
    parts: tuple[tuple[tuple[int, int], ...], ...]


def threads_of(
    instances: Sequence[Instance], scope: Scope, symmetry: Symmetry | None = None
) -> Threads:
    """The threads of a system's instances. Without a symmetry threads are told apart by their text."""
    first: dict[str, int] = {}
    for name in () if symmetry is None else symmetry.sorts:
        first[name] = sum(scope[other] for other in first)
    bases: dict[Hashable, int] = {}
    of: list[int] = []
    parts: list[tuple[tuple[int, int], ...]] = []
    for instance in instances:
        names: list[Sort] = []
        shape = _shape(instance.thread, first, names) if first else thread_of(instance)
        sizes = [scope[type(name).__name__] for name in names]
        strides: list[int] = []
        total = 1
        for size in sizes:
            strides.append(total)
            total *= size
        if shape not in bases:
            bases[shape] = len(parts)
            for number in range(total):
                indices = [number // s % n for s, n in zip(strides, sizes, strict=True)]
                parts.append(
                    tuple(
                        (first[type(name).__name__] + index, stride)
                        for name, index, stride in zip(names, indices, strides, strict=True)
                    )
                )
        indices = [name._index for name in names]
        of.append(bases[shape] + sum(i * s for i, s in zip(indices, strides, strict=True)))
    return Threads(tuple(of), max(1, len(parts)), tuple(parts) or ((),))


def _shape(value: Any, first: dict[str, int], names: list[Sort]) -> Hashable:
    """A value without the names that can be permuted, which go to ``names``."""
    if isinstance(value, Sort) and type(value).__name__ in first:
        names.append(value)
        return type(value)
    if is_record(type(value)):
        fields = (getattr(value, name) for name in type(value).__match_args__)
        return (type(value), *(_shape(field, first, names) for field in fields))
    return None if value is None else format_value(value)
