"""Which atoms of the temporal properties hold in which states."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from explorer.compiler.wordcode import compiled
from explorer.liveness.graph import Words
from explorer.search.found import Found
from explorer.search.raw import call, get, put

# The control block: the model's function and the design, by address; the states, words per state, how many there are, how many
# were labelled; the result, words per mask, failed evaluations of one state, all bits.
LABEL, DESIGN, STATES, WORDS, COUNT, NEXT, RESULT, MASKS, FAILED, ALL = range(10)
SIZE = 10

_BUDGET = 50_000


@compiled
def evaluate(c: int, budget: int) -> int:
    """Label up to ``budget`` states; 1 if an evaluation failed in the last one."""
    states, words, masks = get(c, STATES), get(c, WORDS), get(c, MASKS)
    result, failed, label = get(c, RESULT), get(c, FAILED), get(c, LABEL)
    state = get(c, NEXT)
    end = state + budget
    end = get(c, COUNT) if end > get(c, COUNT) else end
    while state < end:
        truths = result + state * masks * 8
        call(label, (get(c, DESIGN), states + state * words * 8, truths, failed, get(c, ALL)))
        state += 1
        for w in range(masks):
            if get(failed, w) != 0:
                put(c, NEXT, state)
                return 1
    put(c, NEXT, state)
    return 0


class Unclear(Exception):
    """An atom cannot be evaluated in a state."""

    def __init__(self, state: int, atom: int) -> None:
        super().__init__(f"atom {atom} in state {state}")
        self.state, self.atom = state, atom


def labels_of(
    found: Found, switches: Sequence[int], pause: Callable[[int, int], None] = lambda done, of: None
) -> Words:
    """For each state the mask of the program's ``labels`` that hold there.

    Raises
    ------
    Unclear
        Evaluating one of them fails: the first in the first such state.
    """
    native = found.native
    masks = max(1, -(-len(native.program.labels) // 64))
    result = np.zeros((found.states, masks), np.uint64)
    failed, everything = np.zeros(masks, np.uint64), np.full(masks, -1, np.int64)
    design = np.array([s % (1 << 64) for s in switches] or [0], np.uint64)
    control = np.zeros(SIZE, np.int64)
    for place, value in (
        (LABEL, native.label),
        (DESIGN, design.ctypes.data),
        (STATES, found.rows.ctypes.data),
        (WORDS, native.packing.words),
        (COUNT, found.states),
        (RESULT, result.ctypes.data),
        (MASKS, masks),
        (FAILED, failed.ctypes.data),
        (ALL, everything.ctypes.data),
    ):
        control[place] = value
    while control[NEXT] < found.states:
        pause(int(control[NEXT]), found.states)
        if evaluate(int(control.ctypes.data), _BUDGET):
            atom = next(i for i in range(64 * masks) if int(failed[i // 64]) >> i % 64 & 1)
            raise Unclear(int(control[NEXT]) - 1, atom)
    return result
