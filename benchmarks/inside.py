"""One search, measured from inside: ``python -m benchmarks.inside SYSTEM SCOPE [WORDS]`` prints figures as JSON.

SYSTEM is ``registry`` or ``two_phase_commit``, SCOPE like ``Manager=9``. With WORDS the leaves of a state are dealt out to so many
words, whether it needs them or not.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.compiler import native
from explorer.compiler.lower import lower
from explorer.compiler.native import compile_program
from explorer.compiler.packing import Field, Packing, pack_leaves
from explorer.compiler.program import Leaf
from explorer.compiler.wordcode import compiled
from explorer.lang.properties import properties_for
from explorer.lang.system import System
from explorer.search.explore import search
from explorer.search.found import Found
from explorer.search.raw import call, get, put
from explorer.search.region import Region

UPDATES = 20_000_000


def system(name: str, scope: dict[str, int]) -> System[Any]:
    """One of the two systems that are measured."""
    if name == "registry":
        import properties.safety
        import properties.witnesses  # noqa: F401
        from model.systems import Registry

        return Registry(scope)
    from tests.systems.two_phase_commit import TwoPhaseCommit

    return TwoPhaseCommit(scope)


def spread(words: int) -> Callable[[Sequence[Leaf]], Packing]:
    """A layout that deals the leaves out to some words."""

    def pack(leaves: Sequence[Leaf]) -> Packing:
        plain = pack_leaves(leaves)
        used = [0] * words
        fields = []
        for i, field in enumerate(plain.fields):
            fields.append(Field(i % words, used[i % words], field.width, field.low, field.high))
            used[i % words] += field.width
        return Packing(tuple(fields), words, plain.bits)

    return pack


def measure(name: str, scope: dict[str, int]) -> dict[str, float]:
    """Seconds by phase, and the rates."""
    model = system(name, scope)
    clock = time.perf_counter
    t0 = clock()
    lowered = lower(model, properties_for(model))
    t1 = clock()
    code = compile_program(lowered.program)
    t2 = clock()
    code = code.tuned()
    initial = [leaves for _, leaves in lowered.initial]
    t3 = clock()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = search(code, initial, switches=lowered.switch_values)
    t4 = clock()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    model_seconds = evaluation(found, lowered.switch_values)
    return {
        "states": found.states,
        "transitions": found.transitions,
        "words": code.packing.words,
        "lowering": t1 - t0,
        "code": t2 - t1,
        "tuned_code": t3 - t2,
        "search": t4 - t3,
        # Successors and properties of all states, in order, without looking anything up.
        "model": model_seconds,
        "bytes_per_state": (peak - before) * 1024 / found.states,
        "updates_per_second": random_updates(max(3 * found.states // 2 * 8, 1 << 20)),
    }


@compiled
def _evaluate(a: int, count: int, words: int) -> int:
    expand, check, step = get(a, 0), get(a, 1), get(a, 2)
    for i in range(count):
        state = get(a, 4) + i * words * 8
        put(get(a, 7), 0, 0)
        found = call(
            expand, (get(a, 3), state, get(a, 5), get(a, 6), get(a, 8), get(a, 7), get(a, 9))
        )
        call(check, (get(a, 3), state, get(a, 10), get(a, 11), get(a, 12)))
        if step != 0:
            for row in range(found):
                after = get(a, 5) + row * words * 8
                call(step, (get(a, 3), state, after, get(a, 10), get(a, 11), get(a, 12)))
    return 0


def evaluation(found: Found, switches: tuple[int, ...]) -> float:
    """Seconds that the model's own code takes."""
    code = found.native
    program, words = code.program, code.packing.words
    kinds = [p.kind for p in program.predicates]
    pending = sum(1 << i % 64 for i, kind in enumerate(kinds[:64]) if kind != "reachable")
    arrays: list[NDArray[Any]] = [
        np.array([s % (1 << 64) for s in switches] or [0], np.uint64),
        found.rows,
        np.empty(len(program.instances) * words, np.uint64),
        np.empty(len(program.instances), np.uint32),
        np.zeros(1, np.int64),
        np.empty(sum(len(t.soft) + 1 for t in program.transitions), np.uint64),
        np.zeros(len(program.actions), np.int64),
        np.zeros(4, np.uint64),
        np.zeros(4, np.uint64),
        np.array([pending, 0, 0, 0], np.uint64),
    ]
    step = code.step if "step_invariant" in kinds else 0
    addresses = [a.ctypes.data for a in arrays]
    control = np.array([code.expand, code.check, step, *addresses], np.int64)
    _evaluate(control.ctypes.data, 0, words)
    started = time.perf_counter()
    _evaluate(control.ctypes.data, found.states, words)
    return time.perf_counter() - started


@compiled
def _update(table: int, shift: int, count: int) -> int:
    x = 88172645463325252
    for _ in range(count):
        x = x ^ (x << 13)
        x = x ^ (x >> 7)
        x = x ^ (x << 17)
        place = x >> shift
        put(table, place, get(table, place) + x)
    return x


def random_updates(size: int) -> float:
    """Random updates of eight bytes that the machine makes in a second, in a table of at least ``size`` bytes."""
    bits = (size // 8 - 1).bit_length()
    memory = Region(8 << bits, 8 << bits)
    memory.words(np.uint64, 1 << bits)[:] = 0
    _update(memory.address, 64 - bits, 1000)
    started = time.perf_counter()
    _update(memory.address, 64 - bits, UPDATES)
    return UPDATES / (time.perf_counter() - started)


if __name__ == "__main__":
    if len(sys.argv) > 3:
        vars(native)["pack_leaves"] = spread(int(sys.argv[3]))
    pairs = (pair.split("=") for pair in sys.argv[2].split(","))
    print(json.dumps(measure(sys.argv[1], {name: int(size) for name, size in pairs})))
