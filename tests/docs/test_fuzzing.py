"""The page on random runs describes every option, and its numbers are those of the code. (What it shows is run with the other pages.)"""

from __future__ import annotations

import re

import click

from explorer.command.fuzz import fuzz
from explorer.stateful.drain import LIMIT
from explorer.stateful.fuzz import PATIENCE
from explorer.stateful.tally import _ENOUGH_STATES
from tests.docs.document import ROOT

DOCUMENT = ROOT / "docs" / "fuzzing.md"
TEXT = DOCUMENT.read_text()


def test_every_option_is_described() -> None:
    described = set(re.findall(r"--[a-z-]+", TEXT))
    options = {o for p in fuzz.params if isinstance(p, click.Option) for o in p.opts}
    assert options - described == {"--full"}


def test_the_numbers_are_those_of_the_code() -> None:
    assert f"no end within {LIMIT} steps" in TEXT
    assert f"until {PATIENCE} runs in a row" in TEXT
    assert f"({_ENOUGH_STATES} for each action of the model)" in TEXT
