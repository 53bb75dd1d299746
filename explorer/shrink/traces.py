"""Shrinks a trace in stages: steps, thread switches, scope, design, names; every stage says what it did and how sure that is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from explorer.configure import Configured, configure
from explorer.lang.errors import ModelError
from explorer.lang.properties import Property
from explorer.lang.temporal import temporal_instances
from explorer.lang.text import Json
from explorer.loading import Found
from explorer.shrink import designs, scopes
from explorer.shrink.delta import LEAST_STEPS, calmer, reduce
from explorer.shrink.goals import Goal, Oracle, Says, Shows
from explorer.shrink.lasso import Endless, endless, reduce_endless
from explorer.shrink.look import Looked, Search, text, transplanted
from explorer.shrink.names import renamings
from explorer.shrink.run import OutOfSteps, Player, Run, parsed
from explorer.shrink.steps import whole
from explorer.trace.digest import digest
from explorer.trace.lasso import build_lasso, declared_fair
from explorer.trace.render import steps as steps_text
from explorer.trace.replay import ReplayMismatch, build_trace, find_property, kind_of, record
from explorer.trace.trace import Trace


@dataclass(frozen=True)
class Stage:
    """What one stage did. ``exact``: proved by exhaustive search, as far as ``note`` says; else the best found.

    ``open`` is the limit that left something open which a search could have decided.
    """

    name: str
    before: Json
    after: Json
    exact: bool
    note: str
    open: str = ""

    def to_json(self) -> dict[str, Json]:
        """The stage as an object."""
        return {
            "stage": self.name,
            "before": self.before,
            "after": self.after,
            "exact": self.exact,
            "note": self.note,
        }


@dataclass(frozen=True)
class MinimalSet:
    """A minimal set of switches, and the length of its shortest trace if that is known."""

    switches: tuple[str, ...]
    length: int | None


@dataclass(frozen=True)
class Shrunk:
    """A trace that was made smaller. ``blamed`` are all minimal sets, None where there was nothing to ask."""

    before: Trace
    before_switches: int
    after: Trace
    after_switches: int
    stages: tuple[Stage, ...]
    blamed: tuple[MinimalSet, ...] | None
    undecided: tuple[tuple[str, ...], ...]
    warnings: tuple[str, ...]
    stopped: str | None

    def to_json(self) -> dict[str, Json]:
        """Everything but the trace itself."""
        return {
            "schema": "slotcheck.shrink/1",
            "system": self.after.system,
            "property": self.after.property_name,
            "kind": self.after.kind,
            "before": _size(self.before, self.before_switches),
            "after": _size(self.after, self.after_switches),
            "stages": [s.to_json() for s in self.stages],
            "blamed": None
            if self.blamed is None
            else [{"switches": list(b.switches), "length": b.length} for b in self.blamed],
            "undecided": [list(u) for u in self.undecided],
            "warnings": list(self.warnings),
            "stopped": self.stopped,
        }


@dataclass(frozen=True)
class Wishes:
    """What is to shrink, and how long it may take. ``base`` is the preset of the design that holds (None: the default).

    ``others``: sets of up to so many switches are tried, also of those that the trace leaves at their default. ``replay_only`` asks no engine.
    ``max_steps`` is how many steps each piece of delta debugging may execute; by default 300,000, or twenty times the run's length.
    """

    base: str | None = None
    others: int | None = None
    keep_scope: bool = False
    keep_design: bool = False
    replay_only: bool = False
    max_states: int | None = None
    max_seconds: float | None = None
    max_memory: int | None = None
    tell: Callable[[str], None] = field(default=lambda what: None)
    max_steps: int | None = None


def shrink_trace(
    recorded: Trace, found: Found, wishes: Wishes = Wishes(), oracle: Oracle | None = None
) -> Shrunk:
    """The shortest, calmest trace of the same property, in the smallest scope and with the fewest switches.

    With an ``oracle`` the run is to satisfy that in place of the property, and only replays decide.

    Raises
    ------
    ModelError
        The run cannot be taken, or does not show its property.
    """
    return _Shrinking(recorded, found, wishes, oracle).all()


class _Shrinking:
    """The trace as small as it is so far."""

    def __init__(
        self, recorded: Trace, found: Found, wishes: Wishes, oracle: Oracle | None
    ) -> None:
        self.recorded, self.found, self.wishes, self.oracle = recorded, found, wishes, oracle
        self.search = Search(
            recorded.property_name,
            wishes.max_states,
            wishes.max_seconds,
            wishes.max_memory,
            wishes.tell,
        )
        self.now = configure(found, recorded.scope, recorded.preset, recorded.design)
        self.engine = oracle is None and not wishes.replay_only
        self.stages: list[Stage] = []
        self.blamed: tuple[MinimalSet, ...] | None = None
        self.undecided: tuple[tuple[str, ...], ...] = ()
        self.warnings: list[str] = []
        self.trace = recorded
        self.switches = 0
        self.calm = False
        # The delta debugger, while no search has found a trace.
        self.run: Run | Endless | None = None

    @property
    def system(self) -> Any:
        return self.now.system

    @property
    def declared(self) -> Property | None:
        return None if self.oracle is not None else find_property(self.system, self.search.name)

    @property
    def temporal(self) -> bool:
        return self.declared is not None and self.declared.kind == "temporal"

    def all(self) -> Shrunk:
        given, given_switches = self.check()
        self.steps()
        self.thread_switches(given_switches)
        if not self.wishes.keep_scope:
            self.scope()
        if not self.wishes.keep_design:
            self.design()
        self.names()
        return Shrunk(
            given,
            given_switches,
            self.trace,
            self.switches,
            tuple(self.stages),
            self.blamed,
            self.undecided,
            tuple(self.warnings),
            self.search.stopped,
        )

    # The run as it is given

    def check(self) -> tuple[Trace, int]:
        """Replays the trace. Raises ModelError if it does not show what it says."""
        recorded = self.recorded
        if recorded.digest != digest(type(self.system)):
            self.warnings.append("the model's source has changed since the trace was recorded")
        declared = self.declared
        if self.oracle is None:
            if recorded.kind != kind_of(recorded.property_name, declared):
                raise ModelError(
                    f"{self.now.name} has no {recorded.kind} called {recorded.property_name}",
                    hint="the trace was edited, or recorded with another version of the properties",
                )
        elif recorded.loop is not None:
            raise ModelError(
                "an oracle is about runs that end, and this one goes on for ever",
                hint="leave --oracle out: the run shrinks with its temporal property",
            )
        self.wishes.tell("replaying the trace")
        with self.system:
            try:
                init, taken = parsed(self.system, *text(recorded))
                self.run = self.as_given(init, taken)
            except OutOfSteps:
                raise ModelError(
                    f"the time is up before the {recorded.length:,} steps of the trace are replayed",
                    hint="raise --max-seconds",
                ) from None
            except ModelError as error:
                raise ModelError(
                    f"the trace cannot be shrunk: {error.message}",
                    where=error.where,
                    hint=error.hint
                    or "slotcheck replay TRACE shows where it differs; slotcheck check looks for a new one",
                ) from None
            self.take(self.run)
        return self.trace, self.switches

    def as_given(self, init: tuple[object, ...], taken: tuple[Any, ...]) -> Run | Endless:
        recorded = self.recorded
        player = self.player(len(taken))
        if not self.temporal:
            run = whole(player, init, taken, self.goal())
            length = self.goal().length(run)
            if length is None:
                what = (
                    "the oracle is false of its run"
                    if self.oracle is not None
                    else f"{recorded.property_name} is not reached in it"
                    if recorded.kind == "reachable"
                    else f"{recorded.property_name} does not fail in it"
                )
                raise ModelError(what)
            return run.first(length)
        assert self.declared is not None
        if recorded.loop is None:
            raise ModelError(
                "it does not say to which step its run returns",
                hint='a trace of a temporal property has "loop"',
            )
        begun = player.start(init)
        if begun is None:
            raise ModelError("there is no such initial state: a require of init fails")
        tried = None
        if player.take(begun, taken, drop=False) is not None:
            prefix, cycle = taken[: recorded.loop], taken[recorded.loop :]
            tried = endless(player, begun, prefix, cycle, self.declared, self.stated())
        if tried is None:
            raise ModelError(f"its run is no counterexample to {recorded.property_name}")
        return tried

    def goal(self) -> Goal:
        if self.oracle is not None:
            return Says(self.oracle)
        return Shows(self.system, self.search.name, self.declared)

    def stated(self) -> tuple[Any, ...]:
        assert self.declared is not None
        return temporal_instances(self.system, self.declared)

    def player(self, length: int = 0) -> Player:
        most = self.wishes.max_steps or max(LEAST_STEPS, 20 * length)
        return Player(self.system, length + most, self.search.over)

    def take(self, run: Run | Endless) -> None:
        """Makes a run of the system as it is now the trace."""
        if isinstance(run, Endless):
            assert self.declared is not None
            self.trace = build_lasso(
                self.system,
                run.run.init,
                run.prefix,
                run.cycle,
                self.declared,
                run.stated,
                declared_fair(self.system, self.declared),
            )
            self.switches = run.run.switches
        elif self.oracle is None:
            self.trace = build_trace(self.system, run.init, run.steps, self.search.name)
            self.switches = run.switches
        else:
            with self.system:
                self.trace = record(
                    self.system, run.played(), self.recorded.property_name, self.recorded.kind
                )
            self.switches = run.switches
        self.run = run
        self.name_trace()

    def take_trace(self, trace: Trace) -> None:
        """Makes a trace that an engine found, and that was replayed, the trace."""
        with self.system:
            init, taken = parsed(self.system, *text(trace))
            player = self.player(len(taken))
            self.run = None
            begun = player.start(init)
            run = None if begun is None else player.take(begun, taken, drop=False)
            if run is None:
                raise ReplayMismatch(f"{self.now.name}: a trace of the search cannot be replayed")
            if trace.loop is not None and self.declared is not None:
                loop = trace.loop
                self.run = next(
                    Endless(run, loop, s) for s in self.stated() if s.text == (trace.instance or "")
                )
            else:
                self.run = run
            self.switches = run.switches
        self.trace = trace
        self.name_trace()

    def name_trace(self) -> None:
        """The trace under the name and the design with which it is found again."""
        space = designs.Designs(self.found, None, ())
        trace = self.trace.labelled(self.now.name, self.now.preset)
        self.trace = replace(trace, design=space.said(self.now))

    # Stages

    def steps(self) -> None:
        before = self.trace.length
        what = f"looking for the shortest run ({scopes.shown(self.system.scope)})"
        looked = self.look(self.now, what)
        if looked.verdict == "holds":
            raise ReplayMismatch(
                f"{self.now.name}: the search finds no run to {self.search.name}, and there is one"
            )
        exact, self.calm = looked.shortest, looked.calmest
        if looked.trace is not None and (
            not self.temporal or looked.trace.length <= self.trace.length
        ):
            self.take_trace(looked.trace)
            note = "no shorter run exists in this scope and design"
        if not exact:
            stopped = self.delta()
            exact = not self.temporal and self.engine and self.trace.length <= looked.depth
            if exact:
                note = "no shorter run exists in this scope and design"
            elif self.temporal:
                # A run with the shortest way to a cycle is not always the shortest in all.
                note = "the best found: no part of it can be left out"
            else:
                why = f" ({looked.why})" if looked.why else ""
                note = f"the best found{why}: no single step can be left out"
            if stopped is not None and not exact:
                note = f"the best found ({stopped})"
        open_ = "" if exact else looked.why
        self.stages.append(Stage("steps", before, self.trace.length, exact, note, open_))

    def look(self, configured: Configured, what: str) -> Looked:
        if not self.engine:
            return Looked("unknown")
        return self.search.look(configured, what)

    def delta(self) -> str | None:
        """Delta debugging of the run; why it ended early, if it did."""
        self.wishes.tell("leaving out steps")
        with self.system:
            if isinstance(self.run, Endless):
                assert self.declared is not None
                player = self.player(len(self.run.run.steps))
                run, stopped = reduce_endless(player, self.run, self.declared, self.stated())
                self.take(run)
                return stopped
            assert self.run is not None
            reduced = reduce(self.player(len(self.run.steps)), self.run, self.goal())
            self.take(reduced.run)
            return reduced.stopped

    def thread_switches(self, before: int) -> None:
        if not self.calm and isinstance(self.run, Run):
            with self.system:
                run = calmer(self.player(), self.run, self.goal())
            if run.switches < self.switches:
                self.take(run)
        note = (
            "no run as short has fewer"
            if self.calm
            else "the best found"
            if not self.temporal
            else "of the run that was found"
        )
        self.stages.append(Stage("switches", before, self.switches, self.calm, note))

    def fits(self, looked: Looked) -> bool:
        """Whether a trace found elsewhere is as short and as calm as the trace."""
        trace = looked.trace
        if trace is None:
            return False
        return (trace.length, _switches(trace)) <= (self.trace.length, self.switches)

    def scope(self) -> None:
        """The smallest scope in which a trace as short exists."""
        before = dict(self.system.scope)
        longer: tuple[dict[str, int], int] | None = None
        open_, tried = "", 0
        if not self.engine:
            self.smaller_by_replay()
            self.scope_stage(before, False, "the best found by replaying the run")
            return
        # What the run itself needs no more of bounds the search.
        self.smaller_by_replay()
        for smaller in scopes.below(self.system.scope):
            if tried >= scopes.MOST_SCOPES:
                open_ = f"only the {tried} smallest scopes were looked at"
                break
            tried += 1
            configured = self.at(smaller)
            looked = (
                Looked("unusable")
                if configured is None
                else self.look(configured, f"scope {scopes.shown(smaller)}")
            )
            if looked.verdict == "unknown":
                open_ = open_ or looked.why
                if self.search.over() is not None:
                    break
            elif looked.verdict == "fails" and configured is not None and self.fits(looked):
                self.now = configured
                assert looked.trace is not None
                self.take_trace(looked.trace)
                break
            elif looked.trace is not None and longer is None:
                longer = smaller, looked.trace.length
        note = f"the best found ({open_})" if open_ else "no smaller scope has a run as short"
        if self.switches and not open_:
            note += " and as calm"
        if longer is not None and longer[1] > self.trace.length:
            note += f"; it takes {longer[1]} steps with {scopes.shown(longer[0])}"
        self.scope_stage(before, not open_ and not self.temporal, note, open_)

    def scope_stage(self, before: dict[str, int], exact: bool, note: str, open_: str = "") -> None:
        after = dict(self.system.scope)
        self.stages.append(Stage("scope", before, after, exact, note, open_))

    def at(self, scope: Mapping[str, int]) -> Configured | None:
        """The same design in another scope; None if it cannot be."""
        try:
            return configure(self.found, scope, self.now.preset, self.trace.design)
        except ModelError:
            return None

    def smaller_by_replay(self) -> None:
        """Makes each entry of the scope as small as the run itself allows."""
        if isinstance(self.run, Endless):
            return
        for name in self.system.scope:
            low, high = 1, self.system.scope[name]
            while low < high:
                middle = (low + high) // 2
                if self.fits_in({**self.system.scope, name: middle}):
                    high = middle
                else:
                    low = middle + 1

    def fits_in(self, scope: Mapping[str, int]) -> bool:
        """Whether the run, perhaps under other names, is one in a smaller scope; then it is taken."""
        configured = self.at(scope)
        if configured is None or not isinstance(self.run, Run):
            return False
        with self.system:
            renamed = [
                Run(self.system, init, (), steps).text() for init, steps in renamings(self.run)
            ]
        for init, steps in (self.run.text(), *renamed):
            if self.try_run(configured, init, steps, drop=False):
                return True
        return False

    def try_run(
        self, configured: Configured, init: dict[str, str], steps: tuple[Any, ...], *, drop: bool
    ) -> bool:
        """Takes the run in another configuration, if it shows the same there in no more steps."""
        goal: Goal = (
            Says(self.oracle)
            if self.oracle is not None
            else Shows(
                configured.system,
                self.search.name,
                find_property(configured.system, self.search.name),
            )
        )
        player = Player(configured.system, LEAST_STEPS, self.search.over)
        tried = transplanted(player, goal, init, steps, drop=drop)
        if tried is None or len(tried.steps) > self.trace.length:
            return False
        self.now = configured
        self.take(tried)
        return True

    def design(self) -> None:
        """The fewest changes to the design that holds, and all minimal sets of them."""
        space = designs.designs_of(
            self.found, self.wishes.base, self.now, self.wishes.others is not None
        )
        own = space.changes
        if not own and not space.extra:
            return
        lengths: dict[tuple[designs.Change, ...], Looked] = {}
        scope = dict(self.system.scope)

        def ask(chosen: tuple[designs.Change, ...]) -> designs.Answer:
            try:
                configured = space.configured(chosen, scope)
            except ModelError:
                return "holds"
            looked = self.look(configured, f"design {designs.names(chosen)}")
            if looked.verdict == "unknown" and self.replays_in(configured):
                looked = Looked("fails")
            lengths[chosen] = looked
            if looked.verdict == "unusable":
                return "holds"
            if looked.verdict == "unknown" and not self.engine:
                # A replay cannot say that no other run fails.
                return "holds"
            return looked.verdict

        changes = [*own, *space.extra]
        largest = None if self.wishes.others is None else max(self.wishes.others, len(own))
        if self.wishes.others is not None and len(own) < len(changes):
            largest = self.wishes.others
        result = designs.blame(changes, ask, largest, lambda: self.search.over() is not None)
        minimal = result.minimal
        mine = [m for m in minimal if set(m) <= set(own)]
        before, length = [c.name for c in own], self.trace.length
        if mine and set(mine[0]) != set(own):
            self.now = space.configured(mine[0], scope)
            looked = lengths[mine[0]]
            if looked.trace is not None:
                self.take_trace(looked.trace)
            elif isinstance(self.run, Run):
                init, steps = self.run.text()
                if not self.try_run(self.now, init, steps, drop=True):
                    raise ReplayMismatch(f"{self.now.name}: a run is possible once and not twice")
        else:
            # The preset, if the switches are all it says.
            self.name_trace()
        after = [c.name for c in (mine[0] if mine else own)]
        self.blamed = tuple(
            MinimalSet(
                tuple(c.name for c in m),
                None if (trace := lengths[m].trace) is None else trace.length,
            )
            for m in minimal
        )
        self.undecided = tuple(tuple(c.name for c in m) for m in result.open)
        exact, note, open_ = self._how_sure(result, largest)
        if self.trace.length != length:
            note += f"; its trace takes {steps_text(self.trace.length)}"
        self.stages.append(Stage("design", _json(before), _json(after), exact, note, open_))

    def _how_sure(self, result: designs.Blamed, largest: int | None) -> tuple[bool, str, str]:
        if result.minimal == ((),):
            wanted = self.recorded.kind == "reachable"
            what = "it is reached" if wanted else "it fails"
            return True, f"{what} without any of them: no switch is to blame", ""
        if not self.engine:
            return False, "the best found: the run was replayed in each design", ""
        note = f"{result.looked_at} designs were searched in this scope"
        if largest is not None:
            note += f", sets of up to {largest}"
        open_ = ""
        if result.open:
            open_ = f"{len(result.open)} designs are undecided"
        if result.skipped:
            open_ = f"only {result.looked_at} designs were looked at"
        return not open_, f"the best found ({open_})" if open_ else note, open_

    def replays_in(self, configured: Configured) -> bool:
        """Whether the run shows the same in another design."""
        if not isinstance(self.run, Run):
            return False
        goal: Goal = (
            Says(self.oracle)
            if self.oracle is not None
            else Shows(
                configured.system,
                self.search.name,
                find_property(configured.system, self.search.name),
            )
        )
        player = Player(configured.system, LEAST_STEPS, self.search.over)
        return transplanted(player, goal, *self.run.text(), drop=True) is not None

    def names(self) -> None:
        """Names of sorts become the first of their kind."""
        old = self.trace
        run = self.run.run if isinstance(self.run, Endless) else self.run
        assert run is not None
        with self.system:
            for init, steps in renamings(run):
                if self.renamed(init, steps):
                    break
        if old != self.trace:
            changed = _renamed_values(old, self.trace)
            self.stages.append(Stage("names", None, changed, True, "the first of their kind"))

    def renamed(self, init: tuple[object, ...], steps: tuple[Any, ...]) -> bool:
        player = self.player(len(steps))
        begun = player.start(init)
        if begun is None:
            return False
        if isinstance(self.run, Endless):
            assert self.declared is not None
            loop = self.run.loop
            same = endless(player, begun, steps[:loop], steps[loop:], self.declared, self.stated())
            if same is None or same.size != self.run.size:
                return False
            self.take(same)
            return True
        tried = player.take(begun, steps, drop=False, done=self.goal().at_once)
        length = None if tried is None else self.goal().length(tried)
        if tried is None or length != self.trace.length:
            return False
        self.take(tried)
        return True


def _switches(trace: Trace) -> int:
    threads = [step.thread for step in trace.steps]
    return sum(a != b for a, b in zip(threads, threads[1:], strict=False))


def _size(trace: Trace, switches: int) -> dict[str, Json]:
    design: dict[str, Json] = {} if trace.preset is None else {"preset": trace.preset}
    return {
        "steps": trace.length,
        "switches": switches,
        "scope": dict(trace.scope),
        "design": design | dict(trace.design),
    }


def _renamed_values(old: Trace, new: Trace) -> dict[str, Json]:
    pairs = [
        (old.init, new.init),
        *zip((s.params for s in old.steps), (s.params for s in new.steps), strict=False),
    ]
    return {a[name]: b[name] for a, b in pairs for name in a if name in b and a[name] != b[name]}


def _json(names: list[str]) -> list[Json]:
    return list(names)
