"""A model author's file passes ``mypy --strict``, and mypy notices what a model cannot do."""

from __future__ import annotations

from pathlib import Path

import pytest

mypy = pytest.importorskip("mypy.api")

ROOT = Path(__file__).parents[2]

WRONG = """\
from explorer import Set, given, panic
from tests.lang.sample_model import *

def infer(s: State, system: Sample, last: Publish | Drop | None) -> None:
    for id in GlobalId:
        reveal_type(id)
    for t in Time:
        reveal_type(t)
    reveal_type(given(s.entry[id]))
    reveal_type(given(last))
    reveal_type(max(Time.first(), t.next()))
    reveal_type(system.design)
    reveal_type(s.commands[Runtime.MAINTENANCE].pop_first())
    reveal_type(Set(i for i in GlobalId) | s.ready)
    reveal_type(s.level)
    reveal_type(s.slots.alloc(Slot(t)))
    reveal_type(Sample.send)

def refused(s: State, id: GlobalId, t: Time, f: Frontier) -> None:
    id < id
    t < f
    t + 1
    s.slots[s.entry[id]]
    s.ready.add(t)
    Publish(id=id)
    Publish(id, t).id = id
    s.nothing

def never(s: State) -> int:
    panic("no")
"""


def test_the_sample_passes_strictly() -> None:
    out, err, code = mypy.run(
        [
            "--strict",
            "--config-file",
            str(ROOT / "pyproject.toml"),
            str(ROOT / "tests/lang/sample_model.py"),
        ]
    )
    assert code == 0, out + err


def test_what_is_inferred_and_what_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(WRONG)
    monkeypatch.setenv("MYPYPATH", str(ROOT))
    out, err, _ = mypy.run(
        [
            "--strict",
            "--explicit-package-bases",
            "--config-file=",
            f"--cache-dir={tmp_path}",
            "--follow-imports=silent",
            str(file),
        ]
    )
    lines = [line.split(": ", 1)[1] for line in out.splitlines() if "wrong.py" in line]
    types = [
        line.split('"')[1].replace("tests.lang.sample_model.", "")
        for line in lines
        if "Revealed" in line
    ]
    assert types == [
        "GlobalId",
        "Time",
        "SlotRef",
        "Publish | Drop",
        "Time",
        "Design",
        "Publish | Drop",
        "explorer.lang.containers.Set[GlobalId]",
        "int",
        "SlotRef",
        "def (self: Sample, s: State, command: Publish | Drop)",
    ]
    errors = [line for line in lines if line.startswith("error") and "[import" not in line]
    for part in [
        "Unsupported left operand type for < (",
        "Unsupported operand types for < (",
        'Unsupported operand types for + ("Time" and "int")',
        "Invalid index type",
        'Argument 1 to "add" of "Set" has incompatible type "Time"',
        'Missing positional argument "as_of" in call to "Publish"',
        'Property "id" defined in "Publish" is read-only',
        '"State" has no attribute "nothing"',
    ]:
        assert any(part in e for e in errors), (part, out + err)
    assert not any("Missing return" in e for e in errors)


def test_the_package_offers_the_language() -> None:
    import explorer
    import explorer.lang

    assert set(explorer.__all__) == set(explorer.lang.__all__) == set(dir(explorer))
    assert explorer.System is explorer.lang.System
    with pytest.raises(AttributeError, match="module 'explorer' has no attribute 'Nothing'"):
        explorer.Nothing  # type: ignore[attr-defined] # noqa: B018
