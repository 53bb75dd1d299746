"""The product of a state graph and an automaton, without storing its edges.

Compiled loops; ``c`` is the address of a control block, whose places are named below. A node is a state of the graph with a
state of the automaton. The automaton has read the labels of all states before this one. From a node there is a step for each
edge of the state and each move of the automaton that reads the state's own label.
"""

from __future__ import annotations

from explorer.compiler.wordcode import compiled
from explorer.liveness.edges import NOWHERE, instance_of
from explorer.search.raw import (
    get,
    get_byte,
    get_half,
    lowest,
    ones,
    put,
    put_byte,
    put_half,
)

# The graph: first edges, targets, instances, whether these are wide, the number of states
FIRST, TARGET, LABEL, WIDE, COUNT = range(5)
# The automaton: per state of the graph the number of its letter (u32), states of the automaton, per letter and state the
# successors' mask, its first move; per move its state and its acceptance conditions
LETTER, SIZE_OF, SUCCESSORS, FIRST_MOVE, MOVE_TO, MOVE_MARKS = range(5, 11)

# Reachable nodes: per state the automaton's states met, those of them not followed yet; states to follow (u32, a ring)
MET, TODO, QUEUE, HEAD, LENGTH = range(11, 16)

# Numbers of the nodes whose automaton state is in CANDIDATES: per state its first (u32); per node its state (u32) and its
# automaton state (u8)
CANDIDATES, BASE, NODE_STATE, NODE_Q, NODES = range(16, 21)

# Fair sets: words per mask; per instance the sets it is in, per state those enabled; weak ones, strong ones; the acceptance
# conditions that there are
MASKS, MEMBER, ENABLED, WEAK, STRONG, CONDITIONS = range(21, 27)

# Components. Per node: its region (u32; 0: done with), its index (u32; 0: not visited)
REGION, INDEX = range(27, 29)
# The path's frames (node, edge << 16 | move), nodes waiting for their component (u32), their numbers
FRAMES, DEPTH, STACK, HEIGHT = range(29, 33)
# Nodes to start from, of this round (0: all) and of the next (u32); how many; the next one to start from
ROOTS, N_ROOTS, ROOT, LATER, N_LATER = range(33, 38)
# The next index, the number of the next component, of the next region, of the next fair component
NEXT_INDEX, COMPONENT, NEXT_REGION, FAIR = range(38, 42)
# Per component under judgement: sets taken, enabled somewhere, disabled somewhere, in that order (masks)
SEEN = 42
# Regions from here on are for the next round
LIMIT = 43
SIZE = 44

FAIR_BIT = 1 << 31
"""In a region: the number of a fair component follows."""

AGAIN, DONE = range(2)


@compiled
def reach(c: int, budget: int) -> int:
    """Follow up to ``budget`` states of the queue. Calling it again goes on where it was."""
    first, target, letter = get(c, FIRST), get(c, TARGET), get(c, LETTER)
    successors, states = get(c, SUCCESSORS), get(c, SIZE_OF)
    met, todo, queue, count = get(c, MET), get(c, TODO), get(c, QUEUE), get(c, COUNT)
    head, length = get(c, HEAD), get(c, LENGTH)
    while length > 0 and budget > 0:
        budget -= 1
        state = get_half(queue, head)
        head = 0 if head + 1 == count else head + 1
        length -= 1
        new = get(todo, state)
        put(todo, state, 0)
        row = get_half(letter, state) * states
        reached = 0
        while new != 0:
            reached = reached | get(successors, row + lowest(new))
            new = new & (new - 1)
        if reached == 0:
            continue
        end = get(first, state + 1)
        e = get(first, state)
        while e < end:
            after = get_half(target, e)
            e += 1
            if after == NOWHERE:
                continue
            known = get(met, after)
            added = reached & ~known
            if added != 0:
                put(met, after, known | added)
                if get(todo, after) == 0:
                    place = head + length
                    place = place - count if place >= count else place
                    put_half(queue, place, after)
                    length += 1
                put(todo, after, get(todo, after) | added)
    put(c, HEAD, head)
    put(c, LENGTH, length)
    return DONE if length == 0 else AGAIN


@compiled
def count_nodes(c: int) -> int:
    """Give each state the number of its first node; the number of all nodes."""
    met, candidates, base, count = get(c, MET), get(c, CANDIDATES), get(c, BASE), get(c, COUNT)
    total = 0
    for state in range(count):
        put_half(base, state, total)
        total += ones(get(met, state) & candidates)
    return total


@compiled
def list_nodes(c: int) -> None:
    """Store each node's state and automaton state, and its region, 1."""
    met, candidates, count = get(c, MET), get(c, CANDIDATES), get(c, COUNT)
    states, automaton, region = get(c, NODE_STATE), get(c, NODE_Q), get(c, REGION)
    node = 0
    for state in range(count):
        left = get(met, state) & candidates
        while left != 0:
            put_half(states, node, state)
            put_byte(automaton, node, lowest(left))
            put_half(region, node, 1)
            node += 1
            left = left & (left - 1)


# Strongly connected components


@compiled
def _open(c: int, node: int) -> None:
    """Begin with a node."""
    depth, index = get(c, DEPTH), get(c, NEXT_INDEX)
    frames = get(c, FRAMES)
    state, q = get_half(get(c, NODE_STATE), node), get_byte(get(c, NODE_Q), node)
    row = get_half(get(c, LETTER), state) * get(c, SIZE_OF) + q
    put(frames, 3 * depth, node)
    put(frames, 3 * depth + 1, get(get(c, FIRST), state))
    # The lowest index reached from here so far is in INDEX; the node's own one is here, to tell whether it is a root.
    put(frames, 3 * depth + 2, get(get(c, FIRST_MOVE), row) << 32 | index)
    put_half(get(c, INDEX), node, index)
    put(c, NEXT_INDEX, index + 1)
    put(c, DEPTH, depth + 1)


@compiled
def components(c: int, budget: int) -> int:
    """Find and judge components, about ``budget`` steps of the product at a time. Calling it again goes on where it was.

    Tarjan's algorithm in the form of Pearce, "A space-efficient algorithm for finding strongly connected components",
    2016: one number per node. Indices of finished components are above all others.
    """
    first, target, letter = get(c, FIRST), get(c, TARGET), get(c, LETTER)
    states, moves, move_to = get(c, SIZE_OF), get(c, FIRST_MOVE), get(c, MOVE_TO)
    node_state, node_q = get(c, NODE_STATE), get(c, NODE_Q)
    region, index, frames, stack = get(c, REGION), get(c, INDEX), get(c, FRAMES), get(c, STACK)
    met, base, candidates = get(c, MET), get(c, BASE), get(c, CANDIDATES)
    roots = get(c, ROOTS)
    while budget > 0:
        if get(c, DEPTH) == 0:
            root = get(c, ROOT)
            if root == get(c, N_ROOTS):
                return DONE
            put(c, ROOT, root + 1)
            budget -= 1
            node = root if roots == 0 else get_half(roots, root)
            here = get_half(region, node)
            if get_half(index, node) == 0 and here != 0 and here < get(c, LIMIT):
                _open(c, node)
            continue
        top = get(c, DEPTH) - 1
        node = get(frames, 3 * top)
        edge = get(frames, 3 * top + 1)
        both = get(frames, 3 * top + 2)
        move, own = both >> 32, both & 0xFFFFFFFF
        state = get_half(node_state, node)
        here = get_half(region, node)
        row = get_half(letter, state) * states + get_byte(node_q, node)
        end, begin_moves, end_moves = get(first, state + 1), get(moves, row), get(moves, row + 1)
        low = get_half(index, node)
        child = -1
        if begin_moves == end_moves:
            edge = end
        while edge < end:
            after = get_half(target, edge)
            if after == NOWHERE:
                edge += 1
                continue
            budget -= 1
            around, start = get(met, after) & candidates, get_half(base, after)
            while move < end_moves:
                q = get(move_to, move)
                other = start + ones(around & ((1 << q) - 1))
                move += 1
                if get_half(region, other) == here:
                    reached = get_half(index, other)
                    if reached == 0:
                        child = other
                        break
                    if reached < low:
                        low = reached
            if child >= 0:
                break
            move = begin_moves
            edge += 1
        put_half(index, node, low)
        if child >= 0:
            # Come back to the same move: then the child has an index.
            put(frames, 3 * top + 1, edge)
            put(frames, 3 * top + 2, (move - 1) << 32 | own)
            _open(c, child)
            continue
        put(c, DEPTH, top)
        height = get(c, HEIGHT)
        put_half(stack, height, node)
        if low != own:
            put(c, HEIGHT, height + 1)
            continue
        component, bottom = get(c, COMPONENT), height
        put_half(index, node, component)
        while bottom > 0 and get_half(index, get_half(stack, bottom - 1)) >= own:
            bottom -= 1
            put_half(index, get_half(stack, bottom), component)
        put(c, NEXT_INDEX, get(c, NEXT_INDEX) - (height + 1 - bottom))
        put(c, COMPONENT, component - 1)
        put(c, HEIGHT, bottom)
        _judge(c, bottom, height + 1)
    return AGAIN


@compiled
def _add_inner(c: int, node: int) -> int:
    """Note the sets taken by steps that stay in the node's component; their acceptance conditions, or -1 without a step."""
    first, target, label, wide = get(c, FIRST), get(c, TARGET), get(c, LABEL), get(c, WIDE)
    masks, member, taken = get(c, MASKS), get(c, MEMBER), get(c, SEEN)
    index, region = get(c, INDEX), get(c, REGION)
    state, q = get_half(get(c, NODE_STATE), node), get_byte(get(c, NODE_Q), node)
    row = get_half(get(c, LETTER), state) * get(c, SIZE_OF) + q
    begin_moves, end_moves = get(get(c, FIRST_MOVE), row), get(get(c, FIRST_MOVE), row + 1)
    component, here = get_half(index, node), get_half(region, node)
    met, base, candidates, move_to = get(c, MET), get(c, BASE), get(c, CANDIDATES), get(c, MOVE_TO)
    found, marks = 0, 0
    end = get(first, state + 1)
    edge = get(first, state)
    while edge < end:
        after = get_half(target, edge)
        if after != NOWHERE:
            inside = 0
            around, start = get(met, after) & candidates, get_half(base, after)
            for move in range(begin_moves, end_moves):
                other = start + ones(around & ((1 << get(move_to, move)) - 1))
                if get_half(index, other) == component and get_half(region, other) == here:
                    marks = marks | get(get(c, MOVE_MARKS), move)
                    inside = 1
            if inside != 0:
                found = 1
                instance = instance_of(label, wide, edge)
                for w in range(masks):
                    put(taken, w, get(taken, w) | get(member, instance * masks + w))
        edge += 1
    return marks if found else -1


@compiled
def _judge(c: int, bottom: int, top: int) -> None:
    """Decide about the component of the nodes at these places of the stack.

    It is a fair one; or no part of it is; or parts of it may be that avoid some states: those are explored again in the next
    round (Emerson and Lei, "Modalities for model checking: branching time logic strikes back", 1987).
    """
    stack, masks, enabled = get(c, STACK), get(c, MASKS), get(c, ENABLED)
    taken = get(c, SEEN)
    somewhere, missing = taken + masks * 8, taken + masks * 16
    node_state, region = get(c, NODE_STATE), get(c, REGION)
    for w in range(3 * masks):
        put(taken, w, 0)
    marks, steps = 0, 0
    for place in range(bottom, top):
        node = get_half(stack, place)
        inner = _add_inner(c, node)
        if inner != -1:
            steps = 1
            marks = marks | inner
        state = get_half(node_state, node)
        for w in range(masks):
            word = get(enabled, state * masks + w)
            put(somewhere, w, get(somewhere, w) | word)
            put(missing, w, get(missing, w) | ~word)
    if steps == 0 or marks != get(c, CONDITIONS):
        return
    unfair = 0
    for w in range(masks):
        if (get(get(c, WEAK), w) & ~(get(taken, w) | get(missing, w))) != 0:
            return
        # From here on: strong sets enabled somewhere and never taken.
        put(somewhere, w, get(somewhere, w) & get(get(c, STRONG), w) & ~get(taken, w))
        unfair = unfair | get(somewhere, w)
    if unfair == 0:
        fair = get(c, FAIR)
        put(c, FAIR, fair + 1)
        for place in range(bottom, top):
            put_half(region, get_half(stack, place), FAIR_BIT | fair)
        return
    new = get(c, NEXT_REGION)
    put(c, NEXT_REGION, new + 1)
    later, count = get(c, LATER), get(c, N_LATER)
    for place in range(bottom, top):
        node = get_half(stack, place)
        state = get_half(node_state, node)
        avoid = 0
        for w in range(masks):
            avoid = avoid | (get(enabled, state * masks + w) & get(somewhere, w))
        if avoid != 0:
            put_half(region, node, 0)
        else:
            put_half(region, node, new)
            put_half(get(c, INDEX), node, 0)
            put_half(later, count, node)
            count += 1
    put(c, N_LATER, count)
