"""A mistake that only running the model shows does not lose what was found before."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explorer.cli import execute

MODEL = """
from __future__ import annotations
from typing import Annotated
from explorer import Between, System, action, invariant, record, require


@record
class State:
    n: Annotated[int, Between(0, 5)]


class Steps(System[State]):
    @action
    def up(self, s: State) -> None:
        require(s.n < 5)
        s.n += 1

    @action
    def stay(self, s: State) -> None:
        pass


@invariant
def small(s: State) -> bool:
    return s.n < 3


@invariant
def odd(s: State) -> bool:
    assert s.n != 4, "four"
    return True
"""


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "partial_steps.py"
    path.write_text(MODEL)
    return f"{path}:Steps"


@pytest.mark.parametrize("engine", ["exhaustive", "reference", "bmc"])
def test_a_property_that_cannot_be_evaluated(
    engine: str, model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "out.json"
    depth = ["--depth", "5"] if engine == "bmc" else []
    assert execute(["check", model, "--engine", engine, *depth, "--json", str(target)]) == 2
    shown = capsys.readouterr()
    assert "violated  small (3 steps)" in shown.out
    assert "unknown   odd" in shown.out
    assert "the property odd cannot be evaluated in every state: assert:four" in shown.err
    if engine != "reference":
        assert "it happens after up(); up(); up(); up()" in shown.err
    data = json.loads(target.read_text())
    verdicts = {p["name"]: p["verdict"] for p in data["properties"]}
    assert (verdicts["small"], verdicts["odd"], data["complete"]) == ("violated", "unknown", False)


@pytest.mark.parametrize("engine", ["exhaustive", "reference"])
def test_steps_that_change_nothing_do_not_hide_a_deadlock(
    engine: str, model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute(["check", model, "--engine", engine, "--property", "small"]) == 1
    out = capsys.readouterr().out
    assert "holds     deadlock" in out
    assert "warning: after 5 steps the only steps change nothing" in out


def test_a_claim_that_cannot_be_verified_does_not_hide_the_others(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = Path(model.rpartition(":")[0]).with_name("good_steps.py")
    good.write_text(MODEL.partition("@invariant\ndef odd")[0])
    document, target = tmp_path / "d.md", tmp_path / "d.json"
    blocks = (
        ("A", model, 'holds = ["odd"]'),
        ("B", f"{good}:Steps", 'violates = ["small"]'),
        ("C", f"{good}:Steps", 'holds = ["small"]'),
    )
    document.write_text(
        "".join(
            f'```slotcheck\nclaim = "{name}"\nsystem = "{system}"\n{text}\n```\n'
            for name, system, text in blocks
        )
    )
    assert execute(["claims", str(document), "--json", str(target)]) == 2
    shown = capsys.readouterr()
    assert "A  unknown" in shown.out and "B  verified" in shown.out and "C  refuted" in shown.out
    assert shown.err.count("the property odd cannot be evaluated") == 1
    claims = json.loads(target.read_text())["claims"]
    assert [c["verdict"] for c in claims] == ["unknown", "verified", "refuted"]
    assert "cannot be evaluated" in claims[0]["error"]
