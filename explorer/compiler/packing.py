"""Where each leaf of a state sits in the state's 64-bit words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from explorer.compiler.program import Leaf
from explorer.lang.errors import ModelError

Words = NDArray[np.uint64]

WORD_BITS = 64
# Every state costs this many words of memory, and every step copies them: beyond this a search is hopeless anyway.
MAX_WORDS = 64


@dataclass(frozen=True)
class Field:
    """A leaf's place: ``value - low`` in ``width`` bits from bit ``shift`` of word ``word``."""

    word: int
    shift: int
    width: int
    low: int
    high: int

    @property
    def mask(self) -> int:
        """The field's bits, before shifting."""
        return (1 << self.width) - 1


@dataclass(frozen=True)
class Packing:
    """The layout of a state. ``bits`` is how many bits the leaves take, without the gaps between them."""

    fields: tuple[Field, ...]
    words: int
    bits: int

    def pack(self, values: Sequence[int]) -> Words:
        """The words of a state given as one number per leaf.

        Raises
        ------
        ValueError
            A value is outside its leaf's range: packing it would change its neighbours.
        """
        words = [0] * self.words
        for field, value in zip(self.fields, values, strict=True):
            if not field.low <= value <= field.high:
                raise ValueError(f"{value} is outside the leaf's {field.low}..{field.high}")
            words[field.word] |= value - field.low << field.shift
        return np.array(words, dtype=np.uint64)

    def unpack(self, words: Iterable[int]) -> tuple[int, ...]:
        """The leaves' values, from words as numpy or Python integers."""
        plain = [int(w) for w in words]
        return tuple((plain[f.word] >> f.shift & f.mask) + f.low for f in self.fields)


def pack_leaves(leaves: Sequence[Leaf]) -> Packing:
    """Place the leaves, none across two words, in as few words as two simple rules find.

    Raises
    ------
    ModelError
        The state, or one number in it, is too wide.
    """
    widths = [(leaf.high - leaf.low).bit_length() for leaf in leaves]
    for leaf, width in zip(leaves, widths, strict=True):
        if width > WORD_BITS - 2:
            raise ModelError(
                f"{leaf.path} may be any of {leaf.low}..{leaf.high}, too many values for a search",
                hint="give the integer smaller bounds",
            )
    in_order = _first_fit(widths, range(len(widths)))
    by_width = _first_fit(widths, sorted(range(len(widths)), key=lambda i: -widths[i]))
    # Neighbours in the model stay neighbours in the words unless that costs a word.
    places, count = in_order if in_order[1] <= by_width[1] else by_width
    if count > MAX_WORDS:
        raise _too_wide(leaves, widths)
    fields = tuple(
        Field(word, shift, width, leaf.low, leaf.high)
        for (word, shift), width, leaf in zip(places, widths, leaves, strict=True)
    )
    return Packing(fields, count, sum(widths))


def _first_fit(widths: Sequence[int], order: Iterable[int]) -> tuple[list[tuple[int, int]], int]:
    """(word, shift) per leaf, placing each in the first word with room, and the number of words."""
    used = [0]  # a state without leaves still is a state: one word
    places = [(0, 0)] * len(widths)
    for i in order:
        width = widths[i]
        word = next((w for w, bits in enumerate(used) if bits + width <= WORD_BITS), len(used))
        if word == len(used):
            used.append(0)
        # A constant leaf has no bits; at shift 64 its extraction would be undefined.
        places[i] = (word, used[word] if width else 0)
        used[word] += width
    return places, len(used)


def _too_wide(leaves: Sequence[Leaf], widths: Sequence[int]) -> ModelError:
    """Names the fields of the state's root that take most of the room."""
    bits: dict[str, int] = {}
    for leaf, width in zip(leaves, widths, strict=True):
        root = leaf.path.split("[")[0].split(".")[0]
        bits[root] = bits.get(root, 0) + width
    widest = sorted(bits, key=lambda name: -bits[name])[:3]
    named = ", ".join(f"{name} ({bits[name]} bits)" for name in widest)
    return ModelError(
        f"a state takes {sum(widths)} bits, more than the {MAX_WORDS * WORD_BITS} a search can store; "
        f"the widest fields are {named}",
        hint="make the scope smaller, lower a sequence's capacity or an integer's bounds",
    )
