"""Where the levels of a search end, found out again: a level is the states at one distance from the initial ones."""

from __future__ import annotations

from explorer.compiler.wordcode import compiled
from explorer.search import control as at
from explorer.search.raw import call, get, get_half, put


@compiled
def _same(left: int, right: int, words: int) -> bool:
    for w in range(words):
        if get(left, w) != get(right, w):
            return False
    return True


@compiled
def ends(c: int, result: int, room: int, last: int) -> int:
    """The number of the first state after each level, up to the level of the state ``last``; how many levels those are.

    ``c`` is the control block of a ``History``; ``result`` has room for so many levels and begins with the number of initial states.

    States are numbered in order of discovery, so a successor is new exactly if it is the first state that is not known yet. A few states
    are expanded for each level: those since the last mark before it ends (see ``loop``).
    """
    marks, words, count = get(c, at.MARKS), get(c, at.WORDS), get(c, at.COUNT)
    states, out = get(c, at.STATES), get(c, at.OUT)
    level, expanded, mark = 0, 0, 0
    known = get(result, 0)
    while get(result, level) <= last and level + 1 < room:
        end = get(result, level)
        while mark + 1 < get(c, at.N_MARKS) and get_half(marks, 2 * mark + 2) <= end:
            mark += 1
        if get_half(marks, 2 * mark) > expanded:
            expanded, known = get_half(marks, 2 * mark), get_half(marks, 2 * mark + 1)
        while expanded < end:
            put(c, at.N_EVENTS, 0)
            found = call(
                get(c, at.EXPAND),
                (
                    get(c, at.DESIGN),
                    states + expanded * words * 8,
                    out,
                    get(c, at.INSTANCE),
                    get(c, at.EVENTS),
                    c + at.N_EVENTS * 8,
                    get(c, at.TAKEN),
                ),
            )
            for row in range(found):
                after = out + row * words * 8
                if get(c, at.ORBIT):
                    call(get(c, at.CANONICAL), (get(c, at.ORBIT), after))
                if known < count and _same(after, states + known * words * 8, words):
                    known += 1
            expanded += 1
        level += 1
        put(result, level, known)
    return level + 1
