"""Settings shared by all tests."""

from __future__ import annotations

from hypothesis import settings

# The same examples on every run: a red build should be about the change. `pytest --hypothesis-profile=search` looks for
# new ones.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None, max_examples=500)
settings.load_profile("repeatable")

# Tests of the pytest plugin run pytest.
pytest_plugins = ["pytester"]
