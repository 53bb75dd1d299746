"""Runs a Markdown document: writes the files it shows, changes them as it says, and executes its commands.

The word after a block's language is a file: ``python lock.py`` writes it, or adds to it; ``diff lock.py`` changes it;
``text late.run`` and ``markdown lock.md`` write it. A ``console`` block holds commands after ``$`` and their output, in which a line ``...`` stands for any
lines.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the word after it, and the line of its text in the document."""

    language: str
    file: str
    text: str
    line: int


@dataclass(frozen=True)
class Command:
    """A command, the output that the document shows, and the one it has."""

    line: int
    command: str
    expected: str
    actual: str


def blocks(document: str) -> Iterator[Block]:
    """The fenced blocks of a document."""
    for token in MarkdownIt().parse(document):
        if token.type == "fence" and token.map is not None:
            language, _, file = token.info.partition(" ")
            yield Block(language, file.strip(), token.content, token.map[0] + 2)


def play(document: str, directory: Path) -> Iterator[Command]:
    """Goes through the document in ``directory`` and yields each command."""
    shell = Shell(directory)
    for block in blocks(document):
        path = directory / block.file
        match block.language:
            case "python" | "text" | "markdown" if block.file:
                written = path.read_text() + "\n\n" if path.exists() else ""
                path.write_text(written + block.text)
            case "diff":
                path.write_text(patched(path.read_text(), block.text))
            case "console":
                for line, command, expected in commands(block):
                    yield Command(line, command, expected, shell.run(command))
            case language:
                raise AssertionError(f"line {block.line}: what is a block of {language!r} for?")


def patched(text: str, diff: str) -> str:
    """``text`` with the lines that start with ``-`` replaced by those that start with ``+``."""
    lines = [line if line else " " for line in diff.splitlines()]
    before = "\n".join(line[1:] for line in lines if line[0] in " -") + "\n"
    after = "\n".join(line[1:] for line in lines if line[0] in " +") + "\n"
    assert text.count(before) == 1, (
        f"the lines to change are there {text.count(before)} times:\n{before}"
    )
    return text.replace(before, after)


def commands(block: Block) -> Iterator[tuple[int, str, str]]:
    """Line, command and expected output of each command of a console block."""
    found: list[tuple[int, str, list[str]]] = []
    for number, line in enumerate(block.text.splitlines()):
        if line.startswith("$ "):
            found.append((block.line + number, line[2:], []))
        else:
            found[-1][2].append(line)
    for at, command, output in found:
        yield at, command, "\n".join(output).rstrip("\n")


class Shell:
    """Runs commands with slotcheck, python and pytest of this installation."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.status = 0
        programs = directory / ".bin"
        programs.mkdir()
        for name, arguments in (
            ("slotcheck", "-m explorer.cli"),
            ("python", ""),
            ("pytest", "-m pytest -p no:cacheprovider"),
        ):
            program = programs / name
            program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n')
            program.chmod(0o755)
        self.environment = os.environ | {
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": f"{ROOT}{os.pathsep}{directory}",
            "COLUMNS": "120",
            "NO_COLOR": "1",
        }

    def run(self, command: str) -> str:
        """What ``command`` prints, timing left out."""
        done = subprocess.run(
            ["sh", "-c", f"(exit {self.status}); {command}"],
            cwd=self.directory,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.status = done.returncode
        return done.stdout.rstrip("\n")


def agrees(expected: str, actual: str) -> bool:
    """Whether the output is what the document shows, up to times and what ``...`` stands for."""
    pieces = re.split(r"^\.\.\.$\n?", untimed(expected) + "\n", flags=re.MULTILINE)
    pattern = r"(?:.*\n)*?".join(re.escape(piece) for piece in pieces)
    return re.fullmatch(pattern, untimed(actual) + "\n") is not None


def untimed(text: str) -> str:
    """``text`` with every number of seconds or microseconds replaced."""
    return re.sub(r"\b\d+\.\d+ ?u?s\b", "(time)", text)
