"""Memory that grows where it is.

Address space is reserved for the most that may be needed; what is not used yet takes no memory. So growing copies
nothing. Where so much cannot be reserved, less is, and growing beyond that copies.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Linux's flag for pages that are not set aside; Python's module does not always name it.
_NO_RESERVE = 0x4000
# From this size on, large pages are asked for: smaller ones would cost a walk through the page tables at each look-up.
_LARGE = 4 << 20
_PAGE = mmap.PAGESIZE


class Region:
    """Zeros at first, and behind whatever was asked for so far."""

    def __init__(self, size: int, most: int) -> None:
        """Room for ``size`` bytes; more will be asked for, but hardly more than ``most``.

        Raises
        ------
        MemoryError
            There is not even room for ``size``.
        """
        self._memory = self._bytes = _reserve(size, most)
        self._large = 0
        self.grow(size)

    @property
    def address(self) -> int:
        return int(self._bytes.ctypes.data)

    def grow(self, size: int) -> None:
        """Room for ``size`` bytes. The address may change; nothing happens to the content. Raises MemoryError."""
        if size > len(self._bytes):
            longer = _reserve(size, 2 * size)
            longer[: len(self._bytes)] = self._bytes
            self._bytes, self._large = longer, 0
        if size >= _LARGE:
            self._ask_for_large_pages(size)

    def words(self, kind: type[np.generic], count: int) -> NDArray[Any]:
        """The first items, as an array that keeps the memory."""
        return self._bytes[: count * np.dtype(kind).itemsize].view(kind)

    def _ask_for_large_pages(self, size: int) -> None:
        owner = self._bytes.base
        while isinstance(owner, np.ndarray):
            owner = owner.base
        if isinstance(owner, memoryview):
            owner = owner.obj
        if isinstance(owner, mmap.mmap) and hasattr(mmap, "MADV_HUGEPAGE"):
            with contextlib.suppress(OSError):
                end = -(-size // _PAGE) * _PAGE
                owner.madvise(mmap.MADV_HUGEPAGE, 0, min(end, len(owner)))


def machine_memory() -> int:
    """The machine's bytes of memory, or a guess; none if address space is short, and not to be reserved."""
    try:
        import resource

        if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
            return 0
    except ImportError:  # not a POSIX system
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 1 << 34


def _reserve(size: int, most: int) -> NDArray[np.uint8]:
    if sys.platform == "linux":
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE
        wanted = max(size, most, _PAGE)
        while wanted >= size:
            try:
                return np.frombuffer(mmap.mmap(-1, wanted, flags=flags), np.uint8)
            except (OSError, ValueError, OverflowError):
                wanted //= 4
    return np.zeros(size, np.uint8)
