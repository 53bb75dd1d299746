"""Formulas of linear temporal logic, printed in Spot's syntax."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from explorer.lang.errors import ModelError

_SMALLER = "state its conjuncts as properties of their own"


# Larger formulas than this are none that somebody wrote.
DEEPEST, LARGEST = 200, 10_000


class Formula:
    """A statement about a run. Combine formulas with ``&``, ``|``, ``~`` and ``implies``.

    ``depth`` is how deep it is nested; ``size`` how many parts it has, one that stands in several places counted in each.
    """

    depth: int
    size: int

    def __post_init__(self) -> None:
        inside = [part for part in vars(self).values() if isinstance(part, Formula)]
        object.__setattr__(self, "depth", 1 + max((part.depth for part in inside), default=0))
        object.__setattr__(self, "size", 1 + sum(part.size for part in inside))

    def __and__(self, other: object) -> Formula:
        return And(self, formula(other))

    def __rand__(self, other: object) -> Formula:
        return And(formula(other), self)

    def __or__(self, other: object) -> Formula:
        return Or(self, formula(other))

    def __ror__(self, other: object) -> Formula:
        return Or(formula(other), self)

    def __invert__(self) -> Formula:
        return Not(self)

    def implies(self, other: object) -> Formula:
        """``self -> other``."""
        return Or(Not(self), formula(other))

    def __bool__(self) -> bool:
        raise TypeError("a formula is no condition: combine formulas with &, |, ~ and implies")

    def __str__(self) -> str:
        return _show(self)


@dataclass(frozen=True)
class Constant(Formula):
    """``true`` or ``false``."""

    value: bool


TRUE = Constant(True)
FALSE = Constant(False)


@dataclass(frozen=True)
class Atom(Formula):
    """Something that holds in a state or does not. ``what`` is hashable; its ``str`` names it."""

    what: object


@dataclass(frozen=True)
class Not(Formula):
    """``!operand``."""

    operand: Formula


@dataclass(frozen=True)
class And(Formula):
    """``left & right``."""

    left: Formula
    right: Formula


@dataclass(frozen=True)
class Or(Formula):
    """``left | right``."""

    left: Formula
    right: Formula


@dataclass(frozen=True)
class Next(Formula):
    """``X operand``: after one step. A run that has stopped stays where it is."""

    operand: Formula


@dataclass(frozen=True)
class Until(Formula):
    """``left U right``: ``right`` some time, and ``left`` until then."""

    left: Formula
    right: Formula


@dataclass(frozen=True)
class Release(Formula):
    """``left R right``: ``right`` until ``left`` holds as well, or for ever."""

    left: Formula
    right: Formula


_to_atom: list[Callable[[object], Formula]] = []


def accept(convert: Callable[[object], Formula]) -> None:
    """Have ``formula`` ask ``convert`` about what is no formula yet. It raises what it has to say about other values."""
    _to_atom.append(convert)


def formula(value: object) -> Formula:
    """``value`` as a formula: one already, a bool, or a predicate."""
    if isinstance(value, Formula):
        return value
    if isinstance(value, bool):
        return TRUE if value else FALSE
    return _to_atom[-1](value)


def check_size(f: Formula) -> Formula:
    """``f``. Raises ModelError if it is nested more than 200 deep, or has more than 10,000 parts."""
    if f.depth > DEEPEST:
        raise ModelError(f"the formula is nested more than {DEEPEST} deep", hint=_SMALLER)
    if f.size > LARGEST:
        raise ModelError(f"the formula has more than {LARGEST:,} parts", hint=_SMALLER)
    return f


# The usual forms


def always(p: object) -> Formula:
    """``G p``."""
    return Release(FALSE, formula(p))


def eventually(p: object) -> Formula:
    """``F p``: some time, or now."""
    return Until(TRUE, formula(p))


def always_eventually(p: object) -> Formula:
    """``G F p``: again and again, for ever."""
    return always(eventually(p))


def eventually_always(p: object) -> Formula:
    """``F G p``: from some time on for ever."""
    return eventually(always(p))


def leads_to(p: object, q: object) -> Formula:
    """``G (p -> F q)``: whenever ``p`` holds, ``q`` holds then or later."""
    return always(formula(p).implies(eventually(q)))


def next_time(p: object) -> Formula:
    """``X p``."""
    return Next(formula(p))


def until(p: object, q: object) -> Formula:
    """``p U q``."""
    return Until(formula(p), formula(q))


def release(p: object, q: object) -> Formula:
    """``p R q``."""
    return Release(formula(p), formula(q))


def weak_until(p: object, q: object) -> Formula:
    """``p W q``: ``p`` until ``q`` holds, or for ever."""
    return Release(formula(q), Or(formula(p), formula(q)))


# Parts


def parts(f: Formula) -> tuple[Formula, ...]:
    """The formulas that ``f`` is made of, one level down."""
    match f:
        case Not(operand) | Next(operand):
            return (operand,)
        case And(left, right) | Or(left, right) | Until(left, right) | Release(left, right):
            return (left, right)
        case _:
            return ()


def atoms(f: Formula) -> tuple[Atom, ...]:
    """The atoms of ``f``, each once, in order of appearance."""
    return tuple(dict.fromkeys(g for g in subformulas(f) if isinstance(g, Atom)))


def subformulas(f: Formula) -> Iterator[Formula]:
    """``f`` and all that it is made of, on all levels, a formula before its parts and the left before the right."""
    waiting = [f]
    while waiting:
        found = waiting.pop()
        yield found
        waiting += reversed(parts(found))


def is_plain(f: Formula) -> bool:
    """Whether a formula is about one state alone."""
    return not any(isinstance(g, (Next, Until, Release)) for g in subformulas(f))


def replace_atoms(f: Formula, new: Callable[[Atom], Formula]) -> Formula:
    """``f`` with other formulas for its atoms."""
    match f:
        case Atom():
            return new(f)
        case Constant():
            return f
        case _:
            return type(f)(*(replace_atoms(part, new) for part in parts(f)))


# Text


def _show(f: Formula) -> str:
    match f:
        case Constant(value):
            return "true" if value else "false"
        case Atom(what):
            return _name(str(what))
        case Until(Constant(True), right):
            return f"F {_inner(right)}"
        case Release(Constant(False), right):
            return f"G {_inner(right)}"
        case Or(Not(left), right):
            return f"{_inner(left)} -> {_inner(right)}"
        case Not(operand):
            return f"!{_inner(operand)}"
        case Next(operand):
            return f"X {_inner(operand)}"
        case And(left, right):
            return f"{_inner(left)} & {_inner(right)}"
        case Or(left, right):
            return f"{_inner(left)} | {_inner(right)}"
        case Until(left, right):
            return f"{_inner(left)} U {_inner(right)}"
        case Release(left, right):
            return f"{_inner(left)} R {_inner(right)}"
    raise AssertionError(f)


def _inner(f: Formula) -> str:
    shown = _show(f)
    match f:
        case Constant() | Atom() | Not() | Next():
            return shown
        case Until(Constant(True), _) | Release(Constant(False), _):
            return shown
        case _:
            return f"({shown})"


RESERVED = frozenset(["G", "F", "X", "U", "R", "W", "M", "V", "true", "false", "xor"])


def _name(text: str) -> str:
    if text.isidentifier() and text not in RESERVED:
        return text
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{quoted}"'
