"""From the typed tree to scalar expressions: statements, calls and branches in one scope."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from explorer.compiler import tree
from explorer.compiler.dag import Dag, Node
from explorer.compiler.layout import Layout
from explorer.compiler.machine import Local, Machine, Partial, Place, Stale, Value
from explorer.compiler.operations import Operations
from explorer.compiler.order import OrderOfEvents
from explorer.compiler.tree import DesignT, Expr, Kind, NumberT, Stmt, SystemT, is_mutable
from explorer.compiler.unordered import is_unordered
from explorer.lang.errors import ModelError
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
    Type,
    UnionT,
    fields_of,
    is_immutable,
)


def as_type(kind: Kind) -> Type:
    """An expression's type as one that values in the state have."""
    assert not isinstance(kind, tree.OUTSIDE), kind
    return kind


LONGEST = 200_000
"""Statements of a step with its loops written out; more would take minutes to compile."""

STORING = ("append", "insert", "add", "alloc")
"""Methods that check what they are given when they store it."""


NOWHERE = Value(())
"""Where a value is on its way to if it is not stored at once."""


class Elaborator:
    """Executes typed functions on a Machine."""

    def __init__(
        self,
        layout: Layout,
        dag: Dag,
        machine: Machine,
        switches: dict[str, Node],
        plain: dict[int, bool],
        *,
        steps: bool = True,
    ) -> None:
        """``plain`` remembers, for all elaborators of one program, which expressions are plain.

        ``steps``: what runs are steps, whose failures are findings; a property that fails is a mistake in itself.
        """
        self.layout = layout
        self.dag = dag
        self.m = machine
        self.switches = switches
        self.ops = Operations(layout, dag, machine)
        self._plain = plain
        self.steps = steps
        self.statements = 0
        self.holder = NOWHERE
        self.holders: dict[str, Value] = {}

    def is_plain(self, expr: Expr) -> bool:
        """Whether evaluating ``expr`` cannot be noticed, remembered by identity: hashing a tree would walk all of it."""
        found = self._plain.get(id(expr))
        if found is None:
            found = self._plain[id(expr)] = tree.is_plain(expr)
        return found

    # Calls

    def call(self, function: tree.Function, arguments: Sequence[Local | None]) -> Local | None:
        """Runs a function; None stands for arguments that hold nothing (the system, the design)."""
        m = self.m
        returned, broken, continued = m.returned, m.broken, m.continued
        m.returned = m.broken = m.continued = self.dag.false
        frame = type(m.frame)(function.name, len(m.path))
        m.frames.append(frame)
        for (name, kind), argument in zip(function.parameters, arguments, strict=True):
            if argument is not None:
                self.bind(name, kind, argument)
        self.block(function.body)
        m.frames.pop()
        m.returned, m.broken, m.continued = returned, broken, continued
        if not frame.returns:
            return self.nowhere(function.result)
        result = frame.returns[-1][1]
        for condition, value in reversed(frame.returns[:-1]):
            if value is not None and result is not None:
                result = self.either(condition, value, result)
        return result

    def nowhere(self, kind: Kind) -> Local | None:
        """What a call that never returns leaves behind: any value, since no path gets there."""
        if isinstance(kind, tree.VoidT):
            return None
        if isinstance(kind, NumberT):
            return Value((self.dag.number(0),))
        return self.constant(as_type(kind), self.layout.zero(as_type(kind)))

    def bind(self, name: str, kind: Kind, local: Local) -> None:
        """Gives a local name its value; a mutable value that has no place yet gets one."""
        if is_mutable(kind):
            self.m.frame.kinds[name] = as_type(kind)
            if isinstance(local, Value):
                local = self.m.allocate(local)
        self.m.frame.locals[name] = local

    def current(self, local: Local, kind: Kind, evaluated: int) -> Local:
        """``local``, or Stale if its place was assigned after so many assignments had been made."""
        if not is_mutable(kind):
            return local
        stored = as_type(kind)
        return self.m.current(local, stored, self.layout.size(stored), evaluated) or local

    # Statements

    def block(self, body: Sequence[Stmt]) -> None:
        """Runs statements until control has left on every path."""
        m = self.m
        for position, statement in enumerate(body):
            self.statement(statement)
            if m.over:
                return
            if m.live is not self.dag.true:
                if body[position + 1 :]:
                    m.branch(m.live, functools.partial(self.rest, body[position + 1 :]))
                return

    def rest(self, body: Sequence[Stmt]) -> None:
        """The statements behind a partial return, break or continue, on the paths that go on."""
        m = self.m
        m.returned = m.broken = m.continued = self.dag.false
        self.block(body)

    def statement(self, stmt: Stmt) -> None:
        self.statements += 1
        if self.statements > LONGEST:
            raise ModelError(
                f"this step takes more than {LONGEST} statements when its loops are written out",
                where=stmt.where,
                hint="make the scope or the ranges of the loops smaller",
            )
        try:
            self._statement(stmt)
        except ModelError as error:
            error.where = error.where or stmt.where
            raise

    def _statement(self, stmt: Stmt) -> None:
        m = self.m
        match stmt:
            case tree.Let(_, _, value) if isinstance(value.type, (SystemT, DesignT)):
                pass  # these hold nothing
            case tree.Let(_, name, value):
                self.bind(name, value.type, self.local(value))
            case tree.Assign():
                self.assign(stmt)
            case tree.If(_, condition, then, orelse):
                m.branch(self.node(condition), lambda: self.block(then), lambda: self.block(orelse))
            case tree.For():
                self.loop(stmt)
            case tree.Return(_, value):
                result = None if value is None else self.local(value)
                m.frame.returns.append((m.since_call(), result))
                m.returned = self.dag.true
            case tree.Jump(_, op):
                if op == "break":
                    m.broken = self.dag.true
                else:
                    m.continued = self.dag.true
            case tree.Require(_, condition):
                m.disable(self.dag.not_(self.node(condition)))
            case tree.Fail(_, name, condition, soft):
                failed = self.dag.true
                if condition is not None:
                    failed = self.dag.not_(self.node(condition))
                m.fail(failed, name, soft=soft)
            case tree.Never(where):
                if not m.over:
                    raise ModelError(
                        "it is not clear that control never gets here",
                        where=where,
                        hint='write panic("..."), which is checked',
                    )
            case tree.Evaluate(_, value):
                self.evaluate(value)

    def assign(self, stmt: tree.Assign) -> None:
        # Python evaluates the value, then the target's parts; then it looks at the value and the key, and stores.
        kind = as_type(stmt.target.type)
        source = _unchecked(stmt.value)
        target = stmt.target
        assert isinstance(target, (tree.FieldOf, tree.ItemOf))
        if isinstance(source, (tree.SetOf, tree.Quantify)):
            # A set that is written out for a field has that field's bounds.
            self.holder = Value((), _field_of(target))
        value = self.local(source)
        base = self.place(target.base)
        if isinstance(target, tree.FieldOf):
            place = self.field(base, target)
            nodes = self.ops.prepare(kind, source.type, self.nodes(value, source.type), place)
        else:
            key = self.key(target.key, base)
            nodes = self.ops.prepare(kind, source.type, self.nodes(value, source.type), base)
            place = self.item(base, target, key)
        self.ops.check(kind, nodes, place)
        if is_mutable(kind):
            self.m.outdate(place, kind, self.layout.size(kind), stmt.where)
        self.m.write(place, nodes)

    def loop(self, stmt: tree.For) -> None:
        m = self.m
        broken, continued = m.broken, m.continued
        m.broken = m.continued = self.dag.false
        kinds = self.kinds(stmt.domain)
        evaluated = len(m.outdated)
        every = self.items(stmt.domain)
        unordered = is_unordered(stmt.domain)
        order = OrderOfEvents(m) if unordered and self.steps else None
        for presence, items in every:

            def one_pass(items: tuple[Local, ...] = items) -> None:
                m.returned = m.broken = m.continued = self.dag.false
                for name, kind, item in zip(stmt.names, kinds, items, strict=True):
                    self.bind(name, kind, self.current(item, kind, evaluated))
                self.block(stmt.body)
                m.continued = self.dag.false

            left = self.dag.or_(m.returned, m.broken)
            if m.assumed is self.dag.false or left is self.dag.true:
                break
            m.branch(self.dag.and_(self.dag.not_(left), presence), one_pass)
            if order is not None:
                order.passed()
        m.broken, m.continued = broken, continued
        if unordered:
            # The loop's own names end with it.
            m.frame.locals = {n: v for n, v in m.frame.locals.items() if n in stmt.outer}
            if order is not None:
                order.check(stmt.where)

    # Domains

    def kinds(self, domain: tree.Domain) -> tuple[Kind, ...]:
        """The types of what a domain yields."""
        match domain:
            case tree.ValuesOf(_, kind):
                return (kind,)
            case tree.EntriesOf(_, entries, with_key):
                assert isinstance(entries.type, MapT)
                pair = (entries.type.key, entries.type.value)
                return pair if with_key else pair[1:]
            case tree.RangeOf():
                return (NumberT(),)
            case tree.ListOf(_, items):
                return (items[0].type,)
            case tree.MembersOf(_, container):
                match container.type:
                    case SetT(item) | SeqT(item, _, _) | MapT(item, _) | PoolT(item, _):
                        return (item,)
        raise AssertionError(domain)

    def items(self, domain: tree.Domain) -> list[tuple[Node, tuple[Local, ...]]]:
        """What a domain yields, in order, each with the condition under which it is there. Like Python's
        loops over the language's containers, it is a snapshot."""
        dag = self.dag
        match domain:
            case tree.ValuesOf(_, kind):
                return [(dag.true, (self.constant(kind, v),)) for v in self.layout.domain(kind)]
            case tree.ListOf(_, items):
                return [(dag.true, (self.local(i),)) for i in items]
            case tree.RangeOf(where, low, high):
                first, last = self.node(low), self.node(high)
                if last.high - first.low > 10_000:
                    raise ModelError(
                        f"this loop may run {last.high - first.low} times",
                        where=where,
                        hint="loop over a smaller range",
                    )
                return [
                    (
                        dag.and_(dag.le(first, dag.number(i)), dag.lt(dag.number(i), last)),
                        (Value((dag.number(i),)),),
                    )
                    for i in range(first.low, last.high)
                ]
            case tree.EntriesOf(_, entries, with_key):
                assert isinstance(entries.type, MapT)
                key, value = entries.type.key, entries.type.value
                size = self.layout.size(value)
                base = self.evaluate(entries)
                result: list[tuple[Node, tuple[Local, ...]]] = []
                for position, name in enumerate(self.layout.domain(key)):
                    entry = self.ops.inside(base, position * size, size)
                    if isinstance(entry, Place) and is_immutable(value):
                        entry = Value(self.m.read(entry, size))
                    yielded = (self.constant(key, name), entry) if with_key else (entry,)
                    result.append((dag.true, yielded))
                return result
            case tree.MembersOf(_, container):
                nodes = self.flat(container)
                match container.type:
                    case MapT(key, _):
                        return [
                            (dag.true, (self.constant(key, v),)) for v in self.layout.domain(key)
                        ]
                    case SetT(item):
                        return [
                            (bit, (self.constant(item, v),))
                            for bit, v in zip(nodes, self.layout.domain(item), strict=True)
                        ]
                    case PoolT(ref, value):
                        step = 1 + self.layout.size(value)
                        return [
                            (bit, (self.constant(ref, v),))
                            for bit, v in zip(nodes[::step], self.layout.domain(ref), strict=True)
                        ]
                    case SeqT(item, _, _):
                        size = self.layout.size(item)
                        return [
                            (
                                dag.lt(dag.number(i), nodes[0]),
                                (Value(nodes[1 + i * size : 1 + (i + 1) * size]),),
                            )
                            for i in range(self.layout.capacity(container.type))
                        ]
        raise AssertionError(domain)

    def constant(self, kind: Type, flat: tuple[int, ...]) -> Value:
        """A known value."""
        return Value(self.ops.constants(kind, flat))

    # Expressions

    def node(self, expr: Expr) -> Node:
        """The one node of a scalar expression, with what is known on this path."""
        (node,) = self.flat(expr)
        return self.m.known(node) if node.bool else node

    def flat(self, expr: Expr) -> tuple[Node, ...]:
        """The nodes of a value."""
        return self.nodes(self.evaluate(expr), expr.type)

    def nodes(self, local: Local | None, kind: Kind) -> tuple[Node, ...]:
        """The nodes of an evaluated expression."""
        if isinstance(local, Place):
            return self.m.read(local, self.layout.size(as_type(kind)))
        assert isinstance(local, Value), kind
        return local.nodes

    def local(self, expr: Expr) -> Local:
        """What a name bound to ``expr`` refers to: a place if the type is mutable, else the value now."""
        local = self.evaluate(expr)
        assert local is not None
        if isinstance(local, Place) and not is_mutable(expr.type):
            return Value(self.nodes(local, expr.type))
        return local

    def place(self, expr: Expr) -> Place:
        """The place of a target of an assignment."""
        match expr:
            case tree.FieldOf(_, _, base, _):
                return self.field(self.place(base), expr)
            case tree.ItemOf(_, _, base, key):
                inner = self.place(base)
                return self.item(inner, expr, self.key(key, inner))
            case _:
                local = self.evaluate(expr)
                if isinstance(local, Value):
                    local = self.m.allocate(local)
                assert isinstance(local, Place), expr
                return local

    def field(self, base: Place, expr: tree.FieldOf) -> Place:
        assert isinstance(expr.base.type, RecordT)
        offset, _ = self.layout.field(expr.base.type.cls, expr.name)
        return base.part(offset, expr.name)

    def item(self, base: Place, expr: tree.ItemOf, key: tuple[Node, ...]) -> Place:
        result = self.ops.item(as_type(expr.base.type), base, key, expr.where)
        assert isinstance(result, Place)
        return result

    def key(self, key: Expr, outer: Local | None) -> tuple[Node, ...]:
        """The nodes of an index; one outside its type's bounds is a violation of the container's field."""
        source = key.operand if isinstance(key, tree.Convert) else key
        nodes = self.flat(source)
        if key is not source:
            assert isinstance(key.type, OptionalT)
            nodes = self.ops.prepare(key.type, source.type, nodes, outer)
        return nodes

    def evaluate(self, expr: Expr) -> Local | None:
        """The value or place of an expression; None for what holds nothing."""
        dag, m = self.dag, self.m
        match expr:
            case tree.Const(where, kind, value):
                if isinstance(kind, BoolT):
                    return Value((dag.truth(bool(value)),))
                return Value((m.in_range(dag.number(value), where),))
            case tree.OrdinalConst():
                return Value((dag.number(self.ordinal(expr)),))
            case tree.Nothing(_, kind):
                optional = as_type(kind)
                return self.constant(optional, self.layout.zero(optional))
            case tree.Local(where, _, name):
                return self.lookup(expr, name)
            case tree.Switch(_, _, name):
                return Value((self.switches[name],))
            case tree.ScopeSize(_, _, name):
                return Value((dag.number(self.layout.entry(name)),))
            case tree.DomainSize(_, _, kind):
                return Value((dag.number(len(self.layout.domain(kind))),))
            case tree.FieldOf(_, _, base, name):
                assert isinstance(base.type, RecordT)
                offset, kind = self.layout.field(base.type.cls, name)
                outer = self.evaluate(base)
                if isinstance(outer, Place):
                    return outer.part(offset, name)
                inner = self.ops.inside(outer, offset, self.layout.size(kind))
                assert isinstance(inner, Value)
                return Value(inner.nodes, name)
            case tree.ItemOf(where, _, base, key):
                # Python evaluates the container first, then the key.
                outer = self.evaluate(base)
                return self.ops.item(as_type(base.type), outer, self.key(key, outer), where)
            case tree.Not(_, _, operand):
                return Value((dag.not_(self.node(operand)),))
            case tree.And(_, _, operands):
                return Value((self.connective(operands, dag.true),))
            case tree.Or(_, _, operands):
                return Value((self.connective(operands, dag.false),))
            case tree.IfElse(_, _, condition, then, orelse):
                return self.choose(self.node(condition), then, orelse)
            case tree.Compare(_, _, op, left, right):
                return Value((self.compare(op, left, right),))
            case tree.IsNone(_, _, operand):
                assert isinstance(operand.type, OptionalT)
                return Value((self.ops.is_none(operand.type, self.flat(operand)),))
            case tree.IsVariant(_, _, operand, index):
                return Value((dag.eq(self.flat(operand)[0], dag.number(index)),))
            case tree.Unwrap(_, _, operand):
                assert isinstance(operand.type, OptionalT)
                nodes = self.flat(operand)
                none = m.known(self.ops.is_none(operand.type, nodes))
                if expr.silent and none is not dag.false and not m.over:
                    raise ModelError(
                        "this may be None here, where a value is needed",
                        where=expr.where,
                        hint="ask `is not None` before, or write given(...)",
                    )
                m.fail(none, f"none:{m.frame.name}")
                return Value(self.ops.unwrap(operand.type, nodes))
            case tree.Given(_, _, operand):
                assert isinstance(operand.type, OptionalT)
                nodes = self.flat(operand)
                m.disable(self.ops.is_none(operand.type, nodes))
                return Value(self.ops.unwrap(operand.type, nodes))
            case tree.Wrap(_, _, operand):
                assert isinstance(expr.type, OptionalT)
                return Value(self.ops.wrap(expr.type, self.flat(operand)))
            case tree.Convert(_, kind, operand):
                assert isinstance(operand.type, OptionalT) and isinstance(kind, OptionalT)
                inside, nodes = self.ops.convert(operand.type, kind, self.flat(operand))
                m.fail(dag.not_(inside), "range:value")
                return Value(nodes)
            case tree.Inject(_, _, operand):
                assert isinstance(expr.type, UnionT)
                source = as_type(operand.type)
                assert isinstance(source, (RecordT, UnionT))
                return Value(self.ops.inject(source, expr.type, self.flat(operand)))
            case tree.Project(_, _, operand, index):
                assert isinstance(operand.type, UnionT)
                nodes = self.flat(operand)
                start = self.layout.variant(operand.type, index)
                size = self.layout.size(operand.type.variants[index])
                return Value(nodes[start : start + size])
            case tree.Arithmetic(where, _, op, left, right):
                a, b = self.node(left), self.node(right)
                return Value((self.ops.arithmetic(op, a, b, where),))
            case tree.Extreme(_, _, op, operands):
                nodes = tuple(self.node(o) for o in operands)
                return Value((functools.reduce(lambda a, b: self.ops.extreme(op, a, b), nodes),))
            case tree.Quantify():
                return self.quantify(expr)
            case tree.Contains(_, _, item, container):
                return Value((self.contains(item, container),))
            case tree.Size(_, _, container):
                return Value((self.ops.length(as_type(container.type), self.flat(container)),))
            case tree.Build():
                return self.build(expr)
            case tree.SetOf(_, kind, items):
                assert isinstance(kind, SetT)
                holder, self.holder = self.holder, NOWHERE
                bits = self.ops.constants(kind, self.layout.zero(kind))
                members = [(_unchecked(item).type, self.flat(_unchecked(item))) for item in items]
                for given, member in members:
                    bits = self.ops.with_member(kind, given, bits, member, holder)
                return Value(bits)
            case tree.SetOp(_, _, op, left, right):
                a_set, b_set = self.evaluate(left), self.evaluate(right)
                pairs = zip(
                    self.nodes(a_set, left.type), self.nodes(b_set, right.type), strict=True
                )
                combine: Callable[[Node, Node], Node] = {
                    "union": dag.or_,
                    "intersection": dag.and_,
                    "difference": lambda a, b: dag.and_(a, dag.not_(b)),
                }[op]
                fields = (f for x in (a_set, b_set) for f in m.fields(x))
                return Value(tuple(combine(a, b) for a, b in pairs), next(filter(None, fields), ""))
            case tree.Next(_, kind, operand):
                assert isinstance(kind, OrdinalT)
                return Value((self.ops.successor(kind, self.node(operand)),))
            case tree.Bind(_, kind, name, value):
                if not isinstance(kind, (SystemT, DesignT)):
                    self.bind(name, kind, self.local(value))
                    return m.frame.locals[name]
            case tree.Then(_, _, bindings, value):
                for binding in bindings:
                    self.evaluate(binding)
                return self.evaluate(value)
            case tree.Operate(where, _, op, base, arguments):
                return self.operate(expr)
            case tree.Call(_, _, function, arguments):
                evaluated = len(m.outdated)
                values = [
                    None if isinstance(a.type, (SystemT, DesignT)) else self.local(a)
                    for a in arguments
                ]
                return self.call(
                    function,
                    [
                        None if v is None else self.current(v, a.type, evaluated)
                        for v, a in zip(values, arguments, strict=True)
                    ],
                )
        assert isinstance(expr.type, (SystemT, DesignT)), expr
        return None

    def ordinal(self, expr: tree.OrdinalConst) -> int:
        assert isinstance(expr.type, OrdinalT)
        finite = self.layout.entry(expr.type.cls.__name__)
        match expr.value:
            case "first":
                return 0
            case "last":
                return finite - 1
            case "top":
                return finite
            case int(value) if 0 <= value < finite:
                return value
        name = expr.type.cls.__name__
        raise ModelError(
            f"{name}({expr.value}) is outside the scope {name}={finite}",
            where=expr.where,
            hint="the scope is too small for this model",
        )

    def lookup(self, expr: tree.Local, name: str) -> Local:
        local = self.m.frame.locals.get(name)
        if isinstance(local, Partial) and self.m.known(local.defined) is self.dag.true:
            return local.local
        if local is None or isinstance(local, Partial):
            raise ModelError(
                f"{name} may have no value here",
                where=expr.where,
                hint="give it one on every path that leads here",
            )
        if isinstance(local, Stale):
            raise ModelError(
                f"{name} is used after its place was assigned or freed in line {local.by.line}",
                where=expr.where,
                hint=f"bind {name} again after the assignment",
            )
        return local

    def connective(self, operands: Sequence[Expr], neutral: Node) -> Node:
        """``and`` (neutral: true) or ``or`` (neutral: false) with Python's order of evaluation."""
        conjunction = neutral is self.dag.true
        result = self.node(operands[0])
        rest = operands[1:]
        if not rest or (result.op == "const" and result is not neutral):
            return result
        partial = any(isinstance(v, Partial) for v in self.m.frame.locals.values())
        if not partial and all(self.is_plain(o) for o in operands):
            nodes = [result, *(self.node(o) for o in rest)]
            result = self.dag.all(nodes) if conjunction else self.dag.any(nodes)
            return self.m.known(result)
        # The rest runs inside the branch: it may use what the operands before it established or bound.
        found: list[Node] = []
        goes_on = result if conjunction else self.dag.not_(result)
        self.m.branch(goes_on, lambda: found.append(self.connective(rest, neutral)))
        if found:
            combine = self.dag.and_ if conjunction else self.dag.or_
            result = combine(result, found[0])
        return self.m.known(result)

    def choose(self, condition: Node, then: Expr, orelse: Expr) -> Local:
        found: dict[bool, Local] = {}

        def side(value: bool, expr: Expr) -> None:
            found[value] = self.local(expr)

        condition = self.m.known(condition)
        self.m.branch(condition, lambda: side(True, then), lambda: side(False, orelse))
        if len(found) == 1:
            return next(iter(found.values()))
        return self.either(condition, found[True], found[False])

    def either(self, condition: Node, then: Local, orelse: Local) -> Local:
        """One of two results. A new value beside a place gets a place, too: names refer to either."""
        if isinstance(then, Place) and isinstance(orelse, Value):
            orelse = self.m.allocate(orelse)
        if isinstance(orelse, Place) and isinstance(then, Value):
            then = self.m.allocate(then)
        return self.m.join(condition, then, orelse)

    def compare(self, op: str, left: Expr, right: Expr) -> Node:
        dag = self.dag
        a, b = self.flat(left), self.flat(right)
        match op:
            case "eq":
                return dag.all(dag.eq(x, y) for x, y in zip(a, b, strict=True))
            case "subset":
                return dag.all(dag.or_(dag.not_(x), y) for x, y in zip(a, b, strict=True))
            case "superset":
                return dag.all(dag.or_(x, dag.not_(y)) for x, y in zip(a, b, strict=True))
        if op in ("gt", "ge"):
            a, b = b, a
        return dag.lt(a[0], b[0]) if op in ("lt", "gt") else dag.le(a[0], b[0])

    def contains(self, item: Expr, container: Expr) -> Node:
        # Python evaluates the item first.
        sought, kind = self.flat(item), as_type(container.type)
        nodes = self.flat(container)
        if item.type == tree.OPTIONAL_NUMBER and isinstance(kind, (SetT, SeqT)):
            # What is out of bounds is not in there, and that is all.
            assert isinstance(kind.item, OptionalT)
            inside, sought = self.ops.narrow(kind.item, sought)
            return self.dag.and_(inside, self.ops.contains(kind, nodes, sought))
        return self.ops.contains(kind, nodes, sought)

    def build(self, expr: tree.Build) -> Value:
        assert isinstance(expr.type, RecordT)
        # All arguments are evaluated before any is checked.
        sources = [None if a is None else _unchecked(a) for a in expr.arguments]
        values = [None if a is None else self.flat(a) for a in sources]
        nodes: list[Node] = []
        for field, source, value in zip(fields_of(expr.type.cls), sources, values, strict=True):
            if source is None or value is None:
                flat = self.layout.initial(field.type, field.name)
                nodes += self.ops.constants(field.type, flat)
            else:
                holder = Value((), field.name)
                prepared = self.ops.prepare(field.type, source.type, value, holder)
                self.ops.check(field.type, prepared, holder)
                nodes += prepared
        return Value(tuple(nodes))

    def operate(self, expr: tree.Operate) -> Local | None:
        kind = as_type(expr.base.type)
        base = self.evaluate(expr.base)
        if isinstance(base, Value):
            base = self.m.allocate(base)
        assert isinstance(base, Place)
        sources = list(expr.arguments)
        if expr.op in STORING:
            sources[-1] = _unchecked(sources[-1])
        arguments = [self.flat(a) for a in sources]
        if expr.op == "free":
            assert isinstance(kind, PoolT)
            entry = self.ops.item(kind, base, arguments[0], expr.where)
            assert isinstance(entry, Place)
            self.m.outdate(entry, kind.value, self.layout.size(kind.value), expr.where)
        result = self.ops.operate(kind, expr.op, base, arguments, [a.type for a in sources])
        return None if result is None else Value(result)

    # Quantifiers

    def quantify(self, expr: tree.Quantify) -> Value:
        """A generator expression consumed by any, all, sum, min, max or Set. The result so far is a local
        with a name no model can use, so that branches join it like any other."""
        m = self.m
        outer, types = dict(m.frame.locals), dict(m.frame.kinds)
        name = f"<{expr.op} at {len(m.frames)}.{len(outer)}>"
        holder, self.holder = self.holder, NOWHERE
        # Python evaluates the first domain, then the default, then the rest.
        evaluated = len(m.outdated)
        first = self.items(expr.generators[0].domain)
        default = None if expr.default is None else self.node(expr.default)
        m.frame.locals[name] = self.start(expr)
        self.holders[name] = holder
        self.generate(expr, 0, name, first, evaluated)
        result = m.frame.locals[name]
        assert isinstance(result, Value)
        kept = {n: v for n, v in m.frame.locals.items() if n in outer}
        m.frame.locals, m.frame.kinds = {**outer, **kept}, types
        if expr.op in ("min", "max"):
            found, value = result.nodes
            if found is self.dag.true:
                return Value((value,))
            assert default is not None
            return Value((self.dag.ite(found, value, default),))
        return result

    def start(self, expr: tree.Quantify) -> Value:
        dag = self.dag
        match expr.op:
            case "any":
                return Value((dag.false,))
            case "all":
                return Value((dag.true,))
            case "sum":
                return Value((dag.number(0),))
            case "Set":
                kind = as_type(expr.type)
                return Value(self.ops.constants(kind, self.layout.zero(kind)))
            case _:
                return Value((dag.false, dag.number(0)))

    def generate(
        self,
        expr: tree.Quantify,
        depth: int,
        name: str,
        every: list[tuple[Node, tuple[Local, ...]]],
        evaluated: int,
    ) -> None:
        """Goes through ``every`` item of the generator at ``depth``, evaluated at that count of assignments."""
        m, dag = self.m, self.dag
        generator = expr.generators[depth]
        kinds = self.kinds(generator.domain)
        hidden = {n: m.frame.locals[n] for n in generator.names if n in m.frame.locals}
        unordered = self.steps and is_unordered(generator.domain)
        order = OrderOfEvents(m, stops=expr.op in ("any", "all")) if unordered else None
        for presence, items in every:

            def one(items: tuple[Local, ...] = items) -> None:
                for variable, kind, item in zip(generator.names, kinds, items, strict=True):
                    self.bind(variable, kind, self.current(item, kind, evaluated))
                self.filtered(expr, depth, name, 0)

            m.branch(dag.and_(presence, self.goes_on(expr, name)), one)
            if order is not None:
                order.passed()
        m.frame.locals.update(hidden)
        if order is not None:
            order.check(expr.where)

    def filtered(self, expr: tree.Quantify, depth: int, name: str, position: int) -> None:
        conditions = expr.generators[depth].conditions
        if position == len(conditions):
            if depth + 1 == len(expr.generators):
                self.element(expr, name)
            else:
                evaluated = len(self.m.outdated)
                every = self.items(expr.generators[depth + 1].domain)
                self.generate(expr, depth + 1, name, every, evaluated)
            return
        condition = self.node(conditions[position])
        self.m.branch(condition, lambda: self.filtered(expr, depth, name, position + 1))

    def goes_on(self, expr: tree.Quantify, name: str) -> Node:
        """Whether Python would still ask for the next element: any and all stop early."""
        result = self.m.frame.locals[name]
        assert isinstance(result, Value)
        if expr.op == "any":
            return self.dag.true if self.cannot_fail(expr) else self.dag.not_(result.nodes[0])
        if expr.op == "all":
            return self.dag.true if self.cannot_fail(expr) else result.nodes[0]
        return self.dag.true

    def cannot_fail(self, expr: tree.Quantify) -> bool:
        """Whether evaluating one element too many cannot be noticed."""
        conditions = [c for g in expr.generators for c in g.conditions]
        domains = [x for g in expr.generators[1:] for x in tree.children(g.domain)]
        parts = (p for p in (expr.element, *conditions, *domains) if isinstance(p, Expr))
        return all(self.is_plain(part) for part in parts)

    def element(self, expr: tree.Quantify, name: str) -> None:
        dag = self.dag
        source = _unchecked(expr.element) if expr.op == "Set" else expr.element
        nodes = self.flat(source)
        result = self.m.frame.locals[name]
        assert isinstance(result, Value)
        old = result.nodes
        new: tuple[Node, ...]
        match expr.op:
            case "any":
                new = (dag.or_(old[0], nodes[0]),)
            case "all":
                new = (dag.and_(old[0], nodes[0]),)
            case "sum":
                new = (self.m.in_range(dag.add(old[0], nodes[0]), expr.where),)
            case "Set":
                kind = as_type(expr.type)
                assert isinstance(kind, SetT)
                new = self.ops.with_member(kind, source.type, old, nodes, self.holders[name])
            case _:
                found, value = old
                best = self.ops.extreme(expr.op, value, nodes[0])
                new = (dag.true, dag.ite(found, best, nodes[0]))
        self.m.frame.locals[name] = Value(new)


def _field_of(target: Expr) -> str:
    """The field of a record through which an assignment's target is reached."""
    while isinstance(target, tree.ItemOf):
        target = target.base
    return target.name if isinstance(target, tree.FieldOf) else ""


def _unchecked(expr: Expr) -> Expr:
    """An expression that is stored, without the checks that Python makes when it stores."""
    if isinstance(expr, tree.Convert) and isinstance(expr.type, OptionalT):
        return expr.operand if isinstance(expr.type.inner, IntT) else expr
    if isinstance(expr, tree.Unwrap) and not expr.silent:
        return expr.operand
    return expr
