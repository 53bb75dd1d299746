"""Checks on the whole state graph that the names of sorts are interchangeable.

States that differ by a renaming must behave alike: the same steps (up to renaming), the same failures, the same truth of every
property. The language promises it, and reductions rely on it.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from typing import Any

from explorer.lang import Map, Pool, Seq, Set, Sort
from explorer.lang.properties import properties_for
from explorer.lang.run import Blocked, Cut, Failed, evaluate, instances, is_final, step
from explorer.lang.system import System
from explorer.lang.types import MapT, PoolT, RecordT, SortT, walk
from explorer.reference.search import Exploration
from tests.differential.disagreement import Disagreement

Renaming = Mapping[Sort, Sort]


def compare_symmetry(system: System[Any], reference: Exploration) -> int:
    """The number of orbits; raises Disagreement where two states of one orbit behave differently."""
    with system:
        renamings = list(all_renamings(system))
        orbits = Orbits(renamings)
        graph = reference.graph
        behaviours: dict[int, tuple[int, Hashable]] = {}
        for number, data in graph.nodes(data=True):
            orbit = orbits.of(data["state"])
            behaviour = describe(system, data["state"], orbits)
            other, expected = behaviours.setdefault(orbit, (number, behaviour))
            if behaviour != expected:
                raise Disagreement(
                    f"states that differ by a renaming behave differently: {graph.nodes[other]['state']} has "
                    f"{expected}, {data['state']} has {behaviour}"
                )
        return len(behaviours)


def count_orbits(system: System[Any], reference: Exploration) -> int:
    """How many states there are up to renaming."""
    with system:
        orbits = Orbits(list(all_renamings(system)))
        return len({orbits.of(state) for _, state in reference.graph.nodes(data="state")})


def all_renamings(system: System[Any]) -> Iterator[Renaming]:
    """Every permutation of the names of every sort in the state. Not of those that a pool hands out while a map is
    keyed by them: what the map remembers of a name that nothing holds shows which one is handed out."""
    kinds = list(walk(RecordT(system.state_type)))
    keys = {k for m in kinds if isinstance(m, MapT) for k in walk(m.key)}
    pools = {k.ref for k in kinds if isinstance(k, PoolT) and k.ref in keys}
    sorts = dict.fromkeys(k.cls for k in kinds if isinstance(k, SortT) and k not in pools)
    names = [list(cls) for cls in sorts]
    for images in itertools.product(*(itertools.permutations(n) for n in names)):
        yield {
            a: b
            for n, image in zip(names, images, strict=True)
            for a, b in zip(n, image, strict=True)
        }


class Orbits:
    """Numbers the orbits of states under renamings."""

    def __init__(self, renamings: list[Renaming]) -> None:
        self.renamings = renamings
        self.numbers: dict[Hashable, int] = {}
        self.count = 0

    def of(self, state: Any) -> int:
        """The number of a state's orbit."""
        known = self.numbers.get(renamed(state, {}))
        if known is not None:
            return known
        for renaming in self.renamings:
            self.numbers[renamed(state, renaming)] = self.count
        self.count += 1
        return self.count - 1


def renamed(value: Any, renaming: Renaming) -> Hashable:
    """``value`` with other names, as something that can be compared."""
    match value:
        case Map():
            return frozenset((renamed(k, renaming), renamed(v, renaming)) for k, v in value.items())
        case Set():
            return frozenset(renamed(v, renaming) for v in value)
        case Seq():
            return tuple(renamed(v, renaming) for v in value)
        case Pool():
            return frozenset((renamed(r, renaming), renamed(value[r], renaming)) for r in value)
        case Sort():
            return renaming.get(value, value)
        case _ if hasattr(type(value), "__record_frozen__"):
            fields = (renamed(getattr(value, f), renaming) for f in type(value).__match_args__)
            return (type(value).__name__, *fields)
        case _:
            return (type(value).__name__, value)


def describe(system: System[Any], state: Any, orbits: Orbits) -> Hashable:
    """Everything that can be seen from a state, up to renaming."""
    seen = Counter[Hashable]()
    for instance in instances(system):
        action = instance.action.name
        match step(system, state, instance):
            case Blocked():
                continue
            case Failed(name, _, soft, _):
                seen[action, "failed", name, tuple(sorted(soft))] += 1
            case Cut(name, soft):
                seen[action, "cut", name, tuple(sorted(soft))] += 1
            case outcome:
                kept = tuple(
                    evaluate(system, p, state, outcome.state)
                    for p in properties_for(system)
                    if p.kind == "step_invariant"
                )
                seen[action, orbits.of(outcome.state), tuple(sorted(outcome.soft)), kept] += 1
    holds = tuple(
        evaluate(system, p, state) for p in properties_for(system) if p.kind != "step_invariant"
    )
    return (frozenset(seen.items()), holds, is_final(system, state))
