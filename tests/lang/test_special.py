"""Classes of values that redefine what a value is."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.lang import ModelError
from explorer.lang.run import initial_states
from explorer.lang.text import to_json
from tests.lang.sources import load

METHODS = [
    "__eq__ __ne__ __hash__ __lt__ __le__ __gt__ __ge__ __bool__ __repr__ __str__ __format__ __new__".split(),
    "__eq__ __ne__ __hash__ __lt__ __le__ __gt__ __ge__ __bool__ __getattr__".split(),
]
ORDINAL = ("next", "first", "last", "top")


@pytest.mark.parametrize("base", ["Sort", "Ordinal"])
@pytest.mark.parametrize("name", [*METHODS[0], *ORDINAL])
def test_names_and_ordinals_are_what_they_are(base: str, name: str, tmp_path: Path) -> None:
    if base == "Sort" and name in ORDINAL:
        return
    for text in (
        f"class X({base}):\n    def {name}(self, *a): return True\n",
        f"class M:\n    def {name}(self, *a): return True\nclass X(M, {base}): ...\n",
    ):
        with pytest.raises(ModelError, match=f"X cannot define {name}") as caught:
            load(tmp_path, text)
        assert caught.value.where is not None and "another name" in caught.value.hint


ENUM = """
@record
class State:
    x: X
class Model(System[State]):
    @action
    def go(self, s: State) -> None: ...
"""


@pytest.mark.parametrize("name", METHODS[1])
def test_members_of_an_enum_are_just_different(name: str, tmp_path: Path) -> None:
    text = f"class X(Enum):\n    A = 1\n    def {name}(self, *a): return True\n" + ENUM
    with pytest.raises(ModelError, match=f"X cannot define {name}"):
        load(tmp_path, text).Model()


@pytest.mark.parametrize("kind", ["Flag", "IntFlag"])
def test_flags(kind: str, tmp_path: Path) -> None:
    text = f"from enum import {kind}\nclass X({kind}):\n    A = 1\n    B = 2\n" + ENUM
    with pytest.raises(ModelError, match=f"X is a {kind}") as caught:
        load(tmp_path, text).Model()
    assert "Set" in caught.value.hint


def test_what_is_fine(tmp_path: Path) -> None:
    text = """
from enum import IntEnum, StrEnum
class X(IntEnum):
    A = 1
    B = 0
    C = 1
    def __str__(self) -> str: return "same"
class Y(StrEnum):
    A = "x"
    B = "None"
class N(Sort):
    '''A name.'''
    @property
    def one(self) -> bool: return True
class T(Ordinal, top="INF"):
    __slots__ = ()
    def before(self, other: T) -> bool: return self < other
@record
class State:
    x: X
    y: Y
    n: N | None
    t: T
class Model(System[State]):
    default_scope = {"N": 1, "T": 2}
    @action
    def go(self, s: State) -> None: ...
"""
    module = load(tmp_path, text)
    _, state = next(initial_states(module.Model()))
    assert to_json(state) == {"x": "A", "y": "A", "n": None, "t": 0}
