"""Where numba keeps the compiled search loops.

numba's own check sees only the edited file, not its callees in other files, and would run stale code. So the
directory's name carries a hash of the whole package.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba

from explorer.compiler import llvm_program

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """``numba.njit`` that releases the GIL, cached in the user's cache directory, or not at all if that cannot be written."""
    if _DIRECTORY is None:
        return _njit(function, cache=False)
    previous = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(_DIRECTORY)
    try:
        # numba decides here, not at the first call, where the function's cache is.
        return _njit(function, cache=True)
    finally:
        numba.config.CACHE_DIR = previous


def c_address(function: Any, arguments: int) -> int:
    """The address of a compiled function of 64-bit integers, for code that calls it by address: so it is compiled only
    where it is needed."""
    signature = numba.types.int64(*[numba.types.int64] * arguments)
    previous = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = "" if _DIRECTORY is None else str(_DIRECTORY)
    try:
        made = numba.cfunc(signature, cache=_DIRECTORY is not None)(function)
    finally:
        numba.config.CACHE_DIR = previous
    _kept.append(made)
    return int(made.address)


_kept: list[Any] = []
"""C functions whose addresses are in use."""


def _njit(function: F, *, cache: bool) -> F:
    made: F = numba.njit(nogil=True, cache=cache)(function)
    return made


def _user_cache() -> Path:
    """The platform's place for a user's caches."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _sources_hash() -> str:
    """Of the files that compiled functions and their constants come from."""
    digest = hashlib.sha256()
    for path in [*sorted(Path(__file__).parent.glob("*.py")), Path(llvm_program.__file__)]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _writable_directory() -> Path | None:
    try:
        directory = _user_cache() / "slotcheck" / f"search-{_sources_hash()}"
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return directory
    except (OSError, RuntimeError):  # RuntimeError: there is no home directory
        return None


_DIRECTORY = _writable_directory()
