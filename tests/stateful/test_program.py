"""A failing run as a program: it runs, and fails where the run did."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from explorer.lang.errors import ModelError
from explorer.stateful import PropertyViolated, Run
from explorer.stateful.fuzz import fuzz
from explorer.stateful.program import program
from explorer.trace.trace import Trace
from tests.cli.models.turns import Lock
from tests.docs.document import ROOT
from tests.stateful.test_ends import Walk
from tests.stateful.test_machine import Broken
from tests.systems.increment import Increment
from tests.systems.jugs import Jugs

JUGS = "tests/systems/jugs.py:Jugs"


def trace(of: str, system: Jugs | Broken | Lock, name: str) -> Trace:
    result = fuzz(system, [name], max_examples=20, max_steps=10, first=True, patience=20).result
    found = result.find(name)
    assert found is not None and found.trace is not None
    return found.trace.labelled(of, None)


def run(text: str, tmp_path: Path) -> str:
    """What a program says on standard error."""
    path = tmp_path / "failing.py"
    path.write_text(text)
    environment = {"PYTHONPATH": str(ROOT), "PATH": ""}
    done = subprocess.run(
        [sys.executable, str(path)], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 1
    return done.stderr


def test_the_program_runs_and_fails(tmp_path: Path) -> None:
    text = program(trace(JUGS, Jugs(), "never_four_litres"), "Measured.")
    assert text.startswith("# Measured.\n")
    assert 'Run(configured.system, "never_four_litres")' in text
    shown = run(text, tmp_path)
    assert "never_four_litres is violated\n" in shown
    assert "false: s.big != 4" in shown


def test_a_run_that_goes_on_for_ever_fails_at_its_end(tmp_path: Path) -> None:
    text = program(trace("tests/cli/models/turns.py:Lock", Lock(), "who_waits_enters"), "")
    assert 'run.step("ask", side=0)' in text
    assert "run.end(loop=" in text
    shown = run(text, tmp_path)
    assert "who_waits_enters is violated" in shown
    assert "and yet the run is fair:" in shown


def test_a_run_can_be_taken_by_hand() -> None:
    taken = Run(Broken(), "panic:everything_was_seen")
    taken.start(level=1)
    taken.step("see", key="Key0")
    assert taken.state.level == 1
    taken.step("see", key="Key1")
    with pytest.raises(PropertyViolated, match="everything was seen") as caught:
        taken.step("explode")
    assert caught.value.run == ("init(1)", "see(key=Key0)", "see(key=Key1)", "explode()")


def test_every_kind_of_failure_fails_a_run() -> None:
    taken = Run(Broken(), "no_step_to_two")
    taken.start(level=1)
    with pytest.raises(PropertyViolated, match="no_step_to_two"):
        taken.step("up")
    taken = Run(Broken(), "soft_panic:seen_at_two")
    taken.start(level=2)
    with pytest.raises(PropertyViolated, match="soft_panic:seen_at_two"):
        taken.step("see", key="Key0")
    stuck = Run(Walk(), "deadlock")
    stuck.start()
    stuck.step("shut")
    with pytest.raises(PropertyViolated, match="deadlock"):
        stuck.end()
    stops = Run(Walk(), "the_walker_arrives")
    stops.start()
    stops.step("shut")
    with pytest.raises(PropertyViolated, match="the_walker_arrives"):
        stops.end()


def test_a_run_in_which_nothing_fails_ends_quietly() -> None:
    for name in ("deadlock", "never_four_litres"):
        taken = Run(Jugs(), name)
        taken.start()
        taken.step("fill_big")
        taken.end()
    fine = Run(Walk(), "the_walker_arrives")
    fine.start()
    fine.end()


def test_what_cannot_be_run_is_said() -> None:
    with pytest.raises(ModelError, match="no invariant called nothing"):
        Run(Jugs(), "nothing")
    taken = Run(Increment({"Thread": 1}), "deadlock")
    with pytest.raises(ModelError, match="the run has not begun"):
        taken.step("read", thread="Thread0")
    taken.start()
    with pytest.raises(ModelError, match="step 1 cannot be taken: write") as caught:
        taken.step("write", thread="Thread0")
    assert "it is disabled at" in caught.value.hint
    with pytest.raises(ModelError, match="has no action fly"):
        taken.step("fly")
    with pytest.raises(ModelError, match="init has no parameter level"):
        taken.start(level=3)
