"""Makes small models out of source text, runs them through CPython and the scalar IR, and compares the two."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from explorer.compiler.dag import evaluate
from explorer.compiler.lower import Lowered, lower
from explorer.lang.run import Instance, evaluate as evaluate_property
from explorer.lang.run import Next, initial_states, instances, is_final, step
from explorer.lang.system import System
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
