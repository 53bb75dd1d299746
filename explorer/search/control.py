"""The control block of a search: what each of its 64-bit integers means to the compiled loop and to ``Space``."""

from __future__ import annotations

# The model's functions and the design's switches, by address
EXPAND, CHECK, STEP, FINAL, DESIGN = range(5)

# Arrays, by address; of u64 unless noted.
# Per state, its words; and the marks: pairs of u32, so many states were known when so many had been expanded
STATES, MARKS = range(5, 7)
# The hash table; the filter, states met a short while ago
TABLE, FILTER = range(7, 9)
# Per successor that is not looked up yet: its words and its hash. Per successor of the last expansion: its instance (u32)
OUT, HASHES, INSTANCE = range(9, 12)
# Written by native code: events, bit masks of property values and of failed evaluations, successors by action
EVENTS, TRUTHS, UNCLEAR, TAKEN = range(12, 16)
# Each instance's action (u32)
ACTION = 16
# Bit masks of the properties that are remembered when false (the others when true), and of those that still are to be
# found: on states, on steps
WRONG, ON_STATES, ON_STEPS = range(17, 20)
# First occurrences, -1 if none yet: of each property, of its failed evaluation, of each failure
PROPERTY_STATE, PROPERTY_INSTANCE = range(20, 22)
UNCLEAR_STATE, UNCLEAR_INSTANCE = range(22, 24)
FAILURE_STATE, FAILURE_INSTANCE = range(24, 26)
# How often each cut happened; enabled steps without a successor, by action
CUTS, ENDED = range(26, 28)

# Sizes: words per state, binary logarithms of the slots of the table and of the places of the filter, states that there
# is room for, instances, words of a bit mask of properties, successors that are looked up together, states to store at most
WORDS, TABLE_BITS, FILTER_BITS, ROOM, INSTANCES, MASKS, BATCH, MAX_STATES = range(28, 36)
# Flags: states are in the table's slots; stop at the first violation; stop after this step
WHOLE, FIRST, STOP = range(36, 39)

# Counters: states expanded, states, transitions, successors not looked up yet, marks, events of the last expansion,
# properties still to be found on states and on steps
NEXT, COUNT, TRANSITIONS, HELD, N_MARKS, N_EVENTS, PENDING_STATES, PENDING_STEPS = range(39, 47)
# The level that is being expanded, and the first state after it
DEPTH, LEVEL_END = range(47, 49)
# States, -1 if none yet: the first deadlock, the first where finality could not be computed, the first with a step that stored
# a value outside its leaf's range, and that event
DEADLOCK, FINAL_UNCLEAR, BROKEN_STATE, BROKEN_EVENT = range(49, 53)

# The tables of a symmetry (see ``orbit``), by address, and the function that uses them; or 0
ORBIT, CANONICAL = range(53, 55)

# The first state, not final, whose steps all lead to itself; -1 if none yet
IDLE = 55

SIZE = 56

# Why the loop returned: call it again, everything is explored, there is no room, one state too many, STOP was set, the symmetry
# gave up (the successors that are not looked up yet are not canonical)
AGAIN, DONE, GROW, STATE_LIMIT, STOPPED, GAVE_UP = range(6)

# States expanded between two marks, at least: so many are expanded again to find a state's predecessor.
MARK_EVERY = 16
