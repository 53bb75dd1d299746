"""Steps and states in the protocol's own words: an action's docstring, a system's ``describe``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from explorer.lang.actions import Action
from explorer.lang.errors import ModelError
from explorer.lang.run import Instance, clone, location
from explorer.lang.system import System
from explorer.trace.render import short
from explorer.trace.replay import params_of

_PART = re.compile(r"\{\{|\}\}|\{(\w+)\}")
# A rendering stands beside a step.
LONGEST = 200


class Words:
    """What a system says about its steps and states.

    ``complaints`` are what is wrong with that, one line each. They spoil nothing but the words.
    """

    def __init__(self, system: System[Any]) -> None:
        self.system = system
        self.complaints: list[str] = []
        self.renders = type(system).describe is not System.describe

    def step(self, instance: Instance) -> str | None:
        """The step in words: the first line of its action's docstring, with its parameters put in for ``{name}``.

        None where there is no docstring.
        """
        return self.phrase(instance.action, params_of(instance))

    def phrase(self, action: Action, params: Mapping[str, str]) -> str | None:
        """The same for parameters given as text."""
        line = action.doc.strip().partition("\n")[0].strip()
        if not line:
            return None
        for name in dict.fromkeys(found[1] for found in _PART.finditer(line) if found[1]):
            if name not in params:
                self.complain(
                    f"the description of {action.name} speaks of {{{name}}}, which is no parameter of it; "
                    f"there is {', '.join(params) or 'none'}; {{{{{name}}}}} stands for itself"
                )
        return _PART.sub(
            lambda part: _filled(part, params), line.removesuffix(".").replace("``", "")
        )

    def state(self, state: Any) -> str | None:
        """The state as the system renders it, on one line; None where it does not, or cannot."""
        if not self.renders:
            return None
        name = type(self.system).__name__
        try:
            with self.system:
                # It gets a copy: what it does to it changes nothing.
                text = self.system.describe(clone(state))
        except ModelError as error:
            self.complain(f"{name}.describe fails: {error.message}")
            return None
        except Exception as error:
            where = location(error.__traceback__)
            at = f" at {short(where.file)}:{where.line}" if where is not None else ""
            self.complain(f"{name}.describe raises {type(error).__name__}: {error}{at}")
            return None
        if not isinstance(text, str):
            self.complain(f"{name}.describe returns {type(text).__name__}, not str")
            return None
        line = " ".join(text.split())
        return (line if len(line) <= LONGEST else f"{line[: LONGEST - 3]}...") or None

    def complain(self, text: str) -> None:
        """Notes a mistake in the words, each once."""
        if text not in self.complaints:
            self.complaints.append(text)


def _filled(part: re.Match[str], params: Mapping[str, str]) -> str:
    if part[1] is None:
        return part[0][0]
    return params.get(part[1], part[0])
