"""What a model cannot say is refused where it is written, with what to write instead."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from explorer.lang import ModelError, System
from explorer.lang.effects import slug
from explorer.lang.properties import forget, properties_for
from explorer.lang.run import initial_states, instances
from explorer.lang.system import with_preset
from tests.lang.sources import load

STATE = """
@record
class State:
    level: Level
"""

ONE = """
@record
class State:
    level: Level
    names: Set[Name]
class Model(System[State]):
    default_scope = {"Name": 2}
    @action
    def go(self, s: State) -> None: ...
"""

# What is written, what the message says, what the hint says, and a part of the line that it points to.
AT_DEFINITION = {
    "no annotation": (
        "@record\nclass State:\n    backed = False\n",
        "backed in the record State has no annotation, so it is not a field",
        "write backed: bool = False",
        "class State",
    ),
    "list default": (
        "@record\nclass State:\n    items: Set[Name] = []\n",
        "the default of State.items is mutable: []",
        "initial()",
        "items",
    ),
    "set default": (
        "@record\nclass State:\n    items: Set[Name] = Set()\n",
        "the default of State.items is mutable: Set([])",
        "initial()",
        "items",
    ),
    "tuple default": (
        "@record\nclass State:\n    level: Level = (1, 2)\n",
        "the default of State.level is not a constant: (1, 2)",
        "an Enum member",
        "level",
    ),
    "sort default": (
        "@record\nclass State:\n    name: Name = Name(0)\n",
        "the default of State.name is a name of the sort Name",
        "T | None",
        "name: Name",
    ),
    "underscore": (
        "@record\nclass State:\n    _level: Level\n",
        "the field _level of State starts with an underscore",
        "call it level",
        "_level",
    ),
    "default order": (
        "@record\nclass State:\n    a: bool = True\n    b: bool\n",
        "the field b of State has no default but follows a, which has one",
        "initial()",
        "b: bool",
    ),
    "dunder": (
        "@record\nclass State:\n    a: bool\n    def __eq__(self, other: object) -> bool: return True\n",
        "the record State cannot define __eq__",
        "ordinary method",
        "class State",
    ),
    "frozen of mutable": (
        "@record\nclass Base:\n    a: bool\n@record(frozen=True)\nclass State(Base):\n    b: bool\n",
        "the record State and its base Base must both be frozen or both not",
        "",
        "class State",
    ),
    "plain base": (
        "class Base:\n    a: bool\n@record\nclass State(Base):\n    b: bool\n",
        "the base Base of the record State has fields but is no record",
        "put @record above Base",
        "class State",
    ),
    "field hides method": (
        "@record\nclass Base:\n    def live(self) -> bool: return True\n@record\nclass State(Base):\n    live: bool\n",
        "the field live of State hides a method of its base",
        "rename it",
        "live: bool",
    ),
    "frozen holds mutable": (
        "@record(frozen=True)\nclass Message:\n    names: Set[Name]\n",
        "the frozen record Message cannot hold the mutable field names: Set[Name]",
        "scalars",
        "names",
    ),
    "bare container": (
        "@record\nclass State:\n    names: Set\n",
        "Set needs its types in brackets",
        "Set[...]",
        "names: Set",
    ),
    "bare int field": (
        "@record\nclass State:\n    level: int\n",
        "level has no bounds",
        "Annotated[int, Between(0, 7)]",
        "level: int",
    ),
    "action without a state": (
        "class Model:\n    @action\n    def go(self) -> None: ...\n",
        "action go takes no state",
        "def go(self, s: State)",
        "@action",
    ),
    "parameter without annotation": (
        STATE
        + "class Model(System[State]):\n    @action\n    def go(self, s: State, name) -> None: ...\n",
        "the parameter name of action go has no annotation",
        "name: GlobalId",
        "@action",
    ),
    "mutable parameter": (
        STATE
        + "class Model(System[State]):\n    @action\n    def go(self, s: State, names: Set[Name]) -> None: ...\n",
        "the parameter names of action go is mutable: Set[Name]",
        "the key under which the state holds it",
        "@action",
    ),
    "bare int parameter": (
        STATE
        + "class Model(System[State]):\n    @action\n    def go(self, s: State, n: int) -> None: ...\n",
        "n has no bounds",
        "Between(0, 7)",
        "@action",
    ),
    "default of a parameter": (
        STATE
        + "class Model(System[State]):\n    @action\n    def go(self, s: State, n: Level = 1) -> None: ...\n",
        "the parameter n of action go has a default",
        "every value of its type is a choice",
        "@action",
    ),
    "keyword parameter": (
        STATE
        + "class Model(System[State]):\n    @action\n    def go(self, s: State, *n: Level) -> None: ...\n",
        "action go cannot have the parameter *n: 'Level'",
        "parameters are plain",
        "@action",
    ),
    "unknown thread": (
        STATE
        + 'class Model(System[State]):\n    @action(thread="rm")\n    def go(self, s: State, name: Name) -> None: ...\n',
        'thread="rm" names no parameter of go',
        "its parameters are name",
        "@action",
    ),
    "odd thread": (
        STATE
        + "class Model(System[State]):\n    @action(thread=3)\n    def go(self, s: State) -> None: ...\n",
        "the thread of go is 3",
        "an Enum member or the name of a parameter",
        "@action",
    ),
    "action on no function": (
        STATE + "class Model(System[State]):\n    go = action(3)\n",
        "@action marks a method, not 3",
        "above `def`",
        "",
    ),
    "two actions of one name": (
        STATE
        + "class Model(System[State]):\n    @action\n    def go(self, s: State) -> None: ...\n"
        + "    @action\n    def go(self, s: State) -> None: ...\n",
        "the class has two definitions of go",
        "rename one of them",
        "@action",
    ),
    "derived sort": (
        "class Other(Name): ...\n",
        "Other cannot derive from Name",
        "class Other(Sort): ...",
        "",
    ),
    "odd top": (
        'class Other(Ordinal, top="+inf"): ...\n',
        "the top of Other cannot be called '+inf'",
        'top="INF"',
        "",
    ),
    "arity of an invariant": (
        STATE + "@invariant\ndef fine(before: State, after: State) -> bool: return True\n",
        "the invariant fine takes 2 arguments",
        "def fine(s: State) -> bool",
        "@invariant",
    ),
    "arity of a step invariant": (
        STATE + "@step_invariant\ndef fine(s: State) -> bool: return True\n",
        "the step_invariant fine takes 1 arguments",
        "before: State, after: State",
        "@step_invariant",
    ),
    "property without annotation": (
        STATE + "@reachable\ndef fine(s) -> bool: return True\n",
        "the parameter s of fine has no annotation",
        "its type says to which systems the property applies",
        "@reachable",
    ),
    "two properties of one name": (
        STATE
        + "@invariant\ndef fine(s: State) -> bool: return True\n@invariant\ndef fine(s: State) -> bool: return False\n",
        "the property fine is defined twice",
        "rename one of them",
        "@invariant",
    ),
    "property on no function": (
        "fine = invariant(3)\n",
        "@invariant marks a function, not 3",
        "",
        "",
    ),
}


@pytest.mark.parametrize("case", AT_DEFINITION)
def test_refused_where_it_is_defined(case: str, tmp_path: Path) -> None:
    text, message, hint, line = AT_DEFINITION[case]
    with pytest.raises(ModelError) as caught:
        load(tmp_path, text)
    error = caught.value
    assert message in error.message
    assert hint in error.hint
    if line:
        assert error.where is not None
        assert line in error.where.render()
        assert error.render().startswith(f"{error.where.file}:{error.where.line}: error: ")


WHEN_MADE = {
    "no state": (
        "class Model(System):\n    @action\n    def go(self, s: object) -> None: ...\n",
        "Model does not say what its state is",
        "class Model(System[State])",
    ),
    "state is no record": (
        "class State: ...\nclass Model(System[State]):\n    @action\n    def go(self, s: State) -> None: ...\n",
        "the state of Model must be a mutable record, not State",
        "put @record above",
    ),
    "no actions": (
        STATE + "class Model(System[State]): ...\n",
        "Model has no actions",
        "mark its steps with @action",
    ),
    "action called like an attribute": (
        STATE
        + "class Model(System[State]):\n    @action\n    def is_final(self, s: State) -> None: ...\n",
        "an action cannot be called is_final",
        "rename it",
    ),
    "action called scope": (
        STATE
        + "class Model(System[State]):\n    @action\n    def scope(self, s: State) -> None: ...\n",
        "an action cannot be called scope",
        "rename it",
    ),
    "override without a mark": (
        STATE
        + "class Base(System[State]):\n    @action\n    def go(self, s: State) -> None: ...\n"
        + "class Model(Base):\n    def go(self, s: State) -> None: ...\n",
        "Model.go overrides an action of Base and is not marked",
        "put @action above it",
    ),
    "scope misses a name": (
        "@record\nclass State:\n    names: Set[Name]\n    queue: Seq[Name]\n"
        "class Model(System[State]):\n    default_scope = {'queue': 1}\n    @action\n    def go(self, s: State) -> None: ...\n",
        "Model.default_scope does not have Name",
        'add "Name": 2',
    ),
    "scope misses a parameter's sort": (
        STATE
        + "class Model(System[State]):\n    @action\n    def go(self, s: State, at: Time) -> None: ...\n",
        "Model.default_scope does not have Time",
        'add "Time": 2',
    ),
    "unknown default scope": (
        ONE.replace('"Name": 2', '"Name": 2, "Nome": 2'),
        "Model.default_scope has an unknown name Nome",
        "did you mean Name",
    ),
    "record in itself": (
        "@record\nclass State:\n    others: Map[Level, State]\n"
        "class Model(System[State]):\n    @action\n    def go(self, s: State) -> None: ...\n",
        "the record State contains itself",
        "by key",
    ),
    "name that is not defined": (
        "@record\nclass State:\n    names: Set[Nome]\nclass Model(System[State]):\n    @action\n    def go(self, s: State) -> None: ...\n",
        "the annotations of State name Nome, which is not defined",
        "top level of a module",
    ),
    "empty bounds in a scope": (
        '@record\nclass State:\n    level: Annotated[int, Between(5, "Max")]\n'
        'class Model(System[State]):\n    default_scope = {"Max": 4}\n    @action\n    def go(self, s: State) -> None: ...\n',
        "contains no number in the scope",
        "",
    ),
    "huge map": (
        '@record\nclass State:\n    level: Map[Annotated[int, Between(0, "Max")], bool]\n'
        'class Model(System[State]):\n    default_scope = {"Max": 1000000}\n    @action\n    def go(self, s: State) -> None: ...\n',
        "the Map level would have 1000001 entries",
        "smaller",
    ),
    "design of another kind": (
        ONE + "    design = 3\n",
        "Model.design is 3",
        "@dataclass(frozen=True) class Design",
    ),
    "design that is not frozen": (
        "@dataclass\nclass Design:\n    a: bool = True\n" + ONE + "    design = Design()\n",
        "Model.design is Design(a=True)",
        "@dataclass(frozen=True)",
    ),
    "switch of another type": (
        "@dataclass(frozen=True)\nclass Design:\n    a: Name | None = None\n"
        + ONE
        + "    design = Design()\n",
        "the switch a cannot be a Name | None",
        "a bool, an Enum or",
    ),
    "switch with a wrong default": (
        "@dataclass(frozen=True)\nclass Design:\n    a: Level = 7\n"
        + ONE
        + "    design = Design()\n",
        "the switch a cannot be 7",
        "a number from 0 to 3",
    ),
    "switch bounded by the scope": (
        '@dataclass(frozen=True)\nclass Design:\n    a: Annotated[int, Between(0, "Name")] = 1\n'
        + ONE
        + "    design = Design()\n",
        "the switch a is bounded by the scope",
        "Between(0, 3)",
    ),
}


@pytest.mark.parametrize("case", WHEN_MADE)
def test_refused_when_the_system_is_made(case: str, tmp_path: Path) -> None:
    text, message, hint = WHEN_MADE[case]
    module = load(tmp_path, text)
    with pytest.raises(ModelError) as caught:
        module.Model()
    assert message in caught.value.message
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("scope", "message", "hint"),
    [
        ({"Nme": 1}, "Model has no scope entry Nme", "did you mean Name?"),
        ({"Zzz": 1}, "Model has no scope entry Zzz", "there is Name"),
        ({"Name": 0}, "the scope entry Name cannot be 0", "from 1 to 1000000"),
        ({"Name": -1}, "the scope entry Name cannot be -1", "from 1"),
        ({"Name": True}, "the scope entry Name cannot be True", "whole number"),
        ({"Name": "2"}, "the scope entry Name cannot be '2'", "whole number"),
        ({"Name": 10**6 + 1}, "the scope entry Name cannot be 1000001", "to 1000000"),
    ],
)
def test_scope(scope: dict[str, int], message: str, hint: str, tmp_path: Path) -> None:
    model = load(tmp_path, ONE).Model
    with pytest.raises(ModelError) as caught:
        model(scope)
    assert message in caught.value.message
    assert hint in caught.value.hint


DESIGN = (
    "@dataclass(frozen=True)\nclass Design:\n    barrier: bool = True\n    color: Color = Color.RED\n"
    "    batch: Level = 1\n" + ONE + "    design = Design()\n"
    "    presets = {'no_barrier': {'barrier': False}, 'odd': 3, 'odd_pair': ('x', {})}\n"
)


@pytest.mark.parametrize(
    ("design", "message", "hint"),
    [
        ({"barier": False}, "Model has no switch barier", "did you mean barrier?"),
        ({"barrier": 0}, "the switch barrier cannot be 0", "True or False"),
        ({"color": "RED"}, "the switch color cannot be 'RED'", "Color.RED, Color.GREEN"),
        ({"batch": 4}, "the switch batch cannot be 4", "a number from 0 to 3"),
        ({"batch": True}, "the switch batch cannot be True", "a number from 0 to 3"),
    ],
)
def test_switches(design: dict[str, object], message: str, hint: str, tmp_path: Path) -> None:
    model = load(tmp_path, DESIGN).Model
    with pytest.raises(ModelError) as caught:
        model(design=design)
    assert message in caught.value.message
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("no_barier", "Model has no preset no_barier", "did you mean no_barrier?"),
        ("odd", "the preset odd of Model is 3", "a dict of switches, a mixin class"),
        ("odd_pair", "the preset odd_pair of Model is ('x', {})", "(mixin class, switches)"),
    ],
)
def test_presets(name: str, message: str, hint: str, tmp_path: Path) -> None:
    model = load(tmp_path, DESIGN).Model
    with pytest.raises(ModelError) as caught:
        with_preset(model, name)
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_a_system_has_no_state_of_its_own(tmp_path: Path) -> None:
    system: System[object] = load(tmp_path, ONE).Model()
    with pytest.raises(ModelError, match="a System has no state of its own: count"):
        system.count = 3
    system.name = "mine"
    assert system.name == "mine"


PROPERTIES = {
    "no bool": (
        "@invariant\ndef fine(s: State) -> int: return 1\n",
        "the property fine does not return bool",
        "write -> bool",
    ),
    "no record": (
        "@invariant\ndef fine(s: Level) -> bool: return True\n",
        "the property fine is not typed on one mutable record",
        "annotate its arguments with the State",
    ),
}


@pytest.mark.parametrize("case", PROPERTIES)
def test_properties_are_read_with_the_system(case: str, tmp_path: Path) -> None:
    text, message, hint = PROPERTIES[case]
    module = load(tmp_path, ONE + text)
    try:
        with pytest.raises(ModelError) as caught:
            properties_for(module.Model())
        assert message in caught.value.message
        assert hint in caught.value.hint
    finally:
        # A property that is wrong is wrong for every system: later tests must not see it.
        forget(module.fine)


def test_two_properties_of_one_system_with_one_name(tmp_path: Path) -> None:
    first = load(tmp_path, ONE + "@invariant\ndef fine(s: State) -> bool: return True\n")
    load(
        tmp_path,
        f"from {first.__name__} import State\n@invariant\ndef fine(s: State) -> bool: return True\n",
    )
    with pytest.raises(ModelError, match="two properties of Model are called fine") as caught:
        properties_for(first.Model())
    assert "line" in caught.value.hint


INIT = """
@record
class State:
    name: Name
    level: Level
class Model(System[State]):
    default_scope = {"Name": 2}
    def init(self, s: State, name: Name, level: Level) -> None:
        BODY
    @action
    def go(self, s: State) -> None: ...
"""


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("s.level = level", "init leaves name unset"),
        ("s.name = name; require(False)", "Model has no initial state"),
        ("panic('no such thing')", "init fails with panic:no_such_thing: no such thing"),
        ("s.name = name; soft_panic('odd')", "init fails with soft_panic:odd"),
        ("s.name = name; s.level = level + 1", "init fails with range:level: level is 0..3, not 4"),
        ("s.name = s.name", "in init: State.name is read before it has a value"),
        ("s.name = name; s.level = 1 // 0", "init raises ZeroDivisionError"),
        ("s.name = name; Time.last().next()", "the scope has no size for Time"),
    ],
)
def test_init(body: str, message: str, tmp_path: Path) -> None:
    model = load(tmp_path, INIT.replace("BODY", body)).Model
    with pytest.raises(ModelError) as caught:
        list(initial_states(model()))
    assert message in caught.value.message


def test_init_that_does_not_fit_into_the_scope(tmp_path: Path) -> None:
    text = INIT.replace("BODY", "s.name = name; Time.last().next()").replace(
        '{"Name": 2}', '{"Name": 2, "Time": 1}'
    )
    with pytest.raises(ModelError, match="init does not fit into the scope: Time is used up"):
        list(initial_states(load(tmp_path, text).Model()))


def test_too_many_choices(tmp_path: Path) -> None:
    text = ONE.replace("s: State", "s: State, a: Annotated[int, Between(0, 1999)], b: Big").replace(
        "@record", "Big: TypeAlias = Annotated[int, Between(0, 999)]\n@record", 1
    )
    with pytest.raises(ModelError, match="action go has 2000000 choices"):
        instances(load(tmp_path, text).Model())


def test_python_without_assertions_is_refused() -> None:
    code = "from tests.lang.sample_model import Sample; Sample()"
    root = Path(__file__).parents[2]
    run = subprocess.run(
        [sys.executable, "-O", "-c", code],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert "python -O removes assertions" in run.stderr


def test_a_name_inside_a_default(tmp_path: Path) -> None:
    text = """
@record(frozen=True)
class Put:
    name: Name
@record(frozen=True)
class Letter:
    put: Put
LETTER = Letter(Put(Name(0)))
@record
class State:
    letter: Letter = LETTER
"""
    with pytest.raises(ModelError, match="the default of State.letter holds a name of the sort"):
        load(tmp_path, text)


@pytest.mark.parametrize(
    ("annotation", "hint"),
    [
        ("set[Name]", "write Set[...]"),
        ("list[Name]", "write Seq[...], a queue"),
        ("dict[Name, bool]", "write Map[...], which has a value for every key"),
        ("tuple[Name, Name]", "write a @record(frozen=True) class with fields"),
        ("str", "write an Enum: a model has no strings"),
        (
            "Plain",
            "put @record(frozen=True) above it in place of @dataclass, or @record if it changes",
        ),
        ("Name | Color", "keep the Name in a @record(frozen=True) of its own"),
    ],
)
def test_the_hint_names_the_type_to_write(annotation: str, hint: str, tmp_path: Path) -> None:
    text = f"@dataclass\nclass Plain:\n    x: bool\n@record\nclass State:\n    f: {annotation}\n"
    with pytest.raises(ModelError) as caught:
        load(tmp_path, text)
    assert hint in caught.value.hint
    assert caught.value.where is not None


def test_a_field_of_a_dataclass_as_a_default(tmp_path: Path) -> None:
    text = "from dataclasses import field\n@record\nclass State:\n    f: Set[Name] = field(default_factory=set)\n"
    with pytest.raises(ModelError) as caught:
        load(tmp_path, text)
    assert caught.value.message == "the default of State.f is a dataclass's field(...)"
    assert "initial()" in caught.value.hint


def test_a_design_is_given_as_its_switches(tmp_path: Path) -> None:
    text = (
        ONE
        + "@dataclass(frozen=True)\nclass Design:\n    fast: bool = True\nModel.design = Design()\n"
    )
    module = load(tmp_path, text)
    with pytest.raises(ModelError, match="the design of Model is given as Design") as caught:
        module.Model(design=module.Design())
    assert "switches" in caught.value.hint


def test_names_of_failures_keep_the_letters_of_any_script() -> None:
    assert slug("Größe: zu groß!") == "größe_zu_groß"
    assert slug("待ち行列") != slug("満杯")
    assert slug("A-b_c  d.") == "a_b_c_d"
