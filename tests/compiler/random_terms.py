"""Random terms over random leaves, for comparing what engines make of them with ``dag.evaluate``."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from explorer.compiler.dag import Dag, Node
from explorer.compiler.program import Leaf

_LOWS = (-(1 << 33), -70000, -5, -1, 0, 0, 0, 1, 3)
_WIDTHS = (0, 1, 2, 3, 7, 8, 100, 70000, 1 << 33)
_MOST = 1 << 60


@dataclass
class Terms:
    """Leaves with a value each (before and after the step), switches with a value each, and terms over them."""

    dag: Dag
    leaves: list[Leaf]
    before: list[int]
    after: list[int]
    switches: list[tuple[str, int, int]]
    design: list[int]
    numbers: list[Node]
    truths: list[Node]


@st.composite
def terms(draw: st.DrawFn, *, steps: int = 25, most: int = _MOST, after: bool = True) -> Terms:
    """Terms that stay within ``most`` in size."""
    dag = Dag()
    made = Terms(
        dag,
        [],
        [],
        [],
        [],
        [],
        [dag.number(draw(st.sampled_from((-7, 0, 1, 300, 1 << 40))))],
        [dag.true],
    )
    for number in range(draw(st.integers(1, 6))):
        low = draw(st.sampled_from(_LOWS))
        high = low + draw(st.sampled_from(_WIDTHS))
        is_bool = draw(st.booleans())
        if is_bool:
            low, high = 0, 1
        made.leaves.append(Leaf(f"leaf{number}", low, high, is_bool))
        made.before.append(draw(_value(low, high)))
        made.after.append(draw(_value(low, high)))
        for root in (0, 1) if after else (0,):
            node = dag.leaf(number, low, high, is_bool=is_bool, root=root)
            (made.truths if is_bool else made.numbers).append(node)
    for number in range(draw(st.integers(0, 2))):
        low, high, is_bool = draw(
            st.sampled_from(((0, 1, True), (-3, 4, False), (0, 70000, False)))
        )
        made.switches.append((f"switch{number}", low, high))
        made.design.append(draw(_value(low, high)))
        node = dag.switch(number, low, high, is_bool=is_bool)
        (made.truths if is_bool else made.numbers).append(node)
    for _ in range(draw(st.integers(1, steps))):
        node = draw(_operation(made))
        if node.bool:
            made.truths.append(node)
        elif -most <= node.low and node.high <= most:
            made.numbers.append(node)
    return made


def _value(low: int, high: int) -> st.SearchStrategy[int]:
    return st.one_of(st.sampled_from((low, high)), st.integers(low, high))


@st.composite
def _operation(draw: st.DrawFn, made: Terms) -> Node:
    dag = made.dag
    number, truth = st.sampled_from(made.numbers), st.sampled_from(made.truths)
    divisor = st.sampled_from((1, 2, 3, 7, 64, 1000, 1 << 35))
    op = draw(
        st.sampled_from("not and or eq same lt le add sub mul div mod ite choose int".split()),
    )
    match op:
        case "not":
            return dag.not_(draw(truth))
        case "and":
            return dag.and_(draw(truth), draw(truth))
        case "or":
            return dag.or_(draw(truth), draw(truth))
        case "same":
            return dag.eq(draw(truth), draw(truth))
        case "eq":
            return dag.eq(draw(number), draw(number))
        case "lt":
            return dag.lt(draw(number), draw(number))
        case "le":
            return dag.le(draw(number), draw(number))
        case "add":
            return dag.add(draw(number), draw(number))
        case "sub":
            return dag.sub(draw(number), draw(number))
        case "mul":
            return dag.mul(draw(number), draw(number))
        case "div":
            return dag.div(draw(number), draw(divisor))
        case "mod":
            return dag.mod(draw(number), draw(divisor))
        case "ite":
            return dag.ite(draw(truth), draw(number), draw(number))
        case "choose":
            return dag.ite(draw(truth), draw(truth), draw(truth))
        case _:
            return dag.to_int(draw(truth))
