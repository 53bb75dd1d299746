"""What classes of values must not define: compiled code and traces know the values, not a class's own idea of them."""

from __future__ import annotations

import enum
from typing import Any

from explorer.lang.cache import cached
from explorer.lang.errors import ModelError

COMPARISONS = frozenset(
    "__eq__ __ne__ __hash__ __lt__ __le__ __gt__ __ge__ __bool__ __getattribute__ __getattr__".split()
)
"""Methods that change what a value equals, or how it is ordered. A model's own would be run by CPython only."""

# What every class body leaves behind, and what changes no value.
_HARMLESS = frozenset(
    "__module__ __qualname__ __doc__ __slots__ __dict__ __weakref__ __annotations__ __firstlineno__ "
    "__static_attributes__ __annotate__ __annotate_func__ __annotations_cache__ __classdictcell__ "
    "_made _top _top_name".split()
)


def refuse_redefined(cls: type[Any], base: type[Any]) -> None:
    """Raises ModelError where a Sort or an Ordinal replaces something of ``base``."""
    own = {name for part in cls.__mro__[: cls.__mro__.index(base)] for name in vars(part)}
    for name in sorted(own - _HARMLESS):
        if hasattr(base, name) or name in COMPARISONS:
            _refuse(cls, name, f"{base.__name__} brings its own; write a method of another name")


@cached
def check_enum(cls: type[enum.Enum]) -> None:
    """Raises ModelError for an enum whose members are not just different, or are not all its values."""
    if issubclass(cls, enum.Flag):
        raise ModelError(
            f"{cls.__name__} is a {'IntFlag' if issubclass(cls, int) else 'Flag'}: its members can be combined",
            where=_where(cls),
            hint="write a Set of the members of an Enum, or a bool for each",
        )
    if type(cls) is not enum.EnumMeta:
        raise ModelError(
            f"the enum {cls.__name__} has a metaclass of its own",
            where=_where(cls),
            hint="leave it out",
        )
    for part in cls.__mro__:
        if part.__module__ in ("enum", "builtins"):
            continue
        for name in sorted(COMPARISONS & vars(part).keys()):
            _refuse(cls, name, "members are compared by identity; write a method of another name")


def _refuse(cls: type[Any], name: str, hint: str) -> None:
    raise ModelError(f"{cls.__name__} cannot define {name}", where=_where(cls), hint=hint)


def _where(cls: type[Any]) -> Any:
    from explorer.lang.types import class_location

    return class_location(cls)
