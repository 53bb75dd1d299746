"""The lowered program: a system in one scope as scalar expressions over the leaves of its state.

This is what native code and SMT terms are made from. It knows no Python source and no types.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from explorer.compiler.dag import Dag, Node


@dataclass(frozen=True)
class Leaf:
    """One number of the state.

    ``path`` reads like the model (``slots[SlotRef0].as_of``); values are ``low..high``; ``ordinal`` names the
    Ordinal class whose values it holds, so that proofs can make it an unbounded integer.
    """

    path: str
    low: int
    high: int
    is_bool: bool
    ordinal: str | None = None


@dataclass(frozen=True)
class Failure:
    """A condition under which a step (or a property's evaluation) fails, by the failure's number."""

    condition: Node
    failure: int


@dataclass(frozen=True)
class Transition:
    """One action, for one choice of parameters (constants) or for all of them (``param`` nodes).

    ``disabled`` excludes everything else. ``failures`` (panic, assert, range, full, ...) and ``cuts`` (a scope used up)
    end the step and exclude each other; ``soft`` failures do not end it. If none of disabled, failures and cuts holds, the
    step leads to the state with ``updates`` applied to the leaves (those not named are unchanged). Conditions
    speak of the state before the step.
    """

    action: int
    disabled: Node
    failures: tuple[Failure, ...]
    soft: tuple[Failure, ...]
    cuts: tuple[Failure, ...]
    updates: dict[int, Node] = field(hash=False)


@dataclass(frozen=True)
class Predicate:
    """A property's truth value. ``failures``: evaluating it fails (a panic or a None inside a property).

    A step invariant reads the state after the step through leaves of root 1.
    """

    name: str
    kind: str
    holds: Node
    failures: tuple[Failure, ...]


@dataclass(frozen=True)
class ActionInfo:
    """An action's name and, per parameter, its name and how many values it has (parameter nodes are 0..n-1)."""

    name: str
    params: tuple[tuple[str, int], ...]


@dataclass
class Program:
    """A lowered system.

    ``instances`` lists (action, parameter indices) in declaration order, parameters in lexicographic order of their
    domains; ``transitions[i]`` belongs to ``instances[i]``. ``failure_names`` and ``cut_names`` are what the numbers in
    Failure mean. ``switches`` are (name, low, high); their values are given per run. ``labels`` are the atoms of temporal
    properties, evaluated on one state.
    """

    dag: Dag
    leaves: tuple[Leaf, ...]
    switches: tuple[tuple[str, int, int], ...]
    actions: tuple[ActionInfo, ...]
    instances: tuple[tuple[int, tuple[int, ...]], ...]
    transitions: tuple[Transition, ...]
    final: Predicate
    predicates: tuple[Predicate, ...]
    failure_names: tuple[str, ...]
    cut_names: tuple[str, ...]
    labels: tuple[Predicate, ...] = ()
