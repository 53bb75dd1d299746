"""Scopes below a scope: the fewest values first, and then the fewest of the entry that is declared first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

MOST_SCOPES = 500
"""As many scopes are looked at; the result says if there are more."""


def order(scope: Mapping[str, int]) -> tuple[int, tuple[int, ...]]:
    """What is minimised: the sum of the sizes, then the sizes in order of declaration."""
    return sum(scope.values()), tuple(scope.values())


def below(scope: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Every scope that is smaller in ``order`` and no larger in any entry, the smallest first."""
    names, most = list(scope), list(scope.values())
    for total in range(len(names), sum(most) + 1):
        for sizes in _sizes(most, total):
            smaller = dict(zip(names, sizes, strict=True))
            if order(smaller) < order(scope):
                yield smaller


def _sizes(most: list[int], total: int) -> Iterator[tuple[int, ...]]:
    """Sizes from 1 on with a sum, in lexicographic order."""
    if not most:
        if total == 0:
            yield ()
        return
    rest = most[1:]
    low = max(1, total - sum(rest))
    for size in range(low, min(most[0], total - len(rest)) + 1):
        for others in _sizes(rest, total - size):
            yield (size, *others)


def difference(before: Mapping[str, int], after: Mapping[str, int]) -> str:
    """``Time=4 -> 3, Connection=2 -> 1``."""
    changed = (f"{n}={before[n]} -> {after[n]}" for n in before if before[n] != after.get(n))
    return ", ".join(changed)


def shown(scope: Mapping[str, int]) -> str:
    """``Time=3 Connection=2``."""
    return " ".join(f"{name}={size}" for name, size in scope.items())
