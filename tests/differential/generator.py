"""Random models as source text: well-typed, within the language, and with few states.

A model is built top down from a ``Chooser``. Expressions are drawn for a type; ``Stuck`` says that
there is no way to write one (no value of a sort in reach), and the caller leaves out what needed it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace

from tests.differential.chooser import Chooser, chance, pick
from tests.differential.vocabulary import (
    BOOL,
    Type,
    Vocabulary,
    draw_field,
    draw_vocabulary,
    immutables_in,
)

HEADER = '''\
"""A random model."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, TypeAlias

from explorer.lang import (
    Between, Capacity, Map, Ordinal, Pool, Seq, Set, Sort, System, action, given, initial,
    invariant, panic, reachable, record, require, soft_panic, step_invariant,
)

'''

NUMBER = Type("int", "int", size=100)
"""The type of arithmetic: an integer of any size, checked where it is stored."""


class Stuck(Exception):
    """There is no expression of the wanted type here."""


@dataclass(frozen=True)
class Place:
    """Something that can be read (and perhaps assigned): text with a hole ``{i}`` per key to fill in.

    ``shape`` is the path by fields, ``[]`` for any element; equal or nested shapes may be the same place.
    """

    text: str
    type: Type
    shape: tuple[str, ...]
    holes: tuple[Type, ...] = ()
    writable: bool = False
    risky: bool = False
    """Reading it can fail: an element of a sequence, an entry of a pool."""


@dataclass
class Env:
    """What is in reach: values, places, and what may be done with them."""

    values: list[Place] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    may_fail: bool = True
    may_block: bool = False
    helpers: bool = True

    def child(self) -> Env:
        return replace(self, values=list(self.values), places=list(self.places))

    def add(self, name: str, kind: Type) -> None:
        self.values.append(Place(name, kind, (name,)))


@dataclass(frozen=True)
class Helper:
    """A function of the model that others may call."""

    name: str
    params: tuple[Type, ...]
    result: Type | None
    writes: bool
    safe: bool
    """Whether calling it cannot fail for the reasons that ``Env.may_fail`` excludes."""


class Generator:
    """Builds one model."""

    def __init__(self, chooser: Chooser) -> None:
        self.chooser = chooser
        self.vocabulary: Vocabulary = draw_vocabulary(chooser)
        self.fields: list[tuple[str, Type]] = []
        self.helpers: list[Helper] = []
        self._names = 0
        self._budget = 0
        self._lines: list[str] = []
        self._depth = 0

    # Small helpers

    def pick(self, items: list[Type]) -> Type:
        return pick(self.chooser, items)

    def chance(self, percent: int) -> bool:
        return chance(self.chooser, percent)

    def fresh(self, prefix: str) -> str:
        self._names += 1
        return f"{prefix}{self._names}"

    def emit(self, text: str) -> None:
        self._lines.append("    " * self._depth + text)

    # Places

    def readable(self, env: Env) -> Iterator[Place]:
        for place in [*env.values, *env.places]:
            yield from self._inside(place, env, 4)

    def _inside(self, place: Place, env: Env, depth: int) -> Iterator[Place]:
        yield place
        kind = place.type
        if depth == 0:
            return
        inner: list[Place] = []
        n = len(place.holes)
        match kind.kind:
            case "record":
                for name, part in kind.fields:
                    inner.append(
                        replace(
                            place,
                            text=f"{place.text}.{name}",
                            type=part,
                            shape=(*place.shape, name),
                            writable=place.writable and not kind.frozen,
                        )
                    )
            case "map":
                inner.append(self._element(place, f"[{{{n}}}]", kind.args[0], kind.args[1]))
            case "pool":
                inner.append(
                    replace(
                        self._element(place, f"[{{{n}}}]", kind.args[0], kind.args[1]), risky=True
                    )
                )
            case "seq":
                index = self._element(place, f"[{{{n}}}]", NUMBER, kind.args[0])
                inner.append(replace(index, risky=True))
                for end in (".first()", ".last()"):
                    inner.append(
                        Place(place.text + end, kind.args[0], (*place.shape, "[]"), place.holes, risky=True)
                    )
            case _:
                pass
        for part_ in inner:
            yield from self._inside(part_, env, depth - 1)

    def _element(self, place: Place, suffix: str, key: Type, value: Type) -> Place:
        return replace(
            place,
            text=place.text + suffix,
            type=value,
            shape=(*place.shape, "[]"),
            holes=(*place.holes, key),
        )

    def fill(self, place: Place, env: Env, depth: int) -> str:
        """The text of a place with its keys drawn."""
        keys = []
        for hole in place.holes:
            if hole is NUMBER:
                keys.append(pick(self.chooser, ["0", "1", self.expr(NUMBER, env, 0)]))
            else:
                keys.append(self.key(hole, env, depth))
        return place.text.format(*keys)

    def key(self, kind: Type, env: Env, depth: int) -> str:
        """An expression whose value is surely in the domain."""
        return self.expr(kind, env, min(depth, 1))

    def reads(self, kind: Type, env: Env) -> list[Place]:
        return [
            p
            for p in self.readable(env)
            if (p.type == kind or (kind is NUMBER and p.type.kind == "int"))
            and (env.may_fail or not p.risky)
        ]

    # Expressions

    def expr(self, kind: Type, env: Env, depth: int) -> str:
        """An expression of type ``kind``."""
        options: list[Callable[[], str]] = []
        found = self.reads(kind, env)
        if depth < 0:
            found = [p for p in found if not p.holes]
        if kind.members:
            options.append(lambda: pick(self.chooser, kind.members))
        if found:
            found += [p for p in found if not p.holes and p.text.startswith(("p", "i", "c", "y"))] * 2
            options += [lambda: self.fill(pick(self.chooser, found), env, depth - 1)] * 3
        match kind.kind:
            case "int" if kind is NUMBER:
                options.append(lambda: str(self.chooser.index(3)))
            case "optional":
                options.append(lambda: "None")
                if depth > 0:
                    options.append(lambda: self.expr(kind.args[0], env, depth - 1))
            case "union" if depth > 0:
                options.append(lambda: self.expr(self.pick(list(kind.args)), env, depth - 1))
            case "record" if depth > 0 or (depth > -3 and not found):
                options.append(lambda: self.construct(kind, env, depth - 1))
            case "set":
                options.append(lambda: "Set()")
            case _:
                pass
        if depth > 0:
            options += self.operations(kind, env, depth)
            if env.helpers:
                for helper in self.helpers:
                    if helper.result == kind and self.callable(helper, env):
                        options.append(lambda helper=helper: self.call(helper, env, depth))  # type: ignore[misc]
            for place in self.reads(optional_of(kind), env) if env.may_block else []:
                options.append(lambda p=place: f"given({self.fill(p, env, depth - 1)})")  # type: ignore[misc]
        for _ in range(3):
            if options:
                try:
                    return pick(self.chooser, options)()
                except Stuck:
                    continue
        if kind.members:
            return kind.members[0]
        raise Stuck

    def construct(self, kind: Type, env: Env, depth: int) -> str:
        parts = [self.expr(t, env, depth) for _, t in kind.fields]
        if self.chance(50):
            return f"{kind.text}({', '.join(parts)})"
        named = zip(kind.fields, parts, strict=True)
        return f"{kind.text}({', '.join(f'{n}={e}' for (n, _), e in named)})"

    def operations(self, kind: Type, env: Env, depth: int) -> list[Callable[[], str]]:
        """Ways to compute a value of ``kind`` from others."""

        def sub(t: Type) -> str:
            return self.expr(t, env, depth - 1)

        options: list[Callable[[], str]] = []
        if kind.immutable and kind.kind != "record":
            options.append(lambda: self.conditional(kind, env, depth))
        match kind.kind:
            case "bool":
                options += [lambda: self.condition(env, depth)] * 3
            case "int" if kind is NUMBER:
                options += [
                    lambda: f"({sub(NUMBER)} {pick(self.chooser, ['+', '-', '*'])} {sub(NUMBER)})",
                    lambda: f"({sub(NUMBER)} {pick(self.chooser, ['//', '%'])} {self.chooser.index(2) + 2})",
                    lambda: f"{pick(self.chooser, ['min', 'max'])}({sub(NUMBER)}, {sub(NUMBER)})",
                    lambda: f"(-{sub(NUMBER)})",
                    lambda: self.length(env, depth),
                    lambda: self.total(env, depth),
                ]
            case "ordinal":
                options.append(
                    lambda: f"{pick(self.chooser, ['min', 'max'])}({sub(kind)}, {sub(kind)})"
                )
                if env.may_fail:
                    options.append(lambda: f"{sub(kind)}.next()")
            case "set":
                options += [
                    lambda: f"({sub(kind)} {pick(self.chooser, ['|', '&', '-'])} {sub(kind)})",
                    lambda: f"Set(({sub(kind.args[0])}, {sub(kind.args[0])}))",
                    lambda: self.comprehension(kind, env, depth),
                ]
            case _:
                pass
        return options

    def conditional(self, kind: Type, env: Env, depth: int) -> str:
        then = self.expr(kind, env, depth - 1)
        otherwise = self.other(then, lambda: self.expr(kind, env, depth - 1))
        return f"({then} if {self.condition(env, depth - 1)} else {otherwise})"

    def length(self, env: Env, depth: int) -> str:
        sized = [p for p in self.safe(env) if p.type.kind in ("set", "seq", "pool", "map")]
        if not sized or self.chance(20):
            return "len(Name)"
        return f"len({self.fill(pick(self.chooser, sized), env, depth - 1)})"

    def total(self, env: Env, depth: int) -> str:
        variable, source, inner = self.domain(env, depth)
        if self.chance(50):
            return f"sum(1 for {variable} in {source} if {self.condition(inner, depth - 1)})"
        return f"sum({self.expr(NUMBER, inner, depth - 1)} for {variable} in {source})"

    def comprehension(self, kind: Type, env: Env, depth: int) -> str:
        item = kind.args[0]
        if item.kind not in ("enum", "sort", "ordinal"):
            raise Stuck
        variable = self.fresh("i")
        inner = env.child()
        inner.add(variable, item)
        return f"Set({variable} for {variable} in {item.text} if {self.condition(inner, depth - 1)})"

    def safe(self, env: Env) -> list[Place]:
        return [p for p in self.readable(env) if env.may_fail or not p.risky]

    def domain(self, env: Env, depth: int) -> tuple[str, str, Env]:
        """A loop's variable and what it runs over, and the environment of its body."""
        variable = self.fresh("i")
        inner = env.child()
        finite = [t for t in self.vocabulary.scalars if t.kind in ("sort", "enum", "ordinal")]
        places = [
            p
            for p in self.safe(env)
            if p.type.kind in ("set", "seq", "map", "pool") and p.type.args[0].immutable
        ]
        if places and self.chance(40):
            place = pick(self.chooser, places)
            source = self.fill(place, env, depth - 1)
            item = place.type.args[0]
            if place.type.kind == "map" and place.type.args[1].immutable and self.chance(40):
                inner.add(variable, place.type.args[1])
                return variable, f"{source}.values()", inner
            inner.add(variable, item)
            return variable, source, inner
        kind = self.pick(finite)
        inner.add(variable, kind)
        return variable, kind.text, inner

    def condition(self, env: Env, depth: int) -> str:
        """A Boolean expression."""
        options: list[Callable[[], str]] = [lambda: self.comparison(env, depth)] * 4
        plain = self.reads(BOOL, env)
        if plain:
            options.insert(0, lambda: self.fill(pick(self.chooser, plain), env, depth - 1))
        options += [lambda: self.membership(env, depth)] * 2
        if depth > 0:
            options += [
                lambda: f"(not {self.condition(env, depth - 1)})",
                lambda: f"({self.condition(env, depth - 1)} and {self.condition(env, depth - 1)})",
                lambda: f"({self.condition(env, depth - 1)} or {self.condition(env, depth - 1)})",
                lambda: self.quantifier(env, depth),
                lambda: self.quantifier(env, depth),
                lambda: self.walrus(env, depth),
            ]
            if env.helpers:
                for helper in self.helpers:
                    if helper.result == BOOL and self.callable(helper, env):
                        options.append(lambda helper=helper: self.call(helper, env, depth))  # type: ignore[misc]
        for _ in range(3):
            try:
                return pick(self.chooser, options)()
            except Stuck:
                continue
        return "True"

    def comparison(self, env: Env, depth: int) -> str:
        places = self.safe(env)
        comparable = [p for p in places if p.type.kind not in ("pool", "map")]
        if not comparable:
            raise Stuck
        place = pick(self.chooser, comparable)
        left = self.fill(place, env, depth - 1)
        kind = place.type
        if kind.kind == "optional" and self.chance(60):
            return f"({left} is {pick(self.chooser, ['not ', ''])}None)"
        operators = ["==", "!="]
        if kind.kind in ("int", "ordinal"):
            operators += ["<", "<=", ">", ">="]
            if self.chance(10):
                return f"({self.expr(kind, env, 0)} <= {left} < {self.expr(kind, env, 0)})"
        if kind.kind == "set" and self.chance(30):
            operators = ["<="]
        wanted = NUMBER if kind.kind == "int" and self.chance(50) else kind
        if kind.kind == "record" and not kind.frozen:
            raise Stuck
        right = self.other(left, lambda: self.expr(wanted, env, depth - 1))
        return f"({left} {pick(self.chooser, operators)} {right})"

    def membership(self, env: Env, depth: int) -> str:
        places = [p for p in self.safe(env) if p.type.kind in ("set", "pool", "seq")]
        if not places:
            raise Stuck
        place = pick(self.chooser, places)
        member = self.expr(place.type.args[0], env, depth - 1)
        where = self.fill(place, env, depth - 1)
        return f"({member} {pick(self.chooser, ['', 'not '])}in {where})"

    def quantifier(self, env: Env, depth: int) -> str:
        variable, source, inner = self.domain(env, depth)
        condition = f" if {self.condition(inner, 0)}" if self.chance(30) else ""
        body = self.condition(inner, depth - 1)
        return f"{pick(self.chooser, ['any', 'all'])}({body} for {variable} in {source}{condition})"

    def walrus(self, env: Env, depth: int) -> str:
        places = [p for p in self.safe(env) if p.type.kind == "optional"]
        if not places:
            raise Stuck
        place = pick(self.chooser, places)
        name = self.fresh("w")
        inner = env.child()
        inner.add(name, place.type.args[0])
        left = f"({name} := {self.fill(place, env, depth - 1)}) is not None"
        return f"({left} and {self.condition(inner, depth - 1)})"

    def callable(self, helper: Helper, env: Env) -> bool:
        """Whether an expression may call the helper."""
        inside = any(p.text == "s" and p.writable for p in env.places)
        return inside and env.helpers and not helper.writes and (helper.safe or env.may_fail)

    def call(self, helper: Helper, env: Env, depth: int) -> str:
        arguments = [self.expr(t, env, depth - 1) for t in helper.params]
        prefix = "self." if helper.name.startswith("m") else ""
        return f"{prefix}{helper.name}({', '.join(['s', *arguments])})"

    # Statements

    def block(self, env: Env, statements: int, depth: int) -> None:
        """Statements, indented one level deeper; ``pass`` where none could be written."""
        self._depth += 1
        before = len(self._lines)
        for _ in range(statements):
            self.statement(env, depth)
        if len(self._lines) == before:
            self.emit("pass")
        self._depth -= 1

    def statement(self, env: Env, depth: int) -> None:
        if self._budget <= 0:
            return
        self._budget -= 1
        options: list[Callable[[], None]] = [lambda: self.assign(env)] * 8
        options += [
            lambda: self.local(env),
            lambda: self.alias(env),
            *[lambda: self.container(env)] * 4,
            lambda: self.augment(env),
            lambda: self.check(env),
        ]
        if depth > 0:
            options += [
                lambda: self.branch(env, depth),
                lambda: self.branch(env, depth),
                lambda: self.unwrap(env, depth),
                lambda: self.loop(env, depth),
                lambda: self.match(env, depth),
            ]
        options += [lambda h=h: self.call_statement(h, env) for h in self.helpers if h.writes]  # type: ignore[misc]
        for _ in range(3):
            kept = len(self._lines)
            try:
                pick(self.chooser, options)()
                return
            except Stuck:
                del self._lines[kept:]

    def targets(self, env: Env) -> list[Place]:
        return [
            p
            for place in env.places
            for p in self._inside(place, env, 4)
            if p.writable and p.text != "s"
        ]

    def wrote(self, env: Env, shape: tuple[str, ...]) -> None:
        """Drops the local names of places that an assignment to ``shape`` makes stale."""
        env.places = [
            p for p in env.places if p.text == "s" or p.shape[: len(shape)] != shape
        ]

    def assign(self, env: Env) -> None:
        targets = [p for p in self.targets(env) if p.type.kind not in ("pool", "map", "seq")]
        targets += [p for p in targets if p.type.scalar]
        if not targets:
            raise Stuck
        place = pick(self.chooser, targets)
        target = self.fill(place, env, 1)
        self.emit(f"{target} = {self.new_value(place.type, target, env)}")
        if not place.type.immutable:
            self.wrote(env, place.shape)

    def new_value(self, kind: Type, target: str, env: Env) -> str:
        """A value to store, likely another one than is there: models whose states never change are dull."""
        given_values = [p.text for p in env.values if p.type == kind]
        way = pick(self.chooser, ["step", "parameter", "parameter", "constant", "any", "any"])
        if way == "constant" and kind.members:
            return pick(self.chooser, kind.members)
        if way == "parameter" and given_values:
            return pick(self.chooser, given_values)
        if kind.kind == "bool" and way == "step":
            return f"not {target}"
        if kind.kind == "int":
            if way == "step":
                low = int(min(kind.members, key=int))
                return f"({target} + {1 + self.chooser.index(2)}) % {kind.size} + {low}"
            return self.expr(kind if self.chance(70) else NUMBER, env, 2)
        if kind.kind == "ordinal" and way == "step" and env.may_fail:
            return f"{target}.next() if {target} < {kind.text}.last() else {kind.text}.first()"
        return self.other(target, lambda: self.expr(kind, env, 2))

    def other(self, text: str, draw: Callable[[], str]) -> str:
        """What ``draw`` returns, not ``text`` if that can be avoided."""
        for _ in range(3):
            drawn = draw()
            if drawn != text:
                break
        return drawn

    def augment(self, env: Env) -> None:
        places = [p for p in self.targets(env) if p.type.kind == "int"]
        if not places:
            raise Stuck
        place = pick(self.chooser, places)
        self.emit(f"{self.fill(place, env, 1)} {pick(self.chooser, ['+=', '-='])} {self.expr(NUMBER, env, 1)}")

    def local(self, env: Env) -> None:
        known = [p for p in env.values if p.text.startswith("x") and p.type.scalar]
        if known and self.chance(40):
            place = pick(self.chooser, known)
            self.emit(f"{place.text} = {self.expr(place.type, env, 2)}")
            return
        kinds = [t for t in self.vocabulary.immutables() if t.kind not in ("union", "optional")]
        kind = self.pick(kinds)
        name = self.fresh("x")
        self.emit(f"{name}: {kind.text} = {self.expr(kind, env, 2)}")
        env.add(name, kind)

    def alias(self, env: Env) -> None:
        """A local name for a mutable place."""
        places = [
            p
            for place in env.places
            for p in self._inside(place, env, 3)
            if p.writable and not p.type.immutable and p.text != "s"
        ]
        if not places:
            raise Stuck
        place = pick(self.chooser, places)
        name = self.fresh("a")
        self.emit(f"{name} = {self.fill(place, env, 1)}")
        env.places.append(Place(name, place.type, place.shape, writable=True))

    def container(self, env: Env) -> None:
        """A method of a set, a sequence or a pool."""
        kinds = ("set", "seq", "pool")
        places = [p for p in self.targets(env) if p.type.kind in kinds]
        if not places:
            raise Stuck
        place = pick(self.chooser, places)
        text = self.fill(place, env, 1)
        match place.type.kind:
            case "set":
                method = pick(self.chooser, ["add", "add", "add", "discard", "remove", "clear"])
                if method == "remove" and not env.may_fail:
                    method = "discard"
                argument = "" if method == "clear" else self.expr(place.type.args[0], env, 2)
                self.emit(f"{text}.{method}({argument})")
            case "seq":
                self.sequence(env, place.type.args[0], text)
            case _:
                if self.chance(40):
                    self.emit(f"{text}.free({self.expr(place.type.args[0], env, 1)})")
                    self.wrote(env, (*place.shape, "[]"))
                else:
                    name = self.fresh("x")
                    self.emit(f"{name} = {text}.alloc({self.expr(place.type.args[1], env, 2)})")
                    env.add(name, place.type.args[0])

    def sequence(self, env: Env, item: Type, text: str) -> None:
        method = pick(
            self.chooser, ["append", "append", "append", "pop", "clear", "remove_at", "insert", "set"]
        )
        if method in ("pop", "remove_at", "set") and env.may_block and self.chance(80):
            self.emit(f"require(len({text}) > {self.chooser.index(2)})")
        match method:
            case "append":
                self.emit(f"{text}.append({self.expr(item, env, 2)})")
            case "pop":
                name = self.fresh("x")
                self.emit(f"{name} = {text}.pop_first()")
                env.add(name, item)
            case "clear":
                self.emit(f"{text}.clear()")
            case "remove_at":
                self.emit(f"{text}.remove_at({self.expr(NUMBER, env, 0)})")
            case "insert":
                self.emit(f"{text}.insert({self.expr(NUMBER, env, 0)}, {self.expr(item, env, 2)})")
            case _:
                self.emit(f"{text}[{self.expr(NUMBER, env, 0)}] = {self.expr(item, env, 1)}")

    def check(self, env: Env) -> None:
        """A guard, an assertion or a panic."""
        name = self.fresh("failure ")
        condition = self.condition(env, 2)
        kind = pick(self.chooser, ["require", "assert", "panic", "soft_panic"])
        if kind == "require" and env.may_block:
            self.emit(f"require({condition})")
        elif kind in ("require", "assert"):
            self.emit(f'assert {condition}, "{name}"')
        else:
            self.emit(f"if {condition}:")
            self._depth += 1
            self.emit(f'{kind}("{name}")')
            self._depth -= 1

    def branch(self, env: Env, depth: int) -> None:
        children = [env.child()]
        self.emit(f"if {self.condition(env, 2)}:")
        self.block(children[0], 1 + self.chooser.index(2), depth - 1)
        if self.chance(20):
            children.append(env.child())
            self.emit(f"elif {self.condition(env, 1)}:")
            self.block(children[-1], 1, depth - 1)
        if self.chance(50):
            children.append(env.child())
            self.emit("else:")
            self.block(children[-1], 1 + self.chooser.index(2), depth - 1)
        self.join(env, children)

    def join(self, env: Env, children: list[Env]) -> None:
        """What is still a usable place after the children, whichever ran."""
        env.places = [p for p in env.places if all(p in c.places for c in children)]

    def unwrap(self, env: Env, depth: int) -> None:
        """``if (x := optional) is not None``."""
        places = [p for p in self.safe(env) if p.type.kind == "optional"]
        if not places:
            raise Stuck
        place = pick(self.chooser, places)
        name = self.fresh("y")
        child = env.child()
        text = self.fill(place, env, 1)
        if self.chance(50):
            self.emit(f"if ({name} := {text}) is not None:")
        else:
            self.emit(f"{name} = {text}")
            self.emit(f"if {name} is not None:")
        child.add(name, place.type.args[0])
        self.block(child, 1 + self.chooser.index(2), depth - 1)
        self.join(env, [child])

    def loop(self, env: Env, depth: int) -> None:
        variable = self.fresh("i")
        finite = [t for t in self.vocabulary.scalars if t.kind in ("sort", "enum", "ordinal")]
        kind = self.pick(finite)
        child = env.child()
        # A name for a place must not become stale on the second round.
        child.places = [p for p in child.places if p.text == "s"]
        child.add(variable, kind)
        if kind.kind == "sort":
            self.unordered_loop(env, child, variable, kind)
        else:
            self.emit(f"for {variable} in {kind.text}:")
            self.block(child, 1 + self.chooser.index(2), depth - 1)
            if self.chance(20):
                self._depth += 1
                self.emit(f"if {self.condition(child, 1)}:")
                self.emit(f"    {pick(self.chooser, ['break', 'continue'])}")
                self._depth -= 1
        env.places = [p for p in env.places if p.text == "s"]

    def unordered_loop(self, env: Env, child: Env, variable: str, kind: Type) -> None:
        """A loop over a sort: each round writes what belongs to its own name and reads nothing written."""
        targets = [
            p
            for p in self.targets(child)
            if p.holes and p.holes[0] == kind and len(p.holes) == 1 and p.type.scalar and not p.risky
        ]
        sets = [p for p in self.targets(child) if p.type.kind == "set" and p.type.args[0] == kind]
        sets = [p for p in sets if not p.holes]
        if not targets and not sets:
            raise Stuck
        place = pick(self.chooser, targets + sets)
        root = place.shape[1] if len(place.shape) > 1 else place.shape[0]
        apart = child.child()
        apart.may_fail = apart.may_block = apart.helpers = False
        apart.places = []
        for name, kind_ in self.fields:
            if name != root:
                apart.places.append(Place(f"s.{name}", kind_, ("s", name)))
        self.emit(f"for {variable} in {kind.text}:")
        self._depth += 1
        if self.chance(40):
            self.emit(f"if {self.condition(apart, 1)}:")
            self._depth += 1
            self.unordered_write(place, apart, variable)
            self._depth -= 1
        else:
            self.unordered_write(place, apart, variable)
        self._depth -= 1

    def unordered_write(self, place: Place, apart: Env, variable: str) -> None:
        if place.type.kind == "set":
            self.emit(f"{place.text}.{pick(self.chooser, ['add', 'discard'])}({variable})")
        else:
            self.emit(f"{place.text.format(variable)} = {self.expr(place.type, apart, 1)}")

    def match(self, env: Env, depth: int) -> None:
        places = [p for p in self.safe(env) if p.type.kind in ("union", "enum")]
        places += [p for p in places if p.type.kind == "union"] * 3
        if not places:
            raise Stuck
        place = pick(self.chooser, places)
        self.emit(f"match {self.fill(place, env, 1)}:")
        self._depth += 1
        children = []
        if place.type.kind == "union":
            cases = []
            for variant in place.type.args:
                names = [(self.fresh("c"), t) for _, t in variant.fields]
                pattern = ", ".join(
                    f"{f}={n}" for (f, _), (n, _) in zip(variant.fields, names, strict=True)
                )
                cases.append((f"{variant.text}({pattern})", names))
            if self.chance(20):
                cases[-1] = ("_", [])
        else:
            cases = [(m, []) for m in place.type.members]
            if self.chance(50):
                cases[-1] = ("_", [])
        for pattern, names in cases:
            child = env.child()
            for name, kind in names:
                child.add(name, kind)
            self.emit(f"case {pattern}:")
            self.block(child, 1, depth - 1)
            children.append(child)
        self._depth -= 1
        self.join(env, children)

    def call_statement(self, helper: Helper, env: Env) -> None:
        self.emit(self.call(helper, env, 1))
        env.places = [p for p in env.places if p.text == "s"]

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

    def add_action(self, name: str) -> None:
        params = self.params(8)
        env = self.state_env(may_block=True, may_fail=self.chance(40))
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

    def initial_map(self, lines: list[str], text: str, kind: Type, env: Env, depth: int = 0) -> None:
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
                return f"{kind.text}({', '.join(self.construct_initial(t) for _, t in kind.fields)})"
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
        self.emit("@record")
        self.emit("class State:")
        self.emit('    """The state."""')
        self.emit("")
        for name, kind in self.fields:
            self.emit(f"    {name}: {kind.text}")
        self.emit("")
        for _ in range(self.chooser.index(3)):
            self.guarded(lambda: self.add_helper(method=False))
        self.emit("class Model(System[State]):")
        self._depth = 1
        self.emit('"""A random system."""')
        scope_line = len(self._lines)
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


def optional_of(kind: Type) -> Type:
    """``kind | None``, for comparing types."""
    return Type("optional", f"{kind.text} | None", (kind,), size=kind.size + 1)


def generate(chooser: Chooser) -> str:
    """The source text of a random model; its system is the class ``Model``."""
    return Generator(chooser).generate()
