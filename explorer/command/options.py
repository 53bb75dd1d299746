"""Options that several subcommands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

json_option = click.option(
    "--json",
    "json_target",
    metavar="FILE",
    help="Write the outcome as JSON; with - to standard output, and text to standard error.",
)

full_option = click.option("--full", is_flag=True, help="Show whole states, not only what changed.")


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
