"""A sweep as lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from explorer.sweep.answer import Row, Sweep
from explorer.sweep.grid import Point
from explorer.trace.render import counted


def heading(sweep: Sweep) -> str:
    """What was swept."""
    parts = [f"{name}={_range(sizes)}" for name, sizes in sweep.grid.scope.items()]
    parts += [f"{name}={','.join(values)}" for name, values in sweep.grid.switches.items()]
    parts += [f"design {','.join(str(p) for p in sweep.grid.presets)}"] * (
        sweep.grid.presets != (None,)
    )
    number = counted(len(sweep.rows), "combination")
    return f"{sweep.system}: {' '.join(parts) or 'the default scope'}; {number}"


def table(sweep: Sweep, width: int) -> Iterator[str]:
    """A line for each combination; what fails stands on lines of its own where there is no room."""
    names = [*sweep.grid.scope, *sweep.grid.switches]
    if sweep.grid.presets != (None,):
        names.insert(len(sweep.grid.scope), "design")
    columns = [[name, *(_value(row.point, name) for row in sweep.rows)] for name in names]
    columns.append(["states", *(_count(row, "states") for row in sweep.rows)])
    columns.append(["depth", *(_count(row, "depth") for row in sweep.rows)])
    sizes = [max(map(len, column)) for column in columns]
    for i in range(len(sweep.rows) + 1):
        line = "  " + "  ".join(c[i].rjust(n) for c, n in zip(columns, sizes, strict=True))
        if i == 0:
            yield line
            continue
        notes = list(_notes(sweep.rows[i - 1]))
        text = ", ".join(notes)
        if len(line) + 2 + len(text) <= width:
            yield f"{line}  {text}".rstrip()
        else:
            yield line
            yield from (f"      {note}" for note in notes)


def lines(sweep: Sweep) -> Iterator[str]:
    """Where each property fails first, what takes more than the smallest scope to be reached, and how the counts grow."""
    smallest = {id(design[0].point) for design in sweep.designs()}
    later = [f for f in sweep.reached_first() if id(f.point) not in smallest]
    for title, firsts in (("fails first", sweep.fails_first()), ("reached later", later)):
        if firsts:
            yield ""
            yield title
        for first in firsts:
            steps = "" if first.length is None else f", {counted(first.length, 'step')}"
            unsure = "" if first.sure else " (perhaps earlier: a smaller scope was not decided)"
            yield f"  {first.name}: {_point(first.point)}{steps}{unsure}"
    reached = {p.name for row in sweep.rows for p in row.reached}
    never = dict.fromkeys(
        p.name for row in sweep.rows for p in row.unreached if p.name not in reached
    )
    if never:
        yield ""
        yield f"reached nowhere: {', '.join(never)}"
    growth = sweep.growth()
    if growth:
        yield ""
        yield "states"
    for g in growth:
        times = f"{g.least:g}" if g.least == g.most else f"{g.least:g} to {g.most:g}"
        yield f"  {g.entry} {g.low} to {g.high}: {times} times as many"
    if sweep.stopped is not None:
        yield ""
        yield f"incomplete: {sweep.stopped}"


def _notes(row: Row) -> Iterator[str]:
    for decided in row.failed:
        yield decided.name if decided.length is None else f"{decided.name} ({decided.length})"
    if row.open is not None:
        yield f"unknown: {row.open}"
    elif not row.failed:
        yield "all hold"
    if row.unreached:
        yield f"{counted(len(row.unreached), 'situation')} not reached"


def _range(sizes: tuple[int, ...]) -> str:
    return str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]}..{sizes[-1]}"


def _value(point: Point, name: str) -> str:
    if name == "design":
        return point.preset or "(default)"
    return str(point.scope[name]) if name in point.scope else point.switches[name]


def _count(row: Row, what: str) -> str:
    if row.outcome is None or row.outcome.unusable is not None:
        return "-"
    return f"{getattr(row.outcome, what):,}"


def _point(point: Point) -> str:
    parts = [f"{name}={size}" for name, size in point.scope.items()]
    parts += [f"{name}={value}" for name, value in point.switches.items()]
    parts += [f"design {point.preset}"] * (point.preset is not None)
    return " ".join(parts) or "the default scope"
