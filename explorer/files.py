"""Reading and writing files that a user names."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from explorer.lang.errors import ModelError

# Far beyond any trace or model; keeps a wrong argument from filling the memory.
LARGEST_FILE = 256 * 1024 * 1024


def read_text(path: Path, what: str) -> str:
    """The text of a file that the user named; ``what`` says what it should be. Raises ModelError."""
    try:
        if path.is_dir():
            raise ModelError(f"{path} is a directory, not {what}")
        if path.exists() and not path.is_file():
            raise ModelError(f"{path} is not a regular file")
        if path.stat().st_size > LARGEST_FILE:
            raise ModelError(f"{path} is too large to be {what}")
        data = path.read_bytes()
    except FileNotFoundError:
        raise ModelError(f"there is no file {path}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ModelError(f"cannot read {path}: {reason}") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ModelError(f"{path} is not {what}: line {line} is not UTF-8 text") from None


def write_text(path: Path, text: str) -> None:
    """Writes a file whole or not at all: whoever reads it never finds half a result. Raises ModelError."""
    try:
        if path.exists() and not path.is_file():
            # A pipe or a device cannot be replaced.
            path.write_text(text, encoding="utf-8")
            return
        # What a link points to is replaced, not the link.
        target = Path(os.path.realpath(path))
        part = target.with_name(f".{target.name}.{os.getpid()}.part")
        try:
            part.write_text(text, encoding="utf-8")
            os.replace(part, target)
        except OSError:
            with contextlib.suppress(OSError):
                part.unlink()
            raise
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ModelError(f"cannot write {path}: {reason}") from None
