"""Cut sets as lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from explorer.cutsets.matrix import matrix_of
from explorer.cutsets.search import CutSets, Row, names
from explorer.lang.text import format_value
from explorer.trace.render import counted

# Reasons why designs were not decided: the first ones.
_MOST = 5


def heading(answer: CutSets) -> str:
    """What was looked at."""
    sizes = " ".join(f"{name}={size}" for name, size in answer.scope.items())
    design = " ".join(
        str(value) if name == "preset" else f"{name}={format_value(value)}"
        for name, value in answer.design.items()
    )
    return (
        f"{answer.system}: scope {sizes}; design {design or '(default)'}; {len(answer.mechanisms)} mechanisms, "
        f"sets of up to {answer.largest}, {answer.designs:,} designs searched"
    )


def lines(answer: CutSets) -> Iterator[str]:
    """Each property with its cut sets, then what is in none."""
    for row in answer.rows:
        yield from _row(row, answer)
    safe = [row.name for row in answer.rows if not row.cut_sets and not row.open]
    if safe:
        yield ""
        yield f"in no set of up to {answer.largest}: {', '.join(safe)}"
    if answer.mechanisms and answer.rows:
        yield ""
        if not answer.exact:
            yield "which mechanisms are redundant was not decided"
        elif answer.redundant:
            listed = ", ".join(m.name for m in answer.redundant)
            yield f"redundant in this scope, in no set of up to {answer.largest}: {listed}"
        else:
            yield "every mechanism is in a set: none is redundant"
    for parts, why in answer.reasons[:_MOST]:
        yield f"not decided without {names(parts)}: {why}"
    if len(answer.reasons) > _MOST:
        yield f"and {len(answer.reasons) - _MOST} more designs"
    if answer.stopped is not None:
        yield f"incomplete: {answer.stopped}"


def _row(row: Row, answer: CutSets) -> Iterator[str]:
    if not row.cut_sets and not row.open:
        return
    yield ""
    yield row.name
    for cut in row.cut_sets:
        steps = "" if cut.length is None else f", {counted(cut.length, 'step')}"
        unsure = "" if cut.minimal else " (perhaps a part of it would do: one was not decided)"
        if cut.parts:
            yield f"  {names(cut.parts)}{steps}{unsure}"
        else:
            yield f"  fails with every mechanism in place{steps}"
    if row.open:
        yield f"  not decided for {counted(len(row.open), 'design')}"


def table(answer: CutSets, width: int) -> Iterator[str]:
    """The matrix: a letter for each mechanism, a line for each property; in blocks if the columns do not fit."""
    matrix = matrix_of(answer)
    if not matrix.lines:
        return
    letters = _letters(len(matrix.columns))
    each = len(letters[0])
    room = max((width - 2) // (each + 1), 1)
    yield "property by mechanism: how many have to go, this one among them"
    for start in range(0, len(letters), room):
        block = slice(start, start + room)
        yield ""
        yield "  " + " ".join(letters[block])
        for line in matrix.lines:
            cells = ["." if c is None else str(c.size) for c in line.cells[block]]
            if len(letters) > room and set(cells) == {"."}:
                continue
            shown = "  " + " ".join(c.rjust(each) for c in cells)
            if len(shown) + 2 + len(line.row.name) <= width:
                yield f"{shown}  {line.row.name}"
            else:
                yield shown
                yield f"    {line.row.name}"
    yield ""
    for letter, mechanism in zip(letters, matrix.columns, strict=True):
        yield f"  {letter} {mechanism.name}"


def _letters(number: int) -> list[str]:
    """``a`` to ``z``, or ``aa``, ``ab``, ... if these are not enough."""
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    if number <= len(alphabet):
        return list(alphabet[:number])
    return [a + b for a in alphabet for b in alphabet][:number]
