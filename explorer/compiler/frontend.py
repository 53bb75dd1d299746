"""From a system's Python source to its typed tree: every function an action or property needs, checked once."""

from __future__ import annotations

import ast
import types
import typing
from collections.abc import Callable, Collection, Mapping
from typing import Any

from explorer.compiler import tree
from explorer.compiler.context import ABSENT
from explorer.compiler.conversion import loose
from explorer.compiler.expressions import Checker
from explorer.compiler.source import function_syntax, location
from explorer.compiler.statements import check_block
from explorer.compiler.tree import DesignT, Kind, NumberT, SystemT, VoidT
from explorer.compiler.unordered import check_order, made_here
from explorer.lang.errors import Location, ModelError
from explorer.lang.properties import Property
from explorer.lang.run import Action, actions_of
from explorer.lang.system import System
from explorer.lang.types import RecordT, class_location, hints_of, resolve

NEVER = (typing.NoReturn, typing.Never)
NOTHING = (None, type(None), *NEVER)


class Frontend:
    """Checks the functions of one system, and remembers them.

    Raises ModelError, from any method, for source that is outside the language or ill-typed.
    """

    def __init__(self, system: System[Any]) -> None:
        self.system = system
        self._functions: dict[tuple[object, ...], tree.Function] = {}
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
        self._messages: dict[str, str] = {}

    # What the context asks for

    def method(self, name: str, after: type[Any] | None) -> tuple[object, type[Any] | None]:
        """``self.name``, or ``super().name`` seen from the class ``after``; and the class that defines it."""
        order = type(self.system).__mro__
        start = order.index(after) + 1 if after is not None else 0
        for cls in order[start:]:
            if name in vars(cls):
                return vars(cls)[name], cls
        return ABSENT, None

    def failure(self, name: str, message: str) -> str:
        return self._messages.setdefault(name, message)

    def scope_names(self) -> Collection[str]:
        return self.system.scope

    def switch(self, name: str) -> Kind | None:
        return self._switches.get(name)

    def switch_names(self) -> list[str]:
        return list(self._switches)

    def system_class(self) -> type[Any]:
        return type(self.system)

    def function(
        self,
        function: Callable[..., Any],
        owner: type[Any] | None,
        receiver: Kind | None,
        actual: tuple[tuple[str, Kind], ...] = (),
    ) -> tree.Function:
        """The checked form of a helper or method; ``receiver`` is the type of its ``self``, if it has one.

        ``actual`` are the types of parameters that its signature cannot say in full.
        """
        key = (function, owner, receiver, actual)
        if key not in self._functions:
            self._functions[key] = self._check(function, owner, receiver, dict(actual))
        return self._functions[key]

    # Entry points

    def actions(self) -> tuple[tree.Function, ...]:
        """Every action's function, in declaration order."""
        return tuple(map(self.action, actions_of(self.system)))

    def action(self, action: Action) -> tree.Function:
        """One action's function."""
        return self.function(action.function, action.owner, SystemT())

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
            raise ModelError(
                f"{name} of {self.system.name} is no plain method",
                where=class_location(type(self.system)),
                hint=f"write def {name}(self, s: {self.system.state_type.__name__}) -> ...",
            )
        return self.function(method, owner, SystemT())

    def property(self, prop: Property) -> tree.Function:
        """A property's function, checked to change nothing."""
        function = self.function(prop.function, None, None)
        self._check_pure(function, prop.name)
        return function

    def predicate(self, function: Callable[..., bool]) -> tree.Function:
        """A predicate of a temporal property, checked to change nothing."""
        checked = self.function(function, None, None)
        self._check_pure(checked, function.__name__)
        return checked

    def check(self) -> None:
        """Checks everything that was collected so far for dependence on the order of a sort's names."""
        check_order(list(self._functions.values()))

    # One function

    def _check(
        self,
        function: Callable[..., Any],
        owner: type[Any] | None,
        receiver: Kind | None,
        actual: dict[str, Kind],
    ) -> tree.Function:
        syntax, file = function_syntax(function)
        where = Location(file, syntax.lineno, syntax.col_offset)
        if function in self._open:
            raise ModelError(
                f"{syntax.name} calls itself: recursion is not supported",
                where=where,
                hint="loop over a finite domain",
            )
        if isinstance(syntax, ast.AsyncFunctionDef):
            raise ModelError(
                "async is not supported", where=where, hint="each action is one atomic step"
            )
        hints = self._hints(function, where)
        result = VoidT() if hints["return"] in NOTHING else self._kind(hints["return"], "", where)
        ctx = Checker(self, function, file, owner, loose(result))
        parameters = self._parameters(syntax, file, hints, receiver)
        ctx.locals = {name: actual.get(name, kind) for name, kind in parameters.items()}
        checked = tree.Function(syntax.name, where, tuple(ctx.locals.items()), ctx.result)
        checked.never = hints["return"] in NEVER
        self._open.append(function)
        try:
            checked.body = check_block(ctx, syntax.body)
        finally:
            self._open.pop()
        checked.result = ctx.result
        if checked.never and (not tree.leaves(checked.body) or ctx.returned):
            raise ModelError(
                f"{syntax.name} is declared never to return, and it may",
                where=where,
                hint="write -> None, or panic on every path",
            )
        if not isinstance(result, VoidT) and not tree.leaves(checked.body):
            raise ModelError(
                f"{syntax.name} may end without a value",
                where=where,
                hint="return one on every path, or panic",
            )
        return checked

    def _hints(self, function: Callable[..., Any], where: Location) -> dict[str, Any]:
        """The annotations of a function, that of its result included."""
        try:
            hints = hints_of(function)
        except ModelError as error:
            error.where = error.where or where
            raise
        except Exception as error:  # whatever the model's own annotations raise
            raise ModelError(
                f"the annotations of {function.__name__} cannot be read: {error}",
                where=where,
                hint="annotate parameters and result with types of the model",
            ) from None
        if "return" not in hints:
            raise ModelError(
                f"{function.__name__} does not say what it returns",
                where=where,
                hint="write `-> bool`, `-> None`, ...",
            )
        return hints

    def _parameters(
        self,
        syntax: ast.FunctionDef,
        file: str,
        hints: Mapping[str, Any],
        receiver: Kind | None,
    ) -> dict[str, Kind]:
        arguments = syntax.args
        extra = [*arguments.defaults, arguments.vararg, arguments.kwarg, *arguments.kw_defaults]
        for part in extra:
            if part is not None:
                raise ModelError(
                    "default arguments, *args and **kwargs are not supported",
                    where=location(file, part),
                    hint="give every argument at the call",
                )
        result: dict[str, Kind] = {}
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            place = location(file, argument)
            if not result and receiver is not None:
                result[argument.arg] = receiver
            elif argument.arg in hints:
                kind = self._kind(hints[argument.arg], argument.arg, place)
                result[argument.arg] = loose(kind)
            else:
                raise ModelError(
                    f"the parameter {argument.arg} of {syntax.name} has no type",
                    where=place,
                    hint="annotate it",
                )
        return result

    def _kind(self, annotation: Any, name: str, where: Location) -> Kind:
        if annotation is int:
            return NumberT()
        if isinstance(annotation, typing.TypeVar):
            # System's own methods are written for any state.
            return RecordT(self.system.state_type)
        if self.system.design is not None and annotation is self.design:
            return DesignT()
        if isinstance(annotation, type) and issubclass(annotation, System):
            return SystemT()
        return resolve(annotation, field=name, where=lambda: where)

    def _check_pure(self, function: tree.Function, name: str) -> None:
        """Properties only look: no write to what they are given, no require."""
        made = made_here(function)
        for part in tree.own_parts(function.body):
            place: tree.Expr | None = None
            match part:
                case tree.Require(where) | tree.Given(where):
                    raise ModelError(
                        f"{name} only looks at the state: require and given belong into actions",
                        where=where,
                        hint="return the condition",
                    )
                case tree.Assign(_, target, _):
                    place = target
                case tree.Operate(_, _, op, base, _) if op not in ("first", "last"):
                    place = base
                case tree.Call(_, _, called, _):
                    self._check_pure(called, name)
            root = place
            while isinstance(root, (tree.FieldOf, tree.ItemOf)):
                root = root.base
            if root is not None and not (isinstance(root, tree.Local) and root.name in made):
                raise ModelError(
                    f"{name} only looks at the state: it must not change it",
                    where=part.where,
                    hint="compute with names and sets of its own",
                )
