"""A trace as a walk."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from explorer.lang.errors import ModelError
from explorer.lang.run import instances
from explorer.lang.system import System
from explorer.stepping.dialogue import Dialogue
from explorer.stepping.recorded import Recorded
from explorer.stepping.session import Session
from explorer.trace.replay import build_trace
from explorer.trace.trace import Trace
from tests.cli.models.door import Door, Person
from tests.stepping.models import Hotel, Tür

OPEN = {"lock": False, "guard": False}


def trace() -> Trace:
    system = Door({}, OPEN)
    enter = {i.text: i for i in instances(system)}
    taken = [enter[f"enter(person=Person{n})"] for n in (0, 1)]
    return build_trace(system, (None,), taken, "at_most_one_is_inside")


def opened(recorded: Trace, system: System[Any]) -> tuple[Dialogue, Recorded]:
    session = Session(system)
    known = Recorded(recorded, session)
    return Dialogue(session, None, known), known


def said(dialogue: Dialogue, line: str) -> str:
    return "\n".join(dialogue.answer(line))


def test_its_steps_lie_ahead() -> None:
    dialogue, known = opened(trace(), Door({}, OPEN))
    text = "\n".join(dialogue.opening())
    assert "trace of at_most_one_is_inside: 2 steps; forward takes the next one" in text
    assert "  0. init(first=None)" in text
    assert "ahead (forward): Person0: enter(person=Person0), and 1 more" in text
    said(dialogue, "f")
    assert "-- end of the trace of at_most_one_is_inside" in said(dialogue, "f")
    assert not known.warnings


def test_another_step_departs_from_it() -> None:
    dialogue, known = opened(trace(), Door({}, OPEN))
    assert "ahead" not in said(dialogue, "enter(Person1)")
    assert "end of the trace" not in said(dialogue, "enter")
    assert known.differs(dialogue.session) == []


def test_a_step_that_another_design_disables() -> None:
    dialogue, _ = opened(trace(), Door())
    said(dialogue, "f")
    with pytest.raises(ModelError, match="is disabled here") as refused:
        said(dialogue, "f")
    assert "require(not any(s.inside[p] for p in Person))" in refused.value.hint


def test_what_was_edited_is_told() -> None:
    recorded = trace()
    first, second = recorded.steps
    edited = replace(
        recorded,
        digest="sha256:0",
        steps=(
            replace(first, thread="Person1", state={"inside": {"Person0": False}, "visits": []}),
            replace(second, action="entre"),
        ),
    )
    dialogue, known = opened(edited, Door({}, OPEN))
    text = "\n".join(dialogue.opening())
    assert "warning: the model's source has changed since the trace was recorded" in text
    assert "step 1 was recorded as one of Person1, and is one of Person0" in text
    assert "the trace ends before step 2 of 2: Door has no action entre" in text
    shown = said(dialogue, "f")
    assert "! not as recorded:" in shown
    assert "inside.Person0: False recorded, True now" in shown
    assert len(known.warnings) == 3


def test_a_step_that_fails_now_or_then() -> None:
    recorded = trace()
    failing = replace(recorded, steps=(replace(recorded.steps[0], state=None),))
    dialogue, _ = opened(failing, Door({}, OPEN))
    assert "it was recorded as failing" in said(dialogue, "f")
    system = Hotel()
    ring = [i for i in instances(system) if i.action.name == "ring"]
    bell = build_trace(system, (Tür.ZU,), ring, "panic:the_bell_breaks")
    edited = replace(bell, steps=(bell.steps[0], replace(bell.steps[1], state=bell.initial)))
    dialogue, _ = opened(edited, system)
    assert "the step fails" in said(dialogue, "f 2")


def test_how_a_run_goes_on_for_ever() -> None:
    recorded = replace(trace(), loop=1, property_name="x")
    dialogue, _ = opened(recorded, Door({}, OPEN))
    assert "the run goes on from step 1, for ever (jump 1)" in said(dialogue, "f 2")
    dialogue, _ = opened(replace(recorded, loop=2), Door({}, OPEN))
    assert "the run stays here for ever" in said(dialogue, "f 2")


def test_a_start_that_is_not_there() -> None:
    with pytest.raises(ModelError, match="the trace cannot begin here: first: Person1 is not in"):
        opened(replace(trace(), init={"first": "Person1"}), Door({"Person": 1}, OPEN))


def test_a_long_trace_is_walked_in_time() -> None:
    recorded = trace()
    first = recorded.steps[0]
    leave = replace(first, action="leave", state=recorded.initial)
    long = replace(recorded, steps=(first, leave) * 5000)
    dialogue, _ = opened(long, Door({}, OPEN))
    said(dialogue, "jump 10000")
    assert dialogue.session.at == 10000
    assert Person.__name__ in dialogue.session.system.scope
