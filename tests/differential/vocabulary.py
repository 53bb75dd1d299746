"""The types of a random model, as a generator of source text needs them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from tests.differential.chooser import Chooser, chance, pick

Kind: TypeAlias = Literal[
    "bool",
    "int",
    "enum",
    "sort",
    "ordinal",
    "optional",
    "record",
    "union",
    "map",
    "set",
    "seq",
    "pool",
]


@dataclass(frozen=True)
class Type:
    """A type: ``text`` is its annotation. ``args`` are the parts of a container, an optional or a union."""

    kind: Kind
    text: str
    args: tuple[Type, ...] = ()
    fields: tuple[tuple[str, Type], ...] = ()
    frozen: bool = True
    size: int = 1
    members: tuple[str, ...] = ()
    """Every constant of an enum, an integer or an ordinal; a sort has none that a model may write."""

    @property
    def scalar(self) -> bool:
        return self.kind in ("bool", "int", "enum", "sort", "ordinal")

    @property
    def immutable(self) -> bool:
        return (
            self.scalar
            or self.kind == "optional"
            or (self.kind in ("record", "union") and self.frozen)
        )

    @property
    def has_initial(self) -> bool:
        """Whether a place of this type starts with a value (a sort does not)."""
        match self.kind:
            case "sort":
                return False
            case "record":
                return all(t.has_initial for _, t in self.fields)
            case "union":
                return self.args[0].has_initial
            case "map":
                return self.args[1].has_initial
            case _:
                return True


def optional(inner: Type) -> Type:
    return Type("optional", f"{inner.text} | None", (inner,), size=inner.size + 1)


def map_of(key: Type, value: Type) -> Type:
    return Type("map", f"Map[{key.text}, {value.text}]", (key, value), size=value.size**key.size)


def set_of(item: Type) -> Type:
    return Type("set", f"Set[{item.text}]", (item,), size=2**item.size)


def seq_of(item: Type, capacity: str) -> Type:
    text = f"Annotated[Seq[{item.text}], Capacity({capacity})]"
    return Type("seq", text, (item,), size=item.size**2 + item.size + 1)


def pool_of(ref: Type, value: Type) -> Type:
    return Type(
        "pool", f"Pool[{ref.text}, {value.text}]", (ref, value), size=(value.size + 1) ** ref.size
    )


BOOL = Type("bool", "bool", size=2, members=("False", "True"))


@dataclass
class Vocabulary:
    """The named types of one model, and the source that defines them."""

    source: list[str] = field(default_factory=list)
    scope: dict[str, int] = field(default_factory=dict)
    scalars: list[Type] = field(default_factory=list)
    records: list[Type] = field(default_factory=list)
    unions: list[Type] = field(default_factory=list)
    cells: list[Type] = field(default_factory=list)
    ref: Type | None = None

    def keys(self) -> list[Type]:
        """Types small enough for the key of a map or the member of a set."""
        plain = [t for t in self.scalars if t.size <= 3]
        return (
            plain
            + [optional(t) for t in plain if t.size <= 2]
            + [r for r in self.records if r.size <= 4]
        )

    def items(self) -> list[Type]:
        """Types of a sequence's items."""
        return [t for t in [*self.scalars, *self.records, *self.unions] if t.size <= 6]

    def immutables(self) -> list[Type]:
        """Types of parameters, locals and optionals."""
        plain = [*self.scalars, *self.records, *self.unions]
        return plain + [optional(t) for t in plain]


def draw_vocabulary(chooser: Chooser) -> Vocabulary:
    """The named types of a random model."""
    v = Vocabulary()
    v.scalars.append(BOOL)
    low, high = pick(chooser, [(0, 2), (0, 1), (-1, 1), (1, 3), (0, 3)])
    bound = str(high)
    if chance(chooser, 20):
        bound = '"Max"'
        v.scope["Max"] = high
    v.source.append(f"Level: TypeAlias = Annotated[int, Between({low}, {bound})]")
    numbers = tuple(str(n) for n in sorted(range(low, high + 1), key=abs))
    v.scalars.append(Type("int", "Level", size=high - low + 1, members=numbers))

    colors = ("RED", "GREEN", "BLUE")[: 2 + chooser.index(2)]
    v.source.append(
        "class Color(Enum):\n" + "".join(f"    {c} = {i}\n" for i, c in enumerate(colors))
    )
    v.scalars.append(
        Type("enum", "Color", size=len(colors), members=tuple(f"Color.{c}" for c in colors))
    )

    names = 2 + chooser.index(2) if chance(chooser, 30) else 2
    v.source.append('class Name(Sort):\n    """A name."""\n')
    v.scope["Name"] = names
    v.scalars.append(Type("sort", "Name", size=names))

    ticks = 2 + chooser.index(2)
    top = chance(chooser, 30)
    v.scope["Tick"] = ticks
    v.source.append(
        f'class Tick(Ordinal{", top=" + repr("END") if top else ""}):\n    """A time."""\n'
    )
    moments = ("Tick.first()", *(f"Tick({i})" for i in range(1, ticks)), "Tick.last()")
    v.scalars.append(
        Type(
            "ordinal",
            "Tick",
            size=ticks + top,
            members=(*moments, "Tick.top()") if top else moments,
        )
    )

    if chance(chooser, 60):
        _draw_record(chooser, v, "Pair", frozen=True)
    if chance(chooser, 40):
        put = _draw_record(chooser, v, "Put", frozen=True, fields=1)
        drop = _draw_record(chooser, v, "Drop", frozen=True, fields=chooser.index(2))
        v.source.append("Message: TypeAlias = Put | Drop")
        v.unions.append(Type("union", "Message", (put, drop), size=put.size + drop.size))
        v.records[:] = [r for r in v.records if r.text == "Pair"]
    if chance(chooser, 40):
        v.source.append('class Ref(Sort):\n    """What a pool hands out."""\n')
        v.scope["Ref"] = 2
        v.ref = Type("sort", "Ref", size=2)
        v.scalars.append(v.ref)
    if chance(chooser, 60):
        v.cells.append(_draw_record(chooser, v, "Cell", frozen=False))
    return v


def _draw_record(
    chooser: Chooser, v: Vocabulary, name: str, *, frozen: bool, fields: int | None = None
) -> Type:
    number = 1 + chooser.index(2) if fields is None else fields
    drawn: list[tuple[str, Type]] = []
    for i in range(number):
        kinds = list(v.scalars)
        if frozen and chance(chooser, 20):
            kinds = [optional(t) for t in kinds]
        elif not frozen:
            kinds = [t for t in kinds if t.kind != "sort"] + [optional(t) for t in kinds]
            if chance(chooser, 30):
                kinds = [set_of(t) for t in v.keys()] + [r for r in v.records if r.has_initial]
        drawn.append((f"{name.lower()}_{i}", pick(chooser, kinds)))
    defaulted = [
        not frozen and kind.has_initial and chance(chooser, 40) for _, kind in drawn
    ]  # fields with a default come last
    order = sorted(range(len(drawn)), key=lambda i: defaulted[i])
    lines = [f"@record{'(frozen=True)' if frozen else ''}", f"class {name}:", '    """A record."""']
    size = 1
    for i in order:
        field_name, kind = drawn[i]
        size *= kind.size
        default = ""
        if defaulted[i]:
            literal = (
                kind.members and kind.kind != "ordinal"
            )  # those need a scope, a class has none
            default = f" = {pick(chooser, kind.members) if literal else 'initial()'}"
        lines.append(f"    {field_name}: {kind.text}{default}")
    drawn = [drawn[i] for i in order]
    v.source.append("\n".join(lines) + "\n")
    result = Type("record", name, fields=tuple(drawn), frozen=frozen, size=size)
    if frozen:
        v.records.append(result)
    return result


def immutables_in(kind: Type) -> list[Type]:
    """The types of immutable values that occur in ``kind``."""
    parts = [*kind.args, *(t for _, t in kind.fields)]
    found = [kind] if kind.immutable else []
    return found + [t for part in parts for t in immutables_in(part)]


def draw_field(chooser: Chooser, v: Vocabulary) -> Type:
    """The type of a field of the state; its domain is kept small."""
    shapes = ["scalar", "map", "set", "optional", "seq", "cell", "record", "pool", "nested"]
    shape = pick(chooser, shapes)
    values = [t for t in v.immutables() if t.size <= 8]
    match shape:
        case "map":
            return _small(chooser, [map_of(k, t) for k in v.keys() for t in [*values, *v.cells]])
        case "set":
            return _small(chooser, [set_of(k) for k in v.keys()])
        case "optional":
            return _small(chooser, [t for t in values if t.kind == "optional"])
        case "seq":
            capacity = pick(chooser, ["2", "1", '"Queue"'])
            v.scope.setdefault("Queue", 2)
            return _small(chooser, [seq_of(t, capacity) for t in v.items()])
        case "cell" if v.cells:
            return v.cells[0]
        case "record" if v.records or v.unions:
            return pick(chooser, [*v.records, *v.unions])
        case "pool" if v.ref is not None:
            contents = [*v.cells, *(t for t in values if t.has_initial)]
            return _small(chooser, [pool_of(v.ref, t) for t in contents])
        case "nested":
            inner = [set_of(k) for k in v.keys()] + [seq_of(t, "2") for t in v.items()]
            inner += [map_of(k, t) for k in v.keys() for t in values if t.scalar]
            return _small(chooser, [map_of(k, t) for k in v.keys() for t in inner])
        case _:
            return pick(chooser, v.scalars)


def _small(chooser: Chooser, kinds: list[Type], limit: int = 200) -> Type:
    """One of ``kinds`` with few values, if there is one."""
    return pick(chooser, [k for k in kinds if k.size <= limit] or [BOOL])
