"""A claim as a document states it: its block checked against the schema, names not yet looked up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, TypeAlias

from explorer.claims.blocks import Block, read_blocks
from explorer.lang.errors import ModelError

Expectation: TypeAlias = Literal["verified", "refuted", "not_modelled"]

KEYS = (
    "claim",
    "finding",
    "system",
    "scope",
    "set",
    "design",
    "holds",
    "reaches",
    "violates",
    "script",
    "ends_in",
    "expect",
    "slow",
    "breaks_without",
    "holds_without",
    "not_modelled",
)


@dataclass(frozen=True)
class BreaksWithout:
    """Without the switches ``off`` each of ``violates`` is violated, and no smaller set does that."""

    off: tuple[str, ...]
    violates: tuple[str, ...]


@dataclass(frozen=True)
class HoldsWithout:
    """Without the switches ``off`` the claim still holds, because of what is ``behind`` them."""

    off: tuple[str, ...]
    behind: str


@dataclass(frozen=True)
class Claim:
    """One claim. ``document`` is the name to show, ``script`` a path, ``design`` a preset.

    ``slow``: it is verified only if all claims are asked for. ``finding``: what was wrong once, in a few words.
    """

    block: Block
    document: str
    id: str
    expect: Expectation
    system: str = ""
    scope: Mapping[str, int] = field(default_factory=dict)
    switches: Mapping[str, object] = field(default_factory=dict)
    design: str | None = None
    holds: tuple[str, ...] = ()
    reaches: tuple[str, ...] = ()
    violates: tuple[str, ...] = ()
    script: Path | None = None
    ends_in: tuple[str, ...] = ()
    breaks: tuple[BreaksWithout, ...] = ()
    second_lines: tuple[HoldsWithout, ...] = ()
    not_modelled: str | None = None
    slow: bool = False
    finding: str | None = None

    @property
    def line(self) -> int:
        """The line of the block's opening fence."""
        return self.block.line


def read_document(path: Path, name: str | None = None) -> list[Claim]:
    """The claims of a document, shown under ``name``. Raises ModelError for anything but well-formed claims."""
    claims = [_Reader(block, name or str(path)).claim() for block in read_blocks(path)]
    seen: dict[str, Claim] = {}
    for claim in claims:
        first = seen.setdefault(claim.id, claim)
        if first is not claim:
            raise claim.block.error(
                f"the claim {claim.id} is made twice, first at line {first.line}",
                "claim",
                hint="give each block its own id",
            )
    return claims


class _Reader:
    """Checks one block key by key; every complaint points at the line."""

    def __init__(self, block: Block, document: str) -> None:
        self.block = block
        self.document = document
        self.data = block.parse()

    def claim(self) -> Claim:
        self.known(self.data, KEYS, "a claim")
        if "claim" not in self.data:
            raise self.block.error('the block has no claim = "ID"')
        name = self.text("claim")
        if "not_modelled" in self.data:
            keys = ("claim", "finding", "not_modelled")
            self.known(self.data, keys, "a claim that is not modelled")
            reason = self.text("not_modelled")
            finding = self.text("finding") if "finding" in self.data else None
            return Claim(
                self.block,
                self.document,
                name,
                "not_modelled",
                not_modelled=reason,
                finding=finding,
            )
        if "system" not in self.data:
            raise self.block.error(
                f'the claim {name} has no system = "..."',
                hint='a sentence that nothing here can check says not_modelled = "reason"',
            )
        claim = Claim(
            self.block,
            self.document,
            name,
            self.expectation(),
            system=self.text("system"),
            scope=self.scope(),
            switches=self.switches(),
            design=self.text("design") if "design" in self.data else None,
            holds=self.names(self.data, "holds"),
            reaches=self.names(self.data, "reaches"),
            violates=self.names(self.data, "violates"),
            script=self.script(),
            ends_in=self.names(self.data, "ends_in"),
            breaks=tuple(self.breaks()),
            second_lines=tuple(self.second_lines()),
            slow=self.slow(),
            finding=self.text("finding") if "finding" in self.data else None,
        )
        self.coherent(claim)
        return claim

    def coherent(self, claim: Claim) -> None:
        """Refuses claims that would be verified without anything being checked."""
        stated = claim.holds or claim.reaches or claim.violates or claim.breaks
        if not stated and claim.script is None:
            raise self.block.error(
                f"the claim {claim.id} states nothing", hint='give it holds = ["property"]'
            )
        if claim.finding is not None and not claim.violates:
            raise self.block.error(
                "a finding is a counterexample, and this claim has none",
                "finding",
                hint='name what its design violates: violates = ["property"]',
            )
        if claim.ends_in and claim.script is None:
            raise self.block.error(
                "ends_in is about the end of a script, and there is none",
                "ends_in",
                hint='give script = "FILE", or use reaches',
            )
        if claim.second_lines and not claim.holds:
            raise self.block.error(
                "holds_without needs to know what holds", "holds_without", hint="give holds = [...]"
            )
        both = [p for p in claim.violates if p in claim.holds]
        if both and claim.expect != "refuted":
            raise self.block.error(
                f"{both[0]} is said to hold and to be violated",
                "violates",
                hint='a claim that is known to be wrong says expect = "refuted"',
            )
        if claim.expect == "refuted" and not claim.holds and not claim.breaks:
            raise self.block.error(
                "a refuted claim needs something that it claims",
                "expect",
                hint='a design said to be broken has violates = [...] and is "verified"',
            )

    def known(self, table: Mapping[str, Any], keys: Iterable[str], what: str) -> None:
        keys = tuple(keys)
        for key in table:
            if key not in keys:
                alike = get_close_matches(key, keys, n=1)
                hint = f"did you mean {alike[0]}?" if alike else f"its keys are {', '.join(keys)}"
                raise self.block.error(f"{what} has no key {key!r}", key, hint=hint)

    def text(self, key: str) -> str:
        value = self.data[key]
        if not isinstance(value, str) or not value.strip():
            raise self.block.error(f"{key} is not a text", key, hint=f'write {key} = "..."')
        return value

    def expectation(self) -> Expectation:
        match self.data.get("expect", "verified"):
            case "verified" | "refuted" as value:
                return value  # type: ignore[no-any-return]
            case _:
                raise self.block.error('expect is "verified" or "refuted"', "expect")

    def slow(self) -> bool:
        if self.data.get("slow", True) is not True:
            raise self.block.error(
                "slow is not true",
                "slow",
                hint="leave it out of a claim that is verified each time",
            )
        return "slow" in self.data

    def scope(self) -> dict[str, int]:
        for name, size in self.table("scope").items():
            if not isinstance(size, int) or isinstance(size, bool):
                raise self.block.error(f"the size of {name} is not a number", name, "scope")
        return self.table("scope")

    def switches(self) -> dict[str, object]:
        for name, value in self.table("set").items():
            if not isinstance(value, bool | int | str):
                raise self.block.error(f"{name} is not the value of a switch", name, "set")
        return self.table("set")

    def table(self, key: str) -> dict[str, Any]:
        value = self.data.get(key, {})
        if not isinstance(value, dict):
            raise self.block.error(
                f"{key} is not a table", key, hint=f"write {key} = {{ name = value }}"
            )
        return value

    def names(self, table: Mapping[str, Any], key: str) -> tuple[str, ...]:
        value = table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
            raise self.block.error(
                f"{key} is not a list of names", key, hint=f'write {key} = ["name"]'
            )
        twice = next((v for v in value if value.count(v) > 1), None)
        if twice is not None:
            raise self.block.error(f"{key} names {twice} twice", key)
        if key in table and not value:
            raise self.block.error(f"{key} is empty", key, hint="leave it out or name something")
        return tuple(value)

    def script(self) -> Path | None:
        if "script" not in self.data:
            return None
        return Path(self.block.file).parent / self.text("script")

    def breaks(self) -> Iterable[BreaksWithout]:
        for table in self.tables("breaks_without"):
            self.known(table, ("off", "violates"), "breaks_without")
            yield BreaksWithout(self.needed(table, "off"), self.needed(table, "violates"))

    def second_lines(self) -> Iterable[HoldsWithout]:
        for table in self.tables("holds_without"):
            self.known(table, ("off", "behind"), "holds_without")
            behind = table.get("behind")
            if not isinstance(behind, str) or not behind.strip():
                raise self.block.error(
                    "holds_without does not say behind what",
                    "behind",
                    "holds_without",
                    hint='write behind = "what makes up for it"',
                )
            yield HoldsWithout(self.needed(table, "off"), behind)

    def needed(self, table: Mapping[str, Any], key: str) -> tuple[str, ...]:
        if key not in table:
            raise self.block.error(f"the table has no {key} = [...]", "breaks_without")
        return self.names(table, key)

    def tables(self, key: str) -> list[dict[str, Any]]:
        value = self.data.get(key, [])
        if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
            raise self.block.error(f"{key} is not a list of tables", key, hint=f"write [[{key}]]")
        return value


def claim_error(claim: Claim, error: ModelError, *words: str) -> ModelError:
    """An error about something that the claim names, shown at the place where it names it."""
    where = error.where or claim.block.where(*words)
    return ModelError(error.message, where=where, hint=error.hint)
