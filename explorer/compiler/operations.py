"""Operations on values and places by type: indexing, optionals, unions, containers, arithmetic."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from explorer.compiler.dag import Dag, Node
from explorer.compiler.layout import Layout
from explorer.compiler.machine import Local, Machine, Place, Value
from explorer.compiler.mentions import Mentions
from explorer.compiler.tree import OPTIONAL_NUMBER, Kind
from explorer.lang.errors import Location, ModelError
from explorer.lang.types import (
    BoolT,
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
    is_scalar,
)

Nodes = tuple[Node, ...]


class Operations:
    """What values of each type can do, as scalar expressions."""

    def __init__(self, layout: Layout, dag: Dag, machine: Machine) -> None:
        self.layout = layout
        self.dag = dag
        self.m = machine
        self.mentions = Mentions(layout, dag)
        self.state: Type | None = None
        self.parameters: tuple[tuple[Type, Nodes], ...] = ()

    def surround(self, state: Type, parameters: Iterable[tuple[Type, Nodes]]) -> None:
        """Tells what a step runs in: the state's type and the action's parameters; a pool looks for names in there."""
        self.state = state
        self.parameters = tuple(parameters)

    # Values

    def constants(self, kind: Type, flat: Sequence[int]) -> Nodes:
        """A known value's nodes."""
        if kind == OPTIONAL_NUMBER:
            return self.dag.truth(bool(flat[0])), self.dag.number(flat[1])
        leaves = self.layout.leaves(kind)
        return tuple(
            self.dag.truth(bool(n)) if leaf.is_bool else self.dag.number(n)
            for leaf, n in zip(leaves, flat, strict=True)
        )

    def same(self, kind: Type, nodes: Nodes, flat: Sequence[int]) -> Node:
        """Whether a value is a known one."""
        known = self.constants(kind, flat)
        return self.dag.all(self.dag.eq(a, b) for a, b in zip(nodes, known, strict=True))

    def inside(self, outer: Local | None, offset: int, size: int) -> Place | Value:
        """A part of a value or place."""
        if isinstance(outer, Place):
            return outer.part(offset)
        assert isinstance(outer, Value)
        return Value(outer.nodes[offset : offset + size], outer.field)

    def in_range(self, kind: IntT, node: Node) -> Node:
        """Whether a number is within its type's bounds."""
        low, high = self.layout.limits(kind)
        dag = self.dag
        return dag.and_(dag.le(dag.number(low), node), dag.le(node, dag.number(high)))

    def check_range(self, kind: IntT, node: Node, outer: Local | None) -> None:
        """A store of an out-of-range number is a violation."""
        self.m.fail_at(self.dag.not_(self.in_range(kind, node)), "range", outer)

    def prepare(self, kind: Type, given: Kind, nodes: Nodes, outer: Local | None) -> Nodes:
        """A value on its way into a place of type ``kind``: that it is not None, and an optional's bounds."""
        if isinstance(given, OptionalT) and not isinstance(kind, OptionalT):
            self.m.fail(self.is_none(given, nodes), f"none:{self.m.frame.name}")
            return self.unwrap(given, nodes)
        if isinstance(kind, OptionalT) and given == OPTIONAL_NUMBER:
            inside, nodes = self.narrow(kind, nodes)
            self.m.fail_at(self.dag.not_(inside), "range", outer)
        return nodes

    def check(self, kind: Type, nodes: Nodes, outer: Local | None) -> None:
        """The bounds of an integer that is stored."""
        if isinstance(kind, IntT):
            self.check_range(kind, nodes[0], outer)

    # Optionals and unions

    def is_none(self, kind: OptionalT, nodes: Nodes) -> Node:
        if is_scalar(kind.inner):
            return self.dag.eq(nodes[0], self.dag.number(0))
        return self.dag.not_(nodes[0])

    def unwrap(self, kind: OptionalT, nodes: Nodes) -> Nodes:
        """The value inside; its caller has excluded None."""
        if not is_scalar(kind.inner):
            return nodes[1:]
        if isinstance(kind.inner, BoolT):
            return (self.dag.eq(nodes[0], self.dag.number(2)),)
        low, _ = self.layout.limits(kind.inner)
        return (self.dag.add(nodes[0], self.dag.number(low - 1)),)

    def wrap(self, kind: OptionalT, nodes: Nodes) -> Nodes:
        """A value as an optional."""
        if not is_scalar(kind.inner):
            return (self.dag.true, *nodes)
        node = self.dag.to_int(nodes[0]) if nodes[0].bool else nodes[0]
        low, _ = self.layout.limits(kind.inner)
        return (self.dag.add(node, self.dag.number(1 - low)),)

    def widen(self, kind: OptionalT, nodes: Nodes) -> Nodes:
        """An optional bounded integer as one on its way: whether it is there, and the number (else 0)."""
        dag = self.dag
        present = dag.not_(self.is_none(kind, nodes))
        return present, dag.ite(present, self.unwrap(kind, nodes)[0], dag.number(0))

    def loosened(self, kind: Type, nodes: Nodes) -> Nodes:
        """A value as names have it: see ``conversion.loose``."""
        if isinstance(kind, OptionalT) and isinstance(kind.inner, IntT):
            return self.widen(kind, nodes)
        return nodes

    def narrow(self, kind: OptionalT, nodes: Nodes) -> tuple[Node, Nodes]:
        """The reverse: whether it is within the bounds, and its code where it is."""
        assert isinstance(kind.inner, IntT)
        dag = self.dag
        present, number = nodes
        inside = dag.or_(dag.not_(present), self.in_range(kind.inner, number))
        return inside, (dag.ite(present, self.wrap(kind, (number,))[0], dag.number(0)),)

    def convert(self, source: OptionalT, target: OptionalT, nodes: Nodes) -> tuple[Node, Nodes]:
        """An optional as one of another type: whether it is within the bounds of that one, and its nodes."""
        dag = self.dag
        if source == OPTIONAL_NUMBER:
            return self.narrow(target, nodes)
        if isinstance(source.inner, IntT):
            nodes = self.widen(source, nodes)
            return (dag.true, nodes) if target == OPTIONAL_NUMBER else self.narrow(target, nodes)
        assert isinstance(source.inner, (RecordT, UnionT)) and isinstance(target.inner, UnionT)
        absent = self.constants(target, self.layout.zero(target))
        present = (dag.true, *self.inject(source.inner, target.inner, nodes[1:]))
        return dag.true, self._ite(nodes[0], present, absent)

    def inject(self, source: RecordT | UnionT, target: UnionT, nodes: Nodes) -> Nodes:
        """A record or a narrower union as a wider one."""
        dag = self.dag
        variants = (source,) if isinstance(source, RecordT) else source.variants
        tags, starts = [dag.true], [0]
        if isinstance(source, UnionT):
            tags = [dag.eq(nodes[0], dag.number(i)) for i in range(len(variants))]
            starts = [self.layout.variant(source, i) for i in range(len(variants))]
        tag = dag.number(target.variants.index(variants[0]))
        for variant, here in zip(variants[1:], tags[1:], strict=True):
            tag = dag.ite(here, dag.number(target.variants.index(variant)), tag)
        result = [tag]
        for variant in target.variants:
            if variant in variants:
                start = starts[variants.index(variant)]
                result += nodes[start : start + self.layout.size(variant)]
            else:
                result += self.constants(variant, self.layout.zero(variant))
        return tuple(result)

    # Indexing

    def item(self, kind: Type, outer: Local | None, key: Nodes, where: Location) -> Place | Value:
        """``container[key]``; fails where there is no such entry."""
        match kind:
            case MapT(key_type, value):
                step, skip, entry, domain = self.layout.size(value), 0, value, key_type
                chosen = [self.same(domain, key, k) for k in self.layout.domain(domain)]
                if isinstance(key_type, IntT):
                    self.m.fail_at(self.dag.not_(self.dag.any(chosen)), "range", outer)
            case PoolT(ref, value):
                step, skip, entry = 1 + self.layout.size(value), 1, value
                chosen = [self.same(ref, key, k) for k in self.layout.domain(ref)]
                alive = self._every(kind, outer, step)
                there = self.dag.any(
                    self.dag.and_(c, a) for c, a in zip(chosen, alive, strict=True)
                )
                self.m.fail_at(self.dag.not_(there), "freed", outer)
            case SeqT(item, _, _):
                step, skip, entry = self.layout.size(item), 1, item
                (position,) = key
                length = self._nodes(kind, outer)[0]
                inside = self.dag.and_(
                    self.dag.le(self.dag.number(0), position), self.dag.lt(position, length)
                )
                self.m.fail_at(self.dag.not_(inside), "range", outer)
                chosen = [
                    self.dag.eq(position, self.dag.number(i))
                    for i in range(self.layout.capacity(kind))
                ]
            case _:
                raise AssertionError(kind)
        parts = [
            (self.m.known(c), self.inside(outer, skip + i * step, self.layout.size(entry)))
            for i, c in enumerate(chosen)
        ]
        return self._choose(parts)

    def _choose(self, parts: list[tuple[Node, Place | Value]]) -> Place | Value:
        """The part whose condition holds."""
        parts = [p for p in parts if p[0] is not self.dag.false] or parts[:1]
        first = parts[0][1]
        if isinstance(first, Place):
            candidates = [
                k._replace(condition=self.dag.and_(c, k.condition))
                for c, part in parts
                if isinstance(part, Place)
                for k in part.candidates
            ]
            kept = tuple(k for k in candidates if k.condition is not self.dag.false)
            return Place(kept or (candidates[0],))
        nodes = first.nodes
        for condition, part in parts[1:]:
            assert isinstance(part, Value)
            pairs = zip(part.nodes, nodes, strict=True)
            nodes = tuple(self.dag.ite(condition, a, b) for a, b in pairs)
        return Value(nodes, first.field)

    def _nodes(self, kind: Type, outer: Local | None) -> Nodes:
        if isinstance(outer, Place):
            return self.m.read(outer, self.layout.size(kind))
        assert isinstance(outer, Value)
        return outer.nodes

    def _every(self, kind: Type, outer: Local | None, step: int) -> Nodes:
        return self._nodes(kind, outer)[::step]

    # Containers as values

    def contains(self, kind: Type, nodes: Nodes, item: Nodes) -> Node:
        dag = self.dag
        match kind:
            case SetT(member):
                domain, bits = member, nodes
            case PoolT(ref, value):
                domain, bits = ref, nodes[:: 1 + self.layout.size(value)]
            case SeqT(element, _, _):
                size = self.layout.size(element)
                return dag.any(
                    dag.and_(
                        dag.lt(dag.number(i), nodes[0]),
                        dag.all(
                            dag.eq(a, b)
                            for a, b in zip(
                                item, nodes[1 + i * size : 1 + (i + 1) * size], strict=True
                            )
                        ),
                    )
                    for i in range(self.layout.capacity(kind))
                )
            case _:
                raise AssertionError(kind)
        pairs = zip(bits, self.layout.domain(domain), strict=True)
        return dag.any(dag.and_(self.same(domain, item, k), bit) for bit, k in pairs)

    def length(self, kind: Type, nodes: Nodes) -> Node:
        if isinstance(kind, SeqT):
            return nodes[0]
        if isinstance(kind, MapT):
            return self.dag.number(len(self.layout.domain(kind.key)))
        bits = nodes
        if isinstance(kind, PoolT):
            bits = nodes[:: 1 + self.layout.size(kind.value)]
        total = self.dag.number(0)
        for bit in bits:
            total = self.dag.add(total, self.dag.to_int(bit))
        return total

    def with_member(self, kind: SetT, given: Kind, bits: Nodes, item: Nodes, outer: Local) -> Nodes:
        """A set with one more member."""
        if given == OPTIONAL_NUMBER and not all(self.m.fields(outer)):
            item = self._inside_bounds(kind, given, item)
        else:
            item = self.prepare(kind.item, given, item, outer)
        if all(self.m.fields(outer)):
            self.check(kind.item, item, outer)
        else:
            self._inside_bounds(kind, kind.item, item)
        pairs = zip(bits, self.layout.domain(kind.item), strict=True)
        return tuple(self.dag.or_(bit, self.same(kind.item, item, k)) for bit, k in pairs)

    def _inside_bounds(self, kind: SetT, given: Kind, item: Nodes) -> Nodes:
        """A member of a set that no field holds. Under CPython such a set has no bounds."""
        inside = self.dag.true
        if isinstance(kind.item, IntT):
            inside = self.in_range(kind.item, item[0])
        if isinstance(kind.item, OptionalT) and given == OPTIONAL_NUMBER:
            inside, item = self.narrow(kind.item, item)
        if self.m.known(inside) is not self.dag.true and not self.m.over:
            raise ModelError(
                f"this set may get a number outside {kind.item}",
                hint="add it to a field of the state, or check the bounds before",
            )
        return item

    # Containers as places

    def operate(
        self, kind: Type, op: str, place: Place, arguments: list[Nodes], given: Sequence[Kind]
    ) -> Nodes | None:
        """A method that changes a container or reads its ends; returns what it returns.

        ``given`` are the types of the arguments.
        """
        if isinstance(kind, SetT):
            self._set(kind, op, place, arguments, given)
            return None
        stored = kind.item if isinstance(kind, SeqT) else None
        if isinstance(kind, PoolT):
            stored = kind.value
        if op in ("append", "insert", "alloc"):
            assert stored is not None
            # Python looks at the value before it looks for room.
            arguments = [*arguments[:-1], self.prepare(stored, given[-1], arguments[-1], place)]
        if isinstance(kind, SeqT):
            return self._sequence(kind, op, place, arguments)
        assert isinstance(kind, PoolT), kind
        return self._pool(kind, op, place, arguments)

    def _set(
        self, kind: SetT, op: str, place: Place, arguments: list[Nodes], given: Sequence[Kind]
    ) -> None:
        dag = self.dag
        bits = self.m.read(place, self.layout.size(kind))
        if op == "clear":
            self.m.write(place, tuple(dag.false for _ in bits))
            return
        (item,) = arguments
        if op == "add":
            self.m.write(place, self.with_member(kind, given[0], bits, item, place))
            return
        possible = dag.true
        if isinstance(kind.item, OptionalT) and given[0] == OPTIONAL_NUMBER:
            possible, item = self.narrow(kind.item, item)
        chosen = [
            dag.and_(possible, self.same(kind.item, item, k)) for k in self.layout.domain(kind.item)
        ]
        if op == "remove":
            found = dag.any(dag.and_(bit, c) for bit, c in zip(bits, chosen, strict=True))
            self.m.fail_at(dag.not_(found), "range", place)
        pairs = zip(bits, chosen, strict=True)
        self.m.write(place, tuple(dag.and_(bit, dag.not_(c)) for bit, c in pairs))

    def _sequence(self, kind: SeqT, op: str, place: Place, arguments: list[Nodes]) -> Nodes | None:
        dag, m = self.dag, self.m
        size, capacity = self.layout.size(kind.item), self.layout.capacity(kind)
        nodes = m.read(place, self.layout.size(kind))
        length = nodes[0]
        items = [nodes[1 + i * size : 1 + (i + 1) * size] for i in range(capacity)]
        zero = self.constants(kind.item, self.layout.zero(kind.item))
        shifted = [*items[1:], zero]
        match op:
            case "clear":
                m.write(place, self.constants(kind, self.layout.zero(kind)))
                return None
            case "first" | "pop_first" | "last":
                m.fail_at(dag.eq(length, dag.number(0)), "range", place)
                if op == "last":
                    parts: list[tuple[Node, Place | Value]] = [
                        (dag.eq(length, dag.number(i + 1)), Value(item))
                        for i, item in enumerate(items)
                    ]
                    chosen = self._choose(parts)
                    assert isinstance(chosen, Value)
                    return chosen.nodes
                if op == "pop_first":
                    self._store(place, dag.sub(length, dag.number(1)), shifted)
                return items[0] if items else zero
            case "remove_at":
                ((position,),) = arguments
                inside = dag.and_(dag.le(dag.number(0), position), dag.lt(position, length))
                m.fail_at(dag.not_(inside), "range", place)
                kept = [
                    self._ite(dag.lt(dag.number(i), position), old, new)
                    for i, (old, new) in enumerate(zip(items, shifted, strict=True))
                ]
                self._store(place, dag.sub(length, dag.number(1)), kept)
                return None
            case "append":
                position, item = length, arguments[0]
            case _:
                (position,), item = arguments
                inside = dag.and_(dag.le(dag.number(0), position), dag.le(position, length))
                m.fail_at(dag.not_(inside), "range", place)
        full = dag.eq(length, dag.number(capacity))
        if kind.protocol:
            m.fail_at(full, "full", place)
        else:
            m.cut(full, str(kind.capacity))
        self.check(kind.item, item, place)
        grown = [
            self._ite(
                dag.eq(position, dag.number(i)),
                item,
                old if op == "append" else self._ite(dag.lt(dag.number(i), position), old, before),
            )
            for i, (old, before) in enumerate(zip(items, [zero, *items], strict=False))
        ]
        self._store(place, dag.add(length, dag.number(1)), grown)
        return None

    def _store(self, place: Place, length: Node, items: list[Nodes]) -> None:
        self.m.write(place, (length, *(n for item in items for n in item)))

    def _ite(self, condition: Node, then: Nodes, orelse: Nodes) -> Nodes:
        pairs = zip(then, orelse, strict=True)
        return tuple(self.dag.ite(condition, a, b) for a, b in pairs)

    def _pool(self, kind: PoolT, op: str, place: Place, arguments: list[Nodes]) -> Nodes | None:
        dag, m = self.dag, self.m
        size = self.layout.size(kind.value)
        refs = self.layout.domain(kind.ref)
        alive = self._every(kind, place, 1 + size)
        if op == "free":
            # Whether it is allocated was checked on the way to the entry.
            zero = self.constants(kind.value, self.layout.zero(kind.value))
            for i, ref in enumerate(refs):
                chosen = self.same(kind.ref, arguments[0], ref)
                self._entry(place, i, size, chosen, (dag.false, *zero))
            return None
        (value,) = arguments
        held = [dag.or_(bit, self._is_held(kind.ref, i)) for i, bit in enumerate(alive)]
        m.cut(dag.all(held), kind.ref.cls.__name__)
        self.check(kind.value, value, place)
        taken, name = dag.true, dag.number(len(refs) - 1)
        choices: list[Node] = []
        for bit in held:
            choices.append(m.known(dag.and_(taken, dag.not_(bit))))
            taken = dag.and_(taken, bit)
        for i in reversed(range(len(refs) - 1)):
            name = dag.ite(choices[i], dag.number(i), name)
        for i, chosen in enumerate(choices):
            self._entry(place, i, size, chosen, (dag.true, *value))
        # The terms do not show by themselves that this name is allocated now.
        m.learn(self.contains(kind, m.read(place, self.layout.size(kind)), (name,)))
        return (name,)

    def _is_held(self, sort: SortT, name: int) -> Node:
        """Whether a name is allocated or held, before the step or now, or is a parameter: what nothing holds is as good
        as any other such name, so it does not show which of them a pool hands out."""
        parts = [self.mentions.of(k, nodes, sort, name) for k, nodes in self.parameters]
        if self.state is not None:
            offsets = range(self.layout.size(self.state))
            for nodes in ([self.m.source(o) for o in offsets], [self.m.leaf(o) for o in offsets]):
                parts.append(self.mentions.of(self.state, nodes, sort, name))
        return self.dag.any(parts)

    def _entry(self, place: Place, index: int, size: int, chosen: Node, nodes: Nodes) -> None:
        """Writes a pool's entry where it is the chosen one."""
        start = index * (1 + size)
        candidates = (
            k._replace(condition=self.dag.and_(k.condition, chosen))
            for k in place.part(start).candidates
        )
        self.m.write(Place(tuple(candidates)), nodes)

    # Numbers

    def arithmetic(self, op: str, a: Node, b: Node, where: Location) -> Node:
        dag = self.dag
        match op:
            case "add":
                result = dag.add(a, b)
            case "sub":
                result = dag.sub(a, b)
            case "mul":
                result = dag.mul(a, b)
            case _:
                if b.op != "const" or b.value <= 0:
                    raise ModelError(
                        "the divisor is no positive number that the scope determines",
                        where=where,
                        hint="divide by a literal, a module's constant or a size of the scope",
                    )
                result = dag.div(a, b.value) if op == "div" else dag.mod(a, b.value)
        return self.m.in_range(result, where)

    def extreme(self, op: str, a: Node, b: Node) -> Node:
        """The lesser or greater of two."""
        dag = self.dag
        if op == "min":
            return dag.ite(dag.lt(b, a), b, a)
        return dag.ite(dag.lt(a, b), b, a)

    def successor(self, kind: OrdinalT, node: Node) -> Node:
        """The next value; the top's is the top."""
        dag = self.dag
        name = kind.cls.__name__
        finite = self.layout.scope[name]
        self.m.cut(dag.eq(node, dag.number(finite - 1)), name)
        after = dag.add(node, dag.number(1))
        if kind.cls._top_name is None:
            return after
        return dag.ite(dag.eq(node, dag.number(finite)), node, after)
