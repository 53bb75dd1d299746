"""Options that several subcommands share."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

json_option = click.option(
    "--json",
    "json_target",
    metavar="FILE",
    help="Write the outcome as JSON; with - to standard output, and text to standard error.",
)

all_option = click.option(
    "--all", "slow", is_flag=True, help="Verify the claims that are marked as slow, too."
)

full_option = click.option("--full", is_flag=True, help="Show whole states, not only what changed.")


def finite(context: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    """The number, unless it is infinite or none at all; a callback for an option in seconds."""
    if value is not None and not math.isfinite(value):
        raise click.BadParameter("it is not a number of seconds", context, parameter)
    return value


UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}


def number_of_bytes(
    context: click.Context, parameter: click.Parameter, text: str | None
) -> int | None:
    """The number that ``512M``, ``2G``, ``1.5GiB`` or ``1000000`` is; a callback for an option."""
    if text is None:
        return None
    pattern = r"\s*([0-9]{1,15}(?:\.[0-9]{1,9})?)\s*([KMGT]?)(?:iB|B)?\s*"
    found = re.fullmatch(pattern, text, re.IGNORECASE | re.ASCII)
    number = int(float(found[1]) * 2 ** UNITS[found[2].upper()]) if found else 0
    if number < 1:
        raise click.BadParameter(
            f"{text!r} is not a number of bytes; write 512M or 2G", context, parameter
        )
    return number


def design_options(function: F) -> F:
    """``--scope``, ``--design`` and ``--set``."""
    for option in (
        click.option(
            "--set",
            "switches",
            multiple=True,
            metavar="SWITCH=VALUE",
            help="Set a switch of the design (repeatable).",
        ),
        click.option("--design", "preset", metavar="PRESET", help="Start from a preset design."),
        click.option(
            "--scope",
            multiple=True,
            metavar="NAME=N,...",
            help="Change sizes of the default scope (repeatable).",
        ),
    ):
        function = option(function)
    return function


def batch_options(function: F) -> F:
    """``--jobs``, ``--resume``, and limits of each search, for commands that make many."""
    for option in (
        click.option(
            "--max-memory",
            callback=number_of_bytes,
            metavar="N[K|M|G|T]",
            help="Stop a search before its process takes more memory: 512M, 2G.",
        ),
        click.option(
            "--max-seconds",
            type=click.FloatRange(min=0, min_open=True),
            callback=finite,
            metavar="S",
            help="Stop each search after S seconds.",
        ),
        click.option(
            "--max-states",
            type=click.IntRange(min=1),
            metavar="N",
            help="Stop each search after N states.",
        ),
        click.option(
            "--resume",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Keep finished searches in FILE, and take those from there that it has.",
        ),
        click.option(
            "--jobs",
            type=click.IntRange(min=1, max=256),
            default=1,
            show_default=True,
            metavar="N",
            help="Search in N processes. The answer is the same.",
        ),
    ):
        function = option(function)
    return function
