"""Temporal properties of component records: each place is judged, named and found again as itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from explorer.cli import execute
from explorer.engines import EngineName, Limits, run
from explorer.lang import (
    Formula,
    Map,
    Ordinal,
    System,
    action,
    always,
    record,
    require,
    temporal,
)
from explorer.lang.properties import properties_for
from explorer.result import Result


class Row(Ordinal):
    """A row of boxes."""


class Column(Ordinal):
    """A box in a row."""


@record
class Box:
    """Something to fill."""

    full: bool


@record
class Shelf:
    """One record of the type in a field, and several in a map: both below a map."""

    inner: Box
    boxes: Map[Column, Box]


@record
class Shelves:
    """Shelves."""

    shelves: Map[Row, Shelf]


class Filling(System[Shelves]):
    """Only one box is ever filled."""

    default_scope = {"Row": 2, "Column": 2}

    @action
    def fill(self, s: Shelves, row: Row, column: Column) -> None:
        """Fills the last box of the first row."""
        require(row == Row.first() and column == Column.last())
        s.shelves[row].boxes[column].full = True


@record
class Pair:
    """Two records of the type that no key tells apart, and two maps of them under the same keys."""

    one: Box
    two: Box
    left: Map[Row, Box]
    right: Map[Row, Box]


class Pairs(System[Pair]):
    """Fills one of them."""

    default_scope = {"Row": 2}

    @action
    def fill(self, s: Pair) -> None:
        """Fills the second."""
        s.two.full = True


class Rows(Pairs):
    """Fills one of the second map."""

    @action
    def fill(self, s: Pair) -> None:
        """Fills the first of the right."""
        s.right[Row.first()].full = True


def full(box: Box) -> bool:
    """Whether a box is full."""
    return box.full


def empty(box: Box) -> bool:
    """Whether a box is empty."""
    return not box.full


@temporal
def stays_empty() -> Formula:
    """No box is ever filled."""
    return always(empty)


def answer(system: System[Any], engine: EngineName) -> Result:
    return run(engine, system, properties_for(system), Limits())


@pytest.mark.parametrize("engine", ["exhaustive", "reference"])
@pytest.mark.parametrize(
    ("system", "place"),
    [(Filling, "shelves[0].boxes[1]"), (Pairs, "two"), (Rows, "right[0]")],
)
def test_the_place_that_fails_is_named(
    system: type[System[Any]], place: str, engine: EngineName
) -> None:
    (result,) = (p for p in answer(system(), engine).properties if p.name == "stays_empty")
    assert (result.verdict, result.length) == ("violated", 1)
    assert result.trace is not None and result.trace.instance == place
    assert f"empty({place}) does not hold after step 1" in "\n".join(result.trace.explanation)


@pytest.mark.parametrize("name", ["Filling", "Pairs", "Rows"])
def test_a_replay_looks_at_the_same_place(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute(["check", f"{__file__}:{name}", "--trace-dir", str(tmp_path)]) == 1
    (path,) = tmp_path.glob("*stays_empty.json")
    assert execute(["replay", str(path)]) == 0
    assert "stays_empty fails for " + json.loads(path.read_text())["instance"] in (
        capsys.readouterr().out
    )
