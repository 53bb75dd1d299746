"""The mechanisms of a design: its switches, as far as they can be taken away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from explorer.configure import Configured, switch_of
from explorer.lang.errors import ModelError
from explorer.lang.system import design_switches, switch_values
from explorer.lang.text import format_value
from explorer.lang.types import BoolT, EnumT


@dataclass(frozen=True)
class Mechanism:
    """A switch and what takes it away: for a bool that is on ``false``, for an Enum another member."""

    switch: str
    value: str
    name: str


def mechanisms_of(
    configured: Configured, only: Iterable[str] = (), without: Iterable[str] = ()
) -> tuple[Mechanism, ...]:
    """The mechanisms of a design, in the order of declaration.

    These are the bools that are on, and the Enums with each of their other members. Not among them are the switches that the
    system names as its ``environment``, and those in ``without``; with ``only`` there are none but these, whatever they are. Raises ModelError
    for names that are no switches, and for one that cannot be taken away.
    """
    cls = type(configured.system)
    wanted = {name: switch_of(cls, name) for name in only}
    left_out = {switch_of(cls, name).name for name in without}
    if not wanted:
        left_out |= set(configured.system.environment)
    values = switch_values(configured.system)
    found: list[Mechanism] = []
    for switch in design_switches(cls):
        if switch.name in left_out or (wanted and switch.name not in wanted):
            continue
        value = values[switch.name]
        if isinstance(switch.type, BoolT):
            if value:
                found.append(Mechanism(switch.name, "false", switch.name))
            elif wanted:
                raise ModelError(f"the switch {switch.name} is off already")
        elif isinstance(switch.type, EnumT):
            for member in switch.type.cls:
                if member is not value:
                    text = format_value(member)
                    found.append(Mechanism(switch.name, text, f"{switch.name}={text}"))
        elif wanted:
            raise ModelError(
                f"the switch {switch.name} is a number and cannot be taken away",
                hint=f"--set {switch.name}=N sets it for all designs",
            )
    return tuple(found)


def sets_of(mechanisms: Sequence[Mechanism], size: int) -> Iterator[tuple[Mechanism, ...]]:
    """The sets of ``size`` mechanisms, none with two values of one switch, in the order of declaration."""

    def extended(chosen: tuple[Mechanism, ...], start: int) -> Iterator[tuple[Mechanism, ...]]:
        if len(chosen) == size:
            yield chosen
            return
        for i in range(start, len(mechanisms)):
            if all(mechanisms[i].switch != m.switch for m in chosen):
                yield from extended((*chosen, mechanisms[i]), i + 1)

    return extended((), 0)
