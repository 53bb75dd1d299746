"""Temporal properties and fairness as they are declared, and what is refused."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from types import ModuleType

import pytest

from explorer.lang import ModelError
from explorer.lang.fairness import fair_sets, strong, weak
from explorer.lang.properties import forget, properties_for
from explorer.lang.run import holds, initial_states, instances
from explorer.lang.temporal import fairness_of, temporal_instances
from tests.lang.sources import load

MODEL = """
class Side(Ordinal): ...
@record
class Gate:
    open: bool
@record
class State:
    level: Level
    gates: Map[Side, Gate]
    lonely: Gate
    pool: Pool[Name, Level]
class Model(System[State]):
    default_scope = {"Name": 2, "Side": 2, "Time": 2}
    fairness = (weak("rise"), weak.each("swing"), strong.threads())
    @action(thread=Color.RED)
    def rise(self, s: State) -> None:
        s.level = min(s.level + 1, 3)
    @action(thread="side")
    def swing(self, s: State, side: Side) -> None:
        s.gates[side].open = not s.gates[side].open
def full(s: State) -> bool:
    return s.level == 3
def at(s: State, level: Level) -> bool:
    return s.level == level
def is_open(s: State, side: Side) -> bool:
    return s.gates[side].open
def opened(g: Gate) -> bool:
    return g.open
def alike(s: State, a: Side, b: Side) -> bool:
    return s.gates[a].open == s.gates[b].open
"""


def model(directory: Path, more: str = "") -> ModuleType:
    return load(directory, MODEL + more)


def stated(module: ModuleType, name: str) -> list[tuple[str, str]]:
    system = module.Model()
    prop = next(p for p in properties_for(system) if p.name == name)
    assert prop.kind == "temporal"
    return [(i.text, str(i.formula)) for i in temporal_instances(system, prop)]


@pytest.mark.parametrize(
    ("body", "formula"),
    [
        ("eventually(full)", "F full"),
        ("always(full)", "G full"),
        ("always_eventually(full)", "G F full"),
        ("eventually_always(full)", "F G full"),
        ("leads_to(full, now(at, 0))", 'G (full -> (F "at(0)"))'),
        ("next_time(full)", "X full"),
        ("until(now(at, 0), full)", '"at(0)" U full'),
        ("release(full, now(at, 0))", 'full R "at(0)"'),
        ("weak_until(now(at, 0), full)", 'full R ("at(0)" | full)'),
        ("~now(full) & eventually(full) | True", "(!full & F full) | true"),
        ("now(full).implies(eventually(full))", "full -> F full"),
        ("False | eventually(full)", "false | F full"),
        ("True & eventually(full)", "true & F full"),
        ("full", "full"),
        ('ltl("G (full -> F low)", full, low=now(at, 0))', 'G (full -> F "at(0)")'),
        ('ltl("p U q", p=full, q=eventually(full))', "full U F full"),
    ],
)
def test_combinators(body: str, formula: str, tmp_path: Path) -> None:
    module = model(tmp_path, f"@temporal\ndef it() -> Formula:\n    return {body}\n")
    [(text, found)] = stated(module, "it")
    assert text == ""
    assert found.replace("(F ", "F ").replace("))", ")") == formula.replace("(F ", "F ").replace(
        "))", ")"
    )


def test_parameters_stand_for_every_value(tmp_path: Path) -> None:
    module = model(
        tmp_path,
        "@temporal\ndef it(a: Side, b: Side) -> Formula:\n"
        "    return leads_to(now(is_open, a), now(alike, a, b))\n",
    )
    found = stated(module, "it")
    assert [text for text, _ in found] == [f"a = {a}, b = {b}" for a in range(2) for b in range(2)]
    assert found[1][1].count("is_open(0)") == 1 and "alike(0, 1)" in found[1][1]


def test_every_record_of_the_type(tmp_path: Path) -> None:
    module = model(tmp_path, "@temporal\ndef it() -> Formula:\n    return eventually(opened)\n")
    assert [text for text, _ in stated(module, "it")] == ["gates[0]", "gates[1]", "lonely"]
    system = module.Model()
    _, state = next(initial_states(system))
    prop = next(p for p in properties_for(system) if p.name == "it")
    with system:
        state.gates[module.Side.last()].open = True
    bound = [i.atoms()[0] for i in temporal_instances(system, prop)]
    assert [holds(system, b, state) for b in bound] == [False, True, False]


def test_a_property_belongs_to_the_systems_that_have_its_record(tmp_path: Path) -> None:
    module = model(
        tmp_path,
        "@record\nclass Other:\n    x: bool\ndef far(o: Other) -> bool:\n    return o.x\n"
        "@temporal\ndef elsewhere() -> Formula:\n    return eventually(far)\n"
        "@temporal\ndef here() -> Formula:\n    return eventually(full)\n",
    )
    assert [p.name for p in properties_for(module.Model())] == ["here"]


WRONG = {
    "not a formula": (
        "@temporal\ndef it() -> Formula:\n    return 3\n",
        "the temporal property it returns 3, which is no formula",
        "eventually(p)",
    ),
    "no predicate": (
        "@temporal\ndef it() -> Formula:\n    return always(True)\n",
        "the temporal property it has no predicate: it is G true in every run",
        "it is made from predicates",
    ),
    "a comparison": (
        "@temporal\ndef it() -> Formula:\n    return eventually(full) == eventually(full)\n",
        "the temporal property it has no predicate: it is true in every run",
        "== compares",
    ),
    "nested too deep": (
        "@temporal\ndef it() -> Formula:\n    f = eventually(full)\n    for _ in range(1500):\n"
        "        f = f & eventually(full)\n    return f\n",
        "the formula is nested more than 200 deep",
        "state its conjuncts",
    ),
    "too many parts": (
        "@temporal\ndef it() -> Formula:\n    f = eventually(full)\n    for _ in range(100):\n"
        "        f = f & f\n    return f\n",
        "the formula has more than 10,000 parts",
        "state its conjuncts",
    ),
    "a called predicate": (
        "@temporal\ndef it() -> Formula:\n    return eventually(full())\n",
        "it raises TypeError",
        "a temporal property combines predicates",
    ),
    "and": (
        "@temporal\ndef it() -> Formula:\n    return eventually(full) and always(full)\n",
        "it raises TypeError: a formula is no condition",
        "combines predicates",
    ),
    "a string": (
        '@temporal\ndef it() -> Formula:\n    return eventually("full")\n',
        "'full' is no formula",
        "functions of the state",
    ),
    "missing argument": (
        "@temporal\ndef it() -> Formula:\n    return eventually(is_open)\n",
        "the predicate is_open takes 1 arguments besides the state, and gets 0",
        "write now(is_open, side)",
    ),
    "too many arguments": (
        "@temporal\ndef it() -> Formula:\n    return eventually(now(full, 1))\n",
        "the predicate full takes 0 arguments besides the state, and gets 1",
        "write full",
    ),
    "now of a value": (
        "@temporal\ndef it() -> Formula:\n    return now(3)\n",
        "a predicate is a function of the state, not 3",
        "",
    ),
    "predicate without annotation": (
        "def p(s): return True\n@temporal\ndef it() -> Formula:\n    return eventually(p)\n",
        "the parameter s of p has no annotation",
        "its type says",
    ),
    "predicate without state": (
        "def p() -> bool: return True\n@temporal\ndef it() -> Formula:\n    return eventually(p)\n",
        "the predicate p takes -1",
        "write def p(s: State)",
    ),
    "predicate on a value": (
        "def p(s: Level) -> bool: return True\n@temporal\ndef it() -> Formula:\n    return eventually(p)\n",
        "the predicate p is not typed on a mutable record",
        "the State, or with a record",
    ),
    "predicate that returns no bool": (
        "def p(s: State) -> int: return 1\n@temporal\ndef it() -> Formula:\n    return eventually(p)\n",
        "the predicate p does not return bool",
        "write -> bool",
    ),
    "two records": (
        "@temporal\ndef it() -> Formula:\n    return leads_to(full, opened)\n",
        "the predicates of it are about State and Gate",
        "give all of them the same record",
    ),
    "a property of a state": (
        "@temporal\ndef it(s: State) -> Formula:\n    return eventually(full)\n",
        "the temporal property it is a function of s, a state",
        "make the predicates functions of the state",
    ),
    "a mutable argument": (
        "def p(s: State, g: Gate) -> bool: return g.open\n"
        "@temporal\ndef it() -> Formula:\n    return eventually(now(p, 1))\n",
        "the parameter g of the predicate p is mutable",
        "frozen record",
    ),
    "a condition on a parameter": (
        "@temporal\ndef it(a: Level) -> Formula:\n    return eventually(now(at, a)) if a == 3 else always(full)\n",
        "the parameter a stands for all of its values and cannot be compared",
        "on a parameter belongs into them",
    ),
    "a parameter as a condition": (
        "@temporal\ndef it(a: bool) -> Formula:\n    return eventually(full) if a else always(full)\n",
        "the parameter a stands for all of its values and is no condition",
        "on a parameter belongs into them",
    ),
    "a parameter that is not used": (
        "@temporal\ndef it(a: Level) -> Formula:\n    return eventually(full)\n",
        "the temporal property it does not use its parameter a",
        "now(predicate, a)",
    ),
    "an argument out of range": (
        "@temporal\ndef it() -> Formula:\n    return eventually(now(at, 7))\n",
        "at gets 7 for its parameter level",
        "level is of the type",
    ),
    "an argument of another type": (
        "@temporal\ndef it() -> Formula:\n    return eventually(now(is_open, 1))\n",
        "is_open gets 1 for its parameter side",
        "side is of the type Side",
    ),
    "a parameter of another type": (
        "@temporal\ndef it(a: Level) -> Formula:\n    return eventually(now(is_open, a))\n",
        "is_open gets a for its parameter side",
        "side is of the type Side",
    ),
    "many choices": (
        "Big: TypeAlias = Annotated[int, Between(0, 999)]\ndef p(s: State, x: Big, y: Big) -> bool: return x < y\n"
        "@temporal\ndef it(x: Big, y: Big) -> Formula:\n    return eventually(now(p, x, y))\n",
        "it is about 1,000,000 choices of its parameters, more than 10,000",
        "make the scope smaller",
    ),
    "a name that is not given": (
        '@temporal\ndef it() -> Formula:\n    return ltl("F fulll", full)\n',
        "does not use full",
        "",
    ),
    "a name like another": (
        '@temporal\ndef it() -> Formula:\n    return ltl("F full & F fulll", full)\n',
        "names fulll, which is not given",
        "did you mean full?",
    ),
    "a name unlike any": (
        '@temporal\ndef it() -> Formula:\n    return ltl("F zzz")\n',
        "names zzz, which is not given",
        "zzz=...",
    ),
    "a predicate without a name": (
        '@temporal\ndef it() -> Formula:\n    return ltl("F p", eventually(full))\n',
        "has no name to use in the formula",
        "name=...",
    ),
    "a mistake in the text": (
        '@temporal\ndef it() -> Formula:\n    return ltl("F (full", full)\n',
        "this bracket is not closed",
        "operators are",
    ),
    "an unknown action": (
        '@temporal(fairness=(weak("rize"),))\ndef it() -> Formula:\n    return eventually(full)\n',
        "the fairness of it is about rize, which is no action",
        "did you mean rise?",
    ),
}


@pytest.mark.parametrize("case", list(WRONG))
def test_refused_with_the_system(case: str, tmp_path: Path) -> None:
    text, message, hint = WRONG[case]
    module = model(tmp_path, text)
    try:
        with pytest.raises(ModelError) as caught:
            system = module.Model()
            for prop in properties_for(system):
                temporal_instances(system, prop)
                fairness_of(system, prop)
    finally:
        forget(module.it)
    assert message in caught.value.message
    assert hint in caught.value.hint
    if case != "an unknown action":
        assert caught.value.where is not None
        assert module.__file__ == caught.value.where.file


def test_an_entry_of_a_pool_comes_and_goes(tmp_path: Path) -> None:
    text = """
@record
class Slot:
    used: bool
@record
class State:
    slots: Pool[Name, Slot]
class Model(System[State]):
    default_scope = {"Name": 2}
    @action
    def go(self, s: State) -> None: ...
def used(x: Slot) -> bool:
    return x.used
@temporal
def it() -> Formula:
    return eventually(used)
"""
    system = load(tmp_path, text).Model()
    [prop] = properties_for(system)
    with pytest.raises(ModelError, match="an entry of a pool, which comes and goes") as caught:
        temporal_instances(system, prop)
    assert "functions of the state, with the entry's name as a parameter" in caught.value.hint
    assert caught.value.where is not None


AT_DEFINITION = {
    "no function": ("temporal(3)\n", "@temporal marks a function, not 3", "directly above"),
    "no annotation": (
        "@temporal\ndef it(a) -> Formula:\n    return True\n",
        "the parameter a of it has no annotation",
        "write a: GlobalId",
    ),
    "a default": (
        "@temporal\ndef it(a: Level = 1) -> Formula:\n    return True\n",
        "the parameter a of it has a default",
        "write a: GlobalId",
    ),
    "weak of nothing": ("weak()\n", "weak() names no action", 'write weak("step")'),
    "strong of nothing": ("strong.each()\n", "strong() names no action", "strong.threads()"),
    "weak of a value": ("weak(3)\n", "weak is about actions, not 3", "their names"),
    "a thread by name": (
        'weak.thread("RED")\n',
        "weak.thread('RED') names no thread",
        "Enum member",
    ),
    "two of one name": (
        "@temporal\ndef it() -> Formula:\n    return eventually(full)\n"
        "@invariant\ndef it(s: State) -> bool:\n    return True\n",
        "it",
        "",
    ),
}


@pytest.mark.parametrize("case", list(AT_DEFINITION))
def test_refused_where_it_is_written(case: str, tmp_path: Path) -> None:
    text, message, hint = AT_DEFINITION[case]
    with pytest.raises(ModelError) as caught:
        model(tmp_path, text)
    assert message in caught.value.message
    assert hint in caught.value.hint


FAIRNESS = {
    "a thread that does nothing": (
        "(weak.thread(Color.GREEN),)",
        "the fairness of Model is about the thread Color.GREEN, which takes no action",
        "weak.threads()",
    ),
    "unknown": ('(weak("rize"),)', "Model is about rize, which is no action", "did you mean rise?"),
    "unlike any": ('(strong.each("zzz"),)', "is about zzz, which is no action", "rise, swing"),
    "no sequence": ('weak("rise")', "the fairness of Model is", 'write fairness = (weak("step")'),
    "no declarations": ('("rise",)', "the fairness of Model is", 'write fairness = (weak("step")'),
}


@pytest.mark.parametrize("case", list(FAIRNESS))
def test_fairness_that_fits_no_action(case: str, tmp_path: Path) -> None:
    fairness, message, hint = FAIRNESS[case]
    module = model(tmp_path, f"class Odd(Model):\n    name = 'Model'\n    fairness = {fairness}\n")
    with pytest.raises(ModelError) as caught:
        module.Odd()
    assert message.removeprefix("Model ") in caught.value.message
    assert hint in caught.value.hint


def test_threads_of_actions_without_any(tmp_path: Path) -> None:
    text = (
        "@record\nclass State:\n    x: bool\nclass Model(System[State]):\n"
        "    fairness = (weak.threads(),)\n    @action\n    def go(self, s: State) -> None: ...\n"
    )
    with pytest.raises(ModelError, match="about threads, and no action has one") as caught:
        load(tmp_path, text).Model()
    assert "@action(thread=...)" in caught.value.hint


@pytest.mark.parametrize(
    ("fairness", "wanted"),
    [
        ('weak("rise")', [("weak rise", [0])]),
        ('weak("rise", "swing")', [("weak rise, swing", [0, 1, 2])]),
        ('strong.each("swing")', [("strong swing(side=0)", [1]), ("strong swing(side=1)", [2])]),
        ("weak.thread(Color.RED)", [("weak RED", [0])]),
        ("weak.threads()", [("weak RED", [0]), ("weak 0", [1]), ("weak 1", [2])]),
        ('weak("rise"), weak.each("rise")', [("weak rise", [0])]),
        ('weak("rise"), strong("rise")', [("weak rise", [0]), ("strong rise", [0])]),
        ("weak(Model.rise)", [("weak rise", [0])]),
    ],
)
def test_fair_sets(fairness: str, wanted: list[tuple[str, list[int]]], tmp_path: Path) -> None:
    module = model(tmp_path, f"class Other(Model):\n    fairness = ({fairness},)\n")
    system = module.Other()
    found = fair_sets(system.fairness, instances(system))
    assert [(s.name, sorted(s.instances)) for s in found] == wanted
    assert [s.strong for s in found] == [name.startswith("strong") for name, _ in wanted]


def test_a_property_may_have_a_fairness_of_its_own(tmp_path: Path) -> None:
    module = model(
        tmp_path,
        "@temporal(fairness=())\ndef none() -> Formula:\n    return eventually(full)\n"
        "@temporal\ndef usual() -> Formula:\n    return eventually(full)\n",
    )
    system = module.Model()
    none, usual = properties_for(system)
    assert fairness_of(system, none) == ()
    assert fairness_of(system, usual) == system.fairness


def test_the_api_is_the_same_lazily() -> None:
    import explorer.logic.lasso  # no module of ours may take the place of a name

    for name in ("temporal", "ltl", "now", "weak", "strong", "leads_to", "Formula"):
        assert getattr(explorer, name) is getattr(explorer.lang, name)


class Level(Enum):
    LOW = 0


@pytest.mark.parametrize(
    ("fair", "text"),
    [
        (weak("a", "b"), 'weak("a", "b")'),
        (strong.each("a"), 'strong.each("a")'),
        (weak.threads(), "weak.threads()"),
        (strong.thread(Level.LOW), "strong.thread(Level.LOW)"),
    ],
)
def test_fairness_is_shown_as_it_is_declared(fair: object, text: str) -> None:
    assert str(fair) == text
