"""Kinds: a type in a scope, as the operations its values need. This module has the scalar ones.

A *place* is where a value is kept: a record's field, a map's entry. Immutable values are replaced in their place;
mutable ones (records, maps, sets, sequences, pools) are copied into it.
"""

from __future__ import annotations

import enum
from collections.abc import Hashable, Iterator
from typing import Any, NoReturn

from explorer.lang.effects import NoneUsed, Violation
from explorer.lang.errors import ModelError
from explorer.lang.sorts import Ordinal, Sort


class Unset:
    """What stands in a place that has no value yet; reading the place raises ModelError."""

    def __repr__(self) -> str:
        return "unset"


UNSET = Unset()


def read_unset(name: str) -> NoReturn:
    """Refuse to read a place that has no value yet."""
    raise ModelError(
        f"{name} is read before it has a value",
        hint="a Sort has no initial value: init must assign one, or declare the place as T | None",
    )


class Kind:
    """A type in a scope. ``field`` is the record field through which a place is reached: it names the violations."""

    __slots__ = ("field",)
    immutable = True

    def __init__(self, field: str) -> None:
        self.field = field

    def initial(self) -> Any:
        """The initial value (a new one where mutable), or UNSET."""
        raise NotImplementedError

    def check(self, value: Any) -> Any:
        """``value`` as it is to be kept: a copy where mutable.

        Raises Violation ``range:FIELD`` where it is out of range, NoneUsed for None, ModelError for
        a value of another type.
        """
        raise NotImplementedError

    def prepare(self, value: Any) -> None:
        """Check what is checked before the place for ``value`` is looked up: that it is no None."""
        if value is None:
            self.check(value)

    def fill(self, place: Any, value: Any) -> None:
        """Copy ``value`` into ``place``, which keeps its identity (mutable kinds only)."""
        raise NotImplementedError

    def clone(self, value: Any) -> Any:
        """An independent copy of a checked value."""
        return value

    def key(self, value: Any) -> Hashable:
        """A hashable value that is equal for equal values."""
        return value  # type: ignore[no-any-return]

    def count(self) -> int:
        """How many values there are (immutable kinds only)."""
        raise NotImplementedError

    def domain(self) -> Iterator[Any]:
        """All values in order (immutable kinds only)."""
        raise NotImplementedError

    def rank(self, value: Any) -> Any:
        """A sort key: values in order of ``domain``."""
        raise NotImplementedError

    def unset(self, value: Any, path: str) -> Iterator[str]:
        """The paths inside ``value`` that have no value yet."""
        if value is UNSET:
            yield path

    def names(self, value: Any) -> Iterator[Sort]:
        """The names of sorts that ``value`` holds (keys of maps, which hold every name, not included)."""
        return iter(())

    def refuse(self, value: Any, expected: str) -> NoReturn:
        """Refuse a value of another type."""
        if value is None:
            raise NoneUsed
        raise ModelError(f"{self.field or 'this place'} holds {expected}, not {value!r}")


class BoolKind(Kind):
    """``bool``."""

    __slots__ = ()

    def initial(self) -> bool:
        return False

    def check(self, value: Any) -> Any:
        if value is True or value is False:
            return value
        self.refuse(value, "bool")

    def count(self) -> int:
        return 2

    def domain(self) -> Iterator[bool]:
        yield False
        yield True

    def rank(self, value: Any) -> int:
        return int(value)


class IntKind(Kind):
    """Integers from ``low`` to ``high``."""

    __slots__ = ("high", "low")

    def __init__(self, field: str, low: int, high: int) -> None:
        super().__init__(field)
        self.low = low
        self.high = high

    def initial(self) -> int:
        return 0 if self.low <= 0 <= self.high else self.low

    def check(self, value: Any) -> Any:
        if type(value) is not int:
            if type(value) is not bool:
                self.refuse(value, f"int {self.low}..{self.high}")
            value = int(value)
        if self.low <= value <= self.high:
            return value
        raise Violation(
            f"range:{self.field}", f"{self.field} is {self.low}..{self.high}, not {value}"
        )

    def count(self) -> int:
        return self.high - self.low + 1

    def domain(self) -> Iterator[int]:
        yield from range(self.low, self.high + 1)

    def rank(self, value: Any) -> int:
        return int(value)


class EnumKind(Kind):
    """The members of an ``enum.Enum``."""

    __slots__ = ("cls", "members", "ranks")

    def __init__(self, field: str, cls: type[enum.Enum]) -> None:
        super().__init__(field)
        self.cls = cls
        self.members = tuple(cls)
        self.ranks = {member: i for i, member in enumerate(self.members)}

    def initial(self) -> enum.Enum:
        return self.members[0]

    def check(self, value: Any) -> Any:
        if type(value) is self.cls:
            return value
        self.refuse(value, self.cls.__name__)

    def count(self) -> int:
        return len(self.members)

    def domain(self) -> Iterator[enum.Enum]:
        yield from self.members

    def rank(self, value: Any) -> int:
        return self.ranks[value]


class NamedKind(Kind):
    """The values of a Sort or an Ordinal: ``size`` of them, not counting a top."""

    __slots__ = ("cls", "size", "top")

    def __init__(self, field: str, cls: type[Sort] | type[Ordinal], size: int) -> None:
        super().__init__(field)
        self.cls = cls
        self.size = size
        self.top: Ordinal | None = cls._top if issubclass(cls, Ordinal) else None

    def initial(self) -> Any:
        return self.cls._get(0) if issubclass(self.cls, Ordinal) else UNSET

    def check(self, value: Any) -> Any:
        if type(value) is self.cls:
            if value._index < self.size or value is self.top:
                return value
            name = self.cls.__name__
            raise ModelError(
                f"the scope is too small for {value!r}: {name}={self.size}",
                hint=f"run with --scope {name}={value._index + 1} or more",
            )
        self.refuse(value, self.cls.__name__)

    def count(self) -> int:
        return self.size + (self.top is not None)

    def domain(self) -> Iterator[Any]:
        for i in range(self.size):
            yield self.cls._get(i)
        if self.top is not None:
            yield self.top

    def rank(self, value: Any) -> int:
        return int(value._index)

    def names(self, value: Any) -> Iterator[Sort]:
        if isinstance(value, Sort):
            yield value


class OptionalKind(Kind):
    """``T | None``; None comes first."""

    __slots__ = ("inner",)

    def __init__(self, field: str, inner: Kind) -> None:
        super().__init__(field)
        self.inner = inner

    def initial(self) -> None:
        return None

    def check(self, value: Any) -> Any:
        return None if value is None else self.inner.check(value)

    def prepare(self, value: Any) -> None:
        # The range too: outside it there is no optional.
        self.check(value)

    def count(self) -> int:
        return 1 + self.inner.count()

    def domain(self) -> Iterator[Any]:
        yield None
        yield from self.inner.domain()

    def rank(self, value: Any) -> tuple[Any, ...]:
        return () if value is None else (self.inner.rank(value),)

    def names(self, value: Any) -> Iterator[Sort]:
        return iter(()) if value is None else self.inner.names(value)
