"""Where a random model's choices come from: Hypothesis (shrinks) or a seed (fast, for long runs)."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


class Chooser(Protocol):
    """Makes choices. Callers list the simplest choice first: shrinking goes there."""

    def index(self, n: int) -> int:
        """A number in 0..n-1."""
        ...


class Seeded:
    """Choices from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def index(self, n: int) -> int:
        return self._random.randrange(n)


class Drawn:
    """Choices drawn by Hypothesis."""

    def __init__(self, draw: Callable[[st.SearchStrategy[int]], int]) -> None:
        self._draw = draw

    def index(self, n: int) -> int:
        return self._draw(st.integers(0, n - 1)) if n > 1 else 0


def pick(chooser: Chooser, items: Sequence[T]) -> T:
    """One of ``items``."""
    return items[chooser.index(len(items))]


def chance(chooser: Chooser, percent: int) -> bool:
    """True in about ``percent`` of the cases; shrinks to False."""
    return chooser.index(100) >= 100 - percent
