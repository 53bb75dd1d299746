"""Lowered programs built by hand: classic systems with published counts, and small ones for one feature each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from explorer.compiler.dag import Dag, Node
from explorer.compiler.program import ActionInfo, Failure, Leaf, Predicate, Program, Transition


class Builder:
    """Collects leaves, instances and properties; ``dag`` makes the terms."""

    def __init__(self) -> None:
        self.dag = Dag()
        self.leaves: list[Leaf] = []
        self.actions: list[ActionInfo] = []
        self.instances: list[tuple[int, tuple[int, ...]]] = []
        self.transitions: list[Transition] = []
        self.predicates: list[Predicate] = []
        self.failure_names: list[str] = []
        self.cut_names: list[str] = []
        self.final = self.dag.false

    def leaf(self, path: str, low: int, high: int) -> Node:
        self.leaves.append(Leaf(path, low, high, False))
        return self.dag.leaf(len(self.leaves) - 1, low, high)

    def flag(self, path: str) -> Node:
        self.leaves.append(Leaf(path, 0, 1, True))
        return self.dag.leaf(len(self.leaves) - 1, 0, 1, is_bool=True)

    def after(self, leaf: Node) -> Node:
        """The same leaf after the step."""
        return self.dag.leaf(leaf.value, leaf.low, leaf.high, is_bool=leaf.bool, root=1)

    def action(self, name: str, *params: tuple[str, int]) -> int:
        self.actions.append(ActionInfo(name, params))
        return len(self.actions) - 1

    def instance(
        self,
        action: int,
        values: tuple[int, ...],
        guard: Node,
        updates: Mapping[Node, Node],
        *,
        failures: Sequence[tuple[Node, str]] = (),
        soft: Sequence[tuple[Node, str]] = (),
        cuts: Sequence[tuple[Node, str]] = (),
    ) -> None:
        """Conditions are stated as a model's author would: each is narrowed to the enabled steps that got there."""
        dag = self.dag
        ends: list[Node] = []
        hard: list[list[Failure]] = [[], []]
        for found, conditions, names in (
            (hard[0], failures, self.failure_names),
            (hard[1], cuts, self.cut_names),
        ):
            for condition, name in conditions:
                narrowed = dag.all([guard, condition, *map(dag.not_, ends)])
                found.append(Failure(narrowed, _number(names, name)))
                ends.append(condition)
        softly = tuple(Failure(dag.and_(guard, c), _number(self.failure_names, n)) for c, n in soft)
        self.instances.append((action, values))
        self.transitions.append(
            Transition(
                action,
                dag.not_(guard),
                tuple(hard[0]),
                softly,
                tuple(hard[1]),
                {leaf.value: node for leaf, node in updates.items()},
            )
        )

    def property(self, name: str, kind: str, holds: Node, *failures: tuple[Node, str]) -> None:
        found = tuple(Failure(c, _number(self.failure_names, n)) for c, n in failures)
        self.predicates.append(Predicate(name, kind, holds, found))

    def program(self, switches: tuple[tuple[str, int, int], ...] = ()) -> Program:
        return Program(
            self.dag,
            tuple(self.leaves),
            switches,
            tuple(self.actions),
            tuple(self.instances),
            tuple(self.transitions),
            Predicate("final", "final", self.final, ()),
            tuple(self.predicates),
            tuple(self.failure_names),
            tuple(self.cut_names),
        )


def _number(names: list[str], name: str) -> int:
    if name not in names:
        names.append(name)
    return names.index(name)


WORKING, PREPARED, COMMITTED, ABORTED = range(4)


def two_phase_commit(n: int) -> Program:
    """Gray and Lamport's TwoPhase: states 2: 56, 3: 288, 5: 8832, 7: 296448."""
    b = Builder()
    dag = b.dag
    rm = [b.leaf(f"rm[{i}]", 0, 3) for i in range(n)]
    tm = b.leaf("tm", 0, 2)
    seen = [b.flag(f"seen[{i}]") for i in range(n)]
    sent = [b.flag(f"sent[{i}]") for i in range(n)]
    commit, abort = b.flag("commit"), b.flag("abort")
    start = dag.eq(tm, dag.number(0))

    def is_(node: Node, value: int) -> Node:
        return dag.eq(node, dag.number(value))

    action = b.action("tm_commit")
    b.instance(action, (), dag.all([start, *seen]), {tm: dag.number(1), commit: dag.true})
    action = b.action("tm_abort")
    b.instance(action, (), start, {tm: dag.number(2), abort: dag.true})
    each = ("rm", n)
    action = b.action("tm_receive_prepared", each)
    for i in range(n):
        b.instance(action, (i,), dag.and_(start, sent[i]), {seen[i]: dag.true})
    action = b.action("rm_prepare", each)
    for i in range(n):
        b.instance(
            action, (i,), is_(rm[i], WORKING), {rm[i]: dag.number(PREPARED), sent[i]: dag.true}
        )
    action = b.action("rm_choose_to_abort", each)
    for i in range(n):
        b.instance(action, (i,), is_(rm[i], WORKING), {rm[i]: dag.number(ABORTED)})
    action = b.action("rm_receive_commit", each)
    for i in range(n):
        b.instance(action, (i,), commit, {rm[i]: dag.number(COMMITTED)})
    action = b.action("rm_receive_abort", each)
    for i in range(n):
        b.instance(action, (i,), abort, {rm[i]: dag.number(ABORTED)})
    consistent = dag.not_(
        dag.and_(
            dag.any(is_(r, ABORTED) for r in rm),
            dag.any(is_(r, COMMITTED) for r in rm),
        )
    )
    b.property("consistent", "invariant", consistent)
    b.property("all_commit", "reachable", dag.all(is_(r, COMMITTED) for r in rm))
    return b.program()


def toggles(n: int) -> Program:
    """2^n states, n 2^n transitions."""
    b = Builder()
    flags = [b.flag(f"on[{i}]") for i in range(n)]
    action = b.action("toggle", ("i", n))
    for i, flag in enumerate(flags):
        b.instance(action, (i,), b.dag.true, {flag: b.dag.not_(flag)})
    return b.program()


def philosophers(n: int) -> Program:
    """Left fork, right fork, release both: one deadlock at depth n; states 3: 14, 5: 82, 12: 39202."""
    b = Builder()
    dag = b.dag
    phase = [b.leaf(f"phase[{i}]", 0, 2) for i in range(n)]

    def is_(i: int, value: int) -> Node:
        return dag.eq(phase[i % n], dag.number(value))

    actions = [b.action(name, ("i", n)) for name in ("take_left", "take_right", "release")]
    for i in range(n):
        # Fork i lies between i - 1 and i: i's left, and the right one of its neighbour.
        free = dag.not_(is_(i - 1, 2))
        b.instance(actions[0], (i,), dag.and_(is_(i, 0), free), {phase[i]: dag.number(1)})
    for i in range(n):
        b.instance(actions[1], (i,), dag.and_(is_(i, 1), is_(i + 1, 0)), {phase[i]: dag.number(2)})
    for i in range(n):
        b.instance(actions[2], (i,), is_(i, 2), {phase[i]: dag.number(0)})
    return b.program()


def counters(n: int, top: int) -> Program:
    """n counters from 0 up to ``top``: (top + 1)^n states; many bits, few states, for states of several words."""
    b = Builder()
    dag = b.dag
    values = [b.leaf(f"value[{i}]", -5, top) for i in range(n)]
    action = b.action("count", ("i", n))
    for i, value in enumerate(values):
        b.instance(
            action, (i,), dag.lt(value, dag.number(top)), {value: dag.add(value, dag.number(1))}
        )
    return b.program()
