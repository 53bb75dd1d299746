"""Side by side with other checkers: see ``docs/performance.md``."""
