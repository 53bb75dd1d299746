"""``slotcheck list``: the systems there are, and what can be asked about them."""

from __future__ import annotations

import inspect
from pathlib import Path

import click

from explorer.claims.claim import Claim, read_document
from explorer.command.output import Output
from explorer.lang.properties import properties_for
from explorer.lang.system import System, design_switches
from explorer.lang.text import format_value
from explorer.loading import Found, bundled_documents, bundled_systems, find_system

KINDS = ("invariant", "step_invariant", "reachable", "temporal")


@click.command("list")
@click.argument("systems", nargs=-1, metavar="[SYSTEM | FILE.md]...")
def list_systems(systems: tuple[str, ...]) -> int:
    """List systems (by default the bundled ones): scope, switches, presets, fairness, properties; and the claims of documents (FILE.md)."""
    output = Output()
    documents = [Path(name) for name in systems if name.endswith(".md")]
    named = [name for name in systems if not name.endswith(".md")]
    found = [find_system(name) for name in named] if systems else bundled_systems()
    for item in found:
        _system(item, output)
    if not found and not documents:
        output.wrapped("No systems are installed; name your own as path/to/file.py:ClassName.")
    for path in documents if systems else bundled_documents():
        _document(path, output)
    return 0


def _system(found: Found, output: Output) -> None:
    cls = found.cls
    # Taken from the class itself: a system without a line of its own has nothing to say here.
    doc = inspect.cleandoc(cls.__doc__ or "").partition("\n")[0]
    output.wrapped(f"{found.name}  {doc}".rstrip(), indent=2)
    scope = " ".join(f"{name}={size}" for name, size in cls.default_scope.items())
    output.wrapped(f"  scope: {scope or '(none)'}", indent=4)
    for switch in design_switches(cls):
        output.wrapped(f"  switch: {switch.name}={format_value(switch.default)} ({switch.type})", 4)
    for name in cls.presets:
        output.wrapped(f"  preset: {name}{_preset(cls, name)}", indent=4)
    for fair in cls.fairness:
        output.wrapped(f"  fairness: {fair}", indent=4)
    declared = properties_for(cls())
    for kind in KINDS:
        for prop in declared:
            if prop.kind == kind:
                output.wrapped(f"  {kind}: {prop.name}", indent=4)
    output.line()


def _preset(cls: type[System[object]], name: str) -> str:
    preset = cls.presets[name]
    parts = preset if isinstance(preset, tuple) else (preset,)
    shown = []
    for part in parts:
        if isinstance(part, type):
            shown.append(inspect.cleandoc(part.__doc__ or part.__name__).partition("\n")[0])
        elif isinstance(part, dict):
            shown += [f"{n}={format_value(v)}" for n, v in part.items()]
    return f" ({'; '.join(shown)})" if shown else ""


def _document(path: Path, output: Output) -> None:
    output.line(path.name)
    for claim in read_document(path, path.name):
        output.wrapped(f"  {claim.id}  {_stated(claim)}", indent=4)
    output.line()


def _stated(claim: Claim) -> str:
    if claim.not_modelled is not None:
        return f"not modelled: {claim.not_modelled}"
    expected = "" if claim.expect == "verified" else f" ({claim.expect})"
    parts = []
    if claim.holds:
        parts.append(f"holds: {', '.join(claim.holds)}")
    if claim.violates:
        parts.append(f"violates: {', '.join(claim.violates)}")
    parts += [f"breaks without {' and '.join(b.off)}" for b in claim.breaks]
    parts += [f"holds without {' and '.join(s.off)}" for s in claim.second_lines]
    design = f" {claim.design}" if claim.design else ""
    return f"{claim.system}{design}{expected}; " + "; ".join(parts)
