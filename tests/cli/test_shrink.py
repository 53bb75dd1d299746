"""``slotcheck shrink`` from the outside."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from explorer.cli import execute

TANKS = "tests/shrink/models.py:Tanks"
DESIGN = [f"--set={name}=false" for name in ("valve", "float_switch", "drain", "watch")]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("traces")
    execute(["check", TANKS, *DESIGN, "--trace-dir", str(folder)])
    return folder / "Tanks-nothing_is_wet.json"


@pytest.fixture
def trace(made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """The trace in a directory of its own, with a detour."""
    data = json.loads(made.read_text())
    first = data["steps"][0]
    looks = [
        {**first, "thread": None, "action": "look", "parameters": {}, "state": data["initial"]}
        for _ in range(2)
    ]
    data["steps"] = looks + data["steps"]
    path = tmp_path / "wet.json"
    path.write_text(json.dumps(data))
    capsys.readouterr()
    return path


def test_it_says_what_each_stage_did(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["shrink", str(trace)]) == 0
    out = capsys.readouterr().out
    for line in (
        "steps     5 -> 3: no shorter run exists in this scope and design",
        "switches  1 -> 0: no run as short has fewer",
        "scope     Cell=3 -> 1, Level=3 -> 1: no smaller scope has a run as short",
        "design    {valve, float_switch, drain, watch} -> {watch}: 8 designs were searched in this scope",
        "blamed    {watch} (1 step), {valve, float_switch} (1 step)",
        "  1. Cell0: fill(cell=Cell0)",
        "nothing_is_wet is violated after 1 step",
        f"written to {trace.parent / 'wet-shrunk.json'}",
    ):
        assert line in out.splitlines(), out
    assert execute(["replay", str(trace.parent / "wet-shrunk.json")]) == 0


def test_json(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = trace.parent / "small.json"
    assert execute(["shrink", str(trace), "--out", str(out), "--json", "-"]) == 0
    captured = capsys.readouterr()
    data = json.loads(captured.out)
    assert data["schema"] == "slotcheck.shrink/1" and data["trace"] == str(out)
    assert data["before"]["steps"] == 5 and data["after"]["steps"] == 1
    assert [s["stage"] for s in data["stages"]] == ["steps", "switches", "scope", "design"]
    assert all(s["exact"] for s in data["stages"])
    assert data["blamed"][0] == {"switches": ["watch"], "length": 1}
    assert "nothing_is_wet is violated" in captured.err


def test_the_same_bytes_whatever_the_hash_seed(trace: Path) -> None:
    outputs = set()
    for seed in ("1", "2"):
        out = trace.parent / f"{seed}.json"
        arguments = ["shrink", str(trace), "--out", str(out), "--replay-only"]
        subprocess.run(
            [sys.executable, "-m", "explorer.cli", *arguments],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            check=True,
            capture_output=True,
        )
        outputs.add(out.read_text())
    assert len(outputs) == 1


def test_limits_leave_something_open(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["shrink", str(trace), "--max-states", "2"]) == 3
    out = capsys.readouterr().out
    assert "the best found (state limit)" in out and "nothing_is_wet is violated" in out
    assert execute(["shrink", str(trace), "--max-seconds", "1e-9"]) == 3
    assert "blamed    undecided" in capsys.readouterr().out


def test_an_oracle(trace: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    oracle = tmp_path / "my_oracle.py"
    oracle.write_text(
        "def wet(run):\n    return any(run.states[-1].over.values())\n\n"
        "def wrong(run):\n    return 1 / 0\n\ndef odd(run):\n    return 3\n"
    )
    assert execute(["shrink", str(trace), "--oracle", f"{oracle}:wet"]) == 0
    assert "the best found" in capsys.readouterr().out
    for name, message in (
        (f"{oracle}:wrong", "the oracle wrong raises ZeroDivisionError: division by zero"),
        (f"{oracle}:odd", "the oracle says 3 of a run"),
        (f"{oracle}:dry", "has no function dry"),
        (f"{oracle}", "names no oracle"),
        ("gone.py:f", "there is no file gone.py"),
    ):
        assert execute(["shrink", str(trace), "--oracle", name]) == 2
        assert message in capsys.readouterr().err


def test_bad_targets(
    trace: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = trace.parent
    for out, message in (
        (str(folder), "it is a directory"),
        (str(folder / "no" / "x.json"), "there is no directory"),
    ):
        assert execute(["shrink", str(trace), "--out", out]) == 2
        captured = capsys.readouterr()
        assert message in captured.err and not captured.out
    assert execute(["shrink", str(trace), "--out", "/dev/full"]) == 2
    captured = capsys.readouterr()
    assert "nothing_is_wet is violated" in captured.out and "cannot write /dev/full" in captured.err


def test_edited_traces(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(trace.read_text())
    data["steps"][2]["parameters"] = {"cell": "Cell9"}
    trace.write_text(json.dumps(data))
    assert execute(["shrink", str(trace)]) == 2
    assert "the trace cannot be shrunk: step 3: cell: Cell9 is not in" in capsys.readouterr().err
    trace.write_text("{}")
    assert execute(["shrink", str(trace)]) == 2
    assert "is not a trace" in capsys.readouterr().err


def test_narrow_and_piped(trace: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "explorer.cli", "shrink", str(trace)],
        env={"COLUMNS": "40", "PATH": ""},
        check=True,
        capture_output=True,
        text=True,
    )
    stages = done.stdout.partition("  0. init")[0]
    assert all(len(line) <= 40 or " " not in line.strip() for line in stages.splitlines())
    assert "\x1b" not in done.stdout
    gone = subprocess.run(
        f"{sys.executable} -m explorer.cli shrink {trace} | head -1",
        shell=True,
        check=True,
        capture_output=True,
        text=True,
    )
    assert not gone.stderr


def test_names_that_are_not_ascii(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "größe.py"
    model.write_text(
        "from explorer import System, Sort, Map, action, invariant, record\n\n\n"
        "class Tür(Sort):\n    pass\n\n\n@record\nclass Häuser:\n    öffen: Map[Tür, bool]\n\n\n"
        "class Straße(System[Häuser]):\n    default_scope = {'Tür': 2}\n\n"
        "    @action(thread='tür')\n    def öffne(self, s: Häuser, tür: Tür) -> None:\n"
        "        s.öffen[tür] = True\n\n\n"
        "@invariant\ndef alle_zu(s: Häuser) -> bool:\n    return not any(s.öffen[t] for t in Tür)\n"
    )
    execute(["check", f"{model}:Straße", "--trace-dir", str(tmp_path / "t")])
    found = next((tmp_path / "t").glob("*alle_zu*"))
    capsys.readouterr()
    assert execute(["shrink", str(found)]) == 0
    assert "1. Tür0: öffne(tür=Tür0)" in capsys.readouterr().out
    out = tmp_path / "test_straße.py"
    assert execute(["pin", str(found), "--out", str(out)]) == 0
    for test in (v for n, v in runpy.run_path(str(out)).items() if n.startswith("test_")):
        test()
