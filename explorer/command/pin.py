"""``slotcheck pin``: keeps a trace as a pytest file."""

from __future__ import annotations

from pathlib import Path

import click

from explorer.command.output import Output
from explorer.files import write_text
from explorer.lang.errors import ModelError
from explorer.loading import find_system
from explorer.result import PASSED
from explorer.trace.digest import digest
from explorer.trace.files import read_trace


@click.command()
@click.argument("trace", type=click.Path(path_type=Path))
@click.option(
    "--out",
    metavar="FILE",
    help="Where the test goes: by default test_SYSTEM_PROPERTY.py, here; - for standard output.",
)
@click.option("--force", is_flag=True, help="Replace a file that exists.")
def pin(trace: Path, out: str | None, force: bool) -> int:
    """Write a pytest regression for TRACE.

    The test says that the default design is rid of the run, with the step at which it stops being possible, and that
    the design it came from has it. If the default design has it, too, the test says that.
    """
    from explorer.shrink.pin import default_name
    from explorer.shrink.pin import pin as write

    recorded = read_trace(trace)
    output = Output("-" if out == "-" else None)
    target = Path(default_name(recorded) if out is None or out == "-" else out)
    if out != "-":
        _check_target(target, force)
    found = find_system(recorded.system)
    if recorded.digest != digest(found.cls):
        output.wrapped("warning: the model's source has changed since the trace was recorded", 2)
    pinned = write(recorded, found, target)
    if out == "-":
        Output().lines(pinned.text.splitlines())
    else:
        write_text(target, pinned.text)
    output.wrapped(_sentence(pinned.message), indent=2)
    if out != "-":
        output.line(f"written to {target}")
    return PASSED


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _check_target(path: Path, force: bool) -> None:
    if path.is_dir():
        raise ModelError(f"cannot write {path}: it is a directory", hint="name a file with --out")
    if not path.absolute().parent.is_dir():
        raise ModelError(f"cannot write {path}: there is no directory {path.parent}")
    if path.is_file() and not force:
        raise ModelError(
            f"{path} exists", hint="name another file with --out, or replace it with --force"
        )
    if not force and path.suffix != ".py" and not path.exists():
        raise ModelError(f"{path} is no Python file", hint="pytest finds files like test_name.py")
