"""The shortest counterexample of each cut set, as a trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from explorer.batch.job import Job
from explorer.batch.pool import Pool
from explorer.cutsets.search import CutSets, Set, without
from explorer.lang.text import Json


def traces_of(answer: CutSets, job: Job, pool: Pool) -> Mapping[str, Json]:
    """For each property and each of its cut sets a trace, by a name for its file. Each design is searched once more."""
    designs: dict[Set, list[str]] = {}
    for row in answer.rows:
        for cut in row.cut_sets:
            designs.setdefault(cut.parts, []).append(row.name)
    jobs = [replace(without(job, parts), traces=True) for parts in designs]
    traces: dict[str, Json] = {}
    for (parts, names), outcome in zip(designs.items(), pool.outcomes(jobs), strict=True):
        for name in names:
            decided = None if outcome is None else outcome.find(name)
            if decided is not None and decided.trace is not None:
                off = "+".join(m.name for m in parts) or "nothing"
                traces[f"{name}-without-{off}"] = decided.trace
    return traces
