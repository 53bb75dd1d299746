"""Hypothesis tests made from a system: random runs, shrunk when they fail."""

from explorer.stateful.machine import machine
from explorer.stateful.program import Run
from explorer.stateful.violated import PropertyViolated

__all__ = ["PropertyViolated", "Run", "machine"]
