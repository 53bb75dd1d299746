"""One line of progress on a terminal: how far a search is, and what makes it large."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.cells import cell_len

from explorer.command.output import Output
from explorer.search.watch import Glimpse, Part, watched


class Progress:
    """What the line says is going on."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._what = ""

    def begin(self, what: str) -> None:
        """Something else goes on from now on."""
        self._what = what
        self._output.progress(f"{what} ...")

    def update(self, glimpse: Glimpse | Part) -> None:
        """Shows how far it is."""
        if isinstance(glimpse, Part):
            share = f" {100 * glimpse.done // glimpse.of} %" if glimpse.of > 1 else ""
            self._output.progress(f"{self._what}: {glimpse.what}{share} ...")
        else:
            self._output.progress(line(self._what, glimpse, self._output.room))


@contextmanager
def shown(output: Output) -> Iterator[Progress]:
    """The searches inside show on the terminal, if there is one, how they get on."""
    progress = Progress(output)
    if not output.watched:
        yield progress
        return
    with watched(progress.update):
        yield progress
    output.clear()


def line(what: str, glimpse: Glimpse, room: int) -> str:
    """The parts of a glimpse that fit, the most telling ones first."""
    parts = [
        f"{count(glimpse.states)} states",
        f"{count(glimpse.rate)}/s",
        f"depth {glimpse.depth}",
        f"queue {count(glimpse.frontier)}",
    ]
    if glimpse.memory is not None:
        parts.append(f"{size(glimpse.memory)}")
    if glimpse.field is not None:
        parts.append(f"most varied {glimpse.field} ({glimpse.values})")
    shown = what
    for part in parts:
        longer = f"{shown}{': ' if shown is what else ', '}{part}"
        if cell_len(longer) > room:
            # On a narrow terminal the numbers matter more than what they are about.
            if shown is not what or cell_len(part) > room:
                break
            longer = part
        shown = longer
    return shown


def count(number: float) -> str:
    """A number in about five characters: 812, 45.3k, 1.24M."""
    if number < 1e4:
        return f"{number:.0f}"
    for unit, name in ((1e3, "k"), (1e6, "M")):
        if number < 1000 * unit:
            return f"{_three(number / unit)}{name}"
    return f"{_three(number / 1e9)}G"


def _three(number: float) -> str:
    """Three significant digits, without an exponent."""
    return f"{number:.0f}" if number >= 99.95 else f"{number:.3g}"


def size(number: int) -> str:
    """Bytes in MB or GB."""
    return f"{number / 2**30:.1f} GB" if number >= 2**30 else f"{number / 2**20:.0f} MB"
