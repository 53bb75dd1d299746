"""The scalar IR: a hash-consed graph of pure, total operations on bounded integers and Booleans.

Every node carries an interval that contains all its values; the builder folds constants and uses the
intervals to decide comparisons. Nodes are numbered in creation order, so arguments come first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence


class Node:
    """One operation. Compare nodes with ``is``: equal nodes of one builder are the same object.

    ``op``: ``const`` (value), ``leaf`` (value: index of the state's leaf; root 0: the state, 1: the state after
    the step), ``param`` (value: index of the action's parameter), ``switch`` (value: index of the design switch),
    ``not``, ``and``, ``or`` (two arguments), ``eq`` (both Boolean or both integers), ``lt``, ``le``,
    ``add``, ``sub``, ``mul``, ``div``, ``mod`` (floor; by a positive constant), ``ite``, ``int`` (Boolean to 0/1).
    """

    __slots__ = ("args", "bool", "high", "id", "low", "op", "root", "value")

    def __init__(
        self,
        op: str,
        args: tuple[Node, ...],
        value: int,
        root: int,
        is_bool: bool,
        low: int,
        high: int,
        number: int,
    ) -> None:
        self.op = op
        self.args = args
        self.value = value
        self.root = root
        self.bool = is_bool
        self.low = low
        self.high = high
        self.id = number

    @property
    def is_const(self) -> bool:
        return self.op == "const"

    def __repr__(self) -> str:
        if self.op == "const":
            return str(bool(self.value)) if self.bool else str(self.value)
        if self.op in ("leaf", "param", "switch"):
            return f"{self.op}{self.value}" + ("'" if self.root else "")
        return f"{self.op}({', '.join(map(repr, self.args))})"


class Dag:
    """Builds nodes. All nodes of one program come from one builder."""

    def __init__(self) -> None:
        self._table: dict[tuple[object, ...], Node] = {}
        self._numbers: dict[int, Node] = {}
        self._count = 0
        self.true = self._make("const", (), 1, 0, True, 1, 1)
        self.false = self._make("const", (), 0, 0, True, 0, 0)

    def _make(
        self,
        op: str,
        args: tuple[Node, ...],
        value: int,
        root: int,
        is_bool: bool,
        low: int,
        high: int,
    ) -> Node:
        key = (op, args, value, root, is_bool, low, high)
        node = self._table.get(key)
        if node is None:
            node = Node(op, args, value, root, is_bool, low, high, self._count)
            self._count += 1
            self._table[key] = node
        return node

    # Sources

    def number(self, value: int) -> Node:
        node = self._numbers.get(value)
        if node is None:
            node = self._numbers[value] = self._make("const", (), value, 0, False, value, value)
        return node

    def truth(self, value: bool) -> Node:
        return self.true if value else self.false

    def leaf(
        self, index: int, low: int, high: int, *, is_bool: bool = False, root: int = 0
    ) -> Node:
        if not is_bool and low == high:
            return self.number(low)
        return self._make("leaf", (), index, root, is_bool, low, high)

    def param(self, index: int, low: int, high: int, *, is_bool: bool = False) -> Node:
        if not is_bool and low == high:
            return self.number(low)
        return self._make("param", (), index, 0, is_bool, low, high)

    def switch(self, index: int, low: int, high: int, *, is_bool: bool = False) -> Node:
        return self._make("switch", (), index, 0, is_bool, low, high)

    # Booleans

    def not_(self, a: Node) -> Node:
        if a.op == "const":
            return self.truth(not a.value)
        if a.op == "not":
            return a.args[0]
        return self._make("not", (a,), 0, 0, True, 0, 1)

    def and_(self, a: Node, b: Node) -> Node:
        if a is b or b is self.true:
            return a
        if a is self.true:
            return b
        if a is self.false or b is self.false or self._opposite(a, b):
            return self.false
        if a.id > b.id:
            a, b = b, a
        # a & (a & c) = a & c, and a & (~a & c) = false: guards repeat their conditions.
        for x, y in ((a, b), (b, a)):
            if y.op == "and":
                if x in y.args:
                    return y
                if any(self._opposite(x, z) for z in y.args):
                    return self.false
        return self._make("and", (a, b), 0, 0, True, 0, 1)

    def or_(self, a: Node, b: Node) -> Node:
        if a is b or b is self.false:
            return a
        if a is self.false:
            return b
        if a is self.true or b is self.true or self._opposite(a, b):
            return self.true
        if a.id > b.id:
            a, b = b, a
        for x, y in ((a, b), (b, a)):
            if y.op == "or" and x in y.args:
                return y
            if y.op == "and" and x in y.args:
                return x
        return self._make("or", (a, b), 0, 0, True, 0, 1)

    @staticmethod
    def _opposite(a: Node, b: Node) -> bool:
        return (a.op == "not" and a.args[0] is b) or (b.op == "not" and b.args[0] is a)

    def all(self, nodes: Iterable[Node]) -> Node:
        result = self.true
        for node in nodes:
            result = self.and_(result, node)
        return result

    def any(self, nodes: Iterable[Node]) -> Node:
        result = self.false
        for node in nodes:
            result = self.or_(result, node)
        return result

    def ite(self, c: Node, a: Node, b: Node) -> Node:
        if c.op == "const":
            return a if c.value else b
        if a is b:
            return a
        if c.op == "not":
            c, a, b = c.args[0], b, a
        if a.bool:
            if a is self.true:
                return self.or_(c, b)
            if a is self.false:
                return self.and_(self.not_(c), b)
            if b is self.true:
                return self.or_(self.not_(c), a)
            if b is self.false:
                return self.and_(c, a)
            # Accumulators of any() and all(): ite(c, b | x, b) = b | c & x, ite(c, b & x, b) = b & (~c | x).
            if a.op in ("or", "and") and b in a.args:
                x = a.args[1] if a.args[0] is b else a.args[0]
                if a.op == "or":
                    return self.or_(b, self.and_(c, x))
                return self.and_(b, self.or_(self.not_(c), x))
        # ite(c, ite(c, x, y), b) = ite(c, x, b): merges of nested branches produce these.
        if a.op == "ite" and a.args[0] is c:
            a = a.args[1]
        if b.op == "ite" and b.args[0] is c:
            b = b.args[2]
        if a is b:
            return a
        # The accumulator of sum(): ite(c, b + x, b) = b + ite(c, x, 0), which keeps the interval tight.
        if a.op == "add" and b in a.args:
            x = a.args[1] if a.args[0] is b else a.args[0]
            return self.add(b, self.ite(c, x, self.number(0)))
        return self._make("ite", (c, a, b), 0, 0, a.bool, min(a.low, b.low), max(a.high, b.high))

    # Comparisons

    def eq(self, a: Node, b: Node) -> Node:
        if a is b:
            return self.true
        if a.bool:
            if a.op == "const":
                a, b = b, a
            if b.op == "const":
                return a if b.value else self.not_(a)
            if self._opposite(a, b):
                return self.false
        elif a.high < b.low or b.high < a.low:
            return self.false
        elif a.low == a.high == b.low == b.high:
            return self.true
        else:
            if a.op == "const":
                a, b = b, a
            if b.op == "const":
                return self._eq_const(a, b.value)
        if a.id > b.id:
            a, b = b, a
        return self._make("eq", (a, b), 0, 0, True, 0, 1)

    def _eq_const(self, a: Node, value: int) -> Node:
        """An integer compared with a constant, in the one form that such comparisons have."""
        if value < a.low or a.high < value:
            return self.false
        if a.op == "add":
            for x, y in (a.args, a.args[::-1]):
                if y.op == "const":
                    return self.eq(x, self.number(value - y.value))
        if a.op == "sub" and a.args[1].op == "const":
            return self.eq(a.args[0], self.number(value + a.args[1].value))
        if a.op == "int":
            return a.args[0] if value else self.not_(a.args[0])
        if a.op == "ite" and (a.args[1].op == "const" or a.args[2].op == "const"):
            constant = self.number(value)
            c, x, y = a.args
            return self.ite(c, self.eq(x, constant), self.eq(y, constant))
        if a.high == a.low + 1 and value == a.high:
            return self.not_(self.eq(a, self.number(a.low)))
        return self._make("eq", (a, self.number(value)), 0, 0, True, 0, 1)

    def lt(self, a: Node, b: Node) -> Node:
        if a is b or a.low >= b.high:
            return self.false
        if a.high < b.low:
            return self.true
        return self._make("lt", (a, b), 0, 0, True, 0, 1)

    def le(self, a: Node, b: Node) -> Node:
        if a is b or a.high <= b.low:
            return self.true
        if a.low > b.high:
            return self.false
        return self._make("le", (a, b), 0, 0, True, 0, 1)

    # Integers

    def add(self, a: Node, b: Node) -> Node:
        if a.op == "const" and b.op == "const":
            return self.number(a.value + b.value)
        if a.op == "const" and a.value == 0:
            return b
        if b.op == "const" and b.value == 0:
            return a
        if a.id > b.id:
            a, b = b, a
        return self._make("add", (a, b), 0, 0, False, a.low + b.low, a.high + b.high)

    def sub(self, a: Node, b: Node) -> Node:
        if a.op == "const" and b.op == "const":
            return self.number(a.value - b.value)
        if b.op == "const" and b.value == 0:
            return a
        if a is b:
            return self.number(0)
        return self._make("sub", (a, b), 0, 0, False, a.low - b.high, a.high - b.low)

    def mul(self, a: Node, b: Node) -> Node:
        if a.op == "const" and b.op == "const":
            return self.number(a.value * b.value)
        for x, y in ((a, b), (b, a)):
            if x.op == "const" and x.value in (0, 1):
                return y if x.value else x
        if a.id > b.id:
            a, b = b, a
        ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        return self._make("mul", (a, b), 0, 0, False, min(ends), max(ends))

    def div(self, a: Node, divisor: int) -> Node:
        """Floor division by a positive constant."""
        if divisor == 1:
            return a
        if a.op == "const":
            return self.number(a.value // divisor)
        low, high = a.low // divisor, a.high // divisor
        if low == high:
            return self.number(low)
        return self._make("div", (a, self.number(divisor)), 0, 0, False, low, high)

    def mod(self, a: Node, divisor: int) -> Node:
        """Remainder of floor division by a positive constant: 0..divisor-1."""
        if a.op == "const":
            return self.number(a.value % divisor)
        if 0 <= a.low and a.high < divisor:
            return a
        return self._make("mod", (a, self.number(divisor)), 0, 0, False, 0, divisor - 1)

    def to_int(self, a: Node) -> Node:
        """A Boolean as 0 or 1."""
        if a.op == "const":
            return self.number(int(bool(a.value)))
        return self._make("int", (a,), 0, 0, False, 0, 1)


def cone(roots: Iterable[Node]) -> list[Node]:
    """Every node the roots depend on, arguments before users."""
    seen: dict[int, Node] = {}
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node.id not in seen:
            seen[node.id] = node
            stack.extend(node.args)
    return [seen[i] for i in sorted(seen)]


def evaluate(
    roots: Sequence[Node],
    leaves: Sequence[int],
    after: Sequence[int] = (),
    params: Sequence[int] = (),
    switches: Sequence[int] = (),
) -> Iterator[int]:
    """The roots' values, as plain integers: the meaning of the IR in a few lines, for tests."""
    values: dict[int, int] = {}
    for node in cone(roots):
        args = [values[a.id] for a in node.args]
        match node.op:
            case "const":
                result = node.value
            case "leaf":
                result = (after if node.root else leaves)[node.value]
            case "param":
                result = params[node.value]
            case "switch":
                result = switches[node.value]
            case "not":
                result = 1 - args[0]
            case "and":
                result = args[0] & args[1]
            case "or":
                result = args[0] | args[1]
            case "eq":
                result = int(args[0] == args[1])
            case "lt":
                result = int(args[0] < args[1])
            case "le":
                result = int(args[0] <= args[1])
            case "add":
                result = args[0] + args[1]
            case "sub":
                result = args[0] - args[1]
            case "mul":
                result = args[0] * args[1]
            case "div":
                result = args[0] // args[1]
            case "mod":
                result = args[0] % args[1]
            case "ite":
                result = args[1] if args[0] else args[2]
            case "int":
                result = args[0]
            case op:
                raise AssertionError(op)
        values[node.id] = result
    return (values[r.id] for r in roots)
