"""Runs a command: how long it takes, how much memory."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Run:
    """What a command printed and took. ``cpu`` is what is left to compare when others use the machine as well."""

    output: str
    seconds: float
    cpu: float
    peak: int


class Failed(Exception):
    """A command did not do what it was to."""


def run(
    command: Sequence[str | Path],
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    codes: Sequence[int] = (0,),
) -> Run:
    """Run to the end. Raises Failed for an exit code that is not among ``codes``."""
    started = time.perf_counter()
    with subprocess.Popen(
        [str(part) for part in command],
        cwd=folder,
        env=None if environment is None else {**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - started
    if process.returncode not in codes:
        shown = " ".join(str(part) for part in command)
        raise Failed(f"{shown}: exit code {process.returncode}\n{output[-2000:]}")
    return Run(output, seconds, usage.ru_utime + usage.ru_stime, _peak(usage))


def _peak(usage: resource.struct_rusage) -> int:
    """Bytes; Linux counts kilobytes."""
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def best(runs: Sequence[Run]) -> Run:
    """The one that was disturbed least."""
    return min(runs, key=lambda r: r.seconds)
