"""The search loop: compiled functions that call the model's native code through its addresses.

Written like C, on addresses: ``c`` is that of the control block, and ``control`` says what is in it. ``wordcode`` says what
may be written here.

States are rows of 64-bit words in order of discovery, so they are the queue, too. The hash table is made of lines of
eight slots, a cache line each, whose order does not matter. The highest bits of a state's hash say which line it is in, or,
if that is full, from where on to look. An empty slot is zero.

* ``WHOLE``: a state of one word is in the slot itself, inverted (only where no state has all 64 bits set);
* otherwise a slot holds the highest 32 bits of the hash and the state's number plus one.

Most successors were met a short while ago: steps that commute lead there on another way, and some steps change nothing. A
small table of states met lately, the filter, notices these without a cache miss. What passes it is gathered in a
buffer, its slots are prefetched while the next states are expanded, and the buffer is worked off in order, so the
order of discovery does not depend on its size.

No state's predecessor is stored. States are expanded in order, so it is enough to note now and then how many states were
known: ``origin`` expands the few states between two such marks again.
"""

from __future__ import annotations

from explorer.compiler import llvm_program as events
from explorer.compiler.wordcode import compiled
from explorer.search import control as at
from explorer.search import orbit
from explorer.search.raw import (
    call,
    equal,
    get,
    get_half,
    lowest,
    prefetch,
    put,
    put_half,
    tagged,
)

# Constants of splitmix64's finaliser, which mixes every bit into every other.
_MIX1 = 0xBF58476D1CE4E5B9
_MIX2 = 0x94D049BB133111EB
_LOW32 = 0xFFFFFFFF
# Slots between a look-up and its prefetch while the table grows.
_AHEAD = 16


@compiled
def _mix(h: int) -> int:
    """Spread every bit over all."""
    h = (h ^ (h >> 30)) * _MIX1
    h = (h ^ (h >> 27)) * _MIX2
    return h ^ (h >> 31)


@compiled
def _hash(words: int, start: int, count: int) -> int:
    """A 64-bit hash of ``count`` words; of one word it is its ``_mix``."""
    h = get(words, start)
    for w in range(1, count):
        h = ((h ^ (h >> 32)) * _MIX1) ^ get(words, start + w)
    return _mix(h)


@compiled
def _same(left: int, right: int, words: int) -> bool:
    for w in range(words):
        if get(left, w) != get(right, w):
            return False
    return True


@compiled
def _copy(source: int, target: int, words: int) -> None:
    for w in range(words):
        put(target, w, get(source, w))


# The table


@compiled
def _home(c: int, entry: int, shift: int) -> int:
    """The line that a slot's content asks for; ``shift`` takes a hash to its line."""
    h = _mix(~entry) if get(c, at.WHOLE) else entry
    return h >> shift


@compiled
def _insert(table: int, entry: int, line: int, mask: int) -> None:
    """Enter what is not there yet."""
    empty = equal(table, line * 8, 0)
    while empty == 0:
        line = (line + 1) & mask
        empty = equal(table, line * 8, 0)
    put(table, line * 8 + lowest(empty), entry)


@compiled
def double(c: int, spare: int, room: int) -> bool:
    """Double the table where it is; the memory after it is zero.

    Lines are taken from the end: what is in line p goes to line 2 p or 2 p + 1 or, if it was not where it should have been, to
    somewhere near. So the lines after p are free for the new table. The few entries that lead to p or before, or past
    the end, wait in ``spare``. False if there were more than ``room`` of them: nothing is lost that ``refill`` does not
    enter again.
    """
    table, bits = get(c, at.TABLE), get(c, at.TABLE_BITS)
    # Of the new table: what takes a hash to its line, and how many lines there are.
    shift, end = 66 - bits, 1 << (bits - 2)
    waiting, line = 0, (1 << (bits - 3)) - 1
    put(c, at.TABLE_BITS, bits + 1)
    while line >= 0:
        for place in range(line * 8, line * 8 + 8):
            entry = get(table, place)
            if entry == 0:
                break
            put(table, place, 0)
            new = _home(c, entry, shift)
            empty = 0
            if new > line:
                empty = equal(table, new * 8, 0)
                while empty == 0 and new + 1 < end:
                    new += 1
                    empty = equal(table, new * 8, 0)
            if empty != 0:
                put(table, new * 8 + lowest(empty), entry)
            elif waiting < room:
                put(spare, waiting, entry)
                waiting += 1
            else:
                return False
        line -= 1
    for k in range(waiting):
        entry = get(spare, k)
        _insert(table, entry, _home(c, entry, shift), end - 1)
    return True


@compiled
def refill(c: int) -> None:
    """Enter all states, which are different, into the table; it is cleared first."""
    states, table, count = get(c, at.STATES), get(c, at.TABLE), get(c, at.COUNT)
    words, whole = get(c, at.WORDS), get(c, at.WHOLE)
    slots, shift = 1 << get(c, at.TABLE_BITS), 67 - get(c, at.TABLE_BITS)
    for place in range(slots):
        put(table, place, 0)
    for i in range(count):
        if i + _AHEAD < count:
            prefetch(table, (_hash(states, (i + _AHEAD) * words, words) >> shift) * 8)
        h = _hash(states, i * words, words)
        entry = ~get(states, i) if whole else (h & ~_LOW32) | (i + 1)
        _insert(table, entry, h >> shift, (slots >> 3) - 1)


# Properties


@compiled
def _note(c: int, pending: int, counter: int, state: int, instance: int) -> None:
    """Remember the properties decided by the truth values just computed; ``pending`` is their bit mask."""
    for w in range(get(c, at.MASKS)):
        waiting = get(pending, w)
        failed = get(get(c, at.UNCLEAR), w) & waiting
        wrong = get(get(c, at.WRONG), w)
        hit = (get(get(c, at.TRUTHS), w) ^ wrong) & waiting & ~failed
        if (hit | failed) == 0:
            continue
        put(pending, w, waiting & ~hit)
        for b in range(64):
            bit = 1 << b
            number = w * 64 + b
            if hit & bit:
                put(get(c, at.PROPERTY_STATE), number, state)
                put(get(c, at.PROPERTY_INSTANCE), number, instance)
                put(c, counter, get(c, counter) - 1)
                if get(c, at.FIRST) and wrong & bit:
                    put(c, at.STOP, 1)
            if failed & bit:
                # The caller reports an error, so this is the last step, but perhaps not the last evaluation in it.
                if get(get(c, at.UNCLEAR_STATE), number) < 0:
                    put(get(c, at.UNCLEAR_STATE), number, state)
                    put(get(c, at.UNCLEAR_INSTANCE), number, instance)
                put(c, at.STOP, 1)


@compiled
def _check(c: int, first: int) -> None:
    """Evaluate what is still to be found in the states from ``first`` on."""
    check, design, words = get(c, at.CHECK), get(c, at.DESIGN), get(c, at.WORDS)
    truths, unclear, pending = get(c, at.TRUTHS), get(c, at.UNCLEAR), get(c, at.ON_STATES)
    for n in range(first, get(c, at.COUNT)):
        if get(c, at.PENDING_STATES) == 0:
            return
        call(check, (design, get(c, at.STATES) + n * words * 8, truths, unclear, pending))
        _note(c, pending, at.PENDING_STATES, n, -1)


# Looking up


@compiled
def _settle_whole(c: int) -> int:
    """States in the table's slots."""
    held, out, hashes = get(c, at.HELD), get(c, at.OUT), get(c, at.HASHES)
    states, table, count = get(c, at.STATES), get(c, at.TABLE), get(c, at.COUNT)
    mask, shift = (1 << (get(c, at.TABLE_BITS) - 3)) - 1, 67 - get(c, at.TABLE_BITS)
    most = get(c, at.MAX_STATES)
    for row in range(held):
        word = get(out, row)
        line = get(hashes, row) >> shift
        known, empty = equal(table, line * 8, ~word), equal(table, line * 8, 0)
        while known == 0 and empty == 0:
            line = (line + 1) & mask
            known, empty = equal(table, line * 8, ~word), equal(table, line * 8, 0)
        if known == 0:
            if count >= most:
                put(c, at.COUNT, count)
                return at.STATE_LIMIT
            put(table, line * 8 + lowest(empty), ~word)
            put(states, count, word)
            count += 1
    put(c, at.COUNT, count)
    return at.AGAIN


@compiled
def _find(table: int, line: int, h: int, states: int, state: int, words: int) -> bool:
    """Whether the state is in the line."""
    alike = tagged(table, line * 8, h) & ~equal(table, line * 8, 0)
    while alike != 0:
        entry = get(table, line * 8 + lowest(alike))
        if _same(states + ((entry & _LOW32) - 1) * words * 8, state, words):
            return True
        alike = alike & (alike - 1)
    return False


@compiled
def _settle_numbers(c: int) -> int:
    """States' numbers in the table's slots, beside a part of their hash."""
    held, out, hashes = get(c, at.HELD), get(c, at.OUT), get(c, at.HASHES)
    states, table, count = get(c, at.STATES), get(c, at.TABLE), get(c, at.COUNT)
    mask, shift = (1 << (get(c, at.TABLE_BITS) - 3)) - 1, 67 - get(c, at.TABLE_BITS)
    most, words = get(c, at.MAX_STATES), get(c, at.WORDS)
    # The slots have arrived by now; ask for the states that they point to.
    for row in range(held):
        h = get(hashes, row)
        alike = tagged(table, (h >> shift) * 8, h)
        if alike != 0:
            entry = get(table, (h >> shift) * 8 + lowest(alike))
            prefetch(states, ((entry & _LOW32) - 1) * words)
    for row in range(held):
        h = get(hashes, row)
        state = out + row * words * 8
        line = h >> shift
        known, empty = _find(table, line, h, states, state, words), equal(table, line * 8, 0)
        while known == 0 and empty == 0:
            line = (line + 1) & mask
            known, empty = _find(table, line, h, states, state, words), equal(table, line * 8, 0)
        if known != 0:
            continue
        if count >= most:
            put(c, at.COUNT, count)
            return at.STATE_LIMIT
        put(table, line * 8 + lowest(empty), (h & ~_LOW32) | (count + 1))
        _copy(state, states + count * words * 8, words)
        count += 1
    put(c, at.COUNT, count)
    return at.AGAIN


@compiled
def settle(c: int) -> int:
    """Look up the buffered successors in order, store the new ones and check them. The caller has made room."""
    first = get(c, at.COUNT)
    reason = _settle_whole(c) if get(c, at.WHOLE) else _settle_numbers(c)
    _check(c, first)
    if reason == at.STATE_LIMIT:
        return reason
    put(c, at.HELD, 0)
    marks, last = get(c, at.MARKS), get(c, at.N_MARKS) - 1
    if get(c, at.NEXT) - get_half(marks, 2 * last) >= at.MARK_EVERY:
        put_half(marks, 2 * last + 2, get(c, at.NEXT))
        put_half(marks, 2 * last + 3, get(c, at.COUNT))
        put(c, at.N_MARKS, last + 2)
    if get(c, at.NEXT) == get(c, at.LEVEL_END) and get(c, at.COUNT) > get(c, at.NEXT):
        put(c, at.LEVEL_END, get(c, at.COUNT))
        put(c, at.DEPTH, get(c, at.DEPTH) + 1)
    return at.AGAIN


@compiled
def enter(c: int, state: int) -> int:
    """Store an initial state if it is new. Afterwards the filter has only states that were met."""
    words = get(c, at.WORDS)
    stored = get(c, at.OUT)
    _copy(state, stored, words)
    if get(c, at.COUNT) == 0:
        for place in range(1 << get(c, at.FILTER_BITS)):
            _copy(state, get(c, at.FILTER) + place * words * 8, words)
    if get(c, at.ORBIT):
        call(get(c, at.CANONICAL), (get(c, at.ORBIT), stored))
    put(get(c, at.HASHES), 0, _hash(stored, 0, words))
    put(c, at.HELD, 1)
    return settle(c)


# Expanding


@compiled
def _record_events(c: int, state: int) -> int:
    """Record what an expansion reported besides successors; the number of steps without one."""
    ended = 0
    for k in range(get(c, at.N_EVENTS)):
        event = get(get(c, at.EVENTS), k)
        instance = event >> events.INSTANCE_SHIFT
        kind = event >> events.KIND_SHIFT & 15
        number = event & events.NUMBER_MASK
        if kind == events.BROKEN:
            put(c, at.BROKEN_STATE, state)
            put(c, at.BROKEN_EVENT, event)
            put(c, at.STOP, 1)
            continue
        if kind != events.SOFT:
            ended += 1
            action = get_half(get(c, at.ACTION), instance)
            put(get(c, at.ENDED), action, get(get(c, at.ENDED), action) + 1)
        if kind == events.CUT:
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
def _record_idle(c: int, i: int, state: int, out: int, found: int) -> None:
    """A state whose steps all lead to itself is as good as stuck, unless it is final."""
    words = get(c, at.WORDS)
    for row in range(found):
        if not _same(out + row * words * 8, state, words):
            return
    if call(get(c, at.FINAL), (get(c, at.DESIGN), state)) == 0:
        put(c, at.IDLE, i)


@compiled
def _expand(c: int, state: int, out: int) -> int:
    """The successors of a state to ``out``, their instances and events where the control block says; their number."""
    put(c, at.N_EVENTS, 0)
    return call(
        get(c, at.EXPAND),
        (
            get(c, at.DESIGN),
            state,
            out,
            get(c, at.INSTANCE),
            get(c, at.EVENTS),
            c + at.N_EVENTS * 8,
            get(c, at.TAKEN),
        ),
    )


@compiled
def _check_steps(c: int, i: int, state: int, out: int, found: int) -> None:
    design, words = get(c, at.DESIGN), get(c, at.WORDS)
    truths, unclear, pending = get(c, at.TRUTHS), get(c, at.UNCLEAR), get(c, at.ON_STEPS)
    for row in range(found):
        after = out + row * words * 8
        call(get(c, at.STEP), (design, state, after, truths, unclear, pending))
        instance = get_half(get(c, at.INSTANCE), row)
        _note(c, pending, at.PENDING_STEPS, i, instance)


@compiled
def _filter_word(c: int, state: int, first: int, found: int) -> int:
    """Keep those of the buffered one-word states from ``first`` on that were not met lately; the end of those kept."""
    filter, shift, out = get(c, at.FILTER), 64 - get(c, at.FILTER_BITS), get(c, at.OUT)
    word = get(state, 0)
    put(filter, word * _MIX1 >> shift, word)
    kept = first
    # No branches: whether a state passes cannot be foreseen.
    for row in range(first, first + found):
        word = get(out, row)
        place = word * _MIX1 >> shift
        passes = get(filter, place) != word
        put(filter, place, word)
        put(out, kept, word)
        kept += passes
    return kept


@compiled
def _filter_place(state: int, words: int, shift: int) -> int:
    h = get(state, 0)
    for w in range(1, words):
        h = (h ^ (h >> 32)) * _MIX2 + get(state, w)
    return (h ^ (h >> 32)) * _MIX1 >> shift


@compiled
def _filter_words(c: int, state: int, first: int, found: int) -> int:
    """The same for states of several words."""
    filter, shift, words = get(c, at.FILTER), 64 - get(c, at.FILTER_BITS), get(c, at.WORDS)
    out, size = get(c, at.OUT), get(c, at.WORDS) * 8
    _copy(state, filter + _filter_place(state, words, shift) * size, words)
    kept = first
    for row in range(first, first + found):
        state = out + row * size
        lately = filter + _filter_place(state, words, shift) * size
        if not _same(lately, state, words):
            _copy(state, lately, words)
            if kept != row:
                _copy(state, out + kept * size, words)
            kept += 1
    return kept


@compiled
def _gather(c: int) -> None:
    """Expand the next state into the buffer."""
    i, held, words = get(c, at.NEXT), get(c, at.HELD), get(c, at.WORDS)
    state = get(c, at.STATES) + i * words * 8
    out = get(c, at.OUT) + held * words * 8
    found = _expand(c, state, out)
    ended = _record_events(c, i) if get(c, at.N_EVENTS) else 0
    if found == 0 and ended == 0:
        _record_stuck(c, i, state)
    if found != 0 and ended == 0 and get(c, at.IDLE) < 0:
        _record_idle(c, i, state, out, found)
    if get(c, at.PENDING_STEPS):
        _check_steps(c, i, state, out, found)
    put(c, at.TRANSITIONS, get(c, at.TRANSITIONS) + found)
    put(c, at.NEXT, i + 1)
    if words == 1:
        kept = _filter_word(c, state, held, found)
    else:
        kept = _filter_words(c, state, held, found)
    if get(c, at.ORBIT):
        for row in range(held, kept):
            call(get(c, at.CANONICAL), (get(c, at.ORBIT), get(c, at.OUT) + row * words * 8))
    table, hashes, shift = get(c, at.TABLE), get(c, at.HASHES), 67 - get(c, at.TABLE_BITS)
    for row in range(held, kept):
        # The usual case is worth a branch.
        if words == 1:
            h = _mix(get(get(c, at.OUT), row))
        else:
            h = _hash(get(c, at.OUT), row * words, words)
        prefetch(table, (h >> shift) * 8)
        put(hashes, row, h)
    put(c, at.HELD, kept)


@compiled
def run(c: int, budget: int) -> int:
    """Expand up to ``budget`` states; why it returned. Calling it again goes on where it was."""
    room = get(c, at.ROOM) - get(c, at.INSTANCES)
    batch = get(c, at.BATCH)
    end = get(c, at.NEXT) + budget
    while True:
        if get(c, at.ORBIT) and get(get(c, at.ORBIT), orbit.GAVE_UP):
            return at.GAVE_UP
        held, count, stop = get(c, at.HELD), get(c, at.COUNT), get(c, at.STOP)
        level_done = get(c, at.NEXT) == get(c, at.LEVEL_END)
        if held >= batch or level_done or count + held > room or (stop and held):
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
        _gather(c)


@compiled
def origin(c: int, state: int) -> int:
    """The step that discovered a state: its predecessor's number, times 2**32, plus the instance. -1 if there is none.

    It works on a control block of its own, whose buffer has room for one expansion.
    """
    marks, words, out = get(c, at.MARKS), get(c, at.WORDS), get(c, at.OUT)
    # The last mark when the state was not known yet.
    low, high = 0, get(c, at.N_MARKS)
    while high - low > 1:
        middle = (low + high) >> 1
        if get_half(marks, 2 * middle + 1) <= state:
            low = middle
        else:
            high = middle
    wanted = get(c, at.STATES) + state * words * 8
    for i in range(get_half(marks, 2 * low), state):
        found = _expand(c, get(c, at.STATES) + i * words * 8, out)
        for row in range(found):
            if get(c, at.ORBIT):
                call(get(c, at.CANONICAL), (get(c, at.ORBIT), out + row * words * 8))
            if _same(out + row * words * 8, wanted, words):
                return (i << 32) | get_half(get(c, at.INSTANCE), row)
    return -1
