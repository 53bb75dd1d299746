"""z3 terms mean what ``dag.evaluate`` says."""

from __future__ import annotations

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.compiler.dag import Dag, evaluate
from explorer.compiler.program import Leaf
from explorer.symbolic.terms import Terms, constant, number_of, width_of
from tests.compiler.random_terms import Terms as Made
from tests.compiler.random_terms import terms


@settings(max_examples=150, deadline=None)
@given(terms())
def test_terms(made: Made) -> None:
    """Every term over constant leaves simplifies to its value, also when stored in a wider leaf."""
    translate = Terms(
        made.leaves,
        made.design,
        [constant(v, leaf) for v, leaf in zip(made.before, made.leaves, strict=True)],
        [constant(v, leaf) for v, leaf in zip(made.after, made.leaves, strict=True)],
    )
    nodes = [*made.truths, *made.numbers]
    wanted = evaluate(nodes, made.before, made.after, (), made.design)
    for node, value in zip(nodes, wanted, strict=True):
        for leaf in (
            Leaf("same", node.low, node.high, node.bool),
            Leaf("wider", node.low - 1, node.high + 3, False),
        ):
            if leaf.is_bool or not node.bool:
                term = z3.simplify(translate.stored(node, leaf))
                assert number_of(term, leaf) == value


@given(st.integers(-1000, 1000), st.integers(0, 2000))
def test_width_is_the_least_that_holds_both_ends(low: int, width: int) -> None:
    high = low + width
    bits = width_of(low, high)
    least, most = (0, (1 << bits) - 1) if low >= 0 else (-(1 << bits - 1), (1 << bits - 1) - 1)
    assert least <= low
    assert high <= most
    assert bits == 1 or high > most >> 1 or low < least >> 1


@pytest.mark.parametrize("value", [-8, -7, -1, 0, 1, 6, 7])
@pytest.mark.parametrize("divisor", [2, 3, 7])
def test_floor_division(value: int, divisor: int) -> None:
    dag = Dag()
    leaf = Leaf("x", -8, 7, False)
    x = dag.leaf(0, -8, 7)
    translate = Terms([leaf], (), [constant(value, leaf)])
    for node, wanted in (
        (dag.div(x, divisor), value // divisor),
        (dag.mod(x, divisor), value % divisor),
    ):
        out = Leaf("out", node.low, node.high, False)
        assert number_of(z3.simplify(translate(node)), out) == wanted


def test_a_parameter_is_translated() -> None:
    dag = Dag()
    p = dag.param(1, 0, 5)
    params = (z3.BitVec("unused", 1), z3.BitVec("p", 3))
    translate = Terms([], (), (), params=params)
    solver = z3.Solver()
    solver.add(translate(dag.eq(p, dag.number(4))))
    assert solver.check() == z3.sat
    assert solver.model()[params[1]].as_long() == 4
