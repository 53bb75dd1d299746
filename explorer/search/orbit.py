"""Canonical states under permutations of a sort's names, in compiled code.

Names are ordered by what the state says about them. For most states that settles their order; where names look the
same, every order of them is tried and the least state taken, unless swapping them changes nothing. So two states have
the same canonical state exactly if a permutation leads from one to the other: orbits are counted truly
(Ip and Dill, "Better verification through symmetry", 1996, call the map a canonicalisation function).

``t`` is the address of the tables that ``symmetry`` makes; their layout is below.
"""

from __future__ import annotations

from explorer.compiler.wordcode import compiled
from explorer.search.raw import below, get, put

# The header: sizes, then addresses of arrays of 64-bit words.
LEAVES, NAMES, MOVING, SORTS, WORDS = range(5)
# Per leaf: its place in the state.
WORD, SHIFT, MASK = range(5, 8)
# Per moving leaf: its number, its family, how many indices, where they start, the sort it holds (or -1), its first name.
LEAF, FAMILY, COUNT, START, HOLDS, FIRST = range(8, 14)
# Per index: the name, its sort, the stride.
NAME, SORT, STRIDE = range(14, 17)
# Per sort: its first name and how many there are.
OFFSET, SIZE = range(17, 19)
# Work space: values per leaf (three of them), and per name its signature, its order and its new number; per class of names
# that look the same its first place, its size and the permutation it is at.
OLD, NEW, BEST = range(19, 22)
SIGN, NEXT_SIGN, ORDER, RANK, CLASS_START, CLASS_SIZE, STATE = range(22, 29)
# Per moving leaf: where its guards start and how many there are. Per guard: its leaf, the least and greatest value.
GUARDS, GUARD_COUNT, GUARD, LOW, HIGH = range(29, 34)
# Set to 1 when there are too many orders to try: the result is not canonical, and the caller must do without.
GAVE_UP = 34
# How many states there were, how many orders of their names were tried, and how many of these there may be for a state on
# average; 0 for any number.
CALLS, TRIED, AVERAGE = range(35, 38)
# Work space, per name: its new number in the best state so far. And where, per name, its number in the canonical state is.
BEST_RANK, RENAMED = range(38, 40)
HEADER = 40

MOST_ORDERS = 5040
"""Orders of names that are tried for one state."""
FIRST_CALLS = 100
"""States that an average needs before it counts: the first ones may be unusual."""

_MIX1 = 0xBF58476D1CE4E5B9
_MIX2 = 0x94D049BB133111EB
_PLACE = 0x9E3779B97F4A7C15


@compiled
def _mix(h: int) -> int:
    h = (h ^ (h >> 30)) * _MIX1
    h = (h ^ (h >> 27)) * _MIX2
    return h ^ (h >> 31)


@compiled
def _unpack(t: int, state: int) -> None:
    old = get(t, OLD)
    for leaf in range(get(t, LEAVES)):
        word = get(state, get(get(t, WORD), leaf))
        shifted = word >> get(get(t, SHIFT), leaf)
        put(old, leaf, shifted & get(get(t, MASK), leaf))


@compiled
def _pack(t: int, leaves: int, state: int) -> None:
    for w in range(get(t, WORDS)):
        put(state, w, 0)
    for leaf in range(get(t, LEAVES)):
        w = get(get(t, WORD), leaf)
        bits = get(leaves, leaf) << get(get(t, SHIFT), leaf)
        put(state, w, get(state, w) | bits)


@compiled
def _holds_name(t: int, m: int) -> bool:
    """Whether a moving leaf holds a name: it is there, and it is not None."""
    old = get(t, OLD)
    if get(get(t, HOLDS), m) < 0 or get(old, get(get(t, LEAF), m)) < get(get(t, FIRST), m):
        return False
    start = get(get(t, GUARDS), m)
    for g in range(start, start + get(get(t, GUARD_COUNT), m)):
        value = get(old, get(get(t, GUARD), g))
        if value < get(get(t, LOW), g) or value > get(get(t, HIGH), g):
            return False
    return True


@compiled
def _sign(t: int) -> None:
    """What the state says about each name: two rounds, the second one with what it says about related names.

    Sums of hashes, so the order of the leaves does not count; names with one signature may still be different.
    """
    names, old = get(t, NAMES), get(t, OLD)
    sign, coming = get(t, SIGN), get(t, NEXT_SIGN)
    for name in range(names):
        put(sign, name, 0)
    for _ in range(2):
        for name in range(names):
            put(coming, name, get(sign, name))
        for m in range(get(t, MOVING)):
            value = get(old, get(get(t, LEAF), m))
            count, start = get(get(t, COUNT), m), get(get(t, START), m)
            held, first = get(get(t, HOLDS), m), get(get(t, FIRST), m)
            names_value = _holds_name(t, m)
            target = get(get(t, OFFSET), held) + value - first if names_value else -1
            # What the leaf says, with its names replaced by what is known about them.
            said = get(get(t, FAMILY), m) * _PLACE
            if names_value:
                said = _mix(said + get(sign, target) + _PLACE)
            else:
                said = _mix(said ^ _mix(value + 1))
            for i in range(count):
                name = get(get(t, NAME), start + i)
                said = _mix(said + get(sign, name))
            for i in range(count):
                name = get(get(t, NAME), start + i)
                where = i + 1
                for j in range(count):
                    if j != i and get(get(t, NAME), start + j) == name:
                        where = where * _MIX1 + j + 1
                if name == target:
                    where = where + _MIX2
                put(coming, name, get(coming, name) + _mix(said ^ (where * _PLACE)))
            if names_value:
                put(coming, target, get(coming, target) + _mix(said ^ _MIX2))
        for name in range(names):
            put(sign, name, _mix(get(coming, name)))


@compiled
def _sort_names(t: int) -> int:
    """Order the names of each sort by signature; the number of classes of several names that look the same."""
    sign, order = get(t, SIGN), get(t, ORDER)
    classes = 0
    for s in range(get(t, SORTS)):
        offset, size = get(get(t, OFFSET), s), get(get(t, SIZE), s)
        for i in range(size):
            place = i
            mine = get(sign, offset + i)
            while place > 0 and below(mine, get(sign, get(order, offset + place - 1))):
                put(order, offset + place, get(order, offset + place - 1))
                place -= 1
            put(order, offset + place, offset + i)
        i = 0
        while i < size:
            j = i + 1
            mine = get(sign, get(order, offset + i))
            while j < size and get(sign, get(order, offset + j)) == mine:
                j += 1
            if j - i > 1 and not _all_alike(t, offset + i, j - i):
                put(get(t, CLASS_START), classes, offset + i)
                put(get(t, CLASS_SIZE), classes, j - i)
                classes += 1
            i = j
    return classes


@compiled
def _all_alike(t: int, start: int, size: int) -> bool:
    """Whether swapping neighbours in a class changes nothing: then all its orders give one state."""
    order, rank = get(t, ORDER), get(t, RANK)
    for k in range(start, start + size - 1):
        a, b = get(order, k), get(order, k + 1)
        for name in range(get(t, NAMES)):
            put(rank, name, name)
        put(rank, a, b)
        put(rank, b, a)
        for m in range(get(t, MOVING)):
            if _moved(t, m, rank) != get(get(t, OLD), _target(t, m, rank)):
                return False
    return True


@compiled
def _target(t: int, m: int, rank: int) -> int:
    """The leaf where a moving leaf goes."""
    leaf = get(get(t, LEAF), m)
    start = get(get(t, START), m)
    for i in range(start, start + get(get(t, COUNT), m)):
        name = get(get(t, NAME), i)
        leaf += get(get(t, STRIDE), i) * (get(rank, name) - name)
    return leaf


@compiled
def _moved(t: int, m: int, rank: int) -> int:
    """The value that a moving leaf takes along."""
    value = get(get(t, OLD), get(get(t, LEAF), m))
    if not _holds_name(t, m):
        return value
    held, first = get(get(t, HOLDS), m), get(get(t, FIRST), m)
    offset = get(get(t, OFFSET), held)
    return get(rank, offset + value - first) - offset + first


@compiled
def _apply(t: int) -> None:
    """The state with its names in the current order: the name at place i becomes name i."""
    order, rank, new = get(t, ORDER), get(t, RANK), get(t, NEW)
    for place in range(get(t, NAMES)):
        put(rank, get(order, place), place)
    for m in range(get(t, MOVING)):
        put(new, _target(t, m, rank), _moved(t, m, rank))


@compiled
def _keep_least(t: int) -> None:
    """Keep the new state if it is less than the best one so far."""
    new, best = get(t, NEW), get(t, BEST)
    for m in range(get(t, MOVING)):
        leaf = get(get(t, LEAF), m)
        a, b = get(new, leaf), get(best, leaf)
        if a > b:
            return
        if a < b:
            for k in range(m, get(t, MOVING)):
                leaf = get(get(t, LEAF), k)
                put(best, leaf, get(new, leaf))
            _keep_rank(t)
            return


@compiled
def _keep_rank(t: int) -> None:
    for name in range(get(t, NAMES)):
        put(get(t, BEST_RANK), name, get(get(t, RANK), name))


@compiled
def _swap(order: int, i: int, j: int) -> None:
    kept = get(order, i)
    put(order, i, get(order, j))
    put(order, j, kept)


@compiled
def _next_order(t: int, classes: int) -> bool:
    """The next combination of orders inside the classes, each in turn by Heap's algorithm; False after the last."""
    order = get(t, ORDER)
    for k in range(classes):
        start, size = get(get(t, CLASS_START), k), get(get(t, CLASS_SIZE), k)
        i = 1
        while i < size:
            turn = get(get(t, STATE), start + i)
            if turn < i:
                _swap(order, start + (turn if i & 1 else 0), start + i)
                put(get(t, STATE), start + i, turn + 1)
                return True
            put(get(t, STATE), start + i, 0)
            i += 1
        # All orders of this class are done: it goes round again, beside the next order of the class after it.
    return False


@compiled
def canonical(t: int, state: int) -> None:
    """Replace a state by its canonical one; RENAMED says where each name went."""
    _unpack(t, state)
    _sign(t)
    classes = _sort_names(t)
    put(t, CALLS, get(t, CALLS) + 1)
    new, best, old = get(t, NEW), get(t, BEST), get(t, OLD)
    for leaf in range(get(t, LEAVES)):
        put(new, leaf, get(old, leaf))
    _apply(t)
    put(t, RENAMED, get(t, RANK))
    if classes == 0:
        _pack(t, new, state)
        return
    orders = 1
    for k in range(classes):
        for i in range(2, get(get(t, CLASS_SIZE), k) + 1):
            orders = orders * i if orders <= MOST_ORDERS else orders
    calls, tried, average = get(t, CALLS), get(t, TRIED) + orders, get(t, AVERAGE)
    put(t, TRIED, tried)
    if orders > MOST_ORDERS or (average != 0 and tried > average * (calls + FIRST_CALLS)):
        put(t, GAVE_UP, 1)
        _pack(t, new, state)
        return
    for leaf in range(get(t, LEAVES)):
        put(best, leaf, get(new, leaf))
    put(t, RENAMED, get(t, BEST_RANK))
    _keep_rank(t)
    for name in range(get(t, NAMES)):
        put(get(t, STATE), name, 0)
    while _next_order(t, classes):
        _apply(t)
        _keep_least(t)
    _pack(t, best, state)


@compiled
def canonical_all(t: int, states: int, count: int) -> None:
    """Replace each of several states, until there are too many orders to try."""
    for i in range(count):
        canonical(t, states + i * get(t, WORDS) * 8)
        if get(t, GAVE_UP):
            return
