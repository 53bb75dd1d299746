"""Settings shared by all tests."""

from __future__ import annotations

import pytest
from hypothesis import settings

# The same examples on every run: a red build should be about the change. `pytest --hypothesis-profile=search` looks for
# new ones.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None, max_examples=500)
settings.load_profile("repeatable")

# Tests of the pytest plugin run pytest.
pytest_plugins = ["pytester"]


@pytest.fixture(autouse=True)
def no_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """Output is as wide as it takes, unless a test says otherwise: pytest-xdist gives its workers a width."""
    monkeypatch.delenv("COLUMNS", raising=False)
