"""Walking through a system step by step; nothing here knows a terminal."""
