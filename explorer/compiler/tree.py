"""The typed tree: a model's functions after name resolution and type checking, free of any scope."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import TypeAlias

from explorer.lang.cache import cached
from explorer.lang.errors import Location
from explorer.lang.types import IntT, OptionalT, PoolT, RecordT, SeqT, Type, fields_of, is_immutable

# Types that only expressions have


@dataclass(frozen=True)
class NumberT:
    """An integer on its way: bounds are checked where it is stored."""

    def __str__(self) -> str:
        return "int"


@dataclass(frozen=True)
class NoneT:
    """The literal ``None``."""

    def __str__(self) -> str:
        return "None"


@dataclass(frozen=True)
class VoidT:
    """What a function without a result returns."""

    def __str__(self) -> str:
        return "nothing"


@dataclass(frozen=True)
class SystemT:
    """``self`` in a method of the system."""

    def __str__(self) -> str:
        return "the system"


@dataclass(frozen=True)
class DesignT:
    """``self.design``."""

    def __str__(self) -> str:
        return "the design"


@dataclass(frozen=True)
class EmptySetT:
    """``Set()``, before its context says of what."""

    def __str__(self) -> str:
        return "Set()"


Kind: TypeAlias = Type | NumberT | NoneT | VoidT | SystemT | DesignT | EmptySetT

OUTSIDE = (NumberT, NoneT, VoidT, SystemT, DesignT, EmptySetT)
"""The types that only expressions have."""

OPTIONAL_NUMBER = OptionalT(NumberT())  # type: ignore[arg-type]
"""An optional integer on its way."""


def is_mutable(kind: Kind) -> bool:
    """Whether a name of this type refers to a place rather than holding a value."""
    return not isinstance(kind, OUTSIDE) and not is_immutable(kind)


@dataclass(frozen=True)
class Tree:
    """Any part of the typed tree; ``where`` is its place in the source."""

    where: Location


# Domains of loops and quantifiers


@dataclass(frozen=True)
class ValuesOf(Tree):
    """All values of a type, in order."""

    type: Type


@dataclass(frozen=True)
class MembersOf(Tree):
    """Members of a set, keys of a map, allocated names of a pool, or items of a sequence."""

    container: Expr


@dataclass(frozen=True)
class EntriesOf(Tree):
    """``m.items()`` (with_key) or ``m.values()``."""

    map: Expr
    with_key: bool


@dataclass(frozen=True)
class RangeOf(Tree):
    """``range(low, high)``; both are known once the scope is."""

    low: Expr
    high: Expr


@dataclass(frozen=True)
class ListOf(Tree):
    """A tuple or list display."""

    items: tuple[Expr, ...]


Domain: TypeAlias = ValuesOf | MembersOf | EntriesOf | RangeOf | ListOf


# Expressions


@dataclass(frozen=True)
class Expr(Tree):
    """An expression of ``type``."""

    type: Kind


@dataclass(frozen=True)
class Const(Expr):
    """A bool, int, or the position of an enum member."""

    value: int


@dataclass(frozen=True)
class OrdinalConst(Expr):
    """A value of an Ordinal: a number, ``first``, ``last`` or ``top``."""

    value: int | str


@dataclass(frozen=True)
class Nothing(Expr):
    """``None``."""


@dataclass(frozen=True)
class Local(Expr):
    """A local name."""

    name: str


@dataclass(frozen=True)
class Switch(Expr):
    """A switch of the design."""

    name: str


@dataclass(frozen=True)
class ScopeSize(Expr):
    """``len(GlobalId)`` or a bound: the scope's entry of that name (for an Enum its number of members)."""

    name: str


@dataclass(frozen=True)
class DomainSize(Expr):
    """``len`` of a type."""

    of: Type


@dataclass(frozen=True)
class FieldOf(Expr):
    """``base.name``."""

    base: Expr
    name: str


@dataclass(frozen=True)
class ItemOf(Expr):
    """``base[key]`` of a map, pool or sequence."""

    base: Expr
    key: Expr


@dataclass(frozen=True)
class Not(Expr):
    operand: Expr


@dataclass(frozen=True)
class And(Expr):
    operands: tuple[Expr, ...]


@dataclass(frozen=True)
class Or(Expr):
    operands: tuple[Expr, ...]


@dataclass(frozen=True)
class IfElse(Expr):
    condition: Expr
    then: Expr
    orelse: Expr


@dataclass(frozen=True)
class Compare(Expr):
    """``eq``, ``lt``, ``le``, ``gt``, ``ge`` of two values of one type, ``subset`` or ``superset`` of two sets."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class IsNone(Expr):
    operand: Expr


@dataclass(frozen=True)
class IsVariant(Expr):
    """Whether a union holds its ``index``-th variant."""

    operand: Expr
    index: int


@dataclass(frozen=True)
class Unwrap(Expr):
    """An optional used as a value: a violation where it is None, or an error in the model if Python would be silent."""

    operand: Expr
    silent: bool = False


@dataclass(frozen=True)
class Given(Expr):
    """``given(x)``: the action is disabled where x is None."""

    operand: Expr


@dataclass(frozen=True)
class Wrap(Expr):
    """A value as an optional."""

    operand: Expr


@dataclass(frozen=True)
class Convert(Expr):
    """An optional as an optional of another type. Where that one is stored, bounds are checked."""

    operand: Expr


@dataclass(frozen=True)
class Inject(Expr):
    """A record as a union; or a union as a wider one."""

    operand: Expr


@dataclass(frozen=True)
class Project(Expr):
    """A union as its ``index``-th variant, where that is known to be the one."""

    operand: Expr
    index: int


@dataclass(frozen=True)
class Arithmetic(Expr):
    """``+ - * // %``."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Extreme(Expr):
    """``min`` or ``max`` of several values."""

    op: str
    operands: tuple[Expr, ...]


@dataclass(frozen=True)
class Generator(Tree):
    """``for NAMES in domain if conditions``."""

    names: tuple[str, ...]
    domain: Domain
    conditions: tuple[Expr, ...]


@dataclass(frozen=True)
class Quantify(Expr):
    """``any``, ``all``, ``sum``, ``min``, ``max`` or ``Set`` over a generator expression."""

    op: str
    generators: tuple[Generator, ...]
    element: Expr
    default: Expr | None


@dataclass(frozen=True)
class Contains(Expr):
    """``item in container``."""

    item: Expr
    container: Expr


@dataclass(frozen=True)
class Size(Expr):
    """``len(container)``."""

    container: Expr


@dataclass(frozen=True)
class Build(Expr):
    """A record made from its fields, in order; None where the field has its type's initial value."""

    arguments: tuple[Expr | None, ...]


@dataclass(frozen=True)
class SetOf(Expr):
    """``Set((a, b))``."""

    items: tuple[Expr, ...]


@dataclass(frozen=True)
class SetOp(Expr):
    """``|``, ``&``, ``-`` of sets."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Next(Expr):
    """The successor of an ordinal."""

    operand: Expr


@dataclass(frozen=True)
class Bind(Expr):
    """``name := value``."""

    name: str
    value: Expr


@dataclass(frozen=True)
class Then(Expr):
    """``bindings``, then ``value``: captures of a pattern before its guard."""

    bindings: tuple[Bind, ...]
    value: Expr


@dataclass(frozen=True)
class Operate(Expr):
    """A method of a container that changes it or reads its ends; ``op`` is the method's name."""

    op: str
    base: Expr
    arguments: tuple[Expr, ...]


@dataclass(frozen=True)
class Call(Expr):
    """A helper's call."""

    function: Function
    arguments: tuple[Expr, ...]


# Statements


@dataclass(frozen=True)
class Assign(Tree):
    """``target = value`` into a place of the state or of a local record."""

    target: Expr
    value: Expr


@dataclass(frozen=True)
class Let(Tree):
    """``name = value``."""

    name: str
    value: Expr


@dataclass(frozen=True)
class If(Tree):
    condition: Expr
    then: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]


@dataclass(frozen=True)
class For(Tree):
    """``outer``: the names that have a value when the loop starts."""

    names: tuple[str, ...]
    domain: Domain
    body: tuple[Stmt, ...]
    outer: frozenset[str]


@dataclass(frozen=True)
class Return(Tree):
    value: Expr | None


@dataclass(frozen=True)
class Jump(Tree):
    """``break`` or ``continue``."""

    op: str


@dataclass(frozen=True)
class Require(Tree):
    condition: Expr


@dataclass(frozen=True)
class Fail(Tree):
    """``panic``, ``soft_panic``, or ``assert`` with its condition. ``name`` is the property's."""

    name: str
    condition: Expr | None
    soft: bool


@dataclass(frozen=True)
class Never(Tree):
    """``assert_never``: control must not get here."""


@dataclass(frozen=True)
class Evaluate(Tree):
    """An expression for its effect."""

    value: Expr


Stmt: TypeAlias = Assign | Let | If | For | Return | Jump | Require | Fail | Never | Evaluate


@dataclass(eq=False)
class Function:
    """A checked function. ``parameters`` are (name, type); ``never``: it does not return."""

    name: str
    where: Location
    parameters: tuple[tuple[str, Kind], ...]
    result: Kind
    body: tuple[Stmt, ...] = field(default=())
    never: bool = False


@cached
def _names(cls: type[Tree]) -> tuple[str, ...]:
    return tuple(f.name for f in fields(cls))


def children(tree: Tree) -> Iterator[Tree]:
    """The parts directly inside a tree (a call's function body not included)."""
    for name in _names(type(tree)):
        value = getattr(tree, name)
        if isinstance(value, Tree):
            yield value
        elif isinstance(value, tuple):
            yield from (v for v in value if isinstance(v, Tree))


def own_parts(parts: Iterable[Tree]) -> Iterator[Tree]:
    """Parts and what is inside them, without the bodies of the functions they call."""
    for part in parts:
        yield part
        yield from own_parts(children(part))


def walk(tree: Tree) -> Iterator[Tree]:
    """``tree`` and everything inside it, calls' bodies included."""
    yield tree
    for child in children(tree):
        yield from walk(child)
    if isinstance(tree, Call):
        for statement in tree.function.body:
            yield from walk(statement)


IMPURE = (Call, Operate, Given, Unwrap, Bind, Next, Quantify)


def is_plain(expr: Expr) -> bool:
    """Whether evaluating ``expr`` cannot fail, write or bind: it may be evaluated twice, or needlessly."""
    return not any(_can_be_noticed(part) for part in walk(expr))


def _can_be_noticed(part: Tree) -> bool:
    match part:
        case Convert():
            return part.type != OPTIONAL_NUMBER
        case Build(_, RecordT(cls), _):
            return any(_has_bounds(f.type) for f in fields_of(cls))
        case ItemOf(_, _, base, key):
            return isinstance(base.type, (PoolT, SeqT)) or isinstance(key.type, (IntT, NumberT))
        case _:
            return isinstance(part, IMPURE)


def _has_bounds(kind: Type) -> bool:
    return isinstance(kind, IntT) or (isinstance(kind, OptionalT) and isinstance(kind.inner, IntT))


def leaves(body: Sequence[Stmt]) -> bool:
    """Whether control never runs off the end of ``body``."""
    if not body:
        return False
    match body[-1]:
        case Return() | Jump() | Never():
            return True
        case Fail(_, _, None | Const(_, _, 0), soft):
            return not soft
        case Evaluate(_, Call(_, _, function, _)):
            return function.never
        case If(_, _, then, orelse):
            return leaves(then) and leaves(orelse)
        case _:
            return False
