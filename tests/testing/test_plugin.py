"""The pytest plugin from the outside: pytest runs a user's test file."""

from __future__ import annotations

import json

import pytest

# pytest runs in this process, and forgets the modules that it imports; numpy cannot be imported twice.
import explorer.search.check
import explorer.testing.holds

LOADED = explorer.search.check, explorer.testing.holds

MODEL = """
from dataclasses import dataclass
from explorer import *

@dataclass(frozen=True)
class Design:
    guard: bool = True

@record
class State:
    inside: Map["Person", bool]

class Person(Sort): ...

class Door(System[State]):
    default_scope = {"Person": 2}
    presets = {"open": {"guard": False}}
    design = Design()

    @action(thread="person")
    def enter(self, s: State, person: Person) -> None:
        require(not s.inside[person])
        require(not self.design.guard or not any(s.inside[p] for p in Person))
        s.inside[person] = True

    @action(thread="person")
    def leave(self, s: State, person: Person) -> None:
        require(s.inside[person])
        s.inside[person] = False

@invariant
def one_at_a_time(s: State) -> bool:
    return sum(s.inside[p] for p in Person) <= 1

@reachable
def somebody_is_inside(s: State) -> bool:
    return any(s.inside[p] for p in Person)
"""


@pytest.fixture
def door(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project with a model."""
    monkeypatch.setenv("COLUMNS", "100")
    pytester.makepyfile(entrance=MODEL)
    return pytester


def run(door: pytest.Pytester, test: str, *options: str) -> pytest.RunResult:
    door.makepyfile(test_entrance=f"from entrance import *\n\n{test}")
    return door.runpytest_inprocess("-p", "no:cacheprovider", *options)


def test_what_holds_passes(door: pytest.Pytester) -> None:
    result = run(
        door,
        """
def test_by_class(slotcheck):
    found = slotcheck.assert_holds(Door, expect_states=3, expect_properties=2, reductions=False)
    assert found.complete

def test_by_name(slotcheck):
    slotcheck.assert_holds("entrance.py:Door", "one_at_a_time", scope={"Person": 3})

def test_without_the_fixture():
    from explorer.testing import assert_holds
    assert_holds(Door({"Person": 1}), [one_at_a_time, "deadlock"], expect_states=2)
    assert_holds(Door, design="open", ignore=["one_at_a_time"])
    assert_holds(Door, [somebody_is_inside], switches={"guard": False})
""",
    )
    result.assert_outcomes(passed=3)


def test_the_message_is_the_counterexample(door: pytest.Pytester) -> None:
    result = run(
        door,
        'def test_it(slotcheck):\n    slotcheck.assert_holds(Door, design="open")\n',
        "--slotcheck-traces",
        "traces",
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "E*entrance.py:Door: scope Person=2; design open*",
            "E*violated  one_at_a_time (2 steps)",
            "E*one_at_a_time is violated after 2 steps",
            "E*sum(s.inside[[]p[]] for p in Person) = 2",
            "E*1. Person0: enter(person=Person0)",
            "E*point of no return: step 2, Person1: enter(person=Person1)",
        ]
    )
    # Where it was raised is of no interest.
    assert "explorer/testing" not in result.stdout.str()
    trace = json.loads((door.path / "traces" / "Door-one_at_a_time.json").read_text())
    assert (trace["system"], trace["design"]) == (
        "entrance.py:Door",
        {"preset": "open", "guard": False},
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("Door, expect_states=4", "3 states, and 4 are expected: the scope or the model*"),
        (
            "Door, expect_properties=3",
            "2 declared properties were decided, and 3 are expected: one_at_a_time, somebody_is_inside",
        ),
        ("Door, max_states=1", "incomplete: state limit; raise --max-states, or*"),
        ("Door, max_states=1", "unknown   one_at_a_time"),
        ("Door, switches={'guard': True}, scope={'Person': 1}, expect_states=3", "2 states, and*"),
    ],
)
def test_what_else_fails_a_test(door: pytest.Pytester, call: str, message: str) -> None:
    result = run(door, f"def test_it(slotcheck):\n    slotcheck.assert_holds({call})\n")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"E*{message}"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("Door, []", "the list of properties is empty, and nothing would be checked"),
        ("Door, ['one']", "*has no property one"),
        ("Door, [3]", "3 is no property"),
        ("Door, ['panic:lost']", "*cannot fail with panic:lost"),
        ("Door, ignore=['one']", "*cannot fail with one"),
        ("Door(), scope={'Person': 1}", "Door has a scope and a design already"),
        ("State", "*is no system"),
        ("'entrances.py:Door'", "*entrances.py*"),
        ("Door, design='closed'", "*closed*"),
    ],
)
def test_a_mistake_in_the_test_is_no_pass(door: pytest.Pytester, call: str, message: str) -> None:
    result = run(door, f"def test_it(slotcheck):\n    slotcheck.assert_holds({call})\n")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"E*{message}"])


def test_each_configuration_is_searched_once(door: pytest.Pytester) -> None:
    result = run(
        door,
        """
import explorer.testing.holds as holds
import pytest

asked = []

@pytest.fixture(autouse=True)
def counted(monkeypatch):
    plain = holds.answer
    monkeypatch.setattr(holds, "answer", lambda q: (asked.append(q.key), plain(q))[1])

@pytest.mark.parametrize("expected", [3, 4])
def test_it(slotcheck, expected):
    slotcheck.assert_holds(Door, expect_states=expected, reductions=False)

def test_others(slotcheck):
    slotcheck.assert_holds(Door, scope={"Person": 3})
    slotcheck.assert_holds(Door, [one_at_a_time])
    assert len(asked) == len(set(asked)) == 3
""",
    )
    result.assert_outcomes(passed=2, failed=1)


def test_an_interrupt_ends_the_session(door: pytest.Pytester) -> None:
    door.makepyfile(
        test_entrance="""
from entrance import *
import explorer.search.explore as explore

def test_it(slotcheck, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt
    monkeypatch.setattr(explore._Search, "run", interrupted)
    slotcheck.assert_holds(Door)

def test_never(slotcheck):
    pass
"""
    )
    result = door.runpytest_subprocess("-p", "no:cacheprovider")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "1 passed" not in result.stdout.str()
