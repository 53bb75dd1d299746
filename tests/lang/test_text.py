"""Values as text and back, as JSON, and what changed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from explorer.lang import ModelError
from explorer.lang.run import clone, initial_states
from explorer.lang.system import design_switches
from explorer.lang.text import changes, format_value, parse_value, to_json
from explorer.lang.types import (
    BoolT,
    EnumT,
    IntT,
    OptionalT,
    OrdinalT,
    RecordT,
    SortT,
    Type,
    UnionT,
)
from explorer.lang.values import kind_of
from tests.lang.sample_model import (
    Drop,
    Frontier,
    GlobalId,
    Node,
    Publish,
    Runtime,
    Sample,
    Slot,
    SlotRef,
    Time,
)

SCOPE = {"GlobalId": 2, "SlotRef": 2, "Node": 2, "Time": 3, "Frontier": 2, "commands": 2}
COMMAND = UnionT((RecordT(Publish), RecordT(Drop)))


@pytest.fixture
def state() -> Any:
    system = Sample(SCOPE)
    _, state = next(initial_states(system))
    with system:
        yield state


def fill(s: Any) -> None:
    g0, g1 = GlobalId
    r = s.slots.alloc(Slot(Time(1)))
    s.slots[r].holders.add(Node(1))
    s.entry[g1] = r
    s.commands[Runtime.INTERACTIVE].append(Publish(g0, Time(2)))
    s.commands[Runtime.INTERACTIVE].append(Drop(g1))
    s.last = Drop(g0)
    s.upper = Frontier.top()
    s.ready.add(g0)


def test_json(state: Any) -> None:
    fill(state)
    expected = {
        "entry": {"GlobalId0": None, "GlobalId1": "SlotRef0"},
        "slots": {"SlotRef0": {"as_of": 1, "backed": False, "holders": ["Node1"]}},
        "ready": ["GlobalId0"],
        "commands": {
            "MAINTENANCE": [],
            "INTERACTIVE": [
                {"is": "Publish", "id": "GlobalId0", "as_of": 2},
                {"is": "Drop", "id": "GlobalId1"},
            ],
        },
        "leader": "Node0",
        "last": {"is": "Drop", "id": "GlobalId0"},
        "upper": "INF",
        "level": 0,
    }
    assert to_json(state) == expected
    assert json.loads(json.dumps(to_json(state))) == expected
    assert to_json(state.slots) == expected["slots"]
    assert to_json(Drop(GlobalId(0))) == {"id": "GlobalId0"}
    assert to_json(Runtime.MAINTENANCE) == "MAINTENANCE"
    assert to_json(Time(1)) == 1 and to_json(True) is True and to_json(None) is None


def test_format(state: Any) -> None:
    fill(state)
    shown = {
        "GlobalId0": GlobalId(0),
        "2": Time(2),
        "INF": Frontier.top(),
        "True": True,
        "None": None,
        "-1": -1,
        "INTERACTIVE": Runtime.INTERACTIVE,
        "Publish(id=GlobalId0, as_of=1)": Publish(GlobalId(0), Time(1)),
        "{GlobalId0}": state.ready,
        "[Publish(id=GlobalId0, as_of=2), Drop(id=GlobalId1)]": state.commands[Runtime.INTERACTIVE],
        "{GlobalId0: None, GlobalId1: SlotRef0}": state.entry,
        "{SlotRef0: Slot(as_of=1, backed=False, holders={Node1})}": state.slots,
    }
    assert {format_value(v): v for v in shown.values()} == shown


def test_changes(state: Any) -> None:
    before = clone(state)
    assert changes(before, state) == []
    fill(state)
    assert changes(before, state) == [
        ("entry[GlobalId1]", "None", "SlotRef0"),
        ("slots[SlotRef0]", "free", "Slot(as_of=1, backed=False, holders={Node1})"),
        ("ready", "{}", "{GlobalId0}"),
        (
            "commands[INTERACTIVE]",
            "[]",
            "[Publish(id=GlobalId0, as_of=2), Drop(id=GlobalId1)]",
        ),
        ("last", "None", "Drop(id=GlobalId0)"),
        ("upper", "0", "INF"),
    ]
    before = clone(state)
    slot = state.slots[SlotRef(0)]
    slot.backed = True
    slot.holders.clear()
    assert changes(before, state) == [
        ("slots[SlotRef0].backed", "False", "True"),
        ("slots[SlotRef0].holders", "{Node1}", "{}"),
    ]
    state.slots.free(SlotRef(0))
    assert changes(before, state)[0][2] == "free"


PARSED: list[tuple[Type, str, Any]] = [
    (BoolT(), "True", True),
    (BoolT(), " False ", False),
    (IntT(-2, 3), "-2", -2),
    (IntT(0, "Time"), "3", 3),
    (EnumT(Runtime), "MAINTENANCE", Runtime.MAINTENANCE),
    (EnumT(Runtime), "Runtime.MAINTENANCE", Runtime.MAINTENANCE),
    (SortT(GlobalId), "GlobalId1", GlobalId(1)),
    (SortT(GlobalId), "GlobalId(1)", GlobalId(1)),
    (OrdinalT(Time), "2", Time(2)),
    (OrdinalT(Time), "Time(2)", Time(2)),
    (OrdinalT(Frontier), "INF", Frontier.top()),
    (OrdinalT(Frontier), "1", Frontier(1)),
    (OptionalT(SortT(GlobalId)), "None", None),
    (OptionalT(SortT(GlobalId)), "GlobalId0", GlobalId(0)),
    (OptionalT(BoolT()), "False", False),
    (RecordT(Drop), "Drop(id=GlobalId0)", Drop(GlobalId(0))),
    (COMMAND, "Publish(as_of=2, id=GlobalId1)", Publish(GlobalId(1), Time(2))),
    (COMMAND, "Publish(GlobalId1, 2)", Publish(GlobalId(1), Time(2))),
    (COMMAND, "Drop(GlobalId1)", Drop(GlobalId(1))),
]


@pytest.mark.parametrize(("kind", "text", "value"), PARSED)
def test_parse(kind: Type, text: str, value: object) -> None:
    found = parse_value(kind, text, SCOPE)
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize(
    "kind",
    [BoolT(), IntT(-1, 1), EnumT(Runtime), SortT(Node), OrdinalT(Frontier), OptionalT(COMMAND)],
)
def test_what_is_shown_can_be_read(kind: Type) -> None:
    with Sample(SCOPE) as system:
        for value in kind_of(kind, system.scope).domain():
            assert parse_value(kind, format_value(value), system.scope) == value


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        (BoolT(), "true", "expected True or False, found true"),
        (BoolT(), "1", "expected True or False, found 1"),
        (BoolT(), "", "expected True or False, found nothing"),
        (IntT(0, 3), "4", "expected a number from 0 to 3, found 4"),
        (IntT(0, 3), "True", "expected a number from 0 to 3, found True"),
        (IntT(0, 3), "1.5", "expected a number from 0 to 3, found 1.5"),
        (EnumT(Runtime), "maintenance", "expected MAINTENANCE or INTERACTIVE, found maintenance"),
        (EnumT(Runtime), "Time.MAINTENANCE", "expected MAINTENANCE or INTERACTIVE"),
        (SortT(GlobalId), "Node0", "expected GlobalId0 or GlobalId1, found Node0"),
        (SortT(GlobalId), "1", "expected GlobalId0 or GlobalId1, found 1"),
        (SortT(GlobalId), "GlobalId2", "GlobalId2 is not in the scope GlobalId=2"),
        (OrdinalT(Time), "INF", "expected a Time: a number from 0 to 2, found INF"),
        (OrdinalT(Frontier), "x", "expected a Frontier: a number from 0 to 1 or INF, found x"),
        (OrdinalT(Time), "-1", "expected a Time: a number from 0 to 2, found -1"),
        (OptionalT(BoolT()), "none", "expected None or True or False, found none"),
        (RecordT(Drop), "Drop", "expected Drop(id=...), found Drop"),
        (RecordT(Drop), "Drop(GlobalId0, 1)", "expected Drop(id=...)"),
        (RecordT(Drop), "Drop(GlobalId0, id=GlobalId0)", "expected Drop(id=...)"),
        (RecordT(Drop), "Drop(x=1)", "expected Drop(id=...)"),
        (RecordT(Drop), "Drop(**x)", "expected Drop(id=...)"),
        (COMMAND, "Stop()", "expected Publish(id=..., as_of=...) or Drop(id=...), found Stop()"),
        (COMMAND, "Publish(GlobalId0, 9)", "9 is not in the scope Time=3"),
        (COMMAND, "Publish(GlobalId0", "expected Publish(id=..., as_of=...) or Drop(id=...)"),
    ],
)
def test_what_cannot_be_read(kind: Type, text: str, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        parse_value(kind, text, SCOPE)
    assert message in caught.value.message


def test_switches_can_be_read_without_a_scope() -> None:
    reuse, batch = design_switches(Sample)
    assert parse_value(reuse.type, "False", {}) is False
    assert parse_value(batch.type, "2", {}) == 2
