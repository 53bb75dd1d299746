"""What ``check`` reports about a system in which everything happens."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from explorer.lang.errors import ModelError
from explorer.lang.properties import Property, properties_for
from explorer.reference.search import explore
from explorer.result import ActionCount, Result
from explorer.search.check import check
from tests.search.machine import Machine


def judged(system: Machine) -> list[Property]:
    return [p for p in properties_for(system) if p.name != "six_cannot_be_judged"]


def run(design: dict[str, object] | None = None, **options: Any) -> Result:
    system = Machine(design=design)
    return check(system, judged(system), **options)


def verdicts(result: Result) -> dict[str, tuple[str, int | None]]:
    return {p.name: (p.verdict, p.length) for p in result.properties}


def test_everything_is_found_with_its_shortest_length() -> None:
    result = run()
    assert verdicts(result) == {
        "below_seven": ("violated", 6),
        "the_log_is_kept": ("unknown", None),
        "four_is_the_end": ("violated", 4),
        "it_ends": ("reached", 8),
        "three_notes": ("unknown", None),
        "panic:five": ("violated", 5),
        "range:level": ("violated", 9),
        "soft_panic:three": ("violated", 3),
        "deadlock": ("violated", 8),
    }
    assert not result.complete
    assert result.incomplete == ("log used up",)
    assert result.warnings == ()
    assert result.exit_code() == 1


def test_traces_end_where_they_should() -> None:
    result = run()
    lengths = {p.name: p.trace.length for p in result.properties if p.trace is not None}
    assert lengths == {name: n for name, (_, n) in verdicts(result).items() if n is not None}
    panic = result.find("panic:five")
    assert panic is not None
    assert panic.trace is not None
    assert panic.trace.init == {"twice": "True"}
    assert [step.action for step in panic.trace.steps] == ["count"] * 4 + ["alarm"]
    assert panic.trace.steps[-1].state is None


def test_a_failing_step_is_enabled_and_not_taken() -> None:
    result = run()
    counts = result.actions["alarm"]
    assert counts.taken == 0
    assert counts.enabled > 0
    assert result.actions["never"] == ActionCount(0, 0)
    assert result.transitions == sum(c.taken for c in result.actions.values())


def test_the_design_is_given_per_run() -> None:
    result = run({"guarded": True, "stops": True})
    assert result.design == {"guarded": True, "stops": True}
    found = verdicts(result)
    # The compiler knows that it could happen; in this design it does not.
    assert found["panic:five"] == ("unknown", None)
    assert found["deadlock"] == ("unknown", None)


@pytest.mark.parametrize("design", [{}, {"guarded": True}, {"stops": True}])
@pytest.mark.parametrize("options", [{}, {"first": True}, {"max_states": 5}])
def test_the_reference_says_the_same(design: dict[str, object], options: dict[str, Any]) -> None:
    system = Machine(design=design)
    fast = check(system, judged(system), **options)
    slow = explore(system, judged(system), **options).result
    known = verdicts(slow)
    for name, found in verdicts(fast).items():
        # The reference does not list failures that it did not meet.
        assert found == known.get(name, ("unknown", None)), name
    assert [p.trace for p in fast.properties if p.trace] == [
        p.trace for p in slow.properties if p.trace
    ]
    if not options:
        assert dataclasses.replace(fast, engine="", seconds=0, properties=()) == (
            dataclasses.replace(slow, engine="", seconds=0, properties=())
        )


def test_first_reports_one_violation() -> None:
    result = run(first=True)
    assert [p.name for p in result.violations] == ["soft_panic:three"]
    assert result.incomplete[-1] == "stopped at the first violation"
    assert not result.complete


def test_a_state_limit_leaves_the_rest_unknown() -> None:
    result = run(max_states=3)
    assert result.states == 3
    assert "state limit" in result.incomplete
    assert verdicts(result)["below_seven"] == ("unknown", None)
    assert result.exit_code() == 3


def test_a_property_that_cannot_be_evaluated_is_an_error_of_the_model() -> None:
    system = Machine()
    with pytest.raises(ModelError, match="six_cannot_be_judged cannot be evaluated.*panic:six"):
        check(system)
    # It is not evaluated where the search does not get.
    assert check(system, max_states=3).states == 3
