"""``slotcheck check``: explores a system and gives a verdict on every property."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from explorer import interrupts
from explorer.command.options import (
    design_options,
    finite,
    full_option,
    json_option,
    number_of_bytes,
)
from explorer.command.output import Output
from explorer.command.progress import shown
from explorer.command.report import report
from explorer.configure import (
    Configured,
    choose_properties,
    configure,
    is_built_in,
    parse_scope,
    parse_switches,
)
from explorer.engines import ENGINES, EngineName, Limits, run
from explorer.lang.errors import ModelError
from explorer.lang.system import ordinals_of
from explorer.loading import close, find_system, idle
from explorer.result import NotEvaluated, PropertyResult, Result
from explorer.trace.files import prepare, write_traces


@click.command()
@click.argument("system")
@design_options
@click.option(
    "--property",
    "names",
    multiple=True,
    metavar="NAME",
    help="Check only this property (repeatable). Failures of the model (panics, values out of range, deadlock) are "
    "always checked.",
)
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="exhaustive",
    show_default=True,
    help="exhaustive: compiled search; reference: slow search in CPython; bmc: runs of up to K steps, through z3.",
)
@click.option(
    "--depth", type=click.IntRange(min=0), metavar="K", help="How many steps bmc looks at."
)
@click.option(
    "--ltl",
    "formulas",
    multiple=True,
    metavar="FORMULA",
    help="For a labelled graph in a JSON file: what every fair run has to satisfy, in Spot's syntax (repeatable).",
)
@click.option("--first", is_flag=True, help="Stop at the first violation.")
@click.option("--max-states", type=click.IntRange(min=1), metavar="N", help="Stop after N states.")
@click.option(
    "--max-seconds",
    type=click.FloatRange(min=0, min_open=True),
    callback=finite,
    metavar="S",
    help="Stop after S seconds.",
)
@click.option(
    "--max-memory",
    callback=number_of_bytes,
    metavar="N[K|M|G|T]",
    help="Stop before the process takes more memory: 512M, 2G. Temporal properties look at it between pieces of their work.",
)
@click.option("--no-reductions", is_flag=True, help="Explore every state, symmetric ones included.")
@click.option(
    "--trace-dir",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write each trace to DIR/SYSTEM-PROPERTY.json; --json then names the files instead of holding the traces.",
)
@full_option
@json_option
def check(
    system: str,
    scope: tuple[str, ...],
    preset: str | None,
    switches: tuple[str, ...],
    names: tuple[str, ...],
    engine: EngineName,
    depth: int | None,
    formulas: tuple[str, ...],
    first: bool,
    max_states: int | None,
    max_seconds: float | None,
    max_memory: int | None,
    no_reductions: bool,
    trace_dir: Path | None,
    full: bool,
    json_target: str | None,
) -> int:
    """Check SYSTEM: a bundled name, path/to/file.py:ClassName, or graph.json with --ltl FORMULA."""
    output = Output(json_target)
    if _is_graph(system, formulas):
        for given, option in (
            (scope, "--scope"),
            (preset, "--design"),
            (switches, "--set"),
            (names, "--property"),
            (engine != "exhaustive", "--engine"),
            (depth is not None, "--depth"),
            (max_memory, "--max-memory"),
        ):
            if given:
                raise ModelError(f"a labelled graph has no {option}")
        limits = Limits(first, max_states, max_seconds)
        return _check_graph(Path(system), formulas, limits, trace_dir, output, full)
    if formulas:
        raise ModelError(
            "--ltl is for labelled graphs",
            hint="declare a @temporal property next to the system, with ltl(...)",
        )
    found = find_system(system)
    configured = configure(found, parse_scope(scope), preset, parse_switches(switches))
    properties = choose_properties(configured.system, names)
    if trace_dir is not None:
        prepare(trace_dir)
    with shown(output) as progress:
        progress.begin(f"checking {configured.name}")
        mistake: ModelError | None = None
        try:
            result = run(
                engine,
                configured.system,
                properties,
                Limits(first, max_states, max_seconds, max_memory, depth, not no_reductions),
            )
        except NotEvaluated as error:
            mistake, result = error, error.result
    result = labelled(asked(result, names), configured)
    if engine == "bmc":
        from explorer.shrink.automatic import smaller

        result = smaller(result, found)
    ignored = (f"the property {name} applies to no system in its file" for name in idle(found))
    result = replace(result, warnings=(*result.warnings, *ignored))
    if trace_dir is not None:
        traces = [p.trace for p in result.properties if p.trace is not None]
        try:
            result = replace(result, trace_files=write_traces(traces, trace_dir))
        except ModelError as error:
            # What was found comes first: without files, traces are in the JSON itself.
            mistake = mistake or error
    report(result, output, full=full, ordinals=ordinals_of(type(configured.system)))
    output.json(result.to_json())
    if mistake is not None:
        raise mistake
    return result.exit_code()


def _is_graph(name: str, formulas: tuple[str, ...]) -> bool:
    """Whether a name is that of a labelled graph: of a file that is no model."""
    return name.lower().endswith(".json") or (
        bool(formulas) and ".py" not in name and Path(name).is_file()
    )


def _check_graph(
    path: Path,
    formulas: tuple[str, ...],
    limits: Limits,
    trace_dir: Path | None,
    output: Output,
    full: bool,
) -> int:
    """Checks formulas on a labelled graph."""
    from explorer.graphs.check import check_graph
    from explorer.graphs.read import read_graph

    if not formulas:
        raise ModelError(
            f"{path} is a labelled graph, and no formula is given",
            hint='write --ltl "G (p -> F q)"',
        )
    graph = read_graph(path)
    if trace_dir is not None:
        prepare(trace_dir)
    interrupts.hold()
    with shown(output) as progress:
        progress.begin(f"checking {path}")
        mistake: ModelError | None = None
        try:
            result = check_graph(
                graph,
                formulas,
                first=limits.first,
                max_states=limits.states,
                max_seconds=limits.seconds,
            )
        except NotEvaluated as error:
            mistake, result = error, error.result
    if trace_dir is not None:
        traces = [p.trace for p in result.properties if p.trace is not None]
        try:
            result = replace(result, trace_files=write_traces(traces, trace_dir))
        except ModelError as error:
            mistake = mistake or error
    report(result, output, full=full)
    output.json(result.to_json())
    if mistake is not None:
        raise mistake
    return result.exit_code()


def asked(result: Result, names: tuple[str, ...]) -> Result:
    """The result with every built-in property that the user named.

    An engine that compiles the model lists every failure that can occur, and a name that it does not list is a mistake; the others
    list only what occurred. Raises ModelError.
    """
    listed = [p.name for p in result.properties]
    added = []
    for name in dict.fromkeys(names):
        if name in listed or not is_built_in(name):
            continue
        if result.lists_failures:
            raise ModelError(f"{result.system} cannot fail with {name}", hint=close(name, listed))
        added.append(PropertyResult(name, "failure", "holds" if result.complete else "unknown"))
    return replace(result, properties=result.properties + tuple(added))


def labelled(result: Result, configured: Configured) -> Result:
    """The result and its traces under the name and preset by which the system can be found again."""
    properties = tuple(
        replace(p, trace=p.trace and p.trace.labelled(configured.name, configured.preset))
        for p in result.properties
    )
    return replace(result, system=configured.name, preset=configured.preset, properties=properties)
