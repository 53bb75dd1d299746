"""Whether a value holds a name of a sort: what a pool has to know before it hands the name out again."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from explorer.compiler.dag import Dag, Node
from explorer.compiler.layout import Layout
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
    walk,
)


class Mentions:
    """Conditions under which a value holds a name. Keys of maps do not count: a map has an entry for every name."""

    def __init__(self, layout: Layout, dag: Dag) -> None:
        self.layout = layout
        self.dag = dag
        self.may_hold = functools.cache(lambda kind, sort: any(p == sort for p in walk(kind)))

    def of(self, kind: Type, nodes: Sequence[Node], sort: SortT, name: int) -> Node:
        """Whether the value of type ``kind`` with these nodes holds the ``name``-th name of ``sort``."""
        dag = self.dag
        if not self.may_hold(kind, sort):
            return dag.false
        match kind:
            case SortT():
                return dag.eq(nodes[0], dag.number(name))
            case OptionalT(SortT()):
                return dag.eq(nodes[0], dag.number(name + 1))
            case OptionalT(inner):
                return dag.and_(nodes[0], self.of(inner, nodes[1:], sort, name))
            case RecordT(cls):
                return self._each([f.type for f in fields_of(cls)], nodes, sort, name)
            case UnionT(variants):
                inside = []
                for i, variant in enumerate(variants):
                    part = nodes[self.layout.variant(kind, i) :]
                    here = dag.eq(nodes[0], dag.number(i))
                    inside.append(dag.and_(here, self.of(variant, part, sort, name)))
                return dag.any(inside)
            case MapT(key, value):
                return self._each([value] * len(self.layout.domain(key)), nodes, sort, name)
            case SetT(item):
                members = zip(nodes, self.layout.domain(item), strict=False)
                return dag.any(b for b, m in members if self._holds(item, m, sort, name))
            case SeqT(item, _, _):
                size = self.layout.size(item)
                return dag.any(
                    dag.and_(
                        dag.lt(dag.number(i), nodes[0]),
                        self.of(item, nodes[1 + i * size :], sort, name),
                    )
                    for i in range(self.layout.capacity(kind))
                )
            case PoolT(ref, value):
                step = 1 + self.layout.size(value)
                inside = []
                for i in range(len(self.layout.domain(ref))):
                    entry = self.of(value, nodes[i * step + 1 :], sort, name)
                    own = dag.truth(ref == sort and i == name)
                    inside.append(dag.and_(nodes[i * step], dag.or_(own, entry)))
                return dag.any(inside)
        raise AssertionError(kind)

    def _each(self, kinds: list[Type], nodes: Sequence[Node], sort: SortT, name: int) -> Node:
        """Whether one of several values that follow each other holds the name."""
        inside, offset = [], 0
        for kind in kinds:
            inside.append(self.of(kind, nodes[offset:], sort, name))
            offset += self.layout.size(kind)
        return self.dag.any(inside)

    def _holds(self, kind: Type, flat: Sequence[int], sort: SortT, name: int) -> bool:
        """The same for a known value."""
        leaves = self.layout.leaves(kind)
        nodes = [
            self.dag.truth(bool(n)) if leaf.is_bool else self.dag.number(n)
            for leaf, n in zip(leaves, flat, strict=False)
        ]
        return self.of(kind, nodes, sort, name) is self.dag.true
