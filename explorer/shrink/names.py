"""Names of sorts, renamed to the first of their kind in order of appearance."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from explorer.lang.errors import ModelError
from explorer.lang.run import Instance
from explorer.lang.system import System, needed_scope, ordinals_of
from explorer.lang.types import RecordT, SortT, walk
from explorer.shrink.run import Run, Text, parsed


def renamings(run: Run) -> Iterator[tuple[tuple[object, ...], tuple[Instance, ...]]]:
    """The run under other names, the most thorough renaming first: of all sorts, then of each alone."""
    system = run.system
    init, steps = run.text()
    texts = [*init.values(), *(v for _, params in steps for v in params.values())]
    found = {sort: new for sort in sorts_of(system) if (new := first_names(sort, texts))}
    for chosen in (found, *({s: found[s]} for s in found)) if len(found) > 1 else (found,):
        if chosen:
            rename = renamer(chosen)
            try:
                yield parsed(system, renamed(init, rename), renamed_steps(steps, rename))
            except ModelError:
                continue


def sorts_of(system: System[Any]) -> tuple[str, ...]:
    """The sorts in the scope of a system."""
    types = [RecordT(system.state_type), *(p.type for a in system.actions for p in a.params)]
    sorts = {p.cls.__name__ for t in types for p in walk(t) if isinstance(p, SortT)}
    known = set(needed_scope(type(system))) - ordinals_of(type(system))
    return tuple(n for n in system.scope if n in sorts and n in known)


def first_names(sort: str, texts: list[str]) -> dict[str, str]:
    """Which name of a sort becomes which, in order of appearance; empty if each stays."""
    pattern = re.compile(rf"\b{re.escape(sort)}\d+\b")
    seen = dict.fromkeys(name for text in texts for name in pattern.findall(text))
    new = {name: f"{sort}{i}" for i, name in enumerate(seen)}
    return {} if all(a == b for a, b in new.items()) else new


def renamer(names: Mapping[str, Mapping[str, str]]) -> Callable[[str], str]:
    """A function on text that renames the names of sorts."""
    sorts = "|".join(map(re.escape, names))
    pattern = re.compile(rf"\b({sorts})(\d+)\b")

    def rename(text: str) -> str:
        return pattern.sub(lambda m: names[m[1]].get(m[0], m[0]), text)

    return rename


def renamed(params: Mapping[str, str], rename: Callable[[str], str]) -> dict[str, str]:
    """Parameters under other names."""
    return {name: rename(value) for name, value in params.items()}


def renamed_steps(steps: tuple[Text, ...], rename: Callable[[str], str]) -> tuple[Text, ...]:
    """Steps under other names."""
    return tuple((action, renamed(params, rename)) for action, params in steps)


__all__ = ["first_names", "renamer", "renamings", "sorts_of"]
