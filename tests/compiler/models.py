"""Makes small models out of source text, runs them through CPython and the scalar IR, and compares the two."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from explorer.compiler.dag import evaluate
from explorer.compiler.lower import Lowered, lower
from explorer.lang.containers import Set
from explorer.lang.run import (
    Instance,
    Next,
    clone,
    initial_states,
    instances,
    is_final,
    key,
    step,
)
from explorer.lang.run import evaluate as evaluate_property
from explorer.lang.sorts import Sort
from explorer.lang.system import System
from explorer.lang.types import (
    MapT,
    OptionalT,
    PoolT,
    RecordT,
    SeqT,
    SetT,
    SortT,
    Type,
    UnionT,
    fields_of,
    walk,
)
from tests.differential.compare import describe, run_ir

_NUMBERS = itertools.count()


def load(source: str, folder: Path) -> ModuleType:
    """Writes ``source`` to a file of its own and imports it: the compiler reads source files."""
    name = f"model_{next(_NUMBERS)}"
    file = folder / f"{name}.py"
    file.write_text(source)
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def system_in(module: ModuleType) -> type[System[Any]]:
    """The system class that a module defines: its last one."""
    found = [
        c
        for c in vars(module).values()
        if isinstance(c, type) and issubclass(c, System) and c.__module__ == module.__name__
    ]
    return found[-1]


@dataclass
class Run:
    """What was seen on the way: for tests that want to know that a case happens at all."""

    states: int
    outcomes: set[tuple[str, object]]
    soft: set[str]
    lowered: Lowered


def compare(system: System[Any], *, limit: int = 400) -> Run:
    """Takes every step from every reachable state (up to ``limit``) both ways; asserts that they agree.

    Also with open parameters, and for all properties and ``is_final``.
    """
    lowered = lower(system)
    symbolic = lowered.symbolic()
    program = lowered.program
    every = instances(system)
    run = Run(0, set(), set(), lowered)
    for name in program.failure_names:
        assert not name.startswith("variant:"), name
    for number, (state, leaves) in enumerate(_reachable(system, lowered, every)):
        if number == limit:
            break
        run.states += 1
        for position, instance in enumerate(every):
            expected = describe(lowered, step(system, state, instance))
            kind, soft, detail = expected
            run.outcomes.add((kind, None if kind == "next" else detail))
            run.soft |= set(soft)
            action, indices = program.instances[position]
            for transition, params in (
                (program.transitions[position], ()),
                (symbolic[action], indices),
            ):
                actual = run_ir(lowered, transition, leaves, params)
                assert actual == expected, (
                    f"{instance.action.name}{instance.values} in {_show(lowered, leaves)}:\n"
                    f"CPython {_outcome(lowered, expected)}\nIR      {_outcome(lowered, actual)}"
                    f"{' (open parameters)' if params else ''}"
                )
        _compare_properties(system, lowered, state, leaves)
    return run


def _compare_properties(
    system: System[Any], lowered: Lowered, state: Any, leaves: tuple[int, ...]
) -> None:
    for prop, predicate in zip(lowered.properties, lowered.program.predicates, strict=True):
        if prop.kind == "step_invariant":
            continue
        holds, *failed = evaluate(
            [predicate.holds, *(f.condition for f in predicate.failures)],
            leaves,
            switches=lowered.switch_values,
        )
        assert not any(failed), (prop.name, _show(lowered, leaves))
        assert bool(holds) == evaluate_property(system, prop, state), (
            prop.name,
            _show(lowered, leaves),
        )
    (final,) = evaluate([lowered.program.final.holds], leaves, switches=lowered.switch_values)
    assert bool(final) == is_final(system, state)


def _reachable(
    system: System[Any], lowered: Lowered, every: tuple[Instance, ...]
) -> Iterator[tuple[Any, tuple[int, ...]]]:
    seen: set[tuple[int, ...]] = set()
    queue: list[Any] = []

    def add(state: Any) -> Iterator[tuple[Any, tuple[int, ...]]]:
        leaves = lowered.flatten(state)
        if leaves not in seen:
            seen.add(leaves)
            queue.append(state)
            yield state, leaves

    for _, state in initial_states(system):
        yield from add(state)
    while queue:
        state = queue.pop(0)
        for instance in every:
            outcome = step(system, state, instance)
            if isinstance(outcome, Next):
                yield from add(outcome.state)


def _show(lowered: Lowered, leaves: tuple[int, ...]) -> dict[str, int]:
    return dict(zip((leaf.path for leaf in lowered.program.leaves), leaves, strict=True))


def _outcome(lowered: Lowered, outcome: tuple[str, tuple[str, ...], object]) -> object:
    kind, soft, detail = outcome
    return (kind, soft, _show(lowered, detail) if kind == "next" else detail)  # type: ignore[arg-type]


# Permutations of names


Permutation = Mapping[Sort, Sort]


def commutes(system: System[Any], *, limit: int = 200) -> None:
    """Asserts that steps commute with every permutation of the names of every sort.

    Names of a pool's sort are permuted as well, and results compared up to a permutation of them: which free name
    ``alloc`` takes is no part of a model's meaning.
    """
    lowered = lower(system)
    every = instances(system)
    state_type = RecordT(system.state_type)
    sorts = [p.cls for p in dict.fromkeys(walk(state_type)) if isinstance(p, SortT)]
    sorts += [p.type.cls for a in system.actions for p in a.params if isinstance(p.type, SortT)]
    pooled = {p.ref.cls for p in walk(state_type) if isinstance(p, PoolT)}
    with system:
        permutations = list(_permutations(dict.fromkeys(sorts)))
        renamings = list(_permutations([s for s in dict.fromkeys(sorts) if s in pooled]))
    for number, (state, _) in enumerate(_reachable(system, lowered, every)):
        if number == limit:
            break
        for permutation in permutations:
            other = permuted(state_type, state, permutation)
            for instance in every:
                pairs = zip(instance.action.params, instance.values, strict=True)
                values = tuple(permuted(p.type, v, permutation) for p, v in pairs)
                here = step(system, state, instance)
                there = step(system, other, Instance(instance.action, values))
                expected, actual = (
                    (type(o).__name__, getattr(o, "name", None), frozenset(getattr(o, "soft", ())))
                    for o in (here, there)
                )
                assert expected == actual, (instance, permutation)
                if isinstance(here, Next) and isinstance(there, Next):
                    moved = permuted(state_type, here.state, permutation)
                    assert any(
                        key(permuted(state_type, moved, r)) == key(there.state) for r in renamings
                    ), (instance, permutation, state, here.state, there.state)


def _permutations(sorts: Iterable[type[Sort]]) -> Iterator[Permutation]:
    choices = [itertools.permutations(sort) for sort in sorts]
    names = [name for sort in sorts for name in sort]
    for choice in itertools.product(*choices):
        yield dict(zip(names, itertools.chain(*choice), strict=True))


def permuted(kind: Type, value: Any, p: Permutation) -> Any:
    """A copy of a value with its names permuted."""
    match kind:
        case SortT():
            return p.get(value, value)
        case OptionalT(inner):
            return None if value is None else permuted(inner, value, p)
        case UnionT(variants):
            (variant,) = (v for v in variants if v.cls is type(value))
            return permuted(variant, value, p)
        case RecordT(cls):
            fields = {f.name: permuted(f.type, getattr(value, f.name), p) for f in fields_of(cls)}
            if kind.frozen:
                return cls(**fields)
            copy = clone(value)
            copy.__dict__.update(fields)
            return copy
        case MapT(key_type, inner):
            items = {permuted(key_type, k, p): permuted(inner, v, p) for k, v in value.items()}
            return value._kind._make({k: items[k] for k in value})
        case SetT(inner):
            return Set._of({permuted(inner, v, p) for v in value}, value._kind)
        case SeqT(inner, _, _):
            return value._kind._make([permuted(inner, v, p) for v in value])
        case PoolT(ref, inner):
            items = {permuted(ref, r, p): permuted(inner, value[r], p) for r in value}
            return value._kind._make(items)
        case _:
            return value
