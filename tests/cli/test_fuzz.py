"""``slotcheck fuzz``: what it prints, what it writes, and its exit codes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from explorer.command.fuzzed import distribution, progress_line
from explorer.command.root import execute
from explorer.stateful.fuzz import Fuzzed, Glimpse, fuzz
from tests.docs.document import ROOT
from tests.systems.jugs import Jugs

JUGS = "tests/systems/jugs.py:Jugs"
TOGGLES = "tests/systems/toggles.py:Toggles"
QUICK = ("--max-examples", "8", "--max-steps", "12")


def run(*arguments: str) -> int:
    return execute(["fuzz", *arguments])


def test_a_failure_is_a_trace_and_a_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(JUGS, *QUICK) == 1
    text = capsys.readouterr().out
    assert (
        f"{JUGS}: scope (none); design (default)\nstateful: 8 runs of up to 12 steps, seed 0; "
        in text
    )
    assert re.search(r"^violated  never_four_litres \(\d+ steps\)$", text, re.MULTILINE)
    assert "\nunknown   deadlock: not found in 8 runs\n" in text
    assert "\n  0. init()\n  1. fill_" in text
    assert "\n  false: s.big != 4\n" in text
    assert text.endswith("\nFAILED: never_four_litres\n")
    program = text[text.index("# never_four_litres, found by: slotcheck fuzz") :]
    program = program[: program.index("\nFAILED:")]
    path = tmp_path / "failing.py"
    path.write_text(program)
    done = subprocess.run(
        [sys.executable, str(path)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "never_four_litres is violated" in done.stderr


def test_nothing_found_proves_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(TOGGLES, *QUICK) == 3
    text = capsys.readouterr().out
    assert text.endswith("\nINCOMPLETE: nothing fails in these runs, which proves nothing\n")
    assert "holds" not in text


def test_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run(JUGS, *QUICK, "--json", "-", "--trace-dir", str(tmp_path)) == 1
    out, err = capsys.readouterr()
    data = json.loads(out)
    assert err.endswith("FAILED: never_four_litres\n")
    assert (data["schema"], data["engine"], data["complete"]) == (
        "slotcheck.result/1",
        "stateful",
        False,
    )
    [found, deadlock] = data["properties"]
    assert (found["name"], found["verdict"]) == ("never_four_litres", "violated")
    assert found["program"].startswith("# never_four_litres, found by: slotcheck fuzz")
    assert (deadlock["verdict"], deadlock["length"]) == ("unknown", None)
    assert "program" not in deadlock
    runs = data["runs"]
    assert runs["runs"] == 8 == sum(runs["lengths"].values()) == sum(runs["ended"].values())
    assert (runs["seed"], runs["max_steps"], runs["degenerate"]) == (0, 12, None)
    assert list(data)[-1] == "timing"
    # The trace replays.
    capsys.readouterr()
    assert execute(["replay", found["trace"]]) == 0


def outcome(directory: Path, *arguments: str, seed: str = "0") -> str:
    done = subprocess.run(
        [sys.executable, "-m", "explorer.cli", "fuzz", *arguments],
        cwd=directory,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode in (1, 3), done.stderr
    return done.stdout


def test_the_same_seed_gives_the_same_bytes_and_leaves_nothing_behind(tmp_path: Path) -> None:
    command = (str(ROOT / JUGS), "--max-examples", "4", "--seed", "5", "--max-steps", "8")
    texts = {outcome(tmp_path, *command, seed=seed) for seed in ("1", "2")}
    assert len(texts) == 1
    assert list(tmp_path.iterdir()) == []


def test_degenerate_runs_are_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "once.py").write_text(
        "from explorer import System, action, record, require\n"
        "@record\n"
        "class State:\n"
        "    done: bool\n"
        "class Once(System[State]):\n"
        "    @action\n"
        "    def do(self, s: State) -> None:\n"
        "        require(not s.done)\n"
        "        s.done = True\n"
        "    def is_final(self, s: State) -> bool:\n"
        "        return s.done\n"
    )
    assert (
        run(f"{tmp_path}/once.py", "--max-examples", "20", "--max-steps", "5", "--json", "-") == 2
    )
    out, err = capsys.readouterr()
    assert "these runs are no test of" in err and "end at once" in err
    assert json.loads(out)["runs"]["degenerate"].endswith("after one step or none")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--property", "four_litres"), "four_litres is a witness"),
        (("--property", "never_five"), "has no property never_five"),
        (("--ignore", "never_five"), "has no property never_five"),
        (("--property", "deadlock", "--ignore", "deadlock"), "both judged and ignored"),
        (("--max-examples", "0"), "--max-examples"),
        (("--max-steps", "0"), "--max-steps"),
        (("--seed", "-1"), "--seed"),
        (("--max-seconds", "inf"), "--max-seconds"),
        (("--json", "/no/such/directory/x"), "there is no directory"),
    ],
)
def test_wrong_input(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(JUGS, *arguments) == 2
    assert message in capsys.readouterr().err


def test_what_is_ignored_or_not_asked_for_does_not_count(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(JUGS, *QUICK, "--ignore", "never_four_litres") == 3
    assert (
        "never_four_litres"
        not in capsys.readouterr().out.partition("runs by")[0].partition("\n\n")[2]
    )
    assert run(JUGS, *QUICK, "--property", "deadlock") == 3
    assert "violated" not in capsys.readouterr().out


def test_a_narrow_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    run(TOGGLES, *QUICK)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 40


def test_the_end_of_the_time_keeps_what_was_found(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(TOGGLES, "--max-examples", "100000", "--max-seconds", "1.5") == 3
    text = capsys.readouterr().out
    assert "incomplete: time limit; raise --max-seconds" in text
    assert re.search(r"not found in [\d,]+ runs", text)


def test_an_interrupt_keeps_what_was_found(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "explorer.cli", "fuzz", JUGS, "--max-examples", "100000"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(6)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (1, "")
    assert "violated  never_four_litres" in out
    assert "incomplete: interrupted" in out


def fuzzed() -> Fuzzed:
    return fuzz(Jugs(), max_examples=3, max_steps=12, ignore=["never_four_litres"])


def test_progress_says_how_far_it_is() -> None:
    assert progress_line("jugs", 200, Glimpse(12, 600)) == "fuzzing jugs: 12 of 200 runs, 600 steps"
    shrinking = Glimpse(12, 600, "never_four_litres", 8)
    assert (
        progress_line("jugs", 200, shrinking)
        == "fuzzing jugs: shrinking never_four_litres, 8 steps"
    )


def test_the_distribution_adds_up() -> None:
    lengths, ended, taken = distribution(fuzzed())
    assert sum(int(n) for n in re.findall(r"\d: (\d+)", lengths)) == 3
    assert ended == "runs ended by: limit 3"
    assert taken.startswith("steps by action: ")
