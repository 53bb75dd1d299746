"""``slotcheck findings`` from the outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explorer.cli import execute
from tests.docs.document import ROOT

HOUSE = ROOT / "tests/cutsets/models.py"
FINDING = f'''# House

```slotcheck
claim = "F1"
finding = "anybody may enter"
system = "{HOUSE}:House"
design = "bare"
script = "in.txt"
violates = ["nobody_is_in"]
```

```slotcheck
claim = "F2"
not_modelled = "windows"
```
'''


def document(folder: Path, text: str = FINDING) -> str:
    path = folder / "house.md"
    path.write_text(text)
    (folder / "in.txt").write_text("init()\nenter()\n")
    return str(path)


def test_a_row_for_each_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = tmp_path / "made.json"
    assert execute(["findings", document(tmp_path), "--json", str(made)]) == 0
    assert capsys.readouterr().out == (
        f"F1  anybody may enter  {HOUSE}:House bare  nobody_is_in  1  1  2\n\nOK: 1 finding, each found again\n"
    )
    (row,) = json.loads(made.read_text())["findings"]
    assert (
        row["finding"] == "anybody may enter"
        and row["length"] == row["script"] == 1
        and row["found"]
    )


def test_one_that_is_not_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = FINDING.replace('design = "bare"\n', "").replace('script = "in.txt"\n', "")
    assert execute(["findings", document(tmp_path, text)]) == 1
    assert "NOT FOUND: F1 (of 1)" in capsys.readouterr().out


def test_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    none = FINDING.replace('finding = "anybody may enter"\n', "")
    assert execute(["findings", document(tmp_path, none)]) == 2
    assert "house.md states no findings" in capsys.readouterr().err
    nothing = FINDING.replace('violates = ["nobody_is_in"]\n', 'holds = ["nobody_is_in"]\n')
    assert execute(["findings", document(tmp_path, nothing)]) == 2
    assert "a finding is a counterexample, and this claim has none" in capsys.readouterr().err
    assert execute(["findings", str(tmp_path / "nix.md")]) == 2
