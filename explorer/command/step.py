"""``slotcheck step``: a session on a terminal, or read from a pipe, that walks through a system or a trace."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from explorer import interrupts
from explorer.command.options import design_options
from explorer.command.output import Output
from explorer.configure import Configured, configure, parse_scope, parse_switches
from explorer.lang.errors import ModelError
from explorer.loading import find_system
from explorer.result import PASSED, WRONG_INPUT
from explorer.stepping.dialogue import Dialogue
from explorer.stepping.find import MOST_STATES
from explorer.stepping.recorded import Recorded
from explorer.stepping.session import Session
from explorer.trace.files import read_trace


@click.command()
@click.argument("what", metavar="SYSTEM|TRACE")
@design_options
@click.option(
    "--max-states",
    type=click.IntRange(min=1),
    default=MOST_STATES,
    show_default=True,
    metavar="N",
    help="The command find looks at no more than N states.",
)
def step(
    what: str,
    scope: tuple[str, ...],
    preset: str | None,
    switches: tuple[str, ...],
    max_states: int,
) -> int:
    """Walk through SYSTEM, or along TRACE, step by step.

    Shows the state and what can be done in it, and reads commands: from a terminal, or one a line from a pipe. Exit code 0; 2 if a
    command from a pipe cannot be done.
    """
    output = Output()
    configured, session, recorded = _opened(what, scope, preset, switches)

    def progress(states: int) -> None:
        output.progress(f"{states} states ...")

    dialogue = Dialogue(session, configured.preset, recorded, max_states, progress)
    _say(dialogue.opening(), output)
    if sys.stdin.isatty() and output.terminal:
        _converse(dialogue, output)
        return PASSED
    return _read(dialogue, output)


def _opened(
    what: str, scope: tuple[str, ...], preset: str | None, switches: tuple[str, ...]
) -> tuple[Configured, Session, Recorded | None]:
    """The system that is named, or that of the trace."""
    sizes, changed = parse_scope(scope), parse_switches(switches)
    if not _is_trace(what):
        configured = configure(find_system(what), sizes, preset, changed)
        return configured, Session(configured.system), None
    trace = read_trace(Path(what))
    base = trace.design if preset is None else {}
    configured = configure(
        find_system(trace.system),
        {**trace.scope, **sizes},
        preset or trace.preset,
        {**base, **changed},
    )
    session = Session(configured.system)
    return configured, session, Recorded(trace, session)


def _is_trace(what: str) -> bool:
    """Whether a name is that of a trace: a JSON file, or any other that is no model."""
    if what.lower().endswith(".json"):
        return True
    return ".py" not in what and not what.endswith(".md") and Path(what).is_file()


def _say(lines: Iterator[str], output: Output) -> None:
    for line in lines:
        if line.strip():
            output.wrapped(line, indent=len(line) - len(line.lstrip()) + 2)
        else:
            output.line()
    output.clear()


def _answer(dialogue: Dialogue, line: str, output: Output) -> bool:
    """Does what a line says; False if it cannot be done, which is said."""
    try:
        _say(dialogue.answer(line), output)
    except ModelError as error:
        _say(iter(error.render().splitlines()), output)
        return False
    return True


def _read(dialogue: Dialogue, output: Output) -> int:
    """Commands from a pipe, echoed, so that the whole reads like a session."""
    code = PASSED
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")
    while not dialogue.over:
        line = sys.stdin.readline()
        if not line:
            break
        line = line.strip()
        if line.startswith("#"):
            continue
        output.line()
        output.line(f"{dialogue.prompt}{line}".rstrip())
        if not _answer(dialogue, line, output):
            code = WRONG_INPUT
        with contextlib.suppress(OSError):
            output.stream.flush()
    return code


def _converse(dialogue: Dialogue, output: Output) -> None:
    """Commands from a terminal. Ctrl-C gives up the line, or what is going on; a second one leaves, as the end of the input does."""
    again = False
    with _interruptible(), _completed(dialogue.completions):
        while not dialogue.over:
            try:
                output.line()
                line = input(dialogue.prompt)
                _answer(dialogue, line, output)
                again = False
            except EOFError:
                output.line()
                return
            except interrupts.Interrupted:
                raise
            except KeyboardInterrupt:
                output.line()
                if again:
                    return
                again = True
                output.line("given up; a second Ctrl-C leaves")


@contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C interrupts what is going on and not the session."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _completed(completions: Callable[[str], list[str]]) -> Iterator[None]:
    """The tab key completes what is typed, where Python has readline."""
    try:
        import readline
    except ImportError:
        yield
        return
    found: list[str] = []

    def complete(text: str, number: int) -> str | None:
        nonlocal found
        if number == 0:
            try:
                found = completions(text)
            except ModelError:
                found = []
        return found[number] if number < len(found) else None

    before: tuple[Any, str] = readline.get_completer(), readline.get_completer_delims()
    readline.set_completer(complete)
    # The whole line is completed: a step has brackets and commas.
    readline.set_completer_delims("")
    readline.parse_and_bind("tab: complete")
    try:
        yield
    finally:
        readline.set_completer(before[0])
        readline.set_completer_delims(before[1])
