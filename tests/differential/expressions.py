"""Random expressions: drawn for a type, well-typed by construction.

``Stuck`` says that there is no way to write one here (no value of a sort in reach), and the caller leaves out what
needed it. Parentheses are generous.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.differential.chooser import Chooser, chance, pick
from tests.differential.scope import NUMBER, Changer, Env, Helper, Place, Stuck
from tests.differential.vocabulary import BOOL, Type, Vocabulary, draw_vocabulary


class Expressions:
    """Draws expressions, and keeps what is known of the model that is being built."""

    def __init__(self, chooser: Chooser, wild: bool = False) -> None:
        self.chooser = chooser
        self.wild = wild
        """Whether loops over names may do anything: most of them the compiler has to refuse."""
        self.vocabulary: Vocabulary = draw_vocabulary(chooser)
        self.fields: list[tuple[str, Type]] = []
        self.helpers: list[Helper] = []
        self.changers: list[Changer] = []
        self.flags: dict[str, str] = {}
        """A Boolean property of each mutable record class that has one."""
        self.switches: list[str] = []
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
                        Place(
                            place.text + end,
                            kind.args[0],
                            (*place.shape, "[]"),
                            place.holes,
                            risky=True,
                        )
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
            found += [
                p for p in found if not p.holes and p.text.startswith(("p", "i", "c", "y"))
            ] * 2
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
                    lambda: (
                        f"({sub(NUMBER)} {pick(self.chooser, ['//', '%'])} {self.chooser.index(2) + 2})"
                    ),
                    lambda: f"{pick(self.chooser, ['min', 'max'])}({sub(NUMBER)}, {sub(NUMBER)})",
                    lambda: f"(-{sub(NUMBER)})",
                    lambda: f"(1 if {self.condition(env, depth - 1)} else 0)",
                    lambda: self.extreme(NUMBER, env, depth),
                    lambda: self.length(env, depth),
                    lambda: self.total(env, depth),
                ]
            case "ordinal":
                options.append(
                    lambda: f"{pick(self.chooser, ['min', 'max'])}({sub(kind)}, {sub(kind)})"
                )
                options.append(lambda: self.extreme(kind, env, depth))
                if env.may_fail:
                    options.append(lambda: f"{sub(kind)}.next()")
            case "set":
                options += [
                    lambda: (
                        f"({self.read(kind, env)} {pick(self.chooser, ['|', '&', '-'])} {sub(kind)})"
                    ),
                    lambda: self.comprehension(kind, env, depth),
                ]
            case _:
                pass
        return options

    def other(self, text: str, draw: Callable[[], str]) -> str:
        """What ``draw`` returns, not ``text`` if that can be avoided."""
        for _ in range(3):
            drawn = draw()
            if drawn != text:
                break
        return drawn

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

    def extreme(self, kind: Type, env: Env, depth: int) -> str:
        variable, source, inner = self.domain(env, depth)
        element = self.expr(kind, inner, depth - 1)
        condition = f" if {self.condition(inner, 0)}" if self.chance(30) else ""
        function = pick(self.chooser, ["min", "max"])
        default = self.expr(kind, env, 0)
        return f"{function}(({element} for {variable} in {source}{condition}), default={default})"

    def read(self, kind: Type, env: Env) -> str:
        """Something of type ``kind`` that is there already."""
        found = self.reads(kind, env)
        if not found:
            raise Stuck
        return self.fill(pick(self.chooser, found), env, 0)

    def comprehension(self, kind: Type, env: Env, depth: int) -> str:
        item = kind.args[0]
        if item.kind not in ("enum", "sort", "ordinal"):
            raise Stuck
        variable = self.fresh("i")
        inner = env.child()
        inner.add(variable, item)
        return (
            f"Set({variable} for {variable} in {item.text} if {self.condition(inner, depth - 1)})"
        )

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
            source = self.fill(place, replace(env, walrus=False), depth - 1)
            item = place.type.args[0]
            # Whether an element fails or one before it decides must not depend on the order of names.
            inner.may_fail = env.may_fail and place.type.kind == "seq"
            if place.type.kind == "map" and place.type.args[1].immutable and self.chance(40):
                inner.add(variable, place.type.args[1])
                return variable, f"{source}.values()", inner
            inner.add(variable, item)
            return variable, source, inner
        if self.chance(15):
            inner.add(variable, NUMBER)
            return variable, self.numbers(env), inner
        kind = self.pick(finite)
        inner.add(variable, kind)
        inner.may_fail = env.may_fail and kind.kind != "sort"
        return variable, kind.text, inner

    def numbers(self, env: Env) -> str:
        """``range(...)``; its bound must be finite, so it is a length or a number."""
        sized = [p for p in env.places if p.type.kind in ("set", "seq")]
        sized += [p for p in self.safe(env) if p.type.kind in ("set", "seq") and not p.holes]
        if sized and self.chance(50):
            return f"range(len({pick(self.chooser, sized).text}))"
        return pick(self.chooser, ["range(2)", "range(1, 3)"])

    def condition(self, env: Env, depth: int) -> str:
        """A Boolean expression."""
        options: list[Callable[[], str]] = [lambda: self.comparison(env, depth)] * 4
        plain = self.reads(BOOL, env)
        if plain:
            options.insert(0, lambda: self.fill(pick(self.chooser, plain), env, depth - 1))
        options += [lambda: self.membership(env, depth)] * 2
        if self.flags:
            options.append(lambda: self.property_of_record(env))
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
        if depth <= -3:
            return "True"
        return self.flag(env)

    def property_of_record(self, env: Env) -> str:
        places = [p for p in self.safe(env) if p.type.text in self.flags]
        if not places:
            raise Stuck
        place = pick(self.chooser, places)
        return f"{self.fill(place, env, 0)}.{self.flags[place.type.text]}"

    def flag(self, env: Env) -> str:
        """A condition of the design or of the scope, where there is one."""
        if env.switches and self.switches:
            return f"self.design.{pick(self.chooser, self.switches)}"
        return "True"

    def comparison(self, env: Env, depth: int) -> str:
        places = self.safe(env)
        comparable = [p for p in places if p.type.kind not in ("pool", "map")]
        if not comparable:
            raise Stuck
        place = pick(self.chooser, comparable)
        left = self.fill(place, env, depth - 1)
        kind = place.type
        if kind.kind == "union" and "." in left and self.chance(60):
            return f"isinstance({left}, {self.pick(list(kind.args)).text})"
        if kind.kind == "enum" and self.chance(20):
            return f"({left} is {pick(self.chooser, kind.members)})"
        if kind.scalar and self.chance(15):
            choices = f"{self.expr(kind, env, 0)}, {self.expr(kind, env, 0)}"
            if not re.search(r"\w\(", left):
                return f"({left} {pick(self.chooser, ['', 'not '])}in ({choices}))"
        if kind.kind == "optional" and self.chance(60):
            return f"({left} is {pick(self.chooser, ['not ', ''])}None)"
        operators = ["==", "!="]
        if kind.kind in ("int", "ordinal"):
            operators += ["<", "<=", ">", ">="]
            if self.chance(10) and not re.search(r"[()]|]$", left):
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
        if self.chance(15):
            second, more, inner = self.domain(inner, 0)
            source = f"{source} for {second} in {more}"
        body = self.condition(inner, depth - 1)
        return f"{pick(self.chooser, ['any', 'all'])}({body} for {variable} in {source}{condition})"

    def walrus(self, env: Env, depth: int) -> str:
        places = [p for p in self.safe(env) if p.type.kind == "optional"]
        if not places or not env.walrus:
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


def optional_of(kind: Type) -> Type:
    """``kind | None``, for comparing types."""
    return Type("optional", f"{kind.text} | None", (kind,), size=kind.size + 1)
