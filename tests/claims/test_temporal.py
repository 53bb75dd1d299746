"""Claims about what happens in the end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from explorer.claims.claim import read_document
from explorer.claims.report import details, to_json, warnings
from explorer.claims.resolve import resolve
from explorer.claims.runs import Engine, Runs
from explorer.claims.verify import Verified, verify, verify_all
from explorer.lang.errors import ModelError
from explorer.lang.properties import Property
from explorer.lang.system import System
from explorer.reference import explore
from explorer.result import Result
from explorer.search.check import check

MODEL = '''
from dataclasses import dataclass

from explorer.lang import Formula, System, action, always_eventually, leads_to, record, require, temporal, weak


@record
class State:
    asked: bool
    heard: bool


@dataclass(frozen=True)
class Design:
    answers: bool = True
    mends: bool = True
    breaks: bool = True
    asks: bool = True


class Talk(System[State]):
    """Somebody asks again and again, over a line that may break."""

    design = Design()
    fairness = (weak("answer"), weak("mend"))

    @action
    def ask(self, s: State) -> None:
        require(self.design.asks and not s.asked)
        s.asked = True

    @action
    def answer(self, s: State) -> None:
        require(self.design.answers and s.asked and (s.heard or not self.design.breaks))
        s.asked = False
        s.heard = False

    @action
    def mend(self, s: State) -> None:
        require(self.design.mends and s.asked and not s.heard)
        s.heard = True

    @action
    def rest(self, s: State) -> None:
        require(not s.asked)


def waiting(s: State) -> bool:
    return s.asked


def quiet(s: State) -> bool:
    return not s.asked


@temporal
def every_question_is_answered() -> Formula:
    return leads_to(waiting, quiet)


@temporal(fairness=())
def it_is_answered_without_fairness() -> Formula:
    return always_eventually(quiet)
'''

ANSWERED = 'holds = ["every_question_is_answered"]\n'


def slow(system: System[Any], properties: tuple[Property, ...]) -> Result:
    return explore(system, properties).result


def claim(tmp_path: Path, text: str, script: str = "", engine: Engine = check) -> Verified:
    (tmp_path / "talk.py").write_text(MODEL)
    (tmp_path / "go.run").write_text(script)
    path = tmp_path / "c.md"
    path.write_text(f'```slotcheck\nclaim = "C"\nsystem = "talk.py:Talk"\n{text}\n```\n')
    [found] = read_document(path)
    return verify(resolve(found), Runs(engine))


def breaks(*off: str) -> str:
    names = ", ".join(f'"{name}"' for name in off)
    return f'[[breaks_without]]\noff = [{names}]\nviolates = ["every_question_is_answered"]\n'


@pytest.mark.parametrize("engine", [check, slow])
def test_what_holds_and_what_it_rests_on(tmp_path: Path, engine: Engine) -> None:
    found = claim(tmp_path, ANSWERED + breaks("answers") + breaks("mends"), engine=engine)
    assert (found.verdict, found.as_expected) == ("verified", True)
    broken = [c for c in found.checks if c.kind == "breaks_without"]
    assert [(c.minimal, c.result, c.length) for c in broken] == [
        (True, "violated", n) for n in (2, 1)
    ]


def test_what_it_does_not_rest_on(tmp_path: Path) -> None:
    found = claim(tmp_path, ANSWERED + breaks("breaks"))
    assert found.verdict == "refuted"
    assert "it holds without breaks" in "\n".join(details(found))
    behind = '[[holds_without]]\noff = ["breaks"]\nbehind = "nothing breaks then"\n'
    assert claim(tmp_path, ANSWERED + behind).verdict == "verified"


def test_what_is_known_to_fail(tmp_path: Path) -> None:
    text = 'violates = ["it_is_answered_without_fairness"]\n'
    found = claim(tmp_path, text)
    assert (found.verdict, found.as_expected) == ("verified", True)
    hole = claim(tmp_path, text.replace("violates", "holds") + 'expect = "refuted"\n')
    assert (hole.verdict, hole.as_expected) == ("refuted", True)
    assert "and stays there, for ever" in "\n".join(details(hole))


def test_what_never_comes_up_is_vacuous(tmp_path: Path) -> None:
    found = claim(tmp_path, "set = { asks = false }\n" + ANSWERED)
    assert (found.verdict, found.as_expected, found.exit_code()) == ("vacuous", False, 1)
    assert "never happens" in "\n".join(details(found))
    written = json.dumps(to_json([found]))
    assert "never happens" in json.loads(written)["claims"][0]["checks"][0]["note"]
    assert len([w for w in warnings([found]) if "never happens" in w]) == 1
    behind = '[[holds_without]]\noff = ["asks"]\nbehind = "nobody asks"\n'
    second = claim(tmp_path, ANSWERED + behind)
    assert second.verdict == "refuted"
    assert "never happens" in "\n".join(details(second))


def test_a_script_says_nothing_about_whole_runs(tmp_path: Path) -> None:
    found = claim(tmp_path, ANSWERED + 'script = "go.run"\n', "ask()\n")
    assert found.verdict == "verified"
    assert [c.property for c in found.checks if c.kind == "script"] == [""]
    text = 'violates = ["it_is_answered_without_fairness"]\nscript = "go.run"\n'
    with pytest.raises(ModelError, match="a script ends"):
        claim(tmp_path, text, "ask()\n")


def test_it_is_not_reached(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="not @reachable"):
        claim(tmp_path, 'reaches = ["every_question_is_answered"]\n')


def test_only_what_is_named_is_decided(tmp_path: Path) -> None:
    (tmp_path / "talk.py").write_text(MODEL)
    path = tmp_path / "c.md"
    texts = (
        'holds = ["deadlock"]\n[[holds_without]]\noff = ["breaks"]\nbehind = "nothing"\n',
        ANSWERED + breaks("answers"),
        'violates = ["it_is_answered_without_fairness"]\n',
        'holds = ["deadlock"]\n',
    )
    path.write_text(
        "".join(
            f'```slotcheck\nclaim = "C{i}"\nsystem = "talk.py:Talk"\n{text}\n```\n'
            for i, text in enumerate(texts)
        )
    )
    asked = []

    def engine(system: System[Any], properties: tuple[Property, ...]) -> Result:
        asked.append([p.name for p in properties])
        return slow(system, properties)

    ready = [resolve(found) for found in read_document(path)]
    found = list(verify_all(ready, Runs(engine)))
    assert [v.verdict for v in found] == ["verified"] * 4
    both = ["every_question_is_answered", "it_is_answered_without_fairness"]
    assert asked == [[], [], both, both[:1]]
    # Without a plan they are decided when they are asked for.
    asked.clear()
    runs = Runs(engine)
    assert [verify(item, runs).verdict for item in ready] == ["verified"] * 4
    assert asked == [[], [], both[:1], both[:1], both]
