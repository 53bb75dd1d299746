"""Properties: functions on records that say what must hold, or be reached."""

from __future__ import annotations

import inspect
import itertools
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from explorer.lang.cache import cached
from explorer.lang.containers import Pool
from explorer.lang.errors import ModelError
from explorer.lang.system import System
from explorer.lang.text import format_value
from explorer.lang.types import (
    MapT,
    PoolT,
    RecordT,
    Type,
    fields_of,
    function_location,
    hints_of,
    is_record,
)
from explorer.lang.values import kind_of

if TYPE_CHECKING:
    from explorer.lang.fairness import Fair
    from explorer.lang.formulas import Formula

P1 = TypeVar("P1", bound=Callable[[Any], bool])
P2 = TypeVar("P2", bound=Callable[[Any, Any], bool])

Kind: TypeAlias = Literal["invariant", "step_invariant", "reachable", "temporal"]


@dataclass(frozen=True)
class Property:
    """A declared property. ``record`` is the class it is typed on: the state, or a component of it.

    A temporal one has a ``formula`` over predicates, and perhaps a ``fairness`` of its own.
    """

    name: str
    kind: Kind
    function: Callable[..., Any]
    record: type[Any]
    file: str
    line: int
    formula: Formula | None = None
    fairness: tuple[Fair, ...] | None = None


@dataclass
class _Definitions:
    """The functions of one name and place. They come from one import; when a module is loaded again the new ones replace
    the old. A function made several times, in a loop or by a factory, is kept as often: see ``properties_for``."""

    source: types.CodeType | None
    kind: Kind
    functions: list[Callable[..., Any]]
    make: Callable[[Callable[..., Any]], Property]


_REGISTRY: dict[tuple[str, str, str], _Definitions] = {}
"""By module and name of the function, and by the module that was being imported."""

_APPLY: dict[type[Any], tuple[Property, ...]] = {}
"""What ``properties_for`` has found, by the type of the state, until something else is declared."""


def invariant(function: P1, /) -> P1:
    """Declare what holds in every reachable state: ``@invariant def f(s: State) -> bool``."""
    return _register("invariant", function, 1)


def step_invariant(function: P2, /) -> P2:
    """Declare what holds across every step: ``@step_invariant def f(before: State, after: State) -> bool``."""
    return _register("step_invariant", function, 2)


def reachable(function: P1, /) -> P1:
    """Declare what some reachable state must satisfy, so that nothing holds only because nothing happens."""
    return _register("reachable", function, 1)


F = TypeVar("F", bound=Callable[..., Any])


def _register(kind: Kind, function: F, arity: int) -> F:
    where = function_location(function)
    if not inspect.isfunction(function):
        raise ModelError(f"@{kind} marks a function, not {function!r}")
    signature = inspect.signature(function)
    if len(signature.parameters) != arity:
        expected = "before: State, after: State" if arity == 2 else "s: State"
        raise ModelError(
            f"the {kind} {function.__name__} takes {len(signature.parameters)} arguments",
            where=where,
            hint=f"write def {function.__name__}({expected}) -> bool",
        )
    for p in signature.parameters.values():
        if p.annotation is p.empty:
            raise ModelError(
                f"the parameter {p.name} of {function.__name__} has no annotation",
                where=where,
                hint="its type says to which systems the property applies",
            )
    return declare(kind, function, lambda f: _property(kind, f))


def declare(kind: Kind, function: F, make: Callable[[Callable[..., Any]], Property]) -> F:
    """Enter a declaration. ``make`` is called with the function when the property is needed."""
    where = function_location(function)
    importer, source = _importing()
    key = (function.__module__, function.__qualname__, importer)
    _APPLY.clear()
    known = _REGISTRY.get(key)
    if known is None or known.source is not source:
        _REGISTRY[key] = _Definitions(source, kind, [function], make)
        return function
    if known.kind != kind or function_location(known.functions[0]) != where:
        raise ModelError(
            f"the property {function.__name__} is defined twice in {function.__module__}",
            where=where,
            hint="rename one of them",
        )
    known.functions.append(function)
    return function


def _importing() -> tuple[str, types.CodeType | None]:
    """The module whose code is running, and that code, which is another one when the module is loaded again."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    return ("", None) if frame is None else (str(frame.f_globals.get("__name__")), frame.f_code)


def forget(function: Callable[..., bool]) -> None:
    """Take a declaration back."""
    for key, definitions in list(_REGISTRY.items()):
        if function in definitions.functions:
            definitions.functions.remove(function)
            _APPLY.clear()
            if not definitions.functions:
                del _REGISTRY[key]


def _declared() -> Iterator[Callable[..., bool]]:
    for definitions in list(_REGISTRY.values()):
        yield from definitions.functions


def property_of(function: Callable[..., bool]) -> Property:
    """The declared property that ``function`` is. Raises ModelError if it is none or its types do not fit."""
    for definitions in list(_REGISTRY.values()):
        if any(f is function for f in definitions.functions):
            return definitions.make(function)
    raise ModelError(f"{function.__name__} is no property", hint="put @invariant above it")


@cached
def _property(kind: Kind, function: Callable[..., Any]) -> Property:
    where = function_location(function)
    hints = hints_of(function)
    records = [hints[name] for name in inspect.signature(function).parameters]
    if any(not is_record(r) or r.__record_frozen__ or r is not records[0] for r in records):
        raise ModelError(
            f"the property {function.__name__} is not typed on one mutable record",
            where=where,
            hint="annotate its arguments with the State, or with a record that is part of it",
        )
    if hints.get("return") is not bool:
        raise ModelError(
            f"the property {function.__name__} does not return bool",
            where=where,
            hint="write -> bool",
        )
    assert where is not None
    return Property(function.__name__, kind, function, records[0], where.file, where.line)


def properties_for(system: System[Any]) -> tuple[Property, ...]:
    """The properties that apply to ``system``, by module and line.

    They are those typed on its state, on a record that the state contains through record fields and the entries of maps
    and pools, or on a class that such a record derives from. Raises ModelError if two have the same name.
    """
    known = _APPLY.get(system.state_type)
    if known is not None:
        return known
    found = [property_of(function) for function in _declared()]
    found = [p for p in found if paths_to(system.state_type, p.record)]
    found.sort(key=lambda p: (p.function.__module__, p.line))
    names: dict[str, Property] = {}
    for p in found:
        other = names.setdefault(p.name, p)
        if other is not p:
            again = (p.file, p.line) == (other.file, other.line)
            raise ModelError(
                f"two properties of {system.name} are called {p.name}",
                where=function_location(p.function),
                hint="a loop or a factory makes them under one name; write each at the top level, or one property with all(...)"
                if again
                else f"the other is in {other.file}, line {other.line}; rename one",
            )
    return _APPLY.setdefault(system.state_type, tuple(found))


def idle_properties(module: str, systems: Iterable[System[Any]]) -> tuple[Property, ...]:
    """The properties declared in ``module`` that apply to none of ``systems``: they would be thought checked."""
    used = {p.function for system in systems for p in properties_for(system)}
    declared = (f for f in _declared() if f.__module__ == module)
    return tuple(property_of(f) for f in declared if f not in used)


Path: TypeAlias = tuple[str | None, ...]


def occurrences(kind: Type, path: Path = ()) -> Iterator[tuple[type[Any], Path]]:
    """The mutable records in a state of type ``kind``: their classes and paths.

    A path has a name per field to go through and None for every entry of a map or pool.
    """
    match kind:
        case RecordT(cls) if not kind.frozen:
            yield cls, path
            for field in fields_of(cls):
                yield from occurrences(field.type, (*path, field.name))
        case MapT(_, value) | PoolT(_, value):
            yield from occurrences(value, (*path, None))
        case _:
            pass


def paths_to(state: type[Any], record: type[Any]) -> tuple[Path, ...]:
    """Where a state has records of the class ``record``, or of one that derives from it."""
    return tuple(path for cls, path in _records(state) if issubclass(cls, record))


@cached
def _records(state: type[Any]) -> tuple[tuple[type[Any], Path], ...]:
    return tuple(occurrences(RecordT(state)))


def occurrence_keys(system: System[Any], path: Path, prop: Property) -> Iterator[tuple[Any, ...]]:
    """The keys of the maps on the way along a path, for every record there, in the order of ``places``.

    Raises ModelError for a path through a pool, whose entries come and go.
    """
    kinds: list[Type] = []
    kind: Type = RecordT(system.state_type)
    for name in path:
        match kind:
            case RecordT(cls):
                kind = next(f.type for f in fields_of(cls) if f.name == name)
            case MapT(key, value):
                kinds.append(key)
                kind = value
            case _:
                raise ModelError(
                    f"{prop.name} is about {prop.record.__name__}, an entry of a pool, which comes and goes",
                    where=function_location(prop.function),
                    hint="make its predicates functions of the state, with the entry's name as a parameter",
                )
    with system:
        domains = [tuple(kind_of(k, system.scope).domain()) for k in kinds]
    yield from itertools.product(*domains)


Values: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True)
class Place:
    """A record in a state: a path to it, and the keys of the maps on the way."""

    path: Path
    keys: Values

    def __str__(self) -> str:
        keys = iter(self.keys)
        parts = (
            f"[{format_value(next(keys))}]" if name is None else f".{name}" for name in self.path
        )
        return "".join(parts).removeprefix(".")

    def of(self, state: Any) -> Any:
        """The record there."""
        keys = iter(self.keys)
        for name in self.path:
            state = state[next(keys)] if name is None else getattr(state, name)
        return state


def places(values: Values, path: Path, keys: Values = ()) -> Iterator[tuple[Values, Values]]:
    """What ``path`` leads to from ``values`` (a state, or the ones before and after a step), with the keys on the way.

    A pool's entry is there if it is allocated; for a step, before and after it.
    """
    if not path:
        yield keys, values
    elif path[0] is None:
        first, *others = values
        for key in first:
            if not isinstance(first, Pool) or all(key in other for other in others):
                yield from places(tuple(v[key] for v in values), path[1:], (*keys, key))
    else:
        name = path[0]
        yield from places(tuple(getattr(v, name) for v in values), path[1:], keys)
