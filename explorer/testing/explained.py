"""A counterexample as the message of a failed test."""

from __future__ import annotations

from typing import Any

from explorer.explain.explanation import explain
from explorer.explain.render import render
from explorer.lang.system import System
from explorer.trace.trace import Trace

# A test that fails is not to take much longer than one that passes.
MOST_SECONDS = 10.0


def explained(trace: Trace, system: System[Any]) -> list[str]:
    """The lines of a trace, and why it is a counterexample."""
    return list(render(explain(trace, system, max_seconds=MOST_SECONDS)))
