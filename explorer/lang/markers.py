"""Markers inside annotations and defaults: bounds, capacities, the initial value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Between:
    """Bounds of an integer, both inclusive; a string names a scope entry.

    ``Level: TypeAlias = Annotated[int, Between(0, 5)]``
    """

    low: int | str
    high: int | str


@dataclass(frozen=True)
class Capacity:
    """The capacity of a ``Seq``.

    A number is the protocol's own limit: overfilling the queue is the violation ``full:FIELD``. A string
    names a scope entry: overfilling it makes the run incomplete.
    """

    limit: int | str


@dataclass(frozen=True)
class Initial:
    """The default that stands for the initial value of the field's type."""


def initial() -> Any:
    """As a field's default: the initial value of its type (an empty set, a map of initial values, ...)."""
    return Initial()
