"""Native code computes what ``dag.evaluate`` says."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from explorer.compiler.dag import Dag, Node, cone, evaluate
from explorer.compiler.llvm_program import CUT, FAILURE, SOFT, module_text
from explorer.compiler.native import Native, compile_program
from explorer.compiler.packing import MAX_WORDS, pack_leaves
from explorer.compiler.program import ActionInfo, Failure, Leaf, Predicate, Program, Transition
from explorer.lang.errors import ModelError
from tests.compiler.random_terms import Terms, terms
from tests.search.programs import Builder, two_phase_commit


def _call(address: int, *arguments: int) -> int:
    kind = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * len(arguments))
    return int(kind(address)(*arguments))


def _at(*arrays: NDArray[Any]) -> list[int]:
    return [int(array.ctypes.data) for array in arrays]


def _expand(
    native: Native, design: Sequence[int], state: Sequence[int]
) -> tuple[list[tuple[int, tuple[int, ...]]], list[tuple[int, int, int]], list[int]]:
    """(instance, successor) pairs, (instance, kind, number) events, successors per action."""
    program, words = native.program, native.packing.words
    switches = np.array([d % (1 << 64) for d in design] or [0], np.uint64)
    row = native.pack(state)
    out = np.zeros((len(program.instances) + 1, words), np.uint64)
    instance = np.zeros(len(program.instances) + 1, np.uint32)
    events = np.zeros(1000, np.uint64)
    count, taken = np.zeros(1, np.int64), np.zeros(len(program.actions), np.int64)
    found = _call(native.expand, *_at(switches, row, out, instance, events, count, taken))
    successors = [(int(instance[i]), native.unpack(out[i])) for i in range(found)]
    decoded = [(e >> 32, e >> 28 & 15, e & (1 << 28) - 1) for e in map(int, events[: count[0]])]
    return successors, decoded, taken.tolist()


def _program(
    made: Terms,
    transitions: Sequence[Transition],
    predicates: Sequence[Predicate],
    extra: Sequence[Leaf] = (),
) -> Program:
    return Program(
        made.dag,
        (*made.leaves, *extra),
        tuple(made.switches),
        (ActionInfo("a", (("i", len(transitions)),)),),
        tuple((0, (i,)) for i in range(len(transitions))),
        tuple(transitions),
        Predicate("final", "final", made.dag.false, ()),
        tuple(predicates),
        tuple(f"failure{i}" for i in range(9)),
        tuple(f"cut{i}" for i in range(9)),
    )


@settings(max_examples=60, deadline=None)
@given(terms(after=False), st.data())
def test_successors_and_events(made: Terms, data: st.DataObject) -> None:
    dag = made.dag
    truth, number = st.sampled_from(made.truths), st.sampled_from(made.numbers)
    extra: list[Leaf] = []
    transitions = []
    for _ in range(data.draw(st.integers(1, 3))):
        updates: dict[int, Node] = {}
        for node in data.draw(st.lists(st.one_of(truth, number), max_size=5)):
            updates[len(made.leaves) + len(extra)] = node
            # A little more room than the value needs, so that the offset matters.
            low, high = (0, 1) if node.bool else (node.low - 1, node.high + 2)
            extra.append(Leaf("out", low, high, node.bool))
        conditions = data.draw(st.lists(truth, min_size=4, max_size=4))
        first, second, third = conditions[1], conditions[2], conditions[3]
        transitions.append(
            Transition(
                0,
                conditions[0],
                (Failure(first, 1), Failure(dag.and_(second, dag.not_(first)), 2)),
                (Failure(third, 3),),
                (Failure(dag.all([third, dag.not_(first), dag.not_(second)]), 4),),
                updates,
            )
        )
    native = compile_program(_program(made, transitions, (), extra))
    state = (*made.before, *(leaf.low for leaf in extra))
    successors, events, taken = _expand(native, made.design, state)

    expected, happened = [], []
    for i, transition in enumerate(transitions):

        def value(node: Node) -> int:
            return next(evaluate([node], state, switches=made.design))

        if value(transition.disabled):
            continue
        happened += [(i, SOFT, f.failure) for f in transition.soft if value(f.condition)]
        hard = [(i, FAILURE, f.failure) for f in transition.failures if value(f.condition)]
        hard += [(i, CUT, f.failure) for f in transition.cuts if value(f.condition)]
        happened += hard
        if not hard:
            after = list(state)
            for leaf, node in transition.updates.items():
                after[leaf] = value(node)
            expected.append((i, tuple(after)))
    assert successors == expected
    assert events == happened
    assert taken == [len(expected)]


@settings(max_examples=60, deadline=None)
@given(terms(), st.data())
def test_predicates(made: Terms, data: st.DataObject) -> None:
    """More than 64 of them, so that there are two words of truth values."""
    chosen = data.draw(st.lists(st.sampled_from(made.truths), min_size=1, max_size=70))
    failing = data.draw(st.sampled_from(made.truths))
    predicates = [
        Predicate(f"p{i}", "step_invariant", node, (Failure(failing, 0),) if i % 2 else ())
        for i, node in enumerate(chosen)
    ]
    native = compile_program(_program(made, (), predicates))
    design = np.array([d % (1 << 64) for d in made.design] or [0], np.uint64)
    before, after = native.pack(made.before), native.pack(made.after)
    truths, failures = np.zeros(2, np.uint64), np.zeros(2, np.uint64)
    pending = np.full(2, (1 << 64) - 1, np.uint64)
    _call(native.step, *_at(design, before, after, truths, failures, pending))
    wanted = list(evaluate([*chosen, failing], made.before, made.after, (), made.design))
    for i in range(len(chosen)):
        assert int(truths[i // 64]) >> i % 64 & 1 == wanted[i]
        assert int(failures[i // 64]) >> i % 64 & 1 == (wanted[-1] if i % 2 else 0)


@settings(max_examples=60, deadline=None)
@given(terms(), st.data())
def test_pending_predicates(made: Terms, data: st.DataObject) -> None:
    """Of invariants and witnesses those are right that are asked for."""
    plain = [t for t in made.truths if not any(n.root for n in cone([t]))]
    chosen = data.draw(st.lists(st.sampled_from([made.dag.true, *plain]), min_size=1, max_size=70))
    kinds = [data.draw(st.sampled_from(("invariant", "reachable"))) for _ in chosen]
    failures = [(Failure(node, 0),) if i % 3 == 0 else () for i, node in enumerate(chosen)]
    pairs = zip(kinds, chosen, failures, strict=True)
    native = compile_program(_program(made, (), [Predicate("p", k, n, f) for k, n, f in pairs]))
    design = np.array([d % (1 << 64) for d in made.design] or [0], np.uint64)
    pending = np.array(
        [data.draw(st.integers(0, (1 << 64) - 1)) for _ in range(2)], dtype=np.uint64
    )
    truths, failed = np.full(2, 77, np.uint64), np.full(2, 77, np.uint64)
    _call(native.check, *_at(design, native.pack(made.before), truths, failed, pending))
    wanted = list(evaluate(chosen, made.before, made.after, (), made.design))
    for i in range(len(chosen)):
        if int(pending[i // 64]) >> i % 64 & 1:
            assert int(truths[i // 64]) >> i % 64 & 1 == wanted[i]
            assert int(failed[i // 64]) >> i % 64 & 1 == (wanted[i] if i % 3 == 0 else 0)


@given(
    st.lists(
        st.tuples(
            st.integers(-(1 << 40), 1 << 40), st.sampled_from((0, 1, 2, 5, 100, 1 << 31, 1 << 61))
        ),
        max_size=40,
    ),
    st.data(),
)
def test_packing_is_lossless(ranges: list[tuple[int, int]], data: st.DataObject) -> None:
    leaves = [Leaf(f"x{i}", low, low + width, False) for i, (low, width) in enumerate(ranges)]
    packing = pack_leaves(leaves)
    values = tuple(data.draw(st.integers(leaf.low, leaf.high)) for leaf in leaves)
    assert packing.unpack(packing.pack(values)) == values
    taken = [(f.word, bit) for f in packing.fields for bit in range(f.shift, f.shift + f.width)]
    assert len(set(taken)) == len(taken)
    assert all(bit < 64 for _, bit in taken)


def test_packing_refuses_a_value_out_of_range() -> None:
    packing = pack_leaves([Leaf("x", 0, 2, False), Leaf("y", 0, 2, False)])
    with pytest.raises(ValueError, match="outside"):
        packing.pack((0, 3))


def test_packing_takes_leaves_by_width_when_that_saves_a_word() -> None:
    widths = (30, 40, 24, 34)
    packing = pack_leaves([Leaf("x", 0, (1 << w) - 1, False) for w in widths])
    assert packing.words == 2


def test_a_state_too_wide_is_refused_with_its_widest_fields() -> None:
    leaves = [Leaf(f"queue[{i}].id", 0, 255, False) for i in range(8 * MAX_WORDS)]
    with pytest.raises(ModelError, match=r"queue \(4096 bits\)") as error:
        pack_leaves([*leaves, Leaf("flag", 0, 1, True)])
    assert "scope" in error.value.hint


def test_an_expression_too_wide_is_refused() -> None:
    b = Builder()
    x = b.leaf("x", 0, 1 << 40)
    b.property("p", "invariant", b.dag.lt(b.dag.mul(x, x), b.dag.number(1 << 50)))
    with pytest.raises(ModelError, match="smaller bounds"):
        compile_program(b.program())


def test_a_deep_term_does_not_overflow_the_stack() -> None:
    b = Builder()
    x = b.leaf("x", 0, 1)
    node: Node = x
    for i in range(3000):
        node = b.dag.mod(b.dag.add(node, b.dag.number(i % 2)), 2)
    b.instance(b.action("a"), (), b.dag.true, {x: node})
    native = compile_program(b.program())
    assert _expand(native, (), (0,))[0] == [(0, (next(evaluate([node], (0,))),))]


def test_the_module_is_a_function_of_the_program() -> None:
    first, second = two_phase_commit(3), two_phase_commit(3)
    text = module_text(first, pack_leaves(first.leaves))
    assert text == module_text(second, pack_leaves(second.leaves))
    assert text == module_text(first, pack_leaves(first.leaves))


def test_native_code_without_actions() -> None:
    dag = Dag()
    made = Terms(dag, [], [], [], [], [], [], [])
    native = compile_program(_program(made, (), ()))
    assert _expand(native, (), ()) == ([], [], [0])
