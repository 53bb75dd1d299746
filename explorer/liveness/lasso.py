"""Counterexamples: a shortest way to a fair cycle, or to a place where the run may stop, and a shortest fair cycle there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from explorer.liveness import paths
from explorer.liveness.calm import calmest
from explorer.liveness.graph import FairSets, Words
from explorer.liveness.product import FairNodes, Pause, Product
from explorer.search.region import Region

EXACT_ENTRIES = 1 << 21
"""Pairs of a node and the obligations met so far that are looked at for the shortest cycle; beyond, it is only a short one."""

_BUDGET = 20_000
_MOST_BITS = 64


@dataclass(frozen=True)
class Lasso:
    """A run that goes on for ever: from the initial state ``start`` along ``prefix``, then round ``cycle`` again and again.

    Steps are (instance, state after it). Without a cycle the run stops where the prefix ends.
    """

    start: int
    prefix: tuple[tuple[int, int], ...]
    cycle: tuple[tuple[int, int], ...]

    @property
    def length(self) -> int:
        """Steps of prefix and cycle; a stop has none."""
        return len(self.prefix) + len(self.cycle)


def find_lasso(
    product: Product,
    fair: FairNodes,
    sets: FairSets,
    enabled: Words,
    stops: Words,
    pause: Pause = lambda done, of: None,
) -> Lasso | None:
    """A run that the automaton accepts and that is fair; None if there is none.

    The prefix is as short as any that leads to a node of the product on a fair cycle, or to a stop. Of the nodes at that
    distance one with the shortest cycle is taken; a stop is shorter than any cycle. Ties are decided by the order of the
    edges. Of the shortest ways to that node the one with the fewest switches between threads is taken (see ``calm``); how often
    the thread changes in the cycle does not count.

    Parameters
    ----------
    stops
        For each state the automaton's states with which a run may stop there and is accepted.
    """
    goals = stops | fair.by_state()
    if not goals.any():
        return None
    ways = _Ways(product, goals, pause)
    at_stop = next((p for p in ways.ends() if int(stops[ways.state(p)]) >> ways.q(p) & 1), None)
    if at_stop is not None:
        return ways.lasso(at_stop, ())
    cycles = _Cycles(product, fair, sets, enabled, pause)
    best: tuple[int, tuple[tuple[int, int], ...]] | None = None
    for place in ways.ends():
        node = fair.number(ways.state(place), ways.q(place))
        assert node is not None
        cycle = cycles.shortest(node, None if best is None else len(best[1]))
        if cycle is not None and (best is None or len(cycle) < len(best[1])):
            best = place, cycle
        if (best is not None and len(best[1]) == 1) or cycles.exhausted:
            break
    if best is None:
        place = next(iter(ways.ends()))
        node = fair.number(ways.state(place), ways.q(place))
        assert node is not None
        best = place, cycles.some(node)
    return ways.lasso(*best)


class _Ways:
    """Shortest ways from the initial nodes to the nearest goals."""

    def __init__(self, product: Product, goals: Words, pause: Pause) -> None:
        self._product, self._goals, self._pause = product, goals, pause
        graph = product.graph
        self._control = np.zeros(paths.SIZE, np.int64)
        self._seen = np.zeros(graph.states, np.uint64)
        most = (graph.states + 1) * product.automaton.states
        self._nodes, self._parents = Region(8 * most, 8 * most), Region(4 * most, 4 * most)
        for place, address in (
            (paths.SEEN, self._seen.ctypes.data),
            (paths.GOALS, goals.ctypes.data),
            (paths.NODES, self._nodes.address),
            (paths.PARENTS, self._parents.address),
        ):
            self._control[place] = address
        initial = list(dict.fromkeys(graph.initial.tolist()))
        masks = {state: product.starts(state) for state in initial}
        begin = [
            state << 8 | q
            for state, mask in masks.items()
            for q in range(product.automaton.states)
            if mask >> q & 1
        ]
        self._list = self._nodes.words(np.uint64, most)
        self._list[: len(begin)] = begin
        self._parent_of = self._parents.words(np.uint32, most)
        for state, mask in masks.items():
            self._seen[state] = mask
        self._initial = len(begin)
        control = self._control
        control[paths.COUNT] = control[paths.LEVEL_END] = len(begin)
        self._level = 0, len(begin)
        self._levels = [self._level]
        control[paths.FOUND] = any(int(goals[s]) & mask for s, mask in masks.items())
        while not control[paths.FOUND] and self._level[0] < self._level[1]:
            while paths.spread(product.address, int(control.ctypes.data), _BUDGET) == paths.AGAIN:
                pause(int(control[paths.NEXT]), int(control[paths.COUNT]))
            self._level = self._level[1], int(control[paths.COUNT])
            self._levels.append(self._level)
            control[paths.LEVEL_END] = control[paths.COUNT]

    def ends(self) -> Iterator[int]:
        """The places of the nearest goals, in order of discovery."""
        for place in range(*self._level):
            if int(self._goals[self.state(place)]) >> self.q(place) & 1:
                yield place

    def state(self, place: int) -> int:
        return int(self._list[place]) >> 8

    def q(self, place: int) -> int:
        return int(self._list[place]) & 255

    def lasso(self, end: int, cycle: tuple[tuple[int, int], ...]) -> Lasso:
        """The way to a place, and a cycle there: the calmest of the shortest ways, if that is not too much work."""
        calm = calmest(self._product, self._control, self._levels, end, self._pause)
        if calm is not None:
            return Lasso(*calm, cycle)
        places = [end]
        while places[-1] >= self._initial:
            places.append(int(self._parent_of[places[-1]]))
        places.reverse()
        prefix = tuple(
            self._step(before, after) for before, after in zip(places, places[1:], strict=False)
        )
        return Lasso(self.state(places[0]), prefix, cycle)

    def _step(self, before: int, after: int) -> tuple[int, int]:
        """The first edge between two nodes."""
        graph = self._product.graph
        state, target = self.state(before), self.state(after)
        for edge in range(int(graph.first[state]), int(graph.first[state + 1])):
            if int(graph.target[edge]) == target:
                return int(graph.label[edge]), target
        raise AssertionError("two nodes of a way without an edge between them")


class _Cycles:
    """Short fair cycles through given nodes.

    What a cycle still owes is a set of bits: an acceptance condition; a weak set, until the cycle takes a step of it or
    passes a state where it is disabled; a strong set, from the first state on where it is enabled until it is taken.
    """

    def __init__(
        self, product: Product, fair: FairNodes, sets: FairSets, enabled: Words, pause: Pause
    ) -> None:
        self._product, self._fair, self._sets, self._enabled = product, fair, sets, enabled
        self._pause = pause
        self._left = EXACT_ENTRIES
        self.exhausted = False
        self._obligations: tuple[int, _Obligations] | None = None

    def shortest(self, node: int, below: int | None) -> tuple[tuple[int, int], ...] | None:
        """The shortest fair cycle through a node if it has fewer than ``below`` steps, and if the work allowed for suffices."""
        owed = self._of_part(node)
        if owed.bits is None:
            self.exhausted = True
            return None
        search = _Search(self._product, owed.bits, self._left, self._pause)
        reason = search.run(node, owed.at_start(int(self._fair.state[node])), below)
        self._left -= search.entries
        self.exhausted = reason == paths.FULL or self._left <= 0
        return search.steps()[0] if reason == paths.HIT else None

    def some(self, node: int) -> tuple[tuple[int, int], ...]:
        """A fair cycle through a node: from here to the nearest step that meets an obligation, until all are met, and back."""
        owed = self._of_part(node)
        here, taken = node, list[tuple[int, int]]()
        unmet = [o for o in owed.all if not owed.is_met_in(o, int(self._fair.state[node]))]
        while True:
            group = unmet[:_MOST_BITS]
            bits = owed.encode_any(group)
            search = _Search(self._product, bits, self._fair.count, self._pause)
            if group:
                reason = search.run(here, 0, None, want=(1 << len(group)) - 1)
            elif taken and here == node:
                return tuple(taken)
            else:
                reason = search.run(here, 0, None, back_to=node)
            assert reason == paths.HIT, "a fair component without a fair cycle"
            steps_taken, here, met = search.steps()
            taken += steps_taken
            passed = [state for _, state in steps_taken]
            gone = {o for i, o in enumerate(group) if met >> i & 1}
            unmet = [
                o for o in unmet if o not in gone and not any(owed.is_met_in(o, s) for s in passed)
            ]
            if not group:
                return tuple(taken)

    def _of_part(self, node: int) -> _Obligations:
        part = int(self._fair.region[node])
        if self._obligations is None or self._obligations[0] != part:
            states = np.unique(self._fair.state[self._fair.region == part])
            made = _Obligations(self._product, self._sets, self._enabled, states)
            self._obligations = part, made
        return self._obligations[1]


@dataclass(frozen=True)
class _Bits:
    """Obligations as bits: what a step of an instance, being in a state, and a move gain, what is needed (see ``paths``)."""

    step: Words
    state: Words
    move: Words
    keep: int
    need: int
    taken: int
    shift: int


class _Obligations:
    """What the cycles of one fair component owe: pairs ("mark", number), ("weak", set), ("strong", set)."""

    def __init__(
        self, product: Product, sets: FairSets, enabled: Words, states: NDArray[np.uint32]
    ) -> None:
        self._product, self._sets, self._enabled, self._states = product, sets, enabled, states
        somewhere = np.bitwise_or.reduce(enabled[states], axis=0)
        marks = [("mark", i) for i in range(product.automaton.conditions)]
        # A weak set that is disabled in every state, a strong one that is enabled in none, owe nothing.
        weak = [("weak", i) for i in _numbers(sets.weak & somewhere)]
        strong = [("strong", i) for i in _numbers(sets.strong & somewhere)]
        self.all: list[tuple[str, int]] = [*marks, *weak, *strong]
        count = len(self.all) + len(strong)
        self.bits = self._encode(marks, weak, strong) if count <= _MOST_BITS else None

    def is_met_in(self, obligation: tuple[str, int], state: int) -> bool:
        """Whether being in a state is enough."""
        kind, number = obligation
        word = int(self._enabled[state, number // 64])
        return kind == "weak" and not word >> number % 64 & 1

    def at_start(self, state: int) -> int:
        """The bits that a cycle has where it begins."""
        assert self.bits is not None
        return int(self.bits.state[state])

    def encode_any(self, group: list[tuple[str, int]]) -> _Bits:
        """Each obligation a bit that says that it is met; nothing is remembered on the way."""
        return _Bits(*self._gains(group, seen=False), 0, 0, 0, 0)

    def _encode(
        self,
        marks: list[tuple[str, int]],
        weak: list[tuple[str, int]],
        strong: list[tuple[str, int]],
    ) -> _Bits:
        gains = self._gains([*marks, *weak, *strong], seen=True)
        plain, count = len(marks) + len(weak), len(strong)
        taken = (1 << plain + count) - (1 << plain)
        need = (1 << plain) - 1
        return _Bits(*gains, need | taken | taken << count, need, taken, count)

    def _gains(
        self, obligations: list[tuple[str, int]], *, seen: bool
    ) -> tuple[Words, Words, Words]:
        """Per instance the obligations that its step meets; per state those met there, and the strong sets enabled; per
        move those that it satisfies."""
        member, enabled, states = self._sets.member, self._enabled, self._states
        step = np.zeros(len(member), np.uint64)
        here = np.zeros(len(states), np.uint64)
        marks = self._product.marks
        move = np.zeros(len(marks), np.uint64)
        strong = sum(kind == "strong" for kind, _ in obligations)
        one = np.uint64(1)
        for bit, (kind, number) in enumerate(obligations):
            if kind == "mark":
                move |= (marks >> np.uint64(number) & one) << np.uint64(bit)
                continue
            word, inside = number // 64, np.uint64(number % 64)
            step |= (member[:, word] >> inside & one) << np.uint64(bit)
            on = enabled[states, word] >> inside & one
            if kind == "weak":
                here |= (on ^ one) << np.uint64(bit)
            elif seen:
                here |= on << np.uint64(bit + strong)
        state = np.zeros(len(enabled), np.uint64)
        state[states] = here
        return step, state, move


class _Search:
    """One search for a cycle, or for the way to the next obligation."""

    def __init__(self, product: Product, bits: _Bits, most: int, pause: Pause) -> None:
        """With room for ``most`` pairs of a node and bits."""
        self._product, self._bits, self._pause = product, bits, pause
        self._control = np.zeros(paths.SIZE, np.int64)
        table_bits = max(4, (2 * most).bit_length())
        self._table = Region(4 << table_bits, 4 << table_bits)
        self._nodes, self._parents = Region(4 * most, 4 * most), Region(4 * most, 4 * most)
        self._met, self._edges = Region(8 * most, 8 * most), Region(8 * most, 8 * most)
        for place, value in (
            (paths.E_NODE, self._nodes.address),
            (paths.E_BITS, self._met.address),
            (paths.E_PARENT, self._parents.address),
            (paths.E_EDGE, self._edges.address),
            (paths.TABLE, self._table.address),
            (paths.TABLE_BITS, table_bits),
            (paths.MOST, most),
            (paths.LEVEL_END, 1),
            (paths.GAIN_STEP, bits.step.ctypes.data),
            (paths.GAIN_STATE, bits.state.ctypes.data),
            (paths.GAIN_MOVE, bits.move.ctypes.data),
            (paths.KEEP, _signed(bits.keep)),
            (paths.NEED, _signed(bits.need)),
            (paths.TAKEN, _signed(bits.taken)),
            (paths.SHIFT, bits.shift),
        ):
            self._control[place] = value

    @property
    def entries(self) -> int:
        """How many pairs of a node and obligations were looked at."""
        return int(self._control[paths.ENTRIES])

    def run(
        self, node: int, begin: int, below: int | None, *, want: int = 0, back_to: int | None = None
    ) -> int:
        """Search from a node on: for a cycle with fewer than ``below`` steps, or for a step that gains a bit of ``want``.

        The loop's reason: ``HIT``, ``DONE`` (there is none), ``FULL`` (there was no room).
        """
        control, address = self._control, int(self._control.ctypes.data)
        control[paths.START] = node if back_to is None else back_to
        control[paths.DEEPEST] = (1 << 62) if below is None else below - 1
        control[paths.WANT] = _signed(want)
        paths.enter(address, node, _signed(begin & self._bits.keep), 0, 0)
        reason = paths.AGAIN
        while reason == paths.AGAIN:
            reason = paths.around(self._product.address, address, _BUDGET)
            self._pause(int(control[paths.FOLLOWED]), int(control[paths.ENTRIES]))
        return reason

    def steps(self) -> tuple[tuple[tuple[int, int], ...], int, int]:
        """What was found: the steps, the node that they lead to, the bits gained."""
        control, count = self._control, self.entries
        parents, edges = self._parents.words(np.uint32, count), self._edges.words(np.uint64, count)
        found, entry = [int(control[paths.LAST_EDGE])], int(control[paths.LAST_ENTRY])
        while entry:
            found.append(int(edges[entry]))
            entry = int(parents[entry])
        graph = self._product.graph
        taken = tuple((int(graph.label[e]), int(graph.target[e])) for e in reversed(found))
        bits = int(control[paths.LAST_BITS]) % (1 << 64)
        return taken, int(control[paths.LAST_NODE]), bits


def _signed(word: int) -> int:
    """A word without a sign, as the control block holds it."""
    return word - (1 << 64) if word >> 63 else word


def _numbers(masks: Words) -> list[int]:
    """The numbers of the bits set in a row of words."""
    return [64 * w + b for w, word in enumerate(masks.tolist()) for b in range(64) if word >> b & 1]
