"""The reference engine: breadth-first search over a model that CPython runs.

It is small and slow on purpose. What a system's states, steps, failures and verdicts are is what this file
says they are; the fast engines are tested against it.
"""

from __future__ import annotations

import contextlib
import functools
import time
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import networkx as nx

from explorer.lang import run
from explorer.lang.errors import ModelError
from explorer.lang.properties import Property, properties_for
from explorer.lang.system import System
from explorer.reference.calm import CalmRuns
from explorer.reference.runs import Runs
from explorer.result import IDLE, NOT_CALM, ActionCount, NotEvaluated, PropertyResult, Result
from explorer.trace.render import steps
from explorer.trace.replay import build_trace, changed_switches


@dataclass(frozen=True)
class Exploration:
    """What a search found.

    The nodes of ``graph`` are the numbers of the states in order of discovery, with the attributes ``state`` and ``depth``. It has
    an edge per transition, in order, with the attribute ``instance``.
    """

    result: Result
    graph: nx.MultiDiGraph


def explore(
    system: System[Any],
    properties: Iterable[Property] | None = None,
    *,
    first: bool = False,
    max_states: int | None = None,
    stop: Callable[[], str | None] = lambda: None,
) -> Exploration:
    """Visit every reachable state of ``system`` and decide ``properties`` (default: all that apply to it).

    ``first`` stops at the first violation, ``max_states`` before more states than that are stored, ``stop`` when it
    returns a reason; what is undecided then is ``unknown``. Raises ModelError where the model cannot be run.
    """
    declared = tuple(properties_for(system) if properties is None else properties)
    search = _Search(system, declared, first, max_states, stop)
    try:
        search.visit_all()
        search.look_at_runs()
    except ModelError as error:
        if not search.origin:
            raise
        search.incomplete.add(error.message)
        raise NotEvaluated(error, search.result()) from error
    return Exploration(search.result(), search.graph)


class _Stop(Exception):
    """Ends the search before everything is explored."""


class _Search:
    def __init__(
        self,
        system: System[Any],
        declared: tuple[Property, ...],
        first: bool,
        max_states: int | None,
        stop: Callable[[], str | None],
    ) -> None:
        self.system = system
        self.declared = tuple(p for p in declared if p.kind != "temporal")
        self.temporal = tuple(p for p in declared if p.kind == "temporal")
        self.first = first
        self.max_states = max_states
        self.stop = stop
        self.instances = run.instances(system)
        self.graph = nx.MultiDiGraph()
        self.numbers: dict[Hashable, int] = {}
        self.queue: deque[int] = deque()
        # How each state was reached first: from a state by a step, or by a choice of init's parameters.
        self.origin: list[tuple[int, run.Instance] | None] = []
        self.chosen: dict[int, tuple[object, ...]] = {}
        # The first witness or violation of each property: (state's number, offending step if there is one).
        self.found: dict[str, tuple[int, run.Instance | None]] = {}
        self.enabled: Counter[str] = Counter()
        self.taken: Counter[str] = Counter()
        self.incomplete: set[str] = set()
        self.stopped = False
        # By state, once all its steps were tried: the instances that are enabled, those that use the scope up included.
        self.expanded: dict[int, frozenset[int]] = {}
        # The temporal properties that are decided, and what is to be said about others.
        self.runs: dict[str, PropertyResult] = {}
        self.notes: list[str] = []
        # Whether there was no time to look for the calmest runs.
        self.hurried = False
        # How far the first state is, not final, whose steps all lead to itself.
        self.idle: int | None = None
        self.started = time.perf_counter()

    def visit_all(self) -> None:
        try:
            for values, state in run.initial_states(self.system):
                # The number that the state gets if it is new.
                self.chosen[len(self.origin)] = values
                self.reach(state, 0, None)
            while self.queue:
                self.expand(self.queue.popleft())
        except _Stop:
            self.stopped = True

    def expand(self, number: int) -> None:
        """Take every step from a state."""
        self._pause()
        state = self.graph.nodes[number]["state"]
        depth = self.graph.nodes[number]["depth"]
        stuck, idle = True, True
        enabled = set()
        for position, instance in enumerate(self.instances):
            outcome = run.step(self.system, state, instance)
            if isinstance(outcome, run.Blocked):
                continue
            stuck = False
            self.enabled[instance.action.name] += 1
            for name in outcome.soft:
                self.report(name, number, instance)
            if isinstance(outcome, run.Failed):
                self.report(outcome.name, number, instance)
                idle = False
            elif isinstance(outcome, run.Cut):
                idle = False
                enabled.add(position)
                self.incomplete.add(f"{outcome.name} used up")
            else:
                enabled.add(position)
                self.taken[instance.action.name] += 1
                after = self.reach(outcome.state, depth + 1, (number, instance))
                idle = idle and after == number
                self.graph.add_edge(number, after, instance=instance, position=position)
                for prop in self.declared:
                    if prop.kind == "step_invariant" and prop.name not in self.found:
                        if not run.evaluate(self.system, prop, state, outcome.state):
                            self.report(prop.name, number, instance)
        self.expanded[number] = frozenset(enabled)
        if stuck and not run.is_final(self.system, state):
            self.report("deadlock", number)
        elif idle and self.idle is None and not stuck:
            with contextlib.suppress(ModelError):
                self.idle = None if run.is_final(self.system, state) else depth

    def look_at_runs(self) -> None:
        """Decides the temporal properties on the states that were found."""
        if not self.temporal or (self.first and self._violates):
            return
        runs = Runs(self.system, self.graph, self.initial, self.expanded, self._pause)
        try:
            runs.evaluate(self.temporal)
            for prop in self.temporal:
                result, note = runs.decide(prop)
                if result.verdict == "violated" or self.complete:
                    self.runs[prop.name] = result
                self.notes += note
                if self.first and result.failed:
                    break
        except _Stop:
            self.stopped = True
        if runs.error is not None:
            raise runs.error

    @property
    def initial(self) -> dict[int, tuple[object, ...]]:
        """The initial states, with the choice of init's parameters."""
        return {n: self.chosen[n] for n, origin in enumerate(self.origin) if origin is None}

    @functools.cached_property
    def calm(self) -> CalmRuns:
        """The runs from which traces are chosen, once the search is over."""
        return CalmRuns(self.system, self.graph, self.initial, self._hurry)

    def _hurry(self) -> None:
        if self.stop() is not None:
            raise _Stop

    def _pause(self) -> None:
        why = self.stop()
        if why is not None:
            self.incomplete.add(why)
            raise _Stop

    @property
    def complete(self) -> bool:
        """Whether every reachable state was expanded."""
        return not self.stopped and not self.incomplete

    @property
    def _violates(self) -> bool:
        wanted = {p.name for p in self.declared if p.kind == "reachable"}
        return any(name not in wanted for name in self.found)

    def reach(self, state: Any, depth: int, origin: tuple[int, run.Instance] | None) -> int:
        """The number of a state; checks and queues it if it is new."""
        known = self.numbers.get(run.key(state))
        if known is not None:
            return known
        number = len(self.origin)
        if self.max_states is not None and number >= self.max_states:
            self.incomplete.add("state limit")
            raise _Stop
        self.numbers[run.key(state)] = number
        self.origin.append(origin)
        self.graph.add_node(number, state=state, depth=depth)
        self.queue.append(number)
        for prop in self.declared:
            if prop.kind != "step_invariant" and prop.name not in self.found:
                if run.evaluate(self.system, prop, state) == (prop.kind == "reachable"):
                    self.report(prop.name, number)
        return number

    def report(self, name: str, number: int, instance: run.Instance | None = None) -> None:
        """Remember the first time that a property fails (or a ``reachable`` one is met)."""
        self.found.setdefault(name, (number, instance))
        if self.first and not any(p.name == name and p.kind == "reachable" for p in self.declared):
            raise _Stop

    def result(self) -> Result:
        """The verdicts: declared properties in order, failures by name, deadlock."""
        complete = self.complete
        names = {p.name for p in self.declared} | {"deadlock"}
        results = [self.verdict(p.name, p.kind, p, complete) for p in self.declared]
        results += [
            self.runs.get(p.name, PropertyResult(p.name, "temporal", "unknown"))
            for p in self.temporal
        ]
        results += [
            self.verdict(n, "failure", n, complete) for n in sorted(set(self.found) - names)
        ]
        results.append(self.verdict("deadlock", "deadlock", "deadlock", complete))
        counts = {
            a.name: ActionCount(self.enabled[a.name], self.taken[a.name])
            for a in run.actions_of(self.system)
        }
        never = [f"action {name} is never enabled" for name, c in counts.items() if not c.enabled]
        idle = [] if self.idle is None else [f"after {steps(self.idle)} {IDLE}"]
        return Result(
            system=self.system.name,
            scope=dict(self.system.scope),
            design=changed_switches(self.system),
            engine="reference",
            complete=complete,
            states=len(self.origin),
            transitions=self.taken.total(),
            depth=max((d for _, d in self.graph.nodes(data="depth")), default=0),
            properties=tuple(results),
            actions=counts,
            incomplete=tuple(sorted(self.incomplete)),
            warnings=(*(never if complete else ()), *idle),
            notes=(*self.notes, *((NOT_CALM,) if self.hurried else ())),
            seconds=time.perf_counter() - self.started,
        )

    def verdict(self, name: str, kind: Any, prop: Property | str, complete: bool) -> PropertyResult:
        wanted = kind == "reachable"
        if name not in self.found:
            if not complete:
                return PropertyResult(name, kind, "unknown")
            return PropertyResult(name, kind, "unreached" if wanted else "holds")
        number, last = self.found[name]
        values, path = self.path(number)
        # Of the shortest runs the calmest one, while there is time.
        path += [] if last is None else [last]
        if len(path) > 1 and not self.hurried:
            try:
                values, path = self.calm.calmest(name, prop, len(path))
            except _Stop:
                self.hurried = True
        trace = build_trace(self.system, values, path, prop)
        return PropertyResult(name, kind, "reached" if wanted else "violated", trace.length, trace)

    def path(self, number: int) -> tuple[tuple[object, ...], list[run.Instance]]:
        """A shortest run to a state: init's parameters and the steps."""
        steps: list[run.Instance] = []
        while (origin := self.origin[number]) is not None:
            number, instance = origin
            steps.append(instance)
        return self.chosen[number], steps[::-1]
