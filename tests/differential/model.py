"""A random model's source text as an imported module."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from explorer.lang import properties
from explorer.lang.system import System


@contextmanager
def loaded(source: str, directory: Path, name: str = "random_model") -> Iterator[list[System[Any]]]:
    """The system ``Model`` that ``source`` defines in each of its designs, for as long as the block runs."""
    number = sum(1 for _ in directory.glob("*.py"))
    module_name = f"{name}_{number}"
    path = directory / f"{module_name}.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(module_name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
        designs = [{}, {"fixed": False}] if hasattr(module, "Design") else [{}]
        yield [module.Model(design=design) for design in designs]
    finally:
        del sys.modules[module_name]
        # Declared properties are kept by module; thousands of random ones would slow every look-up down.
        for known in [k for k in properties._REGISTRY if k[0] == module_name]:
            del properties._REGISTRY[known]
