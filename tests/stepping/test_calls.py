"""What can be typed for a step."""

from __future__ import annotations

import pytest

from explorer.lang.errors import ModelError
from explorer.lang.run import instances
from explorer.stepping.calls import matching, starting
from explorer.stepping.commands import COMMANDS, abbreviated, alike, parse
from tests.stepping.models import Hotel

SYSTEM = Hotel()
EVERY = instances(SYSTEM)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("ring(loud=True)", ["ring(loud=True)"]),
        ("ring( True )", ["ring(loud=True)"]),
        ("ri", ["ring(loud=False)", "ring(loud=True)"]),
        ("ring(loud=F", ["ring(loud=False)"]),
        ("ring()", ["ring(loud=False)", "ring(loud=True)"]),
        ("r(True)", ["ring(loud=True)"]),
        ("ö", ["öffne()"]),
        ("Gast1: enter", ["enter(who=Gast1)"]),
        ("Gast1: enter(who=Gast0)", []),
        ("enter(who=Gast(1))", ["enter(who=Gast1)"]),
        ("b", ["back()", "burn()"]),
    ],
)
def test_what_is_meant(typed: str, meant: list[str]) -> None:
    assert [i.text for i in matching(typed, EVERY, SYSTEM)] == meant


@pytest.mark.parametrize(
    ("typed", "problem"),
    [
        ("rung()", "has no action rung"),
        ("zzz", "has no action zzz"),
        ("ring(quiet=True)", "ring has no parameter quiet"),
        ("ring(True, False)", "ring has 1 parameters"),
        ("ring(True, loud=True)", "loud is given twice"),
        ("ring(7)", "loud: expected True or False, found 7"),
        ("ring(loud=x", r"ring\(loud=x begins no step of ring"),
        ("enter(Gast7)", r"Gast7 is not in the scope Gast=2"),
    ],
)
def test_what_is_none(typed: str, problem: str) -> None:
    with pytest.raises(ModelError, match=problem):
        matching(typed, EVERY, SYSTEM)


def test_completion() -> None:
    assert starting("ring(l", EVERY) == ["ring(loud=False)", "ring(loud=True)"]
    assert starting("Gast1: ta", EVERY) == ["Gast1: take_room(who=Gast1)"]


def test_commands() -> None:
    short = [s for c in COMMANDS for s in (c.name, *c.short)]
    assert len(set(short)) == len(short)
    assert parse("b 2") == parse("back   2 ") != parse("back")
    assert parse("back()") is None and parse("") is None
    typed = abbreviated("prop")
    assert typed is not None and typed.name == "properties"
    assert abbreviated("s") is None
    assert alike("forwad") == ["forward"]
