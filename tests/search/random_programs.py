"""Random small programs whose state spaces are finite and small."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from explorer.compiler.dag import Node
from explorer.compiler.program import Program
from tests.search.programs import Builder


@st.composite
def programs(
    draw: st.DrawFn, *, failing_properties: bool = False
) -> tuple[Program, list[tuple[int, ...]]]:
    """A program and its initial states."""
    b = Builder()
    dag = b.dag
    leaves: list[Node] = []
    for number in range(draw(st.integers(1, 4))):
        if draw(st.booleans()):
            leaves.append(b.flag(f"flag{number}"))
        else:
            low = draw(st.sampled_from((-2, 0, 1)))
            leaves.append(b.leaf(f"x{number}", low, low + draw(st.integers(1, 4))))
    leaf = st.sampled_from(leaves)
    # States of two or three words, whose values show in both halves of a word.
    wide = [b.leaf(f"wide{i}", 0, _WIDE) for i in range(draw(st.integers(0, 2)))]

    def condition(step: bool = False) -> Node:
        node = draw(leaf)
        if step and draw(st.booleans()):
            node = b.after(node)
        if not node.bool:
            compare: Callable[[Node, Node], Node] = draw(st.sampled_from((dag.eq, dag.lt, dag.le)))
            same = b.after(node) if step and not node.root else node
            other = draw(
                st.sampled_from([dag.number(draw(st.integers(node.low, node.high))), same])
            )
            node = compare(node, other)
        return dag.not_(node) if draw(st.booleans()) else node

    def conditions(most: int) -> list[tuple[Node, str]]:
        return [
            (dag.and_(condition(), condition()), draw(st.sampled_from("pqr")))
            for _ in range(draw(st.integers(0, most)))
        ]

    def update(target: Node) -> Node:
        if target.bool:
            return draw(st.sampled_from([dag.true, dag.not_(target), condition()]))
        size = target.high - target.low + 1
        shifted = dag.add(
            dag.sub(target, dag.number(target.low)), dag.number(draw(st.integers(1, size)))
        )
        wrapped = dag.add(dag.mod(shifted, size), dag.number(target.low))
        return dag.ite(condition(), wrapped, dag.number(draw(st.integers(target.low, target.high))))

    for number in range(draw(st.integers(1, 3))):
        count = draw(st.integers(1, 2))
        action = b.action(f"a{number}", ("i", count))
        for i in range(count):
            targets = draw(st.lists(leaf, max_size=3, unique_by=lambda n: n.id))
            updates = {target: update(target) for target in targets}
            for target in wide:
                updates[target] = dag.number(draw(st.sampled_from((0, 1, 1 << 40, _WIDE))))
            b.instance(
                action,
                (i,),
                dag.any(condition() for _ in range(draw(st.integers(1, 2)))),
                updates,
                failures=conditions(1),
                soft=conditions(1),
                cuts=conditions(1),
            )
    for number, kind in enumerate(draw(st.lists(st.sampled_from(_KINDS), max_size=5))):
        step = kind == "step_invariant"
        holds = dag.or_(condition(step), condition(step))
        failures = [(dag.and_(condition(step), condition(step)), "f")] if failing_properties else []
        b.property(f"property{number}", kind, holds, *failures)
    if draw(st.booleans()):
        b.final = condition()
    program = b.program()
    states = st.tuples(*(st.integers(x.low, x.high) for x in program.leaves))
    return program, draw(st.lists(states, min_size=1, max_size=3))


_WIDE = (1 << 60) - 1
_KINDS = ("invariant", "step_invariant", "reachable")
