"""Which part of a property is blamed, and for which values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from explorer.trace.blame import Blame, blame


@dataclass
class Cell:
    level: int = 0
    owner: str | None = None

    def free(self) -> bool:
        return self.owner is None

    @property
    def low(self) -> bool:
        return self.level < 3


@dataclass
class State:
    ready: bool = False
    cells: dict[str, Cell] = field(default_factory=lambda: {"a": Cell(), "b": Cell(5, "x")})


def conjunction(s: State) -> bool:
    return len(s.cells) == 2 and s.cells["a"].level == 0 and s.ready


def quantified(s: State) -> bool:
    return all(s.cells[k].level < 4 and s.cells[k].owner != "y" for k in s.cells)


def nested(s: State) -> bool:
    return all(
        p == q or s.cells[p].level == s.cells[q].level for p in s.cells for q in s.cells if p < q
    )


def implication(s: State) -> bool:
    return all(not c.level > 2 or c.owner is None for c in s.cells.values())


def denied(s: State) -> bool:
    return not any(c.level > 4 for c in s.cells.values())


def nothing_fits(s: State) -> bool:
    return any(c.level > 9 for c in s.cells.values())


def early(s: State) -> bool:
    """A docstring is no statement."""
    if s.ready:
        return True
    for key in s.cells:
        if key == "a":
            continue
        cell = s.cells[key]
        if cell.level > 3:
            return False
    return True


def last_statement(s: State) -> bool:
    total = 0
    for cell in s.cells.values():
        total += cell.level
    return total < 5


def helper(s: State, key: str) -> bool:
    cell = s.cells[key]
    return cell.level == 0 and cell.owner is None


def through_a_helper(s: State) -> bool:
    return all(helper(s, key) for key in s.cells)


def through_a_method(s: State) -> bool:
    return all(c.free() for c in s.cells.values())


def through_a_property(s: State) -> bool:
    return all(c.low for c in s.cells.values())


def walrus(s: State) -> bool:
    return (cell := s.cells["b"]) is not None and cell.level == 0


def chosen(s: State) -> bool:
    return s.cells["a"].level > 0 if s.ready else s.cells["b"].level > 9


def step(before: State, after: State) -> bool:
    return not before.ready or after.ready


def fails(s: State) -> bool:
    return all(s.cells[k].level // len(s.cells[k].owner or "") >= 0 for k in s.cells)


def matched(s: State) -> bool:
    match s.ready:
        case True:
            return True
        case _:
            return False


def explain(function: Callable[..., bool], *states: State) -> Blame:
    found = blame(function, *(states or (State(),)))
    assert found is not None
    return found


def source_line(found: Blame) -> str:
    with open(found.file, encoding="utf-8") as file:
        return file.read().splitlines()[found.line - 1]


@pytest.mark.parametrize(
    ("function", "text", "bindings"),
    [
        (conjunction, "s.ready", {}),
        (quantified, "s.cells[k].level < 4", {"k": "b"}),
        (nested, "p == q or s.cells[p].level == s.cells[q].level", {"p": "a", "q": "b"}),
        (early, "cell.level > 3", {"key": "b"}),
        (last_statement, "total < 5", {}),
        (through_a_helper, "cell.level == 0", {"key": "b"}),
        (through_a_method, "self.owner is None", {"c": "Cell(level=5, owner='x')"}),
        (through_a_property, "self.level < 3", {"c": "Cell(level=5, owner='x')"}),
        (walrus, "cell.level == 0", {}),
        (chosen, 's.cells["b"].level > 9', {}),
        (nothing_fits, "any(c.level > 9 for c in s.cells.values())", {}),
    ],
)
def test_the_deciding_part_is_blamed(
    function: Callable[..., bool], text: str, bindings: dict[str, str]
) -> None:
    found = explain(function)
    assert found.text == text
    assert dict(found.bindings) == bindings
    assert text in source_line(found)


def test_values_that_were_read_are_reported() -> None:
    assert dict(explain(quantified).reads) == {"s.cells[k].level": "5"}
    assert dict(explain(walrus).reads) == {"cell.level": "5"}
    assert dict(explain(last_statement).reads) == {"total": "5"}


def test_the_premise_of_an_implication_is_kept_apart() -> None:
    found = explain(implication)
    assert (found.text, found.premises, found.expected) == (
        "c.owner is None",
        ("c.level > 2",),
        True,
    )


def test_what_should_be_false_is_blamed_for_being_true() -> None:
    found = explain(denied)
    assert (found.text, found.expected) == ("c.level > 4", False)
    assert explain(early).expected is False


def test_helpers_on_the_way_are_named() -> None:
    assert explain(through_a_helper).via == ("helper(s, key)",)


def test_a_step_invariant_has_two_states() -> None:
    found = explain(step, State(ready=True), State())
    assert (found.text, found.premises) == ("after.ready", ("before.ready",))
    assert dict(found.reads) == {"after.ready": "False"}


def test_an_evaluation_that_fails_is_noted() -> None:
    found = explain(fails)
    assert found.note is not None and "zero" in found.note
    assert dict(found.bindings) == {"k": "a"}


def test_a_shape_that_is_not_followed_is_blamed_whole() -> None:
    found = explain(matched)
    assert found.text == "matched(...)"
    assert "def matched" in source_line(found)


def test_a_true_property_has_nothing_to_blame() -> None:
    assert blame(conjunction, State(ready=True)) is None
    assert blame(early, State(ready=True)) is None


def test_a_function_without_source_is_not_explained() -> None:
    space: dict[str, Callable[..., bool]] = {}
    exec("def f(s):\n    return s.ready", space)
    assert blame(space["f"], State()) is None
