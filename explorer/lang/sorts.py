"""Sort and Ordinal: values without and with an order, as many as the scope says."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, ClassVar, Self, TypeVar

from explorer.lang.effects import Incomplete
from explorer.lang.errors import ModelError
from explorer.lang.scope import CURRENT, size
from explorer.lang.special import refuse_redefined

T = TypeVar("T")

TOP_INDEX = sys.maxsize
"""The ``_index`` of an ordinal's top: above every finite one in every scope."""


class _Countable(type):
    """Makes the class itself iterable: ``for id in GlobalId``, ``len(GlobalId)``."""

    def __iter__(cls: type[T]) -> Iterator[T]:
        return iter(cls._all())  # type: ignore[attr-defined]

    def __len__(cls) -> int:
        return len(cls._all())  # type: ignore[attr-defined]

    def __bool__(cls) -> bool:
        return True


class _Value(metaclass=_Countable):
    """One value per class and index: equality and hash are those of the object."""

    __slots__ = ("_index",)
    _index: int
    _made: ClassVar[list[Any]]

    def __new__(cls, index: int, /) -> Self:
        if cls.__mro__[1] in (_Value, object):
            raise TypeError(f"{cls.__name__} is a base class: define class X({cls.__name__})")
        if type(index) is not int:
            raise ModelError(f"{cls.__name__}({index!r}) needs an integer")
        scope = CURRENT.get()
        limit = 10**6 if scope is None else scope.get(cls.__name__, 10**6)
        if not 0 <= index < limit:
            if index < 0:
                raise ModelError(f"{cls.__name__} has no value {index}")
            raise ModelError(
                f"the scope is too small for {cls.__name__}({index}): {cls.__name__}={limit}",
                hint=f"run with --scope {cls.__name__}={index + 1} or more",
            )
        return cls._get(index)

    @classmethod
    def _get(cls, index: int) -> Self:
        made: list[Self] = cls._made
        while len(made) <= index:
            value = object.__new__(cls)
            object.__setattr__(value, "_index", len(made))
            made.append(value)
        return made[index]

    @classmethod
    def _all(cls) -> list[Self]:
        count = size(cls.__name__)
        cls._get(count - 1)
        return list(cls._made[:count])

    def __setattr__(self, name: str, value: object) -> None:
        raise TypeError(f"a {type(self).__name__} cannot change")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._get, (self._index,)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self


class Sort(_Value):
    """Interchangeable names: ``class GlobalId(Sort): ...``.

    Values can be compared with ``==`` only and have no order that a model could see. The scope entry
    named like the class says how many there are; they print as ``GlobalId0``, ``GlobalId1``, ...
    Iterating over the class goes through all of them; this needs a bound scope (else ModelError).
    """

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        _refuse_subclass(cls, Sort)
        refuse_redefined(cls, Sort)
        cls._made = []

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._index}"


class Ordinal(_Value):
    """Ordered values 0..n-1 with n from the scope: ``class Time(Ordinal): ...``.

    With ``class Frontier(Ordinal, top="INF")`` there is one more value above all others, which prints as INF
    and is not counted in n. ``Time(3)`` raises ModelError where the scope has fewer values.
    """

    __slots__ = ()
    _top_name: ClassVar[str | None]
    _top: ClassVar[Any]

    def __init_subclass__(cls, top: str | None = None) -> None:
        _refuse_subclass(cls, Ordinal)
        refuse_redefined(cls, Ordinal)
        cls._made = []
        if top is not None and not top.isidentifier():
            raise ModelError(
                f"the top of {cls.__name__} cannot be called {top!r}", hint='write top="INF"'
            )
        cls._top_name = top
        cls._top = None
        if top is not None:
            cls._top = object.__new__(cls)
            object.__setattr__(cls._top, "_index", TOP_INDEX)

    @classmethod
    def first(cls) -> Self:
        """The least value."""
        return cls(0)

    @classmethod
    def last(cls) -> Self:
        """The greatest finite value in the scope."""
        return cls._get(size(cls.__name__) - 1)

    @classmethod
    def top(cls) -> Self:
        """The value above all finite ones. Raises ModelError where the class declares none."""
        if cls._top is None:
            raise ModelError(
                f"{cls.__name__} has no top",
                hint=f'declare it: class {cls.__name__}(Ordinal, top="INF")',
            )
        top: Self = cls._top
        return top

    @classmethod
    def _all(cls) -> list[Self]:
        finite = super()._all()
        return finite if cls._top is None else [*finite, cls._top]

    def next(self) -> Self:
        """The next greater value; the top's is the top. Past the last finite one the run is incomplete."""
        if self is self._top:
            return self
        index = self._index + 1
        if index >= size(type(self).__name__):
            raise Incomplete(type(self).__name__)
        return self._get(index)

    def __lt__(self, other: Self) -> bool:
        return self._index < other._index if type(other) is type(self) else NotImplemented

    def __le__(self, other: Self) -> bool:
        return self._index <= other._index if type(other) is type(self) else NotImplemented

    def __gt__(self, other: Self) -> bool:
        return self._index > other._index if type(other) is type(self) else NotImplemented

    def __ge__(self, other: Self) -> bool:
        return self._index >= other._index if type(other) is type(self) else NotImplemented

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self).top, ()) if self is self._top else super().__reduce__()

    def __str__(self) -> str:
        return str(self._top_name) if self is self._top else str(self._index)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}.top()"
            if self is self._top
            else f"{type(self).__name__}({self})"
        )


def _refuse_subclass(cls: type[Any], base: type[Any]) -> None:
    if base not in cls.__bases__:
        raise ModelError(
            f"{cls.__name__} cannot derive from {cls.__bases__[0].__name__}",
            hint=f"write class {cls.__name__}({base.__name__}): ...",
        )
