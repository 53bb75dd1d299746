"""What decides a term is enough: the other leaves may be anything."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from explorer.compiler.dag import Dag, evaluate
from explorer.explain.causes import is_part, place_of
from explorer.explain.decides import Deciding, numbers
from tests.compiler.random_terms import Terms, terms


@given(terms(), st.data())
def test_leaves_that_do_not_decide_may_change(made: Terms, data: st.DataObject) -> None:
    size = len(made.leaves)
    deciding = Deciding(size, made.design)
    node = data.draw(st.sampled_from([*made.truths, *made.numbers]))
    value, mask = deciding.look(node, made.before, made.after)
    assert [value] == list(evaluate([node], made.before, made.after, switches=made.design))
    for state, offset in ((made.before, 0), (made.after, size)):
        for i, leaf in enumerate(made.leaves):
            if not mask >> (i + offset) & 1:
                state[i] = data.draw(st.integers(leaf.low, leaf.high))
    assert deciding.value(node, made.before, made.after) == value


def test_one_false_part_decides() -> None:
    dag = Dag()
    a, b, c = (dag.leaf(i, 0, 1, is_bool=True) for i in range(3))
    n = dag.leaf(3, 0, 5)
    deciding = Deciding(4, ())
    both = dag.and_(dag.and_(a, b), c)
    assert numbers(deciding.look(both, (0, 1, 1, 0))[1]) == [0]
    assert numbers(deciding.look(both, (1, 1, 1, 0))[1]) == [0, 1, 2]
    assert numbers(deciding.look(dag.or_(dag.and_(a, b), c), (1, 1, 1, 0))[1]) == [2]
    chosen = dag.ite(a, n, dag.number(7))
    assert numbers(deciding.look(chosen, (0, 1, 1, 2))[1]) == [0]
    assert numbers(deciding.look(chosen, (1, 1, 1, 2))[1]) == [0, 3]
    assert numbers(deciding.look(dag.mul(n, dag.to_int(a)), (0, 1, 1, 2))[1]) == [0]


def test_leaves_belong_to_places() -> None:
    assert place_of("jobs[A0].token is not None") == "jobs[A0].token"
    assert place_of("request is") == "request"
    assert place_of("len(queue[A0])") == "queue[A0]"
    assert place_of("Write(token=1) in writes") == "writes[Write(token=1)]"
    assert is_part("writes[Write(token=1)]", "writes")
    assert is_part("slots[S0].points[OKS].upper", "slots[S0]")
    assert not is_part("slots[S0]", "slot")
