"""Shrinking: traces that are as easy to understand as they can be, and tests that keep them.

``shrink`` and ``shrink_steps`` are for Python; they take a run apart by replaying parts of it, and load no engine.
"""

from __future__ import annotations

from explorer.shrink.delta import Reduced
from explorer.shrink.run import Run
from explorer.shrink.steps import shrink, shrink_steps

__all__ = ["Reduced", "Run", "shrink", "shrink_steps"]
