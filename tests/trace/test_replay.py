"""Traces are confirmed by CPython, written, read back, run again, and compared."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from explorer.lang.errors import ModelError
from explorer.lang.run import Instance, instances
from explorer.lang.text import Json
from explorer.reference import explore
from explorer.trace.again import replay
from explorer.trace.digest import digest
from explorer.trace.files import read_trace, write_traces
from explorer.trace.render import differences, render, whole
from explorer.trace.replay import ReplayMismatch, build_trace
from explorer.trace.trace import Trace
from tests.cli.models.door import Door, Person

OPEN = {"lock": False, "guard": False}


def step_of(system: Door, action: str, person: int | None = None) -> Instance:
    for instance in instances(system):
        if instance.action.name == action:
            with system:
                if person is None or instance.values == (Person(person),):
                    return instance
    raise AssertionError(action)


def start(system: Door, first: int | None) -> tuple[Any, ...]:
    with system:
        return (None if first is None else Person(first),)


def two_inside() -> tuple[Door, Trace]:
    system = Door(design=OPEN)
    taken = [step_of(system, "enter", 0), step_of(system, "enter", 1)]
    return system, build_trace(system, start(system, None), taken, "at_most_one_is_inside")


def test_a_trace_says_what_happened() -> None:
    _, trace = two_inside()
    assert [s.label() for s in trace.steps] == [
        "Person0: enter(person=Person0)",
        "Person1: enter(person=Person1)",
    ]
    assert trace.design == {"lock": False, "guard": False}
    assert trace.init == {"first": "None"}
    assert trace.steps[-1].state == {"inside": {"Person0": True, "Person1": True}, "visits": []}
    assert render(trace) == [
        "  0. init(first=None)",
        "  1. Person0: enter(person=Person0)",
        "       inside[Person0]: False -> True",
        "  2. Person1: enter(person=Person1)",
        "       inside[Person1]: False -> True",
        "",
        "at_most_one_is_inside is violated after 2 steps",
        "  false: p == q or not (s.inside[p] and s.inside[q])",
        "  for: p = Person0, q = Person1",
        "    s.inside[p] = True",
        "    s.inside[q] = True",
        *render(trace)[-1:],
    ]


def test_whole_states_on_request() -> None:
    lines = render(two_inside()[1], full=True)
    assert lines[1:5] == [
        "       inside:",
        "         Person0: False",
        "         Person1: False",
        "       visits: []",
    ]


@pytest.mark.parametrize(
    ("first", "steps", "name"),
    [
        (None, [("enter", 0)], "at_most_one_is_inside"),  # holds there
        (0, [("enter", 1)], "at_most_one_is_inside"),  # the step is disabled
        (None, [("enter", 0), ("leave", 0)], "somebody_is_inside"),  # not reached at the end
        (None, [("enter", 0)], "one_door_lets_one_through"),
        (None, [], "one_door_lets_one_through"),
        (None, [("enter", 0)], "panic:somebody_was_inside"),
        (None, [("enter", 0)], "deadlock"),
        (0, [("ring", None), ("leave", 0)], "at_most_one_is_inside"),  # goes on after a panic
        (0, [("ring", None)], "at_most_one_is_inside"),  # ends in another failure
    ],
)
def test_a_run_that_does_not_show_it_is_refused(
    first: int | None, steps: list[tuple[str, int | None]], name: str
) -> None:
    system = Door(design={"alarm": True})
    taken = [step_of(system, action, person) for action, person in steps]
    with pytest.raises(ReplayMismatch):
        build_trace(system, start(system, first), taken, name)


def test_a_failing_step_ends_the_trace_without_a_state() -> None:
    system = Door(design={"alarm": True})
    trace = build_trace(
        system, start(system, 0), [step_of(system, "ring")], "panic:somebody_was_inside"
    )
    assert (trace.length, trace.steps[0].state, trace.kind) == (1, None, "failure")
    said, place = render(trace)[-2:]
    assert said == "panic:somebody_was_inside after 1 step: somebody was inside"
    assert trace.where is not None
    assert place.endswith(f"door.py:{trace.where.line}")


def test_a_deadlock_and_a_witness() -> None:
    system = Door(design={"exit": False})
    # One leaves nobody who could move: whoever is inside stays there.
    stuck = build_trace(system, start(system, 0), [], "deadlock")
    assert render(stuck)[-1].startswith("deadlock after 0 steps")
    reached = build_trace(system, start(system, 0), [], "somebody_is_inside")
    assert render(reached)[-1] == "somebody_is_inside is reached after 0 steps"


def test_traces_survive_a_file(tmp_path: Path) -> None:
    _, trace = two_inside()
    trace = trace.labelled("some/door.py:Door", "open")
    [path] = write_traces([trace], tmp_path / "deep" / "er").values()
    assert Path(path).name == "Door-at_most_one_is_inside.json"
    assert read_trace(Path(path)) == trace


def test_every_trace_has_a_file_of_its_own(tmp_path: Path) -> None:
    _, trace = two_inside()
    names = ["panic:a", "panic_a"]
    paths = write_traces([replace(trace, property_name=n) for n in names], tmp_path)
    assert [read_trace(Path(paths[n])).property_name for n in names] == names


def test_a_directory_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelError, match="cannot write traces"):
        write_traces([two_inside()[1]], tmp_path / "file")


WHOLE = {"schema": "slotcheck.trace/1"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "not a trace"),
        (b"{", "not a trace"),
        (b"[1]", "no schema"),
        (b"{}", "no schema"),
        (b'{"schema": "slotcheck.result/1"}', "this version reads slotcheck.trace/1"),
        (b'{"schema": "slotcheck.trace/1"}', "design is missing"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[" * 100_000, "not a trace"),
        (b"9" * 10_000, "not a trace"),
    ],
)
def test_what_is_no_trace(tmp_path: Path, text: bytes, message: str) -> None:
    path = tmp_path / "trace.json"
    path.write_bytes(text)
    with pytest.raises(ModelError, match=message):
        read_trace(path)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("system", 1),
        ("digest", None),
        ("scope", {"Person": "2"}),
        ("scope", {"Person": True}),
        ("design", []),
        ("design", {"preset": 1}),
        ("property", {}),
        ("kind", 0),
        ("init", {"first": None}),
        ("initial", None),
        ("steps", {}),
        ("steps", [None]),
        ("steps", [{"thread": 1, "action": "enter", "parameters": {}, "state": {}}]),
        ("steps", [{"thread": None, "parameters": {}, "state": {}}]),
        ("steps", [{"thread": None, "action": "enter", "parameters": [], "state": {}}]),
        ("steps", [{"thread": None, "action": "enter", "parameters": {}, "state": None}] * 2),
        ("message", 1),
        ("loop", True),
        ("loop", 3),
    ],
)
def test_every_part_of_a_trace_file_is_checked(tmp_path: Path, key: str, value: object) -> None:
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({**two_inside()[1].to_json(), key: value}))
    with pytest.raises(ModelError, match="is not a trace"):
        read_trace(path)


def test_a_missing_part_is_named(tmp_path: Path) -> None:
    whole_trace = two_inside()[1].to_json()
    path = tmp_path / "trace.json"
    for key in ("system", "digest", "scope", "property", "kind", "init", "initial", "steps"):
        path.write_text(json.dumps({k: v for k, v in whole_trace.items() if k != key}))
        with pytest.raises(ModelError, match=key):
            read_trace(path)


def test_replay_finds_the_recorded_run() -> None:
    system, trace = two_inside()
    again = replay(trace, system)
    assert (again.difference, again.possible, again.confirmed) == (None, True, True)
    assert again.same_source


def test_replay_says_which_require_kills_the_run() -> None:
    _, trace = two_inside()
    again = replay(trace, Door(design={"guard": False}))
    assert again.difference is not None
    assert (again.difference.step, again.possible, again.confirmed) == (2, False, False)
    [detail] = again.difference.details
    assert "door.py" in detail and "require(not any(s.inside[p] for p in Person))" in detail


def test_replay_notices_a_state_that_differs() -> None:
    system, trace = two_inside()
    step = replace(trace.steps[0], state={"inside": {"Person0": 1, "Person1": False}, "visits": []})
    again = replay(replace(trace, steps=(step, *trace.steps[1:])), system)
    assert again.difference is not None
    assert (again.difference.step, again.difference.what) == (1, "the state differs")
    assert again.difference.details == ("inside.Person0: 1 recorded, True now",)
    assert again.possible and again.confirmed


def test_replay_notices_another_thread() -> None:
    system, trace = two_inside()
    step = replace(trace.steps[0], thread="Person7")
    again = replay(replace(trace, steps=(step, *trace.steps[1:])), system)
    assert again.difference is not None
    assert again.difference.step == 1
    assert again.difference.what == "Person7 took the step, and Person0 takes it now"
    assert again.possible and again.confirmed


def test_replay_notices_what_is_gone() -> None:
    system, trace = two_inside()
    for step in (
        replace(trace.steps[1], action="entre"),
        replace(trace.steps[1], params={"person": "Person7"}),
        replace(trace.steps[1], params={}),
    ):
        again = replay(replace(trace, steps=(trace.steps[0], step)), system)
        assert again.difference is not None and again.difference.step == 2
        assert not again.confirmed
    again = replay(replace(trace, init={"first": "Person9"}), system)
    assert again.now is None and again.difference is not None and again.difference.step == 0
    with pytest.raises(ModelError, match="no property"):
        replay(replace(trace, property_name="gone"), system)


def test_replay_notices_a_step_that_fails_or_no_longer_fails() -> None:
    alarmed = Door(design={"alarm": True})
    taken = [step_of(alarmed, "ring")]
    trace = build_trace(alarmed, start(alarmed, 0), taken, "panic:somebody_was_inside")
    quiet = replay(replace(trace, init={"first": "None"}), alarmed)
    assert quiet.difference is not None and quiet.possible and not quiet.confirmed
    calm = replace(trace.steps[0], state={})
    loud = replay(replace(trace, steps=(calm,)), alarmed)
    assert loud.difference is not None
    assert loud.difference.what == "the step fails: panic:somebody_was_inside (somebody was inside)"


def test_engines_traces_are_those_of_build_trace() -> None:
    result = explore(Door(design=OPEN)).result
    found = result.find("at_most_one_is_inside")
    assert found is not None and found.trace is not None
    assert replay(found.trace, Door(design=OPEN)).confirmed


def test_the_digest_is_that_of_the_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from explorer.loading import find_system

    source = Path("tests/cli/models/door.py").read_text()
    digests = []
    for folder, text in (("a", source), ("b", source), ("c", source + "# changed\n")):
        path = tmp_path / folder / "door.py"
        path.parent.mkdir()
        path.write_text(text)
        digests.append(digest(find_system(f"{path}:Door").cls))
    assert digests[0] == digests[1] != digests[2]


def test_the_digest_covers_helper_modules(tmp_path: Path) -> None:
    from explorer.loading import find_system

    source = Path("tests/cli/models/door.py").read_text()
    digests = []
    for folder, text in (("a", "x = 1\n"), ("b", "x = 2\n")):
        home = tmp_path / folder
        home.mkdir()
        (home / f"helper_{folder}_of_door.py").write_text("def f() -> None: ...\n" + text)
        line = f"from helper_{folder}_of_door import f as helping\n"
        (home / "door.py").write_text(source.replace("from enum", line + "from enum"))
        found = find_system(f"{home / 'door.py'}:Door")
        digests.append((digest(found.cls), line))
    assert digests[0] != digests[1]


def test_differences_are_paths() -> None:
    left: Json = {"a": {"x": 1, "y": [1]}, "b": True}
    right: Json = {"a": {"x": 1, "y": [2]}, "b": 1}
    assert differences(left, right) == [("a.y", "[1]", "[2]"), ("b", "True", "1")]
    assert differences({"a": 1}, {}) == [("a", "1", "(absent)")]


def test_values_of_unions_read_like_the_model() -> None:
    command = {"is": "Publish", "id": "GlobalId0"}
    assert whole({"queue": [command]}, 0) == ["queue: [Publish(id=GlobalId0)]"]


def test_the_digest_does_not_depend_on_the_design() -> None:
    from explorer.lang.system import with_preset

    assert digest(with_preset(Door, "ajar")[0]) == digest(with_preset(Door, "open")[0])
