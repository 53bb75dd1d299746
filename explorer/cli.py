"""The command ``slotcheck``. Signals are dealt with from the start: everything else is loaded after that."""

from __future__ import annotations

import gc
import io
import os
import sys
from collections.abc import Sequence

from explorer import interrupts


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command and exits with its code."""
    # numpy brings a library along that starts threads and, where memory is short, tries for ever; nothing here needs them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Compiling a model makes many small objects that stay: to look through them again and again takes a tenth of the time.
    gc.set_threshold(100_000, 20, 20)
    try:
        interrupts.listen()
        _open_streams()
        code = execute(arguments)
        # The code is decided; what is left is tidying up.
        interrupts.ignore()
    except KeyboardInterrupt:
        # While modules were loaded; later ones are turned into an outcome.
        interrupts.ignore()
        print("interrupted: no verdict", file=sys.stderr)
        code = interrupts.INCOMPLETE
    code = _flushed(code)
    if interrupts.abandoned():
        os._exit(code)
    sys.exit(code)


def execute(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; every error becomes a message and an exit code."""
    from explorer.command.root import execute as run

    return run(arguments)


def _open_streams() -> None:
    """Makes the standard streams usable, whatever the caller left of them."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))
    for stream in (sys.stdout, sys.stderr):
        # A name that the terminal cannot show must not end a run.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _flushed(code: int) -> int:
    """Writes out what is buffered. A reader that went away does not change the code; a full disk does."""
    from explorer.command.output import silence

    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:
            silence(stream)
            if not isinstance(error, BrokenPipeError):
                code = 2
    return code


if __name__ == "__main__":
    main()
