"""The calmest of the shortest runs: fewest switches between threads, then the first in declaration order.

Among all runs of the least length that lead from some initial state to what was found (a state, or a last step, that violates a
property or is a witness), one has the fewest switches; of several the one whose choice of init's parameters, then whose first
step, then whose second step, ... comes first in declaration order. What a switch is, ``trace.threads`` says.

Only levels that are known whole are looked at, even if the search stopped in the middle of one: the last step of a run starts
from a state of the level before, and what it shows is found out anew. So the run depends on the system only, neither on the limits nor
on the reductions of a search. How it is found: see ``cone``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from explorer.compiler.llvm_program import REACHABLE, STEP_INVARIANT
from explorer.compiler.packing import WORD_BITS, Words
from explorer.search import cone, orbit
from explorer.search.found import Found, InternalError, Occurrence
from explorer.search.region import Region, machine_memory
from explorer.search.symmetry import Symmetry
from explorer.search.threads import Threads

WITNESS_STATES = 1 << 20
"""A run to a witness is hardly ever read: so many states are looked at once more for its sake, and not more."""

_BUDGET = 5_000
# The logarithm of how many slots a table has at least, and with how many it stays in the cache.
_LEAST_BITS, _QUICK_BITS = 10, 14
_AT_ONCE = cone.MOST_GOALS
# Levels between two calls of ``pause``.
_LEVELS = 64
# Entries of the cone, and words of records, that there is room for at first.
_FIRST_ROOM = 1 << 12

Target = tuple[Literal["property", "failure", "deadlock"], int]
"""What was found: a property by its number, a failure by its number, a deadlock."""


class GaveUp(Exception):
    """The symmetry would have to try too many orders of names."""


@dataclass(frozen=True)
class Calm:
    """A run: the number of the initial state, the instances of its steps."""

    initial: int
    steps: tuple[int, ...]


def calmest(
    found: Found,
    occurrences: Mapping[Target, Occurrence],
    initial: Sequence[Sequence[int]],
    switches: Sequence[int],
    threads: Threads,
    symmetry: Symmetry | None = None,
    pause: Callable[[int, int], None] = lambda done, of: None,
    *,
    witnesses: frozenset[Target] = frozenset(),
) -> dict[Target, Calm]:
    """The calmest run to each target, but for witnesses that would take more work than they are worth.

    The states of all levels up to the deepest target are expanded once more, for all targets together (for each 64 of them).
    Memory is needed for the states on shortest ways to a target: 20 bytes each, and for each target that such a state leads to
    another 16 (8 more for each further 64 threads).

    Parameters
    ----------
    occurrences
        The first occurrence of each target, as the search found it.
    initial, switches
        As for the search: the leaf values of each initial state; the design.
    symmetry
        That of the search. The run is one of the system all the same.
    witnesses
        Targets that are left out where more than ``WITNESS_STATES`` states would have to be looked at only for them.
    pause
        Called now and then with how many states were looked at, of how many; may raise to end the work.

    Raises
    ------
    GaveUp
        The symmetry did.
    MemoryError
        There is not enough memory.
    """
    runs: dict[Target, Calm] = {}
    goals: list[_Goal] = []
    ends = found.ends(max((o.state for o in occurrences.values()), default=-1))
    for target, where in occurrences.items():
        depth = bisect_right(ends, where.state) + (where.instance is not None)
        if depth:
            goals.append(_Goal(target, depth))
        else:
            runs[target] = Calm(found.choices[where.state], ())
    swept = [goal.sweeps_from for goal in goals if goal.target not in witnesses]
    deepest = max(swept, default=-1)
    while deepest + 1 < len(ends) and ends[deepest + 1] <= WITNESS_STATES:
        deepest += 1
    goals = sorted((g for g in goals if g.sweeps_from <= deepest), key=lambda goal: goal.depth)
    for first in range(0, len(goals), _AT_ONCE):
        some = goals[first : first + _AT_ONCE]
        work = _Work(found, some, ends, switches, threads, symmetry, pause)
        runs |= work.runs(initial)
    return {target: runs[target] for target in occurrences if target in runs}


@dataclass(frozen=True)
class _Goal:
    """A target and how many steps it takes to get there."""

    target: Target
    depth: int

    @property
    def sweeps_from(self) -> int:
        """The deepest level that has to be looked at: where the last step starts, or where no step is left."""
        return self.depth if self.target[0] == "deadlock" else self.depth - 1


@dataclass
class _Way:
    """A run under way: where it starts, its steps so far, its state, and the switches still to come."""

    initial: int
    steps: list[int]
    state: Words
    switches: int


class _Work:
    """One sweep for some goals, and the runs that follow from it."""

    def __init__(
        self,
        found: Found,
        goals: Sequence[_Goal],
        ends: Sequence[int],
        switches: Sequence[int],
        threads: Threads,
        symmetry: Symmetry | None,
        pause: Callable[[int, int], None],
    ) -> None:
        self._found, self._goals, self._ends = found, goals, ends
        self._threads, self._symmetry, self._pause = threads, symmetry, pause
        self._by_depth: dict[int, list[int]] = {}
        for number, goal in enumerate(goals):
            self._by_depth.setdefault(goal.depth, []).append(number)
        self._control = np.zeros(cone.SIZE, np.int64)
        self._address = int(self._control.ctypes.data)
        self._arrays: dict[int, NDArray[Any]] = {}
        # Per level, where its part of the cone begins and ends.
        self._bounds: dict[int, tuple[int, int]] = {}
        self._since = self._done = 0
        self._place(switches)

    def runs(self, initial: Sequence[Sequence[int]]) -> dict[Target, Calm]:
        """The calmest run to each goal; ``initial`` are the initial states as leaf values."""
        for level in range(max(goal.sweeps_from for goal in self._goals), -1, -1):
            self._sweep(level)
        ways = self._begin(initial)
        for level in range(self._goals[-1].depth):
            self._prepare(level)
            for number, goal in enumerate(self._goals):
                if goal.depth > level:
                    self._follow(number, ways[number])
            self._rest(1)
        return {
            goal.target: Calm(way.initial, tuple(way.steps))
            for goal, way in zip(self._goals, ways, strict=True)
        }

    # Backwards

    def _sweep(self, level: int) -> None:
        """Find the level's part of the cone."""
        control = self._control
        self._prepare(level)
        begin = int(control[cone.COUNT])
        control[cone.NEXT] = self._ends[level - 1] if level else 0
        control[cone.LAST] = self._ends[level]
        reason = cone.AGAIN
        while reason != cone.DONE:
            if reason == cone.GAVE_UP:
                raise GaveUp
            if reason == cone.GROW:
                self._grow()
            before = int(control[cone.NEXT])
            reason = cone.sweep(self._address, _BUDGET)
            done = int(control[cone.NEXT]) - before
            self._done += done
            self._rest(1 + done * _LEVELS // _BUDGET)
        self._bounds[level] = begin, int(control[cone.COUNT])

    def _prepare(self, level: int) -> None:
        """What the steps from a level show and where they lead."""
        control, program = self._control, self._found.native.program
        control[cone.ROUND] += 1
        for place in (cone.ON_STATES, cone.ON_STEPS, cone.FAILURE):
            self._arrays[place].fill(0)
        for place in (cone.ANY_STATES, cone.ANY_STEPS, cone.STUCK):
            control[place] = 0
        for number in self._by_depth.get(level + 1, ()):
            kind, index = self._goals[number].target
            if kind == "failure":
                self._arrays[cone.FAILURE][index] |= np.uint64(1 << number)
            elif kind == "property":
                on_step = program.predicates[index].kind == STEP_INVARIANT
                bits = self._arrays[cone.ON_STEPS if on_step else cone.ON_STATES]
                bits[index // WORD_BITS] |= np.uint64(1 << index % WORD_BITS)
                control[cone.ANY_STEPS if on_step else cone.ANY_STATES] = 1
        for number in self._by_depth.get(level, ()):
            if self._goals[number].target[0] == "deadlock":
                control[cone.STUCK] = _signed(1 << number)
        self._enter(level + 1)

    def _enter(self, level: int) -> None:
        """Make the table of a level's part of the cone."""
        control = self._control
        control[cone.QUICK] = False
        control[cone.LOW], control[cone.HIGH] = low, high = self._bounds.get(level, (0, 0))
        if low < high:
            # A small table can be so empty that hardly any state meets another's slot.
            bits = max(_LEAST_BITS, (16 * (high - low)).bit_length())
            if bits > _QUICK_BITS:
                bits = max(_QUICK_BITS, (2 * (high - low)).bit_length())
            self._table.grow(8 << bits)
            control[cone.TABLE], control[cone.BITS] = self._table.address, bits
            cone.fill(self._address)
            plain = self._symmetry is None and not (
                control[cone.ANY_STATES] or control[cone.ANY_STEPS]
            )
            control[cone.QUICK] = plain and bits <= _QUICK_BITS

    # Forwards

    def _begin(self, initial: Sequence[Sequence[int]]) -> list[_Way]:
        """Where the runs start."""
        self._enter(0)
        best: dict[int, _Way] = {}
        for choice, values in enumerate(initial):
            state = self._found.native.pack(values)
            for number, least in self._least(state):
                if number not in best or least < best[number].switches:
                    best[number] = _Way(choice, [], state.copy(), least)
        if len(best) < len(self._goals):
            raise InternalError("what the search found cannot be reached again")
        return [best[number] for number in range(len(self._goals))]

    def _least(self, state: Words) -> list[tuple[int, int]]:
        """The goals that an initial state leads to, with how few switches each."""
        control, scratch = self._control, self._arrays[cone.SCRATCH]
        if control[cone.LOW] == control[cone.HIGH]:
            return []
        scratch[:] = state
        entry = cone.find(self._address, int(scratch.ctypes.data)) - 1
        if entry < 0:
            return []
        goals = int(self._regions[cone.GOALS].words(np.uint64, entry + 1)[entry])
        place = int(self._regions[cone.FIRST].words(np.uint64, entry + 1)[entry])
        records = self._regions[cone.RECORDS].words(np.uint64, int(control[cone.USED]))
        found = []
        for number in range(len(self._goals)):
            if goals >> number & 1:
                found.append((number, int(records[place])))
                place += self._record
        return found

    def _follow(self, number: int, way: _Way) -> None:
        """Take the next step of a run."""
        control = self._control
        control[cone.ONE] = number
        before = self._threads.of[way.steps[-1]] if way.steps else None
        control[cone.BEFORE] = -1 if before is None else before
        instance = cone.follow(self._address, int(way.state.ctypes.data))
        # The first step is no switch.
        left = int(control[cone.SWITCHES]) - (before is None)
        switched = before is not None and self._threads.of[instance] != before
        if instance < 0 or left != way.switches:
            raise InternalError("a run to what the search found has other switches than before")
        way.steps.append(instance)
        way.switches -= switched

    # Memory

    def _place(self, switches: Sequence[int]) -> None:
        native, symmetry = self._found.native, self._symmetry
        program, words = native.program, native.packing.words
        threads, goals = self._threads, len(self._goals)
        sets = -(-threads.count // WORD_BITS)
        masks = max(1, -(-len(program.predicates) // WORD_BITS))
        instances = max(1, len(program.instances))
        names = 0 if symmetry is None else symmetry.names
        met = 1 << cone.MET_BITS
        starts = np.cumsum([0, *(len(p) for p in threads.parts)])
        goal_of = np.zeros(max(1, len(program.predicates)), np.uint64)
        for number, goal in enumerate(self._goals):
            if goal.target[0] == "property":
                goal_of[goal.target[1]] = number
        wrong = np.zeros(masks, np.uint64)
        for i, predicate in enumerate(program.predicates):
            if predicate.kind != REACHABLE:
                wrong[i // WORD_BITS] |= np.uint64(1 << i % WORD_BITS)
        flat = [part for parts in threads.parts for part in parts] or [(0, 0)]
        for place, value in (
            (cone.EXPAND, native.expand),
            (cone.CHECK, native.check),
            (cone.STEP, native.step),
            (cone.FINAL, native.final),
            (cone.WORDS, words),
            (cone.ORBIT, symmetry.address if symmetry else 0),
            (cone.CANONICAL, orbit.canonical.address if symmetry else 0),
            (cone.NAMES, names),
            (cone.SETS, sets),
            (cone.MASKS, masks),
            (cone.ONE, -1),
        ):
            self._control[place] = value
        for place, array in (
            (cone.DESIGN, np.array([s % (1 << WORD_BITS) for s in switches] or [0], np.uint64)),
            (cone.STATES, self._found.rows),
            (cone.OUT, np.empty(instances * words, np.uint64)),
            (cone.INSTANCE, np.empty(instances, np.uint32)),
            (
                cone.EVENTS,
                np.empty(sum(len(t.soft) + 1 for t in program.transitions) + 1, np.uint64),
            ),
            (cone.TAKEN, np.zeros(max(1, len(program.actions)), np.int64)),
            (cone.SCRATCH, np.empty(words, np.uint64)),
            (cone.TRUTHS, np.zeros(masks, np.uint64)),
            (cone.UNCLEAR, np.zeros(masks, np.uint64)),
            (cone.THREAD, np.array(threads.of or [0], np.uint32)),
            (cone.PART, starts[:-1].astype(np.int64)),
            (cone.PARTS, np.diff(starts).astype(np.int64)),
            (cone.PART_NAME, np.array([name for name, _ in flat], np.int64)),
            (cone.PART_STRIDE, np.array([stride for _, stride in flat], np.int64)),
            (cone.ON_STATES, np.zeros(masks, np.uint64)),
            (cone.ON_STEPS, np.zeros(masks, np.uint64)),
            (cone.WRONG, wrong),
            (cone.GOAL, goal_of),
            (cone.FAILURE, np.zeros(max(1, len(program.failure_names)), np.uint64)),
            (cone.MET, np.empty(words * met, np.uint64)),
            (cone.MET_IN, np.zeros(met, np.uint64)),
            (cone.MET_ENTRY, np.zeros(met, np.uint64)),
            (cone.MET_SHOWS, np.zeros(met, np.uint64)),
            (cone.MET_RANK, np.empty(max(1, names) * met, np.uint64)),
            (cone.BEST, np.zeros(goals, np.int64)),
            (cone.THREADS, np.zeros(goals * sets, np.uint64)),
        ):
            self._arrays[place] = array
            self._control[place] = array.ctypes.data
        if symmetry is not None:
            # What was canonical in the search is so now; how many orders that takes was settled then.
            symmetry.begin()
        self._record = 1 + sets
        self._regions: dict[int, Region] = {}
        self._control[cone.ROOM] = _FIRST_ROOM
        # The loop wants room for every goal of a state.
        self._control[cone.RECORD_ROOM] = max(_FIRST_ROOM, cone.MOST_GOALS * self._record)
        for place, size in self._sizes():
            self._regions[place] = Region(size, machine_memory())
        self._table = Region(8 << 4, machine_memory())
        self._locate()

    def _sizes(self) -> list[tuple[int, int]]:
        """Bytes for the parts of the cone."""
        room, records = int(self._control[cone.ROOM]), int(self._control[cone.RECORD_ROOM])
        return [
            (cone.STATE, 4 * room),
            (cone.GOALS, 8 * room),
            (cone.FIRST, 8 * room),
            (cone.RECORDS, 8 * records),
        ]

    def _grow(self) -> None:
        self._control[cone.ROOM] *= 2
        self._control[cone.RECORD_ROOM] *= 2
        for place, size in self._sizes():
            self._regions[place].grow(size)
        self._locate()

    def _locate(self) -> None:
        for place, region in self._regions.items():
            self._control[place] = region.address

    def _rest(self, work: int) -> None:
        """Let the caller look around once enough was done since the last time."""
        self._since += work
        if self._since >= _LEVELS:
            self._since = 0
            self._pause(self._done, self._ends[-1])


def _signed(word: int) -> int:
    """A word without a sign, as the control block holds it."""
    return word - (1 << 64) if word >> 63 else word
