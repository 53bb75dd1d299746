"""How much memory the process takes and the machine still has. None where the system does not say."""

from __future__ import annotations

import os
from pathlib import Path

_STATM = Path("/proc/self/statm")
_MEMINFO = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")

# Left to the rest of the process and of the machine: traces are still to be built.
RESERVE = 128 * 1024 * 1024


# What loading the engine takes of the address space.
_ENGINE = 520 * 1024 * 1024


def require_engine() -> None:
    """Raises MemoryError where the process may not take enough to load the engine: libraries in it would end the process,
    or try for ever."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        taken = int(_STATM.read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (ImportError, OSError, ValueError, AttributeError):
        return
    if limit != resource.RLIM_INFINITY and limit - taken < _ENGINE:
        raise MemoryError


def resident() -> int | None:
    """Bytes of memory that the process takes."""
    try:
        return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return None


def available() -> int | None:
    """Bytes that the process can still take before the machine, or the container, has to kill something."""
    known = [n for n in (_machine(), _container()) if n is not None]
    return min(known) if known else None


def _machine() -> int | None:
    try:
        for line in _MEMINFO.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    return None


def _container() -> int | None:
    """What the control group allows; its file cache can be dropped and does not count."""
    try:
        most = int((_CGROUP / "memory.max").read_text())
        used = int((_CGROUP / "memory.current").read_text())
        pairs = (line.split() for line in (_CGROUP / "memory.stat").read_text().splitlines())
        cached = sum(int(n) for name, n in pairs if name == "inactive_file")
    except (OSError, ValueError):
        # No limit ("max"), or no such files.
        return None
    return max(most - used + cached, 0)
