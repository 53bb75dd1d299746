"""All mistakes of a model are reported at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.compiler import lower
from explorer.lang.errors import MOST_ERRORS, ModelError, ModelErrors, together
from tests.lang.sources import load

MODEL = """
@record
class State:
    level: Level
    color: Color

def helper(s: State) -> bool:
    return s.color < Color.RED

class Model(System[State]):
    @action
    def last(self, s: State) -> None:
        while True:
            s.level = 1
    @action
    def fine(self, s: State) -> None:
        s.level = 1
    @action
    def first(self, s: State) -> None:
        require(helper(s))
    @action
    def again(self, s: State) -> None:
        require(helper(s))
        s.level = "x"

@invariant
def odd(s: State) -> bool:
    return s.level
"""


def test_the_errors_of_all_functions_by_line(tmp_path: Path) -> None:
    module = load(tmp_path, MODEL)
    with pytest.raises(ModelErrors) as caught:
        lower(module.Model())
    found = caught.value.errors
    # The helper's error once, though two actions meet it.
    assert [e.message for e in found] == [
        "Color and Color cannot be ordered",
        "while is not supported: its bound is not known",
        "s.level is int 0..3, and bool is needed",
    ]
    lines = [e.where.line for e in found if e.where is not None]
    assert lines == sorted(lines) and len(lines) == 3
    assert caught.value.message == found[0].message
    assert caught.value.render().count("error: ") == 3
    assert caught.value.render().count("hint: ") >= 2


def test_one_error_is_an_error(tmp_path: Path) -> None:
    text = MODEL.replace("s.color < Color.RED", "True").replace("while", "if")
    module = load(tmp_path, text.replace("return s.level\n", "return True\n"))
    with pytest.raises(ModelError) as caught:
        lower(module.Model())
    assert not isinstance(caught.value, ModelErrors)


def test_not_more_than_anybody_reads() -> None:
    def failing(number: int) -> None:
        raise ModelError(f"no {number}")

    checks = [lambda n=n: failing(n) for n in range(MOST_ERRORS + 3)]
    with pytest.raises(ModelErrors) as caught:
        together(checks)
    assert caught.value.render().endswith("and 3 more errors")
