"""The arrays of one search and how they grow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.compiler.llvm_program import INSTANCE_SHIFT, NUMBER_MASK, REACHABLE, STEP_INVARIANT
from explorer.compiler.native import Native
from explorer.compiler.packing import WORD_BITS, Words
from explorer.search import control as at
from explorer.search import loop, orbit
from explorer.search.found import Found, InternalError, Occurrence
from explorer.search.history import History
from explorer.search.region import Region, machine_memory
from explorer.search.symmetry import Symmetry

# Successors looked up together: enough for prefetched lines to arrive, few enough for the buffer to stay in the cache.
BATCH = 64
# Small searches are the most frequent ones; large ones grow soon enough.
_FIRST_BITS = 14
# A slot has 32 bits for the number of a state and 32 for its hash.
_MOST_BITS, _MOST_STATES = 32, (1 << 32) - 2
# Of states met lately that are remembered: they should fit into the second-level cache.
_FILTER_BITS = 12
# Entries that may wait while the table is doubled; hardly any have to.
_SPARE = 1 << 12
_WORD = WORD_BITS // 8


class Space:
    """The arrays of one search. Between calls they are consistent, whatever interrupts."""

    def __init__(
        self,
        native: Native,
        switches: Sequence[int] = (),
        *,
        first: bool = False,
        max_states: int | None = None,
        max_memory: int | None = None,
        batch: int = BATCH,
        symmetry: Symmetry | None = None,
    ) -> None:
        """With ``symmetry`` each state stands for its orbit."""
        program, packing = native.program, native.packing
        self._max_memory = max_memory
        self._symmetry = symmetry
        self._initial: list[int] = []
        self._begun = False
        self._control = np.zeros(at.SIZE, np.int64)
        self._arrays: dict[int, NDArray[Any]] = {}
        batch = 1 if first else batch
        rows = batch + len(program.instances)
        masks = max(1, -(-len(program.predicates) // WORD_BITS))
        self.use(native)
        for place, value in (
            (at.WORDS, packing.words),
            (at.INSTANCES, len(program.instances)),
            (at.MASKS, masks),
            (at.BATCH, batch),
            (at.FILTER_BITS, _FILTER_BITS),
            (at.MAX_STATES, min(_MOST_STATES if max_states is None else max_states, _MOST_STATES)),
            (at.WHOLE, packing.words == 1 and packing.bits < WORD_BITS),
            (at.FIRST, first),
            (at.N_MARKS, 1),
            (at.LEVEL_END, -1),
            (at.DEADLOCK, -1),
            (at.FINAL_UNCLEAR, -1),
            (at.BROKEN_STATE, -1),
            (at.IDLE, -1),
            (at.ORBIT, symmetry.address if symmetry else 0),
            (at.CANONICAL, orbit.canonical.address if symmetry else 0),
        ):
            self._control[place] = value
        self._hold(at.DESIGN, np.array([s % (1 << WORD_BITS) for s in switches], np.uint64))
        self._hold(at.ACTION, np.array([action for action, _ in program.instances], np.uint32))
        self._hold(at.OUT, np.empty(rows * packing.words, np.uint64))
        self._hold(at.HASHES, np.empty(rows, np.uint64))
        self._hold(at.FILTER, np.empty(packing.words << _FILTER_BITS, np.uint64))
        self._hold(at.INSTANCE, np.empty(len(program.instances), np.uint32))
        self._hold(
            at.EVENTS, np.empty(sum(len(t.soft) + 1 for t in program.transitions), np.uint64)
        )
        for place in (at.TRUTHS, at.UNCLEAR):
            self._hold(place, np.zeros(masks, np.uint64))
        for place in (at.TAKEN, at.ENDED):
            self._hold(place, np.zeros(len(program.actions), np.int64))
        self._hold(at.CUTS, np.zeros(len(program.cut_names), np.int64))
        self._remember(masks)
        bits = max(_FIRST_BITS, (3 * rows).bit_length())
        self._control[at.TABLE_BITS] = bits
        self._control[at.ROOM] = _fill(bits)
        # What the machine's memory can hold, or, if there is to be less, that.
        most = machine_memory()
        if max_memory is not None:
            most = min(most, max(max_memory, 0))
        if max_states is not None:
            most = min(most, 4 * (max_states + rows) * _WORD * packing.words)
        self._states = Region(*self._sizes(_fill(bits), most)[0])
        self._marks = Region(*self._sizes(_fill(bits), most)[1])
        self._table = Region(_WORD << bits, most)
        self._locate()

    def use(self, native: Native) -> None:
        """Go on with other code for the same program."""
        self._native = native
        for place, function in (
            (at.EXPAND, native.expand),
            (at.CHECK, native.check),
            (at.STEP, native.step),
            (at.FINAL, native.final),
        ):
            self._control[place] = function

    def begin(self, initial: Iterable[Sequence[int]]) -> int:
        """Enter the initial states. The loop's reason: ``AGAIN``, or a limit that they alone exceed."""
        control = self._control
        reason = at.AGAIN
        for number, values in enumerate(initial):
            if self._need() > control[at.ROOM] and not self.grow():
                return at.GROW
            state = self._native.pack(values)
            known = int(control[at.COUNT])
            reason = loop.enter(self._address, int(state.ctypes.data))
            if control[at.COUNT] > known:
                self._initial.append(number)
            if reason == at.STATE_LIMIT or control[at.STOP]:
                break
        control[at.LEVEL_END] = control[at.COUNT]
        self._begun = True
        return reason

    def run(self, budget: int) -> int:
        """Expand up to ``budget`` states; why the loop returned."""
        return loop.run(self._address, budget)

    def grow(self) -> bool:
        """Make room for more states, or say that the memory limit or the machine does not allow it."""
        control = self._control
        need, bits = self._need(), int(control[at.TABLE_BITS])
        while need > _fill(bits) and bits < _MOST_BITS:
            bits += 1
        room = min(_fill(bits), self._affordable(bits))
        if need > room:
            return False
        try:
            (states, _), (marks, _) = self._sizes(room, 0)
            self._states.grow(states)
            self._marks.grow(marks)
            self._table.grow(_WORD << bits)
        except MemoryError:
            return False
        finally:
            self._locate()
        spare = np.empty(_SPARE, np.uint64)
        while control[at.TABLE_BITS] < bits:
            if not loop.double(self._address, int(spare.ctypes.data), _SPARE):
                loop.refill(self._address)
        control[at.ROOM] = room
        return True

    def found(self, stopped: str | None) -> Found:
        """Everything found so far.

        Raises
        ------
        InternalError
            A step stored a value outside its leaf's range.
        """
        control = self._control
        if control[at.BROKEN_STATE] >= 0:
            raise self._broken()
        count, words = int(control[at.COUNT]), self._native.packing.words
        unclear = list(enumerate(self._occurrences(at.UNCLEAR_STATE, at.UNCLEAR_INSTANCE)))
        if control[at.FINAL_UNCLEAR] >= 0:
            unclear.append((-1, Occurrence(int(control[at.FINAL_UNCLEAR]))))
        taken, ended = self._arrays[at.TAKEN].tolist(), self._arrays[at.ENDED].tolist()
        deadlock, idle = int(control[at.DEADLOCK]), int(control[at.IDLE])
        deeper = self._begun and control[at.COUNT] > control[at.LEVEL_END]
        rows = self._states.words(np.uint64, count * words).reshape(count, words)
        return Found(
            native=self._native,
            states=count,
            transitions=int(control[at.TRANSITIONS]),
            depth=int(control[at.DEPTH]) + bool(deeper),
            # Stopped among the initial states: there are no others.
            choices=tuple(self._initial),
            properties=self._occurrences(at.PROPERTY_STATE, at.PROPERTY_INSTANCE),
            failures=self._occurrences(at.FAILURE_STATE, at.FAILURE_INSTANCE),
            unclear=tuple((i, o) for i, o in unclear if o is not None),
            cuts=tuple(self._arrays[at.CUTS].tolist()),
            deadlock=None if deadlock < 0 else deadlock,
            idle=None if idle < 0 else idle,
            enabled=tuple(t + e for t, e in zip(taken, ended, strict=True)),
            taken=tuple(taken),
            stopped=stopped,
            rows=rows,
            history=History(
                self._native,
                self._arrays[at.DESIGN],
                self._symmetry,
                rows,
                self._marks.words(np.uint32, 2 * int(control[at.N_MARKS])),
            ),
            expanded=self.expanded,
        )

    @property
    def expanded(self) -> int:
        """How many states have been expanded."""
        return int(self._control[at.NEXT])

    @property
    def _address(self) -> int:
        return int(self._control.ctypes.data)

    def _hold(self, place: int, array: NDArray[Any]) -> None:
        """Give the compiled code an array, and keep it as long as its address is known there."""
        self._arrays[place] = array
        self._control[place] = array.ctypes.data

    def _locate(self) -> None:
        """Tell the compiled code where the growing arrays are."""
        for place, region in (
            (at.STATES, self._states),
            (at.MARKS, self._marks),
            (at.TABLE, self._table),
        ):
            self._control[place] = region.address

    def _sizes(self, room: int, most: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """Bytes for the states, and for the marks: for ``room`` states, and at most."""
        row = _WORD * self._native.packing.words
        marks = (room // at.MARK_EVERY + 2) * _WORD
        return (room * row, most), (marks, most // (row * at.MARK_EVERY) * _WORD)

    def _affordable(self, bits: int) -> int:
        """States that there is memory for beside the table, or all."""
        if self._max_memory is None:
            return _MOST_STATES
        each = _WORD * self._native.packing.words + _WORD // at.MARK_EVERY + 1
        return (self._max_memory - (_WORD << bits)) // each

    def _remember(self, masks: int) -> None:
        """What is to be found: properties on states, on steps, failures."""
        program = self._native.program
        kinds = [p.kind for p in program.predicates]
        self._hold(at.WRONG, _bits([kind != REACHABLE for kind in kinds], masks))
        self._hold(at.ON_STATES, _bits([kind != STEP_INVARIANT for kind in kinds], masks))
        self._hold(at.ON_STEPS, _bits([kind == STEP_INVARIANT for kind in kinds], masks))
        self._control[at.PENDING_STEPS] = kinds.count(STEP_INVARIANT)
        self._control[at.PENDING_STATES] = len(kinds) - kinds.count(STEP_INVARIANT)
        for place in (
            at.PROPERTY_STATE,
            at.PROPERTY_INSTANCE,
            at.UNCLEAR_STATE,
            at.UNCLEAR_INSTANCE,
        ):
            self._hold(place, np.full(len(kinds), -1, np.int64))
        for place in (at.FAILURE_STATE, at.FAILURE_INSTANCE):
            self._hold(place, np.full(len(program.failure_names), -1, np.int64))

    def _need(self) -> int:
        """Room for what is stored and buffered and for another expansion."""
        control = self._control
        return int(control[at.COUNT] + control[at.HELD] + control[at.INSTANCES]) + 1

    def _occurrences(self, states: int, instances: int) -> tuple[Occurrence | None, ...]:
        pairs = zip(self._arrays[states].tolist(), self._arrays[instances].tolist(), strict=True)
        return tuple(
            None if state < 0 else Occurrence(state, None if instance < 0 else instance)
            for state, instance in pairs
        )

    def _broken(self) -> InternalError:
        program = self._native.program
        event = int(self._control[at.BROKEN_EVENT])
        action, values = program.instances[event >> INSTANCE_SHIFT]
        leaf = program.leaves[event & NUMBER_MASK]
        return InternalError(
            f"action {program.actions[action].name}{values} stores a value outside "
            f"{leaf.low}..{leaf.high} in {leaf.path} without a range violation"
        )


def _fill(bits: int) -> int:
    """How many states a table takes: linear probing gets slow when it is fuller."""
    return (1 << bits) // 4 * 3


def _bits(flags: Sequence[bool], masks: int) -> Words:
    """The flags as bit masks."""
    whole = sum(flag << i for i, flag in enumerate(flags))
    return np.array(
        [whole >> WORD_BITS * m & (1 << WORD_BITS) - 1 for m in range(masks)], np.uint64
    )
