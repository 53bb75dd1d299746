"""Whatever ends a run early leaves what was found, ``unknown`` for the rest, and exit code 3."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from explorer import interrupts
from explorer.cli import execute

COMMIT = "tests/systems/two_phase_commit.py:TwoPhaseCommit"
DOOR = "tests/cli/models/door.py:Door"


def outcome(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any], str]:
    code = execute(["check", *arguments, "--json", "-"])
    captured = capsys.readouterr()
    return code, json.loads(captured.out), captured.err


@pytest.mark.parametrize(
    ("arguments", "why", "remedy"),
    [
        (("--max-states", "100"), "state limit", "raise --max-states"),
        (("--max-seconds", "0.000001"), "time limit", "raise --max-seconds"),
        (("--max-memory", "1M"), "memory limit", "raise --max-memory"),
        (("--max-states", "100", "--engine", "reference"), "state limit", "raise --max-states"),
        (("--max-seconds", "0.3", "--engine", "reference"), "time limit", "raise --max-seconds"),
    ],
)
def test_limits(
    arguments: tuple[str, ...], why: str, remedy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, data, text = outcome(
        capsys, COMMIT, "--scope", "Manager=6", "--no-reductions", *arguments
    )
    assert (code, data["complete"]) == (3, False)
    assert data["states"] < 50_816
    assert f"incomplete: {why}" in data["warnings"]
    assert "unknown" in {p["verdict"] for p in data["properties"]}
    assert {p["verdict"] for p in data["properties"]} <= {"unknown", "reached"}
    assert f"incomplete: {why}; {remedy}" in text and "INCOMPLETE" in text


def test_no_memory_is_no_verdict(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise MemoryError

    monkeypatch.setattr("explorer.engines._run", fail)
    code, data, text = outcome(capsys, DOOR, "--design", "open")
    assert (code, data["states"]) == (3, 0)
    assert {p["verdict"] for p in data["properties"]} == {"unknown"}
    assert "incomplete: out of memory; make the scope smaller" in text
    assert "INCOMPLETE: nothing was explored" in text


def test_a_misspelt_failure_of_an_interrupted_run_is_unknown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("explorer.engines._run", fail)
    code, data, _ = outcome(capsys, DOOR, "--property", "panic:nobody")
    assert code == 3
    assert ("panic:nobody", "unknown") in {(p["name"], p["verdict"]) for p in data["properties"]}


class Started:
    """A run in a process of its own."""

    def __init__(self, tmp_path: Path, *arguments: str) -> None:
        self.json = tmp_path / "out.json"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "explorer.cli", "check", *arguments, "--json", str(self.json)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
        )

    def ends(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=120)
        assert "Traceback" not in err
        return self.process.returncode, out, err


def resident(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_keeps_what_was_found(tmp_path: Path, number: signal.Signals) -> None:
    run = Started(tmp_path, COMMIT, "--scope", "Manager=9", "--no-reductions")
    # By then it stores states.
    while resident(run.process.pid) < 250_000_000:
        time.sleep(0.01)
    run.process.send_signal(number)
    code, out, err = run.ends()
    assert (code, err) == (3, "")
    assert "incomplete: interrupted" in out
    data = json.loads(run.json.read_text())
    assert data["states"] > 100_000 and not data["complete"]
    assert {p["verdict"] for p in data["properties"]} == {"unknown", "reached"}
    assert [p for p in tmp_path.iterdir() if p != run.json] == []


@pytest.mark.slow
@pytest.mark.parametrize("delay", [0.3, 0.6, 1.0, 1.5, 2.0])
def test_a_signal_at_any_time_is_no_pass(tmp_path: Path, delay: float) -> None:
    run = Started(tmp_path, COMMIT, "--scope", "Manager=11", "--no-reductions")
    time.sleep(delay)
    run.process.send_signal(signal.SIGINT)
    code, out, err = run.ends()
    assert code == 3 and "interrupted" in out + err


def test_the_second_signal_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    old = {n: signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)}
    ended: list[int] = []
    monkeypatch.setattr("explorer.interrupts.os._exit", ended.append)
    try:
        interrupts.listen()
        interrupts.hold()
        assert interrupts.requested() is None
        signal.raise_signal(signal.SIGINT)
        assert interrupts.requested() == interrupts.INTERRUPTED
        # `timeout -s INT` sends one wish twice.
        signal.raise_signal(signal.SIGINT)
        assert not ended
        time.sleep(0.15)
        signal.raise_signal(signal.SIGTERM)
        assert not ended
        signal.raise_signal(signal.SIGINT)
        assert ended == [3]
        with pytest.raises(KeyboardInterrupt):
            interrupts.release()
    finally:
        interrupts.listen()
        for number, handler in old.items():
            signal.signal(number, handler)


def test_compiled_code_is_waited_for_patiently() -> None:
    assert interrupts.patiently(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        interrupts.patiently(divmod, 7, 0)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs RLIMIT_AS")
@pytest.mark.parametrize("megabytes", [250, 450, 600, 900])
def test_a_machine_without_memory(tmp_path: Path, megabytes: int) -> None:
    arguments = f"check {COMMIT} --scope Manager=10 --no-reductions --json {tmp_path}/out.json"
    code = (
        "import resource, sys; from explorer.cli import main; "
        f"resource.setrlimit(resource.RLIMIT_AS, ({megabytes << 20},) * 2); main(sys.argv[1:])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments.split()],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 3, done.stderr
    assert "out of memory" in done.stdout and "Traceback" not in done.stderr
    data = json.loads((tmp_path / "out.json").read_text())
    assert {p["verdict"] for p in data["properties"]} <= {"unknown", "reached"}
