"""Traces that no breadth-first search has found are made smaller before anybody sees them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from explorer.cli import execute
from explorer.configure import configure
from explorer.engines import undecided
from explorer.result import PropertyResult, Result
from explorer.shrink.automatic import smaller
from explorer.trace.trace import Trace
from tests.shrink.test_traces import OPEN, TANKS, WET, trace


def result(found: Trace) -> Result:
    """A result with one violated property."""
    system = configure(TANKS, {}, None, OPEN).system
    item = PropertyResult(found.property_name, "invariant", "violated", found.length, found)
    return replace(undecided("bmc", system, (), "test"), properties=(item,))


def test_a_long_trace_comes_out_shorter_and_with_its_length() -> None:
    given = trace(WET)
    (item,) = smaller(result(given), TANKS).properties
    assert item.trace is not None
    assert given.length == 7 and item.length == item.trace.length == 3
    assert (item.trace.system, item.trace.scope) == (given.system, given.scope)


def test_what_cannot_be_replayed_stays_as_it_is() -> None:
    given = result(replace(trace(WET), init={"no": "such"}))
    assert smaller(given, TANKS) == given


def test_what_has_no_trace_stays_as_it_is() -> None:
    given = result(trace(WET))
    given = replace(given, properties=(replace(given.properties[0], trace=None),))
    assert smaller(given, TANKS) == given


def test_what_z3_finds_has_the_first_names(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--property", "nothing_is_wet", "--engine", "bmc", "--depth", "3")
    assert execute(["check", TANKS.name, "--design", "open", *options]) == 1
    trace = capsys.readouterr().out.partition("  0. init()")[2].partition("nothing_is_wet is")[0]
    assert trace.count("fill(cell=Cell0)") == 3
