"""Conditions that a user types: Python over ``s`` and its fields, with the names of the model and of the scope."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Mapping
from difflib import get_close_matches
from types import CodeType
from typing import Any

from explorer.lang.effects import NoneUsed
from explorer.lang.errors import ModelError
from explorer.lang.properties import properties_for
from explorer.lang.run import clone, evaluate
from explorer.lang.system import System, state_of
from explorer.lang.types import (
    EnumT,
    OrdinalT,
    RecordT,
    SortT,
    Type,
    walk,
)

_PLAIN = (
    "abs all any bool dict divmod enumerate filter frozenset int isinstance len list map max min next print range "
    "reversed set sorted str sum tuple zip True False None"
).split()


class Expression:
    """A typed expression. Raises ModelError where it is no Python expression."""

    def __init__(self, text: str, system: System[Any]) -> None:
        self.text = text.strip()
        self.system = system
        self.code = _compiled(self.text)
        self._names = names(system)
        used = set(_mentioned(self.code))
        fields = set(_fields(system))
        # A property by its name is whether it holds (is reached) in the state.
        self._properties = [
            p
            for p in properties_for(system)
            if p.name in used - fields and p.kind in ("invariant", "reachable")
        ]

    def value(self, state: Any) -> Any:
        """Its value in a state. Raises ModelError where it has none."""
        # The model's containers can be written to; what the expression does to a copy changes nothing.
        state = clone(state)
        here = {n: state.__dict__[n] for n in _fields(self.system) if n in state.__dict__}
        held = {p.name: evaluate(self.system, p, state) for p in self._properties}
        with self.system:
            try:
                return eval(self.code, {**self._names, "s": state, **held, **here})
            except Exception as error:
                raise self._error(error, here) from error

    def holds(self, state: Any) -> bool:
        """Whether it is true; False where it uses a None as a value. Raises ModelError where it is neither true nor false."""
        try:
            value = self.value(state)
        except ModelError as error:
            if _uses_none(error.__cause__):
                return False
            raise
        if not isinstance(value, bool):
            raise ModelError(
                f"{self.text} is no condition: its value is of type {type(value).__name__}",
                hint="write a condition, such as x == 1 or len(x) > 0",
            )
        return value

    def _error(self, error: Exception, here: Mapping[str, Any]) -> ModelError:
        if isinstance(error, ModelError):
            return ModelError(f"{self.text}: {error.message}", hint=error.hint)
        what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        if not isinstance(error, NameError) or not error.name:
            return ModelError(f"{self.text} cannot be evaluated: {what}")
        known = [*here, *(n for n in self._names if n != "__builtins__")]
        alike = get_close_matches(error.name, known, n=3)
        hint = f"the state has {', '.join(here)}"
        return ModelError(
            f"there is no {error.name}",
            hint=f"did you mean {' or '.join(alike)}?" if alike else hint,
        )


def names(system: System[Any]) -> dict[str, Any]:
    """What an expression can name besides the state.

    Later ones win: what the modules of the system and its state define; the members of enums, under their name where
    only one enum has it; the names of sorts and tops as traces show them; the classes themselves.
    """
    cls = type(system)
    found: dict[str, Any] = {}
    for module in dict.fromkeys(
        [*(b.__module__ for b in cls.__mro__[::-1]), state_of(cls).__module__]
    ):
        if not module.startswith(("builtins", "typing")) and module != "explorer.lang.system":
            found |= {k: v for k, v in vars(sys.modules[module]).items() if not k.startswith("_")}
    classes: dict[str, Any] = {}
    values: dict[str, list[Any]] = {}
    for part in _parts(system):
        match part:
            case EnumT(kind):
                classes[kind.__name__] = kind
                for name, member in kind.__members__.items():
                    _add(values, name, member)
            case SortT(kind) | OrdinalT(kind):
                classes[kind.__name__] = kind
                for index in range(min(system.scope.get(kind.__name__, 0), 1000)):
                    _add(values, f"{kind.__name__}{index}", kind._get(index))
                top = getattr(kind, "_top", None)
                if top is not None:
                    _add(values, str(top), top)
            case RecordT(kind):
                classes[kind.__name__] = kind
    found |= {name: same[0] for name, same in values.items() if len(same) == 1}
    found |= classes
    found["__builtins__"] = {n: getattr(builtins, n) for n in _PLAIN if hasattr(builtins, n)}
    return found


def _add(values: dict[str, list[Any]], name: str, value: Any) -> None:
    same = values.setdefault(name, [])
    if not any(v is value for v in same):
        same.append(value)


def _parts(system: System[Any]) -> list[Type]:
    types: list[Type] = [RecordT(state_of(type(system)))]
    types += [p.type for a in system.actions for p in a.params]
    return [part for kind in types for part in walk(kind)]


def _fields(system: System[Any]) -> tuple[str, ...]:
    fields: tuple[str, ...] = state_of(type(system)).__match_args__
    return fields


def _compiled(text: str) -> CodeType:
    if not text:
        raise ModelError("there is no expression", hint="write for example: find x == 1")
    try:
        return compile(text, "<expression>", "eval")
    except SyntaxError as error:
        hint = (
            "two equals signs compare: x == 1"
            if _assigns(text)
            else "write Python, as in the model"
        )
        raise ModelError(f"{text} is no expression: {error.msg}", hint=hint) from None
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise ModelError(f"the expression cannot be read: {error}") from None


def _assigns(text: str) -> bool:
    try:
        compile(text, "<expression>", "exec")
    except (SyntaxError, ValueError):
        return False
    return "=" in text


def _mentioned(code: CodeType) -> list[str]:
    inner = [n for c in code.co_consts if isinstance(c, CodeType) for n in _mentioned(c)]
    return [*code.co_names, *inner]


def _uses_none(error: BaseException | None) -> bool:
    if isinstance(error, NoneUsed):
        return True
    return isinstance(error, (AttributeError, TypeError)) and "NoneType" in str(error)
