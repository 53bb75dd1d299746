"""Ways in which a document could pass without being right."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.claims.claim import read_document
from explorer.claims.report import counterexamples
from explorer.claims.resolve import resolve
from explorer.claims.runs import Runs
from explorer.claims.verify import Verified, verify
from explorer.lang.errors import ModelError
from explorer.lang.run import instances
from explorer.loading import load_file
from explorer.reference import explore
from explorer.trace.again import replay
from explorer.trace.replay import build_trace

MODEL = """
from dataclasses import dataclass
from typing import Annotated

from explorer.lang import Between, System, action, invariant, record, require


@record
class State:
    n: Annotated[int, Between(0, 5)]


@dataclass(frozen=True)
class Design:
    bug: bool = False
    stop: bool = False
    double: bool = False


class Steps(System[State]):
    design = Design()

    def is_final(self, s: State) -> bool:
        return s.n == 4 or self.design.stop

    @action
    def go(self, s: State) -> None:
        require(s.n < 4 and not self.design.stop)
        assert not (self.design.bug and s.n == 1), "no bug"
        s.n += 2 if self.design.double else 1


@invariant
def small(s: State) -> bool:
    return s.n != 2


@invariant
def positive(s: State) -> bool:
    return s.n >= 0
"""


def claim(tmp_path: Path, text: str, script: str = "") -> Verified:
    (tmp_path / "steps.py").write_text(MODEL)
    (tmp_path / "go.run").write_text(script)
    path = tmp_path / "c.md"
    path.write_text(f'```slotcheck\nclaim = "C"\nsystem = "steps.py:Steps"\n{text}\n```\n')
    [found] = read_document(path)
    return verify(resolve(found), Runs(lambda *run: explore(*run).result))


def test_what_holds_because_every_run_crashes_does_not_hold(tmp_path: Path) -> None:
    text = 'set = { bug = true }\nholds = ["small"]\n'
    assert claim(tmp_path, text).verdict == "refuted"
    named = claim(tmp_path, text + 'violates = ["assert:no_bug"]\n')
    assert (named.verdict, named.as_expected) == ("verified", True)


def test_where_nothing_happens_a_claim_is_vacuous(tmp_path: Path) -> None:
    found = claim(tmp_path, 'set = { stop = true }\nholds = ["small"]\n')
    assert (found.verdict, found.as_expected) == ("vacuous", False)


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ('script = "go.run"\n', "go()\ngo()\n"),
        ('holds = ["positive"]\nscript = "go.run"\n', "go()\ngo()\n"),
        ('set = { bug = true }\nscript = "go.run"\n', "go()\ngo()\n"),
    ],
)
def test_a_script_that_violates_anything_undeclared_refutes(
    tmp_path: Path, text: str, script: str
) -> None:
    assert claim(tmp_path, text, script).verdict == "refuted"
    assert claim(tmp_path, 'script = "go.run"\n', "go()\n").verdict == "verified"


def test_a_known_hole_must_be_the_one_that_is_there(tmp_path: Path) -> None:
    broken = '[[breaks_without]]\noff = ["double"]\nviolates = ["positive"]\n'
    closed = claim(tmp_path, f'holds = ["positive"]\nexpect = "refuted"\n{broken}')
    assert not closed.as_expected
    open_ = claim(tmp_path, 'holds = ["small"]\nexpect = "refuted"\n')
    assert open_.as_expected


@pytest.mark.parametrize("info", ["slotcheck toml", "slotcheck {#id}", "toml slotcheck"])
def test_no_block_is_skipped_for_its_second_word(tmp_path: Path, info: str) -> None:
    path = tmp_path / "c.md"
    good = '```slotcheck\nclaim = "C"\nnot_modelled = "no"\n```\n'
    path.write_text(good + f'\n```{info}\nclaim = "D"\nnot_modelled = "no"\n```\n')
    if info.startswith("slotcheck"):
        assert [c.id for c in read_document(path)] == ["C", "D"]
    else:
        with pytest.raises(ModelError, match="is not checked"):
            read_document(path)


def test_a_replay_that_fails_earlier_or_otherwise_says_so(tmp_path: Path) -> None:
    (tmp_path / "steps.py").write_text(MODEL)
    steps = load_file(tmp_path / "steps.py").Steps
    plain = steps()
    [go] = instances(plain)
    trace = build_trace(plain, (), [go, go], "small")
    again = replay(trace, steps(design={"double": True}))
    assert again.earlier == 1
    crashed = replay(trace, steps(design={"bug": True}))
    assert (crashed.confirmed, crashed.earlier, crashed.other) == (False, None, "assert:no_bug")


LINES = """
from dataclasses import dataclass
from typing import Annotated

from explorer.lang import Between, System, action, invariant, panic, reachable, record, require


@record
class State:
    n: Annotated[int, Between(0, 5)]


@dataclass(frozen=True)
class Design:
    a: bool = True
    b: bool = True
    c: bool = True


class Steps(System[State]):
    design = Design()

    def is_final(self, s: State) -> bool:
        return True

    @action
    def up(self, s: State) -> None:
        require(s.n < 2 and self.design.c)
        if not self.design.a and self.design.b:
            panic("crash")
        s.n += 1

    @action
    def three(self, s: State) -> None:
        require(s.n == 2 and not self.design.a)
        s.n = 3


@invariant
def small(s: State) -> bool:
    return s.n < 3


@reachable
def two(s: State) -> bool:
    return s.n == 2
"""


def lines(tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> Verified:
    monkeypatch.setattr("tests.claims.test_honesty.MODEL", LINES)
    return claim(tmp_path, 'holds = ["small"]\nreaches = ["two"]\n' + text)


def test_a_second_line_that_only_crashes_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = '[[holds_without]]\noff = ["a"]\nbehind = "b"\n'
    found = lines(tmp_path, text, monkeypatch)
    assert found.verdict == "refuted"
    [crash, _] = [c for c in found.checks if c.ok is False]
    assert (crash.kind, crash.property, crash.off) == ("holds_without", "panic:crash", ("a",))


def test_a_second_line_without_which_the_premise_is_not_reached_is_vacuous(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = '[[holds_without]]\noff = ["c"]\nbehind = "nothing"\n'
    assert lines(tmp_path, text, monkeypatch).verdict == "vacuous"


def test_a_row_says_that_a_smaller_set_crashes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = '[[breaks_without]]\noff = ["a", "b"]\nviolates = ["small"]\n'
    found = lines(tmp_path, text, monkeypatch)
    assert found.verdict == "verified"
    assert counterexamples(found) == [
        "without a and b: 3 steps",
        "without a runs end in panic:crash",
    ]
