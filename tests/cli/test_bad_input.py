"""Bad input ends with a message and a code: never with a traceback, a hang or a pass."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from explorer.cli import execute

SOURCE = Path("tests/cli/models/door.py")
DOOR = f"{SOURCE}:Door"


def complaint(capsys: pytest.CaptureFixture[str], code: int, *arguments: str) -> str:
    assert execute(arguments) == code
    captured = capsys.readouterr()
    assert "Traceback" not in captured.out + captured.err
    assert "internal error" not in captured.err
    return captured.out + captured.err


MODEL = """
from explorer.lang import *

class Name(Sort): ...

@record
class State:
    x: {type}

class Model(System[State]):
    default_scope = {{"Name": {size}}}
    def is_final(self, s: State) -> bool: return True
    @action
    def move(self, s: State) -> None:
        {body}

@{kind}
def holds(s: State) -> bool:
    return {property}
"""


@pytest.mark.parametrize(
    ("changes", "code", "message"),
    [
        ({"size": "0"}, 2, "cannot be 0"),
        ({"size": "-1"}, 2, "cannot be -1"),
        ({"size": "10**9"}, 2, "cannot be 1000000000"),
        ({"size": "'many'"}, 2, "Name"),
        ({"type": "Map[Name, Map[Name, bool]]", "size": "200"}, 2, "a state takes 40000 bits"),
        ({"type": "Map[Name, Map[Name, bool]]", "size": "5000"}, 2, "make the scope smaller"),
        ({"type": "list[int]"}, 2, "list"),
        ({"property": "1 // len(s.x) == 0", "type": "Set[Name]"}, 2, "//"),
        ({"property": "s.x == 1", "kind": "reachable"}, 1, "holds (unreached)"),
        ({"body": "require(False)"}, 0, "action move is never enabled"),
        ({"body": "import random; s.x = random.random() < 0.5"}, 2, "import"),
        ({"body": "global y; y = 1"}, 2, "global"),
        ({"body": "s.x = hash(s.x) % 2"}, 2, "hash"),
        ({"body": "while True: pass"}, 2, "while"),
        ({"body": "for n in {1, 2, 3}: s.x = n"}, 2, "{1, 2, 3}"),
        ({"body": "s.x = 3"}, 1, "range:x"),
        ({"body": "print(s.x)"}, 2, "print"),
        ({"body": "s.move()"}, 2, "move"),
    ],
)
def test_models(
    changes: dict[str, str],
    code: int,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    parts = {
        "type": "Annotated[int, Between(0, 2)]",
        "size": "2",
        "body": "s.x = 0",
        "kind": "invariant",
        "property": "True",
    }
    if not changes.get("type", "Annotated").startswith("Annotated"):
        parts["body"] = "pass"
    path = tmp_path / "bad.py"
    path.write_text("from typing import Annotated\n" + MODEL.format(**{**parts, **changes}))
    assert message in complaint(capsys, code, "check", f"{path}:Model")


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("traces")
    execute(["check", DOOR, "--design", "open", "--trace-dir", str(folder)])
    data: dict[str, Any] = json.loads((folder / "Door-at_most_one_is_inside.json").read_text())
    return data


def edited(change: Callable[[dict[str, Any]], object]) -> Callable[[dict[str, Any]], str]:
    def text(data: dict[str, Any]) -> str:
        copy = json.loads(json.dumps(data))
        change(copy)
        return json.dumps(copy)

    return text


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (edited(lambda d: d["steps"].append({**d["steps"][0], "action": "fly"})), (1, 2)),
        (edited(lambda d: d["steps"][0]["parameters"].update(person="Person9")), (1, 2)),
        (edited(lambda d: d["steps"][0]["parameters"].clear()), (1, 2)),
        (edited(lambda d: d["steps"][0].update(parameters=[])), (2,)),
        (edited(lambda d: d["steps"][0].update(state=7)), (2,)),
        (edited(lambda d: d.update(steps=[])), (1,)),
        (edited(lambda d: d.update(initial={})), (1, 2)),
        (edited(lambda d: d.update(init={"first": "nobody"})), (1, 2)),
        (edited(lambda d: d.update(init={})), (1, 2)),
        (edited(lambda d: d.update(property="no_such")), (1, 2)),
        (edited(lambda d: d.update(scope={"Person": 10**9})), (2,)),
        (edited(lambda d: d.update(scope={"Person": -1})), (2,)),
        (edited(lambda d: d.update(design={"lock": 3})), (2,)),
        (edited(lambda d: d.update(design={"preset": "no_such"})), (2,)),
        (edited(lambda d: d.update(system="registry")), (1, 2)),
        (edited(lambda d: d.update(loop=5)), (2,)),
        (lambda d: "[" * 100_000, (2,)),
        (lambda d: json.dumps(d)[:-1], (2,)),
        (lambda d: "\0", (2,)),
    ],
)
def test_traces(
    text: Callable[[dict[str, Any]], str],
    codes: tuple[int, ...],
    trace: dict[str, Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "trace.json"
    path.write_text(text(trace))
    capsys.readouterr()
    assert execute(["replay", str(path)]) in codes
    captured = capsys.readouterr()
    assert "internal error" not in captured.err and captured.out + captured.err


NON_ASCII = (
    SOURCE.read_text()
    .replace("Person", "Persönlichkeit")
    .replace("inside", "drinnen_中")
    .replace("somebody was drinnen_中", "jemand war schön 内")
)


def test_names_in_any_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "tür 门.py"
    path.write_text(NON_ASCII, encoding="utf-8")
    arguments = [f"{path}:Door", "--scope", "Persönlichkeit=3", "--design", "open"]
    text = complaint(
        capsys, 1, "check", *arguments, "--set", "alarm=true", "--trace-dir", str(tmp_path / "ü")
    )
    assert "drinnen_中[Persönlichkeit1]: False -> True" in text
    for file in (tmp_path / "ü").iterdir():
        assert execute(["replay", str(file)]) == 0


def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **options.pop("env", {})}
    return subprocess.run(
        [sys.executable, "-m", "explorer.cli", *arguments],
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
        env=environment,
        **options,
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_standard_output() -> None:
    with open("/dev/full", "w") as full:
        done = run("list", DOOR, stdout=full)
    assert done.returncode == 2 and "Traceback" not in done.stderr


def test_closed_streams() -> None:
    command = f"{sys.executable} -m explorer.cli list {DOOR} >&- 2>&- <&-"
    assert subprocess.run(["sh", "-c", command], timeout=60).returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("broken", ["a file", "read-only", "full"])
def test_a_cache_that_cannot_be_used(tmp_path: Path, broken: str) -> None:
    limits = None
    if broken == "a file":
        (tmp_path / "slotcheck").write_text("")
    elif broken == "read-only":
        (tmp_path / "slotcheck").mkdir()
        (tmp_path / "slotcheck").chmod(0o500)
    else:

        def limits() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    done = run(
        "check",
        DOOR,
        env={"XDG_CACHE_HOME": str(tmp_path), "NUMBA_CACHE_DIR": ""},
        stdout=subprocess.PIPE,
        preexec_fn=limits,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_two_runs_at_once_on_one_cache(tmp_path: Path) -> None:
    runs = [
        subprocess.Popen(
            [sys.executable, "-m", "explorer.cli", "check", DOOR],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)},
        )
        for _ in range(2)
    ]
    for process in runs:
        _, err = process.communicate(timeout=300)
        assert (process.returncode, err) == (0, b"")
