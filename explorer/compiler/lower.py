"""Lowers a system and its properties, in one scope, to a Program of scalar expressions."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from explorer.compiler import tree
from explorer.compiler.dag import Dag, Node
from explorer.compiler.elaborate import Elaborator
from explorer.compiler.frontend import Frontend
from explorer.compiler.layout import Flat, Layout
from explorer.compiler.machine import Candidate, Events, Local, Machine, Place, Value
from explorer.compiler.program import ActionInfo, Failure, Predicate, Program, Transition
from explorer.lang.errors import ModelError, together
from explorer.lang.properties import Property, properties_for
from explorer.lang.run import Action, actions_of, initial_states
from explorer.lang.system import System
from explorer.lang.temporal import Bound, argument_types, temporal_instances
from explorer.lang.temporal import Instance as Temporal
from explorer.lang.types import BoolT, MapT, PoolT, RecordT, Type, fields_of, is_scalar


class Numbering:
    """Numbers names in order of first appearance."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __call__(self, name: str) -> int:
        return self.numbers.setdefault(name, len(self.numbers))


@dataclass(frozen=True)
class Lowered:
    """A Program with its ties to the Python model.

    ``properties`` are those of states and steps, which the program's predicates are. ``temporal`` are those of runs, one entry for
    each choice of parameters; the atoms of their formulas are ``labels``, in the order of the program's labels.
    ``initial`` are the initial states, computed by CPython: the choice of init's parameters and the leaves, the
    first choice for each state, in order.
    """

    system: System[Any]
    properties: tuple[Property, ...]
    temporal: tuple[tuple[Property, Temporal], ...]
    labels: tuple[Bound, ...]
    program: Program
    switch_values: tuple[int, ...]
    initial: tuple[tuple[tuple[object, ...], Flat], ...]
    flatten: Callable[[Any], Flat]
    symbolic: Callable[[], tuple[Transition, ...]]


def lower(system: System[Any], properties: Sequence[Property] | None = None) -> Lowered:
    """The program of ``system`` and of ``properties`` (by default all that apply to it).

    Raises ModelError for a model that is outside the language, ill-typed, or too large in this scope.
    """
    chosen = tuple(properties_for(system) if properties is None else properties)
    return _lowering(type(system), tuple(system.scope.items()), chosen, _Key(system)).lowered(
        system
    )


@dataclass(frozen=True)
class _Key:
    """A system that serves for any of its class and scope: what is lowered does not depend on the design."""

    system: System[Any]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key)

    def __hash__(self) -> int:
        return 0


@functools.lru_cache(maxsize=8)
def _lowering(
    cls: type[System[Any]],
    scope: tuple[tuple[str, int], ...],
    properties: tuple[Property, ...],
    key: _Key,
) -> _Lowering:
    with _room():
        return _Lowering(key.system, properties)


DEEPEST = 6_000
"""Python's limit of recursion while a model is compiled: a sum of a hundred terms is a hundred levels deep."""


@contextlib.contextmanager
def _room() -> Iterator[None]:
    """Allows for deep terms. Raises ModelError where they are too deep still."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, DEEPEST))
    try:
        yield
    except RecursionError:
        raise ModelError(
            "this model has terms or branches that are nested too deeply to compile",
            hint="split long sums, conditions and chains of elif into helpers or loops",
        ) from None
    finally:
        sys.setrecursionlimit(limit)


class _Lowering:
    def __init__(self, system: System[Any], properties: tuple[Property, ...]) -> None:
        self.system = system
        self.properties = tuple(p for p in properties if p.kind != "temporal")
        self.temporal = tuple(
            (p, instance)
            for p in properties
            if p.kind == "temporal"
            for instance in temporal_instances(system, p)
        )
        self.labels = tuple(dict.fromkeys(b for _, i in self.temporal for b in i.atoms()))
        self.layout = Layout(system.scope)
        self.state = RecordT(system.state_type)
        self.size = self.layout.size(self.state)
        self.dag = Dag()
        self.leaves = tuple(self.layout.leaves(self.state))
        self.frontend = Frontend(system)
        self.failures, self.cuts = Numbering(), Numbering()
        self.sources = {
            root * self.size + i: self.dag.leaf(
                i, leaf.low, leaf.high, is_bool=leaf.is_bool, root=root
            )
            for root in (0, 1)
            for i, leaf in enumerate(self.leaves)
        }
        self.plain: dict[int, bool] = {}
        self.switches: dict[str, Node] = {}
        self.switch_infos: list[tuple[str, int, int]] = []
        for i, name in enumerate(self.frontend.switch_names()):
            kind = self.frontend.switch(name)
            assert kind is not None and not isinstance(kind, tree.NumberT)
            low, high = self.layout.limits(kind)  # type: ignore[arg-type] # switches are scalars
            is_bool = isinstance(kind, BoolT)
            self.switches[name] = self.dag.switch(i, low, high, is_bool=is_bool)
            self.switch_infos.append((name, low, high))
        self.program = self._program()
        self.symbolic = functools.cache(self._symbolic)

    def lowered(self, system: System[Any]) -> Lowered:
        """The program with its ties to a system of this class and scope, in that system's design."""
        return Lowered(
            system,
            self.properties,
            self.temporal,
            self.labels,
            self.program,
            self._switch_values(system),
            self._initial(system),
            self._flatten,
            self.symbolic,
        )

    def _program(self) -> Program:
        actions = actions_of(self.system)
        frontend = self.frontend
        checks: list[Callable[[], tree.Function]] = [
            *(functools.partial(frontend.action, a) for a in actions),
            frontend.final,
            frontend.init,
            *(functools.partial(frontend.property, p) for p in self.properties),
            *(functools.partial(frontend.predicate, b.function) for b in self.labels),
        ]
        checked = together(checks)
        functions, final_function = checked[: len(actions)], checked[len(actions)]
        property_functions = checked[len(actions) + 2 :][: len(self.properties)]
        label_functions = checked[len(checked) - len(self.labels) :]
        frontend.check()
        instances: list[tuple[int, Flat]] = []
        transitions: list[Transition] = []
        for number, (action, function) in enumerate(zip(actions, functions, strict=True)):
            domains = [self.layout.domain(p.type) for p in action.params]
            for indices in _product([len(d) for d in domains]):
                arguments = [
                    Value(self._constants(p.type, d[i]))
                    for p, d, i in zip(action.params, domains, indices, strict=True)
                ]
                instances.append((number, indices))
                transitions.append(self._transition(number, action, function, arguments))
        predicates = tuple(
            self._predicate(p, f) for p, f in zip(self.properties, property_functions, strict=True)
        )
        labels = tuple(map(self._label, self.labels, label_functions))
        final = self._final(final_function)
        return Program(
            self.dag,
            self.leaves,
            tuple(self.switch_infos),
            tuple(self._info(a) for a in actions),
            tuple(instances),
            tuple(transitions),
            final,
            predicates,
            tuple(self.failures.numbers),
            tuple(self.cuts.numbers),
            labels,
        )

    def _flatten(self, state: Any) -> Flat:
        return self.layout.flatten(self.state, state)

    def _initial(self, system: System[Any]) -> tuple[tuple[tuple[object, ...], Flat], ...]:
        found: dict[Flat, tuple[object, ...]] = {}
        for values, state in initial_states(system):
            found.setdefault(self._flatten(state), values)
        return tuple((values, flat) for flat, values in found.items())

    def _switch_values(self, system: System[Any]) -> Flat:
        result: list[int] = []
        for name in self.switches:
            kind = self.frontend.switch(name)
            value = getattr(system.design, name)
            result += self.layout.flatten(kind, value)  # type: ignore[arg-type]
        return tuple(result)

    def _info(self, action: Action) -> ActionInfo:
        sizes = ((p.name, len(self.layout.domain(p.type))) for p in action.params)
        return ActionInfo(action.name, tuple(sizes))

    def _constants(self, kind: Type, flat: Flat) -> tuple[Node, ...]:
        leaves = self.layout.leaves(kind)
        return tuple(
            self.dag.truth(bool(n)) if leaf.is_bool else self.dag.number(n)
            for leaf, n in zip(leaves, flat, strict=True)
        )

    # Execution

    def _machine(self, *, steps: bool) -> tuple[Machine, Elaborator]:
        machine = Machine(self.dag, self.sources.__getitem__, 2 * self.size, self.layout.size)
        elaborator = Elaborator(
            self.layout, self.dag, machine, self.switches, self.plain, steps=steps
        )
        return machine, elaborator

    def _place(self, offset: int) -> Place:
        return Place((Candidate(self.dag.true, offset, ""),))

    def _transition(
        self, number: int, action: Action, function: tree.Function, arguments: Sequence[Value]
    ) -> Transition:
        machine, elaborator = self._machine(steps=True)
        values = (
            Value(elaborator.ops.loosened(p.type, a.nodes))
            for p, a in zip(action.params, arguments, strict=True)
        )
        kinds = (p.type for p in action.params)
        elaborator.ops.surround(
            self.state, ((k, a.nodes) for k, a in zip(kinds, arguments, strict=True))
        )
        elaborator.call(function, [None, self._place(0), *values])
        events = machine.events
        updates = {
            offset: node
            for offset, node in sorted(machine.store.items())
            if offset < self.size and node is not self.sources[offset]
        }
        return Transition(
            number,
            self.dag.any(events.disabled),
            self._failures(events.failures, self.failures),
            self._failures(events.soft, self.failures),
            self._failures(events.cuts, self.cuts),
            updates,
        )

    @staticmethod
    def _failures(events: Iterable[tuple[Node, str]], numbering: Numbering) -> tuple[Failure, ...]:
        return tuple(Failure(c, numbering(name)) for c, name in events if not c.is_const or c.value)

    def _symbolic(self) -> tuple[Transition, ...]:
        """One transition per action, its parameters as ``param`` nodes."""
        known = len(self.failures.numbers), len(self.cuts.numbers)
        result = []
        pairs = zip(actions_of(self.system), self.frontend.actions(), strict=True)
        with _room():
            for number, (action, function) in enumerate(pairs):
                arguments = [self._param(i, p.type) for i, p in enumerate(action.params)]
                result.append(self._transition(number, action, function, arguments))
        # What only shows with open parameters cannot happen for any of their values.
        assert (len(self.failures.numbers), len(self.cuts.numbers)) >= known
        self.program.failure_names = tuple(self.failures.numbers)
        self.program.cut_names = tuple(self.cuts.numbers)
        return tuple(result)

    def _param(self, index: int, kind: Type) -> Value:
        """A parameter that ranges over its whole domain."""
        dag = self.dag
        domain = self.layout.domain(kind)
        node = dag.param(index, 0, len(domain) - 1)
        if is_scalar(kind) and not isinstance(kind, BoolT):
            return Value((dag.add(node, dag.number(domain[0][0])),))
        nodes = self._constants(kind, domain[-1])
        for i in reversed(range(len(domain) - 1)):
            chosen = dag.eq(node, dag.number(i))
            pairs = zip(self._constants(kind, domain[i]), nodes, strict=True)
            nodes = tuple(dag.ite(chosen, a, b) for a, b in pairs)
        return Value(nodes)

    # Properties

    def _predicate(self, prop: Property, function: tree.Function) -> Predicate:
        # CPython stops at the first occurrence that decides, so what comes after it cannot fail.
        wanted = prop.kind == "reachable"
        roots = (0, 1) if prop.kind == "step_invariant" else (0,)
        undecided = self.dag.true
        results: list[Node] = []
        failures: list[tuple[Node, str]] = []
        for place in _occurrences(self.state, prop.record, self.layout, _Occurrence(0)):
            machine, elaborator = self._machine(steps=False)
            arguments = [self._place(root * self.size + place.offset) for root in roots]
            result = self._result(elaborator.call(function, arguments))
            there = self.dag.all(
                self.sources[root * self.size + flag] for root in roots for flag in place.allocated
            )
            asked = self.dag.and_(undecided, there)
            failures += [(self.dag.and_(asked, c), name) for c, name in _ends(machine.events)]
            decides = self.dag.and_(there, result if wanted else self.dag.not_(result))
            undecided = self.dag.and_(undecided, self.dag.not_(decides))
            results.append(decides if wanted else self.dag.not_(decides))
        holds = self.dag.any(results) if wanted else self.dag.all(results)
        return Predicate(prop.name, prop.kind, holds, self._failures(failures, self.failures))

    def _label(self, bound: Bound, function: tree.Function) -> Predicate:
        """What an atom of a temporal property says about a state."""
        machine, elaborator = self._machine(steps=False)
        arguments = []
        for value, kind in zip(bound.arguments, argument_types(bound.function), strict=True):
            nodes = self._constants(kind, self.layout.flatten(kind, value))
            arguments.append(Value(elaborator.ops.loosened(kind, nodes)))
        result = self._result(
            elaborator.call(function, [self._place(self._offset(bound)), *arguments])
        )
        failures = self._failures(_ends(machine.events), self.failures)
        return Predicate(str(bound), "label", result, failures)

    def _offset(self, bound: Bound) -> int:
        """The first leaf of the record that a predicate is about."""
        kind: Type = self.state
        offset, keys = 0, iter(bound.place.keys)
        for name in bound.place.path:
            match kind:
                case RecordT(cls) if name is not None:
                    distance, kind = self.layout.field(cls, name)
                    offset += distance
                case MapT(key, value):
                    number = self.layout.domain(key).index(self.layout.flatten(key, next(keys)))
                    offset += number * self.layout.size(value)
                    kind = value
        return offset

    def _final(self, function: tree.Function) -> Predicate:
        machine, elaborator = self._machine(steps=False)
        result = self._result(elaborator.call(function, [None, self._place(0)]))
        failures = self._failures(_ends(machine.events), self.failures)
        return Predicate("is_final", "final", result, failures)

    def _result(self, local: Local | None) -> Node:
        if local is None:  # every path fails
            return self.dag.false
        assert isinstance(local, Value)
        return local.nodes[0]


def _ends(events: Events) -> list[tuple[Node, str]]:
    """Everything that keeps a property from being evaluated."""
    return events.failures + events.soft + events.cuts


@dataclass(frozen=True)
class _Occurrence:
    """Where a state has a record: its first leaf, and the leaves that say whether the pools' entries around it are
    allocated."""

    offset: int
    allocated: tuple[int, ...] = ()


def _occurrences(
    kind: Type, record: type[Any], layout: Layout, here: _Occurrence
) -> Iterator[_Occurrence]:
    """All records of the class (or of one that derives from it) in a value, in the order of ``properties.places``.

    A derived record starts with the fields of its base.
    """

    def inside(value: Type, distance: int, *allocated: int) -> Iterator[_Occurrence]:
        there = _Occurrence(here.offset + distance, (*here.allocated, *allocated))
        return _occurrences(value, record, layout, there)

    match kind:
        case RecordT(cls) if not kind.frozen:
            if issubclass(cls, record):
                yield here
            distance = 0
            for field in fields_of(cls):
                yield from inside(field.type, distance)
                distance += layout.size(field.type)
        case MapT(key, value):
            for i in range(len(layout.domain(key))):
                yield from inside(value, i * layout.size(value))
        case PoolT(ref, value):
            for i in range(len(layout.domain(ref))):
                flag = i * (1 + layout.size(value))
                yield from inside(value, flag + 1, here.offset + flag)
        case _:
            pass


def _product(sizes: Sequence[int]) -> Iterator[Flat]:
    """All index tuples, the first one slowest."""
    if not sizes:
        yield ()
        return
    for i in range(sizes[0]):
        for rest in _product(sizes[1:]):
            yield (i, *rest)


__all__ = ["Lowered", "ModelError", "lower"]
