"""Which switches are to blame: the minimal sets of differences from a design that bring a fault."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from explorer.configure import Configured, configure
from explorer.lang.errors import ModelError
from explorer.lang.system import design_switches, switch_values, with_preset
from explorer.lang.text import Json, format_value, to_json
from explorer.lang.types import BoolT
from explorer.loading import Found

Answer: TypeAlias = Literal["fails", "holds", "unknown"]

MOST_SETS = 5_000
"""As many designs are looked at; the result says if there are more."""


@dataclass(frozen=True)
class Change:
    """One difference between two designs: a switch and its value, or the class that a preset puts in front (``preset``)."""

    name: str
    switch: str | None = None
    value: Any = None
    preset: str | None = None


@dataclass(frozen=True)
class Designs:
    """Designs between a base and another one, as sets of changes."""

    found: Found
    base: str | None
    changes: tuple[Change, ...]
    extra: tuple[Change, ...] = ()

    def configured(self, chosen: Sequence[Change], scope: Mapping[str, int]) -> Configured:
        """The system with the base's design and these changes. Raises ModelError."""
        preset = next((c.preset for c in chosen if c.preset is not None), self.base)
        cls, own = self._class(preset)
        wanted = self._base_values() | {c.switch: c.value for c in chosen if c.switch is not None}
        defaults = {s.name: s.default for s in design_switches(cls)}
        # Said in full where the preset says otherwise, so that a trace names its design whole.
        said = {n: v for n, v in wanted.items() if n in own or v != defaults.get(n)}
        if preset is not None and cls is self.found.cls:
            if all(wanted.get(n) == v for n, v in own.items()) and own:
                said = {n: v for n, v in said.items() if n not in own}
            else:
                preset = None
        return configure(
            self.found, scope, preset, {n: v for n, v in said.items() if n in defaults}
        )

    def said(self, configured: Configured) -> dict[str, Json]:
        """The switches that a trace must name, given its preset."""
        own = {} if configured.preset is None else with_preset(self.found.cls, configured.preset)[1]
        values = switch_values(configured.system)
        defaults = {s.name: s.default for s in design_switches(type(configured.system))}
        return {n: to_json(v) for n, v in values.items() if v != defaults[n] or own.get(n, v) != v}

    def _class(self, preset: str | None) -> tuple[type[Any], Mapping[str, object]]:
        return (self.found.cls, {}) if preset is None else with_preset(self.found.cls, preset)

    def _base_values(self) -> dict[str, Any]:
        return dict(switch_values(configure(self.found, None, self.base).system))


def designs_of(found: Found, base: str | None, of: Configured, every: bool = False) -> Designs:
    """The changes from ``base`` (a preset; None: the default) to the design of a system; with ``every`` also all other bools."""
    start = configure(found, None, base)
    changes = []
    if type(start.system) is not type(of.system) and of.preset is not None:
        changes.append(Change(f"design {of.preset}", preset=of.preset))
    before, extra = switch_values(start.system), []
    for switch in design_switches(type(of.system)):
        value = switch_values(of.system)[switch.name]
        old = before.get(switch.name, switch.default)
        if value != old:
            changes.append(Change(_shown(switch.name, value, old), switch.name, value))
        elif every and isinstance(switch.type, BoolT):
            extra.append(Change(switch.name, switch.name, not value))
    if type(start.system) is not type(of.system) and of.preset is None:
        raise ModelError(
            f"the design of the trace cannot be reached from the preset {base} by switches",
            hint="name a preset of switches with --from, or leave it out",
        )
    return Designs(found, base, tuple(changes), tuple(extra))


def _shown(name: str, value: object, old: object) -> str:
    return name if isinstance(value, bool) else f"{name}={format_value(value)}"


@dataclass(frozen=True)
class Blamed:
    """``minimal``: the sets that bring the fault, while no smaller part of them does. ``open`` are sets that were not decided, ``skipped``
    whether sets were not looked at at all."""

    minimal: tuple[tuple[Change, ...], ...]
    open: tuple[tuple[Change, ...], ...] = ()
    looked_at: int = 0
    skipped: bool = False

    @property
    def exact(self) -> bool:
        """Whether these are all minimal sets, and each is minimal."""
        return not self.open and not self.skipped


def blame(
    changes: Sequence[Change],
    ask: Callable[[tuple[Change, ...]], Answer],
    largest: int | None = None,
    over: Callable[[], bool] = lambda: False,
) -> Blamed:
    """Every minimal set of ``changes`` for which ``ask`` says ``fails``, the smallest first, then in order of declaration.

    Nothing is taken for granted of other sets: a set may hold although a part of it fails. But what contains a failing set is not minimal, and
    is not asked for.
    """
    minimal, undecided = list[tuple[Change, ...]](), list[tuple[Change, ...]]()
    number, skipped = 0, False
    for chosen in _sets(changes, largest):
        if any(set(known) <= set(chosen) for known in minimal):
            continue
        if over() or number >= MOST_SETS:
            skipped = True
            break
        number += 1
        answer = ask(chosen)
        if answer == "fails":
            minimal.append(chosen)
        elif answer == "unknown":
            undecided.append(chosen)
        if minimal == [()]:
            break
    return Blamed(tuple(minimal), tuple(undecided), number, skipped)


def _sets(changes: Sequence[Change], largest: int | None) -> Iterator[tuple[Change, ...]]:
    most = len(changes) if largest is None else min(largest, len(changes))
    for size in range(most + 1):
        yield from itertools.combinations(changes, size)


def names(chosen: Sequence[Change]) -> str:
    """``{a, b}``."""
    return "{" + ", ".join(c.name for c in chosen) + "}"
