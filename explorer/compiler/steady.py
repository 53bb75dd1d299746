"""Constants of a module that may be others each time it is loaded: with them no verdict means anything."""

from __future__ import annotations

import ast
import builtins
import importlib.util
import linecache
import sys
import types
from collections.abc import Iterator, Mapping

from explorer.compiler.source import module_tree, source_text

# What asks the world outside the program.
_MODULES = frozenset(["datetime", "os", "platform", "random", "secrets", "socket", "time", "uuid"])
_BUILTINS = (builtins.hash, builtins.id, builtins.input, builtins.open)


def unsteady(namespace: Mapping[str, object], name: str) -> str | None:
    """The source of what a module assigns to ``name``, if that asks for the time, a random number or the like."""
    return _Search().constant(namespace, name)


class _Search:
    def __init__(self) -> None:
        self._seen: set[tuple[int, str]] = set()

    def constant(self, namespace: Mapping[str, object], name: str) -> str | None:
        if (id(namespace), name) in self._seen:
            return None
        self._seen.add((id(namespace), name))
        for statement in _statements(_tree(namespace).body):
            if isinstance(statement, ast.ImportFrom):
                for alias in statement.names:
                    if (alias.asname or alias.name) == name:
                        found = self._imported(namespace, statement, alias.name)
                        if found is not None:
                            return found
            elif _assigns(statement, name) and self._asks(namespace, statement):
                return source_text(statement)
        return None

    def _imported(
        self, namespace: Mapping[str, object], statement: ast.ImportFrom, name: str
    ) -> str | None:
        module = "." * statement.level + (statement.module or "")
        package = namespace.get("__package__")
        try:
            full = importlib.util.resolve_name(module, package if isinstance(package, str) else "")
        except ImportError:
            return None
        loaded = sys.modules.get(full)
        return None if loaded is None else self.constant(vars(loaded), name)

    def _asks(self, namespace: Mapping[str, object], node: ast.AST) -> bool:
        """Whether code of a module uses something that may answer differently the next time."""
        for part in ast.walk(node):
            if not isinstance(part, ast.Name):
                continue
            value = namespace.get(part.id, getattr(builtins, part.id, None))
            if _is_outside(value):
                return True
            if isinstance(value, types.FunctionType) and value.__globals__ is namespace:
                if self._function(namespace, part.id):
                    return True
            elif isinstance(value, int | float | str | tuple):
                if self.constant(namespace, part.id) is not None:
                    return True
        return False

    def _function(self, namespace: Mapping[str, object], name: str) -> bool:
        if (id(namespace), f"{name}()") in self._seen:
            return False
        self._seen.add((id(namespace), f"{name}()"))
        return any(
            isinstance(node, ast.FunctionDef) and node.name == name and self._asks(namespace, node)
            for node in _tree(namespace).body
        )


def _tree(namespace: Mapping[str, object]) -> ast.Module:
    """The source of a module; nothing where it cannot be read."""
    file = namespace.get("__file__")
    text = "".join(linecache.getlines(file)) if isinstance(file, str) else ""
    try:
        return module_tree(str(file), text)
    except SyntaxError:
        return ast.Module([], [])


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run when a module is loaded."""
    for statement in body:
        yield statement
        if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for part in ast.iter_child_nodes(statement):
                if isinstance(part, ast.stmt):
                    yield from _statements([part])


def _assigns(statement: ast.stmt, name: str) -> bool:
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign | ast.AugAssign):
        targets = [statement.target]
    names = (part for target in targets for part in ast.walk(target))
    return any(isinstance(part, ast.Name) and part.id == name for part in names)


def _is_outside(value: object) -> bool:
    if isinstance(value, types.ModuleType):
        return value.__name__.partition(".")[0] in _MODULES
    # A bound method, as random.randint is one, belongs to its class's module.
    owner = getattr(value, "__module__", None) or type(getattr(value, "__self__", None)).__module__
    known = any(value is builtin for builtin in _BUILTINS)
    return callable(value) and (known or str(owner).partition(".")[0] in _MODULES)
