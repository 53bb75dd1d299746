"""Nodes as z3 terms: Booleans, and bit-vectors just wide enough for every value that a node can have.

Integers would be simpler to write and far slower to solve. A node whose interval has no negative number is an
unsigned bit-vector, any other one a signed (two's complement) one; an operation is done in a width that holds its operands and its
result, so nothing ever wraps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

from explorer.compiler.dag import Node, cone
from explorer.compiler.program import Leaf

# z3's own classes are untyped.
Term = Any


def width_of(low: int, high: int) -> int:
    """The bits that hold ``low..high``: unsigned if nothing in it is negative, else signed."""
    if low >= 0:
        return max(1, high.bit_length())
    return max((-low - 1).bit_length(), max(high, 0).bit_length()) + 1


def variable(name: str, leaf: Leaf) -> Term:
    """A fresh variable for a leaf."""
    if leaf.is_bool:
        return z3.Bool(name)
    return z3.BitVec(name, width_of(leaf.low, leaf.high))


def constant(value: int, leaf: Leaf) -> Term:
    """A leaf's value."""
    if leaf.is_bool:
        return z3.BoolVal(bool(value))
    return z3.BitVecVal(value, width_of(leaf.low, leaf.high))


def number_of(value: Term, leaf: Leaf) -> int:
    """A leaf's value in a model, back as a number."""
    if leaf.is_bool:
        return int(z3.is_true(value))
    number: int = value.as_signed_long() if leaf.low < 0 else value.as_long()
    return number


class Terms:
    """Translates nodes over one choice of states, parameters and switches; every node once."""

    def __init__(
        self,
        leaves: Sequence[Leaf],
        switches: Sequence[int],
        before: Sequence[Term],
        after: Sequence[Term] = (),
        params: Sequence[Term] = (),
    ) -> None:
        self._leaves = leaves
        self._switches = switches
        self._states = (before, after)
        self._params = params
        self._done: dict[int, Term] = {}

    def __call__(self, root: Node) -> Term:
        """The node's term; an integer's is ``width_of`` its interval wide."""
        if root.id not in self._done:
            # A loop, for cones deeper than Python's stack.
            for node in cone([root]):
                if node.id not in self._done:
                    self._done[node.id] = self._translate(node)
        return self._done[root.id]

    def stored(self, node: Node, leaf: Leaf) -> Term:
        """The node's value in the representation of the leaf that it is assigned to."""
        return self(node) if leaf.is_bool else self._in(node, width_of(leaf.low, leaf.high))

    def _translate(self, node: Node) -> Term:
        args = node.args
        match node.op:
            case "const":
                return (
                    z3.BoolVal(bool(node.value))
                    if node.bool
                    else _literal(node.value, _width(node))
                )
            case "switch":
                value = self._switches[node.value]
                return z3.BoolVal(bool(value)) if node.bool else _literal(value, _width(node))
            case "leaf":
                leaf = self._leaves[node.value]
                variable = self._states[node.root][node.value]
                if node.bool:
                    return variable
                return _resize(variable, leaf.low < 0, _width(node))
            case "param":
                return _resize(self._params[node.value], False, _width(node))
            case "not":
                return z3.Not(self(args[0]))
            case "and":
                return z3.And(self(args[0]), self(args[1]))
            case "or":
                return z3.Or(self(args[0]), self(args[1]))
            case "int":
                return z3.If(self(args[0]), _literal(1, 1), _literal(0, 1))
            case "ite" if node.bool:
                return z3.If(*map(self, args))
            case "ite":
                wide = _width(node)
                return z3.If(self(args[0]), self._in(args[1], wide), self._in(args[2], wide))
            case "eq" if args[0].bool:
                return self(args[0]) == self(args[1])
            case "eq" | "lt" | "le":
                return self._compare(node.op, *args)
            case "add" | "sub" | "mul":
                return self._arithmetic(node)
            case "div" | "mod":
                return self._floor(node)
            case op:
                raise AssertionError(op)

    def _in(self, node: Node, width: int) -> Term:
        """The node's value in another width that holds it."""
        if node.is_const:
            return _literal(node.value, width)
        return _resize(self(node), node.low < 0, width)

    def _compare(self, op: str, a: Node, b: Node) -> Term:
        signed = a.low < 0 or b.low < 0
        width = _common((a, b), signed)
        left, right = self._in(a, width), self._in(b, width)
        if op == "eq":
            return left == right
        if op == "lt":
            return left < right if signed else z3.ULT(left, right)
        return left <= right if signed else z3.ULE(left, right)

    def _arithmetic(self, node: Node) -> Term:
        involved = (node, *node.args)
        width = _common(involved, any(n.low < 0 for n in involved))
        left, right = (self._in(a, width) for a in node.args)
        match node.op:
            case "add":
                result = left + right
            case "sub":
                result = left - right
            case _:
                result = left * right
        return _resize(result, node.low < 0, _width(node))

    def _floor(self, node: Node) -> Term:
        value, divisor = node.args
        if value.low >= 0:
            width = _common((value, divisor), False)
            left, right = self._in(value, width), self._in(divisor, width)
            result = z3.UDiv(left, right) if node.op == "div" else z3.URem(left, right)
            return _resize(result, False, _width(node))
        # The value minus its remainder may be below the interval, by less than the divisor.
        width = max(
            _common((value, divisor), True), width_of(value.low - divisor.value, value.high)
        )
        left, right = self._in(value, width), self._in(divisor, width)
        rest = left % right  # bvsmod: the sign of the divisor, as in Python
        result = rest if node.op == "mod" else (left - rest) / right
        return _resize(result, True, _width(node))


def _width(node: Node) -> int:
    return width_of(node.low, node.high)


def _common(nodes: Sequence[Node], signed: bool) -> int:
    """A width that holds all the nodes; an unsigned one takes a bit more among signed ones."""
    return max(_width(n) + (signed and n.low >= 0) for n in nodes)


def _literal(value: int, width: int) -> Term:
    return z3.BitVecVal(value, width)


def _resize(term: Term, signed: bool, width: int) -> Term:
    """Sign or zero extension, or the low bits: the value fits."""
    have = term.size()
    if have == width:
        return term
    if have > width:
        return z3.Extract(width - 1, 0, term)
    extend = z3.SignExt if signed else z3.ZeroExt
    return extend(width - have, term)
