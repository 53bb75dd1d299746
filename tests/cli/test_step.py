"""``slotcheck step`` from the outside: through a pipe, and on a terminal."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from explorer.cli import execute

HOTEL = "tests/stepping/models.py:Hotel"
JUGS = "tests/systems/jugs.py"
DOOR = "tests/cli/models/door.py:Door"


@pytest.fixture
def piped(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Piped:
    return Piped(capsys, monkeypatch)


class Piped:
    """Runs the command on lines of standard input."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.capsys = capsys
        self.monkeypatch = monkeypatch

    def __call__(self, lines: str, *arguments: str) -> tuple[int, str, str]:
        """Exit code, standard output and standard error."""
        self.monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
        code = execute(["step", *arguments])
        written = self.capsys.readouterr()
        return code, written.out, written.err


def test_a_pipe_reads_like_a_session(piped: Piped) -> None:
    code, out, err = piped("# a comment\n2\npour_b\n\nq\nnever read\n", JUGS)
    assert (code, err) == (0, "")
    assert "\n0> 2\n  1. fill_big()\n" in out and "\n1> pour_b\n  2. pour_big_into_small()\n" in out
    assert out.endswith("\n2> q\n") and "comment" not in out and "\x1b" not in out


def test_the_end_of_the_input_leaves(piped: Piped) -> None:
    assert piped("", JUGS)[0] == 0


def test_a_command_that_cannot_be_done_is_an_error_in_the_end(piped: Piped) -> None:
    code, out, err = piped("9\n1\n", JUGS)
    assert (code, err) == (2, "")
    assert "\n0> 9\nerror: there is no choice 9\n  hint: they are 1 to 6\n\n0> 1\n" in out


def test_scope_design_and_switches(piped: Piped) -> None:
    out = piped("", DOOR, "--scope", "Person=3", "--design", "open", "--set", "alarm=true")[1]
    assert f"{DOOR} (open), scope Person=3 visits=1" in out
    assert piped("", DOOR, "--design", "shut")[0] == 2
    assert piped("find big == 6\n", JUGS, "--max-states", "3")[1].endswith("check at millions\n")


def test_a_script_can_be_typed(piped: Piped, tmp_path: Path) -> None:
    path = tmp_path / "with space.txt"
    out = piped(
        f"2\nenter(Person0)\nsave '{path}' x\nleave\nsave '{path}'\n",
        DOOR,
        *("--design", "open", "--scope", "Person=1", "--set", "alarm=true"),
    )[1]
    assert "x neither fails" in out
    command = f"slotcheck run {DOOR} --scope Person=1 --design open --set "
    assert path.read_text().startswith(f"# {command}")
    assert f"--set alarm=True --script '{path}'" in path.read_text()
    assert command in out


def test_a_saved_script_runs(piped: Piped, tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    piped(f"1\nring(False)\nback()\nö\nsave {path}\n", HOTEL)
    assert execute(["run", HOTEL, "--script", str(path)]) == 0
    code, out, _ = piped(path.read_text(), HOTEL)
    assert code == 0 and "3. öffne()" in out


@pytest.mark.parametrize("end", ["ring(True)", "ring(False)\nring(True)", "ö\n1"])
def test_a_saved_trace_replays_and_is_walked_again(
    piped: Piped, tmp_path: Path, end: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.json"
    assert piped(f"1\n{end}\nsave {path}\n", HOTEL)[0] == 0
    assert execute(["replay", str(path)]) == 0
    capsys.readouterr()
    code, out, _ = piped("f 9\n", str(path))
    assert code == 0 and "-- end of the trace" in out


def test_a_trace_in_another_design(piped: Piped, tmp_path: Path) -> None:
    execute(["check", DOOR, "--design", "open", "--trace-dir", str(tmp_path)])
    path = tmp_path / "Door-at_most_one_is_inside.json"
    assert "end of the trace" in piped("f\n", str(path))[1]
    code, out, _ = piped("f\n", str(path), "--set", "lock=true")
    assert code == 2 and "is disabled here" in out
    assert piped("f\n", str(path), "--design", "ajar")[0] == 2
    assert "scope Person=3" in piped("f\n", str(path), "--scope", "Person=3")[1]
    # Whatever it is called.
    other = path.rename(tmp_path / "trace")
    assert "end of the trace" in piped("f\n", str(other))[1]


@pytest.mark.parametrize(
    ("what", "problem"),
    [
        ("nosuch", "there is no system 'nosuch'"),
        ("no/such.json", "there is no file no/such.json"),
        ("pyproject.toml", "this is not a trace"),
        ("README.md", "is a document, not a system"),
    ],
)
def test_what_is_no_system(piped: Piped, what: str, problem: str) -> None:
    code, out, err = piped("", what)
    assert (code, out) == (2, "") and problem in err


def test_forty_columns(piped: Piped, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    out = piped("1\nö\nwhy take_room\nhelp\np\n", HOTEL)[1]
    too_long = [line for line in out.splitlines() if len(line) > 40]
    assert all(" " not in line.strip() for line in too_long)


def test_input_that_is_no_text(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe\n1\n"), "utf-8"))
    assert execute(["step", JUGS]) == 2
    assert "1. fill_small()" in capsys.readouterr().out


class Terminal:
    """The command on a pseudo-terminal."""

    def __init__(self, *arguments: str, columns: int = 80, **environment: str) -> None:
        self.ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.process = subprocess.Popen(
            # The terminal is to be the controlling one, or Ctrl-C would be nothing but a character.
            [
                sys.executable,
                "-c",
                "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
                "from explorer.cli import main; main()",
                "step",
                *arguments,
            ],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            env={**os.environ, "TERM": "xterm", **environment},
        )
        os.close(theirs)
        self.written = ""

    def until(self, text: str) -> str:
        """What is written up to ``text``, that included."""
        limit = time.monotonic() + 60
        while text not in self.written:
            assert self._more(limit), f"{text!r} does not come:\n{self.written}"
        found, end, self.written = self.written.partition(text)
        return found + end

    def _more(self, limit: float) -> bool:
        ready, _, _ = select.select([self.ours], [], [], max(limit - time.monotonic(), 0))
        try:
            part = os.read(self.ours, 65536) if ready else b""
        except OSError:  # the other end is closed
            part = b""
        self.written += part.decode()
        return bool(part)

    def type(self, text: str) -> None:
        os.write(self.ours, text.encode())

    @staticmethod
    def settle() -> None:
        """Waits until the prompt is read from: a signal just before that is noted by Python only with the next key."""
        time.sleep(0.4)

    def interrupt(self, sign: str) -> None:
        """Presses Ctrl-C until there is a sign of it."""
        for _ in range(3):
            self.settle()
            self.type("\x03")
            limit = time.monotonic() + 8
            while sign not in self.written and self._more(limit):
                pass
            if sign in self.written or self.process.poll() is not None:
                return

    def end(self) -> tuple[int, str]:
        """The exit code, and what is written until then."""
        limit = time.monotonic() + 60
        while self._more(limit):
            pass
        os.close(self.ours)
        return self.process.wait(60), self.written


def test_a_session_on_a_terminal() -> None:
    terminal = Terminal(JUGS, columns=40, NO_COLOR="1")
    opening = terminal.until("0> ")
    assert max(len(line) for line in opening.splitlines()) <= 40
    terminal.type("fill_b\r")
    assert "* big: 5   (was 0)" in terminal.until("1> ")
    terminal.type("bak\r")
    assert "did you mean the command back?" in terminal.until("1> ")
    terminal.type("quit\r")
    assert terminal.end()[0] == 0


def test_the_tab_key_completes() -> None:
    pytest.importorskip("readline")
    terminal = Terminal(JUGS)
    terminal.until("0> ")
    terminal.type("fill_s\t\r")
    assert "fill_small()" in terminal.until("1> ")
    terminal.type("\x04")
    assert terminal.end()[0] == 0


def test_control_c_gives_the_line_up_and_then_leaves() -> None:
    terminal = Terminal(JUGS)
    terminal.until("0> ")
    terminal.type("fin")
    terminal.interrupt("0> ")
    assert "given up; a second Ctrl-C leaves" in terminal.until("0> ")
    terminal.type("2\r")
    terminal.until("1> ")
    terminal.interrupt("1> ")
    terminal.until("1> ")
    # Nothing is shown when it leaves: what is waited for does not come.
    terminal.interrupt("(nothing)")
    code, rest = terminal.end()
    assert code == 0 and "Traceback" not in rest


def test_control_c_ends_a_search_and_not_the_session() -> None:
    terminal = Terminal("registry", columns=40)
    terminal.until("0> ")
    terminal.type("find len(entry) == 9\r")
    terminal.until("100 states ...")
    terminal.type("\x03")
    assert "given up" in terminal.until("0> ")
    terminal.type("steps\r")
    assert ">  0. init(" in terminal.until("0> ")
    terminal.type("\x04")
    assert terminal.end()[0] == 0


def test_a_signal_ends_the_session() -> None:
    terminal = Terminal(JUGS)
    terminal.until("0> ")
    terminal.settle()
    terminal.process.send_signal(signal.SIGTERM)
    code, rest = terminal.end()
    assert code == 3 and "interrupted" in rest and "Traceback" not in rest
