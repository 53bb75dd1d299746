"""``slotcheck cutsets`` from the outside."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from explorer.cli import execute
from tests.docs.document import ROOT

HOUSE = "tests/cutsets/models.py:House"


def test_it_shows_sets_what_is_redundant_and_the_matrix(capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["cutsets", HOUSE]) == 0
    assert capsys.readouterr().out == (
        "tests/cutsets/models.py:House: scope ; design (default); 6 mechanisms, sets of up to 2, 21 designs searched\n"
        "\n"
        "nobody_is_in\n"
        "  {mode=OPEN}, 1 step\n"
        "  {a, b}, 1 step\n"
        "\n"
        "panic:the_ladder\n"
        "  {a, b}, 2 steps\n"
        "  {a, mode=OPEN}, 2 steps\n"
        "\n"
        "in no set of up to 2: few_try, range:tried, deadlock\n"
        "\n"
        "redundant in this scope, in no set of up to 2: c, d, mode=ALARMED\n"
        "\n"
        "property by mechanism: how many have to go, this one among them\n"
        "\n"
        "  a b c\n"
        "  2 2 1  nobody_is_in\n"
        "  2 2 2  panic:the_ladder\n"
        "\n"
        "  a a\n"
        "  b b\n"
        "  c mode=OPEN\n"
    )


def test_json_pictures_and_traces(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = tmp_path / "made.json"
    html, svg, traces = tmp_path / "m.html", tmp_path / "m.svg", tmp_path / "traces"
    options = ["--html", str(html), "--svg", str(svg), "--trace-dir", str(traces)]
    assert execute(["cutsets", HOUSE, "--json", str(made), *options]) == 0
    data = json.loads(made.read_text())
    assert data["schema"] == "slotcheck.cutsets/1" and data["exact"]
    assert data["properties"][0]["cut_sets"] == [
        {"off": ["mode=OPEN"], "length": 1, "minimal": True},
        {"off": ["a", "b"], "length": 1, "minimal": True},
    ]
    assert data["redundant"] == ["c", "d", "mode=ALARMED"]
    written = sorted(p.name for p in traces.iterdir())
    assert written == [
        "nobody_is_in-without-a+b.json",
        "nobody_is_in-without-mode_OPEN.json",
        "panic_the_ladder-without-a+b.json",
        "panic_the_ladder-without-a+mode_OPEN.json",
    ]
    capsys.readouterr()
    for name in written:
        assert execute(["replay", str(traces / name)]) == 0
    picture = ET.parse(svg).getroot()
    texts = [t.text for t in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == [
        "a",
        "b",
        "mode=OPEN",
        "nobody_is_in",
        "2",
        "2",
        "1",
        "panic:the_ladder",
        "2",
        "2",
        "2",
    ]
    page = html.read_text()
    assert page.count("<tr>") == 3 and '<td class="s1">1<br><small>1</small></td>' in page
    assert "http" not in page and "<script" not in page


def test_in_several_processes_the_answer_is_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    execute(["cutsets", HOUSE])
    alone = capsys.readouterr().out
    resume = ["--resume", str(tmp_path / "finished")]
    execute(["cutsets", HOUSE, "--jobs", "2", *resume])
    assert capsys.readouterr().out == alone
    execute(["cutsets", HOUSE, *resume])
    assert capsys.readouterr().out == alone


def test_what_fails_anyway(capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["cutsets", HOUSE, "--set", "tries=3", "--property", "few_try"]) == 1
    assert "few_try\n  fails with every mechanism in place, 3 steps\n" in capsys.readouterr().out


def test_limits(capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["cutsets", HOUSE, "--max-states", "1", "--max-size", "1"]) == 3
    out = capsys.readouterr().out
    assert "which mechanisms are redundant was not decided" in out
    assert "not decided without {}: " in out and "and 2 more designs" in out


def test_forty_columns(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    execute(["cutsets", HOUSE])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines[:12])) <= 40 and "  2 2 1  nobody_is_in" in lines
    monkeypatch.setenv("COLUMNS", "20")
    execute(["cutsets", HOUSE])
    lines = capsys.readouterr().out.splitlines()
    assert "  2 2 1" in lines and "    nobody_is_in" in lines


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--property", "nix"], "has no property nix"),
        (["--property", "panic:nix"], "cannot fail with panic:nix"),
        (["--mechanism", "nix"], "there is no switch nix"),
        (["--keep", "nix"], "there is no switch nix"),
        (["--svg", "/nowhere/m.svg"], "there is no directory /nowhere"),
        (["--resume", "tests"], "tests is a directory"),
        (["--jobs", "0"], "0 is not in the range"),
    ],
)
def test_bad_input(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["cutsets", HOUSE, *options]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_signal_to_all_processes_keeps_what_was_found(
    tmp_path: Path, number: signal.Signals, jobs: str
) -> None:
    made = tmp_path / "made.json"
    kept = tmp_path / "finished"
    command = [sys.executable, "-m", "explorer.cli", "cutsets", "replica", "--max-size", "3"]
    process = subprocess.Popen(
        [*command, "--jobs", jobs, "--resume", str(kept), "--json", str(made)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    while not kept.exists() or kept.read_text().count("\n") < 4:
        time.sleep(0.05)
    os.killpg(process.pid, number)
    assert process.wait(30) == 1  # The protocol has holes: what was found counts.
    assert json.loads(made.read_text())["warnings"][-1] == "incomplete: interrupted"
