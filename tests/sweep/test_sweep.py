"""A sweep: what it goes over, what fails first, how counts grow."""

from __future__ import annotations

import pytest

from explorer.batch.job import Decided, Outcome
from explorer.lang.errors import ModelError
from explorer.loading import find_system
from explorer.sweep.answer import Growth, Row, Sweep
from explorer.sweep.grid import Grid, Point, read_grid
from explorer.sweep.report import lines, table

TANKS = find_system("tests/shrink/models.py:Tanks")


def test_every_combination_in_order() -> None:
    grid = read_grid(TANKS, ["Cell=1..2,Level=3"], [], ["watch=true,false", "limit=1, 3"])
    points = list(grid.points())
    assert grid.size == len(points) == 8
    assert points[0] == Point({"Cell": 1, "Level": 3}, None, {"watch": "True", "limit": "1"})
    assert [p.scope["Cell"] for p in points] == [1, 2] * 4
    assert [(p.switches["watch"], p.switches["limit"]) for p in points[::2]] == [
        ("True", "1"),
        ("True", "3"),
        ("False", "1"),
        ("False", "3"),
    ]


def test_presets_are_gone_over_too() -> None:
    grid = read_grid(TANKS, [], ["open", "mixed"], [])
    assert [p.preset for p in grid.points()] == ["open", "mixed"]
    assert list(read_grid(TANKS, [], [], []).points()) == [Point({}, None, {})]


@pytest.mark.parametrize(
    ("scope", "switches", "message"),
    [
        (["Cell"], [], "'Cell' is no range of sizes"),
        (["Cell=1..x"], [], "'Cell=1..x' is no range of sizes"),
        (["Cel=1"], [], f"{TANKS.name} has no scope entry Cel"),
        (["Cell=3..1"], [], "the range 3..1 of Cell is empty"),
        (["Cell=1", "Cell=2"], [], "Cell is given twice"),
        (["Cell=1..100000"], [], "the range 1..100000 of Cell is too large for a sweep"),
        (["Cell=1..200,Level=1..200"], [], "these are 40,000 combinations"),
        ([], ["watch"], "'watch' sets no switch"),
        ([], ["watsh=true"], "there is no switch watsh"),
        ([], ["watch=true,maybe"], "the switch watch: expected True or False, found maybe"),
        ([], ["watch=true", "watch=false"], "watch is given twice"),
    ],
)
def test_what_is_no_sweep(scope: list[str], switches: list[str], message: str) -> None:
    with pytest.raises(ModelError) as caught:
        read_grid(TANKS, scope, [], switches)
    assert caught.value.message == message


GRID = Grid({"A": (1, 2), "B": (1, 2)}, (None,), {})


def sweep(*found: tuple[int, str | None]) -> Sweep:
    """A sweep over A and B with these numbers of states and verdicts on ``p``; None for a search that was cut."""
    outcomes = [
        Outcome(
            verdict is not None,
            states,
            properties=(Decided("p", "invariant", verdict or "unknown", 4),),  # type: ignore[arg-type]
            incomplete=() if verdict else ("state limit",),
        )
        for states, verdict in found
    ]
    rows = tuple(Row(p, o) for p, o in zip(GRID.points(), outcomes, strict=True))
    return Sweep("s", GRID, rows)


def test_the_first_scope_is_the_smallest_in_which_it_fails() -> None:
    (first,) = sweep((5, "holds"), (10, "holds"), (20, "violated"), (40, "violated")).fails_first()
    assert dict(first.point.scope) == {"A": 2, "B": 1} and first.length == 4 and first.sure


def test_it_may_fail_earlier_where_a_smaller_scope_is_open() -> None:
    made = sweep((5, None), (10, "holds"), (20, "violated"), (40, "violated"))
    assert not made.fails_first()[0].sure and not made.complete
    assert "  p: A=2 B=1, 4 steps (perhaps earlier: a smaller scope was not decided)" in lines(made)
    # One that is not smaller says nothing about it.
    other = sweep((5, "holds"), (10, None), (20, "violated"), (40, "violated"))
    assert other.fails_first()[0].sure


def test_growth_is_of_what_was_explored_completely() -> None:
    made = sweep((5, "holds"), (10, "holds"), (20, "violated"), (60, "violated"))
    assert made.growth() == (Growth("A", 1, 2, 4.0, 6.0), Growth("B", 1, 2, 2.0, 3.0))
    cut = sweep((5, "holds"), (10, "holds"), (20, None), (60, None))
    assert cut.growth() == (Growth("B", 1, 2, 2.0, 2.0),)


def test_a_line_for_each_combination() -> None:
    made = sweep((5, "holds"), (1000, None), (20, "violated"), (40, "violated"))
    assert list(table(made, 60)) == [
        "  A  B  states  depth",
        "  1  1       5      0  all hold",
        "  1  2   1,000      0  unknown: state limit",
        "  2  1      20      0  p (4)",
        "  2  2      40      0  p (4)",
    ]
    assert list(table(made, 30))[3:5] == ["  1  2   1,000      0", "      unknown: state limit"]
