"""What is in reach of an expression or a statement of a random model."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tests.differential.vocabulary import Type

NUMBER = Type("int", "int", size=100)
"""The type of arithmetic: an integer of any size, checked where it is stored."""


ANYWHERE = "?"
"""The shape of a place that a helper chose."""


class Stuck(Exception):
    """There is no expression of the wanted type here."""


@dataclass(frozen=True)
class Place:
    """Something that can be read (and perhaps assigned): text with a hole ``{i}`` per key to fill in.

    ``shape`` is the path by fields, ``[]`` for any element; equal or nested shapes may be the same place.
    """

    text: str
    type: Type
    shape: tuple[str, ...]
    holes: tuple[Type, ...] = ()
    writable: bool = False
    risky: bool = False
    """Reading it can fail: an element of a sequence, an entry of a pool."""


@dataclass
class Env:
    """What is in reach: values, places, and what may be done with them."""

    values: list[Place] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    may_fail: bool = True
    may_block: bool = False
    helpers: bool = True
    switches: bool = False
    entries: bool = False
    """Whether a loop around runs over the entries of a map: its name for the next one must not become stale."""
    walrus: bool = True
    """Whether ``:=`` may stand here: not in what a comprehension runs over."""
    returns: bool = False
    """Whether a plain ``return`` may stand here."""
    matched: tuple[str, ...] = ()
    """What a ``match`` around has taken apart: a second one would have cases that are never reached."""

    def child(self) -> Env:
        return replace(self, values=list(self.values), places=list(self.places))

    def add(self, name: str, kind: Type) -> None:
        self.values.append(Place(name, kind, (name,)))


@dataclass(frozen=True)
class Helper:
    """A function of the model that others may call."""

    name: str
    params: tuple[Type, ...]
    result: Type | None
    writes: bool
    safe: bool
    """Whether calling it cannot fail for the reasons that ``Env.may_fail`` excludes."""


@dataclass(frozen=True)
class Changer:
    """A function or a method that writes to a record it is given."""

    name: str
    place: str
    params: tuple[Type, ...]
    method: bool
    safe: bool
