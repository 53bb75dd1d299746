"""Decides temporal properties on a state graph, by guessing.

A node is a state with a guess which temporal parts of the formula hold from there on. A guess has to fit its state and the guess
after each step; a run along which it does, and on which every ``until`` guessed to hold comes true, has guessed right (Lichtenstein and
Pnueli, "Checking that finite state concurrent programs satisfy their linear specification", POPL 1985). There is no automaton, and
nothing is shared with the compiled search.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import networkx as nx

from explorer.lang.errors import ModelError
from explorer.lang.fairness import FairSet
from explorer.lang.formulas import (
    And,
    Atom,
    Constant,
    Formula,
    Next,
    Not,
    Or,
    Release,
    Until,
    atoms,
    parts,
    subformulas,
)

MOST_PARTS = 10
"""Formulas with more temporal parts have too many guesses."""

# With more of what a cycle can have met, it is put together piece by piece, and may be longer than the shortest.
_MOST_MET = 100_000


@dataclass(frozen=True)
class Steps:
    """A state graph: the initial states, and for each state that was expanded the steps, an instance and a state each, and the instances
    that are enabled."""

    initial: Sequence[int]
    steps: Mapping[int, Sequence[tuple[int, int]]]
    enabled: Mapping[int, frozenset[int]]


@dataclass(frozen=True)
class Lasso:
    """Instances from the initial state ``start``, and those of a cycle; without these the run stops."""

    start: int
    prefix: tuple[int, ...]
    cycle: tuple[int, ...]

    @property
    def length(self) -> int:
        """Steps of the prefix and the cycle."""
        return len(self.prefix) + len(self.cycle)


Guess: TypeAlias = tuple[bool, ...]
Letter: TypeAlias = tuple[bool, ...]
Node: TypeAlias = tuple[int, Guess]


def violation(
    graph: Steps,
    f: Formula,
    holds: Callable[[Atom, int], bool],
    fair: Sequence[FairSet],
    pause: Callable[[], None] = lambda: None,
) -> Lasso | None:
    """A fair run that does not satisfy ``f``: with the shortest prefix, and then with the shortest cycle. None if there is none.

    ``holds(atom, state)`` says whether an atom holds in a state; ``pause`` is called now and then and may raise. Raises
    ModelError for a formula with too many temporal parts.
    """
    return _Search(graph, _Meaning(Not(f)), holds, fair, pause).shortest()


class _Meaning:
    """A formula and its temporal parts, of which a guess has the values."""

    def __init__(self, f: Formula) -> None:
        self.whole = _core(f)
        self.atoms = {a: i for i, a in enumerate(atoms(f))}
        within = dict.fromkeys(subformulas(self.whole))
        self.temporal: list[Formula] = [g for g in within if isinstance(g, (Until, Next))]
        self.untils = [g for g in within if isinstance(g, Until)]
        if len(self.temporal) > MOST_PARTS:
            raise ModelError(
                f"the reference engine guesses, and {f} has {len(self.temporal)} temporal parts, more than {MOST_PARTS}",
                hint="the exhaustive engine decides it",
            )
        self.guesses = list(itertools.product((False, True), repeat=len(self.temporal)))
        self._after: dict[tuple[Letter, Guess, Letter], list[Guess]] = {}

    def value(self, f: Formula, letter: Letter, guess: Guess) -> bool:
        """What a part is worth in a state with these atoms, if the guess is right."""
        match f:
            case Constant(value):
                return value
            case Atom():
                return letter[self.atoms[f]]
            case Not(operand):
                return not self.value(operand, letter, guess)
            case And(left, right):
                return self.value(left, letter, guess) and self.value(right, letter, guess)
            case Or(left, right):
                return self.value(left, letter, guess) or self.value(right, letter, guess)
        return guess[self.temporal.index(f)]

    def after(self, letter: Letter, guess: Guess, later: Letter) -> list[Guess]:
        """The guesses that fit after a step."""
        key = letter, guess, later
        if key not in self._after:
            self._after[key] = [g for g in self.guesses if self._fits(letter, guess, later, g)]
        return self._after[key]

    def _fits(self, letter: Letter, guess: Guess, later: Letter, then: Guess) -> bool:
        for i, f in enumerate(self.temporal):
            match f:
                case Next(operand):
                    wanted = self.value(operand, later, then)
                case Until(left, right):
                    wanted = self.value(right, letter, guess) or (
                        self.value(left, letter, guess) and then[i]
                    )
            if guess[i] != wanted:
                return False
        return True

    def owes(self, until: Until, letter: Letter, guess: Guess) -> bool:
        """Whether an ``until`` holds and is still to come true."""
        return self.value(until, letter, guess) and not self.value(until.right, letter, guess)


class _Search:
    """The graph of nodes, and its fair cycles."""

    def __init__(
        self,
        graph: Steps,
        meaning: _Meaning,
        holds: Callable[[Atom, int], bool],
        fair: Sequence[FairSet],
        pause: Callable[[], None],
    ) -> None:
        self.pause = pause
        self.graph, self.meaning, self.fair = graph, meaning, fair
        self.letters: dict[int, Letter] = {}
        self.holds = holds
        self.start = [
            (s, guess)
            for s in graph.initial
            for guess in meaning.guesses
            if meaning.value(meaning.whole, self.letter(s), guess)
        ]
        self.steps = _explored(self.start, self._steps)

    def letter(self, state: int) -> Letter:
        if state not in self.letters:
            self.letters[state] = tuple(self.holds(a, state) for a in self.meaning.atoms)
        return self.letters[state]

    def _steps(self, node: Node) -> list[tuple[int, Node]]:
        self.pause()
        state, guess = node
        return [
            (instance, (after, then))
            for instance, after in self.graph.steps.get(state, ())
            for then in self.meaning.after(self.letter(state), guess, self.letter(after))
        ]

    def shortest(self) -> Lasso | None:
        """The lasso with the shortest prefix, and among these the first with the shortest cycle."""
        good = {n: part for part in self._fair_parts(set(self.steps)) for n in part}
        origin: dict[Node, tuple[Node, int] | None] = dict.fromkeys(self.start)
        level = list(origin)
        while level:
            ends = [n for n in level if self._may_stop(n)]
            if ends:
                return self._lasso(origin, ends[0], ())
            cycles = [(n, self._cycle(n, good[n])) for n in level if n in good]
            if cycles:
                return self._lasso(origin, *min(cycles, key=lambda found: len(found[1])))
            following = []
            for node in level:
                for instance, after in self.steps[node]:
                    if after not in origin:
                        origin[after] = (node, instance)
                        following.append(after)
            level = following
        return None

    def _lasso(
        self, origin: Mapping[Node, tuple[Node, int] | None], node: Node, cycle: tuple[int, ...]
    ) -> Lasso:
        prefix = []
        while (step := origin[node]) is not None:
            node, instance = step
            prefix.append(instance)
        return Lasso(node[0], tuple(reversed(prefix)), cycle)

    def _enabled(self, fair_set: FairSet, node: Node) -> bool:
        return bool(fair_set.instances & self.graph.enabled[node[0]])

    def _owes(self, until: Until, node: Node) -> bool:
        return self.meaning.owes(until, self.letter(node[0]), node[1])

    def _may_stop(self, node: Node) -> bool:
        """Whether a run may stop here, with the guess being right."""
        state, guess = node
        if self.fair and state not in self.graph.steps:
            return False
        if any(self._enabled(s, node) for s in self.fair):
            return False
        letter = self.letter(state)
        return guess in self.meaning.after(letter, guess, letter) and not any(
            self._owes(u, node) for u in self.meaning.untils
        )

    def _fair_parts(self, nodes: set[Node]) -> Iterator[set[Node]]:
        """Strongly connected sets of nodes, all of which one fair cycle may visit; they hold every node of a fair cycle."""
        graph = nx.DiGraph((n, m) for n in nodes for _, m in self.steps[n] if m in nodes)
        for part in list(nx.strongly_connected_components(graph)):
            taken = {i for n in part for i, m in self.steps[n] if m in part}
            if not taken or any(all(self._owes(u, n) for n in part) for u in self.meaning.untils):
                continue
            never = [s for s in self.fair if not s.instances & taken]
            if any(not s.strong and all(self._enabled(s, n) for n in part) for s in never):
                continue
            unfair = [s for s in never if s.strong and any(self._enabled(s, n) for n in part)]
            if unfair:
                # A fair cycle avoids the states where they are enabled.
                yield from self._fair_parts(
                    {n for n in part if not any(self._enabled(s, n) for s in unfair)}
                )
            else:
                yield part

    def _cycle(self, node: Node, part: set[Node]) -> tuple[int, ...]:
        """A shortest fair cycle through a node, inside a part."""
        self.pause()
        begin = node, self._met(node, frozenset())
        found = _path(
            begin,
            lambda at: (
                (i, (m, self._met(m, at[1] | self._by(i))))
                for i, m in self.steps[at[0]]
                if m in part
            ),
            lambda at: at[0] == node and self._is_enough(at[1]),
            _MOST_MET,
        )
        return self._pieces(node, part) if found is None else found[0]

    def _by(self, instance: int) -> frozenset[tuple[str, int]]:
        """What taking a step contributes to a fair cycle."""
        return frozenset(("met", i) for i, s in enumerate(self.fair) if instance in s.instances)

    def _met(self, node: Node, met: frozenset[tuple[str, int]]) -> frozenset[tuple[str, int]]:
        """What being at a node contributes, besides what was met already."""
        sets = list(enumerate(self.fair))
        on = {("on", i) for i, s in sets if s.strong and self._enabled(s, node)}
        off = {("met", i) for i, s in sets if not s.strong and not self._enabled(s, node)}
        untils = enumerate(self.meaning.untils)
        return met | on | off | {("until", i) for i, u in untils if not self._owes(u, node)}

    def _is_enough(self, met: frozenset[tuple[str, int]]) -> bool:
        return all(
            ("met", i) in met or (s.strong and ("on", i) not in met)
            for i, s in enumerate(self.fair)
        ) and all(("until", i) in met for i, _ in enumerate(self.meaning.untils))

    def _pieces(self, node: Node, part: set[Node]) -> tuple[int, ...]:
        """A fair cycle through a node that goes to one obligation after the other, and back."""
        taken = {i for n in part for i, m in self.steps[n] if m in part}
        goals: list[Callable[[int, Node], bool]] = []
        for s in self.fair:
            if s.instances & taken:
                goals.append(lambda i, n, s=s: i in s.instances)  # type: ignore[misc]
            elif not s.strong:
                goals.append(lambda i, n, s=s: not self._enabled(s, n))  # type: ignore[misc]
        for u in self.meaning.untils:
            goals.append(lambda i, n, u=u: not self._owes(u, n))  # type: ignore[misc]
        goals.append(lambda i, n: n == node)
        way: list[int] = []
        here = node
        for goal in goals:
            found = _path(
                (here, -1),
                lambda at: ((i, (m, i)) for i, m in self.steps[at[0]] if m in part),
                lambda at, goal=goal: goal(at[1], at[0]),  # type: ignore[misc]
            )
            assert found is not None
            way += found[0]
            here = found[1][0]
        return tuple(way)


N = TypeVar("N", bound=Hashable)


def _explored(
    start: Iterable[Node], steps: Callable[[Node], list[tuple[int, Node]]]
) -> dict[Node, list[tuple[int, Node]]]:
    """The steps of every node that can be reached."""
    found: dict[Node, list[tuple[int, Node]]] = {}
    waiting = list(start)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found[node] = steps(node)
            waiting += [after for _, after in found[node] if after not in found]
    return found


def _path(
    start: N,
    steps: Callable[[N], Iterable[tuple[int, N]]],
    ends: Callable[[N], bool],
    most: int | None = None,
) -> tuple[tuple[int, ...], N] | None:
    """A shortest path of at least one step to where it ends, and that place; None if that is not among the first ``most``."""
    origin: dict[N, tuple[N, int] | None] = {start: None}
    queue = deque([start])
    while queue:
        here = queue.popleft()
        for instance, after in steps(here):
            if ends(after):
                way = [instance]
                while (step := origin[here]) is not None:
                    here, taken = step
                    way.append(taken)
                return tuple(reversed(way)), after
            if after not in origin:
                origin[after] = (here, instance)
                queue.append(after)
        if most is not None and len(origin) > most:
            return None
    return None


def _core(f: Formula) -> Formula:
    """``f`` without ``release``: a R b = !(!a U !b)."""
    match f:
        case Release(left, right):
            return Not(Until(Not(_core(left)), Not(_core(right))))
        case Atom() | Constant():
            return f
    return type(f)(*map(_core, parts(f)))
