"""Constants that may differ each time a model is loaded are found, and others are not."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from explorer.compiler.steady import unsteady

SETTINGS = """
import random
import time as clock
from random import randint
FIXED = 3
DRAWN = randint(1, 3)
def now():
    return int(clock.time())
def shown():
    return now() % 7
"""


def load(name: str, text: str, folder: Path) -> ModuleType:
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def settings(tmp_path: Path) -> Iterator[ModuleType]:
    yield load("settings_of_a_model", SETTINGS, tmp_path)
    del sys.modules["settings_of_a_model"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import time\nN = time.time_ns() % 3", "N = time.time_ns() % 3"),
        ("from time import time\nN = int(time())", "N = int(time())"),
        ("import random\nN = random.randint(0, 3)", "N = random.randint(0, 3)"),
        ("from random import randint as r\nN = r(0, 3)", "N = r(0, 3)"),
        ("import os\nN = int(os.environ.get('N', 3))", "N = int(os.environ.get('N', 3))"),
        ("N = hash('a') % 3", "N = hash('a') % 3"),
        ("N: int = id(object()) % 3", "N: int = id(object()) % 3"),
        ("M = hash('a')\nN = M % 3", "N = M % 3"),
        ("import time\nN = 1\nif True:\n    N += time.time_ns()", "N += time.time_ns()"),
        ("import time\nN = M = time.time_ns()", "N = M = time.time_ns()"),
        ("from settings_of_a_model import DRAWN as N", "DRAWN = randint(1, 3)"),
        (
            "import time\ndef f():\n    return time.time_ns()\ndef g():\n    return f()\nN = g()",
            "N = g()",
        ),
        ("from settings_of_a_model import FIXED as N", None),
        ("N = 3", None),
        ("import math\nN = math.comb(4, 2) + max(1, 2) + len('abc')", None),
        ("def f(n):\n    return f(n - 1) if n else 3\nN = f(2)", None),
        ("import time\nT = time.time()\nN = 3", None),
    ],
)
def test_what_is_found(text: str, found: str | None, settings: ModuleType, tmp_path: Path) -> None:
    module = load("model_with_a_constant", text + "\n", tmp_path)
    assert unsteady(vars(module), "N") == found
