"""Progress: one line on a terminal, nothing anywhere else."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

import numpy as np
import pytest

from explorer.command.output import chop
from explorer.command.progress import Progress as Line
from explorer.command.progress import count, line, size
from explorer.compiler.lower import lower
from explorer.compiler.native import compile_program
from explorer.search.check import check
from explorer.search.explore import search
from explorer.search.progress import Progress, busiest_field, field_of, fields_of
from explorer.search.watch import Glimpse, Part, watched
from tests.liveness.systems import Counts
from tests.systems.toggles import Toggles
from tests.systems.two_phase_commit import TwoPhaseCommit

COMMIT = "tests/systems/two_phase_commit.py:TwoPhaseCommit"
GLIMPSE = Glimpse(1_234_567, 45_300, 23, 812, 300 << 20, "slots.upper", 1999)


@pytest.mark.parametrize(
    ("room", "shown"),
    [
        (
            200,
            "checking registry: 1.23M states, 45.3k/s, depth 23, queue 812, 300 MB, "
            "most varied slots.upper (1999)",
        ),
        (60, "checking registry: 1.23M states, 45.3k/s, depth 23"),
        (39, "checking registry: 1.23M states"),
        (29, "1.23M states, 45.3k/s"),
        (5, "checking registry"),
    ],
)
def test_what_fits_is_shown(room: int, shown: str) -> None:
    assert line("checking registry", GLIMPSE, room) == shown


def test_numbers_are_short() -> None:
    assert [count(n) for n in (0, 812, 9999, 45_300, 999_950, 1.24e6, 3.1e9)] == [
        "0",
        "812",
        "9999",
        "45.3k",
        "1000k",
        "1.24M",
        "3.1G",
    ]
    assert [size(n) for n in (5 << 20, 3 << 30)] == ["5 MB", "3.0 GB"]


def test_wide_characters_take_two_columns() -> None:
    assert chop("模型检查", 5) == "模型"
    assert chop("größe", 5) == "größe"


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("slots[SlotRef0].as_of", "slots.as_of"),
        ("GlobalId0 in ready", "ready"),
        ("len(commands[MAINTENANCE])", "commands"),
        ("holder[A] is not None", "holder"),
        ("task is", "task"),
        ("m[Point(id=N0, at=[1])].x", "m.x"),
    ],
)
def test_fields_of_leaves(path: str, field: str) -> None:
    assert field_of(path) == field


def test_a_glimpse_is_true(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("explorer.search.progress.EVERY", 0)
    monkeypatch.setattr("explorer.search.explore._CHUNK_SECONDS", 0)
    system = TwoPhaseCommit({"Manager": 5})
    lowered = lower(system)
    seen: list[Glimpse | Part] = []
    with watched(seen.append):
        found = search(compile_program(lowered.program), [f for _, f in lowered.initial])
    assert found.states == 8_832 and len(seen) > 10
    levels = np.cumsum(found.levels())
    for glimpse in seen:
        assert isinstance(glimpse, Glimpse)
        assert glimpse.depth == int(np.searchsorted(levels, glimpse.states))
        assert 0 < glimpse.frontier <= glimpse.states
        assert glimpse.field is None or glimpse.values > 1


def test_after_the_search_the_work_on_runs_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("explorer.search.check.EVERY", -1.0)
    seen: list[Glimpse | Part] = []
    with watched(seen.append):
        assert check(Counts()).find("reaches_two").verdict == "violated"  # type: ignore[union-attr]
    parts = [part for part in seen if isinstance(part, Part)]
    assert {part.what for part in parts} == {"looking at whole runs"}
    assert all(0 <= part.done <= part.of for part in parts)


def test_a_part_of_the_work_in_a_line() -> None:
    shown: list[str] = []

    class Screen:
        def progress(self, text: str) -> None:
            shown.append(text)

    progress = Line(Screen())  # type: ignore[arg-type]
    progress.begin("checking locks")
    progress.update(Part("looking at whole runs", 3, 4))
    progress.update(Part("looking at whole runs", 0, 1))
    assert shown[1:] == [
        "checking locks: looking at whole runs 75 % ...",
        "checking locks: looking at whole runs ...",
    ]


def test_the_busiest_field_has_the_most_values() -> None:
    lowered = lower(Toggles({"Toggle": 6}))
    native = compile_program(lowered.program)
    found = search(native, [f for _, f in lowered.initial])
    assert busiest_field(found.rows, fields_of(native)) == ("on", 64)


def test_nobody_watches() -> None:
    def fail() -> None:
        raise AssertionError

    Progress().look(1e9, fail, fail)  # type: ignore[arg-type]


def on_a_terminal(columns: int, *arguments: str, **environment: str) -> tuple[int, str]:
    """Runs the command with standard error on a terminal: the exit code, and what was written there."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "explorer.cli", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", **environment},
    )
    os.close(theirs)
    written = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        written += part
    os.close(ours)
    return process.wait(timeout=60), written.decode()


@pytest.mark.parametrize("columns", [40, 120])
def test_a_terminal_shows_progress_on_one_line(columns: int) -> None:
    arguments = (COMMIT, "--scope", "Manager=9", "--no-reductions", "--max-states", "4000000")
    code, written = on_a_terminal(columns, "check", *arguments)
    assert code == 3
    shown = [part for part in written.split("\r") if part.strip()]
    assert any("states" in part for part in shown)
    assert max(len(part) for part in shown) < columns
    assert "\n" not in written and "\x1b" not in written
    # The line is taken away in the end.
    assert written.endswith("\r") and not written.split("\r")[-2].strip()


def test_a_terminal_that_can_do_nothing_shows_none() -> None:
    assert on_a_terminal(80, "check", "tests/cli/models/door.py:Door", TERM="dumb") == (0, "")
