"""What shrinking did, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from explorer.lang.text import Json
from explorer.shrink.scopes import difference, shown
from explorer.shrink.traces import Shrunk, Stage
from explorer.trace.render import text


def lines(shrunk: Shrunk) -> Iterator[str]:
    """A line for each stage, then what is to blame."""
    for stage in shrunk.stages:
        yield f"{stage.name:<9} {_what(stage)}: {stage.note}"
    if shrunk.blamed:
        sets = [_braces(b.switches) + _length(b.length) for b in shrunk.blamed]
        some = "" if _blame_is_exact(shrunk) else "; perhaps others"
        yield f"{'blamed':<9} {', '.join(sets)}{some}"
    elif shrunk.blamed is not None:
        none = "nothing that was tried" if _blame_is_exact(shrunk) else "undecided"
        yield f"{'blamed':<9} {none}"
    for undecided in shrunk.undecided[:5]:
        yield f"{'open':<9} {_braces(undecided)}"
    if len(shrunk.undecided) > 5:
        yield f"{'open':<9} and {len(shrunk.undecided) - 5} more"


def heading(shrunk: Shrunk) -> str:
    """System, property, scope and design of the trace that is shown."""
    trace = shrunk.after
    design = [] if trace.preset is None else [trace.preset]
    design += [f"{name}={text(value)}" for name, value in trace.design.items()]
    return (
        f"{trace.system}: {trace.property_name}; scope {shown(trace.scope) or '(none)'}; "
        f"design {' '.join(design) or '(default)'}"
    )


def _what(stage: Stage) -> str:
    before, after = stage.before, stage.after
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        sizes = {n: v for n, v in before.items() if isinstance(v, int)}
        changed = difference(sizes, {n: v for n, v in after.items() if isinstance(v, int)})
        return changed or f"{shown(sizes) or '(none)'} stays"
    if isinstance(after, Mapping):
        return ", ".join(f"{old} -> {new}" for old, new in after.items())
    if isinstance(before, Sequence) and isinstance(after, Sequence):
        old, new = _braces(list(map(str, before))), _braces(list(map(str, after)))
        return f"{old} stays" if old == new else f"{old} -> {new}"
    return f"{_one(before)} stays" if before == after else f"{_one(before)} -> {_one(after)}"


def _one(value: Json) -> str:
    return text(value)


def _blame_is_exact(shrunk: Shrunk) -> bool:
    return all(s.exact for s in shrunk.stages if s.name == "design")


def _braces(names: Sequence[str]) -> str:
    return "{" + ", ".join(names) + "}"


def _length(length: int | None) -> str:
    if length is None:
        return ""
    return " (1 step)" if length == 1 else f" ({length} steps)"
