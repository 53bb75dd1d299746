"""Looks up what a claim names: its system, switches, properties and script."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from explorer.claims.claim import Claim
from explorer.configure import (
    Configured,
    built_in_like,
    configure,
    is_built_in,
    switch_of,
    switched_off,
)
from explorer.lang.errors import ModelError
from explorer.lang.properties import properties_for
from explorer.loading import Found, close, find_system
from explorer.trace.script import Script, read_script


@dataclass(frozen=True)
class Ready:
    """A claim whose names all exist.

    ``without`` has the configuration for each set of switches to be turned off, and for each of their subsets but the empty one.
    ``temporal`` are the temporal properties that it names.
    """

    claim: Claim
    base: Configured
    without: dict[tuple[str, ...], Configured]
    script: Script | None
    temporal: frozenset[str] = frozenset()

    def configurations(self) -> Iterator[Configured]:
        """Every configuration that it takes to verify the claim."""
        yield self.base
        yield from self.without.values()


def resolve(claim: Claim) -> Ready:
    """The claim with its names looked up.

    Raises ModelError, pointing into the document, for one that does not exist, and for a switch that is turned off in a
    design where it is off already.
    """
    with _pointing(claim, claim.system):
        found = find_system(claim.system, Path(claim.block.file).parent)
    base = _base(claim, found)
    _check_properties(claim, base)
    named = {*claim.holds, *claim.violates, *(n for b in claim.breaks for n in b.violates)}
    declared = properties_for(base.system)
    temporal = frozenset(p.name for p in declared if p.kind == "temporal" and p.name in named)
    if claim.script is not None and claim.violates and temporal.issuperset(claim.violates):
        raise claim.block.error(
            f"a script ends, so that it does not violate {claim.violates[0]}, which is temporal",
            claim.violates[0],
            hint="leave the script out: the counterexample is in the report",
        )
    without = {}
    for off in (*(b.off for b in claim.breaks), *(s.off for s in claim.second_lines)):
        for size in range(1, len(off) + 1):
            for subset in itertools.combinations(off, size):
                without[subset] = _without(claim, found, base, subset)
    script = None
    if claim.script is not None:
        with _pointing(claim, "script"):
            script = read_script(claim.script, base.system)
    return Ready(claim, base, without, script, temporal)


@contextmanager
def _pointing(claim: Claim, *words: str) -> Iterator[None]:
    """Shows errors where the document names what is wrong, unless they point elsewhere themselves."""
    try:
        yield
    except ModelError as error:
        where = error.where or claim.block.where(*words)
        raise ModelError(error.message, where=where, hint=error.hint) from error


def _base(claim: Claim, found: Found) -> Configured:
    for name in claim.scope:
        if name not in found.cls.default_scope:
            raise claim.block.error(
                f"{claim.system} has no scope entry {name}",
                name,
                hint=close(name, found.cls.default_scope),
            )
    if claim.design is not None and claim.design not in found.cls.presets:
        raise claim.block.error(
            f"{claim.system} has no preset {claim.design}",
            claim.design,
            hint=close(claim.design, found.cls.presets, "it has no presets"),
        )
    for name, value in claim.switches.items():
        with _pointing(claim, name):
            switch_of(found.cls, name)
            configure(found, claim.scope, claim.design, {name: value})
    with _pointing(claim, "scope", "set"):
        return configure(found, claim.scope, claim.design, claim.switches)


def _check_properties(claim: Claim, base: Configured) -> None:
    declared = {p.name: p for p in properties_for(base.system)}
    broken = [name for b in claim.breaks for name in b.violates]
    wanted = (*claim.reaches, *claim.ends_in)
    for name in dict.fromkeys([*claim.holds, *wanted, *claim.violates, *broken]):
        if name not in declared and not is_built_in(name):
            raise claim.block.error(
                f"{claim.system} has no property {name}",
                name,
                hint=close(name, [*declared, *built_in_like(name)]),
            )
        reachable = name in declared and declared[name].kind == "reachable"
        if reachable and name not in wanted:
            raise claim.block.error(
                f"{name} is @reachable: a run reaches it or does not",
                name,
                hint="name it in reaches",
            )
        if not reachable and name in wanted:
            raise claim.block.error(
                f"{name} is not @reachable: it holds or is violated",
                name,
                hint="name it in holds or violates",
            )


def _without(claim: Claim, found: Found, base: Configured, off: tuple[str, ...]) -> Configured:
    cls = type(base.system)
    with _pointing(claim, *off, "off"):
        switches = switched_off(cls, off)
    for name, value in switches.items():
        if getattr(base.system.design, name) == value:
            raise claim.block.error(
                f"turning {name} off changes nothing: it is {value} in the design of this claim",
                name,
                "off",
            )
    if len(switches) < len(off):
        raise claim.block.error("a switch is turned off twice", *off)
    with _pointing(claim, *off):
        return configure(found, claim.scope, claim.design, {**claim.switches, **switches})
