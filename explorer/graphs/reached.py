"""The part of a labelled graph that can be reached, as arrays."""

from __future__ import annotations

import numpy as np

from explorer.graphs.read import LabelledGraph
from explorer.liveness.graph import NOWHERE, Graph


class Reached:
    """States in breadth-first order, up to ``most``; steps to any other one lead nowhere, and ``complete`` is false.

    ``order`` has for each state its number in the file; ``names`` its name.
    """

    def __init__(self, source: LabelledGraph, most: int | None = None) -> None:
        edges: list[list[tuple[int, int]]] = [[] for _ in source.states]
        for start, action, end in source.edges:
            edges[start].append((action, end))
        limit = len(source.states) if most is None else most
        order = list(source.initial[:limit])
        numbers = {state: i for i, state in enumerate(order)}
        distance = [0] * len(order)
        self.complete = len(order) == len(source.initial)
        for i, state in enumerate(order):  # grows
            for _, end in edges[state]:
                if end in numbers:
                    continue
                if len(order) == limit:
                    self.complete = False
                    continue
                numbers[end] = len(order)
                distance.append(distance[i] + 1)
                order.append(end)
        self.order = order
        self.names = [source.states[state] for state in order]
        self.depth = max(distance)
        self.unreached = [name for i, name in enumerate(source.states) if i not in numbers]
        self.graph = Graph.of(
            range(min(limit, len(source.initial))),
            [[(action, numbers.get(end, NOWHERE)) for action, end in edges[s]] for s in order],
        )
        masks = max(1, -(-len(source.labels) // 64))
        self.labels = np.zeros((len(order), masks), np.uint64)
        for i, (_, states) in enumerate(source.labels):
            here = [numbers[state] for state in sorted(states) if state in numbers]
            self.labels[here, i // 64] |= np.uint64(1 << i % 64)
