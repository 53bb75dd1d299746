"""Scripts: one call a line, checked against the system, run step by step."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.lang.errors import ModelError
from explorer.trace.observe import observe
from explorer.trace.script import read_script
from tests.cli.models.door import Door, Logged


def script(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "steps.run"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_script_runs_and_sees_everything(tmp_path: Path) -> None:
    system = Door(design={"lock": False, "guard": False, "alarm": True})
    path = script(
        tmp_path,
        """
        # both come in, then the bell rings
        init(first=None)
        enter(person=Person0)      # the first
        2. Person1: enter( person = Person1 )
        ring()
        leave(person=Person0)
        """,
    )
    seen = observe(system, read_script(path, system))
    assert [(f.step, f.name) for f in seen.violations] == [
        (2, "at_most_one_is_inside"),
        (3, "panic:somebody_was_inside"),
    ]
    assert [(f.step, f.name) for f in seen.reached] == [(1, "somebody_is_inside")]
    assert (seen.ignored, seen.blocked, seen.used_up, seen.exit_code()) == (1, None, None, 1)


def test_a_disabled_step_is_placed_in_script_and_model(tmp_path: Path) -> None:
    system = Door()
    path = script(tmp_path, "init(first=Person0)\n\nenter(person=Person1)\n")
    seen = observe(system, read_script(path, system))
    assert seen.blocked is not None and seen.blocked.where is not None
    assert seen.blocked.where.line == 3
    assert "door.py" in seen.blocked.hint and "require(not any(" in seen.blocked.hint
    assert seen.exit_code() == 2


def test_a_scope_that_is_used_up_leaves_it_open(tmp_path: Path) -> None:
    system = Logged()
    text = "init(first=Person0)\nsign(person=Person0)\nsign(person=Person0)\n"
    seen = observe(system, read_script(script(tmp_path, text), system))
    assert (seen.used_up, seen.exit_code(), seen.trace.length) == ("visits", 3, 2)


def test_a_script_can_end_in_a_deadlock(tmp_path: Path) -> None:
    system = Door(design={"exit": False})
    path = script(tmp_path, "init(first=None)\nenter(person=Person0)\n")
    assert [f.name for f in observe(system, read_script(path, system)).violations] == ["deadlock"]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("enter person0", 1, "not a step"),
        ("\nenter(Person0)", 2, "not param=value"),
        ("enter(person=)", 1, "not param=value"),
        ("enter(person=Person0, person=Person0)", 1, "given twice"),
        ("entr(person=Person0)", 1, "did you mean enter"),
        ("enter()", 1, "needs person"),
        ("enter(who=Person0)", 1, "no parameter who"),
        ("enter(person=Person9)", 1, "Person9 is not in the scope"),
        ("enter(person=Persona)", 1, "expected Person0 or Person1"),
        ("Person1: enter(person=Person0)", 1, "not a step of Person1"),
        ("Person1: ring()", 1, "not a step of Person1"),
        ("enter(person=Person0)\ninit(first=None)", 2, "init comes first"),
        ("init(first=Person5)", 1, "Person5"),
    ],
)
def test_mistakes_are_placed(tmp_path: Path, text: str, line: int, message: str) -> None:
    with pytest.raises(ModelError, match=message) as caught:
        read_script(script(tmp_path, text), Door())
    assert caught.value.where is not None and caught.value.where.line == line


def test_an_empty_script_checks_nothing(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="empty"):
        read_script(script(tmp_path, "# only words\n"), Door())
    with pytest.raises(ModelError, match="no file"):
        read_script(tmp_path / "missing", Door())


def test_the_initial_state_has_to_be_named_where_there_are_several(tmp_path: Path) -> None:
    system = Door()
    bound = read_script(script(tmp_path, "enter(person=Person0)"), system)
    with pytest.raises(ModelError, match="3 initial states") as caught:
        observe(system, bound)
    assert "init(first=...)" in caught.value.hint
