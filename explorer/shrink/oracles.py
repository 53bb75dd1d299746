"""A user's own oracle: a function in a Python file, named ``path/to/file.py:function``."""

from __future__ import annotations

import sys
from pathlib import Path

from explorer.lang.errors import ModelError
from explorer.lang.run import location
from explorer.loading import close, load_file
from explorer.shrink.goals import Oracle
from explorer.shrink.run import Run


def find_oracle(name: str) -> Oracle:
    """The function, with every exception that it raises turned into a ModelError. Raises ModelError if there is none."""
    file, colon, function = name.rpartition(":")
    if not colon or not file or not function.isidentifier():
        raise ModelError(f"{name!r} names no oracle", hint="write path/to/file.py:function")
    module = load_file(Path(file))
    found = getattr(module, function, None)
    if found is None or not callable(found) or isinstance(found, type):
        functions = [n for n, v in vars(module).items() if callable(v) and not isinstance(v, type)]
        own = [n for n in functions if getattr(module, n).__module__ == module.__name__]
        raise ModelError(
            f"{file} has no function {function}", hint=close(function, own, "it defines none")
        )

    def fails(run: Run) -> bool:
        try:
            answer: bool = found(run)
        except ModelError:
            raise
        except Exception as error:
            raise ModelError(
                f"the oracle {function} raises {type(error).__name__}: {error}",
                where=location(sys.exc_info()[2]),
                hint="it is asked about shorter runs, too: it must answer for each",
            ) from error
        return answer

    return fails
