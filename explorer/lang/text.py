"""Values as text and JSON, text as values, and what changed between two states."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn, TypeAlias

from explorer.lang.containers import Map, MapKind, Pool, PoolKind, Seq, SeqKind, Set, SetKind
from explorer.lang.errors import ModelError
from explorer.lang.kinds import (
    UNSET,
    BoolKind,
    EnumKind,
    IntKind,
    Kind,
    NamedKind,
    OptionalKind,
)
from explorer.lang.scope import CURRENT, Scope
from explorer.lang.sorts import Ordinal
from explorer.lang.types import Type, is_record
from explorer.lang.values import FrozenKind, RecordKind, UnionKind, kind_of

Json: TypeAlias = (
    None | bool | int | float | str | list["Json"] | dict[str, "Json"] | Mapping[str, "Json"]
)

FREE = "free"
"""How an entry of a pool that is not allocated shows in ``changes``."""


def format_value(value: Any) -> str:
    """A value as people read it: ``GlobalId0``, ``2``, ``INF``, ``MAINTENANCE``, ``Publish(id=GlobalId0, as_of=1)``,
    ``{a, b}`` for sets, ``[a, b]`` for sequences, ``{key: value}`` for maps and pools."""
    if isinstance(value, enum.Enum):
        return value.name
    if is_record(type(value)):
        fields = (f"{n}={format_value(value.__dict__.get(n, UNSET))}" for n in value.__match_args__)
        return f"{type(value).__name__}({', '.join(fields)})"
    if isinstance(value, Set):
        return "{" + ", ".join(map(format_value, value)) + "}"
    if isinstance(value, Seq):
        return "[" + ", ".join(map(format_value, value)) + "]"
    if isinstance(value, (Map, Pool)):
        entries = ((k, value._items[k]) for k in value)
        return "{" + ", ".join(f"{format_value(k)}: {format_value(v)}" for k, v in entries) + "}"
    return str(value)


# JSON


def to_json(value: Any) -> Json:
    """A value as JSON.

    A name of a sort, an enum member and the top are strings, a finite ordinal is an integer, a set a list in order of its
    type, a map an object with formatted keys, a pool an object of its allocated entries, a record an object of its
    fields; where a union is expected it also has its class under ``is``.
    """
    if is_record(type(value)):
        table = value.__dict__.get("_table")
        if table is not None:
            return {n: _json(k, value.__dict__.get(n, UNSET)) for n, k in table.kinds.items()}
        return _frozen_json(value, {})
    kind = getattr(value, "_kind", None)
    if kind is not None:
        return _json(kind, value)
    if isinstance(value, (Set, Seq)):
        return [to_json(v) for v in value]
    if isinstance(value, Ordinal):
        return str(value) if value is value._top else value._index
    # A member of an IntEnum is an int, too.
    if isinstance(value, (bool, int)) and not isinstance(value, enum.Enum):
        return value
    return None if value is None else format_value(value)


def _json(kind: Kind, value: Any) -> Json:
    if value is None or value is UNSET:
        return None if value is None else str(value)
    match kind:
        case OptionalKind():
            return _json(kind.inner, value)
        case UnionKind():
            variant = kind.variants[type(value)]
            return _frozen_json(value, variant.table.kinds, {"is": type(value).__name__})
        case FrozenKind():
            return _frozen_json(value, kind.table.kinds)
        case MapKind():
            return {format_value(k): _json(kind.value, value._items[k]) for k in kind.keys}
        case PoolKind():
            return {format_value(r): _json(kind.value, value._items[r]) for r in value}
        case SetKind() | SeqKind():
            return [_json(kind.item, v) for v in value]
        case _:
            return to_json(value)


def _frozen_json(
    value: Any, kinds: Mapping[str, Kind], start: dict[str, Json] | None = None
) -> Json:
    result: dict[str, Json] = dict(start or {})
    for name in value.__match_args__:
        inner = value.__dict__[name]
        result[name] = _json(kinds[name], inner) if name in kinds else to_json(inner)
    return result


# Changes


def changes(before: Any, after: Any) -> list[tuple[str, str, str]]:
    """The places that differ between two states: path, old and new value as text.

    A path reads like the model (``slots[SlotRef0].backed``). Records, maps and pools are gone into; everything else, sets
    and sequences included, is shown whole. A pool's entry that is not allocated shows as ``free``.
    """
    return list(_record_changes(before, after, ""))


def _record_changes(before: Any, after: Any, path: str) -> Iterator[tuple[str, str, str]]:
    for name, kind in before._table.kinds.items():
        old, new = before.__dict__.get(name, UNSET), after.__dict__.get(name, UNSET)
        yield from _changes(kind, old, new, f"{path}.{name}" if path else name)


def _changes(kind: Kind, old: Any, new: Any, path: str) -> Iterator[tuple[str, str, str]]:
    if old == new:
        return
    match kind:
        case RecordKind():
            yield from _record_changes(old, new, path)
        case MapKind():
            for k in kind.keys:
                inner = f"{path}[{format_value(k)}]"
                yield from _changes(kind.value, old._items[k], new._items[k], inner)
        case PoolKind():
            for r in kind.refs:
                inner = f"{path}[{format_value(r)}]"
                if r in old and r in new:
                    yield from _changes(kind.value, old._items[r], new._items[r], inner)
                elif r in old or r in new:
                    yield inner, _entry(old, r), _entry(new, r)
        case _:
            yield path, format_value(old), format_value(new)


def _entry(pool: Any, ref: Any) -> str:
    return format_value(pool._items[ref]) if ref in pool else FREE


# Parsing


def parse_value(type: Type, text: str, scope: Mapping[str, int]) -> Any:
    """The value of an immutable type that ``text`` spells: ``GlobalId0``, ``2``, ``INF``, ``None``, ``True``,
    ``MAINTENANCE`` or ``Runtime.MAINTENANCE``, ``Publish(id=GlobalId0, as_of=1)``.

    Raises ModelError that says what was expected.
    """
    known = scope if isinstance(scope, Scope) else Scope(scope)
    kind = kind_of(type, known)
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        _expected(kind, text)
    token = CURRENT.set(known)
    try:
        return _parse(kind, tree)
    finally:
        CURRENT.reset(token)


def _parse(kind: Kind, node: ast.expr) -> Any:
    match kind, node:
        case BoolKind(), ast.Constant(value=bool(value)):
            return value
        case IntKind(), _:
            number = _integer(node)
            if number is not None and kind.low <= number <= kind.high:
                return number
        case EnumKind(), ast.Name(id=name) if name in kind.cls.__members__:
            return kind.cls[name]
        case EnumKind(), ast.Attribute(value=ast.Name(id=cls), attr=name) if (
            cls == kind.cls.__name__ and name in kind.cls.__members__
        ):
            return kind.cls[name]
        case NamedKind(), _:
            return _parse_named(kind, node)
        case OptionalKind(), ast.Constant(value=None):
            return None
        case OptionalKind(), _:
            try:
                return _parse(kind.inner, node)
            except ModelError as error:
                if error.hint:
                    raise
                _expected(kind, node)
        case FrozenKind(), ast.Call(func=ast.Name(id=name)) if name == kind.table.cls.__name__:
            return _parse_record(kind, node)
        case FrozenKind(), ast.Name(id=name) if (
            name == kind.table.cls.__name__ and not kind.table.required
        ):
            return kind.table.cls()
        case UnionKind(), ast.Call(func=ast.Name(id=name)) | ast.Name(id=name):
            for option, variant in kind.variants.items():
                if option.__name__ == name:
                    return _parse(variant, node)
        case _:
            pass
    _expected(kind, node)


def _integer(node: ast.expr) -> int | None:
    match node:
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _integer(operand)
            return None if inner is None else -inner
        case _:
            return None


def _parse_named(kind: NamedKind, node: ast.expr) -> Any:
    name = kind.cls.__name__
    index: int | None = None
    match node:
        case ast.Name(id=text) if kind.top is not None and text == kind.top._top_name:
            return kind.top
        case ast.Name(id=text) if text.startswith(name) and text[len(name) :].isdecimal():
            index = int(text[len(name) :])
        case ast.Call(func=ast.Name(id=text), args=[argument], keywords=[]) if text == name:
            index = _integer(argument)
        case _ if issubclass(kind.cls, Ordinal):
            index = _integer(node)
    if index is None or index < 0:
        _expected(kind, node)
    if index >= kind.size:
        raise ModelError(
            f"{ast.unparse(node)} is not in the scope {name}={kind.size}",
            hint=f"expected {describe(kind)}; or run with --scope {name}={index + 1}",
        )
    return kind.cls._get(index)


def _parse_record(kind: FrozenKind, node: ast.Call) -> Any:
    table = kind.table
    given: dict[str, ast.expr] = {}
    if len(node.args) > len(table.names):
        _expected(kind, node)
    given.update(zip(table.names, node.args, strict=False))
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg in given or keyword.arg not in table.names:
            _expected(kind, node)
        given[keyword.arg] = keyword.value
    if any(name not in given for name in table.required):
        _expected(kind, node)
    return table.cls(**{name: _parse(table.kinds[name], value) for name, value in given.items()})


def _expected(kind: Kind, found: ast.expr | str) -> NoReturn:
    text = found if isinstance(found, str) else ast.unparse(found)
    raise ModelError(f"expected {describe(kind)}, found {text.strip() or 'nothing'}")


def describe(kind: Kind) -> str:
    """What values of an immutable kind look like as text."""
    match kind:
        case BoolKind():
            return "True or False"
        case IntKind():
            return f"a number from {kind.low} to {kind.high}"
        case EnumKind():
            return _alternatives([m.name for m in kind.members])
        case NamedKind() if issubclass(kind.cls, Ordinal):
            top = [] if kind.top is None else [str(kind.top)]
            return f"a {kind.cls.__name__}: " + _alternatives(
                [f"a number from 0 to {kind.size - 1}", *top]
            )
        case NamedKind():
            return _alternatives([f"{kind.cls.__name__}{i}" for i in range(min(kind.size, 8))])
        case OptionalKind():
            return f"None or {describe(kind.inner)}"
        case FrozenKind():
            fields = (f"{n}=..." for n in kind.table.names)
            return f"{kind.table.cls.__name__}({', '.join(fields)})"
        case UnionKind():
            return " or ".join(describe(v) for v in kind.variants.values())
        case _:
            raise AssertionError(kind)


def _alternatives(names: list[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " or " + names[-1]
