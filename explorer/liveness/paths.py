"""Shortest ways through a product: to a goal, and round a fair cycle.

Compiled loops on two control blocks: ``c`` is that of the product (see ``steps``), ``b`` one of their own, whose places are named
below.
"""

from __future__ import annotations

from explorer.compiler.wordcode import compiled
from explorer.liveness import steps as at
from explorer.liveness.edges import NOWHERE, instance_of
from explorer.search.raw import (
    get,
    get_byte,
    get_half,
    lowest,
    ones,
    put,
    put_half,
)

# Breadth first from the initial nodes. Per state the automaton's states met and those that are goals; per node in order
# of discovery its state << 8 | its automaton state, and its predecessor's place (u32); how many, how many followed, room
SEEN, GOALS, NODES, PARENTS, COUNT, NEXT, ROOM, FOUND = range(8)

# Round a cycle. Per entry, in order of discovery: its node (u32), its bits, its predecessor's place (u32), the edge
E_NODE, E_BITS, E_PARENT, E_EDGE = range(8, 12)
# Numbers of entries plus one (u32) by hash, the logarithm of how many places
TABLE, TABLE_BITS = range(12, 14)
# Entries, entries followed, entries that there is room for, the distance of the next entry to follow, the first entry
# of the next distance, the greatest distance wanted
ENTRIES, FOLLOWED, MOST, LEVEL, LEVEL_END, DEEPEST = range(14, 20)
# Where the cycle begins. Bits: gained by an instance, by being in a state, by a move; remembered; those that a cycle
# needs, those of strong sets taken, how far to the left those of strong sets met are
START, GAIN_STEP, GAIN_STATE, GAIN_MOVE, KEEP, NEED, TAKEN, SHIFT = range(20, 28)
# If not 0: stop at the first step that gains any of these bits. The last step of what was found
WANT, LAST_EDGE, LAST_NODE, LAST_ENTRY, LAST_BITS = range(28, 33)
SIZE = 33

DONE, AGAIN, HIT, FULL = range(4)

_MIX1 = 0xBF58476D1CE4E5B9
_MIX2 = 0x94D049BB133111EB


@compiled
def spread(c: int, b: int, budget: int) -> int:
    """Follow up to ``budget`` nodes. The caller has made room for as many states again as there are automaton states."""
    first, target, letter = get(c, at.FIRST), get(c, at.TARGET), get(c, at.LETTER)
    successors, size = get(c, at.SUCCESSORS), get(c, at.SIZE_OF)
    seen, goals, nodes, parents = get(b, SEEN), get(b, GOALS), get(b, NODES), get(b, PARENTS)
    place, count, found = get(b, NEXT), get(b, COUNT), get(b, FOUND)
    end = place + budget
    end = get(b, LEVEL_END) if end > get(b, LEVEL_END) else end
    while place < end:
        state, q = get(nodes, place) >> 8, get(nodes, place) & 255
        reached = get(successors, get_half(letter, state) * size + q)
        e, last = get(first, state), get(first, state + 1)
        if reached == 0:
            e = last
        while e < last:
            after = get_half(target, e)
            e += 1
            if after == NOWHERE:
                continue
            new = reached & ~get(seen, after)
            if new == 0:
                continue
            put(seen, after, get(seen, after) | new)
            found = found | (new & get(goals, after))
            while new != 0:
                put(nodes, count, after << 8 | lowest(new))
                put_half(parents, count, place)
                count += 1
                new = new & (new - 1)
        place += 1
    put(b, NEXT, place)
    put(b, COUNT, count)
    put(b, FOUND, found)
    return DONE if place == get(b, LEVEL_END) else AGAIN


@compiled
def node(b: int, place: int) -> int:
    """A node by its place: its state << 8 | its automaton state."""
    return get(get(b, NODES), place)


@compiled
def retreat(c: int, b: int, wanted: int, result: int, begin: int, end: int) -> int:
    """The places from ``begin`` to before ``end`` with a step to a wanted node, to ``result``; how many they are.

    ``wanted`` has, for each state, the automaton's states with which it is wanted.
    """
    first, target, letter = get(c, at.FIRST), get(c, at.TARGET), get(c, at.LETTER)
    successors, size, nodes = get(c, at.SUCCESSORS), get(c, at.SIZE_OF), get(b, NODES)
    found = 0
    for place in range(begin, end):
        state, q = get(nodes, place) >> 8, get(nodes, place) & 255
        reached = get(successors, get_half(letter, state) * size + q)
        e, last = get(first, state), get(first, state + 1)
        while e < last:
            after = get_half(target, e)
            e += 1
            if after != NOWHERE and (reached & get(wanted, after)) != 0:
                put(result, found, place)
                found += 1
                e = last
    return found


@compiled
def _place(b: int, node: int, bits: int) -> int:
    """Where in the table an entry is, or where it is to go."""
    table, mask = get(b, TABLE), (1 << get(b, TABLE_BITS)) - 1
    h = ((node * _MIX1) ^ (bits + _MIX2)) * _MIX2
    place = (h ^ (h >> 29)) * _MIX1 >> (64 - get(b, TABLE_BITS))
    while True:
        entry = get_half(table, place)
        if entry == 0:
            return place
        if get_half(get(b, E_NODE), entry - 1) == node and get(get(b, E_BITS), entry - 1) == bits:
            return place
        place = (place + 1) & mask


@compiled
def enter(b: int, node: int, bits: int, parent: int, edge: int) -> int:
    """Store an entry unless it is known; whether there is no room."""
    place = _place(b, node, bits)
    if get_half(get(b, TABLE), place) != 0:
        return 0
    entry = get(b, ENTRIES)
    if entry == get(b, MOST):
        return 1
    put_half(get(b, TABLE), place, entry + 1)
    put_half(get(b, E_NODE), entry, node)
    put(get(b, E_BITS), entry, bits)
    put_half(get(b, E_PARENT), entry, parent)
    put(get(b, E_EDGE), entry, edge)
    put(b, ENTRIES, entry + 1)
    return 0


@compiled
def around(c: int, b: int, budget: int) -> int:
    """Follow up to ``budget`` entries, in the region of the node where the cycle begins; ``HIT`` at the first step that ends
    the search."""
    first, target, letter = get(c, at.FIRST), get(c, at.TARGET), get(c, at.LETTER)
    met, base, candidates = get(c, at.MET), get(c, at.BASE), get(c, at.CANDIDATES)
    region, size = get(c, at.REGION), get(c, at.SIZE_OF)
    node_state, node_q = get(c, at.NODE_STATE), get(c, at.NODE_Q)
    gain_step, gain_state, keep = get(b, GAIN_STEP), get(b, GAIN_STATE), get(b, KEEP)
    need, taken, shift, want = get(b, NEED), get(b, TAKEN), get(b, SHIFT), get(b, WANT)
    start = get(b, START)
    here = get_half(region, start)
    while budget > 0:
        budget -= 1
        entry = get(b, FOLLOWED)
        if entry == get(b, LEVEL_END):
            put(b, LEVEL, get(b, LEVEL) + 1)
            put(b, LEVEL_END, get(b, ENTRIES))
            if entry == get(b, ENTRIES) or get(b, LEVEL) >= get(b, DEEPEST):
                return DONE
        put(b, FOLLOWED, entry + 1)
        node, bits = get_half(get(b, E_NODE), entry), get(get(b, E_BITS), entry)
        state = get_half(node_state, node)
        row = get_half(letter, state) * size + get_byte(node_q, node)
        begin_moves, end_moves = (
            get(get(c, at.FIRST_MOVE), row),
            get(get(c, at.FIRST_MOVE), row + 1),
        )
        e, last = get(first, state), get(first, state + 1)
        while e < last:
            after = get_half(target, e)
            if after != NOWHERE:
                instance = instance_of(get(c, at.LABEL), get(c, at.WIDE), e)
                gained = get(gain_step, instance) | get(gain_state, after)
                numbered, begin = get(met, after) & candidates, get_half(base, after)
                for move in range(begin_moves, end_moves):
                    q = get(get(c, at.MOVE_TO), move)
                    other = begin + ones(numbered & ((1 << q) - 1))
                    if get_half(region, other) != here:
                        continue
                    more = bits | gained | get(get(b, GAIN_MOVE), move)
                    # A strong set that was taken need not be remembered as met.
                    more = more | (more & taken) << shift
                    hit = 0
                    if want != 0:
                        hit = (more & want) != 0
                    elif other == start and (more & need) == need:
                        hit = (more >> shift & ~more & taken) == 0
                    if hit != 0:
                        put(b, LAST_EDGE, e)
                        put(b, LAST_NODE, other)
                        put(b, LAST_ENTRY, entry)
                        put(b, LAST_BITS, more)
                        return HIT
                    if enter(b, other, more & keep, entry, e):
                        return FULL
            e += 1
    return AGAIN
