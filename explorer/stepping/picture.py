"""A state as lines of text, with what the last step changed marked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from explorer.lang.text import FREE, Json
from explorer.trace.render import text

MARK, PLAIN = "* ", "  "


@dataclass(frozen=True)
class Line:
    """A place of the state: how deep it is in, its text, whether the last step changed it (or something in it)."""

    depth: int
    text: str
    changed: bool

    def __str__(self) -> str:
        return f"{MARK if self.changed else PLAIN}{'  ' * self.depth}{self.text}"


def picture(state: Json, before: Json = None) -> list[Line]:
    """The whole state, one place a line. A changed place shows its old value, too; without ``before`` nothing is changed."""
    return list(_lines(state, state if before is None else before, 0))


def cut(lines: list[Line], most: int) -> tuple[list[Line], int]:
    """The lines, or where they are more than ``most`` those of changed places; and the number left out."""
    if len(lines) <= most:
        return lines, 0
    changed = [line for line in lines if line.changed]
    shown = changed[:most]
    return shown, len(lines) - len(shown)


def _lines(now: Json, before: Json, depth: int) -> Iterator[Line]:
    assert isinstance(now, Mapping)
    old = before if isinstance(before, Mapping) else {}
    for name in dict.fromkeys([*now, *old]):
        if name not in now:
            yield Line(depth, f"{name}: {FREE}   (was {text(old[name])})", True)
            continue
        part, was = now[name], old.get(name)
        changed = name not in old or not _same(part, was)
        if _deep(part) or (_deep(was) and isinstance(part, Mapping) and "is" not in part):
            yield Line(depth, f"{name}:", changed)
            yield from _lines(part, was if name in old else {}, depth + 1)
        elif not changed:
            yield Line(depth, f"{name}: {text(part)}", False)
        else:
            shown = text(was) if name in old else FREE
            yield Line(depth, f"{name}: {text(part)}   (was {shown})", True)


def _deep(value: Json) -> bool:
    """Whether a value is shown with a line for each of its parts."""
    return isinstance(value, Mapping) and bool(value) and "is" not in value


def _same(left: Json, right: Json) -> bool:
    """Equality that tells 1 from True."""
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(_same(left[k], right[k]) for k in left)
    return left == right and isinstance(left, bool) == isinstance(right, bool)
