"""Looks at a search that is under way, for whoever watches."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping

import numpy as np

from explorer.compiler.native import Native
from explorer.compiler.packing import Words
from explorer.search import memory
from explorer.search.found import Found
from explorer.search.watch import Glimpse, watcher

# Seconds between glimpses, and between counts of values, which cost some milliseconds.
EVERY, _COUNT_EVERY = 0.2, 1.0
# How many states stand for all when values are counted.
_SAMPLE = 2048
_ODD = np.uint64(0x9E3779B97F4A7C15)


class Progress:
    """Looks at one search now and then."""

    def __init__(self) -> None:
        self._watch = watcher()
        self._last = time.monotonic()
        self._states = 0
        self._fields: dict[str, Words] | None = None
        self._counted = -_COUNT_EVERY
        self._busiest: tuple[str | None, int] = None, 0

    def look(self, now: float, found: Callable[[], Found], expanded: Callable[[], int]) -> None:
        """Report to the watcher if there is one and it is time to."""
        if self._watch is None or now - self._last < EVERY:
            return
        self._watch(self._glimpse(now, found(), expanded()))

    def _glimpse(self, now: float, found: Found, expanded: int) -> Glimpse:
        rate = (found.states - self._states) / (now - self._last)
        self._last, self._states = now, found.states
        if self._fields is None:
            self._fields = fields_of(found.native)
        if now - self._counted >= _COUNT_EVERY:
            self._counted, self._busiest = now, busiest_field(found.rows, self._fields)
        field, values = self._busiest
        return Glimpse(
            states=found.states,
            rate=rate,
            depth=found.depth,
            frontier=found.states - expanded,
            memory=memory.resident(),
            field=field,
            values=values,
        )


def busiest_field(rows: Words, fields: Mapping[str, Words]) -> tuple[str | None, int]:
    """The field with the most distinct values among a sample of the states, evenly spread, and how many it has there."""
    sample = rows[:: max(1, -(-len(rows) // _SAMPLE))]
    # A sum with odd weights tells the words of a field apart as well as a hash does.
    weights = _ODD ** np.arange(1, 1 + sample.shape[1], dtype=np.uint64)
    best, most = None, 1
    for name, mask in fields.items():
        count = len(np.unique((sample & mask) @ weights))
        if count > most:
            best, most = name, count
    return best, most if best else 0


def fields_of(native: Native) -> dict[str, Words]:
    """The bits of each field of a state, at whatever index it is."""
    masks: dict[str, Words] = {}
    for leaf, field in zip(native.program.leaves, native.packing.fields, strict=True):
        mask = masks.setdefault(field_of(leaf.path), np.zeros(native.packing.words, np.uint64))
        mask[field.word] |= np.uint64(field.mask << field.shift)
    return masks


def field_of(path: str) -> str:
    """The field that a leaf belongs to: ``slots[SlotRef0].as_of`` is part of ``slots.as_of``."""
    path = path.removesuffix(" is not None").removesuffix(" is")
    path = path.rpartition(" in ")[2]
    if path.startswith("len(") and path.endswith(")"):
        path = path[4:-1]
    previous = ""
    while previous != path:
        previous, path = path, re.sub(r"\[[^\[\]]*\]", "", path)
    return path
