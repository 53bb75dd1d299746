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


@dataclass(frozen=True)
class Place:
    """An abstract place: the local name or state it starts from, the fields on its way, and whether an index
    on its way is the loop's own name, so that no two passes share it."""

    root: str
    path: tuple[str, ...]
    own: bool

    def overlaps(self, other: Place) -> bool:
        if UNKNOWN in (self.root, other.root):
            return True
        shorter = min(len(self.path), len(other.path))
        return self.root == other.root and self.path[:shorter] == other.path[:shorter]


@dataclass(frozen=True)
class Access:
    """A read or write in a pass. ``effect``: what makes writes commute (``+``, ``add``, a constant's text), or ""."""

    place: Place
    effect: str
    where: Location
    target: Expr | None = None


Names = dict[str, Place | None]
OWN = Place("", (), own=True)


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
    names: Names = {loop.names[0]: OWN}
    for name in loop.names[1:]:
        names[name] = Place("", (), own=True)
    collector = _Collector(names)
    for statement in loop.body:
        collector.statement(statement, loop=True)
    if len(collector.failures) > 1 or (collector.failures and collector.guards):
        where = collector.failures[-1]
        raise ModelError(
            "which of this loop's checks fails first depends on the order of the names",
            where=where,
            hint="check in a loop of its own, or with any(...) and all(...)",
        )
    for write in collector.writes:
        _check_write(write, collector)


def _check_write(write: Access, collector: _Collector) -> None:
    others = [a for a in collector.writes if a.place.overlaps(write.place)]
    reads = [
        r for r in collector.reads if r.place.overlaps(write.place) and r.target is not write.target
    ]
    if write.place.own and all(a.place.own for a in [*others, *reads]):
        return
    commutes = write.effect and all(a.effect == write.effect for a in others)
    if commutes and not [
        r for r in reads if not (r.place.own and write.effect in ("add", "discard"))
    ]:
        return
    name = ".".join((write.place.root, *write.place.path)).strip(".")
    raise ModelError(
        f"what this loop leaves in {name} depends on the order of the names",
        where=write.where,
        hint="in a loop over a Sort or Set write to the place of the loop's own name, count, add to a set, or "
        "assign one constant, and do not read elsewhere what the loop writes",
    )


class _Collector:
    """Gathers what one pass of a loop reads and writes, helpers included."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.reads: list[Access] = []
        self.writes: list[Access] = []
        self.failures: list[Location] = []
        self.guards = False
        self.fresh: set[str] = set()

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
            case tree.For(_, names, domain, body):
                self.domain(domain)
                for name in names:
                    self.names[name] = None
                    self.fresh.add(name)
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
        if name not in self.names and name not in self.fresh and _mentions(value, name):
            # An accumulator that lives outside the loop.
            self.writes.append(Access(Place(name, (), own=False), self.effect(value, name), where))
            self.read(value, skip=name)
            return
        self.read(value)
        place = self.place(value)
        first = name not in self.names
        self.names[name] = place
        if first:
            self.fresh.add(name)

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
            self.writes.append(Access(place, effect, where, target))

    def effect(self, value: Expr, name: str) -> str:
        if isinstance(value, tree.Arithmetic) and value.op in ("add", "sub"):
            if isinstance(value.left, tree.Local) and value.left.name == name:
                return "" if _mentions(value.right, name) else "+"
        if isinstance(value, (tree.And, tree.Or)):
            return type(value).__name__
        if isinstance(value, tree.Extreme):
            return value.op
        return ""

    def place(self, expr: Expr) -> Place | None:
        """The abstract place behind an expression, or None for a value that is none."""
        match expr:
            case tree.Local(_, _, name):
                if name in self.names:
                    return self.names[name]
                return Place(name, (), own=False)
            case tree.FieldOf(_, _, base, name):
                inner = self.place(base)
                return None if inner is None else replace(inner, path=(*inner.path, name))
            case tree.ItemOf(_, _, base, key):
                inner = self.place(base)
                own = self.place(key) is OWN
                return None if inner is None else replace(inner, own=inner.own or own)
            case tree.Unwrap(_, _, operand) | tree.Project(_, _, operand, _):
                return self.place(operand)
            case tree.Call() | tree.IfElse() if mutable(expr.type):
                return Place(UNKNOWN, (), own=False)
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
                if place is not None and place is not OWN and place.root:
                    self.reads.append(Access(place, "", expr.where, None))
                self.read_indices(expr)
                return
            case tree.Contains(_, _, item, container):
                self.read(item)
                place = self.place(container)
                if place is not None and place.root:
                    own = place.own or self.place(item) is OWN
                    self.reads.append(Access(replace(place, own=own), "", expr.where))
                return
            case tree.Operate(where, _, op, base, arguments):
                self.operation(where, op, base, arguments)
                return
            case tree.Call(_, _, function, arguments):
                self.call(function, arguments)
                return
            case tree.Given():
                self.guards = True
            case tree.Bind(_, _, name, value):
                self.read(value)
                self.names[name] = self.place(value)
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
        own = place.own
        effect = {"add": "add", "discard": "discard", "clear": "clear"}.get(op, "")
        if op in ("add", "discard", "remove") and arguments and self.place(arguments[0]) is OWN:
            own = True
        self.writes.append(Access(replace(place, own=own), effect, where))

    def call(self, function: tree.Function, arguments: tuple[Expr, ...]) -> None:
        bound: Names = {}
        for (name, _), argument in zip(function.parameters, arguments, strict=True):
            self.read(argument)
            bound[name] = self.place(argument)
        inner = _Collector(bound)
        inner.fresh = set()
        for statement in function.body:
            inner.statement(statement, loop=False)
        self.reads += inner.reads
        self.writes += inner.writes
        self.failures += inner.failures
        self.guards = self.guards or inner.guards


def _mentions(expr: Expr, name: str) -> bool:
    return any(isinstance(part, tree.Local) and part.name == name for part in tree.walk(expr))
