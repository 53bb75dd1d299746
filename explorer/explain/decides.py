"""What decides the value of a term: leaves of the state such that the term has this value whatever the others are."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from explorer.compiler.dag import Node, cone

Mask = int
"""A set of leaves: bit i for leaf i of the state, bit ``size`` + i for leaf i of the state after the step."""


class Deciding:
    """Evaluates terms, and finds what decides them, for one design.

    A conjunction that is false is decided by one false part, a disjunction that is true by one true part, a choice by its condition and
    the branch taken: of several possibilities the one that needs the fewest leaves, the first of these. So the result is an *implicant*: in
    any state with these leaves the term has the same value.
    """

    def __init__(self, size: int, switches: Sequence[int]) -> None:
        self.size, self.switches = size, switches
        self._cone = functools.lru_cache(maxsize=4096)(lambda node: cone([node]))

    def value(self, node: Node, leaves: Sequence[int], after: Sequence[int] = ()) -> int:
        """The term's value; ``after`` is the state after the step, for terms of a step."""
        return self.look(node, leaves, after)[0]

    def look(
        self, node: Node, leaves: Sequence[int], after: Sequence[int] = ()
    ) -> tuple[int, Mask]:
        """The term's value and what decides it."""
        known: dict[int, tuple[int, Mask]] = {}
        for part in self._cone(node):
            known[part.id] = self._look(part, [known[a.id] for a in part.args], leaves, after)
        return known[node.id]

    def _look(
        self, node: Node, args: list[tuple[int, Mask]], leaves: Sequence[int], after: Sequence[int]
    ) -> tuple[int, Mask]:
        values = [value for value, _ in args]
        every = 0
        for _, mask in args:
            every |= mask
        match node.op:
            case "const":
                return node.value, 0
            case "leaf" if node.root:
                return after[node.value], 1 << (self.size + node.value)
            case "leaf":
                return leaves[node.value], 1 << node.value
            case "switch":
                return self.switches[node.value], 0
            case "not":
                return 1 - values[0], every
            case "and":
                return values[0] & values[1], _one_of(args, 0) if 0 in values else every
            case "or":
                return values[0] | values[1], _one_of(args, 1) if 1 in values else every
            case "eq":
                return int(values[0] == values[1]), every
            case "lt":
                return int(values[0] < values[1]), every
            case "le":
                return int(values[0] <= values[1]), every
            case "add":
                return values[0] + values[1], every
            case "sub":
                return values[0] - values[1], every
            case "mul":
                return values[0] * values[1], _one_of(args, 0) if 0 in values else every
            case "div":
                return values[0] // values[1], every
            case "mod":
                return values[0] % values[1], every
            case "ite":
                chosen = args[1] if values[0] else args[2]
                both = args[1][1] | args[2][1]
                mask = args[0][1] | chosen[1]
                if values[1] == values[2] and both.bit_count() < mask.bit_count():
                    mask = both
                return chosen[0], mask
            case "int":
                return values[0], every
            case op:  # parameters are constants in instances
                raise AssertionError(op)


def _one_of(args: list[tuple[int, Mask]], wanted: int) -> Mask:
    """What decides one of the arguments that have a value: the least."""
    masks = [mask for value, mask in args if value == wanted]
    return min(masks, key=int.bit_count)


def numbers(mask: Mask) -> list[int]:
    """The leaves in a set, in order."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found
