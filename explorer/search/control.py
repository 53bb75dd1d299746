"""The control block of a search: what each of its 64-bit integers means to the compiled loop and to ``Space``."""

from __future__ import annotations

# The model's functions and the design's switches, by address
EXPAND, CHECK, STEP, FINAL, DESIGN = range(5)

# Arrays, by address; of u64 unless noted.
# Per state: its words; its predecessor (u32); the instance that led here (u32), or the number of the initial state.
STATES, PARENT, VIA = range(5, 8)
# The hash table
TABLE = 8
# Per successor that is not looked up yet: its words, its instance (u32), its predecessor (u32), its hash
OUT, INSTANCE, SOURCE, HASHES = range(9, 13)
# Written by native code: events, bit masks of property values and of failed evaluations, successors by action
EVENTS, TRUTHS, UNCLEAR, TAKEN = range(13, 17)
# Each instance's action (u32)
ACTION = 17
# Bit masks of the properties that are remembered when false (the others when true), and of those that still are to be
# found: on states, on steps
WRONG, ON_STATES, ON_STEPS = range(18, 21)
# First occurrences, -1 if none yet: of each property, of its failed evaluation, of each failure
PROPERTY_STATE, PROPERTY_INSTANCE = range(21, 23)
UNCLEAR_STATE, UNCLEAR_INSTANCE = range(23, 25)
FAILURE_STATE, FAILURE_INSTANCE = range(25, 27)
# How often each cut happened; enabled steps without a successor, by action
CUTS, ENDED = range(27, 29)

# Sizes: words per state, slots of the table (a power of two), states that there is room for, instances, words of a bit
# mask of properties, successors that are looked up together, states to store at most
WORDS, SLOTS, ROOM, INSTANCES, MASKS, BATCH, MAX_STATES = range(29, 36)
# Flags: states are in the table's slots; stop at the first violation; stop after this step
WHOLE, FIRST, STOP = range(36, 39)

# Counters: states expanded, states, transitions, successors not looked up yet, events of the last expansion,
# properties still to be found on states and on steps
NEXT, COUNT, TRANSITIONS, HELD, N_EVENTS, PENDING_STATES, PENDING_STEPS = range(39, 46)
# States, -1 if none yet: the first deadlock, the first where finality could not be computed, the first with a step that stored
# a value outside its leaf's range, and that event
DEADLOCK, FINAL_UNCLEAR, BROKEN_STATE, BROKEN_EVENT = range(46, 50)

# The tables of a symmetry and the function that uses them (see ``orbit``), by address, or 0
ORBIT, CANONICAL = 50, 51

SIZE = 52

# Why the loop returned: call it again, everything is explored, there is no room, one state too many, STOP was set
AGAIN, DONE, GROW, STATE_LIMIT, STOPPED = range(5)
