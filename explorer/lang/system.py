"""System: a state machine as a class, with its scope, its design switches and its presets."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import inspect
import sys
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import Token
from types import TracebackType
from typing import Any, ClassVar, Generic, NoReturn, Self, TypeVar, get_args, get_origin

from explorer.lang.actions import (
    Action,
    action,
    actions_in,
    params_of,
)
from explorer.lang.cache import cached
from explorer.lang.errors import ModelError
from explorer.lang.fairness import Fair, check_fairness
from explorer.lang.scope import CURRENT, LARGEST, Scope
from explorer.lang.sorts import Ordinal, Sort
from explorer.lang.types import (
    BoolT,
    EnumT,
    IntT,
    OrdinalT,
    RecordT,
    SortT,
    Type,
    class_location,
    function_location,
    hints_of,
    is_record,
    resolve,
    scope_names,
    walk,
)
from explorer.lang.values import kind_of

S = TypeVar("S")


class _Body(dict[str, Any]):
    """The names of a class body: a method is not replaced by a later definition of the same name."""

    def __setitem__(self, name: str, value: Any) -> None:
        if inspect.isfunction(self.get(name)):
            raise ModelError(
                f"the class has two definitions of {name}",
                where=function_location(value) or function_location(self[name]),
                hint="rename one of them",
            )
        super().__setitem__(name, value)


class _SystemType(type):
    @classmethod
    def __prepare__(metacls, name: str, bases: tuple[type, ...], /, **_: Any) -> dict[str, object]:
        return _Body()


class System(Generic[S], metaclass=_SystemType):
    """A state machine over the record ``S``: ``class Registry(System[State]): ...``.

    A subclass has a ``default_scope``, methods marked with ``@action``, and perhaps ``init`` (assigns the initial state;
    every choice of its parameters is one), ``is_final``, ``describe`` (a state in words), ``fairness`` (which steps runs do not put off for ever), ``design`` (a frozen dataclass instance of switches),
    ``environment`` (which of them are no mechanisms) and ``presets`` (switches, a mixin class, or a pair of both, by name).

    ``System(scope, design)`` makes one to run: ``scope`` changes entries of ``default_scope``, ``design`` switches.
    Raises ModelError for a class or an argument that cannot be used. A system has no state of its own.
    """

    default_scope: ClassVar[Mapping[str, int]] = {}
    presets: ClassVar[Mapping[str, Any]] = {}
    fairness: ClassVar[Sequence[Fair]] = ()
    environment: ClassVar[Sequence[str]] = ()
    """The switches that say what the environment does: they are no mechanisms that could be taken away."""
    design: Any = None
    name: str = ""
    preset_switches: frozenset[str] = frozenset()
    """What the preset sets that the system was made from: a switch that was put back is a change, too."""
    scope: Scope
    state_type: type[Any]
    actions: tuple[Action, ...]

    # A subclass's init has the parameters it wants.
    init: Callable[..., None]

    def init(self, s: S) -> None:  # type: ignore[no-redef]
        """Assign the initial state. A System without one starts from the initial values of the types."""

    def is_final(self, s: S) -> bool:
        """Whether a state without enabled actions is fine; elsewhere it is a deadlock."""
        return False

    def describe(self, s: S) -> str:
        """A state in a few words, for people: ``slotcheck explain`` shows it. Run by CPython only, never compiled; by default nothing."""
        return ""

    def __init__(
        self,
        scope: Mapping[str, int] | None = None,
        design: Mapping[str, object] | None = None,
    ) -> None:
        if not __debug__:
            raise ModelError(
                "python -O removes assertions, and models use them",
                hint="run without -O and without PYTHONOPTIMIZE",
            )
        cls = type(self)
        content = self.__dict__
        content["name"] = cls.name or cls.__name__
        content["state_type"] = state_of(cls)
        content["actions"] = actions_of(cls)
        content["scope"] = _scope(cls, scope or {})
        content["design"] = _design(cls, design or {})
        _check_environment(cls)
        check_fairness(cls.fairness, content["actions"], content["name"])
        content["_tokens"] = []

    def __enter__(self) -> Self:
        self.__dict__["_tokens"].append(CURRENT.set(self.scope))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        token: Token[Scope | None] = self.__dict__["_tokens"].pop()
        CURRENT.reset(token)

    def __setattr__(self, name: str, value: object) -> None:
        if name in ("name", "preset_switches"):
            self.__dict__[name] = value
            return
        raise ModelError(
            f"a System has no state of its own: {name} cannot be assigned",
            hint=f"make {name} a field of {self.state_type.__name__}",
        )


RESERVED = frozenset(n for n in dir(System) if not n.startswith("__")) | frozenset(
    ["scope", "state_type", "actions"]
)
"""What an action cannot be called."""


@cached
def state_of(cls: type[Any]) -> type[Any]:
    """The record ``State`` of ``class X(System[State])``. Raises ModelError where there is none."""
    found = _argument(cls)
    if found is None or isinstance(found, TypeVar):
        raise ModelError(
            f"{cls.__name__} does not say what its state is",
            where=class_location(cls),
            hint=f"write class {cls.__name__}(System[State]): ... with a @record State",
        )
    if not is_record(found) or found.__record_frozen__:
        raise ModelError(
            f"the state of {cls.__name__} must be a mutable record, not {getattr(found, '__name__', found)}",
            where=class_location(cls),
            hint="put @record above the class of the state",
        )
    result: type[Any] = found
    return result


def _argument(cls: type[Any]) -> Any:
    """What stands for ``S`` of System in ``cls``: a type, a type variable of ``cls``, or None."""
    for base in vars(cls).get("__orig_bases__", ()):
        origin = get_origin(base)
        if origin is System:
            return get_args(base)[0]
        if isinstance(origin, type) and issubclass(origin, System):
            inner = _argument(origin)
            if isinstance(inner, TypeVar):
                parameters = getattr(origin, "__parameters__", ())
                return get_args(base)[parameters.index(inner)]
            return inner
    for base in cls.__bases__:
        if base is not System and issubclass(base, System):
            found = _argument(base)
            if found is not None:
                return found
    return None


@cached
def actions_of(cls: type[Any]) -> tuple[Action, ...]:
    """The actions of a system's class in order. Raises ModelError where there is none."""
    result = tuple(actions_in(cls, RESERVED))
    if not result:
        raise ModelError(
            f"{cls.__name__} has no actions",
            where=class_location(cls),
            hint="mark its steps with @action",
        )
    return result


# Scope


def needed_scope(cls: type[Any]) -> tuple[str, ...]:
    """The scope entries that the types of a system's state, actions and init name, in order of appearance."""
    types: list[Type] = [RecordT(state_of(cls))]
    types += [p.type for a in actions_of(cls) for p in a.params]
    types += [p.type for p in params_of(cls.init, "init")]
    types += [s.type for s in design_switches(cls)]
    classes: dict[str, type[Any]] = {}
    for part in (part for kind in types for part in walk(kind)):
        if isinstance(part, (SortT, OrdinalT)):
            other = classes.setdefault(part.cls.__name__, part.cls)
            if other is not part.cls:
                raise ModelError(
                    f"{cls.__name__} uses two classes called {other.__name__}: of {other.__module__} and "
                    f"of {part.cls.__module__}",
                    hint="the scope and traces name them alike: rename one",
                )
    return tuple(dict.fromkeys(name for kind in types for name in scope_names(kind)))


def ordinals_of(cls: type[Any]) -> frozenset[str]:
    """The scope entries that are numbers of values of an Ordinal."""
    types: list[Type] = [RecordT(state_of(cls))]
    types += [p.type for a in actions_of(cls) for p in a.params]
    parts = (part for kind in types for part in walk(kind))
    return frozenset(part.cls.__name__ for part in parts if isinstance(part, OrdinalT))


def _scope(cls: type[Any], changes: Mapping[str, int]) -> Scope:
    where = class_location(cls)
    needed = needed_scope(cls)
    # A sort may be used in the body of a function only.
    known = dict.fromkeys((*needed, *_visible_sorts(cls)))
    for name in cls.default_scope:
        if name not in known:
            _unknown(f"{cls.__name__}.default_scope has an unknown name", name, known, where)
    missing = [name for name in needed if name not in cls.default_scope]
    if missing:
        raise ModelError(
            f"{cls.__name__}.default_scope does not have {', '.join(missing)}",
            where=where,
            hint=f'add "{missing[0]}": 2 to default_scope',
        )
    for name in changes:
        if name not in cls.default_scope:
            _unknown(f"{cls.__name__} has no scope entry", name, cls.default_scope, None)
    sizes = {**cls.default_scope, **changes}
    for name, size in sizes.items():
        if type(size) is not int or not 1 <= size <= LARGEST:
            raise ModelError(
                f"the scope entry {name} cannot be {size!r}",
                hint=f"it is a whole number from 1 to {LARGEST}; small ones find most mistakes",
            )
    scope = Scope(sizes)
    kind_of(RecordT(state_of(cls)), scope)
    return scope


def _visible_sorts(cls: type[Any]) -> Iterator[str]:
    for module in dict.fromkeys(b.__module__ for b in (*cls.__mro__, state_of(cls))):
        for value in vars(sys.modules.get(module, typing)).values():
            if isinstance(value, type) and issubclass(value, (Sort, Ordinal)):
                yield value.__name__


def _unknown(problem: str, name: str, known: Iterable[str], where: Any) -> NoReturn:
    names = list(known)
    close = difflib.get_close_matches(name, names, n=3)
    if close:
        hint = f"did you mean {' or '.join(close)}?"
    else:
        hint = f"there is {', '.join(names)}" if names else "there is none"
    raise ModelError(f"{problem} {name}", where=where, hint=hint)


# Design


@dataclasses.dataclass(frozen=True)
class Switch:
    """A switch of a design: its type is BoolT, EnumT or IntT."""

    name: str
    type: Type
    default: Any


def design_switches(cls: type[Any]) -> tuple[Switch, ...]:
    """The switches of a system's class in order; none where it has no ``design``.

    Raises ModelError for a design that is not a frozen dataclass of bools, Enums and bounded ints.
    """
    design = cls.design
    if design is None:
        return ()
    kind = type(design)
    if not dataclasses.is_dataclass(kind) or not kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        raise ModelError(
            f"{cls.__name__}.design is {design!r}",
            where=class_location(cls),
            hint="write a @dataclass(frozen=True) class Design of switches and design = Design()",
        )
    hints = hints_of(kind)
    result = []
    for field in dataclasses.fields(kind):
        where = functools.partial(class_location, kind, field.name)
        resolved = resolve(hints[field.name], field=field.name, where=where)
        if not isinstance(resolved, (BoolT, EnumT, IntT)):
            raise ModelError(
                f"the switch {field.name} cannot be a {resolved}",
                where=where(),
                hint="a switch is a bool, an Enum or Annotated[int, Between(low, high)]",
            )
        result.append(Switch(field.name, resolved, getattr(design, field.name)))
    return tuple(result)


def _check_environment(cls: type[System[Any]]) -> None:
    """Raises ModelError for an ``environment`` that does not name switches."""
    where = class_location(cls)
    if isinstance(cls.environment, str) or not isinstance(cls.environment, Sequence):
        raise ModelError(
            f"{cls.__name__}.environment is {cls.environment!r}",
            where=where,
            hint="write the names of switches: environment = (NAME, NAME)",
        )
    known = [switch.name for switch in design_switches(cls)]
    for name in cls.environment:
        if name not in known:
            _unknown(f"{cls.__name__}.environment has an unknown switch", str(name), known, where)


def switch_values(system: System[Any]) -> dict[str, Any]:
    """The values of a system's switches, by name in order."""
    return {s.name: getattr(system.design, s.name) for s in design_switches(type(system))}


def _design(cls: type[Any], changes: Mapping[str, object]) -> Any:
    if not isinstance(changes, Mapping):
        raise ModelError(
            f"the design of {cls.__name__} is given as {changes!r}",
            hint=f'name the switches that differ: {cls.__name__}(design={{"switch": False}})',
        )
    switches = {s.name: s for s in design_switches(cls)}
    for name, value in changes.items():
        if name not in switches:
            _unknown(f"{cls.__name__} has no switch", name, switches, None)
        _check_switch(switches[name], value)
    for switch in switches.values():
        _check_switch(switch, switch.default)
    if not switches:
        return cls.design
    return dataclasses.replace(cls.design, **changes)


def _check_switch(switch: Switch, value: object) -> None:
    match switch.type:
        case BoolT():
            good, expected = type(value) is bool, "True or False"
        case EnumT(cls):
            good = type(value) is cls
            expected = "one of " + ", ".join(map(str, cls))
        case IntT(int(low), int(high)):
            good = type(value) is int and low <= value <= high
            expected = f"a number from {low} to {high}"
        case kind:
            raise ModelError(
                f"the switch {switch.name} is bounded by the scope: {kind}",
                hint="bound it by numbers: Annotated[int, Between(0, 3)]",
            )
    if not good:
        raise ModelError(f"the switch {switch.name} cannot be {value!r}", hint=f"it is {expected}")


# Presets


@cached
def with_preset(cls: type[Any], name: str) -> tuple[type[Any], dict[str, object]]:
    """The class and the switches of a preset: ``cls`` itself, or it with the preset's mixin in front.

    Raises ModelError for an unknown preset or one that is neither switches, a class nor a pair of both.
    """
    if name not in cls.presets:
        _unknown(f"{cls.__name__} has no preset", name, cls.presets, None)
    preset = cls.presets[name]
    mixin, switches = preset if isinstance(preset, tuple) and len(preset) == 2 else (None, preset)
    if isinstance(switches, type):
        mixin, switches = switches, {}
    if not isinstance(switches, Mapping) or not (mixin is None or isinstance(mixin, type)):
        raise ModelError(
            f"the preset {name} of {cls.__name__} is {preset!r}",
            where=class_location(cls),
            hint="it is a dict of switches, a mixin class, or (mixin class, switches)",
        )
    if mixin is None:
        return cls, dict(switches)
    content = {
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        "__doc__": cls.__doc__,
    }
    bases = (mixin,) if issubclass(mixin, cls) else (mixin, cls)
    return _SystemType(cls.__name__, bases, content), dict(switches)


__all__ = [
    "Switch",
    "System",
    "action",
    "actions_of",
    "design_switches",
    "needed_scope",
    "state_of",
    "switch_values",
    "with_preset",
]
