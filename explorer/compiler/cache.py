"""Machine code on disk, in the user's cache directory, so that it is made once.

An entry is named by a hash of everything that it was made from, and holds a hash of its name and content. One that is
damaged, that another user could have written, or that cannot be read or written is as good as none: the code is made
again. Entries appear by renaming, so two runs at once do not see each other's halves.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

# The directory, or "off".
VARIABLE = "SLOTCHECK_CACHE"
# Beyond this the entries not used for longest go, until a quarter is free.
MOST_BYTES = 256 * 1024 * 1024

_MAGIC = b"slotcheck object 1\n"
_DIGEST_SIZE = hashlib.sha256().digest_size
_SUFFIX, _UNFINISHED = ".o", ".part"
# A file that is being written is renamed within seconds.
_ABANDONED_SECONDS = 3600.0


def name_of(parts: Iterable[str]) -> str:
    """The name of what is made from the given texts."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


def find(name: str) -> bytes | None:
    """The entry's content, if there is one that can be trusted."""
    directory = _directory()
    if directory is None:
        return None
    path = directory / (name + _SUFFIX)
    try:
        with path.open("rb") as file:
            if not _is_ours(os.fstat(file.fileno())):
                return None
            data = file.read()
    except OSError:
        return None
    start = len(_MAGIC) + _DIGEST_SIZE
    content = data[start:]
    if data[:start] != _head(name, content):
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # what is used stays
    return content


def keep(name: str, content: bytes) -> None:
    """Store an entry, if the directory can be written; and make room for it."""
    directory = _directory()
    if directory is None or len(content) > MOST_BYTES // 4:
        return
    try:
        _write(directory, name, _head(name, content) + content)
    except OSError:
        return
    _prune(directory)


def fetch(name: str, make: Callable[[], bytes]) -> bytes:
    """The entry's content; made, and kept, if it is not there."""
    content = find(name)
    if content is None:
        content = make()
        keep(name, content)
    return content


def _head(name: str, content: bytes) -> bytes:
    return _MAGIC + hashlib.sha256(name.encode() + content).digest()


def _write(directory: Path, name: str, data: bytes) -> None:
    handle, unfinished = tempfile.mkstemp(_UNFINISHED, name[:16], directory)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(unfinished, directory / (name + _SUFFIX))
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(unfinished)
        raise


def _prune(directory: Path) -> None:
    """Remove the entries that were not used for longest and files that were never finished."""
    now = time.time()
    entries: list[tuple[float, int, Path]] = []
    # Another run may be removing the same files.
    with contextlib.suppress(OSError):
        for path in directory.iterdir():
            with contextlib.suppress(OSError):
                status = path.stat()
                if path.suffix == _SUFFIX:
                    entries.append((status.st_mtime, status.st_size, path))
                elif path.suffix == _UNFINISHED and now - status.st_mtime > _ABANDONED_SECONDS:
                    path.unlink()
    total = sum(size for _, size, _ in entries)
    if total > MOST_BYTES:
        for _, size, path in sorted(entries):
            with contextlib.suppress(OSError):
                path.unlink()
            total -= size
            if total <= MOST_BYTES // 4 * 3:
                break


def _directory() -> Path | None:
    """Where entries are; None if that is switched off, cannot be made, or is not the user's alone."""
    chosen = os.environ.get(VARIABLE, "")
    if chosen.lower() == "off":
        return None
    try:
        root = Path(chosen) if chosen else _user_cache() / "slotcheck"
        directory = root / "objects"
        if not directory.is_dir():
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        return directory if _is_ours(directory.stat()) else None
    except (OSError, RuntimeError, ValueError):  # RuntimeError: there is no home directory
        return None


def _user_cache() -> Path:
    """The platform's place for a user's caches."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    chosen = os.environ.get("XDG_CACHE_HOME", "")
    # The specification says to ignore a relative path.
    return Path(chosen) if os.path.isabs(chosen) else Path.home() / ".cache"


def _is_ours(status: os.stat_result) -> bool:
    """Whether nobody else could have written it: it is machine code, and it will run."""
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022
