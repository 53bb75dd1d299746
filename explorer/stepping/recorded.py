"""A trace as a walk: its steps are those that lie ahead."""

from __future__ import annotations

from typing import Any

from explorer.lang.errors import ModelError
from explorer.lang.run import Instance, init_params
from explorer.lang.system import System
from explorer.lang.text import to_json
from explorer.stepping.session import Session
from explorer.trace.digest import digest
from explorer.trace.render import differences
from explorer.trace.replay import thread_of
from explorer.trace.script import find_action, parse_arguments
from explorer.trace.trace import Trace


class Recorded:
    """The trace that a walk began with; ``warnings`` are what no longer fits, in the words of a user."""

    def __init__(self, trace: Trace, session: Session) -> None:
        self.trace = trace
        self.warnings: list[str] = []
        system = session.system
        if trace.digest != digest(type(system)):
            self.warnings.append("the model's source has changed since the trace was recorded")
        try:
            values = parse_arguments("init", init_params(system), trace.init, system)
            start = session.starting(values)
        except ModelError as error:
            raise ModelError(
                f"the trace cannot begin here: {error.message}", hint=error.hint
            ) from None
        self._planned = self._instances(system)
        session.begin(start, self._planned)

    def _instances(self, system: System[Any]) -> list[Instance]:
        """The steps as far as the system has them."""
        found: list[Instance] = []
        for number, step in enumerate(self.trace.steps, 1):
            try:
                action = find_action(system, step.action)
                values = parse_arguments(action.name, action.params, step.params, system)
            except ModelError as error:
                self.warnings.append(
                    f"the trace ends before step {number} of {self.trace.length}: {error.message}"
                )
                break
            instance = Instance(action, values)
            thread = thread_of(instance)
            if thread != step.thread:
                self.warnings.append(
                    f"step {number} was recorded as one of {step.thread or 'no thread'}, and is one of {thread or 'none'}"
                )
            found.append(instance)
        return found

    def followed(self, session: Session) -> bool:
        """Whether the walk up to here is that of the trace."""
        return session.path == tuple(self._planned[: session.at])

    def differs(self, session: Session) -> list[str]:
        """Where the state here is not the recorded one, line by line; nothing off the trace."""
        if not self.followed(session) or session.at > self.trace.length:
            return []
        then = self.trace.states()[session.at]
        now = None if session.state is None else to_json(session.state)
        if now is None or then is None:
            return (
                []
                if now is then
                else ["the step fails" if now is None else "it was recorded as failing"]
            )
        return [f"{path}: {old} recorded, {new} now" for path, old, new in differences(then, now)]

    def note(self, session: Session) -> str | None:
        """What the trace says about its end."""
        trace = self.trace
        if session.at != trace.length or not self.followed(session):
            return None
        if trace.loop is None:
            return f"end of the trace of {trace.property_name}"
        if trace.loop == trace.length:
            return f"end of the trace of {trace.property_name}: the run stays here for ever"
        return f"end of the trace of {trace.property_name}: the run goes on from step {trace.loop}, for ever (jump {trace.loop})"
