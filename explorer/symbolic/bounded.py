"""Bounded model checking of a lowered program: every violation and witness within some number of steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import z3

from explorer.compiler.program import Failure, Program, Transition
from explorer.symbolic.terms import Term, Terms
from explorer.symbolic.unrolling import SymbolicRun, Unrolling

# What a run can show: its kind, and the number of the property, failure or cut it is about.
Goal = tuple[str, int]
PROPERTY, UNCLEAR, FAILURE, CUT, DEADLOCK, FINAL_UNCLEAR = (
    "property",
    "unclear",
    "failure",
    "cut",
    "deadlock",
    "final",
)


@dataclass
class Bounded:
    """A shortest run to everything that was found. ``depth`` is how many steps were looked at.

    ``stopped`` says why that is fewer than asked for: z3 gave up or was interrupted.
    """

    runs: dict[Goal, SymbolicRun] = field(default_factory=dict)
    depth: int = 0
    stopped: str | None = None


def look(
    unrolling: Unrolling, program: Program, transitions: tuple[Transition, ...], depth: int
) -> Bounded:
    """Look at all runs of up to ``depth`` steps, shorter ones first.

    It goes on until everything is found, unless a property cannot be evaluated or no run is long enough.
    """
    search = _Search(unrolling, program, transitions)
    try:
        search.go(depth)
    except _Unknown as unknown:
        search.found.stopped = str(unknown)
    except KeyboardInterrupt:
        search.found.stopped = "interrupted"
    return search.found


class _Unknown(Exception):
    """z3 has no answer."""


class _Search:
    def __init__(
        self, unrolling: Unrolling, program: Program, transitions: tuple[Transition, ...]
    ) -> None:
        self.unrolling = unrolling
        self.solver = unrolling.solver
        self.program = program
        self.transitions = transitions
        self.found = Bounded()
        self.questions = 0

    def go(self, depth: int) -> None:
        unrolling = self.unrolling
        while True:
            self.found.depth = unrolling.length
            self.decide(dict(self.about_state()), unrolling.length)
            if unrolling.length == depth or self.cannot_go_on():
                return
            unrolling.choose()
            self.decide(dict(self.about_choice()), unrolling.length + 1)
            unrolling.take()
            self.decide(dict(self.about_step()), unrolling.length)
            if self.ask() is None:
                return

    def cannot_go_on(self) -> bool:
        return any(kind in (UNCLEAR, FINAL_UNCLEAR) for kind, _ in self.found.runs)

    def about_state(self) -> Iterator[tuple[Goal, Term]]:
        """What the last state can show."""
        now, final = self.unrolling.now, self.program.final
        yield from self.about_properties(now, on_steps=False)
        stuck = z3.And([now(t.disabled) for t in self.program.transitions])
        unclear = _any(now, final.failures)
        yield (FINAL_UNCLEAR, 0), z3.And(stuck, unclear)
        yield (DEADLOCK, 0), z3.And(stuck, z3.Not(unclear), z3.Not(now(final.holds)))

    def about_choice(self) -> Iterator[tuple[Goal, Term]]:
        """What a step from the last state can show, whether it has a successor or not."""
        causes: dict[Goal, list[tuple[int, Failure]]] = {}
        for i, transition in enumerate(self.transitions):
            for f in (*transition.failures, *transition.soft):
                causes.setdefault((FAILURE, f.failure), []).append((i, f))
            for f in transition.cuts:
                causes.setdefault((CUT, f.failure), []).append((i, f))
        for goal in sorted(causes):
            if goal not in self.found.runs:
                yield goal, self.unrolling.happens(causes[goal])

    def about_step(self) -> Iterator[tuple[Goal, Term]]:
        """What the last step can show together with its successor."""
        return self.about_properties(self.unrolling.last_step(), on_steps=True)

    def about_properties(self, terms: Terms, *, on_steps: bool) -> Iterator[tuple[Goal, Term]]:
        for i, p in enumerate(self.program.predicates):
            if (p.kind == "step_invariant") == on_steps and (PROPERTY, i) not in self.found.runs:
                unclear, holds = _any(terms, p.failures), terms(p.holds)
                yield (UNCLEAR, i), unclear
                hit = holds if p.kind == "reachable" else z3.Not(holds)
                yield (PROPERTY, i), z3.And(z3.Not(unclear), hit)

    def decide(self, goals: Mapping[Goal, Term], steps: int) -> None:
        """Find a run of ``steps`` steps to each goal that has one: one question for all, another for what is left."""
        left = {goal: term for goal, term in goals.items() if goal not in self.found.runs}
        while left:
            model = self.ask(z3.Or(list(left.values())))
            if model is None:
                # A lemma for longer runs, which pass through this state: a quarter of the time less.
                self.solver.add([z3.Not(term) for term in left.values()])
                return
            for goal, term in list(left.items()):
                if z3.is_true(model.eval(term, model_completion=True)):
                    self.found.runs[goal] = self.unrolling.run(model, steps)
                    del left[goal]

    def ask(self, *conditions: Term) -> Term:
        """A model of the run so far and the conditions; None if there is none."""
        self.questions += 1
        question = z3.Bool(f"q{self.questions}")
        self.solver.add([z3.Implies(question, c) for c in conditions])
        answer = self.solver.check(question)
        if answer == z3.sat:
            return self.solver.model()
        self.solver.add(z3.Not(question))
        if answer == z3.unknown:
            raise _Unknown(self.solver.reason_unknown())
        return None


def _any(terms: Terms, failures: tuple[Failure, ...]) -> Term:
    return z3.Or([terms(f.condition) for f in failures])
