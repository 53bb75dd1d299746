"""The search loop: compiled functions that call the model's native code through its addresses.

Written like C, on addresses: ``c`` is that of the control block, and ``control`` says what is in it.

States are rows of 64-bit words in order of discovery, so they are the queue, too. The hash table is open addressing with
linear probing:

* ``WHOLE``: a state of one word is in the slot itself, inverted, so that an empty slot is zero (only where no state has
  all 64 bits set);
* otherwise a slot holds 32 bits of the hash and the state's number plus one.

Successors are gathered in a buffer; their slots are prefetched while the next states are expanded, since nearly every
look-up misses the cache. The buffer is worked off in order, so the order of discovery does not depend on its size.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from explorer.compiler.llvm_program import (
    BROKEN,
    CUT,
    INSTANCE_SHIFT,
    KIND_SHIFT,
    NUMBER_MASK,
    SOFT,
)
from explorer.search import control as at
from explorer.search.cache import compiled
from explorer.search.raw import call, get, get_bits, get_half, prefetch, put, put_half

# Constants of splitmix64's finaliser, which mixes every bit into every other.
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_LOW32 = np.uint64(0xFFFFFFFF)


@compiled
def _mix(h: Any) -> Any:
    """Spread every bit over all: the table uses the highest bits as place, the lowest as tag."""
    h = (h ^ (h >> _S30)) * _MIX1
    h = (h ^ (h >> _S27)) * _MIX2
    return h ^ (h >> _S31)


@compiled
def hash_words(words: int, start: int, count: int) -> Any:
    """A 64-bit hash of ``count`` words; of one word it is its ``_mix``."""
    h = get_bits(words, start)
    for w in range(1, count):
        h = ((h ^ (h >> _S32)) * _MIX1) ^ get_bits(words, start + w)
    return _mix(h)


@compiled
def _shift(slots: int) -> Any:
    """What takes a hash to its place in a table."""
    bits = 0
    while (1 << bits) < slots:
        bits += 1
    return np.uint64(64 - bits)


@compiled
def rehash(c: int) -> None:
    """Enter all states, which are different, into the empty table."""
    states, table = get(c, at.STATES), get(c, at.TABLE)
    words, whole = get(c, at.WORDS), get(c, at.WHOLE)
    mask, shift = get(c, at.SLOTS) - 1, _shift(get(c, at.SLOTS))
    count, ahead = get(c, at.COUNT), 16
    for i in range(count):
        if i + ahead < count:
            coming = hash_words(states, (i + ahead) * words, words)
            prefetch(table, np.int64(coming >> shift))
        h = hash_words(states, i * words, words)
        place = np.int64(h >> shift)
        while get_bits(table, place) != _ZERO:
            place = (place + 1) & mask
        put(table, place, ~get_bits(states, i) if whole else (h << _S32) | np.uint64(i + 1))


@compiled
def _note(c: int, pending: int, counter: int, state: int, instance: int) -> None:
    """Remember the properties decided by the truth values just computed; ``pending`` is their bit mask."""
    for w in range(get(c, at.MASKS)):
        waiting = get_bits(pending, w)
        failed = get_bits(get(c, at.UNCLEAR), w) & waiting
        wrong = get_bits(get(c, at.WRONG), w)
        hit = (get_bits(get(c, at.TRUTHS), w) ^ wrong) & waiting & ~failed
        if (hit | failed) == _ZERO:
            continue
        put(pending, w, waiting & ~hit)
        for b in range(64):
            bit = _ONE << np.uint64(b)
            number = w * 64 + b
            if hit & bit != _ZERO:
                put(get(c, at.PROPERTY_STATE), number, state)
                put(get(c, at.PROPERTY_INSTANCE), number, instance)
                put(c, counter, get(c, counter) - 1)
                if get(c, at.FIRST) and wrong & bit != _ZERO:
                    put(c, at.STOP, 1)
            if failed & bit != _ZERO:
                # The caller reports an error, so this is the last step, but perhaps not the last evaluation in it.
                if get(get(c, at.UNCLEAR_STATE), number) < 0:
                    put(get(c, at.UNCLEAR_STATE), number, state)
                    put(get(c, at.UNCLEAR_INSTANCE), number, instance)
                put(c, at.STOP, 1)


@compiled
def _add(c: int, row: int) -> None:
    """Append a new state from the buffer and check it."""
    words, n = get(c, at.WORDS), get(c, at.COUNT)
    state = get(c, at.STATES) + n * words * 8
    for w in range(words):
        put(state, w, get(get(c, at.OUT), row * words + w))
    put_half(get(c, at.PARENT), n, get_half(get(c, at.SOURCE), row))
    put_half(get(c, at.VIA), n, get_half(get(c, at.INSTANCE), row))
    put(c, at.COUNT, n + 1)
    if get(c, at.PENDING_STATES):
        call(get(c, at.CHECK), (get(c, at.DESIGN), state, get(c, at.TRUTHS), get(c, at.UNCLEAR)))
        _note(c, get(c, at.ON_STATES), at.PENDING_STATES, n, -1)


@compiled
def _same(left: int, right: int, words: int) -> bool:
    for w in range(words):
        if get(left, w) != get(right, w):
            return False
    return True


@compiled
def settle(c: int) -> int:
    """Look up the buffered successors in order and store the new ones. The caller has made room."""
    held, words, whole = get(c, at.HELD), get(c, at.WORDS), get(c, at.WHOLE)
    states, table, out, hashes = (
        get(c, at.STATES),
        get(c, at.TABLE),
        get(c, at.OUT),
        get(c, at.HASHES),
    )
    mask, shift = get(c, at.SLOTS) - 1, _shift(get(c, at.SLOTS))
    if not whole:
        # The slots have arrived by now; ask for the states that they point to.
        for row in range(held):
            have = get_bits(table, np.int64(get_bits(hashes, row) >> shift))
            if have != _ZERO:
                prefetch(states, np.int64((have & _LOW32) - _ONE) * words)
    for row in range(held):
        h = get_bits(hashes, row)
        place = np.int64(h >> shift)
        entry = ~get_bits(out, row) if whole else h << _S32
        known = False
        while True:
            have = get_bits(table, place)
            if have == _ZERO:
                break
            if whole:
                known = have == entry
            elif ((have ^ entry) >> _S32) == _ZERO:
                number = np.int64((have & _LOW32) - _ONE)
                known = _same(states + number * words * 8, out + row * words * 8, words)
            if known:
                break
            place = (place + 1) & mask
        if known:
            continue
        n = get(c, at.COUNT)
        if n >= get(c, at.MAX_STATES):
            return at.STATE_LIMIT
        put(table, place, entry if whole else entry | np.uint64(n + 1))
        _add(c, row)
    put(c, at.HELD, 0)
    return at.AGAIN


@compiled
def enter(c: int, state: int, number: int) -> None:
    """Buffer an initial state."""
    row, words = get(c, at.HELD), get(c, at.WORDS)
    for w in range(words):
        put(get(c, at.OUT), row * words + w, get(state, w))
    stored = get(c, at.OUT) + row * words * 8
    if get(c, at.ORBIT):
        call(get(c, at.CANONICAL), (get(c, at.ORBIT), stored))
    put(get(c, at.HASHES), row, hash_words(stored, 0, words))
    put_half(get(c, at.SOURCE), row, 0)
    put_half(get(c, at.INSTANCE), row, number)
    put(c, at.HELD, row + 1)


@compiled
def _record_events(c: int, state: int) -> int:
    """Record what an expansion reported besides successors; the number of steps without one."""
    ended = 0
    for k in range(get(c, at.N_EVENTS)):
        event = get(get(c, at.EVENTS), k)
        instance, kind, number = (
            event >> INSTANCE_SHIFT,
            event >> KIND_SHIFT & 15,
            event & NUMBER_MASK,
        )
        if kind == BROKEN:
            put(c, at.BROKEN_STATE, state)
            put(c, at.BROKEN_EVENT, event)
            put(c, at.STOP, 1)
            continue
        if kind != SOFT:
            ended += 1
            action = get_half(get(c, at.ACTION), instance)
            put(get(c, at.ENDED), action, get(get(c, at.ENDED), action) + 1)
        if kind == CUT:
            put(get(c, at.CUTS), number, get(get(c, at.CUTS), number) + 1)
            continue
        if get(get(c, at.FAILURE_STATE), number) < 0:
            put(get(c, at.FAILURE_STATE), number, state)
            put(get(c, at.FAILURE_INSTANCE), number, instance)
        if get(c, at.FIRST):
            put(c, at.STOP, 1)
    return ended


@compiled
def _record_stuck(c: int, i: int, state: int) -> None:
    """A state without an enabled step: a deadlock unless it is final."""
    final = call(get(c, at.FINAL), (get(c, at.DESIGN), state))
    if final > 1:
        put(c, at.FINAL_UNCLEAR, i)
        put(c, at.STOP, 1)
    elif final == 0 and get(c, at.DEADLOCK) < 0:
        put(c, at.DEADLOCK, i)
        if get(c, at.FIRST):
            put(c, at.STOP, 1)


@compiled
def _gather(c: int, shift: Any) -> None:
    """Expand the next state into the buffer."""
    i, held, words = get(c, at.NEXT), get(c, at.HELD), get(c, at.WORDS)
    state = get(c, at.STATES) + i * words * 8
    out, instance = get(c, at.OUT) + held * words * 8, get(c, at.INSTANCE) + held * 4
    put(c, at.N_EVENTS, 0)
    found = call(
        get(c, at.EXPAND),
        (
            get(c, at.DESIGN),
            state,
            out,
            instance,
            get(c, at.EVENTS),
            c + at.N_EVENTS * 8,
            get(c, at.TAKEN),
        ),
    )
    ended = _record_events(c, i) if get(c, at.N_EVENTS) else 0
    if found == 0 and ended == 0:
        _record_stuck(c, i, state)
    if get(c, at.PENDING_STEPS):
        for row in range(found):
            after = out + row * words * 8
            call(
                get(c, at.STEP),
                (get(c, at.DESIGN), state, after, get(c, at.TRUTHS), get(c, at.UNCLEAR)),
            )
            _note(c, get(c, at.ON_STEPS), at.PENDING_STEPS, i, get_half(instance, row))
    if get(c, at.ORBIT):
        for row in range(found):
            call(get(c, at.CANONICAL), (get(c, at.ORBIT), out + row * words * 8))
    table, hashes, source = get(c, at.TABLE), get(c, at.HASHES), get(c, at.SOURCE)
    for row in range(found):
        # The usual case is worth a branch: this runs for every transition, and the general function is a call.
        h = _mix(get_bits(out, row)) if words == 1 else hash_words(out, row * words, words)
        prefetch(table, np.int64(h >> shift))
        put(hashes, held + row, h)
        put_half(source, held + row, i)
    put(c, at.TRANSITIONS, get(c, at.TRANSITIONS) + found)
    put(c, at.HELD, held + found)
    put(c, at.NEXT, i + 1)


@compiled
def run(c: int, budget: int) -> int:
    """Expand up to ``budget`` states; why it returned. Calling it again goes on where it was."""
    shift = _shift(get(c, at.SLOTS))
    room = get(c, at.ROOM) - get(c, at.INSTANCES)
    batch = get(c, at.BATCH)
    end = get(c, at.NEXT) + budget
    while True:
        held, count, stop = get(c, at.HELD), get(c, at.COUNT), get(c, at.STOP)
        exhausted = get(c, at.NEXT) == count
        if held >= batch or exhausted or count + held > room or (stop and held):
            if settle(c) == at.STATE_LIMIT:
                return at.STATE_LIMIT
            held, count, stop = 0, get(c, at.COUNT), get(c, at.STOP)
            if get(c, at.NEXT) == count and not stop:
                return at.DONE
        if stop:
            return at.STOPPED
        if count + held > room:
            return at.GROW
        if get(c, at.NEXT) >= end:
            return at.AGAIN
        _gather(c, shift)
