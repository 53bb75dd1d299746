"""A cache that keeps a function's type."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


def cached(function: F) -> F:
    """``functools.cache``, typed like ``function``: type checkers do not take ``type[Any]`` as hashable."""
    return cast(F, functools.cache(function))
