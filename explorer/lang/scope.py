"""The scope: how many values each sort and ordinal has, and how much fits into the queues."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from typing import Any

from explorer.lang.errors import ModelError

LARGEST = 10**6
"""The greatest size a scope may name: more cannot be enumerated."""


class Scope(Mapping[str, int]):
    """An immutable mapping from scope names to sizes.

    ``tables`` belongs to the values module: what it derived from types in this scope.
    """

    __slots__ = ("_sizes", "tables")

    def __init__(self, sizes: Mapping[str, int]) -> None:
        self._sizes = dict(sizes)
        self.tables: dict[Any, Any] = {}

    def __getitem__(self, name: str) -> int:
        return self._sizes[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._sizes)

    def __len__(self) -> int:
        return len(self._sizes)

    def __repr__(self) -> str:
        return f"Scope({self._sizes})"


CURRENT: ContextVar[Scope | None] = ContextVar("scope", default=None)
"""The scope that ``with system:`` bound."""


def bound() -> Scope:
    """The scope in force. Raises ModelError outside ``with system:``."""
    scope = CURRENT.get()
    if scope is None:
        raise ModelError(
            "no scope is bound: sizes of sorts and ordinals are known inside a run only",
            hint="write `with system:` around it",
        )
    return scope


def size(name: str) -> int:
    """The size of ``name`` in the scope in force. Raises ModelError where the scope does not have it."""
    scope = bound()
    try:
        return scope[name]
    except KeyError:
        raise ModelError(
            f"the scope has no size for {name}",
            hint=f'add it to default_scope: {{"{name}": 2}}',
        ) from None
