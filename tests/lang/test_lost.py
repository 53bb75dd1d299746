"""Nothing that a model declares is lost because something else has its name."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from explorer.lang import ModelError
from explorer.lang.properties import forget, properties_for
from tests.lang.sources import load

STATE = """
@record
class State:
    level: Level
class Model(System[State]):
    @action
    def go(self, s: State) -> None: ...
"""

FACTORY = """
def never(k: int):
    @invariant
    def p(s: State) -> bool: return s.level != k
    return p
"""

SAME_NAME = {
    "factory": FACTORY + "a, b = never(1), never(3)\n",
    "loop": """
kept = []
for limit in (1, 4):
    @invariant
    def p(s: State) -> bool: return s.level <= limit
    kept.append(p)
""",
}


@pytest.mark.parametrize("case", SAME_NAME)
def test_properties_made_under_one_name(case: str, tmp_path: Path) -> None:
    module = load(tmp_path, STATE + SAME_NAME[case])
    with pytest.raises(ModelError, match="two properties of Model are called p") as caught:
        properties_for(module.Model())
    assert "a loop or a factory" in caught.value.hint
    for prop in getattr(module, "kept", None) or [module.a, module.b]:
        forget(prop)


def test_a_property_made_by_a_factory_once(tmp_path: Path) -> None:
    module = load(tmp_path, STATE + FACTORY + "a = never(1)\n")
    assert [p.name for p in properties_for(module.Model())] == ["p"]


def test_a_library_of_properties_for_several_models(tmp_path: Path) -> None:
    """Whoever calls the factory, what others made with it stays."""
    library = load(
        tmp_path,
        """
def over(state):
    def p(s): return True
    p.__annotations__ = {"s": state, "return": bool}
    return invariant(p)
""",
    )
    users = [
        load(tmp_path, STATE + f"from {library.__name__} import over\nover(State)\n")
        for _ in range(2)
    ]
    for user in users:
        assert [p.name for p in properties_for(user.Model())] == ["p"]


def test_an_edited_module_that_is_loaded_again(tmp_path: Path) -> None:
    module = load(tmp_path, STATE + "@invariant\ndef p(s: State) -> bool: return True\n")
    path = Path(str(module.__file__))
    path.write_text(path.read_text().replace("@invariant", "\n\n@invariant"))
    exec(compile(path.read_text(), str(path), "exec"), sys.modules[module.__name__].__dict__)
    assert len(properties_for(module.Model())) == 1


LOST = {
    "actions of a class that is no System": (
        """
class Part:
    @action
    def one(self, s: State) -> None: ...
    @action
    def one(self, s: State, level: Level) -> None: ...
class Other(Part, Model): ...
""",
        "the class Part has two definitions of one",
    ),
    "an action hidden by a method": (
        """
class Part:
    @action
    def one(self, s: State) -> None: ...
    @action
    def two(self, s: State) -> None: ...
    def one(self) -> None: ...
class Other(Part, Model): ...
""",
        "the class Part has two definitions of one",
    ),
    "two init": (
        """
class Other(Model):
    def init(self, s: State) -> None: ...
    def init(self, s: State, level: Level) -> None: ...
""",
        "the class has two definitions of init",
    ),
    "actions in a loop": (
        """
class Other(Model):
    for k in (1, 2):
        @action
        def up(self, s: State) -> None: ...
""",
        "the class has two definitions of up",
    ),
    "variants of one name": (
        """
def make(kind):
    @record(frozen=True)
    class Message:
        x: Level
    return Message
A, B = make(1), make(2)
@record
class State2:
    m: A | B
class Other(System[State2]):
    @action
    def up(self, s: State2) -> None: ...
""",
        "two classes of this union are called Message",
    ),
}


@pytest.mark.parametrize("case", LOST)
def test_a_second_definition_is_refused(case: str, tmp_path: Path) -> None:
    text, message = LOST[case]
    with pytest.raises(ModelError, match=message) as caught:
        load(tmp_path, STATE + text).Other()
    assert caught.value.where is not None


def test_actions_made_by_a_factory(tmp_path: Path) -> None:
    text = """
def inc(k: int):
    @action
    def f(self, s: State) -> None:
        require(s.level == k)
        s.level = k + 1
    return f
class Other(System[State]):
    a = inc(0)
    b = inc(1)
"""
    assert [a.name for a in load(tmp_path, STATE + text).Other().actions] == ["a", "b"]
