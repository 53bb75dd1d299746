"""``slotcheck`` itself: its subcommands, and what every one of them does with errors."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

import click

from explorer import interrupts
from explorer.command.options import all_option, json_option
from explorer.command.output import Output, silence
from explorer.lang.errors import ModelError
from explorer.result import INCOMPLETE, PASSED, WRONG_INPUT

EXIT_CODES = """Exit codes: 0 everything is as expected; 1 a property is violated, or a claim differs from what its document expects;
2 the input is wrong (or slotcheck itself fails: set SLOTCHECK_DEBUG=1 for a traceback); 3 incomplete: a limit, an
interrupt, a scope used up. If several apply: 2, then 1, then 3."""


def _version() -> str:
    try:
        return version("slotcheck")
    except PackageNotFoundError:
        return "(not installed)"


# Where each subcommand is. One that is not used is not imported: most of the time to start would go there.
COMMANDS = {
    "check": "explorer.command.check:check",
    "claims": "explorer.command.claims:claims",
    "cutsets": "explorer.command.cutsets:cutsets",
    "explain": "explorer.command.explain:explain",
    "findings": "explorer.command.findings:findings",
    "fuzz": "explorer.command.fuzz:fuzz",
    "list": "explorer.command.listing:list_systems",
    "replay": "explorer.command.replay:replay",
    "run": "explorer.command.run:run",
    "pin": "explorer.command.pin:pin",
    "shrink": "explorer.command.shrink:shrink",
    "step": "explorer.command.step:step",
    "sweep": "explorer.command.sweep:sweep",
}


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    epilog=EXIT_CODES,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(_version(), prog_name="slotcheck")
@all_option
@json_option
@click.pass_context
def slotcheck(context: click.Context, slow: bool, json_target: str | None) -> int:
    """A model checker for concurrent protocols written in plain Python.

    Without a subcommand: verify the bundled design documents.
    """
    if context.invoked_subcommand is not None:
        if json_target is not None:
            raise click.UsageError("--json comes after the subcommand")
        if slow:
            raise click.UsageError("--all comes after the subcommand")
        return 0
    from explorer.command.claims import verify_bundled

    return verify_bundled(Output(json_target), slow=slow)


def execute(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; every error becomes a message and an exit code."""
    code = _outcome(arguments)
    if code == PASSED and interrupts.signalled():
        _complain("interrupted when everything was decided")
        return INCOMPLETE
    return code


def _outcome(arguments: Sequence[str] | None) -> int:
    try:
        interrupts.release()
        code = slotcheck.main(arguments, prog_name="slotcheck", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except ModelError as error:
        _complain(error.render())
        return WRONG_INPUT
    except click.UsageError as error:
        hint = f"{error.ctx.command_path} --help" if error.ctx else "slotcheck --help"
        _complain(f"error: {error.format_message()}\n  hint: see {hint}")
        return WRONG_INPUT
    except click.ClickException as error:
        _complain(f"error: {error.format_message()}")
        return WRONG_INPUT
    except (KeyboardInterrupt, click.Abort):
        _complain("interrupted: no verdict")
        return INCOMPLETE
    except MemoryError:
        _complain("out of memory: no verdict")
        return INCOMPLETE
    except BrokenPipeError:
        silence(sys.stdout)
        return WRONG_INPUT
    except Exception as error:
        if os.environ.get("SLOTCHECK_DEBUG"):
            raise
        _complain(
            f"internal error: {type(error).__name__}: {error}\n"
            "  This is a mistake in slotcheck, not in your input; there is no verdict.\n"
            "  hint: SLOTCHECK_DEBUG=1 shows where it happened"
        )
        return WRONG_INPUT


def _complain(text: str) -> None:
    """Says something on standard error, after what standard output says; nobody may be listening to either."""
    try:
        sys.stdout.flush()
    except OSError:
        silence(sys.stdout)
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        silence(sys.stderr)
