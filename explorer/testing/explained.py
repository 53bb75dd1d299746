"""A counterexample as the message of a failed test."""

from __future__ import annotations

from typing import Any

from explorer.lang.system import System
from explorer.trace.render import render
from explorer.trace.trace import Trace


def explained(trace: Trace, system: System[Any]) -> list[str]:
    """The lines of a trace and why it is a counterexample."""
    return render(trace)
