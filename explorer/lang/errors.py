"""Errors for people: what is wrong, where, and what to write instead."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Location:
    """A place in a source file: line from 1, column from 0; ``end_column`` ends the caret's underline."""

    file: str
    line: int
    column: int = 0
    end_column: int | None = None

    def render(self) -> str:
        """The source line with a caret under the place, or nothing when the file cannot be read."""
        source = linecache.getline(self.file, self.line).rstrip("\n")
        if not source.strip():
            return ""
        # ast counts columns in UTF-8 bytes; the caret has to count characters.
        raw = source.encode()
        start = len(raw[: self.column].decode(errors="replace"))
        end = len(raw[: self.end_column].decode(errors="replace")) if self.end_column else start + 1
        end = min(max(end, start + 1), max(len(source), start + 1))
        return f"    {source}\n    {' ' * start}{'^' * (end - start)}"


class ModelError(Exception):
    """A model, scope, design, trace, script or document that cannot be used as it stands.

    ``message`` says what is wrong, ``where`` points at the source if there is one, ``hint`` says what
    to write instead. The command reports it and exits with 2; a model with an error is never checked.
    """

    def __init__(self, message: str, *, where: Location | None = None, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint

    def render(self) -> str:
        """The whole error as text for a terminal."""
        lines = []
        if self.where is not None:
            lines.append(f"{self.where.file}:{self.where.line}: error: {self.message}")
            shown = self.where.render()
            if shown:
                lines.append(shown)
        else:
            lines.append(f"error: {self.message}")
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.render()


class ModelErrors(ModelError):
    """Several independent mistakes in one model. ``message``, ``where`` and ``hint`` are those of the first."""

    def __init__(self, errors: Sequence[ModelError]) -> None:
        first = errors[0]
        super().__init__(first.message, where=first.where, hint=first.hint)
        self.errors = tuple(errors)

    def render(self) -> str:
        """The errors one after the other, as far as anybody reads them."""
        shown = [error.render() for error in self.errors[:MOST_ERRORS]]
        if len(self.errors) > MOST_ERRORS:
            shown.append(f"and {len(self.errors) - MOST_ERRORS} more errors")
        return "\n\n".join(shown)


MOST_ERRORS = 20


def together(checks: Iterable[Callable[[], T]]) -> list[T]:
    """The results of all checks. Raises the errors of those that fail, by file and line, each once."""
    results: list[T] = []
    errors: dict[tuple[object, str], ModelError] = {}
    for check in checks:
        try:
            results.append(check())
        except ModelError as error:
            for single in error.errors if isinstance(error, ModelErrors) else (error,):
                errors.setdefault((single.where, single.message), single)
    if errors:
        found = sorted(errors.values(), key=_place)
        raise found[0] if len(found) == 1 else ModelErrors(found)
    return results


def _place(error: ModelError) -> tuple[str, int, int]:
    where = error.where
    return ("", 0, 0) if where is None else (where.file, where.line, where.column)
