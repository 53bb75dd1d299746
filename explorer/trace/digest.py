"""A digest of a model's source, by which a trace knows the model it was recorded from."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from explorer.lang.cache import cached


@cached
def digest(cls: type[Any]) -> str:
    """``sha256:...`` over the sources of the modules that define ``cls``, its bases and the helpers they import.

    Modules count by file name and content, never by where they are installed or how they were imported. Of the modules that the model
    imports, those in the same package or directory belong to it.
    """
    modules = _modules(cls)
    total = hashlib.sha256()
    for name, source in sorted(_source(module) for module in modules.values()):
        total.update(name.encode() + b"\0" + source + b"\0")
    return f"sha256:{total.hexdigest()}"


def _classes(cls: type[Any]) -> Iterator[type[Any]]:
    """The class with its bases, and the mixins of its presets: a model has one digest in all its designs."""
    yield from cls.__mro__
    for preset in getattr(cls, "presets", {}).values():
        for part in preset if isinstance(preset, tuple) else (preset,):
            if isinstance(part, type):
                yield from part.__mro__


def _modules(cls: type[Any]) -> dict[str, ModuleType]:
    found = {
        base.__module__: sys.modules[base.__module__]
        for base in _classes(cls)
        if base.__module__ in sys.modules and not _foreign(base.__module__)
    }
    packages = {name.partition(".")[0] for name in found if "." in name}
    folders = {_folder(module) for module in found.values()} - {None}
    open_modules = list(found.values())
    while open_modules:
        for value in list(vars(open_modules.pop()).values()):
            name = value.__name__ if isinstance(value, ModuleType) else _defined_in(value)
            module = sys.modules.get(name) if name is not None else None
            if name is None or module is None or name in found or _foreign(name):
                continue
            if name.partition(".")[0] in packages or _folder(module) in folders:
                found[name] = module
                open_modules.append(module)
    return found


def _defined_in(value: object) -> str | None:
    name = getattr(value, "__module__", None)
    return name if isinstance(name, str) else None


def _foreign(name: str) -> bool:
    return name in ("builtins", "typing", "enum") or name.partition(".")[0] == "explorer"


def _folder(module: ModuleType) -> Path | None:
    file = getattr(module, "__file__", None)
    return Path(file).parent if isinstance(file, str) else None


def _source(module: ModuleType) -> tuple[str, bytes]:
    file = getattr(module, "__file__", None)
    if not isinstance(file, str):
        return module.__name__, b""
    try:
        # One text has one digest, whatever the line ends that a checkout gave it.
        return Path(file).name, Path(file).read_bytes().replace(b"\r\n", b"\n")
    except OSError:
        return Path(file).name, b""
