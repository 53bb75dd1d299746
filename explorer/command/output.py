"""Where a command writes: text for people, JSON for programs, progress for whoever watches a terminal."""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from rich.cells import cell_len

from explorer.files import write_text
from explorer.lang.errors import ModelError
from explorer.lang.text import Json

UNLIMITED = 10_000


class Output:
    """The streams of one command. With JSON on standard output, text goes to standard error."""

    def __init__(self, target: str | None = None) -> None:
        self.target = target
        self.stream: TextIO = sys.stderr if target == "-" else sys.stdout
        # A terminal that cannot take a line back is no place for progress.
        self.watched = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self.shown = ""
        if target not in (None, "-"):
            check_writable(Path(str(target)))

    @property
    def terminal(self) -> bool:
        """Whether text is read on a terminal as it is written."""
        return self.stream.isatty()

    @property
    def width(self) -> int:
        """The columns that text may use: those of the terminal or of $COLUMNS, else as many as it takes."""
        return max(shutil.get_terminal_size((UNLIMITED, 24)).columns, 20)

    def line(self, text: str = "") -> None:
        """Writes one line. A reader that has gone away ends the output, not the run: its exit code still counts."""
        self.clear()
        self._write(text, self.stream, flush=self.terminal)

    @staticmethod
    def _write(text: str, stream: TextIO, *, flush: bool) -> None:
        try:
            print(text, file=stream, flush=flush)
        except BrokenPipeError:
            silence(stream)
        except OSError as error:
            silence(stream)
            raise ModelError(f"cannot write the output: {error.strerror}") from None

    def lines(self, texts: Iterable[str]) -> None:
        """Writes lines."""
        for text in texts:
            self.line(text)

    def wrapped(self, text: str, indent: int = 0) -> None:
        """Writes a paragraph; lines after the first are indented."""
        wrapped = textwrap.wrap(
            text,
            self.width,
            subsequent_indent=" " * indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        self.lines(wrapped)

    def json(self, data: Json) -> None:
        """Writes the object that ``--json`` asked for, if it did."""
        if self.target is None:
            return
        text = json.dumps(data, indent=1)
        if self.target == "-":
            self._write(text, sys.stdout, flush=True)
        else:
            write_text(Path(self.target), text + "\n")

    def progress(self, text: str) -> None:
        """Shows what is going on, on one line that the next output replaces; nothing if nobody watches."""
        if self.watched:
            self.clear()
            self.shown = chop(text, self.room)
            sys.stderr.write(self.shown)
            sys.stderr.flush()

    @property
    def room(self) -> int:
        """The columns of a line of progress: the last one is left free, or some terminals would begin a new line."""
        return _columns() - 1

    def clear(self) -> None:
        """Takes the progress line away."""
        if self.shown:
            sys.stderr.write(f"\r{' ' * cell_len(self.shown)}\r")
            sys.stderr.flush()
            self.shown = ""


def chop(text: str, width: int) -> str:
    """As much of a text as fits; some characters take two columns."""
    while cell_len(text) > width:
        text = text[:-1]
    return text


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80


def silence(stream: TextIO) -> None:
    """Sends the rest of a stream nowhere, so that flushing it at exit does not fail again."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)


def check_writable(path: Path) -> None:
    """Complains before a long run, not after it."""
    if path.is_dir():
        raise ModelError(f"cannot write {path}: it is a directory")
    if not path.absolute().parent.is_dir():
        raise ModelError(f"cannot write {path}: there is no directory {path.parent}")
