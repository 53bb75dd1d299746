"""Fairness: which steps a run does not put off for ever."""

from __future__ import annotations

import difflib
import enum
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from explorer.lang.actions import Action, is_action, is_name
from explorer.lang.errors import ModelError
from explorer.lang.text import format_value
from explorer.lang.types import EnumT

By: TypeAlias = Literal["together", "each", "thread", "threads"]


@dataclass(frozen=True)
class Fair:
    """A declaration, before it is known which instances there are: of these actions, or of a thread, or of all threads."""

    strong: bool
    by: By
    actions: tuple[str, ...] = ()
    thread: enum.Enum | None = None

    def __str__(self) -> str:
        """As it is declared."""
        method = "" if self.by == "together" else f".{self.by}"
        given = [f'"{name}"' for name in self.actions]
        given += [] if self.thread is None else [str(self.thread)]
        return f"{'strong' if self.strong else 'weak'}{method}({', '.join(given)})"


@dataclass(frozen=True)
class FairSet:
    """Instances, by their numbers in ``run.instances``, that runs are fair to as a whole.

    Weak: a run takes one of them again and again, unless again and again none is enabled. Strong: a run takes one of
    them again and again, if again and again one is enabled.
    """

    name: str
    strong: bool
    instances: frozenset[int]


class _Fairness:
    """``weak`` or ``strong``."""

    def __init__(self, strong: bool) -> None:
        self._strong = strong

    def __call__(self, *actions: str | Callable[..., Any]) -> Fair:
        """Fair to these actions together: to take any instance of any of them is enough."""
        return Fair(self._strong, "together", self._names(actions))

    def each(self, *actions: str | Callable[..., Any]) -> Fair:
        """Fair to every instance of these actions, one by one."""
        return Fair(self._strong, "each", self._names(actions))

    def thread(self, thread: enum.Enum) -> Fair:
        """Fair to a thread: to take any of its steps is enough."""
        if not isinstance(thread, enum.Enum):
            raise ModelError(
                f"{self}.thread({thread!r}) names no thread",
                hint="give an Enum member, or write threads() for every thread",
            )
        return Fair(self._strong, "thread", thread=thread)

    def threads(self) -> Fair:
        """Fair to every thread."""
        return Fair(self._strong, "threads")

    def _names(self, actions: Sequence[str | Callable[..., Any]]) -> tuple[str, ...]:
        if not actions:
            raise ModelError(
                f"{self}() names no action",
                hint=f'write {self}("step"), or {self}.threads() for all steps by thread',
            )
        return tuple(self._name(a) for a in actions)

    def _name(self, action: str | Callable[..., Any]) -> str:
        if isinstance(action, str):
            return action
        if is_action(action):
            return action.__name__
        raise ModelError(f"{self} is about actions, not {action!r}", hint="give their names")

    def __str__(self) -> str:
        return "strong" if self._strong else "weak"


weak = _Fairness(strong=False)
"""Weak fairness, of actions together, of ``each`` instance, of a ``thread``, of all ``threads``."""

strong = _Fairness(strong=True)
"""Strong fairness, of the same."""


def check_fairness(declared: object, actions: Sequence[Action], owner: str) -> tuple[Fair, ...]:
    """``declared`` as declarations that fit the actions. Raises ModelError."""
    if not isinstance(declared, (tuple, list)) or not all(isinstance(f, Fair) for f in declared):
        raise ModelError(
            f"the fairness of {owner} is {declared!r}",
            hint='write fairness = (weak("step"), strong.each("take"), weak.threads())',
        )
    names = [a.name for a in actions]
    for fair in declared:
        for name in fair.actions:
            if name not in names:
                alike = difflib.get_close_matches(name, names, n=1)
                raise ModelError(
                    f"the fairness of {owner} is about {name}, which is no action",
                    hint=f"did you mean {alike[0]}?" if alike else f"there is {', '.join(names)}",
                )
        if fair.by in ("thread", "threads") and not any(a.thread is not None for a in actions):
            raise ModelError(
                f"the fairness of {owner} is about threads, and no action has one",
                hint="write @action(thread=...)",
            )
        if fair.by == "thread" and not any(_takes(fair.thread, action) for action in actions):
            raise ModelError(
                f"the fairness of {owner} is about the thread {fair.thread}, which takes no action",
                hint="write weak.threads() for every thread that does",
            )
    return tuple(declared)


def fair_sets(declared: Iterable[Fair], instances: Sequence[Any]) -> tuple[FairSet, ...]:
    """The sets of instances that declarations mean, each once, in order; ``instances`` are those of a system."""
    found: dict[tuple[bool, frozenset[int]], FairSet] = {}
    for fair in declared:
        for name, members in _sets(fair, instances):
            found.setdefault((fair.strong, members), FairSet(name, fair.strong, members))
    return tuple(s for s in found.values() if s.instances)


def _sets(fair: Fair, instances: Sequence[Any]) -> Iterator[tuple[str, frozenset[int]]]:
    kind = "strong" if fair.strong else "weak"
    of_actions = [i for i, x in enumerate(instances) if x.action.name in fair.actions]
    if fair.by == "together":
        yield f"{kind} {', '.join(fair.actions)}", frozenset(of_actions)
    elif fair.by == "each":
        for i in of_actions:
            yield f"{kind} {instances[i].text}", frozenset([i])
    else:
        # With its type: members of different IntEnums are equal, and so are 1 and True.
        threads = [(type(t), t) for t in (x.thread for x in instances)]
        wanted = dict.fromkeys(threads)
        if fair.by == "thread":
            wanted = {(type(fair.thread), fair.thread): None}
        for key in wanted:
            thread = key[1]
            if thread is not None:
                members = frozenset(i for i, t in enumerate(threads) if t == key)
                yield f"{kind} {format_value(thread)}", members


def _takes(thread: object, action: Action) -> bool:
    """Whether a thread takes some instance of an action."""
    if is_name(action.thread):
        kind = next(p.type for p in action.params if p.name == action.thread)
        return isinstance(kind, EnumT) and isinstance(thread, kind.cls)
    return type(action.thread) is type(thread) and action.thread == thread
