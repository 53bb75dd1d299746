"""The page on walking describes everything that can be typed; that its sessions are real is tested with the other pages."""

from __future__ import annotations

import re

from explorer.command.step import step
from explorer.stepping.commands import COMMANDS
from tests.docs.document import ROOT

PAGE = (ROOT / "docs" / "stepping.md").read_text()


def test_every_command_is_described() -> None:
    table = [line for line in PAGE.splitlines() if line.startswith("| `")]
    described = re.findall(r"`(\w+)", " ".join(line.split("|")[1] for line in table))
    assert [c.name for c in COMMANDS if c.name not in described] == []


def test_every_option_is_mentioned() -> None:
    options = [o for p in step.params for o in p.opts if o.startswith("--")]
    assert [o for o in options if f"`{o}" not in PAGE] == []
