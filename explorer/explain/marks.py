"""Where a property fails on a state graph: in which states, on which steps, and which steps fail.

Compiled loops; ``c`` is the address of a control block, whose places are named below. ``wordcode`` says what may be written here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.compiler import llvm_program as events
from explorer.compiler.wordcode import compiled
from explorer.search.found import Found
from explorer.search.raw import call, get, get_half, put, put_byte

# The model's functions and the design, by address
EXPAND, CHECK, STEP, FINAL, DESIGN = range(5)
# The states, words per state, how many there are, how many were looked at
STATES, WORDS, COUNT, NEXT = range(5, 9)
# Work space of an expansion; masks of properties, which of them are asked for, failed evaluations
OUT, INSTANCE, EVENTS, N_EVENTS, TAKEN, TRUTHS, FAILED, PENDING = range(9, 17)
# What is looked for: a property of states, of steps, a soft failure by number (or -1), deadlocks; which word and bit of TRUTHS
MODE, NUMBER, WORD, BIT = range(17, 21)
# The result: per state a byte, and the steps that are wrong, as (state, instance << 1 | whether it has a successor)
BAD, STEPS, N_STEPS, ROOM = range(21, 25)
SIZE = 25

OF_STATES, OF_STEPS, SOFT, DEADLOCK, HARD = range(5)
_BUDGET = 5_000


@compiled
def run(c: int, budget: int) -> int:
    """Look at up to ``budget`` states, as long as there is room; 1 if an evaluation failed in the last one."""
    states, words, design, mode = get(c, STATES), get(c, WORDS), get(c, DESIGN), get(c, MODE)
    out, instance, truths = get(c, OUT), get(c, INSTANCE), get(c, TRUTHS)
    i = get(c, NEXT)
    end = i + budget
    end = get(c, COUNT) if end > get(c, COUNT) else end
    found = get(c, STEPS)
    while i < end:
        # Of a state there may be as many as it has instances, and as it has events.
        if get(c, ROOM) < 0:
            break
        state = states + i * words * 8
        put(c, N_EVENTS, 0)
        count = call(
            get(c, EXPAND),
            (design, state, out, instance, get(c, EVENTS), c + N_EVENTS * 8, get(c, TAKEN)),
        )
        n = get(c, N_STEPS)
        ends = 0
        for k in range(get(c, N_EVENTS)):
            event = get(get(c, EVENTS), k)
            kind = event >> events.KIND_SHIFT & 15
            number = event & events.NUMBER_MASK
            which = event >> events.INSTANCE_SHIFT
            if kind == events.FAILURE:
                put(found, 2 * n, i)
                put(found, 2 * n + 1, which << 1)
                n += 1
            if kind == events.SOFT and mode == SOFT and number == get(c, NUMBER):
                put(found, 2 * n, i)
                put(found, 2 * n + 1, which << 1 | 1)
                n += 1
            if kind != events.SOFT:
                ends += 1
        if mode == OF_STATES:
            call(get(c, CHECK), (design, state, truths, get(c, FAILED), get(c, PENDING)))
            if get(get(c, FAILED), get(c, WORD)) & get(c, BIT):
                return 1
            put_byte(get(c, BAD), i, (get(truths, get(c, WORD)) & get(c, BIT)) == 0)
        if mode == OF_STEPS:
            for row in range(count):
                after = out + row * words * 8
                call(get(c, STEP), (design, state, after, truths, get(c, FAILED), get(c, PENDING)))
                if get(get(c, FAILED), get(c, WORD)) & get(c, BIT):
                    return 1
                if (get(truths, get(c, WORD)) & get(c, BIT)) == 0:
                    put(found, 2 * n, i)
                    put(found, 2 * n + 1, get_half(instance, row) << 1 | 1)
                    n += 1
        if mode == DEADLOCK and count + ends == 0:
            put_byte(get(c, BAD), i, call(get(c, FINAL), (design, state)) == 0)
        put(c, ROOM, get(c, ROOM) - (n - get(c, N_STEPS)))
        put(c, N_STEPS, n)
        i += 1
        put(c, NEXT, i)
    return 0


class Unclear(Exception):
    """The property cannot be evaluated in a state that was found."""


@dataclass(frozen=True)
class Marks:
    """``states`` says which violate the property. A wrong step is a state and an instance; ``goes_on`` says which have a successor.

    A step that fails is wrong whatever the property: the run ends there, and not well.
    """

    states: NDArray[np.bool_]
    source: NDArray[np.int64]
    instance: NDArray[np.int64]
    goes_on: NDArray[np.bool_]


def marks_of(
    found: Found,
    switches: Sequence[int],
    name: str,
    kind: str,
    pause: Callable[[int, int], None],
) -> Marks:
    """Where the property ``name`` fails; ``kind`` as traces have it.

    Raises
    ------
    Unclear
        It cannot be evaluated somewhere.
    """
    native = found.native
    program = native.program
    instances = len(program.instances)
    masks = max(1, -(-len(program.predicates) // 64))
    most_events = sum(len(t.soft) + 1 for t in program.transitions) + 1
    room = 1 << 16
    most = instances + most_events
    mode, number, predicate = HARD, -1, 0
    if kind == "deadlock":
        mode = DEADLOCK
    elif kind == "failure":
        mode, number = SOFT, program.failure_names.index(name)
    else:
        predicate = next(i for i, p in enumerate(program.predicates) if p.name == name)
        mode = OF_STEPS if kind == "step_invariant" else OF_STATES
    bad = np.zeros(max(1, found.states), np.uint8)
    steps = np.zeros(2 * (room + most), np.int64)
    pending = np.zeros(masks, np.uint64)
    bit = np.uint64(1) << np.uint64(predicate % 64)
    pending[predicate // 64] = bit
    control = np.zeros(SIZE, np.int64)
    for place, value in (
        (EXPAND, native.expand),
        (CHECK, native.check),
        (STEP, native.step),
        (FINAL, native.final),
        (WORDS, native.packing.words),
        (COUNT, found.states),
        (MODE, mode),
        (NUMBER, number),
        (WORD, predicate // 64),
        (BIT, int(bit.astype(np.int64))),
    ):
        control[place] = value
    arrays: list[tuple[int, NDArray[Any]]] = [
        (DESIGN, np.array([s % (1 << 64) for s in switches] or [0], np.uint64)),
        (STATES, found.rows),
        (OUT, np.empty(max(1, instances) * native.packing.words, np.uint64)),
        (INSTANCE, np.empty(max(1, instances), np.uint32)),
        (EVENTS, np.empty(most_events, np.uint64)),
        (TAKEN, np.zeros(max(1, len(program.actions)), np.int64)),
        (TRUTHS, np.zeros(masks, np.uint64)),
        (FAILED, np.zeros(masks, np.uint64)),
        (PENDING, pending),
        (BAD, bad),
        (STEPS, steps),
    ]
    for place, array in arrays:
        control[place] = array.ctypes.data
    parts: list[NDArray[np.int64]] = []
    while control[NEXT] < found.states:
        pause(int(control[NEXT]), found.states)
        control[ROOM], control[N_STEPS] = room, 0
        if run(int(control.ctypes.data), _BUDGET):
            raise Unclear(int(control[NEXT]))
        count = int(control[N_STEPS])
        if count:
            parts.append(steps[: 2 * count].copy())
    wrong = np.concatenate([np.zeros(0, np.int64), *parts]).reshape(-1, 2)
    return Marks(
        bad[: found.states].astype(bool),
        wrong[:, 0],
        wrong[:, 1] >> 1,
        (wrong[:, 1] & 1).astype(bool),
    )
