"""slotcheck: a model checker for protocols written in plain Python.

Everything a model author needs can be imported from here; nothing is loaded before it is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from explorer.lang import *  # noqa: F403


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    lang = importlib.import_module("explorer.lang")
    if name not in lang.__all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(lang, name)


def __dir__() -> list[str]:
    return sorted(importlib.import_module("explorer.lang").__all__)
