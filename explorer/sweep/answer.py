"""What a sweep found: a row for each combination, where properties fail first, how the counts grow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from explorer.batch.job import Decided, Outcome
from explorer.lang.text import Json
from explorer.result import Verdict
from explorer.sweep.grid import Grid, Point

SCHEMA = "slotcheck.sweep/1"


@dataclass(frozen=True)
class Row:
    """A combination, and what its search found; None if it was not made."""

    point: Point
    outcome: Outcome | None

    @property
    def failed(self) -> tuple[Decided, ...]:
        """The properties that are violated."""
        return self._with("violated")

    @property
    def reached(self) -> tuple[Decided, ...]:
        """The situations that occur."""
        return self._with("reached")

    @property
    def unreached(self) -> tuple[Decided, ...]:
        """The situations that do not: the scope is too small for them, or the design prevents them."""
        return self._with("unreached")

    def _with(self, verdict: Verdict) -> tuple[Decided, ...]:
        listed = () if self.outcome is None else self.outcome.properties
        return tuple(p for p in listed if p.verdict == verdict)

    @property
    def open(self) -> str | None:
        """Why something was left undecided, if it was."""
        if self.outcome is None:
            return "not searched"
        if self.outcome.unusable is not None:
            return self.outcome.unusable
        return "; ".join(self.outcome.incomplete) or None


@dataclass(frozen=True)
class First:
    """The smallest scope in which a property fails in a design, or a situation is reached. ``sure``: in all smaller ones that were swept it
    is not so."""

    name: str
    point: Point
    length: int | None
    sure: bool

    def to_json(self) -> dict[str, Json]:
        """As JSON."""
        return {
            "property": self.name,
            **self.point.to_json(),
            "length": self.length,
            "sure": self.sure,
        }


@dataclass(frozen=True)
class Growth:
    """How many times as many states there are when an entry goes from one size to the next, all else equal: at least and at most."""

    entry: str
    low: int
    high: int
    least: float
    most: float


@dataclass(frozen=True)
class Sweep:
    """All rows, in the order of the grid."""

    system: str
    grid: Grid
    rows: tuple[Row, ...]
    stopped: str | None = None

    @property
    def complete(self) -> bool:
        """Whether every row is decided."""
        return self.stopped is None and all(row.open is None for row in self.rows)

    def designs(self) -> tuple[tuple[Row, ...], ...]:
        """The rows of each design, the smallest scope first: by the sum of its sizes, then in the order of the grid."""
        by_design: dict[tuple[object, ...], list[Row]] = {}
        for row in self.rows:
            key = (row.point.preset, *row.point.switches.items())
            by_design.setdefault(key, []).append(row)
        return tuple(
            tuple(sorted(same, key=lambda row: sum(row.point.scope.values())))
            for same in by_design.values()
        )

    def fails_first(self) -> tuple[First, ...]:
        """Where each property fails first, for each design in which it does."""
        return self._firsts("violated")

    def reached_first(self) -> tuple[First, ...]:
        """Where each situation is reached first, for each design in which it is."""
        return self._firsts("reached")

    def _firsts(self, verdict: Verdict) -> tuple[First, ...]:
        return tuple(first for same in self.designs() for first in _firsts(same, verdict))

    def growth(self) -> tuple[Growth, ...]:
        """How the numbers of states grow, of scopes that were explored completely."""
        return tuple(_growth(self.grid, self.rows))

    def to_json(self) -> dict[str, Json]:
        """As JSON."""
        return {
            "schema": SCHEMA,
            "system": self.system,
            "rows": [
                {
                    **row.point.to_json(),
                    **({"states": None} if row.outcome is None else row.outcome.to_json()),
                }
                for row in self.rows
            ],
            "fails_first": [f.to_json() for f in self.fails_first()],
            "reached_first": [f.to_json() for f in self.reached_first()],
            "growth": [
                {"entry": g.entry, "from": g.low, "to": g.high, "least": g.least, "most": g.most}
                for g in self.growth()
            ],
            "warnings": [] if self.stopped is None else [f"incomplete: {self.stopped}"],
        }


def _firsts(same: Sequence[Row], verdict: Verdict) -> Iterator[First]:
    seen: set[str] = set()
    for row in same:
        for decided in row.failed if verdict == "violated" else row.reached:
            if decided.name not in seen:
                seen.add(decided.name)
                sure = not any(
                    r.open is not None and _is_below(r.point.scope, row.point.scope) for r in same
                )
                yield First(decided.name, row.point, decided.length, sure)


def _is_below(small: Mapping[str, int], large: Mapping[str, int]) -> bool:
    return small != large and all(small[name] <= large[name] for name in small)


def _growth(grid: Grid, rows: Sequence[Row]) -> Iterator[Growth]:
    states = {
        (
            *row.point.scope.items(),
            row.point.preset,
            *row.point.switches.items(),
        ): row.outcome.states
        for row in rows
        if row.outcome is not None and row.outcome.complete
    }
    for entry, sizes in grid.scope.items():
        for low, high in zip(sizes, sizes[1:], strict=False):
            factors = []
            for row in rows:
                if row.point.scope[entry] != low:
                    continue
                rest = (row.point.preset, *row.point.switches.items())
                before = states.get((*row.point.scope.items(), *rest))
                after = states.get((*{**row.point.scope, entry: high}.items(), *rest))
                if before and after:
                    factors.append(round(after / before, 2))
            if factors:
                yield Growth(entry, low, high, min(factors), max(factors))
