"""``slotcheck pin``: the tests it writes say what is true, and stay so."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from explorer import PinnedRun
from explorer.cli import execute
from explorer.lang import ModelError
from tests.docs.document import ROOT

DOOR = "tests/cli/models/door.py"


@pytest.fixture
def traces(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Traces of a model in the same directory."""
    (tmp_path / "door_here.py").write_text(Path(DOOR).read_text())
    model = f"{tmp_path / 'door_here.py'}:Door"
    execute(["check", model, "--design", "open", "--trace-dir", str(tmp_path / "open")])
    capsys.readouterr()
    return tmp_path / "open"


def run(test: Path, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


def run_here(test: Path) -> int:
    """Runs the tests of a file in this process; how many there are."""
    tests = [v for n, v in runpy.run_path(str(test)).items() if n.startswith("test_")]
    for function in tests:
        function()
    return len(tests)


def test_a_run_that_the_default_design_stops(
    traces: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "sub" / "test_door.py"
    out.parent.mkdir()
    trace = traces / "Door-at_most_one_is_inside.json"
    assert execute(["pin", str(trace), "--out", str(out)]) == 0
    assert "The default design stops the run at step 1 of 1" in capsys.readouterr().out
    text = out.read_text()
    assert 'system="../door_here.py:Door"' in text and "base=__file__" in text
    assert "assert RUN.impossible_at({}) == 1" in text and str(tmp_path) not in text
    assert "Disabled in door_here.py: require(not any(s.inside[p] for p in Person))." in text
    done = run(out, Path("/"))
    assert done.returncode == 0 and "2 passed" in done.stdout, done.stdout


def test_the_test_fails_when_the_mechanism_is_gone(traces: Path, tmp_path: Path) -> None:
    out = tmp_path / "test_door.py"
    execute(["pin", str(traces / "Door-at_most_one_is_inside.json"), "--out", str(out)])
    model = tmp_path / "door_here.py"
    source = model.read_text()
    model.write_text(
        source.replace(
            "lock: bool = True\n    guard: bool = True",
            "lock: bool = False\n    guard: bool = False",
        )
    )
    done = run(out)
    assert done.returncode == 1 and "1 failed, 1 passed" in done.stdout, done.stdout
    model.write_text(source.replace("def enter", "def come_in"))
    done = run(out)
    assert done.returncode == 1 and "has no action enter" in done.stdout


def test_a_witness_is_possible_in_both(
    traces: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "test_witness.py"
    assert execute(["pin", str(traces / "Door-somebody_is_inside.json"), "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert "possible in the default design: somebody_is_inside is reached there" in said
    assert (
        "assert RUN.fails({})" in out.read_text() and "assert RUN.fails(ORIGIN)" in out.read_text()
    )
    assert run_here(out) == 2


def test_a_run_whose_steps_are_possible_but_lead_elsewhere(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    model = tmp_path / "gauge_here.py"
    model.write_text(
        "from dataclasses import dataclass\nfrom typing import Annotated\n"
        "from explorer import Between, System, action, invariant, record, require\n\n\n"
        "@dataclass(frozen=True)\nclass Design:\n    resets: bool = True\n\n\n"
        "@record\nclass Gauge:\n    level: Annotated[int, Between(0, 3)]\n\n\n"
        "class Meter(System[Gauge]):\n    design = Design()\n\n    @action\n"
        "    def up(self, s: Gauge) -> None:\n        require(s.level < 3)\n        s.level += 1\n"
        "        if s.level == 2 and self.design.resets:\n            s.level = 0\n\n\n"
        "@invariant\ndef never_three(s: Gauge) -> bool:\n    return s.level < 3\n"
    )
    execute(["check", f"{model}:Meter", "--set", "resets=false", "--trace-dir", str(tmp_path)])
    out = tmp_path / "test_meter.py"
    assert execute(["pin", str(tmp_path / "Meter-never_three.json"), "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert (
        "takes all steps, departs from the run at step 2 of 3, and never_three no longer fails"
        in said
    )
    assert "assert RUN.departs_at({}, ORIGIN) == 2" in out.read_text()
    assert run_here(out) == 2


def test_a_run_for_ever(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    execute(["check", "tests/cli/models/turns.py:Free", "--trace-dir", str(tmp_path)])
    trace = next(tmp_path.glob("*who_waits_enters*"))
    out = tmp_path / "test_turns.py"
    assert execute(["pin", str(trace), "--out", str(out)]) == 0
    assert "loop=1," in out.read_text()
    assert run_here(out) == 1
    capsys.readouterr()


def test_what_it_writes_is_clean(traces: Path, tmp_path: Path) -> None:
    tests = []
    for name in ("at_most_one_is_inside", "somebody_is_inside"):
        tests.append(tmp_path / f"test_{name}.py")
        execute(["pin", str(traces / f"Door-{name}.json"), "--out", str(tests[-1])])
    files = [str(t) for t in tests]
    for tool in (
        ["ruff", "check", "--isolated", "--select", "B,C4,E,F,I,UP,W", "--ignore", "E501"],
        ["ruff", "format", "--isolated", "--check"],
        ["mypy", "--strict"],
    ):
        done = subprocess.run(
            [sys.executable, "-m", *tool, *files],
            cwd=tmp_path,
            env=os.environ | {"MYPYPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_targets(
    traces: Path,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trace = str(traces / "Door-at_most_one_is_inside.json")
    monkeypatch.chdir(tmp_path)
    assert execute(["pin", trace]) == 0
    default = tmp_path / "test_door_at_most_one_is_inside.py"
    assert default.exists()
    assert execute(["pin", trace]) == 2
    assert "exists" in capsys.readouterr().err
    assert execute(["pin", trace, "--force"]) == 0
    capsys.readouterr()
    assert execute(["pin", trace, "--out", "-"]) == 0
    captured = capsys.readouterr()
    assert captured.out == default.read_text() and "stops the run" in captured.err
    for out, message in (
        (str(tmp_path), "it is a directory"),
        ("no/test_x.py", "there is no directory no"),
        ("x.txt", "is no Python file"),
    ):
        assert execute(["pin", trace, "--out", out]) == 2
        assert message in capsys.readouterr().err


def test_traces_that_are_no_runs(traces: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = traces / "Door-at_most_one_is_inside.json"
    data = json.loads(path.read_text())
    path.write_text(json.dumps({**data, "design": {}, "digest": "sha256:0"}))
    assert execute(["pin", str(path), "--out", str(traces / "test_x.py")]) == 2
    captured = capsys.readouterr()
    assert "cannot be pinned" in captured.err and "the step is disabled" in captured.err
    assert "source has changed" in captured.out


def test_a_pinned_run_looks_before_it_passes() -> None:
    door = PinnedRun(f"{DOOR}:Door", "at_most_one_is_inside", ("enter(person=Person0)",))
    with pytest.raises(ModelError, match=r"has no initial state for init\(\)"):
        door.fails()
    good = PinnedRun(
        f"{DOOR}:Door",
        "at_most_one_is_inside",
        ("enter(person=Person1)",),
        init={"first": "Person0"},
    )
    assert good.fails({"preset": "open"}) and not good.fails()
    assert good.impossible_at({"preset": "open"}) is None
    stop = good.stopped()
    assert stop is not None and stop.step == 1 and "require" in stop.why
    assert good.departs_at({}, {"preset": "open"}) == 1
    assert good.departs_at({"carpet": False}, {}) is None
    with pytest.raises(ModelError, match="has no switch|there is no switch"):
        good.fails({"lok": True})
    with pytest.raises(ModelError, match="has no property gone"):
        PinnedRun(f"{DOOR}:Door", "gone", ()).fails()
