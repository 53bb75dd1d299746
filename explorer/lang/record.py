"""``@record``: classes of values. A mutable record is a place that others are copied into; a frozen one is immutable."""

from __future__ import annotations

import dataclasses
import enum
import types
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar, dataclass_transform, overload

from explorer.lang.containers import Map, Pool, Seq, Set
from explorer.lang.errors import ModelError
from explorer.lang.kinds import UNSET, read_unset
from explorer.lang.markers import Initial
from explorer.lang.scope import CURRENT, bound
from explorer.lang.sorts import Ordinal, Sort
from explorer.lang.types import (
    MISSING,
    annotation_names,
    class_location,
    defined,
    fields_of,
    is_record,
)
from explorer.lang.values import RecordTable, table_of

C = TypeVar("C", bound=type[Any])

_OURS = frozenset(
    "__init__ __new__ __post_init__ __eq__ __ne__ __hash__ __lt__ __le__ __gt__ __ge__ __bool__ __setattr__ "
    "__delattr__ __getattr__ __getattribute__ __slots__ __iter__ __len__ __contains__ __copy__".split()
)


@overload
@dataclass_transform()
def record(cls: C, /) -> C: ...


@overload
@dataclass_transform()
def record(*, frozen: bool = False) -> Callable[[C], C]: ...


def record(cls: Any = None, /, *, frozen: bool = False) -> Any:
    """Make a class of values out of annotated fields: ``@record`` or ``@record(frozen=True)``.

    Records are made with positional or keyword arguments, compare by value, and may have methods and properties. Storing
    a mutable record copies it. Frozen ones cannot change and are hashable; they alone fit into Seq, Set,
    optionals, keys, parameters and unions. Raises ModelError for a class a model cannot use.
    """
    if cls is None:
        return lambda decorated: _make(decorated, frozen)
    return _make(cls, frozen)


def _make(cls: type[Any], frozen: bool) -> type[Any]:
    names = annotation_names(cls)
    bases: tuple[Any, ...] = cls.__mro__[1:-1]
    for base in bases:
        if not is_record(base) and annotation_names(base):
            _refuse(
                cls,
                f"the base {base.__name__} of the record {cls.__name__} has fields but is no record",
                f"put @record above {base.__name__}",
            )
        if is_record(base) and base.__record_frozen__ is not frozen:
            _refuse(
                cls,
                f"the record {cls.__name__} and its base {base.__name__} must both be frozen or both not",
            )
    for name, value in vars(cls).items():
        _check_attribute(cls, name, value, names)
    defaults: dict[str, Any] = {}
    every: list[str] = []
    for base in reversed(cls.__mro__):
        if base is cls or is_record(base):
            every += [n for n in annotation_names(base) if n not in every]
            defaults |= vars(base).get("__record_defaults__", {})
    for name in names:
        _check_field(cls, name)
        if name in vars(cls):
            defaults[name] = _check_default(cls, name, vars(cls)[name])
            # A field that is not set must not be found on the class.
            delattr(cls, name)
        else:
            defaults.pop(name, None)
    optional = [n for n in every if n in defaults]
    if optional and (late := [n for n in every[every.index(optional[0]) :] if n not in defaults]):
        _refuse(
            cls,
            f"the field {late[0]} of {cls.__name__} has no default but follows {optional[0]}, which has one",
            "move it up, or give it a default: initial() is the initial value of its type",
            late[0],
        )
    content = {
        "__record_frozen__": frozen,
        "__record_defaults__": defaults,
        "__match_args__": tuple(every),
        "__getattr__": _read_missing,
        "__delattr__": _delete,
        "__eq__": _equal,
        "__repr__": _represent,
        **(_FROZEN if frozen else _MUTABLE),
    }
    for name, value in content.items():
        setattr(cls, name, value)
    if defined(cls):
        fields_of(cls)
    return cls


def _refuse(cls: type[Any], message: str, hint: str = "", field: str | None = None) -> NoReturn:
    raise ModelError(message, where=class_location(cls, field), hint=hint)


def _check_attribute(cls: type[Any], name: str, value: object, fields: tuple[str, ...]) -> None:
    if name in _OURS and not (name == "__hash__" and value is None):
        _refuse(
            cls,
            f"the record {cls.__name__} cannot define {name}",
            "records are compared, made and stored by value; write an ordinary method",
        )
    if name.startswith("__") or name in fields or isinstance(value, _METHODS):
        return
    _refuse(
        cls,
        f"{name} in the record {cls.__name__} has no annotation, so it is not a field",
        f"write {name}: {type(value).__name__} = {value!r}, or move the constant to the module",
    )


_METHODS = (types.FunctionType, property, staticmethod, classmethod)


def _check_field(cls: type[Any], name: str) -> None:
    if name.startswith("_"):
        _refuse(
            cls,
            f"the field {name} of {cls.__name__} starts with an underscore",
            f"call it {name.lstrip('_') or 'field'}: every field is part of the state",
            name,
        )
    if callable(getattr(super(cls, cls), name, None)):
        _refuse(
            cls, f"the field {name} of {cls.__name__} hides a method of its base", "rename it", name
        )


def _check_default(cls: type[Any], name: str, value: object) -> object:
    if (
        isinstance(value, Initial)
        or value is None
        or isinstance(value, (bool, int, enum.Enum, Ordinal))
    ):
        return value
    held = _name_in(value)
    if is_record(type(value)) and type(value).__record_frozen__ and held is None:  # type: ignore[attr-defined]
        return value
    if held is not None:
        what = "is" if held is value else "holds"
        _refuse(
            cls,
            f"the default of {cls.__name__}.{name} {what} a name of the sort {type(held).__name__}",
            "names of a sort are interchangeable: declare the field as T | None, or assign it in init",
            name,
        )
    if isinstance(value, dataclasses.Field):
        _refuse(
            cls,
            f"the default of {cls.__name__}.{name} is a dataclass's field(...)",
            f"write {name}: ... = initial() for the initial value of its type",
            name,
        )
    mutable = isinstance(value, (list, dict, set, Map, Set, Seq, Pool)) or is_record(type(value))
    _refuse(
        cls,
        f"the default of {cls.__name__}.{name} {'is mutable' if mutable else 'is not a constant'}: {value!r}",
        f"write {name}: ... = initial() for the initial value of its type"
        if mutable
        else "use a bool, an int, an Enum member, an Ordinal, None, a frozen record or initial()",
        name,
    )


def _name_in(value: object) -> Sort | None:
    """A name of a sort in a constant."""
    if isinstance(value, Sort):
        return value
    if is_record(type(value)):
        found = (_name_in(part) for part in vars(value).values())
        return next((name for name in found if name is not None), None)
    return None


def _arguments(self: Any, args: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    """The given fields by name. Raises ModelError for one too many, unknown, given twice or missing."""
    cls = type(self)
    names: tuple[str, ...] = cls.__match_args__
    if args:
        if len(args) > len(names):
            raise ModelError(f"{cls.__name__} has {len(names)} fields, not {len(args)}")
        for name, value in zip(names, args, strict=False):
            if name in named:
                raise ModelError(f"{cls.__name__} is given {name} twice")
            named[name] = value
    for name in named:
        if name not in names:
            raise ModelError(
                f"{cls.__name__} has no field {name}", hint=f"its fields are {', '.join(names)}"
            )
    missing = [n for n in names if n not in named and n not in cls.__record_defaults__]
    if missing:
        raise ModelError(
            f"{cls.__name__} needs {', '.join(missing)}",
            hint=f"write {cls.__name__}({', '.join(f'{n}=...' for n in missing)})",
        )
    return named


def _init_mutable(self: Any, *args: Any, **named: Any) -> None:
    values = _arguments(self, args, named)
    table = table_of(type(self), bound())
    content = self.__dict__
    content["_table"] = table
    for name, kind in table.kinds.items():
        value = kind.check(values[name]) if name in values else table.default(name)
        if value is not UNSET:
            content[name] = value


def _init_frozen(self: Any, *args: Any, **named: Any) -> None:
    values = _arguments(self, args, named)
    cls, scope = type(self), CURRENT.get()
    content = self.__dict__
    if scope is None:
        # A constant of the module: the scope in which it is stored checks it.
        for name in cls.__match_args__:
            value = values[name] if name in values else cls.__record_defaults__[name]
            content[name] = value if not isinstance(value, Initial) else _default(cls, name)
        return
    table = table_of(cls, scope)
    for name, kind in table.kinds.items():
        content[name] = kind.check(values[name]) if name in values else _default(cls, name)
    content["_scope"] = scope


def _default(cls: type[Any], name: str) -> Any:
    value = table_of(cls, bound()).default(name)
    return read_unset(f"{cls.__name__}.{name}") if value is UNSET else value


def _set(self: Any, name: str, value: Any) -> None:
    table: RecordTable = self.__dict__["_table"]
    table.store(self, name, value)


def _set_frozen(self: Any, name: str, value: Any) -> None:
    raise ModelError(
        f"{type(self).__name__} is frozen: its field {name} cannot change",
        hint=f"store a new {type(self).__name__}(...) in its place",
    )


def _read_missing(self: Any, name: str) -> Any:
    if name in type(self).__match_args__:
        read_unset(f"{type(self).__name__}.{name}")
    raise AttributeError(
        f"{type(self).__name__} has no field or method {name}", name=name, obj=self
    )


def _delete(self: Any, name: str) -> None:
    raise ModelError(f"a field cannot be deleted: {type(self).__name__}.{name}")


def _equal(self: Any, other: Any) -> Any:
    cls = type(self)
    if type(other) is not cls:
        return NotImplemented
    a, b = self.__dict__, other.__dict__
    return all(a.get(n, MISSING) == b.get(n, MISSING) for n in cls.__match_args__)


def _hash(self: Any) -> int:
    content = self.__dict__
    found = content.get("_hash")
    if found is None:
        found = content["_hash"] = hash(
            (type(self), *[content[n] for n in type(self).__match_args__])
        )
    result: int = found
    return result


def _represent(self: Any) -> str:
    content = self.__dict__
    fields = (f"{n}={content.get(n, UNSET)!r}" for n in type(self).__match_args__)
    return f"{type(self).__name__}({', '.join(fields)})"


def _reduce_mutable(self: Any, protocol: Any) -> NoReturn:
    raise ModelError(
        f"a {type(self).__name__} cannot be copied or pickled like this",
        hint="store it (storing copies), or use explorer.lang.run.clone",
    )


def _reduce_frozen(self: Any, protocol: Any) -> tuple[Any, ...]:
    return type(self), tuple(self.__dict__[n] for n in type(self).__match_args__)


_MUTABLE: dict[str, Any] = {
    "__init__": _init_mutable,
    "__setattr__": _set,
    "__hash__": None,
    "__reduce_ex__": _reduce_mutable,
}
_FROZEN: dict[str, Any] = {
    "__init__": _init_frozen,
    "__setattr__": _set_frozen,
    "__hash__": _hash,
    "__reduce_ex__": _reduce_frozen,
}
