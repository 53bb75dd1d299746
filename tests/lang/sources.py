"""Models written as text: each is a file of its own, so that errors can point into it."""

from __future__ import annotations

import importlib.util
import itertools
import sys
import textwrap
from pathlib import Path
from types import ModuleType

HEADER = """\
from __future__ import annotations
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, TypeAlias
from explorer.lang import *
class Name(Sort): ...
class Time(Ordinal): ...
class Frontier(Ordinal, top="INF"): ...
class Color(Enum):
    RED = 1
    GREEN = 2
Level: TypeAlias = Annotated[int, Between(0, 3)]
"""

_numbers = itertools.count()


def load(directory: Path, text: str) -> ModuleType:
    """Import ``text`` behind the common header."""
    name = f"written_model_{next(_numbers)}"
    path = directory / f"{name}.py"
    path.write_text(HEADER + textwrap.dedent(text))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
