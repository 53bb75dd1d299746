"""The matrix as one self-contained HTML page: no script, no network, light and dark."""

from __future__ import annotations

from html import escape

from explorer.cutsets.matrix import Cell, matrix_of
from explorer.cutsets.report import heading
from explorer.cutsets.search import CutSets, Row, names

_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --rule: #d0d7de; --faint: #57606a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --rule: #30363d; --faint: #9198a1; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0 auto; max-width: 70rem; padding: 1rem; }
code { overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { border: 1px solid var(--rule); padding: .25rem .5rem; text-align: center; }
th[scope=row] { text-align: left; font-weight: normal; position: sticky; left: 0; background: var(--paper); max-width: 14rem; overflow-wrap: anywhere; }
th[scope=col] { writing-mode: vertical-rl; transform: rotate(180deg); font-weight: normal; text-align: left; padding: .5rem .25rem; }
.s1 { background: #d1242f; color: #fff; } .s2 { background: #9a6700; color: #fff; } .s3 { background: #0969da; color: #fff; }
.note { color: var(--faint); }
"""


def page(answer: CutSets) -> str:
    """The page."""
    matrix = matrix_of(answer)
    head = "".join(f'<th scope="col"><code>{escape(m.name)}</code></th>' for m in matrix.columns)
    body = "".join(
        f'<tr><th scope="row"><code>{escape(line.row.name)}</code></th>{"".join(map(_cell, line.cells))}</tr>\\n'
        for line in matrix.lines
    ).replace("\\n", "\n")
    redundant = ", ".join(f"<code>{escape(m.name)}</code>" for m in answer.redundant)
    if not answer.exact:
        rest = "Not every set was decided, so this may leave some out."
    elif redundant:
        rest = f"In no set of up to {answer.largest}, so redundant in this scope: {redundant}."
    else:
        rest = "Every mechanism is in a set: none is redundant."
    table = (
        f'<div class="wide"><table>\n<thead><tr><th scope="row">property</th>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table></div>'
        if matrix.lines
        else "<p>No property is violated without any of these sets.</p>"
    )
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cut sets of {escape(answer.system)}</title>
<style>{_STYLE}</style>
<h1>What hangs on what: {escape(answer.system)}</h1>
<p class="note">{escape(heading(answer))}</p>
<p>A number says how many mechanisms have to go, this one among them, before the property is violated: 1 where the mechanism alone carries it,
more where it is one line of defence among several. The small number below it is the length of the shortest counterexample.</p>
{table}
<p>{rest}</p>
<h2>The sets</h2>
{"".join(map(_sets, answer.rows))}
</html>
"""


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return "<td></td>"
    length = "" if cell.length is None else f"<br><small>{cell.length}</small>"
    return f'<td class="s{min(cell.size, 3)}">{cell.size}{length}</td>'


def _sets(row: Row) -> str:
    if not row.cut_sets and not row.open:
        return ""
    items = "".join(
        f"<li>{f'<code>{escape(names(c.parts))}</code>' if c.parts else 'fails with every mechanism in place'}"
        f"{'' if c.length is None else f', {c.length} steps'}"
        f"{'' if c.minimal else ' (perhaps a part of it would do: one was not decided)'}</li>"
        for c in row.cut_sets
    )
    left = f"<li>not decided for {len(row.open)} designs</li>" if row.open else ""
    return f"<p><code>{escape(row.name)}</code></p>\n<ul>{items}{left}</ul>\n"
