"""What the checking of one function knows: its names, their types, and where to report an error."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from typing import Any, NoReturn, Protocol, TypeAlias

from explorer.compiler import tree
from explorer.compiler.conversion import common, fit, loose, unwrap
from explorer.compiler.names import ABSENT, environment, names_bound, static_object
from explorer.compiler.source import location
from explorer.compiler.tree import Kind
from explorer.lang.errors import Location, ModelError
from explorer.lang.types import IntT, OptionalT, UnionT

NOT_DEFINED = "define or import it at the top level of the file"


class Library(Protocol):
    """Where a function's callees come from: the system being checked."""

    def method(self, name: str, after: type[Any] | None) -> tuple[object, type[Any] | None]:
        """What ``self.name`` (or ``super().name`` seen from ``after``) is, and the class that defines it."""

    def system_class(self) -> type[Any]:
        """The class of the system."""

    def function(
        self,
        function: Callable[..., Any],
        owner: type[Any] | None,
        receiver: Kind | None,
        actual: tuple[tuple[str, Kind], ...] = (),
    ) -> tree.Function:
        """The checked form of a helper or method; ``actual``: types of parameters, where the signature falls short."""

    def failure(self, name: str, message: str) -> str:
        """The message by which the failure ``name`` is known: ``message``, or that of another statement."""

    def scope_names(self) -> Collection[str]:
        """The entries of the scope."""

    def switch(self, name: str) -> Kind | None:
        """The type of a design switch, or None if there is none of that name."""

    def switch_names(self) -> list[str]:
        """All switches."""


class Context(ABC):
    """The function's environment. Branches copy ``narrowed``, nothing else."""

    def __init__(
        self,
        library: Library,
        function: Callable[..., Any],
        file: str,
        owner: type[Any] | None,
        result: Kind,
    ) -> None:
        self.library = library
        self.names: Mapping[str, object] = environment(function)
        self.module: Mapping[str, object] = function.__globals__
        # Whatever a function binds anywhere is local to it everywhere, as in Python.
        self.bound = names_bound(function)
        self.name = function.__name__
        self.file = file
        self.owner = owner
        self.result = result
        self.returned = False
        self.locals: dict[str, Kind] = {}
        self.narrowed: dict[str, Variants] = {}
        self.fixed: frozenset[str] = frozenset()

    @abstractmethod
    def expression(
        self, node: ast.expr, wanted: Kind | None = None, *, silent: bool = False
    ) -> tree.Expr:
        """The typed form of an expression; as a value of ``wanted`` if that is given.

        ``silent``: Python would not notice a None where ``wanted`` has none.
        """

    @abstractmethod
    def value(self, node: ast.expr) -> tree.Expr:
        """The same, with an optional's value unwrapped."""

    @abstractmethod
    def condition(self, node: ast.expr) -> tree.Expr:
        """The same for a Boolean; Python's notion of truth for other values is refused."""

    def at(self, node: ast.AST) -> Location:
        return location(self.file, node)

    def error(self, node: ast.AST, message: str, hint: str = "") -> NoReturn:
        raise ModelError(message, where=self.at(node), hint=hint)

    def sized(self, node: ast.AST, name: str) -> str:
        """``name``, if the scope has an entry of that name."""
        known = self.library.scope_names()
        if name not in known:
            self.error(
                node,
                f"the scope has no entry {name}",
                f'add it to default_scope: {{"{name}": 2}}; it has: {", ".join(known)}',
            )
        return name

    def static(self, node: ast.expr) -> object:
        """The Python object behind a name, or ABSENT."""
        return static_object(node, self.names, lambda n: n in self.locals or n in self.bound)

    def binding(self, node: ast.AST, name: str, value: tree.Expr, text: str) -> tree.Bind:
        """``name = value``: gives a local its type, or checks that a further binding agrees with the first."""
        kind = self.declare(node, name, loose(value.type))
        if common(kind, value.type) is None:
            self.error(
                node, f"{name} is already {kind}, and {text} is {value.type}", "use another name"
            )
        if isinstance(kind, OptionalT) and isinstance(kind.inner, IntT) and value.type != kind:
            # A loop's variable is bounded, and Python would not check the bounds here.
            self.error(node, f"{name} is already {kind}", "use another name")
        return tree.Bind(self.at(node), kind, name, fit(value, kind, what=text, silent=True))

    def declare(self, node: ast.AST, name: str, kind: Kind) -> Kind:
        """The type of the local ``name``: that of its first binding."""
        if name in self.fixed:
            self.error(
                node,
                f"{name} is bound outside the quantifier, and would change inside it",
                "bind another name",
            )
        self.narrowed.pop(name, None)
        known = self.locals.get(name)
        if known is not None:
            return known
        match kind:
            case tree.NoneT():
                self.error(
                    node,
                    f"the type of {name} cannot be told from None",
                    f"annotate it: {name}: T | None = None",
                )
            case tree.EmptySetT():
                self.error(
                    node,
                    f"the type of {name} cannot be told from Set()",
                    f"annotate it: {name}: Set[T] = Set()",
                )
            case tree.VoidT():
                self.error(
                    node,
                    f"{name} would be bound to nothing: the call returns no value",
                    "call it on a line of its own",
                )
        self.locals[name] = kind
        return kind

    def narrow(self, condition: tree.Expr) -> None:
        """Records which variants a local union can hold where ``condition`` is true."""
        for part in tree.own_parts([condition]):
            if isinstance(part, tree.Local):
                every = self.narrowed.get(part.name) or _variants(part.type)
                if len(every) > 1:
                    holds, _ = _possible(condition, part.name, every)
                    self.narrowed[part.name] = holds

    def local(self, node: ast.Name) -> tree.Expr:
        """A read of a local, as the variant that an ``isinstance`` around it established."""
        kind = self.locals[node.id]
        expr: tree.Expr = tree.Local(self.at(node), kind, node.id)
        possible = self.narrowed.get(node.id, frozenset())
        index = next(iter(possible), None)
        if len(possible) == 1 and index is not None:
            expr = unwrap(expr)
            if isinstance(expr.type, UnionT):
                expr = tree.Project(self.at(node), expr.type.variants[index], expr, index)
        return expr


Variants: TypeAlias = frozenset[int | None]
"""The numbers of the variants that a union can hold; None stands for None."""


def _variants(kind: Kind) -> Variants:
    inner = kind.inner if isinstance(kind, OptionalT) else kind
    if not isinstance(inner, UnionT):
        return frozenset()
    found: Variants = frozenset(range(len(inner.variants)))
    return found | {None} if isinstance(kind, OptionalT) else found


def _possible(condition: tree.Expr, name: str, every: Variants) -> tuple[Variants, Variants]:
    """What the local can hold where the condition is true, and where it is false."""
    match condition:
        case tree.IsNone(_, _, tree.Local() | tree.Bind() as operand) if operand.name == name:
            return every & {None}, every - {None}
        case tree.IsVariant(_, _, tree.Local(_, _, local), index) if local == name:
            return every & {index}, every - {index}
        case tree.IsVariant(_, _, tree.Unwrap(_, _, tree.Local(_, _, local)), index):
            if local == name:
                return every & {index}, every - {index}
        case tree.Not(_, _, operand):
            holds, fails = _possible(operand, name, every)
            return fails, holds
        case tree.And(_, _, operands):
            holds, fails = every, frozenset()
            for operand in operands:
                holds, stops = _possible(operand, name, holds)
                fails |= stops
            return holds, fails
        case tree.Or(_, _, operands):
            holds, fails = frozenset(), every
            for operand in operands:
                stops, fails = _possible(operand, name, fails)
                holds |= stops
            return holds, fails
    return every, every


def agreeing(*narrowed: dict[str, Variants]) -> dict[str, Variants]:
    """What is possible where several paths meet."""
    first, *rest = narrowed
    return {
        name: frozenset().union(held, *(other[name] for other in rest))
        for name, held in first.items()
        if all(name in other for other in rest)
    }


__all__ = ["ABSENT", "NOT_DEFINED", "Context", "Library", "agreeing"]
