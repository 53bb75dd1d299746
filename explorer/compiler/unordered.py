"""Loops over names without an order: whatever they do must not depend on which name comes first.

This is what makes a Sort symmetric (Ip and Dill's scalarsets): the loop's passes may be swapped. A pass may write to
the place that belongs to its own name (``s.m[x] = ...``), count, add to a set, take a maximum, or assign what is the
same in every pass; what it writes elsewhere it may not read. Which failure comes first is a matter of ``order``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TypeAlias

from explorer.compiler import tree
from explorer.compiler.tree import Domain, Expr, Stmt, Tree, is_mutable
from explorer.lang.errors import Location, ModelError
from explorer.lang.types import IntT, MapT, PoolT, RecordT, SetT, SortT, Type, walk


def has_sort(kind: tree.Kind) -> bool:
    """Whether values of this type contain a Sort's names."""
    return not isinstance(kind, tree.OUTSIDE) and any(isinstance(p, SortT) for p in walk(kind))


def is_unordered(domain: Domain) -> bool:
    """Whether the order in which a loop visits its domain is no part of the model."""
    match domain:
        case tree.ValuesOf(_, kind):
            return has_sort(kind)
        case tree.MembersOf(_, container):
            holder = container.type
            return (
                (isinstance(holder, SetT) and has_sort(holder.item))
                or (isinstance(holder, MapT) and has_sort(holder.key))
                or isinstance(holder, PoolT)
            )
        case tree.EntriesOf(_, entries, _):
            return isinstance(entries.type, MapT) and has_sort(entries.type.key)
        case _:
            return False


def made_here(function: tree.Function) -> frozenset[str]:
    """Names that only ever hold values which the function itself has made."""
    made = (tree.Build, tree.SetOf, tree.SetOp, tree.Quantify)
    names: dict[str, bool] = {name: False for name, _ in function.parameters}
    for part in tree.own_parts(function.body):
        if isinstance(part, (tree.Let, tree.Bind)):
            names[part.name] = names.get(part.name, True) and isinstance(part.value, made)
        elif isinstance(part, (tree.For, tree.Generator)):
            names.update(dict.fromkeys(part.names, False))
    return frozenset(name for name, own in names.items() if own)


# Places


@dataclass(frozen=True)
class Name:
    """A name that differs from pass to pass: ``key`` says how it comes from the loop's own one, always the same
    way where it is equal, and never with the same result in two passes."""

    key: str


Step: TypeAlias = tuple[str, str]
"""A field as (class, name), or an index as ("", key of a Name or empty)."""


@dataclass(frozen=True)
class Place:
    """An abstract place: the name it starts from, and the fields and indices on its way.

    ``kind`` is its type; ``home`` that of the last field on the way (of the name, if there is none). ``shared``: other
    names may lead there, too.
    """

    root: str
    root_kind: Type
    kind: Type
    home: Type
    steps: tuple[Step, ...] = ()
    shared: bool = True

    def part(self, step: Step, kind: Type) -> Place:
        home = kind if step[0] else self.home
        return replace(self, steps=(*self.steps, step), kind=kind, home=home)

    def overlaps(self, other: Place) -> bool:
        """Whether the two may have a part in common, in one pass or in two."""
        if not self._comparable(other):
            return self.shared and other.shared and self._may_alias(other)
        pairs = zip(self.steps, other.steps, strict=False)
        return all(a[0] == b[0] and (a[0] == "" or a == b) for a, b in pairs)

    def is_apart(self, other: Place) -> bool:
        """Whether two passes never share a part: both have the passes' own name as one and the same index."""
        mine, others = self.steps, other.steps
        if not self._comparable(other):
            fields = self._field(), other._field()
            if fields[0] != fields[1] and (None not in fields or self.home != other.home):
                return False
            mine, others = self._indices(), other._indices()
        for a, b in zip(mine, others, strict=False):
            if a[0] != b[0] or (a[0] and a != b):
                return False
            if a == b and a[1] and not a[0]:
                return True
        return False

    def _comparable(self, other: Place) -> bool:
        return self.root == other.root != UNKNOWN

    def _may_alias(self, other: Place) -> bool:
        """Whether places under different names may overlap: by their types and last fields."""
        a, b = self._field(), other._field()
        return (a is not None and a == b) or self._inside(other) or other._inside(self)

    def _inside(self, other: Place) -> bool:
        """Whether this place may lie inside the other one."""
        last, kinds = self._field(), frozenset(walk(other.home))
        if last is None:
            return self.root_kind in kinds
        return any(isinstance(k, RecordT) and k.cls.__qualname__ == last[0] for k in kinds)

    def _field(self) -> Step | None:
        return next((s for s in reversed(self.steps) if s[0]), None)

    def _indices(self) -> tuple[Step, ...]:
        """The indices behind the last field."""
        count = next((i for i, s in enumerate(reversed(self.steps)) if s[0]), len(self.steps))
        return self.steps[len(self.steps) - count :]

    def __str__(self) -> str:
        names = [self.root, *(s[1] for s in self.steps if s[0] and s[0] != NAMES)]
        return ".".join(filter(None, names)) or "a place that a helper or condition chooses"


UNKNOWN = ""
"""The root of a place that a condition or a helper chooses."""

NAMES = "#"
"""The step to what alloc and free share: which names of a pool are left."""

Ref: TypeAlias = Place | Name | None
"""What a name refers to: a place, a name of the pass's own, or just a value."""


@dataclass(frozen=True)
class Access:
    """A read or write in a pass. ``effect``: writes with the same one commute; empty for those that do not."""

    place: Place
    where: Location
    effect: str = ""


# Checks


def check_order(functions: Sequence[tree.Function]) -> None:
    """Raises ModelError for a loop or quantifier over names whose passes cannot be swapped."""
    for function in functions:
        made = made_here(function)
        for part in tree.own_parts(function.body):
            if isinstance(part, tree.For) and is_unordered(part.domain):
                _check_loop(part, made)
            elif isinstance(part, tree.Quantify):
                if any(is_unordered(g.domain) for g in part.generators):
                    _check_quantifier(part, made)


def _check_loop(loop: tree.For, made: frozenset[str]) -> None:
    collector = _Collector(loop.outer, made)
    collector.bind_items(loop.domain, loop.names, loop)
    collector.block(loop.body, _Inside.LOOP)
    for write in collector.writes:
        _check_write(write, collector)


def _check_write(write: Access, collector: _Collector) -> None:
    others = [a for a in collector.writes if a.place.overlaps(write.place)]
    reads = [r for r in collector.reads if r.place.overlaps(write.place)]
    if all(a.place.is_apart(write.place) for a in (*others, *reads)):
        return
    if write.effect and not reads and all(a.effect == write.effect for a in others):
        return
    raise ModelError(
        f"what this loop leaves in {write.place} depends on the order of the names",
        where=write.where,
        hint="in a loop over a Sort or Set write to the place of the loop's own name (s.m[x] = ...), count, add to a "
        "set or assign one value, and do not read in the loop what it writes elsewhere",
    )


def _check_quantifier(quantifier: tree.Quantify, made: frozenset[str]) -> None:
    parts = list(tree.own_parts([quantifier]))
    names = {p.name for p in parts if isinstance(p, tree.Local)}
    names -= {p.name for p in parts if isinstance(p, tree.Bind)}
    names -= {n for p in parts if isinstance(p, tree.Generator) for n in p.names}
    collector = _Collector(frozenset(names), made)
    collector.depth = 1
    collector.read(quantifier)
    if collector.writes:
        raise ModelError(
            "a quantifier over names must not change anything: how often its elements are evaluated depends "
            "on the order",
            where=collector.writes[0].where,
            hint="change things in a for loop",
        )


class _Inside:
    """Where a statement stands, for what it may leave."""

    LOOP = "the loop"
    INNER_LOOP = "a loop inside it"
    HELPER = "a helper"


@dataclass
class _Frame:
    """The names of one function in a pass. ``bound`` are those that surely got their value in this pass."""

    refs: dict[str, Ref]
    bound: set[str]
    outer: frozenset[str]
    returns: list[Ref] = field(default_factory=list)


class _Collector:
    """Gathers what one pass of a loop reads and writes, helpers included."""

    def __init__(self, outer: frozenset[str], made: frozenset[str]) -> None:
        """``outer`` are the names that a pass shares with the others: those bound before the loop."""
        self.frame = _Frame({}, set(), outer)
        self.made = made
        self.depth = 0
        self.reads: list[Access] = []
        self.writes: list[Access] = []

    # Names

    def bind(self, name: str, ref: Ref) -> None:
        self.frame.refs[name] = ref
        self.frame.bound.add(name)

    def bind_items(
        self, domain: Domain, names: tuple[str, ...], own: tree.For | None = None
    ) -> None:
        """Binds what a loop yields; ``own``: it is the loop whose passes are looked at."""
        for name in names:
            self.bind(name, None)
        if isinstance(domain, tree.EntriesOf):
            entries, kind = self.refer(domain.map), domain.map.type
            assert isinstance(kind, MapT)
            key = "x" if own is not None else ""
            if is_mutable(kind.value) and isinstance(entries, Place):
                self.bind(names[-1], entries.part(("", key), kind.value))
            if not domain.with_key:
                return
        elif isinstance(domain, tree.ListOf) and is_mutable(domain.items[0].type):
            self.bind(names[0], self.unknown(domain.items[0]))
        if own is not None:
            self.bind(names[0], Name("x"))

    def unknown(self, expr: Expr) -> Place:
        kind: Type = expr.type  # type: ignore[assignment] # places have types of the state
        return Place(UNKNOWN, kind, kind, kind)

    def either(self, a: Ref, b: Ref) -> Ref:
        """What a name refers to after a branch."""
        if a == b:
            return a
        if isinstance(a, Place) and isinstance(b, Place):
            return Place(UNKNOWN, a.kind, a.kind, a.kind)
        return None

    def join(self, frames: list[_Frame]) -> None:
        """Goes on where several branches meet."""
        first, *rest = frames
        refs, bound = dict(first.refs), set(first.bound)
        for other in rest:
            for name in other.refs.keys() | refs.keys():
                if name in refs and name in other.refs:
                    refs[name] = self.either(refs[name], other.refs[name])
                else:
                    refs[name] = refs.get(name, other.refs.get(name))
            bound &= other.bound
        self.frame.refs, self.frame.bound = refs, bound

    def copy(self) -> _Frame:
        return replace(self.frame, refs=dict(self.frame.refs), bound=set(self.frame.bound))

    # Statements

    def block(self, body: Sequence[Stmt], inside: str) -> None:
        for stmt in body:
            self.statement(stmt, inside)

    def statement(self, stmt: Stmt, inside: str) -> None:
        match stmt:
            case tree.Assign():
                self.assignment(stmt)
            case tree.Let(where, name, value):
                self.let(where, name, value)
            case tree.If(_, condition, then, orelse):
                self.read(condition)
                self.branches([then, orelse], inside)
            case tree.For():
                self.loop(stmt, inside)
            case tree.Return(where, value):
                if inside != _Inside.HELPER:
                    _leaves_early(where)
                self.frame.returns.append(None if value is None else self.use(value))
            case tree.Jump(where, op):
                if op == "break" and inside == _Inside.LOOP:
                    _leaves_early(where)
            case tree.Evaluate(_, value):
                self.use(value)
            case _:
                for child in tree.children(stmt):
                    self.read(child)

    def branches(self, bodies: Sequence[Sequence[Stmt]], inside: str) -> None:
        before = self.copy()
        ends: list[_Frame] = []
        for body in bodies:
            self.frame.refs, self.frame.bound = dict(before.refs), set(before.bound)
            self.block(body, inside)
            if not tree.leaves(body):
                ends.append(self.copy())
        if ends:
            self.join(ends)

    def loop(self, loop: tree.For, inside: str) -> None:
        """A loop in a pass: its own passes follow each other, so names carry over until nothing changes."""
        self.domain(loop.domain)
        before = self.copy()
        while True:
            known = dict(self.frame.refs)
            self.bind_items(loop.domain, loop.names)
            self.block(
                loop.body, _Inside.HELPER if inside == _Inside.HELPER else _Inside.INNER_LOOP
            )
            self.join([replace(before, refs=known), self.copy()])
            if self.frame.refs == known:
                break
        self.frame.bound = set(before.bound)

    def let(self, where: Location, name: str, value: Expr) -> None:
        if name not in self.frame.outer:
            self.bind(name, self.use(value))
            return
        target = tree.Local(where, value.type, name)
        place = self.outer_place(target)
        if is_mutable(value.type):
            # The name would lead to another place from the next pass on.
            self.use(value)
            self.writes.append(Access(place, where))
            return
        self.write(where, target, place, value, stored=False)

    def assignment(self, stmt: tree.Assign) -> None:
        place = self.refer(stmt.target)
        if isinstance(place, Place):
            self.write(stmt.where, stmt.target, place, stmt.value, stored=True)
        else:
            self.read(stmt.value)

    def write(
        self, where: Location, target: Expr, place: Place, value: Expr, *, stored: bool
    ) -> None:
        """``target = value``; ``stored``: bounds are checked."""
        effect, itself = self.effect(target, value, stored=stored)
        if itself is None:
            self.read(value)
        else:
            for child in tree.children(value):
                if child is not itself:
                    self.read(child)
        self.writes.append(Access(place, where, effect))

    def effect(self, target: Expr, value: Expr, *, stored: bool) -> tuple[str, Expr | None]:
        """What makes assignments of this kind commute (or ""), and the part of the value that is the target."""
        match value:
            case tree.Const(_, _, number) | tree.OrdinalConst(_, _, number):
                return f"= {number}", None
            case tree.Nothing():
                return "= None", None
            case tree.Arithmetic(_, _, "add" | "sub" as op, left, step) if _same(left, target):
                if not _mentions(step, target) and (not stored or _never_negative(step)):
                    # Steps in one direction leave the bounds in every order or in none.
                    return op if stored else "add", left
            case tree.And(_, _, operands) | tree.Or(_, _, operands):
                start, *rest = operands
                plain = all(tree.is_plain(o) and not _mentions(o, target) for o in rest)
                if _same(start, target) and plain:
                    return type(value).__name__, start
            case tree.Extreme(_, _, op, operands):
                itself = [o for o in operands if _same(o, target)]
                if len(itself) == 1 and sum(_mentions(o, target) for o in operands) == 1:
                    return op, itself[0]
            case tree.SetOp(_, _, op, kept, other):
                if _same(kept, target) and not _mentions(other, target):
                    return op, kept
            case _:
                pass
        if self.depth == 0 and tree.is_plain(value) and not self.varies(value):
            return f"the same in every pass, {value.where}", None
        return "", None

    def varies(self, expr: Expr) -> bool:
        """Whether an expression may differ from pass to pass even if no pass writes what it reads."""
        local = (p for p in tree.walk(expr) if isinstance(p, tree.Local))
        return any(p.name not in self.frame.outer for p in local)

    # Expressions

    def outer_place(self, expr: tree.Local) -> Place:
        """The place that an outer name stands for; for immutable values the name itself is the place."""
        kind: Type = expr.type  # type: ignore[assignment] # only its identity matters
        shared = is_mutable(kind) and expr.name not in self.made
        return Place(expr.name, kind, kind, kind, shared=shared)

    def refer(self, expr: Expr) -> Ref:
        """What an expression refers to. Its indices, conditions and calls are read; what it refers to is not."""
        match expr:
            case tree.Local(where, kind, name):
                if name in self.frame.refs:
                    if name not in self.frame.bound and self.depth == 0:
                        _carries(where, name)
                    return self.frame.refs[name]
                if name not in self.frame.outer and self.depth == 0:
                    _carries(where, name)
                return self.outer_place(expr) if is_mutable(kind) else None
            case tree.FieldOf(_, _, base, name):
                inner = self.refer(base)
                if isinstance(inner, Place) and isinstance(base.type, RecordT):
                    return inner.part((base.type.cls.__qualname__, name), expr.type)  # type: ignore[arg-type]
                return None
            case tree.ItemOf(_, _, base, key):
                inner, index = self.refer(base), self.use(key)
                if isinstance(inner, Place):
                    own = index.key if isinstance(index, Name) else ""
                    return inner.part(("", own), expr.type)  # type: ignore[arg-type]
                return None
            case tree.Wrap(_, _, operand) | tree.Inject(_, _, operand):
                return self.name_or_none(self.use(operand))
            case tree.Unwrap(_, _, operand) | tree.Project(_, _, operand):
                return self.use(operand)
            case tree.Build(_, _, arguments):
                found = [None if a is None else self.use(a) for a in arguments]
                keys = [
                    f"{expr.type}.{i}({n.key})" for i, n in enumerate(found) if isinstance(n, Name)
                ]
                return Name(keys[0]) if keys else None
            case tree.IfElse(_, _, condition, then, orelse):
                self.read(condition)
                return self.either(self.use(then), self.use(orelse))
            case tree.Bind(where, _, name, value):
                self.let(where, name, value)
                return self.frame.refs.get(name)
            case tree.Then(_, _, bindings, value):
                for binding in bindings:
                    self.use(binding)
                return self.use(value)
            case tree.Call(_, _, function, arguments):
                return self.call(function, arguments)
            case tree.Operate():
                return self.operation(expr)
            case _:
                self.parts(expr)
                return None

    def name_or_none(self, ref: Ref) -> Ref:
        return ref if isinstance(ref, Name) else None

    def use(self, expr: Expr) -> Ref:
        """What a name bound to the expression, or a parameter, refers to: values are read now, places later."""
        ref = self.refer(expr)
        if isinstance(ref, Place) and not is_mutable(expr.type):
            self.reads.append(Access(ref, expr.where))
            return None
        if isinstance(expr, tree.Local) and not is_mutable(expr.type):
            self.read_outer(expr)
        return ref

    def read_outer(self, expr: tree.Local) -> None:
        """The value of a name that the passes share."""
        if expr.name in self.frame.outer and expr.name not in self.frame.refs:
            self.reads.append(Access(self.outer_place(expr), expr.where))

    def read(self, part: Tree) -> None:
        """Reads all of a value."""
        if not isinstance(part, Expr):
            self.parts(part)
            return
        ref = self.use(part)
        if isinstance(ref, Place) and is_mutable(part.type):
            self.reads.append(Access(ref, part.where))

    def parts(self, expr: Tree) -> None:
        """Reads what an expression is made of."""
        match expr:
            case tree.Contains(where, _, item, container):
                index, holder = self.use(item), self.refer(container)
                if isinstance(holder, Place):
                    own = index.key if isinstance(index, Name) else ""
                    self.reads.append(Access(_member(holder, own), where))
                return
            case tree.Quantify(_, _, _, generators, element, default):
                before = self.copy()
                for generator in generators:
                    self.domain(generator.domain)
                    self.bind_items(generator.domain, generator.names)
                    for condition in generator.conditions:
                        self.read(condition)
                self.read(element)
                self.frame.refs, self.frame.bound = before.refs, before.bound
                if default is not None:
                    self.read(default)
                return
            case _:
                for child in tree.children(expr):
                    self.read(child)

    def domain(self, domain: Domain) -> None:
        """What a loop in the pass reads when it starts."""
        match domain:
            case tree.EntriesOf(_, entries, _):
                kind = entries.type
                if isinstance(kind, MapT) and is_mutable(kind.value):
                    self.refer(entries)
                else:
                    self.read(entries)
            case tree.MembersOf(_, container) if isinstance(container.type, MapT):
                self.refer(container)
            case tree.ListOf(_, items):
                for item in items:
                    self.use(item)
            case _:
                for child in tree.children(domain):
                    self.read(child)

    def operation(self, expr: tree.Operate) -> Ref:
        place = self.refer(expr.base)
        names = []
        for argument in expr.arguments:
            names.append(self.use(argument))
            if is_mutable(argument.type):
                self.read(argument)
        if not isinstance(place, Place):
            return None
        own = names[0].key if names and isinstance(names[0], Name) else ""
        match expr.op:
            case "first" | "last":
                self.reads.append(Access(place, expr.where))
            case "add" | "discard":
                self.writes.append(Access(_member(place, own), expr.where, expr.op))
            case "remove":
                self.writes.append(Access(_member(place, own), expr.where))
            case "clear":
                self.writes.append(Access(place, expr.where, expr.op))
            case "free":
                self.writes.append(Access(_member(place, own), expr.where, "free"))
                self.writes.append(Access(place.part((NAMES, ""), place.kind), expr.where, "free"))
            case "alloc":
                # Each pass gets a name of its own; which one makes no difference.
                fresh = f"alloc at {expr.where.line}:{expr.where.column}"
                self.writes.append(Access(_member(place, fresh), expr.where, "alloc"))
                self.writes.append(Access(place.part((NAMES, ""), place.kind), expr.where, "alloc"))
                return Name(fresh)
            case _:
                self.writes.append(Access(place, expr.where))
        return None

    def call(self, function: tree.Function, arguments: tuple[Expr, ...]) -> Ref:
        refs = [self.use(a) for a in arguments]
        names = [name for name, _ in function.parameters]
        caller = self.frame
        self.frame = _Frame(dict(zip(names, refs, strict=True)), set(names), frozenset())
        self.depth += 1
        self.block(function.body, _Inside.HELPER)
        self.depth -= 1
        returns, self.frame = self.frame.returns, caller
        if not returns:
            return None
        result = returns[0]
        for other in returns[1:]:
            result = self.either(result, other)
        if result is None and is_mutable(function.result):
            kind: Type = function.result  # type: ignore[assignment] # mutable, so of the state
            return Place(UNKNOWN, kind, kind, kind)
        return result


def _member(holder: Place, own: str) -> Place:
    """The place of one member of a set, entry of a pool, item of a sequence."""
    kind = holder.kind
    match kind:
        case SetT(item):
            kind = item
        case PoolT(_, value):
            kind = value
        case _:
            pass
    return holder.part(("", own), kind)


def _leaves_early(where: Location) -> None:
    raise ModelError(
        "leaving a loop over a Sort or Set early shows which name came first",
        where=where,
        hint="ask any(...) or all(...), or set a flag and go on",
    )


def _carries(where: Location, name: str) -> None:
    raise ModelError(
        f"{name} may have its value from an earlier pass, and the passes have no order",
        where=where,
        hint=f"give {name} a value on every way through the loop before using it",
    )


def _never_negative(step: Expr) -> bool:
    match step:
        case tree.Const(_, _, value):
            return value >= 0
        case tree.IfElse(_, _, _, then, orelse):
            return _never_negative(then) and _never_negative(orelse)
        case tree.Size() | tree.DomainSize() | tree.ScopeSize():
            return True
        case _:
            return (
                isinstance(step.type, IntT)
                and isinstance(step.type.low, int)
                and step.type.low >= 0
            )


def _same(a: Tree, b: Tree) -> bool:
    """Whether two expressions are written alike."""
    if type(a) is not type(b):
        return False
    for f in fields(a):
        if f.name != "where":
            x, y = getattr(a, f.name), getattr(b, f.name)
            if isinstance(x, Tree) and isinstance(y, Tree):
                if not _same(x, y):
                    return False
            elif isinstance(x, tuple) or x != y:
                return False
    return True


def _mentions(expr: Tree, target: Expr) -> bool:
    """Whether an expression has a part that is written like ``target``."""
    return any(_same(part, target) for part in tree.walk(expr))
