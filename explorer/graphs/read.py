"""Reads a labelled graph from JSON.

    {"initial": ["a"], "edges": [["a", "step", "b"], ["b", "step", "a"]], "labels": {"p": ["b"]},
     "weak": [["step"]], "strong": [], "stuttering": false}

``edges`` are triples: from, action, to. ``labels`` says for each atom in which states it holds. ``weak`` and ``strong``
are lists of sets of actions; a set is fair as a whole. ``stuttering`` says whether a run may stop in any state; one
without a successor is repeated for ever in any case. Only ``initial`` and ``edges`` are needed; as in a system, a run may stop
anywhere unless ``stuttering`` is false. ``states`` may list all states: then every other name is refused.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from explorer.files import read_text
from explorer.lang.errors import Location, ModelError

_WHAT = "a labelled graph"
_KEYS = ("states", "initial", "edges", "labels", "weak", "strong", "stuttering")
_EXAMPLE = '{"initial": ["a"], "edges": [["a", "step", "b"]], "labels": {"p": ["b"]}}'
# Of a value that is not what it should be, so much is shown.
_SHOWN = 60


@dataclass(frozen=True)
class LabelledGraph:
    """What a file says. States and actions are numbered in order of appearance; an edge given twice counts once.

    ``warnings`` are about names that may be misspelt.
    """

    name: str
    states: tuple[str, ...]
    actions: tuple[str, ...]
    initial: tuple[int, ...]
    edges: tuple[tuple[int, int, int], ...]
    labels: tuple[tuple[str, frozenset[int]], ...]
    weak: tuple[frozenset[int], ...]
    strong: tuple[frozenset[int], ...]
    stuttering: bool
    warnings: tuple[str, ...] = ()


def read_graph(path: Path) -> LabelledGraph:
    """The graph in a file. Raises ModelError that says where the file is wrong, and how."""
    text = read_text(path, _WHAT)
    try:
        data = json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        where = Location(str(path), error.lineno, max(error.colno - 1, 0))
        raise ModelError(
            f"this is no JSON: {error.msg}", where=where, hint=f"a graph is {_EXAMPLE}"
        ) from None
    except _Twice as error:
        raise ModelError(f"{path}: the key {json.dumps(error.args[0])} is there twice") from None
    except (RecursionError, ValueError):
        raise ModelError(f"{path} is not {_WHAT}: its JSON cannot be read") from None
    return _Reader(path).graph(data)


class _Twice(ValueError):
    """A key of an object is repeated."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _Twice(key)
        found[key] = value
    return found


class _Names:
    """States or actions, numbered in order of appearance."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.numbers: dict[str, int] = {}
        self.closed = False

    def add(self, name: str) -> int:
        """The number of a name, which may be new."""
        return self.numbers.setdefault(name, len(self.numbers))

    def like(self, name: str) -> str:
        """A hint at a known name."""
        alike = get_close_matches(name, self.numbers, n=1)
        return f"did you mean {json.dumps(alike[0])}?" if alike else ""


class _Reader:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.states = _Names("state")
        self.actions = _Names("action")
        self.warnings: list[str] = []

    def graph(self, data: Any) -> LabelledGraph:
        if not isinstance(data, dict):
            self.refuse(f"a graph is an object, not {_shown(data)}", f"write {_EXAMPLE}")
        for key in data:
            if key not in _KEYS:
                alike = get_close_matches(key, _KEYS, n=1)
                hint = f"did you mean {alike[0]!r}?" if alike else f"there is {', '.join(_KEYS)}"
                self.refuse(f"there is no key {json.dumps(key)} in a graph", hint)
        for key in ("initial", "edges"):
            if key not in data:
                self.refuse(f'"{key}" is missing', f"write {_EXAMPLE}")
        if "states" in data:
            for name in self.names(data["states"], "states"):
                self.states.add(name)
            self.states.closed = True
        initial = [
            self.number(self.states, s, "initial") for s in self.names(data["initial"], "initial")
        ]
        if not initial:
            self.refuse("initial is empty: there is no run", 'write "initial": ["a"]')
        edges = [
            self.edge(e, f"edges[{i}]") for i, e in enumerate(self.items(data["edges"], "edges"))
        ]
        ends = {state for start, _, end in edges for state in (start, end)}
        for name, state in zip(data["initial"], initial, strict=True):
            if edges and state not in ends and not self.states.closed:
                self.warnings.append(
                    f"initial names the state {json.dumps(name)}, which no edge has"
                )
        stuttering = data.get("stuttering", True)
        if not isinstance(stuttering, bool):
            self.refuse(f"stuttering is {_shown(stuttering)}", "write true or false")
        weak, strong = (self.sets(data.get(kind, []), kind) for kind in ("weak", "strong"))
        return LabelledGraph(
            name=str(self.path),
            labels=self.labels(data.get("labels", {})),
            states=tuple(self.states.numbers),
            actions=tuple(self.actions.numbers),
            initial=tuple(dict.fromkeys(initial)),
            edges=tuple(dict.fromkeys(edges)),
            weak=weak,
            strong=strong,
            stuttering=stuttering,
            warnings=tuple(dict.fromkeys(self.warnings)),
        )

    def edge(self, edge: Any, where: str) -> tuple[int, int, int]:
        if not isinstance(edge, list) or len(edge) != 3:
            self.refuse(f"{where} is {_shown(edge)}", 'an edge is ["from", "action", "to"]')
        start, action, end = self.names(edge, where)
        return (
            self.number(self.states, start, where),
            self.actions.add(action),
            self.number(self.states, end, where),
        )

    def labels(self, data: Any) -> tuple[tuple[str, frozenset[int]], ...]:
        if not isinstance(data, dict):
            self.refuse(f"labels is {_shown(data)}", 'write "labels": {"p": ["a", "b"]}')
        return tuple(
            (atom, self.members(self.states, names, f"labels[{json.dumps(atom)}]"))
            for atom, names in data.items()
        )

    def sets(self, value: Any, where: str) -> tuple[frozenset[int], ...]:
        """Sets of actions, each once; an empty one demands nothing."""
        found = [
            self.members(self.actions, names, f"{where}[{i}]")
            for i, names in enumerate(self.items(value, where))
        ]
        return tuple(s for s in dict.fromkeys(found) if s)

    def members(self, known: _Names, value: Any, where: str) -> frozenset[int]:
        """Names in a set. One that is nowhere else is taken for a state without edges, or an action that nothing does."""
        names = self.names(value, where)
        for name in names:
            if name not in known.numbers and not known.closed:
                what = f"{where} names the {known.what} {json.dumps(name)}, which no edge has"
                like = known.like(name)
                self.warnings.append(f"{what}: {like}" if like else what)
        return frozenset(self.number(known, name, where) for name in names)

    def number(self, known: _Names, name: str, where: str) -> int:
        if known.closed and name not in known.numbers:
            what = f"{where} names the {known.what} {json.dumps(name)}, which is not among the {known.what}s"
            self.refuse(what, known.like(name))
        return known.add(name)

    def names(self, value: Any, where: str) -> Sequence[str]:
        names = self.items(value, where)
        for name in names:
            if not isinstance(name, str):
                self.refuse(f"{where} has {_shown(name)}, which is no name", 'a name is text: "a"')
        return names

    def items(self, value: Any, where: str) -> list[Any]:
        if not isinstance(value, list):
            self.refuse(
                f"{where} is {_shown(value)}, no list",
                f'write "{where}": [...]' if where in _KEYS else "",
            )
        return value

    def refuse(self, problem: str, hint: str = "") -> NoReturn:
        raise ModelError(f"{self.path}: {problem}", hint=hint)


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
