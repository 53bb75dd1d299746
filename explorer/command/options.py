"""Options that several subcommands share."""

from __future__ import annotations

import re
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


UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}


class Bytes(click.ParamType):
    """A number of bytes: ``512M``, ``2G``, ``1.5GiB``, ``1000000``."""

    name = "bytes"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Parses the text that the user gave."""
        if isinstance(value, int):
            return value
        found = re.fullmatch(
            r"\s*([0-9]{1,15}(?:\.[0-9]{1,9})?)\s*([KMGT]?)(?:iB|B)?\s*",
            value,
            re.IGNORECASE | re.ASCII,
        )
        if found is None:
            self.fail(f"{value!r} is not a number of bytes; write 512M or 2G", param, ctx)
        number = int(float(found[1]) * 2 ** UNITS[found[2].upper()])
        if number < 1:
            self.fail("it has to be more than nothing", param, ctx)
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
