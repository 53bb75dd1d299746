"""Hypothesis tests made from a system: random runs, shrunk when they fail."""

from explorer.stateful.machine import PropertyViolated, machine

__all__ = ["PropertyViolated", "machine"]
