"""Runs a model under CPython: initial states, steps, properties. This is what a model means."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TypeAlias

from explorer.lang.actions import Action, Param, is_name, params_of
from explorer.lang.cache import cached
from explorer.lang.containers import STEP, RunningStep
from explorer.lang.effects import SOFT, Disabled, Incomplete, NoneUsed, Violation, slug
from explorer.lang.errors import Location, ModelError
from explorer.lang.properties import Property, paths_to, places
from explorer.lang.scope import CURRENT, LARGEST
from explorer.lang.system import System
from explorer.lang.temporal import Bound
from explorer.lang.text import format_value
from explorer.lang.types import RecordT
from explorer.lang.values import kind_of


@dataclass(frozen=True)
class Instance:
    """An action with a value for every parameter."""

    action: Action
    values: tuple[object, ...]

    @property
    def thread(self) -> object:
        """Who takes the step, an Enum member or the value of a parameter; None where the action does not say."""
        thread = self.action.thread
        if is_name(thread):
            return self.values[[p.name for p in self.action.params].index(thread)]
        return thread

    @property
    def text(self) -> str:
        """The step as a line of a script."""
        pairs = zip(self.action.params, self.values, strict=True)
        return f"{self.action.name}({', '.join(f'{p.name}={format_value(v)}' for p, v in pairs)})"


@dataclass(frozen=True)
class Blocked:
    """The step does not exist: a ``require`` or ``given`` does not hold."""

    error: Disabled

    @property
    def where(self) -> Location | None:
        """The call that disabled it."""
        return location(self.error.__traceback__)

    @property
    def reason(self) -> str:
        """The call that disabled it, as text: file, line and source."""
        import linecache

        where = self.where
        if where is None:
            return "disabled"
        source = linecache.getline(where.file, where.line).strip()
        return f"{where.file}:{where.line}: {source}"


@dataclass(frozen=True)
class Failed:
    """The step fails with the violation ``name`` and has no successor. ``soft`` are the soft panics before it."""

    name: str
    message: str
    soft: tuple[str, ...]
    where: Location | None


@dataclass(frozen=True)
class Cut:
    """The step leaves the scope: the entry ``name`` is used up. ``soft`` are the soft panics before it."""

    name: str
    soft: tuple[str, ...]


@dataclass(frozen=True)
class Next:
    """The step leads to ``state``. ``soft`` are its soft panics."""

    state: Any
    soft: tuple[str, ...]


Outcome: TypeAlias = Blocked | Failed | Cut | Next


def actions_of(system: System[Any]) -> tuple[Action, ...]:
    """The actions of ``system`` in declaration order."""
    return system.actions


def init_params(system: System[Any]) -> tuple[Param, ...]:
    """The parameters of ``init``."""
    return params_of(type(system).init, "init")


def instances(system: System[Any]) -> tuple[Instance, ...]:
    """Every action with every choice of its parameters, in declaration order, the first parameter slowest.

    Raises ModelError where there are too many to enumerate.
    """
    return tuple(
        Instance(action, values)
        for action in system.actions
        for values in _choices(system, action.params, f"action {action.name}")
    )


def _choices(
    system: System[Any], params: tuple[Param, ...], what: str
) -> Iterator[tuple[object, ...]]:
    kinds = [kind_of(p.type, system.scope, p.name) for p in params]
    total = 1
    for kind in kinds:
        total *= kind.count()
    if total > LARGEST:
        raise ModelError(
            f"{what} has {total} choices of its parameters",
            hint="make the scope or the types of the parameters smaller",
        )
    with system:
        domains = [tuple(kind.domain()) for kind in kinds]
    yield from itertools.product(*domains)


def clone(state: Any) -> Any:
    """An independent copy of a mutable record."""
    return state._table.clone(state)


def key(state: Any) -> Hashable:
    """A hashable value that is equal for equal states (of one system) and different for different ones."""
    result: Hashable = state._table.key(state)
    return result


def initial_states(system: System[Any]) -> Iterator[tuple[tuple[object, ...], Any]]:
    """The initial states, with the choice of ``init``'s parameters that leads there.

    A choice for which a ``require`` fails is left out. Raises ModelError where init fails, where it leaves
    a place unset, and where no choice is left.
    """
    kind = kind_of(RecordT(system.state_type), system.scope)
    params = init_params(system)
    found = False
    for values in _choices(system, params, "init"):
        with system:
            state = kind.initial()
        outcome = _run(system, "init", type(system).init, state, state, values)
        match outcome:
            case Blocked():
                continue
            case Failed(name, message, _, where):
                raise ModelError(f"init fails with {name}: {message}", where=where)
            case Cut(name, _):
                raise ModelError(
                    f"init does not fit into the scope: {name} is used up",
                    hint=f"run with a greater {name}",
                )
            case Next(_, soft) if soft:
                raise ModelError(f"init fails with {soft[0]}")
        unset = list(kind.unset(state, ""))
        if unset:
            raise ModelError(
                f"init leaves {', '.join(unset[:3])} unset",
                hint="a Sort has no initial value: assign one in init, or declare the place as T | None",
            )
        found = True
        yield values, state
    if not found:
        raise ModelError(
            f"{system.name} has no initial state: a require fails for every choice of init's parameters"
        )


def step(system: System[Any], state: Any, instance: Instance) -> Outcome:
    """Take one step from ``state``, which stays as it is.

    Raises ModelError where the model's code raises anything that is not a failure of the protocol.
    """
    action = instance.action
    return _run(system, action.name, action.function, state, clone(state), instance.values)


def _run(
    system: System[Any],
    name: str,
    function: Callable[..., None],
    before: Any,
    state: Any,
    values: tuple[object, ...],
) -> Outcome:
    """Call ``function``, which changes ``state``, a copy of ``before``."""
    soft: list[str] = []
    kind = kind_of(RecordT(system.state_type), system.scope)
    scope_token = CURRENT.set(system.scope)
    soft_token = SOFT.set(soft)
    step_token = STEP.set(RunningStep(kind, before, state, values))
    try:
        function(system, state, *values)
    except Disabled as error:
        return Blocked(error)
    except Incomplete as error:
        return Cut(error.name, tuple(soft))
    except Exception as error:
        failure = _failure(error, name)
        return Failed(failure.name, failure.message, tuple(soft), location(error.__traceback__))
    finally:
        CURRENT.reset(scope_token)
        SOFT.reset(soft_token)
        STEP.reset(step_token)
    return Next(state, tuple(soft))


def is_final(system: System[Any], state: Any) -> bool:
    """Whether ``state`` may be the end of a run. Raises ModelError where is_final cannot be evaluated."""
    with _evaluating(system, "is_final"):
        return bool(system.is_final(state))


def evaluate(system: System[Any], prop: Property, *states: Any) -> bool:
    """Whether ``prop`` holds in a state, or (before, after) a step.

    One that is typed on a component must hold in all its occurrences; a ``reachable`` one in any. Raises
    ModelError where it cannot be evaluated (a panic, a None used as a value, an exception).
    """
    with _evaluating(system, f"the property {prop.name}"):
        results = (
            bool(prop.function(*arguments))
            for path in _paths(system.state_type, prop.record)
            for _, arguments in places(states, path)
        )
        return any(results) if prop.kind == "reachable" else all(results)


def holds(system: System[Any], predicate: Bound, state: Any) -> bool:
    """Whether a predicate of a temporal property holds in a state. Raises ModelError where it cannot be evaluated."""
    with _evaluating(system, f"the predicate {predicate.function.__name__}"):
        return bool(predicate.function(predicate.place.of(state), *predicate.arguments))


@cached
def _paths(state_type: type[Any], record: type[Any]) -> tuple[tuple[str | None, ...], ...]:
    return paths_to(state_type, record)


@contextmanager
def _evaluating(system: System[Any], what: str) -> Iterator[None]:
    token = CURRENT.set(system.scope)
    try:
        yield
    except Exception as error:
        where = location(error.__traceback__)
        if isinstance(error, Disabled):
            raise ModelError(f"{what} uses require or given", where=where) from None
        if isinstance(error, Incomplete):
            raise ModelError(
                f"{what} leaves the scope: {error.name} is used up", where=where
            ) from None
        failure = _failure(error, what)
        raise ModelError(
            f"{what} cannot be evaluated in every state: {failure.name} {failure.message}".rstrip(),
            where=where,
        ) from None
    finally:
        CURRENT.reset(token)


def _failure(error: Exception, what: str) -> Violation:
    """The violation that an exception of the model's code is. Raises ModelError where it is none."""
    if isinstance(error, Violation):
        return error
    where = location(error.__traceback__)
    if isinstance(error, AssertionError):
        message = error.args[0] if error.args else ""
        text = str(message) or _innermost_function(error.__traceback__)
        return Violation(f"assert:{slug(text)}", str(message))
    if isinstance(error, NoneUsed) or _uses_none(error):
        name = _innermost_function(error.__traceback__)
        return Violation(f"none:{name}", f"a None is used as a value in {name}")
    if isinstance(error, ModelError):
        raise ModelError(
            f"in {what}: {error.message}", where=error.where or where, hint=error.hint
        ) from error
    raise ModelError(
        f"{what} raises {type(error).__name__}: {error}",
        where=where,
        hint="a model fails by panic, assert and require; any other exception is a mistake in the model",
    ) from error


_HERE = os.path.dirname(__file__) + os.sep


def _model_frame(trace: TracebackType | None) -> TracebackType | None:
    """The innermost frame that is the model's."""
    found = None
    while trace is not None:
        if not trace.tb_frame.f_code.co_filename.startswith(_HERE):
            found = trace
        trace = trace.tb_next
    return found


def _innermost_function(trace: TracebackType | None) -> str:
    """The function of the model that failed."""
    frame = _model_frame(trace)
    if frame is None:
        return ""
    # A generator expression is part of the function around it.
    return frame.tb_frame.f_code.co_qualname.split(".<locals>.<")[0].rpartition(".")[2]


def _uses_none(error: Exception) -> bool:
    """Whether Python itself noticed a None where a value is needed: an attribute, an operator, an index."""
    return isinstance(error, (AttributeError, TypeError)) and "NoneType" in str(error)


def location(trace: TracebackType | None) -> Location | None:
    """The place in the model where an exception was raised."""
    frame = _model_frame(trace)
    if frame is None:
        return None
    code = frame.tb_frame.f_code
    file = code.co_filename
    # One position per instruction, and each takes two bytes.
    line, end_line, column, end_column = list(code.co_positions())[frame.tb_lasti // 2]
    if line is None or column is None:
        return Location(file, frame.tb_lineno)
    return Location(file, line, column, end_column if line == end_line else None)


__all__ = [
    "Action",
    "Blocked",
    "Cut",
    "Failed",
    "Instance",
    "Next",
    "Outcome",
    "Param",
    "actions_of",
    "clone",
    "evaluate",
    "init_params",
    "initial_states",
    "instances",
    "is_final",
    "key",
    "step",
]
