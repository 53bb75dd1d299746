"""Running a model: initial states, steps and how they end, properties."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from explorer.lang import ModelError, properties
from explorer.lang.properties import properties_for, property_of
from explorer.lang.run import (
    Blocked,
    Cut,
    Failed,
    Next,
    actions_of,
    clone,
    evaluate,
    init_params,
    initial_states,
    instances,
    is_final,
    key,
    step,
)
from explorer.lang.system import design_switches, needed_scope, switch_values, with_preset
from explorer.lang.text import format_value
from tests.lang.sample_model import Drop, GlobalId, Publish, Runtime, Sample, Time
from tests.lang.sources import load

TEXT = """
@record(frozen=True)
class Pair:
    a: Name
    b: Level
@record
class Part:
    level: Level
@record
class State:
    level: Level
    other: Level
    maybe: Name | None
    names: Set[Name]
    parts: Map[Color, Part]
    pool: Pool[Name, Part]
    queue: Seq[Level]

def helper(s: State) -> None:
    s.level = 3
    assert s.other == 3

def deep(s: State) -> Name:
    return given(s.maybe)

class Model(System[State]):
    default_scope = {"Name": 2, "queue": 1}
    @action
    def go(self, s: State) -> None:
        BODY
"""


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path


def run(directory: Path, body: str, **fields: object) -> tuple[Any, Any]:
    """The outcome of an action with ``body`` from the initial state."""
    module = load(directory, TEXT.replace("BODY", body))
    system = module.Model()
    _, state = next(initial_states(system))
    before = key(state)
    (instance,) = instances(system)
    outcome = step(system, state, instance)
    assert key(state) == before
    return outcome, module


FAILURES = {
    "panic('Out of   Slots!')": "panic:out_of_slots",
    "assert s.level == 1, 'Level is 1'": "assert:level_is_1",
    "assert s.level == 1": "assert:go",
    "helper(s)": "assert:helper",
    "s.level -= 1": "range:level",
    "s.parts[Color.RED].level = 4": "range:level",
    "s.names.remove(next(iter(Name)))": "range:names",
    "s.queue.pop_first()": "range:queue",
    "s.pool[next(iter(Name))].level = 1": "freed:pool",
    "s.names.add(s.maybe)": "none:go",
    "s.level = s.maybe": "none:go",
    "s.pool[s.maybe].level = 1": "none:go",
    "s.level = s.maybe + 1": "none:go",
    "s.level = s.maybe.level": "none:go",
    "any(s.pool[s.maybe].level == 1 for n in Name)": "none:go",
    "Pair(s.maybe, 1)": "none:go",
    "Pair(next(iter(Name)), 9)": "range:b",
}


@pytest.mark.parametrize("body", FAILURES)
def test_a_step_fails(body: str, directory: Path) -> None:
    outcome, module = run(directory, body)
    assert isinstance(outcome, Failed)
    assert outcome.name == FAILURES[body]
    assert outcome.soft == ()
    assert outcome.where is not None and outcome.where.file == module.__file__
    if body != "helper(s)":
        assert body.split("=")[0].split("(")[0].strip() in outcome.where.render()


def test_the_first_failure_counts(directory: Path) -> None:
    outcome, _ = run(directory, "s.level = 7; panic('late')")
    assert outcome.name == "range:level"


def test_soft_panics_are_collected(directory: Path) -> None:
    outcome, _ = run(directory, "soft_panic('a b'); s.level = 1; soft_panic('c'); soft_panic('c')")
    assert isinstance(outcome, Next)
    assert outcome.soft == ("soft_panic:a_b", "soft_panic:c")
    assert outcome.state.level == 1


def test_a_failure_after_a_soft_panic_reports_both(directory: Path) -> None:
    outcome, _ = run(directory, "soft_panic('odd'); panic('bad')")
    assert isinstance(outcome, Failed)
    assert (outcome.name, outcome.soft) == ("panic:bad", ("soft_panic:odd",))


def test_a_cut_after_a_soft_panic_reports_both(directory: Path) -> None:
    outcome, _ = run(directory, "soft_panic('odd'); s.queue.append(1); s.queue.append(1)")
    assert outcome == Cut("queue", ("soft_panic:odd",))


@pytest.mark.parametrize(
    ("body", "source"),
    [
        ("s.level = 1; soft_panic('odd'); require(s.level == 2)", "require(s.level == 2)"),
        ("given(s.maybe)", "given(s.maybe)"),
        ("s.names.add(deep(s))", "return given(s.maybe)"),
    ],
)
def test_a_disabled_step_leaves_no_trace(body: str, source: str, directory: Path) -> None:
    outcome, module = run(directory, body)
    assert isinstance(outcome, Blocked)
    assert source in outcome.reason and outcome.reason.startswith(f"{module.__file__}:")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("s.level = 1 // 0", "go raises ZeroDivisionError: integer division or modulo by zero"),
        ("{}['a']", "go raises KeyError: 'a'"),
        ("s.level = len(3)", "go raises TypeError: object of type 'int' has no len()"),
        ("next(iter(Name)) < next(iter(Name))", "go raises TypeError: '<' not supported"),
        ("s.level.foo", "go raises AttributeError: 'int' object has no attribute 'foo'"),
        ("s.levl = 3", "in go: State has no field levl"),
        ("s.level = 'x'", "in go: level holds int 0..3, not 'x'"),
        ("self.count = 1", "in go: a System has no state of its own: count"),
        ("s.maybe = Name(5)", "in go: the scope is too small for Name(5): Name=2"),
        ("self.go(s)", "go raises RecursionError"),
    ],
)
def test_a_model_that_raises_is_broken(body: str, message: str, directory: Path) -> None:
    with pytest.raises(ModelError) as caught:
        run(directory, body)
    assert message in caught.value.message
    where = caught.value.where
    assert where is not None and body in where.render()


def test_the_sample() -> None:
    system = Sample()
    assert system.name == "Sample"
    assert [(a.name, a.thread) for a in actions_of(system)] == [
        ("send", Runtime.INTERACTIVE),
        ("receive", Runtime.MAINTENANCE),
        ("leave", "node"),
        ("close", None),
    ]
    assert [p.name for p in init_params(system)] == ["leader"]
    values = [i.values for i in instances(system) if i.action.name == "send"]
    g = GlobalId(0)
    assert values == [(Publish(g, Time(0)),), (Publish(g, Time(1)),), (Drop(g),)]
    (choice, state), *rest = initial_states(system)
    assert not rest and choice == (state.leader,)
    outcome = step(system, state, instances(system)[-1])
    assert isinstance(outcome, Next)
    assert is_final(system, outcome.state) and not is_final(system, state)
    assert [p.name for p in properties_for(system)] == [
        "a_ready_id_is_backed",
        "upper_never_falls",
        "both_levels",
    ]


def test_every_choice_of_inits_parameters_is_an_initial_state() -> None:
    found = [values for values, _ in initial_states(Sample({"Node": 3}))]
    assert [str(v) for (v,) in found] == ["Node0", "Node1", "Node2"]


def test_instances_come_in_order_of_their_parameters(directory: Path) -> None:
    text = TEXT.replace(
        "s: State) -> None:\n        BODY", "s: State, a: Color, b: bool | None) -> None: ..."
    )
    module = load(directory, text)
    shown = [[format_value(v) for v in i.values] for i in instances(module.Model())]
    assert shown == [[c, b] for c in ("RED", "GREEN") for b in ("None", "False", "True")]


def test_clone_is_independent_and_key_is_equal_for_equal_states() -> None:
    system = Sample()
    _, state = next(initial_states(system))
    other = clone(state)
    assert other == state and key(other) == key(state)
    with system:
        other.commands[Runtime.MAINTENANCE].append(Drop(GlobalId(0)))
    assert other != state and key(other) != key(state)
    assert len(state.commands[Runtime.MAINTENANCE]) == 0
    assert hash(key(clone(other))) == hash(key(other))
    _, again = next(initial_states(Sample()))
    assert key(again) == key(state)


# Actions in classes

CLASSES = """
@record
class State:
    level: Level
class Base(System[State]):
    @action
    def first(self, s: State) -> None: "First."
    @action
    def second(self, s: State) -> None: ...
class Model(Base):
    default_scope: dict[str, int] = {}
    @action
    def third(self, s: State) -> None: ...
    @action(thread=Color.RED)
    def first(self, s: State) -> None:
        super().first(s)
        s.level = 2
class Swap:
    @action
    def second(self, s: State) -> None: s.level = 3
class Later(Model):
    name = "later"
Model.presets = {"swap": Swap, "both": (Swap, {"x": 1}), "later": Later}
"""


def test_actions_of_base_classes_come_first_and_an_override_keeps_its_place(
    directory: Path,
) -> None:
    module = load(directory, CLASSES)
    system = module.Model()
    first, second, third = actions_of(system)
    assert [a.name for a in (first, second, third)] == ["first", "second", "third"]
    assert first.owner is module.Model and second.owner is module.Base
    assert first.thread is module.Color.RED
    _, state = next(initial_states(system))
    outcome = step(system, state, instances(system)[0])
    assert isinstance(outcome, Next) and outcome.state.level == 2


def test_presets_put_a_class_in_front(directory: Path) -> None:
    module = load(directory, CLASSES)
    cls, switches = with_preset(module.Model, "swap")
    assert issubclass(cls, module.Swap) and switches == {}
    assert cls.__name__ == "Model" and cls.__doc__ == module.Model.__doc__
    assert cls is with_preset(module.Model, "swap")[0]
    assert [a.owner for a in actions_of(cls())] == [module.Model, module.Swap, module.Model]
    assert with_preset(module.Model, "both")[1] == {"x": 1}
    later, _ = with_preset(module.Model, "later")
    assert later().name == "later"


def test_generic_parts_of_a_system(directory: Path) -> None:
    text = """
    from typing import TypeVar
    @record
    class Part:
        level: Level
    @record
    class State:
        part: Part
    S = TypeVar("S")
    T = TypeVar("T")
    class Mechanism(System[S]):
        @action
        def go(self, s: Part) -> None: ...
    class Middle(Mechanism[T]): ...
    class Model(Middle[State]): ...
    class Same(Model): ...
    """
    module = load(directory, text)
    assert module.Same().state_type is module.State


# Design


def test_switches() -> None:
    assert [(s.name, s.default) for s in design_switches(Sample)] == [("reuse", True), ("batch", 1)]
    system = Sample(design={"batch": 2})
    assert switch_values(system) == {"reuse": True, "batch": 2}
    assert Sample().design.batch == 1
    assert with_preset(Sample, "no_reuse") == (Sample, {"reuse": False})
    assert needed_scope(Sample) == ("GlobalId", "SlotRef", "Time", "Node", "commands", "Frontier")


# Properties

COMPONENTS = """
@record
class Part:
    level: Level
@record
class State:
    one: Part
    many: Map[Color, Part]
    pool: Pool[Name, Part]
class Model(System[State]):
    default_scope = {"Name": 1}
    @action
    def go(self, s: State) -> None: ...
@invariant
def low(p: Part) -> bool: return p.level < 2
@reachable
def high(p: Part) -> bool: return p.level == 3
@step_invariant
def grows(before: Part, after: Part) -> bool: return before.level <= after.level
@invariant
def odd(p: Part) -> bool:
    BODY
"""


def test_a_property_of_a_component_speaks_of_all_its_occurrences(directory: Path) -> None:
    m = load(directory, COMPONENTS.replace("BODY", "return True"))
    system = m.Model()
    low, high, grows, _ = properties_for(system)
    assert (low.name, low.kind, low.record, low.file) == ("low", "invariant", m.Part, m.__file__)
    assert low == property_of(m.low)
    _, state = next(initial_states(system))
    assert evaluate(system, low, state) and not evaluate(system, high, state)
    after = clone(state)
    after.many[m.Color.GREEN].level = 3
    assert not evaluate(system, low, after) and evaluate(system, high, after)
    assert evaluate(system, grows, state, after) and not evaluate(system, grows, after, state)
    with pytest.raises(ModelError, match="is no property"):
        property_of(callable)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return p.level // 0 == 0", "the property odd raises ZeroDivisionError"),
        ("panic('no')", "the property odd cannot be evaluated in every state: panic:no no"),
        ("require(False); return True", "the property odd uses require or given"),
        ("return Name.foo", "the property odd raises AttributeError"),
    ],
)
def test_a_property_that_cannot_be_evaluated(body: str, message: str, directory: Path) -> None:
    m = load(directory, COMPONENTS.replace("BODY", body))
    system = m.Model()
    _, state = next(initial_states(system))
    with pytest.raises(ModelError) as caught:
        evaluate(system, property_of(m.odd), state)
    assert message in caught.value.message
    assert caught.value.where is not None and body.split(";")[0] in caught.value.where.render()


def test_a_reloaded_module_replaces_its_properties(directory: Path) -> None:
    m = load(directory, COMPONENTS.replace("BODY", "return True"))
    before = len(properties._REGISTRY)
    assert m.__spec__ is not None and m.__spec__.loader is not None
    m.__spec__.loader.exec_module(m)
    assert len(properties._REGISTRY) == before
    assert len(properties_for(m.Model())) == 4


def test_a_module_is_a_plain_module(directory: Path) -> None:
    assert isinstance(load(directory, ""), ModuleType)
