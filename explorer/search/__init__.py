"""Exhaustive search over native code."""
