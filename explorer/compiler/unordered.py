"""Loops over names without an order: whatever they do must not depend on which name comes first.

This is what makes a Sort symmetric (Ip and Dill's scalarsets): the loop's passes may be swapped. A pass may write to
the place that belongs to its own name (``s.m[x] = ...``), count, add to a set, or assign one constant; what it
writes elsewhere it may not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from explorer.compiler import tree
from explorer.compiler.tree import Domain, Expr, Stmt, Tree
from explorer.lang.errors import Location, ModelError
from explorer.lang.types import MapT, PoolT, SetT, SortT, is_immutable, walk

OUTSIDE = (tree.NumberT, tree.NoneT, tree.VoidT, tree.SystemT, tree.DesignT, tree.EmptySetT)


def mutable(kind: tree.Kind) -> bool:
    """Whether a name of this type refers to a place rather than holding a value."""
    return not isinstance(kind, OUTSIDE) and not is_immutable(kind)


def has_sort(kind: tree.Kind) -> bool:
    """Whether values of this type contain a Sort's names."""
    return not isinstance(kind, OUTSIDE) and any(isinstance(p, SortT) for p in walk(kind))


def is_unordered(domain: Domain) -> bool:
    """Whether the order in which a loop visits its domain is no part of the model."""
    match domain:
        case tree.ValuesOf(_, kind):
            return has_sort(kind)
        case tree.MembersOf(_, container):
            holder = container.type
            return (isinstance(holder, SetT) and has_sort(holder.item)) or isinstance(holder, PoolT)
        case tree.EntriesOf(_, entries, _):
            return isinstance(entries.type, MapT) and has_sort(entries.type.key)
        case _:
            return False


UNKNOWN = "a place that a helper chooses"


INDEX = "[]"


@dataclass(frozen=True)
class Place:
    """An abstract place: the local name it starts from, and the fields and indices on its way.

    ``own`` are the positions in ``path`` of indices that are the loop's own name: two passes never share
    places that have such an index at one position. ``alias``: the name refers to a part of the state, which other
    names may reach as well.
    """

    root: str
    path: tuple[str, ...] = ()
    own: frozenset[int] = frozenset()
    alias: bool = False

    def overlaps(self, other: Place) -> bool:
        if self.root != other.root or self.root == UNKNOWN:
            return self.alias and other.alias
        shorter = min(len(self.path), len(other.path))
        return self.path[:shorter] == other.path[:shorter]

    def field(self, name: str) -> Place:
        return replace(self, path=(*self.path, name))

    def index(self, *, own: bool) -> Place:
        positions = self.own | {len(self.path)} if own else self.own
        return replace(self, path=(*self.path, INDEX), own=positions)


@dataclass(frozen=True)
class Access:
    """A read or write in a pass. ``effect``: what makes writes commute (``+``, ``add``, a constant's text), or ""."""

    place: Place
    effect: str
    where: Location


Names = dict[str, Place | None]
OWN = Place("the loop's own name")


def check_order(functions: Sequence[tree.Function]) -> None:
    """Raises ModelError for a loop over a sort or set whose passes cannot be swapped."""
    for function in functions:
        for statement in function.body:
            for part in _own_parts(statement):
                if isinstance(part, tree.For) and is_unordered(part.domain):
                    _check_loop(part)


def _own_parts(part: Tree) -> Iterator[Tree]:
    """A statement's parts without the bodies of the functions it calls: those are checked by themselves."""
    yield part
    for child in tree.children(part):
        yield from _own_parts(child)


def _check_loop(loop: tree.For) -> None:
    collector = _Collector({loop.names[0]: OWN}, loop.outer)
    if isinstance(loop.domain, tree.EntriesOf):
        entries = collector.place(loop.domain.map)
        entry = None if entries is None else entries.index(own=True)
        collector.names[loop.names[-1]] = entry
    for statement in loop.body:
        collector.statement(statement, loop=True)
    if len(collector.failures) > 1 or (collector.failures and collector.guards):
        raise ModelError(
            "which of this loop's checks fails first depends on the order of the names",
            where=collector.failures[-1],
            hint="check in a loop of its own, or with any(...) and all(...)",
        )
    for write in collector.writes:
        _check_write(write, collector)


def _check_write(write: Access, collector: _Collector) -> None:
    others = [a for a in collector.writes if a.place.overlaps(write.place)]
    reads = [r for r in collector.reads if r.place.overlaps(write.place)]
    accesses = [*others, *reads]
    if write.place.root != UNKNOWN and all(a.place.root == write.place.root for a in accesses):
        if write.place.own.intersection(*(a.place.own for a in accesses)):
            return
    if write.effect and not reads and all(a.effect == write.effect for a in others):
        return
    name = ".".join(p for p in (write.place.root, *write.place.path) if p != INDEX)
    raise ModelError(
        f"what this loop leaves in {name} depends on the order of the names",
        where=write.where,
        hint="in a loop over a Sort or Set write to the place of the loop's own name, count, add to a set, or "
        "assign one constant, and do not read elsewhere what the loop writes",
    )


class _Collector:
    """Gathers what one pass of a loop reads and writes, helpers included."""

    def __init__(self, names: Names, outer: frozenset[str]) -> None:
        """``outer`` are the names that a pass shares with the others: those bound before the loop."""
        self.names = names
        self.outer = outer - names.keys()
        self.reads: list[Access] = []
        self.writes: list[Access] = []
        self.failures: list[Location] = []
        self.guards = False

    def statement(self, stmt: Stmt, *, loop: bool) -> None:
        match stmt:
            case tree.Assign(where, target, value):
                self.assignment(where, target, value)
            case tree.Let(where, name, value):
                self.let(where, name, value)
            case tree.If(_, condition, then, orelse):
                self.read(condition)
                for part in (*then, *orelse):
                    self.statement(part, loop=loop)
            case tree.For(_, names, domain, body, _):
                self.domain(domain)
                for name in names:
                    self.names[name] = None
                for part in body:
                    self.statement(part, loop=False)
            case tree.Return(where, _) | tree.Jump(where, "break") if loop:
                raise ModelError(
                    "leaving a loop over a Sort or Set early shows which name came first",
                    where=where,
                    hint="ask any(...) or all(...), or set a flag and go on",
                )
            case tree.Return(_, value):
                if value is not None:
                    self.read(value)
            case tree.Require(_, condition):
                self.guards = True
                self.read(condition)
            case tree.Fail(where, _, condition, _):
                self.failures.append(where)
                if condition is not None:
                    self.read(condition)
            case tree.Evaluate(_, value):
                self.read(value)
            case tree.Jump():
                pass

    def let(self, where: Location, name: str, value: Expr) -> None:
        if name in self.outer:
            effect = self.effect(value, name)
            self.writes.append(Access(Place(name), effect, where))
            self.read(value, skip=name if effect else "")
            return
        self.read(value)
        self.names[name] = self.place(value)

    def assignment(self, where: Location, target: Expr, value: Expr) -> None:
        place = self.place(target)
        self.read_indices(target)
        effect = ""
        skipped: Expr | None = None
        if isinstance(value, tree.Arithmetic) and value.op in ("add", "sub"):
            if value.left == target and isinstance(value.right, tree.Const):
                # Steps of one size and sign: the range check fails in every order or in none.
                effect, skipped = f"{value.op} {value.right.value}", value.left
        elif isinstance(value, (tree.Const, tree.OrdinalConst)):
            effect = f"= {value.value}"
        elif isinstance(value, tree.Nothing):
            effect = "= None"
        if skipped is None:
            self.read(value)
        if place is not None:
            self.writes.append(Access(place, effect, where))

    def effect(self, value: Expr, name: str) -> str:
        """What makes assignments of this kind to a shared name commute, or ""."""
        match value:
            case tree.Const(_, _, number) | tree.OrdinalConst(_, _, number):
                return f"= {number}"
            case tree.Nothing():
                return "= None"
            case tree.Arithmetic(_, _, "add" | "sub", tree.Local(_, _, left), right):
                return "+" if left == name and not _mentions(right, name) else ""
            case (
                tree.And(_, _, operands) | tree.Or(_, _, operands) | tree.Extreme(_, _, _, operands)
            ):
                first, *rest = operands
                itself = isinstance(first, tree.Local) and first.name == name
                if itself and not any(_mentions(o, name) for o in rest):
                    return getattr(value, "op", type(value).__name__)
        return ""

    def place(self, expr: Expr) -> Place | None:
        """The abstract place behind an expression, or None for a value that is none."""
        match expr:
            case tree.Local(_, kind, name):
                if name in self.names:
                    return self.names[name]
                return Place(name, alias=mutable(kind))
            case tree.FieldOf(_, _, base, name):
                inner = self.place(base)
                return None if inner is None else inner.field(name)
            case tree.ItemOf(_, _, base, key):
                inner = self.place(base)
                return None if inner is None else inner.index(own=self.place(key) is OWN)
            case tree.Unwrap(_, _, operand) | tree.Project(_, _, operand, _):
                return self.place(operand)
            case tree.Call() | tree.IfElse() if mutable(expr.type):
                return Place(UNKNOWN, alias=True)
            case _:
                return None

    def read_indices(self, expr: Expr) -> None:
        match expr:
            case tree.FieldOf(_, _, base, _):
                self.read_indices(base)
            case tree.ItemOf(_, _, base, key):
                self.read_indices(base)
                self.read(key)
            case _:
                pass

    def read(self, expr: Tree, skip: str = "") -> None:
        match expr:
            case tree.Local(_, _, name) if name == skip:
                return
            case tree.Local() | tree.FieldOf() | tree.ItemOf():
                place = self.place(expr)
                if place is not None and place is not OWN:
                    self.reads.append(Access(place, "", expr.where))
                self.read_indices(expr)
                return
            case tree.Contains(_, _, item, container):
                self.read(item)
                place = self.place(container)
                if place is not None:
                    member = place.index(own=self.place(item) is OWN)
                    self.reads.append(Access(member, "", expr.where))
                return
            case tree.Operate(where, _, op, base, arguments):
                self.operation(where, op, base, arguments)
                return
            case tree.Call(_, _, function, arguments):
                self.call(function, arguments)
                return
            case tree.Given():
                self.guards = True
            case tree.Bind(where, _, name, value):
                self.let(where, name, value)
                return
            case tree.Generator(_, names, domain, conditions):
                self.domain(domain)
                for name in names:
                    self.names[name] = None
                for condition in conditions:
                    self.read(condition)
                return
            case _:
                pass
        for child in tree.children(expr):
            self.read(child, skip)

    def domain(self, domain: Domain) -> None:
        for child in tree.children(domain):
            self.read(child)

    def operation(self, where: Location, op: str, base: Expr, arguments: tuple[Expr, ...]) -> None:
        for argument in arguments:
            self.read(argument)
        self.read_indices(base)
        place = self.place(base)
        if place is None:
            return
        if op in ("first", "last"):
            self.reads.append(Access(place, "", where))
            return
        if op in ("alloc", "free"):
            return  # names of a pool are as interchangeable as those of the loop
        effect = ""
        if op in ("add", "discard", "remove"):
            place = place.index(own=self.place(arguments[0]) is OWN)
            effect = op if op != "remove" else ""
        elif op == "clear":
            effect = op
        self.writes.append(Access(place, effect, where))

    def call(self, function: tree.Function, arguments: tuple[Expr, ...]) -> None:
        bound: Names = {}
        for (name, _), argument in zip(function.parameters, arguments, strict=True):
            self.read(argument)
            bound[name] = self.place(argument)
        inner = _Collector(bound, frozenset())
        for statement in function.body:
            inner.statement(statement, loop=False)
        self.reads += inner.reads
        self.writes += inner.writes
        self.failures += inner.failures
        self.guards = self.guards or inner.guards


def _mentions(expr: Expr, name: str) -> bool:
    return any(isinstance(part, tree.Local) and part.name == name for part in tree.walk(expr))
