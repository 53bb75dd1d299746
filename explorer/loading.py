"""Finding systems: bundled ones by name, the user's own by ``path/to/file.py:ClassName``."""

from __future__ import annotations

import contextlib
import importlib
import importlib.resources
import importlib.util
import inspect
import re
import sys
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.machinery import SourceFileLoader
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from explorer.files import read_text
from explorer.lang.errors import Location, ModelError
from explorer.lang.properties import idle_properties
from explorer.lang.system import System

_LIBRARY = str(Path(contextlib.__file__).parent)

SYSTEMS = "slotcheck.systems"
PROPERTIES = "slotcheck.properties"
DOCUMENTS = "slotcheck.claims"


@dataclass(frozen=True)
class Found:
    """A system class and the name under which it can be found again."""

    name: str
    cls: type[System[Any]]


def find_system(name: str, base: Path | None = None) -> Found:
    """The system called ``name``. Paths are relative to ``base``, by default to the working directory.

    Raises ModelError if there is none.
    """
    load_properties()
    if name.lower().endswith(".json"):
        raise ModelError(
            f"{name} is a labelled graph, not a system",
            hint=f'`slotcheck check {name} --ltl "G F p"` checks formulas on it',
        )
    if _is_path(name):
        return _from_file(name, base)
    known = {entry.name: entry for entry in _entries(SYSTEMS)}
    if name not in known:
        raise ModelError(
            f"there is no system {name!r}",
            hint=close(name, known, "name your own as path/to/file.py:ClassName"),
        )
    return Found(name, _as_system(_load(known[name]), name))


def name_of(cls: type[System[Any]]) -> str:
    """The name under which ``find_system`` finds a class: that of an installed system, or ``path/to/file.py:ClassName``."""
    value = f"{cls.__module__}:{cls.__qualname__}"
    for entry in _entries(SYSTEMS):
        if entry.value == value:
            return entry.name
    file = Path(inspect.getsourcefile(cls) or cls.__module__)
    if file.is_relative_to(Path.cwd()):
        file = file.relative_to(Path.cwd())
    return f"{file}:{cls.__qualname__}"


def bundled_systems() -> list[Found]:
    """The systems that installed packages provide, sorted by name."""
    load_properties()
    return [Found(e.name, _as_system(_load(e), e.name)) for e in _entries(SYSTEMS)]


def load_properties() -> None:
    """Imports the modules that hold the properties of bundled systems."""
    for entry in _entries(PROPERTIES):
        _load(entry)


def idle(found: Found) -> tuple[str, ...]:
    """The properties in a system's module that apply to no system there: somebody takes them for checked."""
    module = sys.modules[found.cls.__module__]
    systems = []
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, System) and value is not System:
            # A mixin is no system by itself.
            with contextlib.suppress(ModelError):
                systems.append(value())
    return tuple(p.name for p in idle_properties(module.__name__, systems))


def bundled_documents() -> list[Path]:
    """The checked design documents that installed packages provide, sorted by package and name."""
    found: list[Path] = []
    for entry in _entries(DOCUMENTS):
        with _reported(f"the documents {entry.name} ({entry.value})"):
            folder = importlib.resources.files(entry.value)
        found += sorted(Path(str(f)) for f in folder.iterdir() if f.name.endswith(".md"))
    return found


def close(name: str, known: Iterable[str], none: str = "") -> str:
    """A hint at the known names like ``name``, else at all of them if they are few; ``none`` if there are none."""
    names = sorted(known)
    alike = get_close_matches(name, names, n=3, cutoff=0.6)
    if alike:
        return f"did you mean {' or '.join(alike)}?"
    if len(names) > 12:
        return "`slotcheck list` shows them"
    return f"known: {', '.join(names)}" if names else none


def _entries(group: str) -> list[EntryPoint]:
    # The same distribution may be seen twice, installed and in the working directory.
    unique = {(e.name, e.value): e for e in entry_points(group=group)}
    return [unique[key] for key in sorted(unique)]


def _load(entry: EntryPoint) -> Any:
    with _reported(f"{entry.name} ({entry.value})"):
        return entry.load()


def _is_path(name: str) -> bool:
    return ".py" in name or name.endswith(".md") or any(c in name for c in "/\\:")


def _from_file(name: str, base: Path | None) -> Found:
    file, colon, cls = name.rpartition(":")
    if not colon or cls.endswith(".py") or "/" in cls or "\\" in cls:
        file, cls = name, ""
    path = Path(file) if base is None else base / file
    if path.suffix == ".md":
        raise ModelError(
            f"{file} is a document, not a system",
            hint=f"`slotcheck claims {file}` verifies its claims, `slotcheck list {file}` lists them",
        )
    module = load_file(path)
    own = {
        k: v
        for k, v in vars(module).items()
        if isinstance(v, type) and issubclass(v, System) and v is not System
    }
    if not cls:
        here = [k for k, v in own.items() if v.__module__ == module.__name__]
        if len(here) != 1:
            hint = f"its systems are {', '.join(here)}" if here else "it defines no System"
            raise ModelError(f"which class of {file}?", hint=f"write {file}:ClassName; {hint}")
        cls = here[0]
    value = getattr(module, cls, None) if cls.isidentifier() else None
    if value is None:
        raise ModelError(
            f"{file} has no class {cls!r}",
            hint=close(cls, own, "it defines no System"),
        )
    return Found(f"{file}:{cls}", _as_system(value, f"{file}:{cls}"))


def _as_system(value: object, name: str) -> type[System[Any]]:
    if isinstance(value, type) and issubclass(value, System) and value is not System:
        return value
    raise ModelError(
        f"{name} is not a system",
        hint="a system is a class derived from System[State], with State its @record",
    )


_loaded: dict[Path, ModuleType] = {}


def load_file(path: Path) -> ModuleType:
    """The module in a file of the user's.

    It is imported under the file's stem unless that names a module which exists already; the file's directory goes
    to the end of ``sys.path``, so that nothing of the user's replaces an installed module. Raises ModelError.
    """
    read_text(path, "a Python model")
    resolved = path.resolve()
    if resolved in _loaded:
        return _loaded[resolved]
    name = _module_name(resolved)
    folder = str(resolved.parent)
    if folder not in sys.path:
        sys.path.append(folder)
    loader = _Loader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    if spec is None:
        raise ModelError(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with _reported(str(path)):
            loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    _loaded[resolved] = module
    return module


class _Loader(SourceFileLoader):
    """Compiles what the file says now. Cached bytecode goes by time stamp and size, and can be older than the
    source that the compiler reads."""

    def get_code(self, fullname: str) -> CodeType:
        """The file's code."""
        code = self.source_to_code(self.get_data(self.path), self.path)
        assert isinstance(code, CodeType)
        return code


def _module_name(path: Path) -> str:
    name = re.sub(r"\W", "_", path.stem)
    if name.isidentifier() and name not in sys.modules:
        try:
            if importlib.util.find_spec(name) is None:
                return name
        except (ImportError, ValueError):
            pass
    unique = f"slotcheck_model_{name}"
    while unique in sys.modules:
        unique += "_"
    return unique


@contextlib.contextmanager
def _reported(what: str) -> Iterator[None]:
    """Turns whatever an import raises into a ModelError that points into the source."""
    try:
        yield
    except ModelError:
        raise
    except SyntaxError as error:
        where = None
        if error.filename and error.lineno:
            where = Location(error.filename, error.lineno, max((error.offset or 1) - 1, 0))
        raise ModelError(f"syntax error: {error.msg}", where=where) from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        frames = traceback.extract_tb(error.__traceback__)
        own = [f for f in frames if not f.filename.startswith("<") and f.filename != __file__]
        # What the standard library complains about is written in the model.
        own = [f for f in own if not f.filename.startswith(_LIBRARY)] or own
        where = Location(own[-1].filename, own[-1].lineno or 1) if own else None
        detail = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise ModelError(f"importing {what} fails: {detail}", where=where) from error
