"""Actions: the steps of a system, and how they are found in its classes."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeGuard, TypeVar, overload

from explorer.lang.errors import ModelError
from explorer.lang.types import (
    Type,
    defined,
    function_location,
    hints_of,
    is_immutable,
    methods_of,
    resolve,
)

F = TypeVar("F", bound=Callable[..., None])

_MARK = "__slotcheck_thread__"


@dataclass(frozen=True)
class Param:
    """A parameter: every value of its type is a choice."""

    name: str
    type: Type


@dataclass(frozen=True)
class Action:
    """A step. ``thread`` is who takes it: an Enum member, the name of a parameter that says who, or None.

    ``function`` is called with the system, a state it may change, and a value per parameter. ``owner`` is the
    class whose definition is in force.
    """

    name: str
    function: Callable[..., None]
    params: tuple[Param, ...]
    thread: enum.Enum | str | None
    owner: type[Any]
    doc: str


@overload
def action(function: F, /) -> F: ...


@overload
def action(*, thread: enum.Enum | str | None = None) -> Callable[[F], F]: ...


def action(function: Any = None, /, *, thread: Any = None) -> Any:
    """Mark a method of a System as a step: ``@action`` or ``@action(thread=...)``.

    ``thread`` is an Enum member, or the name of the parameter whose value is the thread. Raises ModelError
    for a signature that is not ``(self, s: State, id: GlobalId, ...)``.
    """
    if function is None:
        return lambda decorated: _mark(decorated, thread)
    return _mark(function, thread)


def _mark(function: Any, thread: Any) -> Any:
    if not inspect.isfunction(function):
        raise ModelError(
            f"@action marks a method, not {function!r}",
            hint="write @action or @action(thread=...) directly above `def`",
        )
    names = _parameter_names(function, f"action {function.__name__}")
    if thread is not None and not isinstance(thread, (str, enum.Enum)):
        raise ModelError(
            f"the thread of {function.__name__} is {thread!r}",
            where=function_location(function),
            hint="use an Enum member or the name of a parameter",
        )
    if is_name(thread) and thread not in names:
        raise ModelError(
            f'thread="{thread}" names no parameter of {function.__name__}',
            where=function_location(function),
            hint=f"its parameters are {', '.join(names) or 'none'}; for a fixed thread use an Enum member",
        )
    if defined(function):
        params_of(function, f"action {function.__name__}")
    setattr(function, _MARK, (thread,))
    return function


def is_name(thread: object) -> TypeGuard[str]:
    """Whether a thread is given by a parameter's name; a member of an Enum may be a string, too."""
    return isinstance(thread, str) and not isinstance(thread, enum.Enum)


def is_action(value: object) -> bool:
    """Whether ``@action`` marked ``value``."""
    return hasattr(value, _MARK)


def _parameter_names(function: Any, what: str) -> list[str]:
    """The parameters after ``self`` and the state. Raises ModelError for a signature that does not fit."""
    where = function_location(function)
    parameters = list(inspect.signature(function).parameters.values())
    if len(parameters) < 2:
        raise ModelError(
            f"{what} takes no state",
            where=where,
            hint=f"write def {function.__name__}(self, s: State) -> None",
        )
    for p in parameters:
        if p.kind is not p.POSITIONAL_OR_KEYWORD:
            raise ModelError(
                f"{what} cannot have the parameter {p}",
                where=where,
                hint="parameters are plain: each is a choice from its type",
            )
        if p.default is not p.empty:
            raise ModelError(
                f"the parameter {p.name} of {what} has a default",
                where=where,
                hint="leave it out: every value of its type is a choice",
            )
    for p in parameters[1:]:
        if p.annotation is p.empty:
            raise ModelError(
                f"the parameter {p.name} of {what} has no annotation",
                where=where,
                hint=f"write {p.name}: GlobalId (its type says which choices there are)",
            )
    return [p.name for p in parameters[2:]]


def params_of(function: Any, what: str) -> tuple[Param, ...]:
    """The parameters after ``self`` and the state, with their types.

    Raises ModelError for a type whose values cannot be enumerated.
    """
    hints = hints_of(function)
    where = function_location(function)
    result = []
    for name in _parameter_names(function, what):
        kind = resolve(hints[name], field=name, where=lambda: where)
        if not is_immutable(kind):
            raise ModelError(
                f"the parameter {name} of {what} is mutable: {kind}",
                where=where,
                hint="take a scalar or a frozen record, or the key under which the state holds it",
            )
        result.append(Param(name, kind))
    return tuple(result)


def _refuse_lost(mixin: type[Any]) -> None:
    """Raises ModelError where a class that is no System, so that Python keeps the last of two methods of one name, defines an action
    twice."""
    if not any(map(is_action, vars(mixin).values())):
        return
    seen: set[str] = set()
    for name, line in methods_of(mixin):
        if name in seen:
            raise ModelError(
                f"the class {mixin.__name__} has two definitions of {name}",
                where=line,
                hint="rename one of them",
            )
        seen.add(name)


def actions_in(cls: type[Any], reserved: frozenset[str]) -> Iterator[Action]:
    """The actions of a system's class: base classes first, then by definition; an override keeps its place.

    Raises ModelError where an action has a name of ``reserved`` or an override is not marked.
    """
    names: dict[str, type[Any]] = {}
    for base in reversed(cls.__mro__):
        if type(base) is type:
            _refuse_lost(base)
        for name, value in vars(base).items():
            if is_action(value):
                if name in reserved:
                    raise ModelError(
                        f"an action cannot be called {name}: every System has an attribute of that name",
                        where=function_location(value),
                        hint="rename it",
                    )
                names[name] = base
            elif name in names:
                raise ModelError(
                    f"{base.__name__}.{name} overrides an action of {names[name].__name__} and is not marked",
                    where=function_location(value),
                    hint="put @action above it; an action is never lost silently",
                )
    for name, owner in names.items():
        function = vars(owner)[name]
        yield Action(
            name,
            function,
            params_of(function, f"action {name}"),
            getattr(function, _MARK)[0],
            owner,
            inspect.getdoc(function) or "",
        )
