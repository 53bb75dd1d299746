"""The runs of a program up to some length as constraints, made step by step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import z3

from explorer.compiler.program import Failure, Program, Transition
from explorer.symbolic.terms import Term, Terms, constant, number_of, variable, width_of


@dataclass(frozen=True)
class SymbolicRun:
    """A run in a model: the number of the initial state, and per step the transition and its parameters."""

    initial: int
    steps: tuple[tuple[int, tuple[int, ...]], ...]


class _Moment:
    """The variables of a state and of the step that leaves it."""

    def __init__(self, number: int, program: Program, choices: int, params: Sequence[int]) -> None:
        self.leaves = [variable(f"s{number}_{i}", leaf) for i, leaf in enumerate(program.leaves)]
        self.chosen = z3.BitVec(f"t{number}", width_of(0, choices - 1))
        self.params = [z3.BitVec(f"p{number}_{i}", width) for i, width in enumerate(params)]


class Unrolling:
    """Runs of ``length`` steps. ``transitions`` have ``sizes[i][j]`` values for parameter j of transition i."""

    def __init__(
        self,
        program: Program,
        transitions: Sequence[Transition],
        sizes: Sequence[Sequence[int]],
        initial: Sequence[Sequence[int]],
        switches: Sequence[int],
    ) -> None:
        self._program = program
        self._transitions = transitions
        self._sizes = sizes
        self._initial = {tuple(flat): i for i, flat in enumerate(initial)}
        self._switches = switches
        self._widths = [
            width_of(0, max(s[i] for s in sizes if len(s) > i) - 1)
            for i in range(max(map(len, sizes), default=0))
        ]
        self.solver = z3.SolverFor("QF_BV")
        # Which of several shortest runs is found must not change from run to run.
        self.solver.set("random_seed", 0)
        self._moments: list[_Moment] = []
        self._advance()
        first = self._moments[0].leaves
        self.solver.add(z3.Or([self._equal(first, flat) for flat in self._initial]))

    @property
    def length(self) -> int:
        """The number of steps that have a successor."""
        return len(self._moments) - 1

    def choose(self) -> None:
        """Demand that a step is enabled in the last state; ``happens`` speaks of it."""
        moment = self._moments[-1]
        if not self._transitions:
            self.solver.add(z3.BoolVal(False))
            return
        self.solver.add(z3.ULE(moment.chosen, len(self._transitions) - 1))
        for i, transition in enumerate(self._transitions):
            goes = z3.Not(self.now(transition.disabled))
            in_range = (
                z3.ULE(p, n - 1) for p, n in zip(moment.params, self._sizes[i], strict=False)
            )
            # An implication each, where unit propagation sees them; a disjunction of cases hides them.
            self.solver.add(z3.Implies(self._chosen(i), z3.And(goes, *in_range)))

    def happens(self, failures: Iterable[tuple[int, Failure]]) -> Term:
        """Whether the chosen step meets one of the conditions, each given with its transition."""
        return z3.Or([z3.And(self._chosen(i), self.now(f.condition)) for i, f in failures])

    def take(self) -> None:
        """Demand that the chosen step has a successor, which becomes the last state."""
        moment, now = self._moments[-1], self.now
        for i, transition in enumerate(self._transitions):
            for failure in (*transition.failures, *transition.cuts):
                self.solver.add(z3.Not(z3.And(self._chosen(i), now(failure.condition))))
        after = []
        for index, leaf in enumerate(self._program.leaves):
            value = moment.leaves[index]
            for i, transition in enumerate(self._transitions):
                if index in transition.updates:
                    changed = now.stored(transition.updates[index], leaf)
                    value = z3.If(self._chosen(i), changed, value)
            after.append(value)
        self._advance()
        for variable_, value in zip(self._moments[-1].leaves, after, strict=True):
            self.solver.add(variable_ == value)

    def last_step(self) -> Terms:
        """Translates terms over the last two states."""
        before, after = self._moments[-2:]
        return Terms(self._program.leaves, self._switches, before.leaves, after.leaves)

    def run(self, model: Term, steps: int) -> SymbolicRun:
        """The first steps of the run that a model describes."""
        first = zip(self._moments[0].leaves, self._program.leaves, strict=True)
        flat = tuple(number_of(model.eval(t, model_completion=True), leaf) for t, leaf in first)
        taken = []
        for moment in self._moments[:steps]:
            i = model.eval(moment.chosen, model_completion=True).as_long()
            values = (model.eval(p, model_completion=True).as_long() for p in moment.params)
            # A parameter with one value is a constant in the terms.
            chosen = (0 if n == 1 else v for n, v in zip(self._sizes[i], values, strict=False))
            taken.append((i, tuple(chosen)))
        return SymbolicRun(self._initial[flat], tuple(taken))

    def _advance(self) -> None:
        moment = _Moment(len(self._moments), self._program, len(self._transitions), self._widths)
        self._moments.append(moment)
        self.now = Terms(self._program.leaves, self._switches, moment.leaves, params=moment.params)

    def _chosen(self, transition: int) -> Term:
        return self._moments[-1].chosen == transition

    def _equal(self, state: Sequence[Term], flat: Sequence[int]) -> Term:
        leaves = self._program.leaves
        return z3.And(
            [s == constant(v, leaf) for s, v, leaf in zip(state, flat, leaves, strict=True)]
        )
