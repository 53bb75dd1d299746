"""Many searches: kept in a file, made in several processes, and taken up again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from explorer import interrupts
from explorer.batch.job import Job, Outcome
from explorer.batch.pool import Pool
from explorer.batch.store import Store
from explorer.lang.errors import ModelError
from explorer.loading import find_system
from tests.docs.document import ROOT

TANKS = "tests/shrink/models.py:Tanks"
JOBS = [
    Job({"Cell": cells}, switches={"watch": watch})
    for cells in (1, 2)
    for watch in ("true", "false")
]


def outcomes(
    path: Path | None, jobs: list[Job], processes: int = 1
) -> tuple[list[Outcome | None], list[tuple[int, int]]]:
    """What comes out, and what was told."""
    told: list[tuple[int, int]] = []
    found = find_system(TANKS)
    with Pool(found, Store(found, path), processes, lambda *n: told.append(n)).open() as pool:
        return pool.outcomes(jobs), told


def test_what_comes_out_does_not_depend_on_the_processes(tmp_path: Path) -> None:
    alone, told = outcomes(None, JOBS)
    assert outcomes(None, JOBS, processes=2)[0] == alone
    assert told == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]
    assert [
        o and sorted(p.name for p in o.properties if p.verdict == "violated") for o in alone
    ] == [
        [],
        ["nothing_is_wet", "panic:slipped", "soft_panic:wet"],
    ] * 2


def test_finished_searches_are_not_made_again(tmp_path: Path) -> None:
    path = tmp_path / "finished"
    first, _ = outcomes(path, JOBS[:2])
    text = path.read_text()
    again, told = outcomes(path, JOBS)
    assert again[:2] == first and told[0] == (2, 4)
    assert path.read_text().startswith(text) and len(path.read_text().splitlines()) == 5
    assert outcomes(path, JOBS)[1] == [(4, 4)]


def test_a_line_that_was_not_written_whole_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "finished"
    whole, _ = outcomes(path, JOBS)
    text = path.read_text()
    for cut in (1, 40, len(text.splitlines()[-1])):
        path.write_text(text[:-cut])
        again, told = outcomes(path, JOBS)
        assert again == whole and told[0] == (3, 4)
        assert path.read_text() == text


def test_what_is_no_such_file(tmp_path: Path) -> None:
    path = tmp_path / "finished"
    outcomes(path, JOBS)
    lines = path.read_text().splitlines(keepends=True)
    found = find_system(TANKS)

    def refused(text: str) -> str:
        path.write_text(text)
        with pytest.raises(ModelError) as caught:
            Store(found, path)
        return caught.value.message.replace(str(path), "FILE")

    assert refused("hello\n") == refused(lines[0][:-5]) == "FILE holds no finished searches"
    assert refused(lines[0] + lines[1].replace("true", "null") + lines[2]) == (
        "FILE:2: this line is damaged"
    )
    path.unlink()
    Store(find_system("tests/shrink/models.py:Counter"), path)
    assert refused(path.read_text()) == "FILE holds searches of another system"
    path.unlink()
    with pytest.raises(ModelError, match="is a directory"):
        Store(found, tmp_path)


def test_another_version_of_the_model_is_refused(tmp_path: Path) -> None:
    model = tmp_path / "lamp.py"
    source = (ROOT / "tests/systems/jugs.py").read_text()
    model.write_text(source)
    script = (
        "import sys; from pathlib import Path; from explorer.batch.store import Store; "
        "from explorer.loading import find_system; Store(find_system(sys.argv[1]), Path(sys.argv[2]))"
    )
    command = [sys.executable, "-c", script, f"{model}:Jugs", str(tmp_path / "finished")]
    assert subprocess.run(command, check=False, capture_output=True).returncode == 0
    assert subprocess.run(command, check=False, capture_output=True).returncode == 0
    model.write_text(source + "\n# Changed.\n")
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert "holds searches of another model or version" in done.stderr


def test_a_configuration_that_the_model_does_not_have_is_an_outcome() -> None:
    found, _ = outcomes(None, [Job({"Nix": 1}), Job(switches={"watch": "perhaps"}), JOBS[0]])
    assert [o and o.unusable for o in found] == [
        "Tanks has no scope entry Nix",
        "the switch watch: expected True or False, found perhaps",
        None,
    ]


def test_limits_are_said(tmp_path: Path) -> None:
    (found,), _ = outcomes(None, [Job(max_states=5)])
    assert found is not None and not found.complete
    assert found.incomplete and all(p.verdict != "holds" for p in found.properties)


def test_an_interrupt_ends_the_searches(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked = 0

    def requested() -> str | None:
        nonlocal asked
        asked += 1
        return interrupts.INTERRUPTED if asked > 1 else None

    monkeypatch.setattr("explorer.batch.pool.interrupts.requested", requested)
    found = find_system(TANKS)
    kept = Store(found, tmp_path / "finished")
    done = Pool(found, kept).outcomes(JOBS)
    assert None in done and len(kept.known) < len(JOBS)


def test_its_processes_end_with_it(tmp_path: Path) -> None:
    """Also if it is killed, and can tell them nothing: each holds this pipe open."""
    script = """
from pathlib import Path
from tests.batch.test_batch import JOBS, TANKS
from explorer.batch.pool import Pool
from explorer.batch.store import Store
from explorer.loading import find_system
import os, signal
if __name__ == "__main__":
    found = find_system(TANKS)
    Pool(found, Store(found, None), 2).outcomes(JOBS)
    print("searched", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""
    path = tmp_path / "killed.py"
    path.write_text(script)
    process = subprocess.Popen(
        [sys.executable, str(path)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    # Ends when nobody can write into the pipe any more.
    out, _ = process.communicate(timeout=60)
    assert out.startswith("searched\n") and process.returncode == -signal.SIGKILL


@pytest.mark.slow
def test_killed_at_any_moment_it_is_taken_up_again(tmp_path: Path) -> None:
    """SIGKILL after more and more time; what was finished then stays finished, and the answer is the same."""
    command = [sys.executable, "-m", "explorer.cli", "cutsets", TANKS, "--max-size", "4"]
    whole = subprocess.run(command, check=False, capture_output=True, cwd=ROOT).stdout
    path = tmp_path / "finished"
    for attempt in range(8):
        process = subprocess.Popen(
            [*command, "--jobs", "2", "--resume", str(path)], cwd=ROOT, stdout=subprocess.PIPE
        )
        time.sleep(1 + attempt / 4)
        process.send_signal(signal.SIGKILL)
        process.wait()
    done = subprocess.run(
        [*command, "--resume", str(path)], check=False, capture_output=True, cwd=ROOT
    )
    assert done.stdout == whole
