"""What a step can do besides writing: be disabled, fail, or leave the scope."""

from __future__ import annotations

import re
from contextvars import ContextVar
from typing import NoReturn, TypeVar, overload

T = TypeVar("T")


class Effect(Exception):
    """Ends a step early."""


class Disabled(Effect):
    """A ``require`` or ``given`` does not hold: the step does not exist."""


class Violation(Effect):
    """The step fails. ``name`` is the failure's (``panic:...``, ``range:...``), ``message`` says what happened."""

    def __init__(self, name: str, message: str = "") -> None:
        super().__init__(name, message)
        self.name = name
        self.message = message


class NoneUsed(Effect):
    """A None stands where a value is needed; whoever runs the step names the violation after the function."""


class Incomplete(Effect):
    """The scope entry ``name`` is used up: whatever follows is not explored."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


SOFT: ContextVar[list[str] | None] = ContextVar("soft", default=None)
"""Names of the soft panics of the step that is running."""


def slug(message: str) -> str:
    """``message`` as part of a failure's name: letters and digits of any script in lowercase, runs of other characters as ``_``."""
    return re.sub(r"[\W_]+", "_", message.lower()).strip("_")


def require(condition: bool, /) -> None:
    """Disable the action unless ``condition`` holds; nothing it wrote before remains."""
    if not condition:
        raise Disabled


# Overloaded, so that type checkers go through a union item by item: they would widen P | C | None to object.
@overload
def given(value: None, /) -> NoReturn: ...
@overload
def given(value: T, /) -> T: ...
def given(value: T | None, /) -> T:
    """``value``, which must not be None; the action is disabled where it is."""
    if value is None:
        raise Disabled
    return value


def panic(message: str, /) -> NoReturn:
    """Fail: the violation ``panic:MESSAGE``. The step has no successor."""
    raise Violation(f"panic:{slug(message)}", message)


def soft_panic(message: str, /) -> None:
    """Report the violation ``soft_panic:MESSAGE`` and go on."""
    name = f"soft_panic:{slug(message)}"
    collected = SOFT.get()
    if collected is None:
        raise Violation(name, message)
    if name not in collected:
        collected.append(name)
