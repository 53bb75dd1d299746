"""Symbolic execution: runs both sides of every branch on expressions and joins what they leave.

The state is a *store* of nodes by leaf. A branch runs on a copy; afterwards each leaf is chosen by the
branch's condition. Steps end early in two ways: control leaves a block (return, break, continue), or the step itself ends (disabled,
failed, scope used up). What ends the step is recorded under the condition of its path, and the rest runs under the
assumption that it did not happen, so that the first failure on a path is the one that counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from explorer.compiler.dag import Dag, Node
from explorer.lang.errors import Location, ModelError
from explorer.lang.types import Type, walk

WIDEST = 1 << 62
"""Numbers beyond this would not fit a machine word with room for one more operation."""


class Candidate(NamedTuple):
    """Where a place may lie: its first leaf, the condition under which that is meant, and the record field
    through which it was reached, which names the violations there (empty for what no field holds)."""

    condition: Node
    base: int
    field: str


@dataclass(frozen=True)
class Place:
    """A part of the store. The conditions of its candidates exclude each other, and one is true."""

    candidates: tuple[Candidate, ...]

    def part(self, offset: int, field: str | None = None) -> Place:
        """A part of the place, perhaps a field of its own."""
        return Place(
            tuple(
                Candidate(c, b + offset, f if field is None else field)
                for c, b, f in self.candidates
            )
        )


@dataclass(frozen=True)
class Value:
    """A value that is no place: its leaves, and the field whose bounds a set keeps when it is copied."""

    nodes: tuple[Node, ...]
    field: str = ""


@dataclass(frozen=True)
class Stale:
    """A name whose place was assigned or freed after the name was bound."""

    by: Location


@dataclass(frozen=True)
class Partial:
    """A name that has a value only where ``defined`` holds: it was bound on one side of a branch."""

    local: Place | Value
    defined: Node


Local = Place | Value | Stale | Partial


@dataclass(frozen=True)
class Assigned:
    """A place that was assigned or freed: what it holds, with everything inside, and how many leaves."""

    place: Place
    inside: frozenset[Type]
    size: int
    by: Location


@dataclass
class Frame:
    """One call: its locals, what it returned on which path, and where its path starts."""

    name: str
    start: int
    locals: dict[str, Local] = field(default_factory=dict)
    kinds: dict[str, Type] = field(default_factory=dict)
    returns: list[tuple[Node, Local | None]] = field(default_factory=list)


@dataclass
class Events:
    """How a step can end, each under the condition of its path."""

    disabled: list[Node] = field(default_factory=list)
    failures: list[tuple[Node, str]] = field(default_factory=list)
    soft: list[tuple[Node, str]] = field(default_factory=list)
    cuts: list[tuple[Node, str]] = field(default_factory=list)


@dataclass
class Snapshot:
    """Everything a branch may change."""

    store: dict[int, Node]
    locals: dict[str, Local]
    assumed: Node
    returned: Node
    broken: Node
    continued: Node
    facts: dict[Node, bool]


class Machine:
    """Store, path and events of the step that is being executed."""

    def __init__(
        self,
        dag: Dag,
        source: Callable[[int], Node],
        first_free: int,
        size: Callable[[Type], int],
    ) -> None:
        """``source`` gives the node of a leaf that was not written yet; local records live from ``first_free`` on.

        ``size`` is the number of leaves of a type.
        """
        self.size = size
        self.dag = dag
        self.source = source
        self.first_local = first_free
        self.free = first_free
        self.store: dict[int, Node] = {}
        self.path: list[Node] = []
        self.outer: list[Node] = []
        self.facts: dict[Node, bool] = {}
        # What equalities were ever learned about; facts about other numbers need not be looked for.
        self.compared: set[Node] = set()
        self.assumed = dag.true
        self.returned = dag.false
        self.broken = dag.false
        self.continued = dag.false
        self.frames = [Frame("", 0)]
        self.events = Events()
        self.outdated: list[Assigned] = []

    # Store

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    def read(self, place: Place, size: int) -> tuple[Node, ...]:
        """The nodes of a place."""
        result = [self.leaf(place.candidates[-1].base + i) for i in range(size)]
        for condition, base, _ in reversed(place.candidates[:-1]):
            result = [self.dag.ite(condition, self.leaf(base + i), n) for i, n in enumerate(result)]
        return tuple(result)

    def leaf(self, offset: int) -> Node:
        node = self.store.get(offset)
        return self.source(offset) if node is None else node

    def write(self, place: Place, nodes: tuple[Node, ...]) -> None:
        """Assigns a place."""
        for condition, base, _ in place.candidates:
            for i, node in enumerate(nodes):
                offset = base + i
                self.store[offset] = self.dag.ite(condition, node, self.leaf(offset))

    def allocate(self, value: Value) -> Place:
        """A new place for a local record or container."""
        place = Place((Candidate(self.dag.true, self.free, value.field),))
        for i, node in enumerate(value.nodes):
            self.store[self.free + i] = node
        self.free += len(value.nodes)
        return place

    def outdate(self, place: Place, kind: Type, size: int, by: Location) -> None:
        """Marks every name whose place lies inside the assigned one, which holds a ``kind``."""
        inside = frozenset(walk(kind))
        self.outdated.append(Assigned(place, inside, size, by))
        for frame in self.frames:
            for name, local in frame.locals.items():
                known = frame.kinds.get(name)
                if known is not None:
                    bound = local.local if isinstance(local, Partial) else local
                    stale = self.current(bound, known, self.size(known), -1)
                    frame.locals[name] = stale or local

    def current(self, local: Local, kind: Type, size: int, since: int) -> Stale | None:
        """Stale if the place was assigned after the first ``since`` assignments."""
        if isinstance(local, Place):
            for assigned in self.outdated[since:]:
                # A record and its only field have the same leaves: the types tell which one is inside.
                if kind in assigned.inside and any(
                    c.base <= inner.base and inner.base + size <= c.base + assigned.size
                    for inner in local.candidates
                    for c in assigned.place.candidates
                ):
                    return Stale(assigned.by)
        return None

    # Paths

    def here(self) -> Node:
        """The condition under which control is at this point of the step."""
        conditions = (n for pair in zip(self.outer, self.path, strict=True) for n in pair)
        return self.dag.and_(self.dag.all(conditions), self.assumed)

    def since_call(self) -> Node:
        """The branches taken since the current function was entered."""
        return self.dag.all(self.path[self.frame.start :])

    def known(self, node: Node) -> Node:
        """``node``, or the constant it is known to be on this path."""
        found = self._known_part(node)
        if found is not None:
            return found
        # Terms share their parts, and are deep: each part is looked at once, without recursion.
        seen: dict[Node, Node] = {}
        stack = [node]
        while stack:
            top = stack[-1]
            found = seen.get(top) or self._known_part(top)
            if found is None:
                missing = [x for x in top.args if x not in seen]
                if missing:
                    stack += missing
                    continue
                parts = [seen[x] for x in top.args]
                if top.op == "not":
                    found = self.dag.not_(*parts)
                else:
                    found = (self.dag.and_ if top.op == "and" else self.dag.or_)(*parts)
            seen[top] = found
            stack.pop()
        return seen[node]

    def _known_part(self, node: Node) -> Node | None:
        """The same for what is no connective, or known as it is; else None."""
        if node.op == "const" or not node.bool:
            return node
        if node in self.facts:
            return self.dag.truth(self.facts[node])
        if node.op in ("not", "and", "or"):
            return None
        if node.op == "eq" and not node.args[0].bool:
            return self._known_equality(node)
        return node

    def _known_equality(self, node: Node) -> Node:
        constants = [a for a in node.args if a.op == "const"]
        others = [a for a in node.args if a.op != "const"]
        if len(constants) != 1 or others[0].high - others[0].low > 15:
            return node
        value, operand = constants[0].value, others[0]
        if operand not in self.compared:
            return node
        rest = (v for v in range(operand.low, operand.high + 1) if v != value)
        answers = [self.facts.get(self.dag.eq(operand, self.dag.number(v))) for v in rest]
        if True in answers:
            return self.dag.false
        if all(a is False for a in answers):
            return self.dag.true
        return node

    def learn(self, node: Node, value: bool = True) -> None:
        """Remembers what holds on this path."""
        stack = [(node, value)]
        while stack:
            node, value = stack.pop()
            if node.op == "const":
                continue
            self.facts[node] = value
            if node.op == "eq":
                self.compared.update(node.args)
            if node.op == "not":
                stack.append((node.args[0], not value))
            elif (node.op == "and" and value) or (node.op == "or" and not value):
                stack += [(x, value) for x in node.args]

    def assume(self, node: Node) -> None:
        """The rest of the path runs where ``node`` holds only."""
        self.assumed = self.dag.and_(self.assumed, node)
        self.learn(node)

    def disable(self, condition: Node) -> None:
        """``condition`` disables the action here."""
        condition = self.known(condition)
        if condition is self.dag.false:
            return
        self.events.disabled.append(self.dag.and_(self.here(), condition))
        self.assume(self.dag.not_(condition))

    def fail(self, condition: Node, name: str, *, soft: bool = False) -> None:
        """Where ``condition`` holds the step fails here (or, if soft, goes on with a stain)."""
        condition = self.known(condition)
        if condition is self.dag.false:
            return
        events = self.events.soft if soft else self.events.failures
        events.append((self.dag.and_(self.here(), condition), name))
        if not soft:
            self.assume(self.dag.not_(condition))

    def fail_at(self, condition: Node, kind: str, outer: Local | None) -> None:
        """Where ``condition`` holds the step fails with ``kind:FIELD``, the field being that of a place."""
        for name, there in self.fields(outer).items():
            self.fail(self.dag.and_(condition, there), f"{kind}:{name or 'value'}")

    def fields(self, outer: Local | None) -> dict[str, Node]:
        """The fields through which a place may have been reached, each with its condition."""
        if not isinstance(outer, Place):
            return {outer.field if isinstance(outer, Value) else "": self.dag.true}
        found: dict[str, Node] = {}
        for condition, _, name in outer.candidates:
            found[name] = self.dag.or_(found.get(name, self.dag.false), condition)
        return found if len(found) > 1 else dict.fromkeys(found, self.dag.true)

    def cut(self, condition: Node, name: str) -> None:
        """Where ``condition`` holds the scope's entry ``name`` is used up."""
        condition = self.known(condition)
        if condition is self.dag.false:
            return
        self.events.cuts.append((self.dag.and_(self.here(), condition), name))
        self.assume(self.dag.not_(condition))

    @property
    def live(self) -> Node:
        """Whether control has not left the current block."""
        left = self.dag.or_(self.returned, self.dag.or_(self.broken, self.continued))
        return self.dag.not_(left)

    @property
    def over(self) -> bool:
        """Whether no path gets here at all."""
        return self.assumed is self.dag.false or self.live is self.dag.false

    # Branches

    def branch(
        self, condition: Node, then: Callable[[], None], orelse: Callable[[], None] | None = None
    ) -> None:
        """Runs ``then`` where the condition holds and ``orelse`` elsewhere, and joins what they leave."""
        condition = self.known(condition)
        if condition.op == "const":
            if condition.value:
                then()
            elif orelse is not None:
                orelse()
            return
        before = self._snapshot()
        first = self._side(condition, then)
        self._restore(before)
        second = self._side(self.dag.not_(condition), orelse)
        self._join(condition, before, first, second)

    def _side(self, condition: Node, body: Callable[[], None] | None) -> Snapshot:
        self.path.append(condition)
        self.outer.append(self.assumed)
        self.learn(condition)
        self.assumed = self.dag.true
        if body is not None:
            body()
        self.path.pop()
        self.outer.pop()
        return self._snapshot()

    def _snapshot(self) -> Snapshot:
        return Snapshot(
            dict(self.store),
            dict(self.frame.locals),
            self.assumed,
            self.returned,
            self.broken,
            self.continued,
            dict(self.facts),
        )

    def _restore(self, s: Snapshot) -> None:
        self.store = dict(s.store)
        self.frame.locals = dict(s.locals)
        self.assumed = s.assumed
        self.returned, self.broken, self.continued = s.returned, s.broken, s.continued
        self.facts = dict(s.facts)

    def _join(self, c: Node, before: Snapshot, first: Snapshot, second: Snapshot) -> None:
        dag = self.dag
        side = dag.ite(c, first.assumed, second.assumed)
        for gone, other, value in ((first, second, False), (second, first, True)):
            if gone.assumed is dag.false:
                # No path leaves that side: what the other one left is what there is.
                self._restore(other)
                self.assumed = dag.and_(before.assumed, side)
                self.learn(c, value)
                return
        self.assumed = dag.and_(before.assumed, side)
        self.facts = dict(before.facts)
        self.learn(side)
        self.returned = dag.ite(c, first.returned, second.returned)
        self.broken = dag.ite(c, first.broken, second.broken)
        self.continued = dag.ite(c, first.continued, second.continued)
        store = dict(before.store)
        for offset in sorted(first.store.keys() | second.store.keys()):
            a, b = first.store.get(offset), second.store.get(offset)
            if a is None or b is None:
                present = a if b is None else b
                assert present is not None
                if offset >= self.first_local:
                    store[offset] = present  # a local record of one side: nobody else reads it
                    continue
                a, b = (self.source(offset) if n is None else n for n in (a, b))
            store[offset] = dag.ite(c, a, b)
        self.store = store
        joined: dict[str, Local] = {}
        for name in first.locals.keys() | second.locals.keys():
            a_local, b_local = first.locals.get(name), second.locals.get(name)
            if a_local is None or b_local is None:
                joined[name] = self._partial(c, a_local, b_local)
            else:
                joined[name] = self.join(c, a_local, b_local)
        self.frame.locals = dict(sorted(joined.items()))

    def _partial(self, c: Node, a: Local | None, b: Local | None) -> Local:
        """A local that only one side of a branch has bound."""
        local, side = (a, c) if b is None else (b, self.dag.not_(c))
        assert local is not None
        if isinstance(local, Partial):
            return Partial(local.local, self.dag.and_(side, local.defined))
        return local if isinstance(local, Stale) else Partial(local, side)

    def join(self, c: Node, a: Local, b: Local) -> Local:
        """One local from both sides of a branch."""
        if a == b:
            return a
        for x in (a, b):
            if isinstance(x, Stale):
                return x
        if isinstance(a, Partial) or isinstance(b, Partial):
            (a, a_defined), (b, b_defined) = (
                (x.local, x.defined) if isinstance(x, Partial) else (x, self.dag.true)
                for x in (a, b)
            )
            both = self.join(c, a, b)
            assert isinstance(both, Place | Value)
            return Partial(both, self.dag.ite(c, a_defined, b_defined))
        if isinstance(a, Place) and isinstance(b, Place):
            not_c = self.dag.not_(c)
            first = [k._replace(condition=self.dag.and_(c, k.condition)) for k in a.candidates]
            second = [k._replace(condition=self.dag.and_(not_c, k.condition)) for k in b.candidates]
            return Place(tuple(k for k in first + second if k.condition is not self.dag.false))
        if isinstance(a, Value) and isinstance(b, Value):
            pairs = zip(a.nodes, b.nodes, strict=True)
            nodes = tuple(self.dag.ite(c, x, y) for x, y in pairs)
            return Value(nodes, a.field if a.field == b.field else "")
        raise AssertionError("a place joined with a value")

    def in_range(self, node: Node, where: Location) -> Node:
        """``node``, if its values fit a machine word. Raises ModelError otherwise."""
        if -WIDEST < node.low and node.high < WIDEST:
            return node
        raise ModelError(
            f"this number may grow to {max(-node.low, node.high)}, beyond 62 bits",
            where=where,
            hint="keep sums and products small, or store them in a bounded field on the way",
        )
