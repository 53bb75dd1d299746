"""Temporal properties: statements about whole runs, made from predicates of states."""

from __future__ import annotations

import difflib
import inspect
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, overload

from explorer.lang.cache import cached
from explorer.lang.effects import NoneUsed, Violation
from explorer.lang.errors import ModelError
from explorer.lang.fairness import Fair, check_fairness
from explorer.lang.formula_text import parse
from explorer.lang.formulas import Atom, Formula, accept, atoms, check_size, formula, replace_atoms
from explorer.lang.properties import Place, Property, declare, occurrence_keys, paths_to
from explorer.lang.system import System
from explorer.lang.text import format_value
from explorer.lang.types import Type, function_location, hints_of, is_immutable, is_record, resolve
from explorer.lang.values import kind_of

# Each is a search of its own.
_MOST_INSTANCES = 10_000

B = TypeVar("B", bound=Callable[..., Formula])


@dataclass(frozen=True, eq=False)
class Parameter:
    """Stands for every value of a parameter of a temporal property, while its formula is made."""

    name: str
    type: Type

    def __str__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        raise TypeError(
            f"the parameter {self.name} stands for all of its values and cannot be compared"
        )

    def __hash__(self) -> int:
        return id(self)

    def __bool__(self) -> bool:
        raise TypeError(
            f"the parameter {self.name} stands for all of its values and is no condition"
        )


@dataclass(frozen=True)
class Predicate:
    """A function of a record and further arguments: values, or parameters of the property."""

    function: Callable[..., bool]
    arguments: tuple[object, ...]

    def __str__(self) -> str:
        name = self.function.__name__
        shown = [str(a) if isinstance(a, Parameter) else format_value(a) for a in self.arguments]
        return f"{name}({', '.join(shown)})" if shown else name


@dataclass(frozen=True)
class Bound:
    """A predicate with its arguments, about the record at one place of the state."""

    function: Callable[..., bool]
    place: Place
    arguments: tuple[object, ...]

    def __str__(self) -> str:
        shown = [str(self.place)] if self.place.path else []
        shown += [format_value(a) for a in self.arguments]
        name = self.function.__name__
        return f"{name}({', '.join(shown)})" if shown else name


@dataclass(frozen=True)
class Instance:
    """A temporal property for one choice of its parameters and of the record that it is about; ``text`` says which.

    No two instances of a property have the same text: a trace names its instance by it.
    """

    text: str
    formula: Formula

    def atoms(self) -> tuple[Bound, ...]:
        """What its formula is about, each once."""
        found = (atom.what for atom in atoms(self.formula))
        return tuple(what for what in found if isinstance(what, Bound))


@cached
def argument_types(function: Callable[..., bool]) -> tuple[Type, ...]:
    """The types of a predicate's arguments after the record. Raises ModelError for those that are no values."""
    hints = hints_of(function)
    where = function_location(function)
    names = list(inspect.signature(function).parameters)[1:]
    found = tuple(resolve(hints[name], field=name, where=lambda: where) for name in names)
    for name, kind in zip(names, found, strict=True):
        if not is_immutable(kind):
            raise ModelError(
                f"the parameter {name} of the predicate {function.__name__} is mutable: {kind}",
                where=where,
                hint="take a scalar or a frozen record",
            )
    return found


def now(function: Callable[..., bool], /, *arguments: object) -> Formula:
    """``function`` of the state (or of a part of it) and of ``arguments``, as a formula."""
    if not inspect.isfunction(function):
        raise ModelError(f"a predicate is a function of the state, not {function!r}")
    parameters = list(inspect.signature(function).parameters.values())
    if len(parameters) != len(arguments) + 1:
        wanted = ", ".join(p.name for p in parameters[1:])
        given = f"now({function.__name__}, {wanted})" if wanted else f"{function.__name__}"
        raise ModelError(
            f"the predicate {function.__name__} takes {len(parameters) - 1} arguments besides the state, "
            f"and gets {len(arguments)}",
            where=function_location(function),
            hint=f"write {given}" if parameters else f"write def {function.__name__}(s: State)",
        )
    for p in parameters:
        if p.annotation is p.empty:
            raise ModelError(
                f"the parameter {p.name} of {function.__name__} has no annotation",
                where=function_location(function),
                hint="its type says what it is about",
            )
    return Atom(Predicate(function, arguments))


def _as_atom(value: object) -> Formula:
    if inspect.isfunction(value):
        return now(value)
    raise ModelError(
        f"{value!r} is no formula",
        hint="a formula is made from predicates, which are functions of the state",
    )


accept(_as_atom)


def ltl(text: str, /, *predicates: Callable[..., bool] | Formula, **named: object) -> Formula:
    """The formula ``text`` in Spot's syntax; its names are those of ``predicates``, or keywords.

    Raises ModelError for a name that is not given and for a predicate that is not used.
    """
    known: dict[str, Formula] = {}
    for predicate in predicates:
        name = getattr(predicate, "__name__", None)
        if name is None:
            raise ModelError(
                f"{predicate} has no name to use in the formula", hint="give it as name=..."
            )
        known[name] = formula(predicate)
    known |= {name: formula(value) for name, value in named.items()}
    parsed = parse(text)
    used = {str(atom.what) for atom in atoms(parsed)}
    for name in known:
        if name not in used:
            raise ModelError(f"the formula {text!r} does not use {name}")

    def look_up(atom: Atom) -> Formula:
        name = str(atom.what)
        if name not in known:
            alike = difflib.get_close_matches(name, known, n=1)
            raise ModelError(
                f"the formula {text!r} names {name}, which is not given",
                hint=f"did you mean {alike[0]}?" if alike else f"write ltl({text!r}, {name}=...)",
            )
        return known[name]

    return replace_atoms(parsed, look_up)


@overload
def temporal(function: B, /) -> B: ...


@overload
def temporal(*, fairness: Sequence[Fair]) -> Callable[[B], B]: ...


def temporal(function: Any = None, /, *, fairness: Sequence[Fair] | None = None) -> Any:
    """Declare what every fair run does: ``@temporal def f() -> Formula``, which returns the formula.

    With parameters, ``def f(id: GlobalId)``, it is to hold for every choice of them. ``fairness`` takes the place of the
    system's for this property.
    """
    if function is None:
        return lambda decorated: _declared(decorated, fairness)
    return _declared(function, fairness)


def _declared(function: Any, fairness: Sequence[Fair] | None) -> Any:
    if not inspect.isfunction(function):
        raise ModelError(
            f"@temporal marks a function, not {function!r}",
            hint="write @temporal or @temporal(fairness=(...)) directly above `def`",
        )
    for p in inspect.signature(function).parameters.values():
        if p.annotation is p.empty or p.default is not p.empty:
            raise ModelError(
                f"the parameter {p.name} of {function.__name__} has "
                + ("no annotation" if p.annotation is p.empty else "a default"),
                where=function_location(function),
                hint=f"write {p.name}: GlobalId: the property is to hold for every value of the type",
            )
    chosen = None if fairness is None else tuple(fairness)
    return declare("temporal", function, lambda f: _property(f, chosen))


@cached
def _property(function: Callable[..., Any], fairness: tuple[Fair, ...] | None) -> Property:
    """The property that a decorated function declares."""
    where = function_location(function)
    assert where is not None
    hints = hints_of(function)
    parameters = []
    for name in inspect.signature(function).parameters:
        kind = resolve(hints[name], field=name, where=lambda: where)
        if is_record(hints[name]) and not is_immutable(kind):
            raise ModelError(
                f"the temporal property {function.__name__} is a function of {name}, a state",
                where=where,
                hint="it returns a formula about runs: make the predicates functions of the state",
            )
        parameters.append(Parameter(name, kind))
    try:
        whole = _made(function, parameters)
    except ModelError as error:
        error.where = error.where or where
        raise
    record = _record(function, whole)
    used = {
        a for atom in atoms(whole) if isinstance(atom.what, Predicate) for a in _open(atom.what)
    }
    for p in parameters:
        if p not in used:
            raise ModelError(
                f"the temporal property {function.__name__} does not use its parameter {p}",
                where=where,
                hint=f"give it to a predicate: now(predicate, {p})",
            )
    return Property(
        function.__name__, "temporal", function, record, where.file, where.line, whole, fairness
    )


def _made(function: Callable[..., Any], parameters: Sequence[Parameter]) -> Formula:
    """The formula that a decorated function returns."""
    try:
        made = function(*parameters)
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(
            f"{function.__name__} raises {type(error).__name__}: {error}",
            hint="a temporal property combines predicates; what depends on the state or on a parameter belongs into them",
        ) from None
    if not isinstance(made, (Formula, bool)) and not inspect.isfunction(made):
        raise ModelError(
            f"the temporal property {function.__name__} returns {made!r}, which is no formula",
            hint="return eventually(p), leads_to(p, q) or another formula",
        )
    return check_size(formula(made))


def _open(predicate: Predicate) -> tuple[Parameter, ...]:
    """The parameters of the property among a predicate's arguments."""
    return tuple(a for a in predicate.arguments if isinstance(a, Parameter))


def _record(function: Callable[..., Any], whole: Formula) -> type[Any]:
    """The record that all predicates are about."""
    where = function_location(function)
    found: type[Any] | None = None
    for atom in atoms(whole):
        assert isinstance(atom.what, Predicate)
        predicate = atom.what.function
        hints = hints_of(predicate)
        first = next(iter(inspect.signature(predicate).parameters))
        if not is_record(hints[first]) or hints[first].__record_frozen__:
            raise ModelError(
                f"the predicate {predicate.__name__} is not typed on a mutable record",
                where=function_location(predicate),
                hint="annotate its first argument with the State, or with a record that is part of it",
            )
        if hints.get("return") is not bool:
            raise ModelError(
                f"the predicate {predicate.__name__} does not return bool",
                where=function_location(predicate),
                hint="write -> bool",
            )
        if found is not None and hints[first] is not found:
            raise ModelError(
                f"the predicates of {function.__name__} are about {found.__name__} and {hints[first].__name__}",
                where=where,
                hint="give all of them the same record, for example the State",
            )
        found = hints[first]
    if found is None:
        raise ModelError(
            f"the temporal property {function.__name__} has no predicate: it is {whole} in every run",
            where=where,
            hint="it is made from predicates with eventually, leads_to, &, | and ~; == compares",
        )
    return found


def temporal_instances(system: System[Any], prop: Property) -> tuple[Instance, ...]:
    """What a temporal property states about ``system``: one formula for each choice of parameters and each record.

    Raises ModelError where its record is in a pool (entries come and go), where a predicate gets an argument that is not of its
    type, and where there are too many choices.
    """
    assert prop.formula is not None
    places = list(_places(system, prop))
    parameters = dict.fromkeys(
        a
        for atom in atoms(prop.formula)
        if isinstance(atom.what, Predicate)
        for a in _open(atom.what)
    )
    kinds = [kind_of(p.type, system.scope, p.name) for p in parameters]
    total = len(places) * math.prod(kind.count() for kind in kinds)
    if total > _MOST_INSTANCES:
        raise ModelError(
            f"{prop.name} is about {total:,} choices of its parameters, more than {_MOST_INSTANCES:,}",
            where=function_location(prop.function),
            hint="make the scope smaller",
        )
    with system:
        domains = [tuple(kind.domain()) for kind in kinds]
        return tuple(
            _instance(system, prop, dict(zip(parameters, values, strict=True)), place)
            for place in places
            for values in itertools.product(*domains)
        )


def _instance(
    system: System[Any], prop: Property, values: dict[Parameter, object], place: Place
) -> Instance:
    def bind(atom: Atom) -> Formula:
        assert isinstance(atom.what, Predicate)
        arguments = tuple(values[a] if isinstance(a, Parameter) else a for a in atom.what.arguments)
        _check_arguments(system, prop, atom.what, arguments)
        return Atom(Bound(atom.what.function, place, arguments))

    assert prop.formula is not None
    which = [str(place)] if place.path else []
    which += [f"{p} = {format_value(v)}" for p, v in values.items()]
    return Instance(", ".join(which), replace_atoms(prop.formula, bind))


def _check_arguments(
    system: System[Any], prop: Property, predicate: Predicate, arguments: tuple[object, ...]
) -> None:
    names = list(inspect.signature(predicate.function).parameters)[1:]
    kinds = argument_types(predicate.function)
    for name, kind, value, given in zip(names, kinds, arguments, predicate.arguments, strict=True):
        try:
            kind_of(kind, system.scope, name).check(value)
        except (ModelError, Violation, NoneUsed) as error:
            raise ModelError(
                f"{predicate.function.__name__} gets {given} for its parameter {name}: "
                + (error.message if isinstance(error, Violation) else str(error)),
                where=function_location(prop.function),
                hint=f"{name} is of the type {kind}",
            ) from None


def _places(system: System[Any], prop: Property) -> Iterator[Place]:
    for path in paths_to(system.state_type, prop.record):
        for keys in occurrence_keys(system, path, prop):
            yield Place(path, keys)


def fairness_of(system: System[Any], prop: Property) -> tuple[Fair, ...]:
    """The declarations of fairness under which a property is to hold. Raises ModelError for those that do not fit."""
    if prop.fairness is None:
        return check_fairness(system.fairness, system.actions, system.name)
    try:
        return check_fairness(prop.fairness, system.actions, prop.name)
    except ModelError as error:
        error.where = error.where or function_location(prop.function)
        raise
