"""How a search tells whoever watches how far it is. Loads no engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Glimpse:
    """A search at one moment.

    ``frontier`` is how many states wait to be expanded, ``rate`` states a second since the last glimpse, ``memory`` what the
    process takes in bytes; ``field`` is the part of the state with the most distinct values, ``values`` how many a sample of
    the states has.
    """

    states: int
    rate: float
    depth: int
    frontier: int
    memory: int | None
    field: str | None
    values: int


@dataclass(frozen=True)
class Part:
    """Work on what a search found: ``done`` pieces of ``of`` of what goes on now; how much comes after that is not known."""

    what: str
    done: int
    of: int


Watch: TypeAlias = Callable[[Glimpse | Part], None]

_watching: ContextVar[Watch | None] = ContextVar("watching", default=None)


@contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """Searches that run inside report to ``watch``, a few times a second."""
    token = _watching.set(watch)
    try:
        yield
    finally:
        _watching.reset(token)


def watcher() -> Watch | None:
    """Who watches, if anybody does."""
    return _watching.get()
