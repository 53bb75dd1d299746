"""Compiled loops: functions on 64-bit words, written in a small part of Python, as one LLVM module.

Every value is a 64-bit word. ``+ - * & | ^ ~ <<`` wrap around, ``>>`` shifts zeros in, ``< <= > >=`` compare as signed numbers
(``below`` as unsigned ones), truth values are 0 and 1. There are assignments to names, ``if``, ``while``,
``for ... in range(...)``, ``return``, ``break``, ``continue``, and calls: of each other, and of the operations in ``raw``.
Other names are integer constants of the module, or of a module that it imports.

A function is marked ``@compiled``. Called from Python, it is translated together with the other public ones of its module
and what they call, or taken from
the cache, where an edit of any file that may have a part in it changes its name.
"""

from __future__ import annotations

import ast
import ctypes
import functools
import inspect
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType
from typing import Any, NoReturn

from explorer.compiler import cache
from explorer.compiler.native import TUNED, load, machine_code, target

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "shl",
    ast.RShift: "lshr",
}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "slt",
    ast.LtE: "sle",
    ast.Gt: "sgt",
    ast.GtE: "sge",
}


class Operation:
    """What stands for instructions: ``write(emit, operands)`` adds them and returns the result's operand."""

    def __init__(self, write: Callable[[Callable[[str], str], list[str]], str], doc: str) -> None:
        self.write = write
        self.__doc__ = doc

    def __call__(self, *args: int | tuple[int, ...]) -> int:
        raise TypeError("only compiled functions can do this")


class Compiled:
    """A compiled function."""

    def __init__(self, function: FunctionType) -> None:
        self.function = function
        self.__name__: str
        self._entry: Any = None
        self._code: Any = None
        functools.update_wrapper(self, function)

    def __call__(self, *args: int) -> int:
        """Run it; other threads run meanwhile."""
        if self._entry is None:
            self._load()
        return int(self._entry(*args))

    @property
    def address(self) -> int:
        """Where its code is, for other compiled code to call."""
        if self._entry is None:
            self._load()
        return int(self._code.get_function_address(self.symbol))

    @property
    def symbol(self) -> str:
        return f"{self.function.__module__}.{self.function.__qualname__}"

    def _load(self) -> None:
        """Find the code; it is made for the public functions of a module at once, since they share a good part of it."""
        owner = self.function.__module__
        found = [x for x in self.function.__globals__.values() if isinstance(x, Compiled)]
        entries = {f.symbol: f for f in found if f._is_public(owner)} | {self.symbol: self}
        names = sorted(entries)
        key = cache.name_of([*names, *_sources(self.function), *target()])
        if key not in _loaded:
            functions = [entries[name] for name in names]
            code = cache.fetch(key, lambda: machine_code(_Module(functions).text(), TUNED))
            _loaded[key] = load(code)
        self._code = _loaded[key]
        kind = ctypes.CFUNCTYPE(
            ctypes.c_int64, *[ctypes.c_int64] * self.function.__code__.co_argcount
        )
        self._entry = kind(self._code.get_function_address(self.symbol))

    def _is_public(self, module: str) -> bool:
        return self.function.__module__ == module and not self.__name__.startswith("_")


_loaded: dict[str, Any] = {}


def compiled(function: Callable[..., Any]) -> Compiled:
    """Marks a function that is to be translated."""
    assert isinstance(function, FunctionType)
    return Compiled(function)


def _sources(function: FunctionType) -> Iterator[str]:
    """Whatever a translation may depend on: the files of the packages of the function, of the translator, and of what
    the function's module uses: other compiled functions, operations, modules with constants."""
    folders = {Path(__file__).parent, Path(function.__code__.co_filename).parent}
    for value in function.__globals__.values():
        if isinstance(value, Compiled):
            folders.add(Path(value.function.__code__.co_filename).parent)
        elif isinstance(value, Operation):
            folders.add(Path(inspect.getfile(value.write)).parent)
        elif inspect.ismodule(value) and value.__name__.startswith("explorer."):
            folders.add(Path(inspect.getfile(value)).parent)
    for folder in sorted(folders):
        yield from _contents(folder)


@functools.cache
def _contents(folder: Path) -> tuple[str, ...]:
    return tuple(p.read_text(encoding="utf-8") for p in sorted(folder.glob("*.py")))


class _Module:
    """The functions that some entries need, each translated once."""

    def __init__(self, entries: Sequence[Compiled]) -> None:
        self.entries = entries
        self.waiting = list(entries)
        self.known = {entry.symbol for entry in entries}

    def text(self) -> str:
        lines = [
            "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
            "declare i64 @llvm.cttz.i64(i64, i1)",
            "declare i64 @llvm.ctpop.i64(i64)",
            "",
        ]
        while self.waiting:
            function = self.waiting.pop()
            lines += _Function(self, function.function).lines(
                function.symbol, internal=function not in self.entries
            )
        return "\n".join(lines) + "\n"

    def need(self, function: Compiled) -> None:
        if function.symbol not in self.known:
            self.known.add(function.symbol)
            self.waiting.append(function)


class _Function:
    """Translates one function. Its variables are in memory; LLVM makes registers of them."""

    def __init__(self, module: _Module, function: FunctionType) -> None:
        self.module = module
        self.function = function
        source, self.first_line = inspect.getsourcelines(function)
        [self.tree] = ast.parse(textwrap.dedent("".join(source))).body
        self.body: list[str] = []
        self.variables: dict[str, None] = {}
        self.count = 0
        # Where `continue` and `break` lead.
        self.loops: list[tuple[str, str]] = []

    def lines(self, symbol: str, *, internal: bool) -> list[str]:
        assert isinstance(self.tree, ast.FunctionDef)
        names = [a.arg for a in self.tree.args.args]
        for name in names:
            self.variables[name] = None
            self.line(f"store i64 %{name}, ptr %var.{name}")
        self.block(self.tree.body)
        self.line("ret i64 0")
        linkage = "internal " if internal else ""
        parameters = ", ".join(f"i64 %{name}" for name in names)
        return [
            f'define {linkage}i64 @"{symbol}"({parameters}) nounwind {{',
            *(f"  %var.{name} = alloca i64" for name in self.variables),
            *self.body,
            "}",
            "",
        ]

    # Statements

    def block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[target], value=value):
                self.assign(target, value)
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                left = self.load(name, node)
                self.store(name, self.binary(op, left, self.value(value), node))
            case ast.Expr(value=ast.Constant()):
                pass
            case ast.Expr(value=ast.Call() as call):
                self.value(call)
            case ast.Return(value=value):
                result = "0" if value is None else self.value(value)
                self.line(f"ret i64 {result}")
                self.label(self.fresh("dead"))
            case ast.If(test=test, body=body, orelse=orelse):
                then, other, after = self.fresh("then"), self.fresh("else"), self.fresh("after")
                self.jump_if(test, then, other)
                with self.part(then, after):
                    self.block(body)
                with self.part(other, after):
                    self.block(orelse)
                self.label(after)
            case ast.While(test=test, body=body, orelse=[]):
                again, inside, after = self.fresh("while"), self.fresh("body"), self.fresh("after")
                self.line(f"br label %{again}")
                self.label(again)
                self.jump_if(test, inside, after)
                self.loop(inside, again, after, body)
                self.label(after)
            case ast.For(
                target=ast.Name(id=name),
                iter=ast.Call(func=ast.Name(id="range"), args=bounds),
                body=body,
                orelse=[],
            ) if len(bounds) in (1, 2):
                self.count_through(name, bounds, body)
            case ast.Continue():
                self.line(f"br label %{self.loops[-1][0]}")
                self.label(self.fresh("dead"))
            case ast.Break():
                self.line(f"br label %{self.loops[-1][1]}")
                self.label(self.fresh("dead"))
            case ast.Pass():
                pass
            case _:
                self.refuse(node)

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        match target, value:
            case ast.Name(id=name), _:
                self.store(name, self.value(value))
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                operands = [self.value(v) for v in values]
                for one, operand in zip(targets, operands, strict=True):
                    if not isinstance(one, ast.Name):
                        self.refuse(one)
                    self.store(one.id, operand)
            case _:
                self.refuse(target)

    def count_through(self, name: str, bounds: list[ast.expr], body: list[ast.stmt]) -> None:
        """A loop over a range. Its counter is its own: Python's is not changed by assignments inside."""
        number = self.count
        counter = f"counter.{number}"
        operands = [self.value(b) for b in bounds]
        start, end = operands if len(operands) == 2 else ("0", operands[0])
        again, inside, more, after = (self.fresh(part) for part in ("for", "body", "more", "after"))
        self.store(counter, start)
        self.line(f"br label %{again}")
        self.label(again)
        here = self.load(counter)
        goes_on = self.emit(f"icmp slt i64 {here}, {end}")
        self.line(f"br i1 {goes_on}, label %{inside}, label %{after}")
        self.label(inside)
        self.store(name, here)
        self.loops.append((more, after))
        self.block(body)
        self.loops.pop()
        self.line(f"br label %{more}")
        self.label(more)
        self.store(counter, self.emit(f"add i64 {here}, 1"))
        self.line(f"br label %{again}")
        self.label(after)

    def loop(self, inside: str, again: str, after: str, body: list[ast.stmt]) -> None:
        self.loops.append((again, after))
        with self.part(inside, again):
            self.block(body)
        self.loops.pop()

    # Expressions

    def value(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(value=bool() | int() as value):
                return self.constant(value, node)
            case ast.Name(id=name):
                return self.load(name, node)
            case ast.Attribute(value=ast.Name(id=name), attr=attribute):
                owner = self.function.__globals__.get(name)
                return self.constant(getattr(owner, attribute, None), node)
            case ast.BinOp(left=left, op=op, right=right):
                return self.binary(op, self.value(left), self.value(right), node)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self.emit(f"sub i64 0, {self.value(operand)}")
            case ast.UnaryOp(op=ast.Invert(), operand=operand):
                return self.emit(f"xor i64 {self.value(operand)}, -1")
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
                return self.emit(f"zext i1 {self.truth(node)} to i64")
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.choice(test, lambda: self.value(body), lambda: self.value(orelse))
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
                return self.call(name, args, node)
            case _:
                self.refuse(node)

    def truth(self, node: ast.expr) -> str:
        """The expression as a condition, an i1."""
        match node:
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARE:
                operands = f"{self.value(left)}, {self.value(right)}"
                return self.emit(f"icmp {_COMPARE[type(op)]} i64 {operands}")
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.emit(f"xor i1 {self.truth(operand)}, true")
            case ast.BoolOp(op=op, values=[first, *rest]):
                remaining = rest[0] if len(rest) == 1 else ast.BoolOp(op=op, values=rest)
                ast.copy_location(remaining, node)

                def others() -> str:
                    return self.emit(f"zext i1 {self.truth(remaining)} to i64")

                if isinstance(op, ast.And):
                    chosen = self.choice(first, others, lambda: "0")
                else:
                    chosen = self.choice(first, lambda: "1", others)
                return self.emit(f"trunc i64 {chosen} to i1")
            case _:
                return self.emit(f"icmp ne i64 {self.value(node)}, 0")

    def choice(self, test: ast.expr, yes: Callable[[], str], no: Callable[[], str]) -> str:
        """One of two values, only that one computed."""
        name = f"choice.{self.count}"
        then, other, after = self.fresh("then"), self.fresh("else"), self.fresh("after")
        self.jump_if(test, then, other)
        for label, operand in ((then, yes), (other, no)):
            with self.part(label, after):
                self.store(name, operand())
        self.label(after)
        return self.load(name)

    def call(self, name: str, args: list[ast.expr], node: ast.expr) -> str:
        callee = self.function.__globals__.get(name)
        if isinstance(callee, Operation):
            flat = [x for a in args for x in (a.elts if isinstance(a, ast.Tuple) else [a])]
            return callee.write(self.emit, [self.value(a) for a in flat])
        if not isinstance(callee, Compiled) or callee.function.__code__.co_argcount != len(args):
            self.refuse(node)
        self.module.need(callee)
        operands = ", ".join(f"i64 {self.value(a)}" for a in args)
        return self.emit(f'call i64 @"{callee.symbol}"({operands})')

    def binary(self, op: ast.operator, left: str, right: str, node: ast.AST) -> str:
        if type(op) not in _BINARY:
            self.refuse(node)
        return self.emit(f"{_BINARY[type(op)]} i64 {left}, {right}")

    # Names and lines

    def load(self, name: str, node: ast.AST | None = None) -> str:
        if name in self.variables:
            return self.emit(f"load i64, ptr %var.{name}")
        return self.constant(self.function.__globals__.get(name), node)

    def constant(self, value: object, node: ast.AST | None) -> str:
        if not isinstance(value, int):
            self.refuse(node)
        # Wraps around like everything else; LLVM writes words as signed numbers.
        return str((int(value) + (1 << 63)) % (1 << 64) - (1 << 63))

    def store(self, name: str, operand: str) -> None:
        self.variables[name] = None
        self.line(f"store i64 {operand}, ptr %var.{name}")

    def jump_if(self, test: ast.expr, then: str, other: str) -> None:
        self.line(f"br i1 {self.truth(test)}, label %{then}, label %{other}")

    @contextmanager
    def part(self, label: str, after: str) -> Iterator[None]:
        """A block that goes on at ``after``."""
        self.label(label)
        yield
        self.line(f"br label %{after}")

    def emit(self, instruction: str) -> str:
        if instruction.startswith(("store", "call void")):
            self.line(instruction)
            return "0"
        name = f"%{self.fresh('v')}"
        self.line(f"{name} = {instruction}")
        return name

    def line(self, text: str) -> None:
        self.body.append("  " + text)

    def label(self, name: str) -> None:
        self.body.append(f"{name}:")

    def fresh(self, part: str) -> str:
        self.count += 1
        return f"{part}.{self.count}"

    def refuse(self, node: ast.AST | None) -> NoReturn:
        line = self.first_line + getattr(node, "lineno", 1) - 1
        shown = ast.unparse(node) if node is not None else "?"
        raise SyntaxError(
            f"{self.function.__code__.co_filename}:{line}: not for compiled functions: {shown}"
        )
