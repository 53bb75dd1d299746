"""What is raised where engines differ."""

from __future__ import annotations


class Disagreement(AssertionError):
    """Two engines contradict each other."""
