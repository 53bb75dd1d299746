"""Random statements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tests.differential.chooser import pick
from tests.differential.expressions import Expressions
from tests.differential.scope import ANYWHERE, NUMBER, Env, Helper, Place, Stuck
from tests.differential.vocabulary import Type


class Statements(Expressions):
    """Draws statements and writes them down."""

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
            lambda: self.local_record(env),
            *[lambda: self.call_on_place(env)] * 2,
        ]
        if depth > 0:
            options += [
                lambda: self.branch(env, depth),
                lambda: self.branch(env, depth),
                lambda: self.unwrap(env, depth),
                lambda: self.loop(env, depth),
                lambda: self.match(env, depth),
                lambda: self.ordered_loop(env, depth),
                lambda: self.leave(env),
            ]
        if self.wild:
            options += [lambda: self.local(env)] * 4
            options += [lambda: self.loop(env, depth)] * (6 * (depth > 0))
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
            if p.writable
            and not p.text.isidentifier()  # a bare name would be bound to something else
        ]

    def wrote(self, env: Env, shape: tuple[str, ...]) -> None:
        """Drops the local names of places that an assignment to ``shape`` makes stale."""
        if shape[0] == ANYWHERE:
            env.places = [p for p in env.places if p.text == "s"]
        env.places = [
            p
            for p in env.places
            if p.text == "s" or (p.shape[: len(shape)] != shape and p.shape[0] != ANYWHERE)
        ]

    def assign(self, env: Env) -> None:
        targets = [p for p in self.targets(env) if p.type.kind not in ("pool", "map", "seq")]
        targets = [p for p in targets if p.type.immutable or not env.entries]
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

    def augment(self, env: Env) -> None:
        places = [p for p in self.targets(env) if p.type.kind == "int"]
        if not places:
            raise Stuck
        place = pick(self.chooser, places)
        # A call might change which place the target is.
        plain = replace(env, helpers=False, may_block=False, may_fail=False)
        operator = pick(self.chooser, ["+=", "-="])
        self.emit(f"{self.fill(place, plain, 0)} {operator} {self.expr(NUMBER, plain, 1)}")

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
        finders = [h for h in self.helpers if h.result == place.type]
        if finders and self.callable(finders[0], env) and self.chance(50):
            self.emit(f"{name} = {self.call(finders[0], env, 1)}")
            env.places.append(Place(name, place.type, (ANYWHERE,), writable=True))
            return
        self.emit(f"{name} = {self.fill(place, env, 1)}")
        env.places.append(Place(name, place.type, place.shape, writable=True))

    def local_record(self, env: Env) -> None:
        """A mutable record that is not part of the state (yet)."""
        if not self.vocabulary.cells:
            raise Stuck
        kind = self.pick(self.vocabulary.cells)
        name = self.fresh("r")
        self.emit(f"{name} = {self.construct(kind, env, 1)}")
        env.places.append(Place(name, kind, (name,), writable=True))

    def call_on_place(self, env: Env) -> None:
        """A method of a record, or a helper that takes a record, and writes to it."""
        if env.entries:
            raise Stuck
        options = [
            (place, helper)
            for place in [*self.targets(env), *env.places]
            for helper in self.changers
            if place.writable and place.type.text == helper.place and (helper.safe or env.may_fail)
        ]
        if not options:
            raise Stuck
        place, helper = pick(self.chooser, options)
        text = self.fill(place, env, 1)
        arguments = [self.expr(t, env, 0) for t in helper.params]
        if helper.method:
            self.emit(f"{text}.{helper.name}({', '.join(arguments)})")
        else:
            self.emit(f"{helper.name}({', '.join([text, *arguments])})")
        kept = [p for p in env.places if p.shape == place.shape and p.shape[0] != ANYWHERE]
        self.wrote(env, place.shape)
        env.places += [p for p in kept if p not in env.places]

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
                if self.chance(40) and not env.entries:
                    self.emit(f"{text}.free({self.expr(place.type.args[0], env, 1)})")
                    self.wrote(env, (*place.shape, "[]"))
                else:
                    name = self.fresh("x")
                    self.emit(f"{name} = {text}.alloc({self.expr(place.type.args[1], env, 2)})")
                    env.add(name, place.type.args[0])

    def sequence(self, env: Env, item: Type, text: str) -> None:
        method = pick(
            self.chooser,
            ["append", "append", "append", "pop", "clear", "remove_at", "insert", "set"],
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
        if kind.kind == "sort" and not self.wild:
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

    def leave(self, env: Env) -> None:
        """An early ``return``."""
        if not env.returns:
            raise Stuck
        self.emit(f"if {self.condition(env, 1)}:")
        self.emit("    return")

    def ordered_loop(self, env: Env, depth: int) -> None:
        """A loop over numbers, a tuple, a sequence, or the keys or entries of a map that have an order."""
        child = env.child()
        child.places = [p for p in child.places if p.text == "s"]
        variable = self.fresh("i")
        ordered: tuple[str, ...] = ("bool", "int", "enum", "ordinal")
        if self.wild:
            ordered = (*ordered, "sort", "optional", "record")
        places = [p for p in self.safe(child) if p.type.kind == "seq"]
        if self.wild:
            places += [p for p in self.safe(child) if p.type.kind == "pool"] * 3
        places += [
            p
            for p in self.safe(child)
            if p.type.kind in ("map", "set") and p.type.args[0].kind in ordered
        ]
        way = pick(self.chooser, ["range", "tuple", "place", "place", "place"])
        if way == "place" and places:
            self.container_loop(child, variable, pick(self.chooser, places))
        elif way == "tuple":
            kind = self.pick([t for t in self.vocabulary.scalars if t.members])
            child.add(variable, kind)
            self.emit(f"for {variable} in ({kind.members[-1]}, {self.expr(kind, env, 0)}):")
        else:
            child.add(variable, NUMBER)
            self.emit(f"for {variable} in {self.numbers(env)}:")
        self.block(child, 1 + self.chooser.index(2), depth - 1)
        env.places = [p for p in env.places if p.text == "s"]

    def container_loop(self, child: Env, variable: str, place: Place) -> None:
        text = self.fill(place, child, 0)
        item = place.type.args[0]
        if place.type.kind != "map":
            child.add(variable, item)
            self.emit(f"for {variable} in {text}:")
            return
        entry = place.type.args[1]
        name = self.fresh("e")
        way = pick(self.chooser, ["keys", "values", "items"])
        if way in ("keys", "items"):
            child.add(variable, item)
        if way in ("values", "items"):
            if entry.immutable:
                child.add(name, entry)
            else:
                writable = place.writable
                child.entries = True
                child.places.append(Place(name, entry, (*place.shape, "[]"), writable=writable))
        match way:
            case "keys":
                self.emit(f"for {variable} in {text}:")
            case "values":
                self.emit(f"for {name} in {text}.values():")
            case _:
                self.emit(f"for {variable}, {name} in {text}.items():")

    def unordered_loop(self, env: Env, child: Env, variable: str, kind: Type) -> None:
        """A loop over a sort: each round writes what belongs to its own name and reads nothing written."""
        targets = [
            p
            for p in self.targets(child)
            if p.holes
            and p.holes[0] == kind
            and len(p.holes) == 1
            and p.type.scalar
            and not p.risky
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
        subject = self.fill(place, env, 1)
        if subject in env.matched:
            raise Stuck
        env.matched = (*env.matched, subject)
        self.emit(f"match {subject}:")
        self._depth += 1
        children = []
        if place.type.kind == "union":
            cases: list[tuple[str, list[tuple[str, Type]]]] = []
            for variant in place.type.args:
                names = [(self.fresh("c"), t) for _, t in variant.fields]
                pattern = ", ".join(
                    f"{f}={n}" for (f, _), (n, _) in zip(variant.fields, names, strict=True)
                )
                if variant.fields and variant.fields[0][1].members and self.chance(20):
                    first = variant.fields[0]
                    constant = pick(self.chooser, first[1].members)
                    if first[1].kind in ("bool", "enum", "int"):
                        cases.append((f"{variant.text}({first[0]}={constant})", []))
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
            last = pattern == cases[-1][0]
            guard = f" if {self.condition(child, 0)}" if not last and self.chance(15) else ""
            self.emit(f"case {pattern}{guard}:")
            self.block(child, 1, depth - 1)
            children.append(child)
        self._depth -= 1
        self.join(env, children)

    def call_statement(self, helper: Helper, env: Env) -> None:
        if env.entries or not any(p.text == "s" for p in env.places):
            raise Stuck
        self.emit(self.call(helper, env, 1))
        env.places = [p for p in env.places if p.text == "s"]
