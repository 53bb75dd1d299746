"""The first ``require`` that stops a step, down to the part that is false."""

from __future__ import annotations

from typing import Annotated

import pytest

from explorer.explain.blocked import Obstacle, obstacle
from explorer.lang import Between, Map, Sort, System, action, given, record, require
from explorer.lang.run import Blocked, initial_states, instances, step


class Box(Sort):
    """A box."""


@record(frozen=True)
class Parcel:
    """A parcel."""

    weight: Annotated[int, Between(0, 3)]


@record
class State:
    """What is where."""

    full: Map[Box, bool]
    top: Box | None
    parcel: Parcel | None
    count: Annotated[int, Between(0, 3)]


class Boxes(System[State]):
    """Boxes."""

    default_scope = {"Box": 2}

    @action
    def conjunction(self, s: State) -> None:
        require(s.count == 0 and s.top is not None)

    @action
    def negated(self, s: State) -> None:
        require(not (s.count == 0))

    @action
    def several_lines(self, s: State) -> None:
        require(
            all(
                s.full[box]
                for box in Box
            )
        )  # fmt: skip

    @action
    def after_a_write(self, s: State) -> None:
        s.count = 2
        require(s.count < 2)

    @action
    def optional(self, s: State, box: Box) -> None:
        s.full[given(s.top)] = True

    @action
    def helped(self, s: State) -> None:
        self.check(s, 3)

    @action
    def made(self, s: State) -> None:
        require(s.parcel == Parcel(weight=1))

    @action
    def never(self, s: State) -> None:
        require(False)

    def check(self, s: State, least: Annotated[int, Between(0, 3)]) -> None:
        require(s.count >= least)


def stops(name: str) -> Obstacle:
    system = Boxes()
    _, state = next(iter(initial_states(system)))
    instance = next(i for i in instances(system) if i.action.name == name)
    outcome = step(system, state, instance)
    assert isinstance(outcome, Blocked)
    with system:
        found = obstacle(outcome)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "text", "reads"),
    [
        ("conjunction", "s.top is not None", {"s.top": "None"}),
        ("negated", "not (s.count == 0)", {"s.count": "0"}),
        ("several_lines", "s.full[box]", {"box": "Box0", "s.full[box]": "False"}),
        ("after_a_write", "s.count < 2", {"s.count": "2"}),
        ("optional", "given(s.top)", {"s.top": "None"}),
        ("helped", "s.count >= least", {"s.count": "0", "least": "3"}),
        ("made", "s.parcel == Parcel(weight=1)", {"s.parcel": "None"}),
        ("never", "False", {}),
    ],
)
def test_what_stops_a_step(name: str, text: str, reads: dict[str, str]) -> None:
    found = stops(name)
    assert found.text == text
    assert dict(found.reads) == reads


def test_where_it_stands() -> None:
    lines = open(__file__).read().splitlines()
    assert "require(s.count >= least)" in lines[stops("helped").line - 1]
    assert "given(s.top)" in lines[stops("optional").line - 1]
