"""Bounded model checking of a system, with replayed traces."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from explorer.compiler.lower import lower
from explorer.lang.errors import ModelError
from explorer.lang.properties import Property
from explorer.lang.run import instances
from explorer.lang.system import System
from explorer.result import NotEvaluated, PropertyResult, Result
from explorer.search.report import DEADLOCK as DEADLOCK_NAME
from explorer.search.report import Run, refuse_unclear, verdicts
from explorer.symbolic.bounded import CUT, DEADLOCK, FAILURE, FINAL_UNCLEAR, PROPERTY, UNCLEAR, look
from explorer.symbolic.unrolling import SymbolicRun, Unrolling
from explorer.trace.replay import changed_switches

ENGINE = "bmc"

NOT_DECIDED = "bmc does not decide temporal properties, which are about runs that go on for ever"


def bmc(system: System[Any], depth: int, properties: Sequence[Property] | None = None) -> Result:
    """Look for violations and witnesses in all runs of up to ``depth`` steps (default: of all properties that apply).

    What is found is a shortest run, whichever z3 finds. What is not found is ``unknown``: longer runs were not looked at. So is every temporal property:
    it is about runs that do not end. States and transitions are not counted.

    Raises
    ------
    ModelError
        The model is outside the language, too large in this scope, or a property cannot be evaluated in a
        state that such a run reaches.
    """
    started = time.perf_counter()
    lowered = lower(system, properties)
    program, transitions = lowered.program, lowered.symbolic()
    sizes = [[n for _, n in info.params] for info in program.actions]
    initial = [flat for _, flat in lowered.initial]
    unrolling = Unrolling(program, transitions, sizes, initial, lowered.switch_values)
    found = look(unrolling, program, transitions, depth)
    every = instances(system)
    numbers = {instance: i for i, instance in enumerate(program.instances)}

    def as_run(run: SymbolicRun) -> Run:
        return Run(lowered.initial[run.initial][0], [every[numbers[step]] for step in run.steps])

    runs: dict[str, Run] = {}
    incomplete: list[str] = []
    mistake: ModelError | None = None
    for (kind, number), run in sorted(found.runs.items(), key=lambda item: item[0]):
        match kind:
            case _ if kind in (UNCLEAR, FINAL_UNCLEAR):
                prop = lowered.properties[number] if kind == UNCLEAR else None
                try:
                    refuse_unclear(system, as_run(run), prop)
                except ModelError as error:
                    mistake = mistake or error
                    incomplete.append(error.message)
            case _ if kind == PROPERTY:
                runs[lowered.properties[number].name] = as_run(run)
            case _ if kind == FAILURE:
                runs[program.failure_names[number]] = as_run(run)
            case _ if kind == DEADLOCK:
                runs[DEADLOCK_NAME] = as_run(run)
            case _ if kind == CUT:
                incomplete.append(f"{program.cut_names[number]} used up")
    incomplete.append(
        f"runs of up to {found.depth} steps" if found.stopped is None else found.stopped
    )
    results = list(verdicts(system, lowered, runs, complete=False))
    forever = dict.fromkeys(prop.name for prop, _ in lowered.temporal)
    # After the other declared properties, as in the results of the other engines.
    count = len(lowered.properties)
    results[count:count] = [PropertyResult(n, "temporal", "unknown") for n in forever]
    result = Result(
        system=system.name,
        scope=dict(system.scope),
        design=changed_switches(system),
        engine=ENGINE,
        complete=False,
        states=0,
        transitions=0,
        depth=found.depth,
        properties=tuple(results),
        actions={},
        incomplete=tuple(incomplete),
        notes=(NOT_DECIDED,) * bool(forever),
        seconds=time.perf_counter() - started,
    )
    if mistake is not None:
        raise NotEvaluated(mistake, result)
    return result
