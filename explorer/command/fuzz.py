"""``slotcheck fuzz``: random runs of a system through Hypothesis, and what they find, as small as it gets."""

from __future__ import annotations

import os
import shlex
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import click

from explorer import interrupts
from explorer.command.check import labelled
from explorer.command.options import design_options, full_option, json_option
from explorer.command.output import Output
from explorer.configure import (
    Configured,
    choose_properties,
    configure,
    parse_scope,
    parse_switches,
)
from explorer.lang.errors import ModelError
from explorer.lang.properties import properties_for
from explorer.lang.system import ordinals_of
from explorer.loading import find_system
from explorer.result import INCOMPLETE, VIOLATED, NotEvaluated
from explorer.shrink.automatic import smaller
from explorer.trace.files import prepare, write_traces

# A terminal needs no more.
_SECONDS_BETWEEN = 0.1


@click.command()
@click.argument("system")
@design_options
@click.option(
    "--property",
    "names",
    multiple=True,
    metavar="NAME",
    help="Judge only this invariant, step invariant or temporal property (repeatable). Failures of the model (panics, values out of "
    "range, deadlock) always count.",
)
@click.option(
    "--ignore",
    "ignored",
    multiple=True,
    metavar="NAME",
    help="Do not judge this property, or this failure of the model: deadlock, panic:NAME (repeatable).",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="The same seed makes the same runs.",
)
@click.option(
    "--max-examples",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    metavar="N",
    help="How many runs to make.",
)
@click.option(
    "--max-steps",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    metavar="N",
    help="How many steps to draw in a run.",
)
@click.option("--first", is_flag=True, help="Stop at the first violation.")
@click.option(
    "--max-seconds",
    type=click.FloatRange(min=0, min_open=True, max=1e9, max_open=True),
    metavar="S",
    help="Stop after S seconds.",
)
@click.option(
    "--trace-dir",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write each trace to DIR/SYSTEM-PROPERTY.json; --json then names the files instead of holding the traces.",
)
@full_option
@json_option
def fuzz(
    system: str,
    scope: tuple[str, ...],
    preset: str | None,
    switches: tuple[str, ...],
    names: tuple[str, ...],
    ignored: tuple[str, ...],
    seed: int,
    max_examples: int,
    max_steps: int,
    first: bool,
    max_seconds: float | None,
    trace_dir: Path | None,
    full: bool,
    json_target: str | None,
) -> int:
    """Run SYSTEM at random, and shrink what fails: for scopes that are too large to search.

    Exit code 1 if a property is violated; 3 if none is, as random runs prove nothing; 2 if the runs are no test of the system, because most
    of them end at once or an action is never taken.
    """
    output = Output(json_target)
    found = find_system(system)
    configured = configure(found, parse_scope(scope), preset, parse_switches(switches))
    chosen = _chosen(configured, names, ignored)
    if trace_dir is not None:
        prepare(trace_dir)
    with _without_files():
        # Hypothesis asks for its directory when it is imported.
        from explorer.command.fuzzed import progress_line, report, to_json
        from explorer.stateful.fuzz import Fuzzed, Glimpse
        from explorer.stateful.fuzz import fuzz as run
        from explorer.stateful.program import program

        shown = 0.0

        def watch(glimpse: Glimpse) -> None:
            nonlocal shown
            if output.watched and time.monotonic() - shown >= _SECONDS_BETWEEN:
                shown = time.monotonic()
                output.progress(progress_line(configured.name, max_examples, glimpse))

        mistake: ModelError | None = None
        fuzzed: Fuzzed | None = None
        interrupts.hold()
        interrupts.limit(max_seconds)
        try:
            fuzzed = run(
                configured.system,
                chosen,
                ignore=ignored,
                seed=seed,
                max_examples=max_examples,
                max_steps=max_steps,
                first=first,
                stop=interrupts.requested,
                watch=watch,
            )
            result = fuzzed.result
        except NotEvaluated as error:
            mistake, result = error, error.result
        finally:
            interrupts.limit(None)
            output.clear()
    result = smaller(labelled(result, configured), found)
    command = _again(system, scope, preset, switches, names, ignored, seed, max_examples, max_steps)
    programs = {
        p.name: program(p.trace, f"{p.name}, found by: {command}")
        for p in result.properties
        if p.trace is not None
    }
    if trace_dir is not None:
        traces = [p.trace for p in result.properties if p.trace is not None]
        try:
            result = replace(result, trace_files=write_traces(traces, trace_dir))
        except ModelError as error:
            mistake = mistake or error
    ordinals = ordinals_of(type(configured.system))
    report(result, fuzzed, programs, output, full=full, ordinals=ordinals)
    output.json(to_json(result, fuzzed, programs))
    if mistake is not None:
        raise mistake
    if result.violations:
        return VIOLATED
    if fuzzed is not None and fuzzed.degenerate is not None:
        raise ModelError(
            f"these runs are no test of {configured.name}: {fuzzed.degenerate}",
            hint="enlarge the scope or --max-steps, or look whether the model can do what it should: slotcheck check says what it reaches",
        )
    return INCOMPLETE


def _chosen(
    configured: Configured, names: tuple[str, ...], ignored: tuple[str, ...]
) -> tuple[str, ...] | None:
    """The declared properties to judge, None for all. Raises ModelError for an unknown name."""
    choose_properties(configured.system, (*names, *ignored))
    both = [n for n in names if n in ignored]
    if both:
        raise ModelError(
            f"{both[0]} is both judged and ignored", hint="drop --property or --ignore"
        )
    if not names:
        return None
    declared = {p.name for p in properties_for(configured.system)}
    return tuple(n for n in names if n in declared)


@contextmanager
def _without_files() -> Iterator[None]:
    """Hypothesis keeps what it has worked out, in the working directory unless it is told where; a run leaves nothing behind."""
    name = "HYPOTHESIS_STORAGE_DIRECTORY"
    if name in os.environ:
        yield
        return
    with tempfile.TemporaryDirectory() as directory:
        os.environ[name] = directory
        try:
            yield
        finally:
            del os.environ[name]


def _again(
    system: str,
    scope: tuple[str, ...],
    preset: str | None,
    switches: tuple[str, ...],
    names: tuple[str, ...],
    ignored: tuple[str, ...],
    seed: int,
    max_examples: int,
    max_steps: int,
) -> str:
    """The command that makes these runs."""
    words = ["slotcheck", "fuzz", system]
    words += [word for s in scope for word in ("--scope", s)]
    words += [] if preset is None else ["--design", preset]
    words += [word for s in switches for word in ("--set", s)]
    words += [word for n in names for word in ("--property", n)]
    words += [word for n in ignored for word in ("--ignore", n)]
    words += ["--seed", str(seed), "--max-examples", str(max_examples)]
    return shlex.join([*words, "--max-steps", str(max_steps)])
