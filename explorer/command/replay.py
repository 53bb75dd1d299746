"""``slotcheck replay``: runs a trace file through CPython, in its own design or in another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from explorer.command.options import full_option
from explorer.command.output import Output
from explorer.configure import configure, parse_switches
from explorer.loading import find_system
from explorer.result import INCOMPLETE, PASSED, VIOLATED
from explorer.trace.again import Difference, Replayed
from explorer.trace.again import replay as run_again
from explorer.trace.files import read_trace
from explorer.trace.render import blame_lines, ending, loop_lines, start_label, step_lines, steps


@click.command()
@click.argument("trace", type=click.Path(path_type=Path))
@click.option(
    "--set",
    "switches",
    multiple=True,
    metavar="SWITCH=VALUE",
    help="Replay in a design with this switch (repeatable).",
)
@click.option("--design", "preset", metavar="PRESET", help="Replay in a preset design.")
@full_option
def replay(trace: Path, switches: tuple[str, ...], preset: str | None, full: bool) -> int:
    """Run TRACE again and compare every state.

    Exit code 0 if the run is the recorded one, 1 if it differs. With --set or --design the question is whether another design is
    rid of the run: 0 if its property does not fail there any more, 1 if it still does, 3 if that is not known.
    """
    output = Output()
    recorded = read_trace(trace)
    found = find_system(recorded.system)
    changed = parse_switches(switches)
    other = bool(changed) or preset is not None
    base = recorded.design if preset is None else {}
    configured = configure(found, recorded.scope, preset or recorded.preset, {**base, **changed})
    replayed = run_again(recorded, configured.system)
    output.lines(_text(replayed, full))
    output.line()
    output.lines(_answer(replayed, other))
    if not other:
        return PASSED if replayed.difference is None and replayed.confirmed else VIOLATED
    if recorded.kind == "reachable":
        return PASSED if replayed.confirmed else VIOLATED
    fails = replayed.confirmed or replayed.earlier is not None or replayed.other is not None
    return VIOLATED if fails else INCOMPLETE if replayed.open else PASSED


def _text(replayed: Replayed, full: bool) -> Iterator[str]:
    now, difference = replayed.now, replayed.difference
    if not replayed.same_source:
        yield "warning: the model's source has changed since the trace was recorded"
        yield ""
    if now is not None:
        yield f"  0. {start_label(now)}"
        for number, step in enumerate(now.steps, 1):
            yield from step_lines(number, step, full=full)
            if difference is not None and difference.step == number:
                yield from _difference(difference)
        yield from loop_lines(now)
    if difference is not None and (now is None or difference.step == 0):
        yield from _difference(difference)
    stopped = replayed.stopped
    if now is not None and stopped is not None and stopped.step > now.length:
        yield f"{stopped.step:3}. {replayed.recorded.steps[stopped.step - 1].label()}"
        yield from _difference(stopped)


def _difference(difference: Difference) -> Iterator[str]:
    yield f"     ! {difference.what}"
    for detail in difference.details:
        yield f"       {detail}"


def _answer(replayed: Replayed, other: bool) -> Iterator[str]:
    """What the replay comes to."""
    name, length = replayed.recorded.property_name, replayed.recorded.length
    difference = replayed.difference
    ends = "is reached" if replayed.recorded.kind == "reachable" else "fails"
    where = "in the initial state" if difference and difference.step == 0 else "at step "
    if difference and difference.step:
        where += str(difference.step)
    if not replayed.possible:
        if replayed.stopped is not None:
            where = f"at step {replayed.stopped.step}"
        yield f"The run is not possible{' in this design' if other else ''}: it stops {where} of {length}."
    elif difference is not None:
        yield f"The run is possible, and differs from the recorded one first {where} of {length}."
    else:
        yield f"The run is the recorded one, state by state ({steps(length)})."
    if replayed.recorded.kind == "temporal":
        yield from _for_ever(replayed)
    elif replayed.confirmed:
        yield f"{name} {ends} at its end."
        if replayed.blame is not None:
            yield from blame_lines(replayed.blame)
    elif replayed.earlier is not None:
        yield f"{name} fails already after {steps(replayed.earlier)}."
    elif replayed.possible:
        yield f"{name} no longer {ends} at its end."
    if replayed.other is not None:
        yield f"The run ends in another failure: {replayed.other}."


def _for_ever(replayed: Replayed) -> Iterator[str]:
    """What a run that goes on for ever comes to."""
    name, now = replayed.recorded.property_name, replayed.now
    if replayed.confirmed and now is not None:
        of = "" if now.instance is None else f" for {now.instance}"
        yield f"It {ending(now)}, and {name} fails{of}."
        yield from (f"  {line}" for line in now.explanation)
    elif replayed.problem is not None:
        no = "may still fail" if replayed.open else "no longer fails"
        yield f"{name} {no}: the run {replayed.problem}."
