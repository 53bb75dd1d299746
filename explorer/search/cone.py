"""Fewest switches between threads on the shortest ways to what was found: a sweep from the deepest level back to the first.

Compiled loops; ``c`` is the address of a control block, whose places are named below. ``wordcode`` says what may be written
here.

A goal is something that a step of the level before it can show: an event, or a property of the state or of the step. The
cone of a goal are the states that lie on a shortest way to it. A level's states are expanded once more; those with a step into
the cone of the next level, or with a step that shows a goal, belong to the level's cone. What is kept of them, for each of
their goals: with how few switches it can be reached, and which threads can begin such a way. For any other thread it is one
switch more, so this is all that the level before needs to know.

Under symmetry the states are canonical, and a thread is renamed as the state after its step is (``orbit.RENAMED``).
"""

from __future__ import annotations

from explorer.compiler import llvm_program as events
from explorer.compiler.wordcode import compiled
from explorer.search import orbit
from explorer.search.raw import call, get, get_half, lowest, prefetch, put, put_half

# The model's functions and the design's switches, by address
EXPAND, CHECK, STEP, FINAL, DESIGN = range(5)
# The states of the search, and words per state
STATES, WORDS = range(5, 7)
# The tables of a symmetry and the function that uses them, or 0; how many names they have
ORBIT, CANONICAL, NAMES = range(7, 10)
# Work space: successors, instances (u32), events, how many events, successors by action; a state; truth values of properties
OUT, INSTANCE, EVENTS, N_EVENTS, TAKEN, SCRATCH, TRUTHS, UNCLEAR = range(10, 18)
# Threads: of each instance (u32); words per set of threads; per thread where its names are and how many, per such name its number
# and by how much it counts in the thread's number
THREAD, SETS, PART, PARTS, PART_NAME, PART_STRIDE = range(18, 24)
# Goals that the steps of this level show: bit masks of the properties on states, on steps, and of those that are violated when false;
# words per mask; whether there are any; per property the number of its goal; per failure, and for a deadlock, the goals as a mask
ON_STATES, ON_STEPS, WRONG, MASKS, ANY_STATES, ANY_STEPS, GOAL, FAILURE, STUCK = range(24, 33)
# The next state of the level and the first one after it
NEXT, LAST = range(33, 35)
# The cone, level after level: per entry its state (u32), its goals as a mask, the place of its first record. Per goal of an
# entry a record: the switches, and a set of threads. Entries and words of records, and how many there is room for
STATE, GOALS, FIRST, RECORDS, COUNT, USED, ROOM, RECORD_ROOM = range(35, 43)
# The entries of the next level: from LOW to HIGH; a table of 2**BITS slots: 32 bits of a hash, and the entry's place after LOW, plus one
LOW, HIGH, TABLE, BITS = range(43, 47)
# States met lately: the round in which; the state; its entry plus one; the goals that it shows; where its names went
ROUND, MET_IN, MET, MET_ENTRY, MET_SHOWS, MET_RANK = range(47, 53)
# Of the state in hand: its goals so far, and of each the switches and the threads
TOUCHED, BEST, THREADS = range(53, 56)
# One way: its goal, or -1 if all are wanted; the thread of the step before; the best step so far: its instance, the switches, its row or -1
ONE, BEFORE, CHOSEN, SWITCHES, ROW = range(56, 61)
# Whether all that counts of a step is whether it leads to an entry, and the table is small enough to be asked first
QUICK = 61
SIZE = 62

# Why a loop returned: the level is done, call it again, there is no room, the symmetry gave up.
DONE, AGAIN, GROW, GAVE_UP = range(4)

MET_BITS = 12
MOST_GOALS = 64
"""Goals at a time: a bit each."""

_MIX1 = 0xBF58476D1CE4E5B9
_MIX2 = 0x94D049BB133111EB
_LOW32 = 0xFFFFFFFF
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
def _met_place(state: int, words: int) -> int:
    """The place of a state among those met lately: a hash that costs little."""
    h = get(state, 0)
    for w in range(1, words):
        h = (h ^ (h >> 32)) * _MIX2 + get(state, w)
    return (h ^ (h >> 32)) * _MIX1 >> (64 - MET_BITS)


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


# The entries of the next level


@compiled
def fill(c: int) -> None:
    """Enter the next level's part of the cone into the table."""
    states, words, table = get(c, STATES), get(c, WORDS), get(c, TABLE)
    low, high, state = get(c, LOW), get(c, HIGH), get(c, STATE)
    shift, mask = 64 - get(c, BITS), (1 << get(c, BITS)) - 1
    for place in range(mask + 1):
        put(table, place, 0)
    for entry in range(low, high):
        if entry + _AHEAD < high:
            prefetch(states, get_half(state, entry + _AHEAD) * words)
        h = _hash(states + get_half(state, entry) * words * 8, words)
        place = h >> shift
        while get(table, place) != 0:
            place = (place + 1) & mask
        put(table, place, (h & ~_LOW32) | (entry - low + 1))


@compiled
def find(c: int, state: int) -> int:
    """The entry of a state of the next level, plus one; 0 for one that is not in the cone. The state becomes canonical."""
    states, words, table = get(c, STATES), get(c, WORDS), get(c, TABLE)
    if get(c, ORBIT):
        call(get(c, CANONICAL), (get(c, ORBIT), state))
    h = _hash(state, words)
    place, mask = h >> (64 - get(c, BITS)), (1 << get(c, BITS)) - 1
    slot = get(table, place)
    while slot != 0:
        if (slot ^ h) >> 32 == 0:
            entry = get(c, LOW) + (slot & _LOW32)
            if _same(states + get_half(get(c, STATE), entry - 1) * words * 8, state, words):
                return entry
        place = (place + 1) & mask
        slot = get(table, place)
    return 0


# What steps show


@compiled
def _decided(c: int, pending: int) -> int:
    """The goals that the truth values just computed show, as a mask."""
    goals = 0
    for w in range(get(c, MASKS)):
        hit = (get(get(c, TRUTHS), w) ^ get(get(c, WRONG), w)) & get(pending, w)
        hit = hit & ~get(get(c, UNCLEAR), w)
        while hit != 0:
            goals = goals | 1 << get(get(c, GOAL), w * 64 + lowest(hit))
            hit = hit & (hit - 1)
    return goals


@compiled
def _shows(c: int, state: int) -> int:
    """The goals that a step into a state shows."""
    pending = get(c, ON_STATES)
    call(get(c, CHECK), (get(c, DESIGN), state, get(c, TRUTHS), get(c, UNCLEAR), pending))
    return _decided(c, pending)


@compiled
def _step_shows(c: int, state: int, after: int) -> int:
    """The goals that a step shows by itself."""
    pending = get(c, ON_STEPS)
    call(get(c, STEP), (get(c, DESIGN), state, after, get(c, TRUTHS), get(c, UNCLEAR), pending))
    return _decided(c, pending)


@compiled
def _look_up(c: int, state: int) -> int:
    """Where, among the states met lately, it says what a step into this state is worth."""
    words = get(c, WORDS)
    place = _met_place(state, words)
    met = get(c, MET) + place * words * 8
    if get(get(c, MET_IN), place) == get(c, ROUND) and _same(met, state, words):
        return place
    put(get(c, MET_IN), place, get(c, ROUND))
    _copy(state, met, words)
    _copy(state, get(c, SCRATCH), words)
    put(get(c, MET_SHOWS), place, _shows(c, state) if get(c, ANY_STATES) else 0)
    entry = 0
    if get(c, LOW) < get(c, HIGH):
        entry = find(c, get(c, SCRATCH))
    put(get(c, MET_ENTRY), place, entry)
    if entry != 0 and get(c, ORBIT):
        names = get(c, NAMES)
        _copy(get(get(c, ORBIT), orbit.RENAMED), get(c, MET_RANK) + place * names * 8, names)
    return place


# Switches


@compiled
def _offer(c: int, goal: int, cost: int, thread: int, instance: int, row: int) -> None:
    """A step of a thread leads to a goal with so many switches after it."""
    if get(c, ONE) >= 0:
        if goal == get(c, ONE):
            cost += thread != get(c, BEFORE)
            chosen, best = get(c, CHOSEN), get(c, SWITCHES)
            if chosen < 0 or cost < best or (cost == best and instance < chosen):
                put(c, CHOSEN, instance)
                put(c, SWITCHES, cost)
                put(c, ROW, row)
        return
    sets = get(c, SETS)
    threads = get(c, THREADS) + goal * sets * 8
    bit = 1 << goal
    if (get(c, TOUCHED) & bit) == 0 or cost < get(get(c, BEST), goal):
        put(c, TOUCHED, get(c, TOUCHED) | bit)
        put(get(c, BEST), goal, cost)
        for w in range(sets):
            put(threads, w, 0)
    elif cost > get(get(c, BEST), goal):
        return
    put(threads, thread >> 6, get(threads, thread >> 6) | 1 << (thread & 63))


@compiled
def _offer_all(c: int, goals: int, thread: int, instance: int, row: int) -> None:
    """A step shows goals."""
    while goals != 0:
        _offer(c, lowest(goals), 0, thread, instance, row)
        goals = goals & (goals - 1)


@compiled
def _renamed(c: int, thread: int, rank: int) -> int:
    """A thread whose names go where ``rank`` says."""
    first = get(get(c, PART), thread)
    result = thread
    for part in range(first, first + get(get(c, PARTS), thread)):
        name = get(get(c, PART_NAME), part)
        result += (get(rank, name) - name) * get(get(c, PART_STRIDE), part)
    return result


@compiled
def _offer_entry(c: int, place: int, thread: int, instance: int, row: int) -> None:
    """A step leads into the cone, to what was looked up at ``place``."""
    entry = get(get(c, MET_ENTRY), place) - 1
    after = thread
    if get(c, ORBIT):
        after = _renamed(c, thread, get(c, MET_RANK) + place * get(c, NAMES) * 8)
    goals = get(get(c, GOALS), entry)
    record = get(c, RECORDS) + get(get(c, FIRST), entry) * 8
    while goals != 0:
        begins = get(record, 1 + (after >> 6)) >> (after & 63) & 1
        _offer(c, lowest(goals), get(record, 0) + 1 - begins, thread, instance, row)
        record += (1 + get(c, SETS)) * 8
        goals = goals & (goals - 1)


@compiled
def _look(c: int, state: int) -> None:
    """Look at all steps of a state."""
    put(c, N_EVENTS, 0)
    put(c, TOUCHED, 0)
    words, out, threads = get(c, WORDS), get(c, OUT), get(c, THREAD)
    found = call(
        get(c, EXPAND),
        (
            get(c, DESIGN),
            state,
            out,
            get(c, INSTANCE),
            get(c, EVENTS),
            c + N_EVENTS * 8,
            get(c, TAKEN),
        ),
    )
    happened = get(c, N_EVENTS)
    for k in range(happened):
        event = get(get(c, EVENTS), k)
        instance = event >> events.INSTANCE_SHIFT
        kind = event >> events.KIND_SHIFT & 15
        if kind == events.FAILURE or kind == events.SOFT:
            goals = get(get(c, FAILURE), event & events.NUMBER_MASK)
            _offer_all(c, goals, get_half(threads, instance), instance, -1)
    # Going back to the state itself leads nowhere.
    itself = _met_place(state, words)
    put(get(c, MET_IN), itself, get(c, ROUND))
    _copy(state, get(c, MET) + itself * words * 8, words)
    put(get(c, MET_ENTRY), itself, 0)
    put(get(c, MET_SHOWS), itself, 0)
    table, shift, quick = get(c, TABLE), 64 - get(c, BITS), get(c, QUICK)
    for row in range(found):
        after = out + row * words * 8
        # The usual case: nothing is there.
        if quick != 0 and get(table, _hash(after, words) >> shift) == 0:
            continue
        place = _look_up(c, after)
        goals = get(get(c, MET_SHOWS), place)
        if get(c, ANY_STEPS):
            goals = goals | _step_shows(c, state, after)
        if goals != 0 or get(get(c, MET_ENTRY), place) != 0:
            instance = get_half(get(c, INSTANCE), row)
            thread = get_half(threads, instance)
            _offer_all(c, goals, thread, instance, row)
            if get(get(c, MET_ENTRY), place) != 0:
                _offer_entry(c, place, thread, instance, row)
    if get(c, STUCK) and found == 0 and happened == 0:
        if call(get(c, FINAL), (get(c, DESIGN), state)) == 0:
            _stop_here(c, lowest(get(c, STUCK)))


@compiled
def _stop_here(c: int, goal: int) -> None:
    """The goal is this state: no switch is left, whichever thread led here."""
    put(c, TOUCHED, get(c, TOUCHED) | 1 << goal)
    put(get(c, BEST), goal, 0)
    for w in range(get(c, SETS)):
        put(get(c, THREADS), goal * get(c, SETS) + w, -1)


@compiled
def _keep(c: int, state: int) -> None:
    """Make an entry of what was found out about a state."""
    goals, sets = get(c, TOUCHED), get(c, SETS)
    entry, used = get(c, COUNT), get(c, USED)
    put_half(get(c, STATE), entry, state)
    put(get(c, GOALS), entry, goals)
    put(get(c, FIRST), entry, used)
    while goals != 0:
        goal = lowest(goals)
        record = get(c, RECORDS) + used * 8
        put(record, 0, get(get(c, BEST), goal))
        _copy(get(c, THREADS) + goal * sets * 8, record + 8, sets)
        used += 1 + sets
        goals = goals & (goals - 1)
    put(c, COUNT, entry + 1)
    put(c, USED, used)


@compiled
def sweep(c: int, budget: int) -> int:
    """Look at up to ``budget`` states of a level; why it returned. Calling it again goes on where it was."""
    states, words, last = get(c, STATES), get(c, WORDS), get(c, LAST)
    most = (1 + get(c, SETS)) * MOST_GOALS
    i = get(c, NEXT)
    end = i + budget
    while i < last:
        if get(c, COUNT) == get(c, ROOM) or get(c, USED) + most > get(c, RECORD_ROOM):
            put(c, NEXT, i)
            return GROW
        if i == end:
            put(c, NEXT, i)
            return AGAIN
        _look(c, states + i * words * 8)
        if get(c, ORBIT) and get(get(c, ORBIT), orbit.GAVE_UP):
            return GAVE_UP
        if get(c, TOUCHED) != 0:
            _keep(c, i)
        i += 1
    put(c, NEXT, i)
    return DONE


@compiled
def follow(c: int, state: int) -> int:
    """The best next step of the one way that is wanted: its instance, or -1 if there is none. Where it has a successor, ``state`` becomes
    that."""
    put(c, CHOSEN, -1)
    put(c, ROW, -1)
    _look(c, state)
    if get(c, ROW) >= 0:
        words = get(c, WORDS)
        _copy(get(c, OUT) + get(c, ROW) * words * 8, state, words)
    return get(c, CHOSEN)
