"""Compiled loops compute what Python does, on 64-bit words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.compiler import cache, wordcode
from explorer.compiler.wordcode import Compiled, compiled
from explorer.search import control as at
from explorer.search.raw import below, call, get, get_half, prefetch, put, put_half

WORD = 1 << 64
LARGE = 0x9E3779B97F4A7C15


def word(value: int) -> int:
    """A number as a signed 64-bit word."""
    return (value + WORD // 2) % WORD - WORD // 2


@compiled
def arithmetic(a: int, b: int, which: int) -> int:
    if which == 0:
        return a + b * LARGE
    elif which == 1:
        return (a - b) ^ (a & b) | ~a
    elif which == 2:
        return -a + (b << 3)
    elif which == 3:
        return a >> 5
    return at.MARK_EVERY


@given(st.integers(-WORD // 2, WORD // 2 - 1), st.integers(-WORD // 2, WORD // 2 - 1))
def test_arithmetic(a: int, b: int) -> None:
    assert arithmetic(a, b, 0) == word(a + b * LARGE)
    assert arithmetic(a, b, 1) == word((a - b) ^ (a & b) | ~a)
    assert arithmetic(a, b, 2) == word(-a + (b << 3))
    assert arithmetic(a, b, 3) == word(a % WORD >> 5)
    assert arithmetic(a, b, 4) == at.MARK_EVERY


@compiled
def compare(a: int, b: int) -> int:
    result = (a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a != b) + 16 * (a > b) + 32 * (a >= b)
    return result + 64 * below(a, b)


@given(st.integers(-3, 3), st.integers(-3, 3))
def test_comparisons(a: int, b: int) -> None:
    wanted = (a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a != b) + 16 * (a > b) + 32 * (a >= b)
    assert compare(a, b) == wanted + 64 * (a % WORD < b % WORD)


@compiled
def logic(a: int, b: int, c: int) -> int:
    first = a and b or not c
    second = 5 if a < b and b < c else 7
    return first + 10 * second + 100 * bool_of(a or b or c)


@compiled
def bool_of(a: int) -> bool:
    if a:
        return True
    return False


@given(st.integers(-1, 1), st.integers(-1, 1), st.integers(-1, 1))
def test_logic(a: int, b: int, c: int) -> None:
    wanted = bool(a and b or not c) + 10 * (5 if a < b < c else 7) + 100 * bool(a or b or c)
    assert logic(a, b, c) == wanted


@compiled
def loops(n: int, stop: int) -> int:
    """Changing the counter inside the loop changes nothing, and what is left of it is the last."""
    total = 0
    i = -1
    for i in range(n):
        if i == stop:
            break
        if i & 1:
            continue
        for j in range(i, 2 * i):
            total += j
        i = 100
    while True:
        total += 1
        if total > 50:
            break
    while total < 70:
        total, i = total + 2, i + 1000
    return total * 1_000_000 + i


@given(st.integers(-1, 12), st.integers(0, 12))
def test_loops(n: int, stop: int) -> None:
    assert loops(n, stop) == loops.function(n, stop)


@compiled
def memory(a: int, function: int) -> int:
    put(a, 1, get(a, 0) + 1)
    put_half(a, 4, -1)
    prefetch(a, 0)
    return get_half(a, 4) + call(function, (get(a, 1), 3))


def test_memory_and_calls() -> None:
    cells = np.array([41, 0, 0], np.int64)
    assert memory(cells.ctypes.data, compare.address) == 0xFFFFFFFF + compare(42, 3)
    assert cells.tolist() == [41, 42, 0xFFFFFFFF]


@compiled
def _divides(a: int) -> int:
    return a // 2


@compiled
def _unknown(a: int) -> int:
    return len(str(a))


@compiled
def _sequences(a: int) -> int:
    for x in (1, 2):
        a += x
    return a


@pytest.mark.parametrize(
    "function, shown", [(_divides, "a // 2"), (_unknown, "len(str(a))"), (_sequences, "for x in")]
)
def test_what_is_not_supported_is_named(function: Compiled, shown: str) -> None:
    with pytest.raises(
        SyntaxError, match=r"test_wordcode.py:\d+: not for compiled functions"
    ) as error:
        function(1)
    assert shown in str(error.value)


def test_an_edit_changes_the_name_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever file of the two packages it is in: numba, for one, does not notice edited callees."""
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path))
    for text in ("one", "another", "another"):
        monkeypatch.setattr(wordcode, "_contents", lambda folder, text=text: (text,))
        assert Compiled(bool_of.function)(3) == 1
    assert len(list((tmp_path / "objects").iterdir())) == 2
