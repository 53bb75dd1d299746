"""From what is typed to the action instances it can mean: ``action(param=value)``, a part of the parameters, a prefix."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import Any

from explorer.lang.actions import Param
from explorer.lang.errors import ModelError
from explorer.lang.run import Instance
from explorer.lang.system import System
from explorer.lang.text import parse_value
from explorer.trace.replay import describe, thread_of
from explorer.trace.script import find_action

_THREAD = re.compile(r"\s*(\w+)\s*:\s*(.*)", re.DOTALL)


def matching(text: str, every: Iterable[Instance], system: System[Any]) -> list[Instance]:
    """The instances that ``text`` can mean, in order. An action named in full is preferred to those that only begin like it.

    Raises ModelError where no action is meant, and for parameters that it does not have.
    """
    thread, call = _split(text)
    every = [i for i in every if thread is None or thread_of(i) == thread]
    parsed = _call(call)
    if parsed is not None:
        name, values = parsed
        return [i for i in _named(name, every, system) if _fits(i, values, system)]
    wanted = _squeezed(call)
    found = [i for i in every if _squeezed(i.text).startswith(wanted)]
    if not found:
        # Says what is wrong with the name, if that is it.
        name = call.partition("(")[0].strip()
        _named(name, every, system)
        raise ModelError(
            f"{text.strip()} begins no step of {name}", hint="write action(param=value)"
        )
    return found


def starting(text: str, every: Iterable[Instance]) -> list[str]:
    """How ``text`` can go on, for completion: the whole steps that begin with it."""
    thread, call = _split(text)
    wanted = _squeezed(call)
    return [
        describe(i) if thread is not None else i.text
        for i in every
        if (thread is None or thread_of(i) == thread) and _squeezed(i.text).startswith(wanted)
    ]


def arguments(
    name: str, params: tuple[Param, ...], call: str, system: System[Any]
) -> tuple[tuple[int, object], ...]:
    """The parameters that ``name(...)`` gives, by position. Raises ModelError for any that does not fit."""
    parsed = _call(call)
    if parsed is None:
        raise ModelError(f"{call.strip()} is no call", hint=f"write {name}(param=value)")
    return _given(name, params, parsed[1], system)


def _split(text: str) -> tuple[str | None, str]:
    """The thread in front, if there is one, and the rest."""
    found = _THREAD.fullmatch(text)
    if found is None or "(" in text[: found.start(2)]:
        return None, text
    return found[1], found[2]


def _call(text: str) -> tuple[str, list[tuple[str | None, str]]] | None:
    """Name and arguments of a whole call, those without a name under None; None for anything else."""
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return None
    given: list[tuple[str | None, str]] = [(None, ast.unparse(a)) for a in node.args]
    return node.func.id, given + [(k.arg or "**", ast.unparse(k.value)) for k in node.keywords]


def _named(name: str, every: Iterable[Instance], system: System[Any]) -> list[Instance]:
    """The instances of the action called ``name``, else of those that begin so."""
    every = list(every)
    exact = [i for i in every if i.action.name == name]
    found = exact or [i for i in every if name and i.action.name.startswith(name)]
    if not found:
        find_action(system, name)
    return found


def _fits(instance: Instance, given: list[tuple[str | None, str]], system: System[Any]) -> bool:
    pairs = _given(instance.action.name, instance.action.params, given, system)
    return all(instance.values[at] == value for at, value in pairs)


def _given(
    name: str,
    params: tuple[Param, ...],
    given: list[tuple[str | None, str]],
    system: System[Any],
) -> tuple[tuple[int, object], ...]:
    names = [p.name for p in params]
    shape = f"it is {name}({', '.join(names)})"
    result: dict[int, object] = {}
    for number, (param, text) in enumerate(given):
        if param is None and number >= len(names):
            raise ModelError(f"{name} has {len(names)} parameters", hint=shape)
        if param is not None and param not in names:
            raise ModelError(f"{name} has no parameter {param}", hint=shape)
        at = number if param is None else names.index(param)
        if at in result:
            raise ModelError(f"{names[at]} is given twice", hint=shape)
        try:
            result[at] = parse_value(params[at].type, text, system.scope)
        except ModelError as error:
            raise ModelError(f"{names[at]}: {error.message}", hint=error.hint) from None
    return tuple(result.items())


def _squeezed(text: str) -> str:
    return "".join(text.split())
