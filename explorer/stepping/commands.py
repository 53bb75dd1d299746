"""What can be typed besides a step: the commands, their short forms, and which one a line is."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches


@dataclass(frozen=True)
class Command:
    """A command: its name, short forms, what comes after it, and what it does, for the help."""

    name: str
    short: tuple[str, ...]
    operand: str
    what: str


COMMANDS = (
    Command("back", ("b",), "[N]", "take the last step back, or the last N"),
    Command("forward", ("f",), "[N]", "take it again; in a trace, its next step"),
    Command("jump", ("j",), "N", "go to the state after step N; 0 is the start"),
    Command("init", (), "[N]", "begin anew, from another initial state if there are several"),
    Command("steps", (), "", "the steps taken so far, and those ahead"),
    Command(
        "actions", ("a",), "[TEXT]", "everything that can be done here, or what has TEXT in it"
    ),
    Command(
        "why", ("w",), "ACTION", "why an action, or action(param=value), can or cannot be taken"
    ),
    Command("state", ("s",), "", "the whole state"),
    Command("properties", ("p",), "", "which properties hold, fail or are reached here"),
    Command(
        "find",
        (),
        "EXPRESSION",
        "take the shortest way to a state where it is true, as in: find x == 1",
    ),
    Command("print", (), "EXPRESSION", "the value of an expression here; s is the state"),
    Command("save", (), "FILE [PROPERTY]", "keep the run in a file"),
    Command("help", ("h", "?"), "", "this list"),
    Command("quit", ("q", "exit"), "", "leave"),
)


@dataclass(frozen=True)
class Typed:
    """A command and what was typed after it."""

    name: str
    operand: str


def parse(line: str) -> Typed | None:
    """The command that a line is by its full name or a short form, else None: a step, perhaps."""
    word, rest = _first(line)
    for command in COMMANDS:
        if word == command.name or word in command.short:
            return Typed(command.name, rest)
    return None


def abbreviated(line: str) -> Typed | None:
    """The only command that begins with the first word of a line."""
    word, rest = _first(line)
    found = [c.name for c in COMMANDS if word and c.name.startswith(word)]
    return Typed(found[0], rest) if len(found) == 1 else None


def alike(line: str) -> list[str]:
    """Commands that may be meant."""
    return get_close_matches(_first(line)[0], [c.name for c in COMMANDS], n=2)


def _first(line: str) -> tuple[str, str]:
    parts = line.split(None, 1)
    return (parts[0], parts[1].strip() if len(parts) > 1 else "") if parts else ("", "")
