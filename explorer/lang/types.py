"""Type descriptors: what an annotation in a model means, free of any scope.

CPython's run-time checks, the compiler and the formatters all read these, so there is one place that
says which annotations a model may use.
"""

from __future__ import annotations

import enum
import functools
import sys
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, Union, get_args, get_origin

from explorer.lang.cache import cached
from explorer.lang.containers import Map, Pool, Seq, Set
from explorer.lang.errors import Location, ModelError
from explorer.lang.markers import Between, Capacity, Initial
from explorer.lang.sorts import Ordinal, Sort
from explorer.lang.special import check_enum

if TYPE_CHECKING:
    import ast


@dataclass(frozen=True)
class BoolT:
    """``bool``."""

    def __str__(self) -> str:
        return "bool"


@dataclass(frozen=True)
class IntT:
    """A bounded integer; a bound is a number or the name of a scope entry. Both bounds are inclusive."""

    low: int | str
    high: int | str

    def __str__(self) -> str:
        return f"int {self.low}..{self.high}"


@dataclass(frozen=True)
class EnumT:
    """An ``enum.Enum``; its members are ordered by definition."""

    cls: type[enum.Enum]

    def __post_init__(self) -> None:
        check_enum(self.cls)

    def __str__(self) -> str:
        return self.cls.__name__


@dataclass(frozen=True)
class SortT:
    """Interchangeable names; their number comes from the scope entry named like the class."""

    cls: type[Sort]

    def __str__(self) -> str:
        return self.cls.__name__


@dataclass(frozen=True)
class OrdinalT:
    """Ordered values 0..n-1, and a top element where the class declares one."""

    cls: type[Ordinal]

    def __str__(self) -> str:
        return self.cls.__name__


@dataclass(frozen=True)
class OptionalT:
    """``T | None``."""

    inner: Type

    def __str__(self) -> str:
        return f"{self.inner} | None"


@dataclass(frozen=True)
class RecordT:
    """A class made with ``@record``."""

    cls: type[Any]

    @property
    def frozen(self) -> bool:
        """Whether values cannot change; only such records fit into Seq, Set, optionals and keys."""
        return bool(self.cls.__record_frozen__)

    def __str__(self) -> str:
        return self.cls.__name__


@dataclass(frozen=True)
class UnionT:
    """A union of frozen records, taken apart with ``match``."""

    variants: tuple[RecordT, ...]

    def __str__(self) -> str:
        return " | ".join(map(str, self.variants))


@dataclass(frozen=True)
class MapT:
    """A total map."""

    key: Type
    value: Type

    def __str__(self) -> str:
        return f"Map[{self.key}, {self.value}]"


@dataclass(frozen=True)
class SetT:
    """A finite set."""

    item: Type

    def __str__(self) -> str:
        return f"Set[{self.item}]"


@dataclass(frozen=True)
class SeqT:
    """A bounded sequence. ``capacity`` is a number or a scope entry; ``protocol`` says that overfilling
    it is a violation of the protocol and not a scope that is too small."""

    item: Type
    capacity: int | str
    protocol: bool

    def __str__(self) -> str:
        return f"Seq[{self.item}]"


@dataclass(frozen=True)
class PoolT:
    """Entries allocated and freed under names of a sort."""

    ref: SortT
    value: Type

    def __str__(self) -> str:
        return f"Pool[{self.ref}, {self.value}]"


Type: TypeAlias = (
    BoolT
    | IntT
    | EnumT
    | SortT
    | OrdinalT
    | OptionalT
    | RecordT
    | UnionT
    | MapT
    | SetT
    | SeqT
    | PoolT
)


@dataclass(frozen=True)
class FieldT:
    """A field of a record: ``default`` is a constant, or ``Initial`` for the type's initial value, or
    ``MISSING`` where a constructor has to give it."""

    name: str
    type: Type
    default: object


class Missing:
    """The absence of a default."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = Missing()


def _class_source(cls: type[Any]) -> tuple[Location, ast.ClassDef] | None:
    """The place of a class and its definition; the lines of the latter count from the place's."""
    import ast
    import inspect

    try:
        lines, start = inspect.getsourcelines(cls)
        file = inspect.getsourcefile(cls)
        indent = len(lines[0]) - len(lines[0].lstrip())
        body = ast.parse("".join(line[indent:] for line in lines)).body[0]
    except (OSError, TypeError, SyntaxError):
        return None
    if file is None or not isinstance(body, ast.ClassDef):
        return None
    return Location(file, start, indent), body


def methods_of(cls: type[Any]) -> list[tuple[str, Location]]:
    """The methods that the body of ``cls`` defines, in order, as often as it does; none where the source cannot be read."""
    import ast

    found = _class_source(cls)
    if found is None:
        return []
    where, body = found
    return [
        (
            node.name,
            Location(where.file, where.line + node.lineno - 1, node.col_offset + where.column),
        )
        for node in body.body
        if isinstance(node, ast.FunctionDef)
    ]


def class_location(cls: type[Any], name: str | None = None) -> Location | None:
    """Where ``cls`` (or its annotated field ``name``) stands in its source, if that can be read."""
    import ast

    found = _class_source(cls)
    if found is None:
        return None
    where, body = found
    file, start, indent = where.file, where.line, where.column
    if name is not None:
        for node in body.body:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                if node.target.id == name:
                    end = node.annotation.end_col_offset
                    return Location(
                        file,
                        start + node.lineno - 1,
                        node.annotation.col_offset + indent,
                        None if end is None else end + indent,
                    )
    return Location(file, start + body.lineno - 1, indent)


def function_location(function: Any) -> Location | None:
    """Where a function is defined (its ``def``, or its first decorator)."""
    code = getattr(function, "__code__", None)
    return None if code is None else Location(code.co_filename, code.co_firstlineno)


def definition(item: Any) -> Location | None:
    """Where a class or function is defined, if that can be read."""
    return class_location(item) if isinstance(item, type) else function_location(item)


def is_record(annotation: object) -> bool:
    """Whether ``annotation`` is a class made with ``@record``."""
    return isinstance(annotation, type) and "__record_frozen__" in vars(annotation)


def annotation_names(cls: type[Any]) -> tuple[str, ...]:
    """The names that the body of ``cls`` annotates, in order; what they are annotated with may not exist yet."""
    if sys.version_info >= (3, 14):
        import annotationlib

        return tuple(annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF))
    return tuple(vars(cls).get("__annotations__", {}))


@cached
def fields_of(cls: type[Any]) -> tuple[FieldT, ...]:
    """The fields of a record class in order of declaration, base records first.

    Raises ModelError for an annotation that a model cannot use.
    """
    hints = hints_of(cls)
    result = []
    for name in cls.__match_args__:
        where = functools.partial(class_location, cls, name)
        kind = resolve(hints[name], field=name, where=where)
        default = getattr(cls, "__record_defaults__", {}).get(name, MISSING)
        if cls.__record_frozen__ and not is_immutable(kind):
            raise ModelError(
                f"the frozen record {cls.__name__} cannot hold the mutable field {name}: {kind}",
                where=where(),
                hint="a frozen record holds scalars, optionals, frozen records and unions of them",
            )
        result.append(FieldT(name, kind, default))
    return tuple(result)


def hints_of(item: Any) -> dict[str, Any]:
    """``typing.get_type_hints`` with markers kept and a readable error."""
    try:
        return typing.get_type_hints(item, include_extras=True)
    except NameError as error:
        raise ModelError(
            f"the annotations of {item.__name__} name {error.name}, which is not defined",
            where=definition(item),
            hint="annotations are read at run time: import the name outside `if TYPE_CHECKING:`, "
            "and define model classes at the top level of a module",
        ) from None
    except TypeError as error:
        raise ModelError(
            f"the annotations of {item.__name__} cannot be read: {error}", where=definition(item)
        ) from None


Where: TypeAlias = typing.Callable[[], Location | None]


def resolve(annotation: Any, *, field: str = "", where: Where = lambda: None) -> Type:
    """The descriptor of an annotation.

    ``field`` is the name of the field (or parameter) annotated: a bare ``Seq[T]`` takes its capacity from
    the scope entry of that name. Raises ModelError where a model cannot use the annotation.
    """
    # `type X = ...` of Python 3.12 and later.
    if type(annotation).__name__ == "TypeAliasType":
        return resolve(annotation.__value__, field=field, where=where)
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _resolve_annotated(args[0], args[1:], field, where)
    if annotation is bool:
        return BoolT()
    if annotation is int:
        raise ModelError(
            f"{field or 'an integer'} has no bounds",
            where=where(),
            hint="write Annotated[int, Between(0, 7)]",
        )
    if origin in (Union, types.UnionType):
        return _resolve_union(args, field, where)
    if origin is Map:
        key = resolve(args[0], field=field, where=where)
        _require_key(key, "key of a Map", where)
        return MapT(key, resolve(args[1], field=field, where=where))
    if origin is Set:
        item = resolve(args[0], field=field, where=where)
        _require_key(item, "member of a Set", where)
        return SetT(item)
    if origin is Seq:
        return SeqT(_resolve_item(args[0], field, where), field, protocol=False)
    if origin is Pool:
        ref = resolve(args[0], field=field, where=where)
        if not isinstance(ref, SortT):
            raise ModelError(
                f"a Pool allocates names of a Sort, not of {ref}",
                where=where(),
                hint="write Pool[SlotRef, Slot] with class SlotRef(Sort): ...",
            )
        return PoolT(ref, resolve(args[1], field=field, where=where))
    if annotation in (Map, Set, Seq, Pool):
        raise ModelError(
            f"{annotation.__name__} needs its types in brackets",
            where=where(),
            hint=f"write {annotation.__name__}[...]",
        )
    if isinstance(annotation, type):
        if is_record(annotation):
            return RecordT(annotation)
        if issubclass(annotation, Sort) and annotation is not Sort:
            return SortT(annotation)
        if issubclass(annotation, Ordinal) and annotation is not Ordinal:
            return OrdinalT(annotation)
        if issubclass(annotation, enum.Enum):
            if not len(annotation):
                raise ModelError(f"the enum {annotation.__name__} has no members", where=where())
            return EnumT(annotation)
    raise ModelError(
        f"a model cannot use the type {_show(annotation)}",
        where=where(),
        hint=_instead(annotation),
    )


_INSTEAD: Mapping[object, str] = {
    set: "write Set[...]",
    frozenset: "write Set[...]",
    list: "write Seq[...], a queue",
    dict: "write Map[...], which has a value for every key",
    tuple: "write a @record(frozen=True) class with fields",
    str: "write an Enum: a model has no strings",
    float: "write a bounded integer: Annotated[int, Between(0, 7)]",
}


def _instead(annotation: Any) -> str:
    """What to write for a type that a model does not have."""
    base = get_origin(annotation) or annotation
    if isinstance(base, type) and base in _INSTEAD:
        return _INSTEAD[base]
    if isinstance(annotation, type) and hasattr(annotation, "__dataclass_fields__"):
        return "put @record(frozen=True) above it in place of @dataclass, or @record if it changes"
    return (
        "use bool, Annotated[int, Between(low, high)], an Enum, a Sort, an Ordinal, T | None, a @record "
        "class, Map, Set, Seq or Pool"
    )


def _show(annotation: Any) -> str:
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)


def _resolve_annotated(base: Any, marks: tuple[Any, ...], field: str, where: Where) -> Type:
    for mark in marks:
        if isinstance(mark, Between):
            if base is not int:
                raise ModelError(
                    f"Between bounds an int, not {_show(base)}",
                    where=where(),
                    hint="write Annotated[int, Between(0, 7)]",
                )
            if isinstance(mark.low, int) and isinstance(mark.high, int) and mark.low > mark.high:
                raise ModelError(
                    f"Between({mark.low}, {mark.high}) contains no number", where=where()
                )
            return IntT(mark.low, mark.high)
        if isinstance(mark, Capacity):
            if get_origin(base) is not Seq:
                raise ModelError(
                    f"Capacity bounds a Seq, not {_show(base)}",
                    where=where(),
                    hint="write Annotated[Seq[Item], Capacity(3)]",
                )
            item = _resolve_item(get_args(base)[0], field, where)
            return SeqT(item, mark.limit, protocol=isinstance(mark.limit, int))
    return resolve(base, field=field, where=where)


def _resolve_item(annotation: Any, field: str, where: Where) -> Type:
    item = resolve(annotation, field=field, where=where)
    if not is_immutable(item):
        raise ModelError(
            f"a Seq cannot hold the mutable {item}",
            where=where(),
            hint="make it @record(frozen=True), or use a Map or a Pool",
        )
    return item


def _resolve_union(args: tuple[Any, ...], field: str, where: Where) -> Type:
    optional = type(None) in args
    members = [resolve(a, field=field, where=where) for a in args if a is not type(None)]
    variants: list[RecordT] = []
    for member in members:
        if isinstance(member, UnionT):
            variants += member.variants
        elif isinstance(member, RecordT) and member.frozen:
            variants.append(member)
        elif len(members) > 1:
            raise ModelError(
                f"a union is made of frozen records, and {member} is not one",
                where=where(),
                hint=f"keep the {member} in a @record(frozen=True) of its own; `T | None` is fine for any T",
            )
    for number, variant in enumerate(variants):
        if any(str(v) == str(variant) and v != variant for v in variants[:number]):
            raise ModelError(
                f"two classes of this union are called {variant}",
                where=where(),
                hint="traces tell them apart by name: rename one",
            )
    inner: Type = members[0] if len(members) == 1 else UnionT(tuple(variants))
    if not optional:
        return inner
    if not is_immutable(inner):
        raise ModelError(
            f"an optional cannot hold the mutable {inner}",
            where=where(),
            hint="make it @record(frozen=True), or keep a flag beside the record",
        )
    return OptionalT(inner)


def _require_key(kind: Type, role: str, where: Where) -> None:
    if not is_immutable(kind):
        raise ModelError(
            f"the {role} cannot be the mutable {kind}",
            where=where(),
            hint="use a scalar, an optional or a frozen record",
        )


def is_immutable(kind: Type) -> bool:
    """Whether values of this type cannot change: scalars, optionals, frozen records, unions of those."""
    if isinstance(kind, RecordT):
        return kind.frozen
    return not isinstance(kind, (MapT, SetT, SeqT, PoolT))


def is_scalar(kind: Type) -> bool:
    """Whether a value is one number: bool, int, Enum, Sort or Ordinal."""
    return isinstance(kind, (BoolT, IntT, EnumT, SortT, OrdinalT))


def parts(kind: Type) -> tuple[Type, ...]:
    """The types directly inside ``kind``."""
    match kind:
        case OptionalT(inner):
            return (inner,)
        case RecordT(cls):
            return tuple(f.type for f in fields_of(cls))
        case UnionT(variants):
            return variants
        case MapT(key, value):
            return (key, value)
        case SetT(item) | SeqT(item, _, _):
            return (item,)
        case PoolT(ref, value):
            return (ref, value)
        case _:
            return ()


def walk(kind: Type, inside: tuple[Type, ...] = ()) -> Iterator[Type]:
    """``kind`` and every type inside it, outer first. Raises ModelError for a record that contains itself."""
    if kind in inside:
        raise ModelError(
            f"the record {kind} contains itself",
            where=class_location(kind.cls) if isinstance(kind, RecordT) else None,
            hint="keep the records in a Map or Pool and refer to them by key",
        )
    yield kind
    inner = (*inside, kind) if isinstance(kind, RecordT) else inside
    for part in parts(kind):
        yield from walk(part, inner)


def scope_names(kind: Type) -> Iterator[str]:
    """The scope entries that ``kind`` needs, in order of appearance (with repetitions)."""
    for part in walk(kind):
        match part:
            case SortT(cls) | OrdinalT(cls):
                yield cls.__name__
            case IntT(low, high):
                yield from (b for b in (low, high) if isinstance(b, str))
            case SeqT(_, capacity, _) if isinstance(capacity, str):
                yield capacity
            case _:
                pass


def bounds(kind: IntT, scope: Mapping[str, int]) -> tuple[int, int]:
    """The numbers that ``kind`` allows in ``scope``, both inclusive."""
    low, high = (scope[b] if isinstance(b, str) else b for b in (kind.low, kind.high))
    return low, high


def defined(item: Any) -> bool:
    """Whether everything that the annotations of ``item`` name exists already."""
    try:
        typing.get_type_hints(item, include_extras=True)
    except NameError:
        return False
    except TypeError:
        pass
    return True


def module_of(cls: type[Any]) -> types.ModuleType:
    """The module that defines ``cls``."""
    return sys.modules[cls.__module__]


__all__ = ["MISSING", "FieldT", "Initial", "Type", "fields_of", "resolve"]
