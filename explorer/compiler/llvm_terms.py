"""Nodes as LLVM instructions, in text.

Text, because it is what an object cache can be keyed by, and an order of magnitude faster to make than an IR of
Python objects.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from explorer.compiler.dag import Node
from explorer.compiler.packing import Packing
from explorer.lang.errors import ModelError

# What a node's value is written as: its LLVM type and an operand of that type.
Typed = tuple[str, str]

# LLVM's code generator takes time more than linear in a block's length (measured: eight times as long without this).
_BLOCK_LENGTH = 40

_COMPARE = {"eq": "eq", "lt": "slt", "le": "sle"}
_ARITHMETIC = {"add": "add", "sub": "sub", "mul": "mul"}


def type_of(node: Node) -> str:
    """The LLVM type that holds every value of the node.

    Raises
    ------
    ModelError
        The node's interval is too wide for native integers.
    """
    if node.bool:
        return "i1"
    if -(1 << 31) <= node.low and node.high < 1 << 31:
        return "i32"
    if -(1 << 62) <= node.low and node.high < 1 << 62:
        return "i64"
    raise ModelError(
        f"an integer expression can reach {node.low}..{node.high}, beyond what a search can compute with",
        hint="give the integers in it smaller bounds",
    )


class Terms:
    """Writes the instructions of one LLVM function.

    A node is written once in each scope. ``%state``, ``%after`` and ``%design`` are the function's pointers to the
    packed states and the switches' values.
    """

    def __init__(self, packing: Packing) -> None:
        self.lines: list[str] = []
        self.block = "entry"
        self._length = 0
        self._packing = packing
        self._names = 0
        self._done: dict[int, Typed] = {}
        self._words: dict[tuple[int, int], str] = {}

    def line(self, text: str) -> None:
        """Add an instruction without a result."""
        self.lines.append("  " + text)

    def value(self, text: str) -> str:
        """Add an instruction; its result's name."""
        if self._length >= _BLOCK_LENGTH and not text.startswith("phi"):
            after = f"{self.block.split('.')[0]}.{self._names}"
            self.line(f"br label %{after}")
            self.label(after)
        name = f"%v{self._names}"
        self._names += 1
        self._length += 1
        self.lines.append(f"  {name} = {text}")
        return name

    def label(self, name: str) -> None:
        """Start a block."""
        self.lines.append(f"{name}:")
        self.block = name
        self._length = 0

    @contextmanager
    def scope(self) -> Iterator[None]:
        """What is written inside is forgotten at the end: it does not dominate what follows."""
        done, words = dict(self._done), dict(self._words)
        yield
        self._done, self._words = done, words

    def word(self, index: int, root: int = 0) -> str:
        """A word of the state before (root 0) or after (root 1) the step, as an i64 operand."""
        key = (root, index)
        if key not in self._words:
            base = "%after" if root else "%state"
            place = self.value(f"getelementptr i64, ptr {base}, i64 {index}") if index else base
            self._words[key] = self.value(f"load i64, ptr {place}, align 8")
        return self._words[key]

    def operand(self, node: Node, as_type: str | None = None) -> str:
        """Write the node and what it needs; its value as an operand of its own type or of a wider or narrower integer."""
        if node.op == "const":
            return self._constant(node)
        self._write(node)
        have, operand = self._done[node.id]
        return operand if as_type is None else self.convert(operand, have, as_type)

    def convert(self, operand: str, have: str, want: str) -> str:
        """Sign extension or truncation; the value fits both types."""
        if have == want:
            return operand
        return self.value(f"{'sext' if have < want else 'trunc'} {have} {operand} to {want}")

    def any(self, nodes: Sequence[Node]) -> str:
        """Whether any of the Boolean nodes is true, as an i1 operand."""
        result = "false"
        for node in nodes:
            operand = self.operand(node)
            result = operand if result == "false" else self.value(f"or i1 {result}, {operand}")
        return result

    def _constant(self, node: Node) -> str:
        type_of(node)  # refuses what is too wide
        if node.bool:
            return "true" if node.value else "false"
        return str(node.value)

    def _write(self, root: Node) -> None:
        """Write the parts of the node's cone that are not there yet; a loop, for cones deeper than Python's stack."""
        missing: dict[int, Node] = {}
        stack = [root]
        while stack:
            node = stack.pop()
            if node.id not in missing and node.id not in self._done and node.op != "const":
                missing[node.id] = node
                stack.extend(node.args)
        for number in sorted(missing):
            node = missing[number]
            self._done[number] = (type_of(node), self._instruction(node))

    def _instruction(self, node: Node) -> str:
        own = type_of(node)
        args = node.args
        match node.op:
            case "leaf":
                return self._leaf(node, own)
            case "switch":
                place = self.value(f"getelementptr i64, ptr %design, i64 {node.value}")
                raw = self.value(f"load i64, ptr {place}, align 8")
                return self.convert(raw, "i64", own)
            case "not":
                return self.value(f"xor i1 {self.operand(args[0])}, true")
            case "and" | "or":
                return self.value(f"{node.op} i1 {self.operand(args[0])}, {self.operand(args[1])}")
            case "int":
                return self.value(f"zext i1 {self.operand(args[0])} to {own}")
            case "ite":
                condition = self.operand(args[0])
                then, other = self.operand(args[1], own), self.operand(args[2], own)
                return self.value(f"select i1 {condition}, {own} {then}, {own} {other}")
            case "eq" | "lt" | "le":
                wide = _widest([type_of(a) for a in args])
                left, right = (self.operand(a, wide) for a in args)
                return self.value(f"icmp {_COMPARE[node.op]} {wide} {left}, {right}")
            case "add" | "sub" | "mul":
                wide = _widest([own, *(type_of(a) for a in args)])
                left, right = (self.operand(a, wide) for a in args)
                return self.convert(
                    self.value(f"{_ARITHMETIC[node.op]} {wide} {left}, {right}"), wide, own
                )
            case "div" | "mod":
                wide = _widest([own, *(type_of(a) for a in args)])
                return self.convert(self._floor(node, wide), wide, own)
            case op:
                # A parameter here means that a symbolic transition was given to the native compiler.
                raise AssertionError(op)

    def _leaf(self, node: Node, own: str) -> str:
        field = self._packing.fields[node.value]
        word = self.word(field.word, node.root)
        if own == "i1" and field.width == 1:
            bit = self.value(f"and i64 {word}, {1 << field.shift}")
            return self.value(f"icmp ne i64 {bit}, 0")
        shifted = self.value(f"lshr i64 {word}, {field.shift}") if field.shift else word
        if field.shift + field.width < 64:
            shifted = self.value(f"and i64 {shifted}, {field.mask}")
        raw = self.convert(shifted, "i64", own)
        return self.value(f"add {own} {raw}, {field.low}") if field.low else raw

    def _floor(self, node: Node, wide: str) -> str:
        """Floor division or its remainder: LLVM's own round towards zero."""
        value, divisor = node.args
        left, right = self.operand(value, wide), self.operand(divisor, wide)
        if value.low >= 0:
            return self.value(f"{'udiv' if node.op == 'div' else 'urem'} {wide} {left}, {right}")
        rest = self.value(f"srem {wide} {left}, {right}")
        below = self.value(f"icmp slt {wide} {rest}, 0")
        if node.op == "mod":
            lifted = self.value(f"add {wide} {rest}, {right}")
            return self.value(f"select i1 {below}, {wide} {lifted}, {wide} {rest}")
        quotient = self.value(f"sdiv {wide} {left}, {right}")
        step = self.value(f"sext i1 {below} to {wide}")
        return self.value(f"add {wide} {quotient}, {step}")


def _widest(types: Sequence[str]) -> str:
    # "i1" < "i32" < "i64" as text, too.
    return max(types)
