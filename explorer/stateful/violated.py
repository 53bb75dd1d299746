"""A run that breaks a property, as data and as the exception that a test raises."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from explorer.lang.cache import cached
from explorer.lang.errors import ModelError
from explorer.lang.properties import Property
from explorer.lang.run import Instance
from explorer.lang.system import System
from explorer.lang.temporal import Instance as Stated
from explorer.lang.text import format_value
from explorer.trace.lasso import build_lasso, declared_fair
from explorer.trace.render import loop_lines, outcome
from explorer.trace.replay import build_trace
from explorer.trace.trace import Trace


@dataclass(frozen=True)
class Failing:
    """A run at the end of which ``name`` fails.

    ``init`` are the values of init's parameters, ``numbers`` those of the steps in ``run.instances``. A run that breaks a temporal
    property goes on for ever: after ``loop`` steps its cycle begins (as many as it has: it stops), and ``stated`` is for
    which parameters.
    """

    name: str
    message: str
    init: tuple[object, ...]
    taken: tuple[Instance, ...]
    numbers: tuple[int, ...]
    prop: Property | None = None
    loop: int | None = None
    stated: Stated | None = None

    @property
    def size(self) -> tuple[object, ...]:
        """Smaller for a run that is easier to read: fewer steps, then earlier actions and parameters."""
        return len(self.numbers), self.numbers, self.loop or 0

    def trace(self, system: System[Any]) -> Trace:
        """The run as a trace, replayed through CPython. Raises ModelError if the model does not do the same again."""
        if self.loop is not None and self.prop is not None and self.stated is not None:
            fair = declared_fair(system, self.prop)
            prefix, cycle = self.taken[: self.loop], self.taken[self.loop :]
            return build_lasso(system, self.init, prefix, cycle, self.prop, self.stated, fair)
        return build_trace(system, self.init, self.taken, self.prop or self.name)


class PropertyViolated(AssertionError):
    """A run broke a property. ``run`` is the run as a script for ``slotcheck run``."""

    def __init__(self, system: System[Any], failing: Failing, shows_init: bool) -> None:
        super().__init__(failing.name)
        self.name = failing.name
        self.failing = failing
        run = [call("init", failing.init)] if shows_init else []
        self.run = (*run, *(instance.text for instance in failing.taken))
        self._system = system

    def __str__(self) -> str:
        message = f": {self.failing.message}" if self.failing.message else ""
        lines = [f"{self.name} is violated{message}", *(f"  {line}" for line in self.run)]
        try:
            trace = self.failing.trace(self._system)
            lines += [*loop_lines(trace), *outcome(trace)[1:]]
        except ModelError as error:
            # The model is not steady, or a property is broken: that is worth more than the run.
            lines.append(error.render())
        return "\n".join(lines)


def exception(system: System[Any], failing: Failing, *, shows_init: bool) -> PropertyViolated:
    """What a test raises: ``shows_init`` if there is a choice of initial states."""
    return _class(failing.name)(system, failing, shows_init)


@cached
def _class(name: str) -> type[PropertyViolated]:
    """A class for each property: Hypothesis takes exceptions of one class for one failure, and would shrink into another one."""
    return type(name, (PropertyViolated,), {"__module__": PropertyViolated.__module__})


def call(name: str, values: Iterable[object]) -> str:
    """``name(value, value)``."""
    return f"{name}({', '.join(map(format_value, values))})"
