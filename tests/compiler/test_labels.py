"""The predicates of temporal properties, compiled: they say about a state what CPython says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from explorer.compiler.lower import lower
from explorer.compiler.native import compile_program
from explorer.lang import ModelError
from explorer.lang.run import holds
from explorer.liveness.labels import labels_of
from explorer.reference import explore
from explorer.search.check import check
from explorer.search.explore import search
from tests.lang.sources import load

MODEL = """
class Side(Ordinal): ...
@record
class Gate:
    open: bool
    level: Level
@record
class State:
    gates: Map[Side, Gate]
    holder: Side | None
    names: Set[Name]
class Model(System[State]):
    default_scope = {"Side": 2, "Name": 2}
    @action
    def turn(self, s: State, side: Side) -> None:
        s.gates[side].open = not s.gates[side].open
        s.holder = side if s.gates[side].open else None
    @action
    def lift(self, s: State, side: Side) -> None:
        require(s.gates[side].level < 3)
        s.gates[side].level += 1
    @action
    def note(self, s: State, name: Name) -> None:
        s.names.add(name)
def opened(g: Gate) -> bool:
    return g.open
def at(g: Gate, level: Level) -> bool:
    return g.level >= level
def holds_it(s: State, side: Side | None) -> bool:
    return s.holder == side
def has(s: State, name: Name) -> bool:
    return name in s.names
def both(s: State) -> bool:
    return all(g.open for g in s.gates.values())
@temporal
def a_gate(level: Level) -> Formula:
    return leads_to(opened, now(at, level))
@temporal
def holding(side: Side | None) -> Formula:
    return eventually(now(holds_it, side))
@temporal
def names(name: Name) -> Formula:
    return ltl("F has -> F both", both, has=now(has, name))
@temporal
def nothing() -> Formula:
    return eventually(now(holds_it, None))
"""


def test_labels_say_what_cpython_says(tmp_path: Path) -> None:
    system = load(tmp_path, MODEL).Model()
    lowered = lower(system)
    assert [str(p.name) for p, _ in lowered.temporal] == [
        *["a_gate"] * 8,
        *["holding"] * 3,
        *["names"] * 2,
        "nothing",
    ]
    assert [str(b) for b in lowered.labels] == [p.name for p in lowered.program.labels]
    # Each once, however many formulas share it.
    assert len(set(lowered.labels)) == len(lowered.labels) == 2 + 8 + 3 + 2 + 1
    assert {p.kind for p in lowered.program.labels} == {"label"}
    native = compile_program(lowered.program)
    found = search(native, [leaves for _, leaves in lowered.initial], switches=())
    assert found.complete
    labels = labels_of(found, lowered.switch_values)
    graph = explore(system, ()).graph
    assert found.states == graph.number_of_nodes()
    wanted = {
        tuple(holds(system, bound, state) for bound in lowered.labels)
        for _, state in graph.nodes(data="state")
    }
    bits = (labels[:, :1] >> np.arange(len(lowered.labels), dtype=np.uint64)) & np.uint64(1)
    assert {tuple(row) for row in bits.astype(bool).tolist()} == wanted
    # Both number the states in the order in which they are found.
    for number, state in graph.nodes(data="state"):
        assert bits[number].astype(bool).tolist() == [
            holds(system, bound, state) for bound in lowered.labels
        ]


WRONG = (
    MODEL.split("def opened")[0]
    + """
def wrong(s: State) -> bool:
    if len(s.names) > 0:
        panic("it has names")
    return True
@temporal
def it() -> Formula:
    return eventually_always(wrong)
"""
)


def test_a_predicate_that_cannot_be_evaluated_is_no_verdict(tmp_path: Path) -> None:
    system = load(tmp_path, WRONG).Model()
    with pytest.raises(ModelError) as caught:
        check(system)
    assert "the predicate wrong cannot be evaluated in every state" in caught.value.message
    assert "panic:it_has_names" in caught.value.message
    assert caught.value.where is not None
    assert 'panic("it has names")' in caught.value.where.render()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("s.names.clear()\n    return True", "wrong"),
        ("require(len(s.names) > 0)\n    return True", "require"),
        ("return any(x.y for x in s.names)", "y"),
    ],
)
def test_what_no_predicate_can_be_is_refused_before_the_search(
    body: str, message: str, tmp_path: Path
) -> None:
    text = (
        MODEL.split("def opened")[0]
        + f"def wrong(s: State) -> bool:\n    {body}\n"
        + "@temporal\ndef it() -> Formula:\n    return eventually(wrong)\n"
    )
    with pytest.raises(ModelError) as caught:
        check(load(tmp_path, text).Model())
    assert message in caught.value.message
    assert caught.value.where is not None
