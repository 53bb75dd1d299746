"""Random models as source text: well-typed, within the language, and with few states."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress

from tests.differential.chooser import Chooser, pick
from tests.differential.scope import Changer, Env, Helper, Place, Stuck
from tests.differential.statements import Statements
from tests.differential.vocabulary import Type, draw_field, immutables_in

HEADER = '''\
"""A random model."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated, TypeAlias

from explorer.lang import (
    Between, Capacity, Map, Ordinal, Pool, Seq, Set, Sort, System, action, given, initial,
    invariant, panic, reachable, record, require, soft_panic, step_invariant,
)

'''


class Generator(Statements):
    """Builds one model."""

    # Top level

    def state_env(self, *, may_block: bool, may_fail: bool = True, state: str = "s") -> Env:
        record = Type("record", "State", fields=tuple(self.fields), frozen=False)
        places = [Place(state, record, ("s",), writable=True)]
        return Env([], places, may_fail=may_fail, may_block=may_block)

    def params(self, limit: int) -> list[tuple[str, Type]]:
        every = self.vocabulary.immutables()
        useful = [t for _, kind in self.fields for t in immutables_in(kind)]
        kinds = [t for t in [*useful, *useful, *useful, *every] if t.size <= 4]
        result: list[tuple[str, Type]] = []
        total = 1
        for i in range(self.chooser.index(4)):
            kind = self.pick(kinds)
            if total * kind.size <= limit:
                total *= kind.size
                result.append((f"p{i}", kind))
        return result

    def add_helper(self, *, method: bool) -> None:
        writes = self.chance(40)
        kinds = [t for t in self.vocabulary.immutables() if t.kind != "union"]
        result = None if writes else self.pick(kinds)
        name = self.fresh("m" if method else "h")
        params = self.params(100)
        safe = self.chance(60)
        env = self.state_env(may_block=writes and self.chance(30), may_fail=not safe)
        for p, kind in params:
            env.add(p, kind)
        parts = [*(["self"] if method else []), "s: State", *(f"{p}: {t.text}" for p, t in params)]
        self.emit(f"def {name}({', '.join(parts)}) -> {result.text if result else 'None'}:")
        self._budget = 3
        if result is None:
            env.returns = True
            self.block(env, 2, 1)
        else:
            self._depth += 1
            try:
                if self.chance(40):
                    self.emit(f"if {self.condition(env, 1)}:")
                    self.emit(f"    return {self.expr(result, env, 1)}")
                self.emit(f"return {self.expr(result, env, 2)}")
            finally:
                self._depth -= 1
        self.emit("")
        self.helpers.append(Helper(name, tuple(t for _, t in params), result, writes, safe))

    def add_record_members(self, kind: Type) -> None:
        """A method that writes, and a property, for a mutable record class."""
        lines, self._lines = self._lines, []
        self._depth = 1
        if self.chance(50):
            name = self.fresh("ok")
            self.emit("@property")
            self.emit(f"def {name}(self) -> bool:")
            self.emit(f"    return {self.condition(self.record_env(kind, 'self', False), 1)}")
            self.flags[kind.text] = name
        if self.chance(70):
            self.add_changer(kind, "self", method=True)
        self._depth = 0
        members, self._lines = self._lines, lines
        source = self.vocabulary.source
        for i, definition in enumerate(source):
            if f"class {kind.text}:" in definition:
                source[i] = "\n".join([definition, *members]) + "\n"

    def record_env(self, kind: Type, name: str, may_fail: bool) -> Env:
        places = [Place(name, kind, (name,), writable=True)]
        return Env([], places, may_fail=may_fail, helpers=False)

    def add_changer(self, kind: Type, receiver: str, *, method: bool) -> None:
        """A function or a method that writes to the record it is given."""
        params = self.params(100)[:1]
        safe = self.chance(60)
        env = self.record_env(kind, receiver, not safe)
        env.returns = True
        for p, t in params:
            env.add(p, t)
        name = self.fresh("change")
        first = receiver if method else f"{receiver}: {kind.text}"
        parts = [first, *(f"{p}: {t.text}" for p, t in params)]
        self.emit(f"def {name}({', '.join(parts)}) -> None:")
        self._budget = 2
        self.block(env, 2, 1)
        self.emit("")
        self.changers.append(Changer(name, kind.text, tuple(t for _, t in params), method, safe))

    def add_finder(self, kind: Type) -> None:
        """A function that returns a place of the state."""
        env = self.state_env(may_block=False)
        params = self.params(100)
        for p, t in params:
            env.add(p, t)
        found = [p for p in self.readable(env) if p.type == kind and p.writable]
        if not found:
            raise Stuck
        name = self.fresh("h")
        parts = ["s: State", *(f"{p}: {t.text}" for p, t in params)]
        self.emit(f"def {name}({', '.join(parts)}) -> {kind.text}:")
        if self.chance(40):
            self.emit(f"    if {self.condition(env, 1)}:")
            self.emit(f"        return {self.fill(pick(self.chooser, found), env, 0)}")
        self.emit(f"    return {self.fill(pick(self.chooser, found), env, 0)}")
        self.emit("")
        self.helpers.append(Helper(name, tuple(t for _, t in params), kind, False, False))

    def add_action(self, name: str) -> None:
        params = self.params(8)
        env = self.state_env(may_block=True, may_fail=self.chance(40))
        env.returns = env.switches = True
        for p, kind in params:
            env.add(p, kind)
        threads = [p for p, t in params if t.kind in ("sort", "enum")]
        thread = ""
        if threads and self.chance(30):
            thread = f'(thread="{threads[0]}")'
        signature = ", ".join(["self", "s: State", *(f"{p}: {t.text}" for p, t in params)])
        self.emit(f"@action{thread}")
        self.emit(f"def {name}({signature}) -> None:")
        self._budget = 6
        self._depth += 1
        if self.chance(50):
            self.emit(f"require({self.condition(env, 1)})")
        for _ in range(self.chooser.index(3)):
            with suppress(Stuck):
                pick(self.chooser, [self.assign, self.assign, self.container])(env)
        self._depth -= 1
        self.block(env, 1 + self.chooser.index(3), 2)
        self.emit("")

    def add_init(self) -> None:
        """``init``: gives every place of a sort a name from a parameter, and perhaps more."""
        bare = {leaf.text for _, kind in self.fields for leaf in uninitialised(kind)}
        params = [(f"q_{t.text}", t) for t in self.vocabulary.scalars if t.text in bare]
        params += [(f"q{i}", t) for i, (_, t) in enumerate(self.params(4))]
        signature = ", ".join(["self", "s: State", *(f"{p}: {t.text}" for p, t in params)])
        env = Env(may_fail=False, helpers=False)
        for p, kind in params:
            env.add(p, kind)
        lines: list[str] = []
        for name, kind in self.fields:
            text = f"s.{name}"
            if kind.kind == "map" and (not kind.has_initial or self.chance(20)):
                self.initial_map(lines, text, kind, env)
            elif kind.immutable and (not kind.has_initial or self.chance(30)):
                lines.append(f"{text} = {self.initial(kind, env)}")
        if not lines and not params:
            return
        self.emit(f"def init({signature}) -> None:")
        for line in lines or ["pass"]:
            self.emit("    " + line)
        self.emit("")

    def initial_map(
        self, lines: list[str], text: str, kind: Type, env: Env, depth: int = 0
    ) -> None:
        """Loops that give every element of a map a value."""
        value = kind.args[1]
        if not value.immutable and value.kind != "map":
            return
        variable = self.fresh("i")
        lines.append(f"{'    ' * depth}for {variable} in {text}:")
        element = f"{text}[{variable}]"
        if value.kind == "map":
            self.initial_map(lines, element, value, env, depth + 1)
        else:
            lines.append(f"{'    ' * (depth + 1)}{element} = {self.initial(value, env)}")

    def initial(self, kind: Type, env: Env) -> str:
        """A value for a place; a sort's can only come from a parameter."""
        for _ in range(9):
            try:
                return self.expr(kind, env, 1)
            except Stuck:
                continue
        return self.construct_initial(kind)

    def construct_initial(self, kind: Type) -> str:
        """The plainest value of ``kind``."""
        match kind.kind:
            case "sort":
                return f"q_{kind.text}"
            case "record":
                return (
                    f"{kind.text}({', '.join(self.construct_initial(t) for _, t in kind.fields)})"
                )
            case "union":
                return self.construct_initial(kind.args[0])
            case "optional":
                return "None"
            case _:
                return kind.members[0]

    def add_property(self, decorator: str) -> None:
        env = self.state_env(may_block=False, may_fail=False)
        env.helpers = False
        name = self.fresh(decorator)
        if decorator == "step_invariant":
            signature = "before: State, after: State"
            record = Type("record", "State", fields=tuple(self.fields), frozen=False)
            env.places = [Place(n, record, ("s",)) for n in ("after", "before")]
        else:
            signature = "s: State"
        self.emit(f"@{decorator}")
        self.emit(f"def {name}({signature}) -> bool:")
        self.emit(f"    return {self.condition(env, 2)}")
        self.emit("")

    def generate(self) -> str:
        """The source of the whole model."""
        for i in range(2 + self.chooser.index(2)):
            self.fields.append((f"f{i}", draw_field(self.chooser, self.vocabulary)))
        for cell in self.vocabulary.cells:
            self.add_record_members(cell)
        self.emit("@record")
        self.emit("class State:")
        self.emit('    """The state."""')
        self.emit("")
        for name, kind in self.fields:
            self.emit(f"    {name}: {kind.text}")
        self.emit("")
        for _ in range(self.chooser.index(3)):
            self.guarded(lambda: self.add_helper(method=False))
        for cell in self.vocabulary.cells:
            if self.chance(40):
                self.guarded(lambda cell=cell: self.add_changer(cell, "c", method=False))  # type: ignore[misc]
            if self.chance(50):
                self.guarded(lambda cell=cell: self.add_finder(cell))  # type: ignore[misc]
        if self.chance(25):
            self.switches.append("fixed")
            self.emit("@dataclass(frozen=True)")
            self.emit("class Design:")
            self.emit('    """The switches."""')
            self.emit("")
            self.emit("    fixed: bool = True")
            self.emit("")
        self.emit("class Model(System[State]):")
        self._depth = 1
        self.emit('"""A random system."""')
        scope_line = len(self._lines)
        self.emit("")
        if self.switches:
            self.emit("design = Design()")
            self.emit("")
        self.add_init()
        for _ in range(self.chooser.index(2)):
            self.guarded(lambda: self.add_helper(method=True))
        for i in range(1 + self.chooser.index(4)):
            self.add_action(f"act{i}")
        if self.chance(30):
            env = self.state_env(may_block=False, may_fail=False)
            self.emit("def is_final(self, s: State) -> bool:")
            self.emit(f"    return {self.condition(env, 1)}")
            self.emit("")
        self._depth = 0
        self.inherit()
        for decorator in ("invariant", "invariant", "step_invariant", "reachable"):
            self.add_property(decorator)
        source = self.used_definitions()
        text = "\n".join([*source, *self._lines])
        if "Max" in text and not self.bounds_matter():
            high = str(self.vocabulary.scope["Max"])
            source = [d.replace('"Max"', high) for d in source]
            text = "\n".join([*source, *self._lines])
        needed = {n: v for n, v in self.vocabulary.scope.items() if mentions(text, n)}
        self._lines[scope_line] = f"    default_scope = {needed!r}\n"
        return HEADER + "\n\n".join([*source, "\n".join(self._lines)]) + "\n"

    def inherit(self) -> None:
        """Perhaps a class in between that overrides the first action and calls it."""
        first = next(line for line in self._lines if re.match(r"    def act0\(", line))
        if not self.chance(25):
            return
        at = self._lines.index("class Model(System[State]):")
        self._lines[at] = "class Base(System[State]):"
        parameters = re.findall(r"(\w+): ", first)
        self.emit("class Model(Base):")
        self.emit('    """Overrides an action."""')
        self.emit("")
        self._depth = 1
        self.emit("@action")
        self.emit(first.strip())
        env = self.state_env(may_block=True, may_fail=False)
        env.returns = env.switches = True
        env.helpers = False
        self._budget = 2
        self.block(env, 1, 1)
        self._depth = 2
        if self._lines[-1].strip() != "pass" or self.chance(50):
            self.emit(f"super().act0({', '.join(parameters)})")
        self._depth = 0
        self.emit("")

    def bounds_matter(self) -> bool:
        """Whether the state or a parameter of an action or of init is a bounded integer: only then its bounds
        belong to the scope."""
        signatures = [line for line in self._lines if re.match(r"    def (act|init)", line)]
        inside = [t.text for _, kind in self.fields for t in immutables_in(kind)]
        return "Level" in inside or any(mentions(line, "Level") for line in signatures)

    def used_definitions(self) -> list[str]:
        """The definitions of types that the model mentions, so that what a failure prints is short."""
        kept: list[str] = []
        for definition in reversed(self.vocabulary.source):
            name = re.search(r"^(?:class )?(\w+)[:(]", definition, re.MULTILINE)
            assert name is not None, definition
            if any(mentions(text, name[1]) for text in [*kept, *self._lines]):
                kept.insert(0, definition)
        return kept

    def guarded(self, add: Callable[[], None]) -> None:
        """Runs ``add``; what it wrote disappears if it got stuck."""
        kept, depth = len(self._lines), self._depth
        try:
            add()
        except Stuck:
            del self._lines[kept:]
            self._depth = depth


def uninitialised(kind: Type) -> Iterator[Type]:
    """The sorts inside ``kind`` that have no initial value."""
    match kind.kind:
        case "sort":
            yield kind
        case "record":
            for _, part in kind.fields:
                yield from uninitialised(part)
        case "union":
            yield from uninitialised(kind.args[0])
        case "map":
            yield from uninitialised(kind.args[1])
        case _:
            pass


def mentions(text: str, name: str) -> bool:
    """Whether ``text`` uses the name."""
    return re.search(rf"\b{name}\b", text) is not None


def generate(chooser: Chooser, *, wild: bool = False) -> str:
    """The source text of a random model; its system is the class ``Model``.

    A ``wild`` one does anything in loops over names, and is likely to be refused.
    """
    return Generator(chooser, wild).generate()
