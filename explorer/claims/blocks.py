"""Finds the fenced ``slotcheck`` blocks of a Markdown document."""

from __future__ import annotations

import difflib
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

from explorer.files import read_text
from explorer.lang.errors import Location, ModelError

FENCE = "slotcheck"


@dataclass(frozen=True)
class Block:
    """The text of one fenced block; ``line`` is that of its opening fence."""

    file: str
    line: int
    text: str

    def where(self, *words: str) -> Location:
        """The place of the first of ``words`` that stands in the block as a key or in quotes; else its first line."""
        for word in words:
            name = re.escape(word)
            pattern = re.compile(rf"\b{name}\b(?=\s*[=\]])|(?<=[\"']){name}(?=[\"'])")
            for number, line in enumerate(self.text.splitlines(), 1):
                found = pattern.search(line)
                if found and not line.lstrip().startswith("#"):
                    return Location(self.file, self.line + number, found.start(), found.end())
        return Location(self.file, self.line)

    def error(self, message: str, *words: str, hint: str = "") -> ModelError:
        """An error that points at the first of ``words`` in the block."""
        return ModelError(message, where=self.where(*words), hint=hint)

    def parse(self) -> dict[str, Any]:
        """The block's TOML. Raises ModelError at the line that is wrong."""
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            message = str(error)
            place = re.search(r" \(at line (\d+), column (\d+)\)$", message)
            if place is None:  # at the end of the block
                raise ModelError(f"this block is not TOML: {message}", where=self.where()) from None
            where = Location(self.file, self.line + int(place[1]), int(place[2]) - 1)
            text = message[: place.start()]
            raise ModelError(f"this block is not TOML: {text}", where=where) from None


def read_blocks(path: Path) -> list[Block]:
    """The claim blocks of a document, in order.

    Raises ModelError for a document without any (it would pass unchecked) and for a fence that is nearly one.
    """
    text = read_text(path, "a Markdown document")
    blocks = []
    for token in MarkdownIt("commonmark").parse(text):
        if token.type != "fence" or token.map is None:
            continue
        line = token.map[0] + 1
        language, *rest = token.info.split() or [""]
        if language == FENCE:
            blocks.append(Block(str(path), line, token.content))
        elif any(_is_nearly_ours(word) for word in (language, *rest)):
            raise ModelError(
                f"the fence {token.info.strip()!r} is not checked",
                where=Location(str(path), line),
                hint=f"write ```{FENCE}",
            )
    if not blocks:
        raise ModelError(
            f"{path} contains no ```{FENCE} block: nothing in it would be checked",
            hint='a claim is TOML: claim = "ID", system = "NAME", holds = ["property"]',
        )
    return blocks


def _is_nearly_ours(word: str) -> bool:
    return FENCE in word.lower() or bool(
        difflib.get_close_matches(word.lower(), [FENCE], cutoff=0.8)
    )
