"""What every subcommand has in common: listing, versions, errors, interrupts, pipes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from explorer import cli
from explorer.cli import execute

DOOR = "tests/cli/models/door.py:Door"


def slotcheck(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "explorer.cli", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
    )


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["list", DOOR]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{DOOR}  A room with one door.",
        "  scope: Person=2 visits=1",
        "  switch: lock=True (bool)",
        "  switch: guard=True (bool)",
        "  switch: exit=True (bool)",
        "  switch: carpet=True (bool)",
        "  switch: alarm=False (bool)",
        "  switch: sign=WELCOME (Sign)",
        "  preset: open (lock=False; guard=False)",
        "  preset: ajar (The door does not close.; lock=False)",
        "  invariant: at_most_one_is_inside",
        "  step_invariant: one_door_lets_one_through",
        "  reachable: somebody_is_inside",
        "",
    ]
    assert execute(["list", "nothing"]) == 2


def test_list_of_a_system_with_temporal_properties(capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["list", "tests/systems/peterson.py:Peterson"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[lines.index("  switch: polite=True (bool)") + 1 :] == [
        '  fairness: weak.each("give_way", "enter", "leave")',
        "  invariant: only_one_is_inside",
        "  temporal: whoever_asks_enters",
        "  temporal: whoever_asks_enters_without_fairness",
        "  temporal: everybody_enters_again_and_again_if_nobody_stops",
        "  temporal: everybody_enters_again_and_again",
        "",
    ]


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["--version"]) == 0
    assert capsys.readouterr().out.startswith("slotcheck")
    assert execute(["--help"]) == 0
    assert "Exit codes:" in capsys.readouterr().out
    for command in ("check", "claims", "list", "replay", "run"):
        assert execute([command, "--help"]) == 0


def test_unknown_commands_and_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["chek"]) == 2
    assert execute(["--jsn", "x"]) == 2
    assert execute(["--json", "x", "list"]) == 2
    assert "error: " in capsys.readouterr().err


def test_an_internal_error_is_no_verdict(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise RuntimeError("oops")

    monkeypatch.setattr("explorer.command.check.run", fail)
    assert execute(["check", DOOR]) == 2
    captured = capsys.readouterr()
    assert "internal error: RuntimeError: oops" in captured.err
    assert "Traceback" not in captured.err and captured.out == ""
    monkeypatch.setenv("SLOTCHECK_DEBUG", "1")
    with pytest.raises(RuntimeError):
        execute(["check", DOOR])


def test_an_interrupt_is_incomplete(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("explorer.command.check.run", interrupt)
    assert execute(["check", DOOR]) == 3
    assert "interrupted" in capsys.readouterr().err


def test_a_reader_that_goes_away_does_not_change_the_exit_code() -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "explorer.cli", "check", DOOR, "--design", "open"],
            stdout=write,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (1, "")


def test_without_a_terminal_there_is_no_progress_and_no_colour() -> None:
    done = slotcheck("check", DOOR, "--design", "open")
    assert done.returncode == 1
    assert done.stderr == "" and "\x1b" not in done.stdout and "\r" not in done.stdout


def test_any_encoding_will_do(tmp_path: Path) -> None:
    path = tmp_path / "dör.py"
    path.write_text(Path("tests/cli/models/door.py").read_text(), encoding="utf-8")
    done = slotcheck("check", f"{path}:Door", PYTHONIOENCODING="ascii")
    assert done.returncode == 0 and "Traceback" not in done.stderr


def test_listing_loads_no_engine() -> None:
    code = (
        "import sys; from explorer.cli import execute; execute(['list', sys.argv[1]]); "
        "sys.exit(any(m.partition('.')[0] in ('numba', 'llvmlite', 'z3') for m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code, DOOR], capture_output=True, timeout=60)
    assert done.returncode == 0


def test_main_exits_with_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["slotcheck", "check", DOOR])
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    handlers = {n: signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)}
    try:
        with pytest.raises(SystemExit) as caught:
            cli.main()
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    assert caught.value.code == 0


DOCUMENT = """
```slotcheck
claim = "C"
not_modelled = "no reason"
```
"""


def test_list_shows_the_claims_of_a_document(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "d.md"
    path.write_text(DOCUMENT)
    assert execute(["list", str(path)]) == 0
    assert "C  not modelled: no reason" in capsys.readouterr().out
    assert execute(["check", str(path)]) == 2
    assert "is a document, not a system" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "hint"),
    [("deadlok", "did you mean deadlock?"), ("painc:x", "did you mean panic:x")],
)
def test_a_misspelt_failure(name: str, hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["check", DOOR, "--property", name]) == 2
    assert hint in capsys.readouterr().err


def test_what_to_do_about_an_ordinal_that_always_grows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "always_later.py"
    path.write_text(
        "from __future__ import annotations\n"
        "from explorer import Ordinal, System, action, record\n"
        "class Time(Ordinal): ...\n"
        "@record\nclass State:\n    now: Time\n"
        "class Clock(System[State]):\n"
        '    default_scope = {"Time": 2}\n'
        "    @action\n    def tick(self, s: State) -> None:\n        s.now = s.now.next()\n"
    )
    assert execute(["check", f"{path}:Clock"]) == 3
    out = " ".join(capsys.readouterr().out.split())
    assert "run with --scope Time=3 or more; or, if it always grows, bound it on purpose" in out
    assert "require(t < Time.last())" in out
