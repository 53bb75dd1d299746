"""From a system's Python source to its typed tree: every function an action or property needs, checked once."""

from __future__ import annotations

import ast
import types
import typing
from collections.abc import Callable, Iterable
from typing import Any

from explorer.compiler import tree
from explorer.compiler.context import ABSENT
from explorer.compiler.expressions import Checker
from explorer.compiler.source import function_syntax, location
from explorer.compiler.statements import check_block, leaves
from explorer.compiler.tree import DesignT, Kind, NumberT, SystemT, VoidT
from explorer.compiler.unordered import check_order
from explorer.lang.errors import Location, ModelError
from explorer.lang.properties import Property
from explorer.lang.run import actions_of
from explorer.lang.system import System
from explorer.lang.types import RecordT, hints_of, is_immutable, resolve

NOTHING = (None, type(None), typing.NoReturn, typing.Never)


class Frontend:
    """Checks the functions of one system, and remembers them.

    Raises ModelError, from any method, for source that is outside the language or ill-typed.
    """

    def __init__(self, system: System[Any]) -> None:
        self.system = system
        self._functions: dict[tuple[object, type[Any] | None], tree.Function] = {}
        self._open: list[object] = []
        self._switches: dict[str, Kind] = {}
        design = type(system.design)
        if system.design is not None:
            self._switches = {
                name: resolve(hint, field=name)
                for name, hint in hints_of(design).items()
                if not name.startswith("_")
            }
        self.design = design

    # What the context asks for

    def method(self, name: str, after: type[Any] | None) -> tuple[object, type[Any] | None]:
        """``self.name``, or ``super().name`` seen from the class ``after``; and the class that defines it."""
        order = type(self.system).__mro__
        start = order.index(after) + 1 if after is not None else 0
        for cls in order[start:]:
            if name in vars(cls):
                return vars(cls)[name], cls
        return ABSENT, None

    def switch(self, name: str) -> Kind | None:
        return self._switches.get(name)

    def switch_names(self) -> list[str]:
        return list(self._switches)

    def function(
        self, function: Callable[..., Any], owner: type[Any] | None, receiver: Kind | None
    ) -> tree.Function:
        """The checked form of a helper or method; ``receiver`` is the type of its ``self``, if it has one."""
        key = (function, owner)
        if key not in self._functions:
            self._functions[key] = self._check(function, owner, receiver)
        return self._functions[key]

    # Entry points

    def actions(self) -> tuple[tree.Function, ...]:
        """Every action's function, in declaration order."""
        return tuple(self.function(a.function, a.owner, SystemT()) for a in actions_of(self.system))

    def final(self) -> tree.Function:
        """``is_final``."""
        function = self._inherited("is_final")
        self._check_pure(function, "is_final")
        return function

    def init(self) -> tree.Function:
        """``init``."""
        return self._inherited("init")

    def _inherited(self, name: str) -> tree.Function:
        method, owner = self.method(name, None)
        if not isinstance(method, types.FunctionType):
            raise ModelError(f"the system {self.system.name} has no method {name}")
        return self.function(method, owner, SystemT())

    def property(self, prop: Property) -> tree.Function:
        """A property's function, checked to change nothing."""
        function = self.function(prop.function, None, None)
        self._check_pure(function, prop.name)
        return function

    def check(self) -> None:
        """Checks everything that was collected so far for dependence on the order of a sort's names."""
        check_order(list(self._functions.values()))

    # One function

    def _check(
        self, function: Callable[..., Any], owner: type[Any] | None, receiver: Kind | None
    ) -> tree.Function:
        syntax, file = function_syntax(function)
        where = Location(file, syntax.lineno, syntax.col_offset)
        if function in self._open:
            raise ModelError(
                f"{syntax.name} calls itself: recursion is not supported",
                where=where,
                hint="loop over a finite domain",
            )
        self._open.append(function)
        try:
            return self._check_body(function, syntax, file, where, owner, receiver)
        finally:
            self._open.pop()

    def _check_body(
        self,
        function: Callable[..., Any],
        syntax: ast.FunctionDef,
        file: str,
        where: Location,
        owner: type[Any] | None,
        receiver: Kind | None,
    ) -> tree.Function:
        arguments = syntax.args
        extra = [*arguments.defaults, arguments.vararg, arguments.kwarg, *arguments.kw_defaults]
        if any(extra):
            part = next(e for e in extra if e is not None)
            raise ModelError(
                "default arguments, *args and **kwargs are not supported",
                where=location(file, part),
                hint="give every argument at the call",
            )
        hints = hints_of(function)
        if "return" not in hints:
            raise ModelError(
                f"{syntax.name} does not say what it returns",
                where=where,
                hint="write `-> bool`, `-> None`, ...",
            )
        result = VoidT() if hints["return"] in NOTHING else self._kind(hints["return"], "", where)
        checked = tree.Function(syntax.name, where, (), result)
        ctx = Checker(self, function, file, owner, result)
        parameters: list[tuple[str, Kind]] = []
        for position, argument in enumerate(
            [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        ):
            place = location(file, argument)
            if position == 0 and receiver is not None:
                kind = receiver
            elif argument.arg in hints:
                kind = self._kind(hints[argument.arg], argument.arg, place)
            else:
                raise ModelError(
                    f"the parameter {argument.arg} of {syntax.name} has no type",
                    where=place,
                    hint="annotate it",
                )
            parameters.append((argument.arg, kind))
            ctx.locals[argument.arg] = kind
        checked.parameters = tuple(parameters)
        checked.body = check_block(ctx, syntax.body)
        if not isinstance(result, VoidT) and not leaves(checked.body):
            raise ModelError(
                f"{syntax.name} may end without a value",
                where=where,
                hint="return one on every path, or panic",
            )
        return checked

    def _kind(self, annotation: Any, name: str, where: Location) -> Kind:
        if annotation is int:
            return NumberT()
        if isinstance(annotation, typing.TypeVar):
            # System's own methods are written for any state.
            return RecordT(self.system.state_type)
        if annotation is self.design:
            return DesignT()
        if isinstance(annotation, type) and issubclass(annotation, System):
            return SystemT()
        return resolve(annotation, field=name, where=lambda: where)

    def _check_pure(self, function: tree.Function, name: str) -> None:
        """Properties only look: no write to what they are given, no require."""
        outside = {n for n, kind in function.parameters if isinstance(kind, RecordT)}
        for part in _parts(function.body):
            place: tree.Expr | None = None
            match part:
                case tree.Require(where) | tree.Given(where):
                    raise ModelError(
                        f"{name} is a property: require and given belong into actions",
                        where=where,
                        hint="return the condition",
                    )
                case tree.Assign(_, target, _):
                    place = target
                case tree.Operate(_, _, op, base, _) if op not in ("first", "last"):
                    place = base
            while isinstance(place, (tree.FieldOf, tree.ItemOf)):
                place = place.base
            if isinstance(place, tree.Local) and (place.name in outside or _is_place(place.type)):
                raise ModelError(
                    f"{name} is a property: it must not change the state",
                    where=part.where,
                    hint="compute with local values",
                )


def _is_place(kind: Kind) -> bool:
    outside = (NumberT, tree.NoneT, VoidT, SystemT, DesignT, tree.EmptySetT)
    return not isinstance(kind, outside) and not is_immutable(kind)


def _parts(body: Iterable[tree.Stmt]) -> Iterable[tree.Tree]:
    for statement in body:
        yield from tree.walk(statement)
