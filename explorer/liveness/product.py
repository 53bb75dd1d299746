"""The reachable part of the product of a state graph and an automaton."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from explorer.liveness import steps
from explorer.liveness.graph import FairSets, Graph, Words
from explorer.search.region import Region

Pause: TypeAlias = Callable[[int, int], None]
"""Called now and then with how much is done, and of how much; what it raises ends the work."""

# States, and steps of the product, between two pauses.
_STATES, _STEPS = 20_000, 400_000
_MOST_STATES = 64
_MOST_NODES = 1 << 31
# Up to here a table of all letters is smaller than sorting takes time.
_FEW_ATOMS = 16


class Automaton(Protocol):
    """A Büchi automaton with acceptance conditions on its moves: each is to be satisfied infinitely often."""

    @property
    def states(self) -> int:
        """How many states it has."""
        ...

    @property
    def initial(self) -> int:
        """Where it starts, unless it has a method ``starts``: by the run's first letter, the mask of states."""
        ...

    @property
    def conditions(self) -> int:
        """How many acceptance conditions it has."""
        ...

    def moves(self, state: int, letter: int) -> Sequence[tuple[int, int]]:
        """The moves that read a letter (a bit per atom): the next state, and a bit per condition that the move satisfies."""
        ...

    def stops(self, state: int, letter: int) -> bool:
        """Whether the letter for ever is accepted from the state."""
        ...


class Letters:
    """The labels of all states as numbers of the combinations of atoms that occur."""

    def __init__(self, labels: Words, atoms: Sequence[int]) -> None:
        """``labels`` has a bit mask for each state; the automaton's atom i is bit ``atoms[i]`` of it."""
        self.letters, self.of_state = _combinations(labels, atoms[:64])
        for start in range(64, len(atoms), 64):
            more, numbers = _combinations(labels, atoms[start : start + 64])
            both = self.of_state.astype(np.uint64) * np.uint64(len(more)) + numbers
            pairs, inverse = np.unique(both, return_inverse=True)
            self.of_state = inverse.reshape(-1).astype(np.uint32)
            split = (divmod(int(pair), len(more)) for pair in pairs)
            self.letters = [self.letters[a] | more[b] << start for a, b in split]


def _combinations(labels: Words, atoms: Sequence[int]) -> tuple[list[int], NDArray[np.uint32]]:
    """The combinations of up to 64 atoms that occur, and for each state the number of its own."""
    key = np.zeros(len(labels), np.uint64)
    for i, atom in enumerate(atoms):
        bit = labels[:, atom // 64] >> np.uint64(atom % 64) & np.uint64(1)
        key |= bit << np.uint64(i)
    if len(atoms) <= _FEW_ATOMS:
        used = np.zeros(1 << len(atoms), bool)
        used[key] = True
        numbers = (np.cumsum(used) - 1).astype(np.uint32)
        return [int(n) for n in np.flatnonzero(used)], numbers[key]
    letters, inverse = np.unique(key, return_inverse=True)
    return [int(n) for n in letters], inverse.reshape(-1).astype(np.uint32)


class Product:
    """The nodes that can be reached, and what is needed to walk through them.

    Per state of the graph 24 bytes while this is made, 16 afterwards.
    """

    def __init__(
        self,
        graph: Graph,
        automaton: Automaton,
        letters: Letters,
        pause: Pause = lambda done, of: None,
    ) -> None:
        assert automaton.states <= _MOST_STATES
        self.graph, self.automaton, self.letters = graph, automaton, letters
        self.control = np.zeros(steps.SIZE, np.int64)
        self._arrays: dict[int, NDArray[Any]] = {}
        self.conditions = (1 << automaton.conditions) - 1
        size = automaton.states
        # By letter and automaton state.
        self.moves = [
            sorted(set(automaton.moves(q, letter)))
            for letter in letters.letters
            for q in range(size)
        ]
        self.candidates = _recurring(self.moves, size, self.conditions)
        successors = [sum({1 << q for q, _ in moves}) for moves in self.moves]
        kept = [[m for m in moves if self.candidates >> m[0] & 1] for moves in self.moves]
        self.marks = np.array([m for moves in kept for _, m in moves] or [0], np.uint64)
        for place, array in (
            (steps.FIRST, graph.first),
            (steps.TARGET, graph.target),
            (steps.LABEL, graph.label),
            (steps.LETTER, letters.of_state),
            (steps.SUCCESSORS, np.array(successors or [0], np.uint64)),
            (steps.FIRST_MOVE, np.cumsum([0, *map(len, kept)]).astype(np.uint64)),
            (steps.MOVE_TO, np.array([q for moves in kept for q, _ in moves] or [0], np.uint64)),
            (steps.MOVE_MARKS, self.marks),
        ):
            self.hold(place, array)
        self.control[steps.WIDE] = graph.wide
        self.control[steps.COUNT] = graph.states
        self.control[steps.SIZE_OF] = size
        self.met = np.zeros(graph.states, np.uint64)
        self._reach(pause)

    def hold(self, place: int, array: NDArray[Any]) -> None:
        """Give the compiled code an array, and keep it as long as its address is known there."""
        self._arrays[place] = array
        self.control[place] = array.ctypes.data

    def drop(self, *places: int) -> None:
        """Let arrays go."""
        for place in places:
            self._arrays.pop(place, None)
            self.control[place] = 0

    @property
    def address(self) -> int:
        return int(self.control.ctypes.data)

    def starts(self, state: int) -> int:
        """The automaton's states in which it can be where a run begins, as a bit mask."""
        choose = getattr(self.automaton, "starts", None)
        if choose is None:
            return 1 << self.automaton.initial
        return int(choose(self.letters.letters[int(self.letters.of_state[state])]))

    @cached_property
    def stopping(self) -> Words:
        """For each state the automaton's states from which it accepts that state for ever."""
        size = self.automaton.states
        masks = [
            sum(1 << q for q in range(size) if self.automaton.stops(q, letter))
            for letter in self.letters.letters
        ]
        return np.array(masks or [0], np.uint64)[self.letters.of_state]

    def violating_stops(self, may_stop: NDArray[np.bool_]) -> Words:
        """For each state the automaton's states with which a run that stops there is accepted."""
        return np.where(may_stop, self.stopping & self.met, np.uint64(0))

    def _reach(self, pause: Pause) -> None:
        graph = self.graph
        todo = np.zeros(graph.states, np.uint64)
        queue = np.zeros(max(1, graph.states), np.uint32)
        begin = [s for s in dict.fromkeys(graph.initial.tolist()) if self.starts(s)]
        queue[: len(begin)] = begin
        for state in begin:
            self.met[state] = todo[state] = self.starts(state)
        self.hold(steps.MET, self.met)
        self.hold(steps.TODO, todo)
        self.hold(steps.QUEUE, queue)
        self.control[steps.LENGTH] = len(begin)
        while steps.reach(self.address, _STATES) == steps.AGAIN:
            pause(0, 1)
        self.drop(steps.TODO, steps.QUEUE)


class FairNodes:
    """All maximal fair strongly connected parts of a product, by node.

    Only nodes whose automaton state can recur are numbered. Per such node 13 bytes, and up to 24 more for those on the
    longest path of the search and 8 where strong fairness makes it go on in parts.
    """

    def __init__(
        self,
        product: Product,
        sets: FairSets,
        enabled: Words,
        pause: Pause = lambda done, of: None,
    ) -> None:
        """``enabled`` is what ``sets.enabled`` returns for the product's graph."""
        self.product = product
        control = product.control
        self.base = np.zeros(product.graph.states, np.uint32)
        product.hold(steps.BASE, self.base)
        # An unsigned mask in a signed word.
        control[steps.CANDIDATES] = np.array(product.candidates, np.uint64).astype(np.int64)
        count = steps.count_nodes(product.address) if product.candidates else 0
        if count >= _MOST_NODES:
            raise MemoryError
        self.count = count
        self.state = np.zeros(count, np.uint32)
        self.q = np.zeros(count, np.uint8)
        self.region = np.zeros(count, np.uint32)
        self.parts = 0
        if not count:
            return
        for place, array in (
            (steps.NODE_STATE, self.state),
            (steps.NODE_Q, self.q),
            (steps.REGION, self.region),
            (steps.INDEX, np.zeros(count, np.uint32)),
            (steps.MEMBER, sets.member),
            (steps.ENABLED, enabled),
            (steps.WEAK, sets.weak),
            (steps.STRONG, sets.strong),
            (steps.SEEN, np.zeros(3 * sets.words, np.uint64)),
        ):
            product.hold(place, array)
        steps.list_nodes(product.address)
        regions = [Region(size, size) for size in (24 * count, 4 * count, 4 * count, 4 * count)]
        frames, stack, roots, later = regions
        control[steps.FRAMES], control[steps.STACK] = frames.address, stack.address
        control[steps.MASKS] = sets.words
        control[steps.CONDITIONS] = product.conditions
        control[steps.NEXT_REGION], control[steps.FAIR] = 2, 0
        control[steps.ROOTS], control[steps.N_ROOTS] = 0, count
        while control[steps.N_ROOTS]:
            for place, value in (
                (steps.ROOT, 0),
                (steps.LATER, later.address),
                (steps.N_LATER, 0),
                (steps.NEXT_INDEX, 1),
                (steps.COMPONENT, (1 << 32) - 2),
                (steps.LIMIT, control[steps.NEXT_REGION]),
            ):
                control[place] = value
            while steps.components(product.address, _STEPS) == steps.AGAIN:
                pause(int(control[steps.ROOT]), int(control[steps.N_ROOTS]))
            roots, later = later, roots
            control[steps.ROOTS] = roots.address
            control[steps.N_ROOTS] = control[steps.N_LATER]
        self.parts = int(control[steps.FAIR])
        product.drop(steps.INDEX)

    @property
    def is_fair(self) -> NDArray[np.bool_]:
        """For each node whether it is on a fair cycle."""
        return self.region >= steps.FAIR_BIT

    def number(self, state: int, q: int) -> int | None:
        """The number of a node; None if it has none."""
        candidates = self.product.candidates
        met = int(self.product.met[state]) & candidates
        if not met >> q & 1:
            return None
        return int(self.base[state]) + (met & (1 << q) - 1).bit_count()

    def by_state(self) -> Words:
        """For each state the automaton's states with which it is on a fair cycle."""
        result = np.zeros(self.product.graph.states, np.uint64)
        fair = np.flatnonzero(self.is_fair)
        bits = np.uint64(1) << self.q[fair].astype(np.uint64)
        np.bitwise_or.at(result, self.state[fair], bits)
        return result


def _recurring(moves: Sequence[Sequence[tuple[int, int]]], size: int, conditions: int) -> int:
    """The automaton's states in a strongly connected part that has moves for all conditions."""
    reached = [1 << q for q in range(size)]
    after = [0] * size
    for number, targets in enumerate(moves):
        for target, _ in targets:
            after[number % size] |= 1 << target
    for q in range(size):
        seen, new = 0, after[q]
        while new:
            seen |= new
            new = _union(after, new) & ~seen
        reached[q] = seen
    result = 0
    for q in range(size):
        part = [p for p in range(size) if reached[q] >> p & 1 and reached[p] >> q & 1]
        met, inside = 0, False
        for number, targets in enumerate(moves):
            if number % size in part:
                for target, marks in targets:
                    if target in part:
                        inside, met = True, met | marks
        if inside and met == conditions:
            result |= 1 << q
    return result


def _union(masks: Sequence[int], wanted: int) -> int:
    result = 0
    while wanted:
        result |= masks[(wanted & -wanted).bit_length() - 1]
        wanted &= wanted - 1
    return result
