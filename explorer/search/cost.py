"""What a step and a canonical state cost, estimated from their sizes in nanoseconds.

Times that were measured would differ from run to run, and with them what is explored and reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from explorer.compiler.dag import Node
from explorer.compiler.program import Program

# Measured on models of different sizes: of expanding a state, per node, per instance, and per successor and word.
_NODE, _INSTANCE, _WORD = 0.2, 2.0, 15.0
# Of a canonical state: at least, per leaf that moves, and per such leaf and order tried.
_LEAST, _SIGN, _ORDER = 200.0, 30.0, 15.0
# Successors that the filter has not seen lately.
_PASS = 0.6


def nodes(program: Program) -> int:
    """How many nodes the steps of a program have, shared ones once."""
    seen: set[int] = set()
    waiting = list(_roots(program))
    while waiting:
        node = waiting.pop()
        if id(node) not in seen:
            seen.add(id(node))
            waiting += node.args
    return len(seen)


def _roots(program: Program) -> Iterator[Node]:
    for t in program.transitions:
        yield t.disabled
        yield from t.updates.values()
        yield from (f.condition for f in (*t.failures, *t.soft, *t.cuts))


def expanding(program: Program, words: int, successors: float) -> float:
    """Expanding a state that has so many successors, and looking these up."""
    return _NODE * nodes(program) + _INSTANCE * len(program.instances) + _WORD * words * successors


def canonical(moving: int, orders: float) -> float:
    """A canonical state in which so many leaves move, by trying so many orders."""
    return _LEAST + _SIGN * moving + _ORDER * moving * orders


def orders_for(moving: int, budget: float, successors: float) -> float:
    """How many orders may be tried for a state if all of its successors' canonical states may take ``budget``."""
    each = budget / max(_PASS * successors, 0.1)
    return (each - canonical(moving, 0.0)) / (_ORDER * moving)
