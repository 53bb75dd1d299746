"""From what a user writes (a scope, a preset, switches) to a system that is ready to run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from explorer.lang.errors import ModelError
from explorer.lang.properties import Property, properties_for
from explorer.lang.system import Switch, System, design_switches, with_preset
from explorer.lang.text import format_value, parse_value
from explorer.lang.types import BoolT
from explorer.loading import Found, close

BUILT_IN = ("panic", "soft_panic", "assert", "range", "full", "none", "freed")


@dataclass(frozen=True)
class Configured:
    """A system to run, with the name and the preset under which it can be found again."""

    system: System[Any]
    name: str
    preset: str | None

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for configurations that behave alike."""
        return type(self.system), self.system.design, tuple(self.system.scope.items())


def configure(
    found: Found,
    scope: Mapping[str, int] | None = None,
    preset: str | None = None,
    switches: Mapping[str, object] | None = None,
) -> Configured:
    """Applies a scope, then a preset, then switches; switches given as text are parsed.

    Raises ModelError for a name or a value that the system does not have.
    """
    cls, preset_switches = (found.cls, {}) if preset is None else with_preset(found.cls, preset)
    design = dict(preset_switches)
    for name, value in (switches or {}).items():
        switch = switch_of(cls, name)
        design[name] = switch_value(switch, value) if isinstance(value, str) else value
    system = cls(dict(scope or {}), design)
    system.name = found.name
    system.preset_switches = frozenset(preset_switches)
    return Configured(system, found.name, preset)


def switch_of(cls: type[System[Any]], name: str) -> Switch:
    """The switch called ``name``. Raises ModelError if there is none."""
    known = {s.name: s for s in design_switches(cls)}
    if name not in known:
        raise ModelError(
            f"there is no switch {name}", hint=close(name, known, "the system has no switches")
        )
    return known[name]


def switch_value(switch: Switch, text: str) -> object:
    """The value of a switch that ``text`` spells. Raises ModelError."""
    if isinstance(switch.type, BoolT) and text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return parse_value(switch.type, text, {})
    except ModelError as error:
        raise ModelError(f"the switch {switch.name}: {error.message}", hint=error.hint) from None


def switched_off(cls: type[System[Any]], names: Iterable[str]) -> dict[str, object]:
    """The switches that ``names`` turn off: ``name`` makes a bool the opposite of its default, ``name=value`` says what to.

    Raises ModelError for an unknown switch, and for one that is no bool and has no value.
    """
    result: dict[str, object] = {}
    for item in names:
        name, equals, text = item.partition("=")
        switch = switch_of(cls, name.strip())
        if equals:
            result[switch.name] = switch_value(switch, text.strip())
        elif isinstance(switch.type, BoolT):
            result[switch.name] = not switch.default
        else:
            raise ModelError(
                f"the switch {switch.name} is not a bool and cannot be just off",
                hint=f'write "{switch.name}=VALUE"; it is {format_value(switch.default)} by default',
            )
    return result


def parse_scope(items: Iterable[str]) -> dict[str, int]:
    """``["A=1,B=2", "C=3"]`` as sizes. Raises ModelError."""
    scope: dict[str, int] = {}
    for item in ",".join(items).split(",") if items else ():
        found = re.fullmatch(r"\s*(\w+)\s*=\s*([0-9]{1,9})\s*", item)
        if found is None:
            size = re.fullmatch(r"\s*(\w+)\s*=\s*([-+]?[0-9]+)\s*", item)
            if size is not None:
                raise ModelError(
                    f"the scope entry {size[1]} cannot be {size[2][:40]}",
                    hint="it is a whole number from 1 on; small ones find most mistakes",
                )
            raise ModelError(
                f"{item.strip()!r} is not a scope entry", hint="write --scope NAME=2,OTHER=3"
            )
        if scope.setdefault(found[1], int(found[2])) != int(found[2]):
            raise ModelError(f"the scope gives {found[1]} two sizes")
    return scope


def parse_switches(items: Iterable[str]) -> dict[str, object]:
    """``["barrier=false"]`` as texts by name. Raises ModelError."""
    switches: dict[str, object] = {}
    for item in items:
        name, equals, value = (part.strip() for part in item.partition("="))
        if not equals or not name or not value:
            raise ModelError(f"{item!r} sets no switch", hint="write --set switch=value")
        if switches.setdefault(name, value) != value:
            raise ModelError(f"the switch {name} is set twice")
    return switches


def choose_properties(system: System[Any], names: Iterable[str]) -> tuple[Property, ...]:
    """The declared properties among ``names``, in their order of declaration; all of them if there are no names.

    Raises ModelError for a name that is neither a property of the system nor has the form of a built-in one.
    """
    declared = {p.name: p for p in properties_for(system)}
    wanted = set(names)
    for name in wanted:
        if name not in declared and not is_built_in(name):
            raise ModelError(
                f"{system.name} has no property {name}",
                hint=close(name, [*declared, *built_in_like(name)], "it declares none"),
            )
    return tuple(p for p in declared.values() if not wanted or p.name in wanted)


def built_in_like(name: str) -> list[str]:
    """What a misspelt name may mean besides a declared property."""
    _, colon, rest = name.partition(":")
    return [f"{kind}:{rest}" for kind in BUILT_IN] if colon else ["deadlock"]


def is_built_in(name: str) -> bool:
    """Whether ``name`` has the form of a failure's name, or is ``deadlock``."""
    kind, colon, rest = name.partition(":")
    return name == "deadlock" or (bool(colon and rest) and kind in BUILT_IN)
