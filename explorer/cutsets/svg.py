"""The matrix as a picture."""

from __future__ import annotations

from html import escape

from explorer.cutsets.matrix import matrix_of
from explorer.cutsets.search import CutSets

_CELL, _CHAR, _FONT = 28, 7.3, 12
_COLOURS = {1: "#d1242f", 2: "#9a6700"}
_MORE = "#0969da"


def picture(answer: CutSets) -> str:
    """An SVG image: a row for each property, a column for each mechanism, in each cell the size of the smallest cut set."""
    matrix = matrix_of(answer)
    left = 16 + round(_CHAR * max([len(line.row.name) for line in matrix.lines], default=0))
    names = max([len(m.name) for m in matrix.columns], default=0)
    top = 16 + round(_CHAR * names * 0.87)
    # Column names lean to the right.
    width = left + _CELL * len(matrix.columns) + round(_CHAR * names * 0.5) + 16
    height = top + _CELL * len(matrix.lines) + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="ui-monospace, monospace" font-size="{_FONT}" role="img" aria-label="cut sets of {escape(answer.system, quote=True)}">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for i, mechanism in enumerate(matrix.columns):
        x, y = left + _CELL * i + _CELL // 2, top - 6
        parts.append(
            f'<text transform="translate({x} {y}) rotate(-60)" fill="#1b1f24">{escape(mechanism.name)}</text>'
        )
    for j, line in enumerate(matrix.lines):
        y = top + _CELL * j
        parts.append(f'<text x="8" y="{y + 18}" fill="#1b1f24">{escape(line.row.name)}</text>')
        for i, cell in enumerate(line.cells):
            x = left + _CELL * i
            fill = "#f6f8fa" if cell is None else _COLOURS.get(cell.size, _MORE)
            parts.append(
                f'<rect x="{x}" y="{y}" width="{_CELL - 2}" height="{_CELL - 2}" rx="3" fill="{fill}"/>'
            )
            if cell is not None:
                parts.append(
                    f'<text x="{x + _CELL // 2 - 1}" y="{y + 18}" text-anchor="middle" fill="#ffffff">{cell.size}</text>'
                )
    return "\n".join([*parts, "</svg>", ""])
