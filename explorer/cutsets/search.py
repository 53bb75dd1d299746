"""Finds every minimal cut set up to a size, level by level."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from explorer import interrupts
from explorer.batch.job import Job, Outcome
from explorer.batch.pool import Pool
from explorer.cutsets.mechanisms import Mechanism, sets_of
from explorer.lang.text import Json
from explorer.result import Kind

SCHEMA = "slotcheck.cutsets/1"

Set = tuple[Mechanism, ...]


@dataclass(frozen=True)
class CutSet:
    """Mechanisms without which a property is violated, after ``length`` steps at the soonest.

    ``minimal``: without any smaller part of them it holds. It is not known where such a part was not decided.
    """

    parts: Set
    length: int | None
    minimal: bool
    trace: Json = None

    def to_json(self) -> dict[str, Json]:
        """As JSON, without the trace."""
        return {
            "off": [m.name for m in self.parts],
            "length": self.length,
            "minimal": self.minimal,
        }


@dataclass(frozen=True)
class Row:
    """A property with its cut sets, the smallest first; ``open`` are the designs that were not decided for it."""

    name: str
    kind: Kind
    cut_sets: tuple[CutSet, ...] = ()
    open: tuple[Set, ...] = ()

    @property
    def fails(self) -> bool:
        """Whether it is violated with every mechanism in place."""
        return any(not c.parts for c in self.cut_sets)


@dataclass(frozen=True)
class CutSets:
    """All properties of a system in one scope. ``largest`` is the size up to which sets were looked at, ``designs`` how many were searched;
    ``reasons`` say why some were not decided; ``stopped`` why not all sets were looked at."""

    system: str
    scope: Mapping[str, int]
    design: Mapping[str, Json]
    mechanisms: tuple[Mechanism, ...]
    largest: int
    rows: tuple[Row, ...] = ()
    designs: int = 0
    reasons: tuple[tuple[Set, str], ...] = ()
    stopped: str | None = None

    @property
    def exact(self) -> bool:
        """Whether these are all minimal sets up to the size."""
        return self.stopped is None and not any(row.open for row in self.rows)

    @property
    def redundant(self) -> tuple[Mechanism, ...]:
        """The mechanisms in no set; they are redundant if the answer is ``exact``."""
        used = {m for row in self.rows for c in row.cut_sets for m in c.parts}
        return tuple(m for m in self.mechanisms if m not in used)

    def to_json(self) -> dict[str, Json]:
        """As JSON."""
        return {
            "schema": SCHEMA,
            "system": self.system,
            "scope": dict(self.scope),
            "design": dict(self.design),
            "mechanisms": [m.name for m in self.mechanisms],
            "largest": self.largest,
            "designs": self.designs,
            "exact": self.exact,
            "properties": [
                {
                    "name": row.name,
                    "kind": row.kind,
                    "cut_sets": [c.to_json() for c in row.cut_sets],
                    "undecided": [[m.name for m in parts] for parts in row.open],
                }
                for row in self.rows
            ],
            "redundant": [m.name for m in self.redundant] if self.exact else None,
            "warnings": [
                *(f"{names(parts)}: {why}" for parts, why in self.reasons),
                *([] if self.stopped is None else [f"incomplete: {self.stopped}"]),
            ],
        }


@dataclass
class _Progress:
    """What is known while the search goes on."""

    rows: dict[str, Row] = field(default_factory=dict)
    reasons: list[tuple[Set, str]] = field(default_factory=list)
    designs: int = 0

    def is_settled(self, name: str, parts: Set) -> bool:
        """Whether a part of the set is known to be a cut set of the property, so that it is not minimal."""
        row = self.rows[name]
        return any(set(c.parts) <= set(parts) for c in row.cut_sets)

    def note(self, parts: Set, outcome: Outcome) -> None:
        """Takes in what a search said."""
        self.designs += 1
        why = outcome.unusable or "; ".join(outcome.incomplete)
        if why:
            self.reasons.append((parts, why))
        for name in self.rows:
            if self.is_settled(name, parts):
                continue
            row, decided = self.rows[name], outcome.find(name)
            if decided is not None and decided.verdict in ("violated", "unreached"):
                minimal = not any(set(p) < set(parts) for p in row.open)
                cut = CutSet(parts, decided.length, minimal, decided.trace)
                self.rows[name] = replace(row, cut_sets=(*row.cut_sets, cut))
            elif decided is None or decided.verdict == "unknown":
                self.rows[name] = replace(row, open=(*row.open, parts))


def find_cut_sets(
    empty: CutSets,
    job: Job,
    pool: Pool,
    wanted: Callable[[str, Kind], bool],
    level: Callable[[int], None] = lambda size: None,
) -> CutSets:
    """Fills an answer in: searches sets of one mechanism, then of two, up to ``empty.largest``.

    A set is not searched if for every property it contains a cut set that is known. Nothing else is taken for granted: to take more
    away may make a property hold again. ``job`` is the search with all mechanisms in place, ``wanted`` says which properties count. Raises ModelError as
    ``Pool.outcomes`` does, and if the design itself cannot be used.
    """
    known = _Progress()
    stopped: str | None = None
    for size in range(empty.largest + 1):
        level(size)
        sets = [
            parts
            for parts in sets_of(empty.mechanisms, size)
            if size == 0 or not all(known.is_settled(name, parts) for name in known.rows)
        ]
        outcomes = pool.outcomes([without(job, parts) for parts in sets])
        for parts, outcome in zip(sets, outcomes, strict=True):
            if outcome is None:
                stopped = interrupts.requested() or interrupts.INTERRUPTED
                continue
            if size == 0:
                known.rows = {
                    p.name: Row(p.name, p.kind)
                    for p in outcome.properties
                    if wanted(p.name, p.kind)
                }
            known.note(parts, outcome)
        if stopped is not None:
            break
    return replace(
        empty,
        rows=tuple(known.rows.values()),
        designs=known.designs,
        reasons=tuple(known.reasons),
        stopped=stopped,
    )


def without(job: Job, parts: Sequence[Mechanism]) -> Job:
    """The search in the design without these mechanisms."""
    return replace(job, switches={**job.switches, **{m.switch: m.value for m in parts}})


def names(parts: Sequence[Mechanism]) -> str:
    """``{a, b}``."""
    return "{" + ", ".join(m.name for m in parts) + "}"
