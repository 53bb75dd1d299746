"""The edges of a state graph: every state is expanded once more, and its successors' numbers are stored.

Compiled loops; ``c`` is the address of a control block, whose places are named below. ``wordcode`` says what may be written
here. A table of numbers finds a successor's number. Most successors were met a short while ago or are the state itself
(see ``search.loop``), so a small table of numbers met lately comes first.
"""

from __future__ import annotations

from explorer.compiler import llvm_program as events
from explorer.compiler.wordcode import compiled
from explorer.search.raw import (
    call,
    get,
    get_half,
    get_quarter,
    prefetch,
    put,
    put_half,
    put_quarter,
)

# The model's successor function, and the design's switches, by address
EXPAND, DESIGN = range(2)
# The states, words per state, how many there are
STATES, WORDS, COUNT = range(2, 5)
# Numbers plus one (u32), and the binary logarithm of how many places there are; states met lately: where their numbers are
TABLE, TABLE_BITS, LATELY = range(5, 8)
# Work space: successors, instances (u32), events, how many events, successors by action
OUT, INSTANCE, EVENTS, N_EVENTS, TAKEN = range(8, 13)
# Successors that still are to be looked up: their edge, their row in OUT, their hash
EDGE, ROW, HASH, PENDING = range(13, 17)
# The result: per state its first edge (u64), per edge its target (u32) and its instance (u16, or u32 if WIDE)
FIRST, TARGET, LABEL, WIDE = range(17, 21)
# States expanded, edges stored, edges there is room for, instances, rows in OUT
NEXT, EDGES, ROOM, INSTANCES, HELD = range(21, 26)
# The states of LATELY; the first edge without a target yet, and where the targets of those from there on are to be found
FILTER, OPEN, SOURCE = range(26, 29)
SIZE = 29

# Successors looked up together, so that prefetched lines arrive in time.
BATCH = 128
LATELY_BITS = 12
# Where a target is to be found: at another edge, or, from here on, it is the rest of the number.
GIVEN = 1 << 62
# The target of a step whose successor is not among the states: it was cut, or the search ended before.
NOWHERE = 0xFFFFFFFF

# Why the loop returned.
AGAIN, DONE, GROW = range(3)

_MIX1 = 0xBF58476D1CE4E5B9
_MIX2 = 0x94D049BB133111EB
_AHEAD = 16


@compiled
def _hash(state: int, words: int) -> int:
    h = get(state, 0)
    for w in range(1, words):
        h = ((h ^ (h >> 32)) * _MIX1) ^ get(state, w)
    h = (h ^ (h >> 30)) * _MIX1
    h = (h ^ (h >> 27)) * _MIX2
    return h ^ (h >> 31)


@compiled
def _lately_of(state: int, words: int) -> int:
    """The place of a state in the small table: a hash that costs little."""
    h = get(state, 0)
    for w in range(1, words):
        h = (h ^ (h >> 32)) * _MIX2 + get(state, w)
    return (h ^ (h >> 32)) * _MIX1 >> (64 - LATELY_BITS)


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


@compiled
def fill(c: int) -> None:
    """Enter all states, which are different, into the table, which is empty."""
    states, words, count, table = get(c, STATES), get(c, WORDS), get(c, COUNT), get(c, TABLE)
    shift, mask = 64 - get(c, TABLE_BITS), (1 << get(c, TABLE_BITS)) - 1
    for i in range(count):
        if i + _AHEAD < count:
            prefetch(table, (_hash(states + (i + _AHEAD) * words * 8, words) >> shift) >> 1)
        place = _hash(states + i * words * 8, words) >> shift
        while get_half(table, place) != 0:
            place = (place + 1) & mask
        put_half(table, place, i + 1)


@compiled
def begin(c: int) -> None:
    """Fill the small table with the first state."""
    words = get(c, WORDS)
    for place in range(1 << LATELY_BITS):
        for w in range(words):
            put(get(c, FILTER), place * words + w, get(get(c, STATES), w))
        put(get(c, LATELY), place, GIVEN)


@compiled
def _resolve(c: int) -> None:
    """Look up what is pending, and give all edges their targets."""
    states, words, table = get(c, STATES), get(c, WORDS), get(c, TABLE)
    out, target, source = get(c, OUT), get(c, TARGET), get(c, SOURCE)
    edges, rows, hashes, pending = get(c, EDGE), get(c, ROW), get(c, HASH), get(c, PENDING)
    shift, mask = 64 - get(c, TABLE_BITS), (1 << get(c, TABLE_BITS)) - 1
    for k in range(pending):
        number = get_half(table, get(hashes, k) >> shift)
        prefetch(states, (number - (number != 0)) * words)
    for k in range(pending):
        state = out + get(rows, k) * words * 8
        place = get(hashes, k) >> shift
        found = NOWHERE
        number = get_half(table, place)
        while number != 0:
            if _same(states + (number - 1) * words * 8, state, words):
                found = number - 1
                break
            place = (place + 1) & mask
            number = get_half(table, place)
        put_half(target, get(edges, k), found)
    first, end = get(c, OPEN), get(c, EDGES)
    for k in range(end - first):
        where = get(source, k)
        given = where >= GIVEN
        number = get_half(target, first if given else where)
        put_half(target, first + k, where if given else number)
    put(c, OPEN, end)
    put(c, PENDING, 0)
    put(c, HELD, 0)


@compiled
def _cuts(c: int, edge: int) -> int:
    """Edges to nowhere for the steps that a scope cut off; the number of edges after them."""
    for k in range(get(c, N_EVENTS)):
        event = get(get(c, EVENTS), k)
        if (event >> events.KIND_SHIFT & 15) == events.CUT:
            put(get(c, SOURCE), edge - get(c, OPEN), GIVEN | NOWHERE)
            instance = event >> events.INSTANCE_SHIFT
            if get(c, WIDE):
                put_half(get(c, LABEL), edge, instance)
            else:
                put_quarter(get(c, LABEL), edge, instance)
            edge += 1
    return edge


@compiled
def _pass_word(c: int, i: int, found: int) -> None:
    """Find the targets of a state's edges among the states met lately, or note them as pending; states are one word."""
    states, out, held, edge = get(c, STATES), get(c, OUT), get(c, HELD), get(c, EDGES)
    filter, lately, source = get(c, FILTER), get(c, LATELY), get(c, SOURCE) - get(c, OPEN) * 8
    edges, rows, pending = get(c, EDGE), get(c, ROW), get(c, PENDING)
    word = get(states, i)
    place = word * _MIX1 >> (64 - LATELY_BITS)
    put(filter, place, word)
    put(lately, place, GIVEN | i)
    # No branches: whether a state was met lately cannot be foreseen.
    for row in range(held, held + found):
        word = get(out, row)
        place = word * _MIX1 >> (64 - LATELY_BITS)
        known = get(filter, place) == word
        before = get(lately, place)
        where = before if known else edge
        put(filter, place, word)
        put(lately, place, where)
        put(source, edge, where)
        put(edges, pending, edge)
        put(rows, pending, row)
        pending += 1 - known
        edge += 1
    put(c, PENDING, pending)


@compiled
def _pass_words(c: int, i: int, found: int) -> None:
    """The same for states of several words."""
    words, out, held, edge = get(c, WORDS), get(c, OUT), get(c, HELD), get(c, EDGES)
    filter, lately, source = get(c, FILTER), get(c, LATELY), get(c, SOURCE) - get(c, OPEN) * 8
    edges, rows, pending = get(c, EDGE), get(c, ROW), get(c, PENDING)
    state = get(c, STATES) + i * words * 8
    place = _lately_of(state, words)
    _copy(state, filter + place * words * 8, words)
    put(lately, place, GIVEN | i)
    for row in range(held, held + found):
        state = out + row * words * 8
        place = _lately_of(state, words)
        if not _same(filter + place * words * 8, state, words):
            _copy(state, filter + place * words * 8, words)
            put(lately, place, edge)
            put(edges, pending, edge)
            put(rows, pending, row)
            pending += 1
        put(source, edge, get(lately, place))
        edge += 1
    put(c, PENDING, pending)


@compiled
def _gather(c: int, i: int) -> None:
    """Expand a state; its successors get their numbers now or wait for them."""
    words, held, edge, waiting = get(c, WORDS), get(c, HELD), get(c, EDGES), get(c, PENDING)
    out = get(c, OUT) + held * words * 8
    state = get(c, STATES) + i * words * 8
    label, instance = get(c, LABEL), get(c, INSTANCE)
    put(c, N_EVENTS, 0)
    found = call(
        get(c, EXPAND),
        (
            get(c, DESIGN),
            state,
            out,
            instance,
            get(c, EVENTS),
            c + N_EVENTS * 8,
            get(c, TAKEN),
        ),
    )
    if get(c, WIDE):
        for row in range(found):
            put_half(label, edge + row, get_half(instance, row))
    else:
        for row in range(found):
            put_quarter(label, edge + row, get_half(instance, row))
    if words == 1:
        _pass_word(c, i, found)
    else:
        _pass_words(c, i, found)
    table, shift = get(c, TABLE), 64 - get(c, TABLE_BITS)
    for k in range(waiting, get(c, PENDING)):
        h = _hash(get(c, OUT) + get(get(c, ROW), k) * words * 8, words)
        prefetch(table, (h >> shift) >> 1)
        put(get(c, HASH), k, h)
    edge += found
    if get(c, N_EVENTS):
        edge = _cuts(c, edge)
    put(c, HELD, held + found)
    put(c, EDGES, edge)
    put(get(c, FIRST), i + 1, edge)


@compiled
def run(c: int, budget: int) -> int:
    """Expand up to ``budget`` states; why it returned. Calling it again goes on where it was."""
    count = get(c, COUNT)
    end = get(c, NEXT) + budget
    while get(c, NEXT) < count:
        i = get(c, NEXT)
        if get(c, EDGES) + get(c, INSTANCES) > get(c, ROOM):
            _resolve(c)
            return GROW
        if i >= end:
            _resolve(c)
            return AGAIN
        _gather(c, i)
        put(c, NEXT, i + 1)
        if get(c, EDGES) - get(c, OPEN) >= BATCH:
            _resolve(c)
    _resolve(c)
    return DONE


# What a step of a state with an instance belongs to

# Per state its first edge, per edge its instance (and whether that is wide)
OF_FIRST, OF_LABEL, OF_WIDE, OF_COUNT = range(4)
# Words per mask, per instance the sets that it is in, per state the sets that have an instance enabled
OF_MASKS, OF_MEMBER, OF_ENABLED = range(4, 7)
OF_SIZE = 7


@compiled
def enabled(c: int) -> None:
    """Which sets have an enabled instance, by state: those of its edges, also of the edges to nowhere."""
    first, label, wide, count = (
        get(c, OF_FIRST),
        get(c, OF_LABEL),
        get(c, OF_WIDE),
        get(c, OF_COUNT),
    )
    masks, member, result = get(c, OF_MASKS), get(c, OF_MEMBER), get(c, OF_ENABLED)
    for w in range(masks):
        e = 0
        for i in range(count):
            word = 0
            end = get(first, i + 1)
            while e < end:
                word = word | get(member, instance_of(label, wide, e) * masks + w)
                e += 1
            put(result, i * masks + w, word)


@compiled
def instance_of(label: int, wide: int, edge: int) -> int:
    """An edge's instance."""
    return get_half(label, edge) if wide else get_quarter(label, edge)
