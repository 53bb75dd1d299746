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
from explorer.search import loop
from explorer.search.found import Found, InternalError, Occurrence
from explorer.search.symmetry import Symmetry

# Successors looked up together: enough for prefetched lines to arrive, few enough for the buffer to stay in the cache.
BATCH = 64
# Small searches are the most frequent ones; large ones grow soon enough.
_FIRST_ROWS = 1 << 12
_FIRST_SLOTS = 1 << 14
# A state's number takes 32 bits.
_MOST_STATES = (1 << 32) - 2


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
        self._initial: int | None = None
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
            (at.MAX_STATES, min(_MOST_STATES if max_states is None else max_states, _MOST_STATES)),
            (at.WHOLE, packing.words == 1 and packing.bits < WORD_BITS),
            (at.FIRST, first),
            (at.DEADLOCK, -1),
            (at.FINAL_UNCLEAR, -1),
            (at.BROKEN_STATE, -1),
            (at.ORBIT, symmetry.address if symmetry else 0),
            (at.CANONICAL, symmetry.function if symmetry else 0),
        ):
            self._control[place] = value
        self._hold(at.DESIGN, np.array([s % (1 << WORD_BITS) for s in switches], np.uint64))
        self._hold(at.ACTION, np.array([action for action, _ in program.instances], np.uint32))
        self._hold(at.OUT, np.empty(rows * packing.words, np.uint64))
        self._hold(at.INSTANCE, np.empty(rows, np.uint32))
        self._hold(at.SOURCE, np.empty(rows, np.uint32))
        self._hold(at.HASHES, np.empty(rows, np.uint64))
        self._hold(
            at.EVENTS, np.empty(sum(len(t.soft) + 1 for t in program.transitions), np.uint64)
        )
        for place in (at.TRUTHS, at.UNCLEAR):
            self._hold(place, np.zeros(masks, np.uint64))
        for place in (at.TAKEN, at.ENDED):
            self._hold(place, np.zeros(len(program.actions), np.int64))
        self._hold(at.CUTS, np.zeros(len(program.cut_names), np.int64))
        self._remember(masks)
        capacity = max(_FIRST_ROWS, 2 * rows)
        self._hold_states(0, capacity)
        self._hold_table(max(_FIRST_SLOTS, 1 << (2 * capacity).bit_length()))

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
        for number, values in enumerate(initial):
            if self._need() > control[at.ROOM] and not self.grow():
                return at.GROW
            state = self._native.pack(values)
            loop.enter(self._address, int(state.ctypes.data), number)
            if control[at.HELD] == control[at.BATCH]:
                if loop.settle(self._address) == at.STATE_LIMIT:
                    return at.STATE_LIMIT
                if control[at.STOP]:
                    break
        reason = int(loop.settle(self._address))
        self._initial = int(control[at.COUNT])
        return reason

    def run(self, budget: int) -> int:
        """Expand up to ``budget`` states; why the loop returned."""
        return int(loop.run(self._address, budget))

    def grow(self) -> bool:
        """Make room for more states, or say that the memory limit or the machine does not allow it."""
        control, words = self._control, self._native.packing.words
        count, old_capacity = int(control[at.COUNT]), len(self._arrays[at.PARENT])
        need = self._need()
        capacity, slots = old_capacity, int(control[at.SLOTS])
        while need > capacity:
            capacity *= 2
        while need > _fill(slots):
            slots *= 4
        # Rows are copied, so old and new ones exist at once; the table is made anew from the rows.
        rows = capacity if capacity == old_capacity else capacity + old_capacity
        if self._max_memory is not None and rows * 8 * (words + 1) + slots * 8 > self._max_memory:
            return False
        try:
            if capacity != old_capacity:
                self._hold_states(count, capacity)
            if slots != control[at.SLOTS]:
                self._hold_table(slots)
                loop.rehash(self._address)
        except MemoryError:
            return False
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
        deadlock = int(control[at.DEADLOCK])
        return Found(
            native=self._native,
            states=count,
            transitions=int(control[at.TRANSITIONS]),
            # Stopped among the initial states: there are no others.
            initial=count if self._initial is None else self._initial,
            properties=self._occurrences(at.PROPERTY_STATE, at.PROPERTY_INSTANCE),
            failures=self._occurrences(at.FAILURE_STATE, at.FAILURE_INSTANCE),
            unclear=tuple((i, o) for i, o in unclear if o is not None),
            cuts=tuple(self._arrays[at.CUTS].tolist()),
            deadlock=None if deadlock < 0 else deadlock,
            enabled=tuple(t + e for t, e in zip(taken, ended, strict=True)),
            taken=tuple(taken),
            stopped=stopped,
            rows=self._arrays[at.STATES][: count * words].reshape(count, words),
            parent=self._arrays[at.PARENT][:count],
            via=self._arrays[at.VIA][:count],
        )

    @property
    def _address(self) -> int:
        return int(self._control.ctypes.data)

    def _hold(self, place: int, array: NDArray[Any]) -> None:
        """Give the compiled code an array, and keep it as long as its address is known there."""
        self._arrays[place] = array
        self._control[place] = array.ctypes.data

    def _hold_states(self, count: int, capacity: int) -> None:
        """Rows for ``capacity`` states, the first ``count`` copied; those not used yet cost no memory."""
        words = self._native.packing.words
        for place, width, kind in (
            (at.STATES, words, np.uint64),
            (at.PARENT, 1, np.uint32),
            (at.VIA, 1, np.uint32),
        ):
            longer = np.empty(capacity * width, kind)
            if count:
                longer[: count * width] = self._arrays[place][: count * width]
            self._hold(place, longer)
        self._set_room()

    def _hold_table(self, slots: int) -> None:
        """An empty table, after giving up the old one: this is the peak of a search's memory."""
        self._hold(at.TABLE, np.zeros(1, np.uint64))
        self._hold(at.TABLE, np.zeros(slots, np.uint64))
        self._control[at.SLOTS] = slots
        self._set_room()

    def _set_room(self) -> None:
        self._control[at.ROOM] = min(
            len(self._arrays[at.PARENT]), _fill(int(self._control[at.SLOTS]))
        )

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


def _fill(slots: int) -> int:
    """How many states a table takes: linear probing gets slow when it is fuller."""
    return slots // 4 * 3


def _bits(flags: Sequence[bool], masks: int) -> Words:
    """The flags as bit masks."""
    whole = sum(flag << i for i, flag in enumerate(flags))
    return np.array(
        [whole >> WORD_BITS * m & (1 << WORD_BITS) - 1 for m in range(masks)], np.uint64
    )
