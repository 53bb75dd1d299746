"""Checks inside a test suite: ``assert_holds``, and the pytest plugin that knows it as a fixture."""

from explorer.testing.holds import NotHeld, assert_holds

__all__ = ["NotHeld", "assert_holds"]
