"""The compiler's errors: one minimal model for each, what it says, and the model that is right.

``python -m tests.compiler.error_cases`` writes docs/errors.md.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from pathlib import Path

DOCUMENT = Path(__file__).parents[2] / "docs" / "errors.md"

CHAIN = "if s.flag:\n    s.level = 0\n" + "".join(
    f"elif s.level * {i} == s.size * {i + 1}:\n    s.level = 1\n" for i in range(2, 1200)
)
SHORT_CHAIN = "if s.flag:\n    s.level = 0\nelif s.level == s.size:  # ... and a thousand more\n    s.level = 1"

PRELUDE = """from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated, NoReturn, TypeAlias, assert_never

from explorer.lang import (
    Between, Capacity, Map, Ordinal, Pool, Seq, Set, Sort, System, action, given, initial, invariant, panic,
    record, require, soft_panic,
)


class Node(Sort): ...
class Ref(Sort): ...
class Time(Ordinal): ...
class Frontier(Ordinal, top="INF"): ...


class Color(Enum):
    RED = 0
    GREEN = 1


Level: TypeAlias = Annotated[int, Between(0, 3)]


@record(frozen=True)
class Put:
    node: Node


@record(frozen=True)
class Drop:
    node: Node

    def show(self) -> None:
        pass


Message: TypeAlias = Put | Drop


@record
class Slot:
    live: bool = False
    level: Level = 0

    @property
    def full(self) -> bool:
        return self.level == 3

    def is_free(self) -> bool:
        return not self.live


@dataclass(frozen=True)
class Design:
    fast: bool = True


@record
class State:
    node: Node | None
    flag: bool
    busy: bool
    level: Level
    size: Annotated[int, Between(1, 3)]
    time: Time
    frontier: Frontier
    color: Color
    tint: Color
    message: Message | None
    ready: Set[Node]
    done: Set[Node]
    levels: Set[Level]
    limits: Set[Level | None]
    owner: Map[Node, Node | None]
    times: Map[Node, Time]
    slots: Map[Node, Slot]
    refs: Set[Ref]
    pool: Pool[Ref, Slot]
    queue: Annotated[Seq[Message], Capacity(2)]
    backlog: Annotated[Seq[Message], Capacity(3)]


def wrapped(function):
    def inner(s):
        return function(s)

    return inner
"""


@dataclass(frozen=True)
class Case:
    """An error. ``wrong`` and ``right`` stand in the action's body, at the top level (``slot="top"``) or among the
    system's methods; ``top``, ``method`` and ``body`` are around both. ``at``: the source under the caret."""

    group: str
    message: str
    hint: str
    at: str
    wrong: str
    right: str
    slot: str = "body"
    top: str = ""
    method: str = ""
    body: str = ""

    def model(self, text: str) -> str:
        """A whole module with ``text`` in its place."""
        place = {"top": self.top, "method": self.method, "body": self.body}
        place[self.slot] = "\n\n".join(filter(None, (place[self.slot], text)))
        if text == SHORT_CHAIN:
            place["body"] = CHAIN
        lines = [
            PRELUDE,
            place["top"],
            "",
            "class Model(System[State]):",
            "    design = Design()",
            '    default_scope = {"Node": 2, "Ref": 2, "Time": 3, "Frontier": 2}',
            "",
            textwrap.indent(place["method"], "    "),
            "",
            "    @action",
            "    def step(self, s: State, node: Node, other: Node, limit: Level | None) -> None:",
            textwrap.indent(place["body"] or "pass", " " * 8),
        ]
        return "\n".join(lines) + "\n"


def document() -> str:
    """docs/errors.md."""
    lines = [INTRODUCTION]
    group = ""
    for case in CASES:
        if case.group != group:
            group = case.group
            lines += [f"## {group}", ""]
        hint = f" *{case.hint[0].upper()}{case.hint[1:]}.*" if case.hint else ""
        lines += [f"**{case.message}.**{hint}", "", "```python"]
        context = case.top or case.method
        if context and case.slot == "body":
            lines += [context, ""]
        lines += ["# wrong", case.wrong, "", "# right", case.right, "```", ""]
    return "\n".join(lines).rstrip("\n") + "\n"


INTRODUCTION = """# Errors

What the compiler says about a model that it cannot check, with the smallest model that is wrong in this way and one that
is right. An error names file and line, shows the line with a caret under what is meant, and says what to write instead:

    model.py:42: error: Node is a Sort: its names have no order
            s.flag = node < other
                     ^^^^^^^^^^^^
      hint: use ==, or make the class an Ordinal

The lines below stand in the action `step` of a system whose state has these fields:

```python
node: Node | None                  # class Node(Sort)
flag: bool
busy: bool
level: Level                       # Annotated[int, Between(0, 3)]
size: Annotated[int, Between(1, 3)]
time: Time                         # class Time(Ordinal)
frontier: Frontier                 # class Frontier(Ordinal, top="INF")
color: Color                       # class Color(Enum): RED, GREEN
tint: Color
message: Message | None            # Put | Drop, two frozen records with a field node
ready: Set[Node]
done: Set[Node]
levels: Set[Level]
limits: Set[Level | None]
owner: Map[Node, Node | None]
times: Map[Node, Time]
slots: Map[Node, Slot]             # a record with the fields live and level
refs: Set[Ref]                     # class Ref(Sort)
pool: Pool[Ref, Slot]
queue: Annotated[Seq[Message], Capacity(2)]
backlog: Annotated[Seq[Message], Capacity(3)]
```

`node` and `other` are parameters of type `Node`, `limit` is one of type `Level | None`. This document is made from the
table of errors that the tests go through.
"""

CASES = (
    Case(
        "Names and constants",
        "maximum is not defined here",
        "define or import it at the top level of the file",
        "maximum",
        "s.level = maximum",
        "s.level = LIMIT",
        top="LIMIT = 3",
    ),
    Case(
        "Names and constants",
        "n has no value here",
        "assign it first; a name from inside a quantifier or from a loop over a Sort or Set ends there",
        "n",
        "found = any((n := s.owner[m]) == node for m in Node)\ns.node = n",
        "n = s.owner[node]\ns.node = n",
    ),
    Case(
        "Names and constants",
        "UNIT is float, which is no constant of a model",
        "a constant is a bool, an int or a member of an Enum; everything else lives in the state",
        "UNIT",
        "s.level = UNIT",
        "s.level = LIMIT",
        top="LIMIT = 3\nUNIT = 2.5",
    ),
    Case(
        "Names and constants",
        "Color is a type, not a value",
        "write Color.RED",
        "Color",
        "s.color = Color",
        "s.color = Color.RED",
    ),
    Case(
        "Names and constants",
        "Time is a type, not a value",
        "write Time.first(), or take a value as a parameter",
        "Time",
        "s.time = Time",
        "s.time = Time.first()",
    ),
    Case(
        "Names and constants",
        "Node is a type, not a value",
        "take a value as a parameter, from a loop, or from a Pool",
        "Node",
        "s.node = Node",
        "s.node = node",
    ),
    Case(
        "Names and constants",
        "Put is a type, not a value",
        "write Put(...)",
        "Put",
        "s.message = Put",
        "s.message = Put(node)",
    ),
    Case(
        "Names and constants",
        "busy is a function, not a value",
        "call it: busy(...)",
        "busy",
        "s.flag = busy",
        "s.flag = busy(s)",
        top="def busy(s: State) -> bool:\n    return s.flag",
    ),
    Case(
        "Names and constants",
        "Color has no PURPLE",
        "its members: RED, GREEN",
        "Color.PURPLE",
        "s.color = Color.PURPLE",
        "s.color = Color.GREEN",
    ),
    Case(
        "Names and constants",
        "the system has no attribute ready",
        'self has the constants of its class, self.design and self.scope["NAME"]; what changes lives in the state',
        "self.ready",
        "s.flag = self.ready",
        "s.flag = self.is_ready(s)",
        method="def is_ready(self, s: State) -> bool:\n    return s.flag",
    ),
    Case(
        "Names and constants",
        "the system has no attribute scope",
        'self has the constants of its class, self.design and self.scope["NAME"]; what changes lives in the state',
        "self.scope",
        "s.level = self.scope",
        's.level = self.scope["Time"]',
    ),
    Case(
        "Names and constants",
        "an entry of the scope is named by a literal",
        'write self.scope["Max"]',
        "self.scope[SIZE]",
        "s.level = self.scope[SIZE]",
        's.level = self.scope["Time"]',
        top='SIZE = "Time"',
    ),
    Case(
        "Names and constants",
        "the design has no switch quick",
        "switches: fast",
        "self.design.quick",
        "s.flag = self.design.quick",
        "s.flag = self.design.fast",
    ),
    Case(
        "Names and constants",
        "a model has no floating-point numbers",
        "use bounded integers",
        "2.0",
        "s.level = 2.0",
        "s.level = 2",
    ),
    Case(
        "Names and constants",
        "a model has no values of type str",
        "use an Enum; only the messages of panic, soft_panic and assert are strings",
        '"RED"',
        's.color = "RED"',
        "s.color = Color.RED",
    ),
    Case(
        "Names and constants",
        "a model has no strings",
        "the messages of panic and assert are plain literals",
        'f"{s.color}"',
        's.color = f"{s.color}"',
        "s.color = Color.RED",
    ),
    Case(
        "Numbers and arithmetic",
        "the operator / is not supported",
        "use + - * // % on integers",
        "s.level / 2",
        "s.level = s.level / 2",
        "s.level = s.level // 2",
    ),
    Case(
        "Numbers and arithmetic",
        "~ is not supported",
        "bounded integers have no bits",
        "~s.level",
        "s.level = ~s.level",
        "s.level = 3 - s.level",
    ),
    Case(
        "Numbers and arithmetic",
        "the operator | is not supported",
        "write `and` or `or`",
        "s.flag | s.busy",
        "s.flag = s.flag | s.busy",
        "s.flag = s.flag or s.busy",
    ),
    Case(
        "Numbers and arithmetic",
        "the divisor is no positive number that the scope determines",
        "divide by a literal, a module's constant or a size of the scope",
        "s.level // s.size",
        "s.level = s.level // s.size",
        "s.level = s.level // 2",
    ),
    Case(
        "Numbers and arithmetic",
        "this number may grow to 4611686018427387904, beyond 62 bits",
        "keep sums and products small, or store them in a bounded field on the way",
        "4611686018427387904",
        "total = s.level * 4611686018427387904",
        "total = s.level * 1000",
    ),
    Case(
        "Numbers and arithmetic",
        "Time is an Ordinal: no arithmetic",
        "write t.next(), or use a bounded integer",
        "s.time + 1",
        "s.time = s.time + 1",
        "s.time = s.time.next()",
    ),
    Case(
        "Numbers and arithmetic",
        "a value of Time is made from a literal",
        "use parameters, loops, .next(), or a bounded integer instead of the Ordinal",
        "Time(s.level)",
        "s.time = Time(s.level)",
        "s.time = Time(2)",
    ),
    Case(
        "Numbers and arithmetic",
        "Time(7) is outside the scope Time=3",
        "the scope is too small for this model",
        "Time(7)",
        "s.time = Time(7)",
        "s.time = Time(2)",
    ),
    Case(
        "Numbers and arithmetic",
        "Time declares no top element",
        'write class Time(Ordinal, top="INF")',
        "Time.top()",
        "s.time = Time.top()",
        "s.frontier = Frontier.top()",
    ),
    Case(
        "Numbers and arithmetic",
        "Time.last takes no argument",
        "write Time.last()",
        "Time.last(1)",
        "s.time = Time.last(1)",
        "s.time = Time.last()",
    ),
    Case(
        "Numbers and arithmetic",
        "Time has no attribute number",
        "compare values with <, <=, ==; t.next() is the successor",
        "s.time.number",
        "s.level = s.time.number",
        "s.time = s.time.next()",
    ),
    Case(
        "Numbers and arithmetic",
        "next takes no argument",
        "write t.next().next()",
        "s.time.next(2)",
        "s.time = s.time.next(2)",
        "s.time = s.time.next()",
    ),
    Case(
        "Numbers and arithmetic",
        "max takes two or more values, or a generator expression with default=",
        "write max(a, b)",
        "max(s.level, 2, default=0)",
        "s.level = max(s.level, 2, default=0)",
        "s.level = max(s.level, 2)",
    ),
    Case(
        "Numbers and arithmetic",
        "max needs numbers or values of an Ordinal, not Color",
        "only these have an order; other values are compared with ==",
        "max(s.color, Color.RED)",
        "s.color = max(s.color, Color.RED)",
        "s.level = max(s.level, 1)",
    ),
    Case(
        "Numbers and arithmetic",
        "max needs numbers or values of an Ordinal, not Color",
        "only these have an order; other values are compared with ==",
        "max(x for x in Color)",
        "s.color = max(x for x in Color)",
        "s.time = max(x for x in Time)",
    ),
    Case(
        "Numbers and arithmetic",
        "min of nothing has no value, and this may be empty",
        "write min((x for x in xs), default=...)",
        "min(x for x in s.levels)",
        "s.level = min(x for x in s.levels)",
        "s.level = min((x for x in s.levels), default=0)",
    ),
    Case(
        "Numbers and arithmetic",
        "sum takes no keyword start here",
        "only min and max take one: default=",
        "sum((x for x in s.levels), start=1)",
        "s.level = sum((x for x in s.levels), start=1)",
        "s.level = 1 + sum(x for x in s.levels)",
    ),
    Case(
        "Numbers and arithmetic",
        "sum takes one argument",
        "write sum(p(x) for x in xs)",
        "sum(s.levels, 1)",
        "s.level = sum(s.levels, 1)",
        "s.level = 1 + sum(s.levels)",
    ),
    Case(
        "Conditions and comparisons",
        "a condition is a bool, and s.node is Node | None",
        "write `s.node is not None`",
        "s.node",
        "if s.node:\n    s.flag = True",
        "if s.node is not None:\n    s.flag = True",
    ),
    Case(
        "Conditions and comparisons",
        "a condition is a bool, and s.ready is Set[Node]",
        "write `len(s.ready) > 0`",
        "s.ready",
        "if s.ready:\n    s.flag = True",
        "if len(s.ready) > 0:\n    s.flag = True",
    ),
    Case(
        "Conditions and comparisons",
        "a condition is a bool, and s.level is int 0..3",
        "write `s.level != 0`",
        "s.level",
        "if s.level:\n    s.flag = True",
        "if s.level != 0:\n    s.flag = True",
    ),
    Case(
        "Conditions and comparisons",
        "a condition is a bool, and s.color is Color",
        "write a comparison",
        "s.color",
        "if s.color:\n    s.flag = True",
        "if s.color != Color.RED:\n    s.flag = True",
    ),
    Case(
        "Conditions and comparisons",
        "`and` and `or` join bools, and s.ready is Set[Node]",
        "write `len(s.ready) > 0`",
        "s.ready",
        "s.flag = s.flag and s.ready",
        "s.flag = s.flag and len(s.ready) > 0",
    ),
    Case(
        "Conditions and comparisons",
        "Time and int cannot be ordered",
        "numbers and values of one Ordinal can",
        "s.time < 2",
        "s.flag = s.time < 2",
        "s.flag = s.time < Time(2)",
    ),
    Case(
        "Conditions and comparisons",
        "compares Color with int, which are never equal",
        "compare values of one type",
        "s.color == 1",
        "s.flag = s.color == 1",
        "s.flag = s.color == Color.GREEN",
    ),
    Case(
        "Conditions and comparisons",
        "sets are compared with <=, >=, == and != only",
        "for a proper subset write `a <= b and a != b`",
        "s.ready < s.done",
        "s.flag = s.ready < s.done",
        "s.flag = s.ready <= s.done and s.ready != s.done",
    ),
    Case(
        "Conditions and comparisons",
        "`is` asks for None or an enum's member",
        "write ==",
        "s.color is s.tint",
        "s.flag = s.color is s.tint",
        "s.flag = s.color == s.tint",
    ),
    Case(
        "Conditions and comparisons",
        "Color is never None",
        "declare it as T | None, or leave the test out",
        "s.color is None",
        "s.flag = s.color is None",
        "s.flag = s.node is None",
    ),
    Case(
        "Conditions and comparisons",
        "the design cannot be compared",
        "compare values of the state",
        "self.design == self.design",
        "s.flag = self.design == self.design",
        "s.flag = self.design.fast",
    ),
    Case(
        "Conditions and comparisons",
        "`in` and `is` cannot be chained",
        "join the two comparisons with `and`",
        "s.node is not None is not False",
        "s.flag = s.node is not None is not False",
        "s.flag = s.node is not None",
    ),
    Case(
        "Conditions and comparisons",
        "every key is in a Map: maps are total",
        "use a Set for presence, or a Map to T | None",
        "node in s.owner",
        "s.flag = node in s.owner",
        "s.flag = s.owner[node] is not None",
    ),
    Case(
        "Conditions and comparisons",
        "`in` asks a Set, Seq, Pool or a tuple, and s.level is int 0..3",
        "write ==, or `in` with a container",
        "node in s.level",
        "s.flag = node in s.level",
        "s.flag = node in s.ready",
    ),
    Case(
        "Conditions and comparisons",
        "None is never in a Set[Node]",
        "leave the test out",
        "None in s.ready",
        "s.flag = None in s.ready",
        "s.flag = s.node is None",
    ),
    Case(
        "Conditions and comparisons",
        "nothing is in an empty tuple",
        "write False, or what may be in it",
        "node in ()",
        "s.flag = node in ()",
        "s.flag = node in (s.node, s.owner[node])",
    ),
    Case(
        "Conditions and comparisons",
        "s.color is Color, and int is needed",
        "",
        "s.color",
        "s.level = 1 if s.flag else s.color",
        "s.level = 1 if s.flag else 0",
    ),
    Case(
        "Conditions and comparisons",
        "one side of this is int, the other Color",
        "both sides need a type in common",
        "1 if s.flag else s.color",
        "x = 1 if s.flag else s.color",
        "x = 1 if s.flag else 0",
    ),
    Case(
        "Sorts",
        "Node is a Sort: its names have no order",
        "use ==, or make the class an Ordinal",
        "node < other",
        "s.flag = node < other",
        "s.flag = node == other",
    ),
    Case(
        "Sorts",
        "Node is a Sort: its names are interchangeable, so a model cannot name one",
        "take it as a parameter, from a loop, or from a Pool; or make the class an Enum",
        "Node(0)",
        "s.node = Node(0)",
        "s.node = node",
    ),
    Case(
        "Sorts",
        "Node is a Sort: no arithmetic",
        "names of a Sort can only be compared with ==",
        "node + 1",
        "s.level = node + 1",
        "s.level = len(s.ready)",
    ),
    Case(
        "Sorts",
        "Node has no attribute _index",
        "names of a Sort can only be compared with ==",
        "node._index",
        "s.level = node._index",
        "s.flag = node == s.node",
    ),
    Case(
        "Sorts",
        "min needs numbers or values of an Ordinal, not Node",
        "only these have an order; other values are compared with ==",
        "min(n for n in Node)",
        "s.node = min(n for n in Node)",
        "s.time = min(s.times[n] for n in Node)",
    ),
    Case(
        "Sorts",
        "sorted cannot be called from a model",
        "names of a Sort have no order; the values of an Ordinal come in theirs",
        "sorted(Node)",
        "for n in sorted(Node):\n    s.ready.add(n)",
        "for n in Node:\n    s.ready.add(n)",
    ),
    Case(
        "Sorts",
        "Mark needs a value for node: a Sort has no initial value",
        "write node=..., or declare it as T | None",
        "Mark()",
        "slot = Mark()\ns.node = slot.node",
        "slot = Mark(node)\ns.node = slot.node",
        top="@record\nclass Mark:\n    node: Node = initial()",
    ),
    Case(
        "Loops over the names of a Sort",
        "what this loop leaves in s.node depends on the order of the names",
        "in a loop over a Sort or Set write to the place of the loop's own name (s.m[x] = ...), count, add to a set or assign one value, and do not read in the loop what it writes elsewhere",
        "s.node",
        "for n in Node:\n    if n in s.ready:\n        s.node = n",
        "for n in Node:\n    if n in s.ready:\n        s.flag = True",
    ),
    Case(
        "Loops over the names of a Sort",
        "leaving a loop over a Sort or Set early shows which name came first",
        "ask any(...) or all(...), or set a flag and go on",
        "break",
        "for n in Node:\n    s.ready.add(n)\n    if s.flag:\n        break",
        "if not s.flag:\n    for n in Node:\n        s.ready.add(n)",
    ),
    Case(
        "Loops over the names of a Sort",
        "n would keep the last name of the loop, and names have no order",
        "give the loop a name of its own",
        "n",
        "n = node\nfor n in Node:\n    s.ready.add(n)\ns.node = n",
        "for n in Node:\n    s.ready.add(n)\ns.node = node",
    ),
    Case(
        "Loops over the names of a Sort",
        "t may have its value from an earlier pass, and the passes have no order",
        "give t a value on every way through the loop before using it",
        "t",
        "for n in Node:\n    if n in s.ready:\n        t = s.times[n]\n    s.times[n] = t",
        "for n in Node:\n    t = s.times[n]\n    s.times[n] = t",
    ),
    Case(
        "Loops over the names of a Sort",
        "a quantifier over names must not change anything: how often its elements are evaluated depends on the order",
        "change things in a for loop",
        "s.ready.discard(n)",
        "s.flag = any(take(s, n) for n in Node)",
        "for n in Node:\n    take(s, n)",
        top="def take(s: State, n: Node) -> bool:\n    s.ready.discard(n)\n    return s.flag",
    ),
    Case(
        "Loops over the names of a Sort",
        "whether this fails depends on the order of the names: freed:pool",
        "an element that comes first may decide before one that fails: exclude the failure inside, `r in s.slots and ...`, `x is not None and ...`",
        "any(s.pool[r].live for r in s.refs)",
        "require(any(s.pool[r].live for r in s.refs))",
        "require(any(r in s.pool and s.pool[r].live for r in s.refs))",
    ),
    Case(
        "Loops over the names of a Sort",
        "what this loop fails with depends on the order of the names: assert:free, require",
        "check one thing per loop, or exclude a failure first: `r in s.slots and ...`, `x is not None`",
        "for n in Node:",
        'for n in Node:\n    require(n in s.ready)\n    assert s.owner[n] is None, "free"',
        'require(all(n in s.ready for n in Node))\nfor n in Node:\n    assert s.owner[n] is None, "free"',
    ),
    Case(
        "Loops and comprehensions",
        "s.level is int 0..3, nothing a model can loop over",
        "loop over a Sort, Ordinal or Enum, a container, range(...) or a tuple",
        "s.level",
        "for k in s.level:\n    s.flag = True",
        "for k in range(s.level):\n    s.flag = True",
    ),
    Case(
        "Loops and comprehensions",
        "LIMIT is nothing a model can loop over",
        "loop over a Sort, Ordinal or Enum, a container, range(...) or a tuple",
        "LIMIT",
        "for k in LIMIT:\n    s.flag = True",
        "for k in range(LIMIT):\n    s.flag = True",
        top="LIMIT = 3",
    ),
    Case(
        "Loops and comprehensions",
        "this loop runs over nothing",
        "leave it out",
        "()",
        "for k in ():\n    s.flag = True",
        "for k in (1, 2):\n    s.level = k",
    ),
    Case(
        "Loops and comprehensions",
        "the elements of this loop have no type in common",
        "loop over values of one type",
        "(node, 1)",
        "for x in (node, 1):\n    s.flag = True",
        "for x in (node, other):\n    s.ready.add(x)",
    ),
    Case(
        "Loops and comprehensions",
        "NAMES holds str, which is no constant of a model",
        "a module's constants may be bool, int and enum members, and tuples of them",
        "NAMES",
        "for k in NAMES:\n    s.flag = True",
        "for k in (1, 2):\n    s.level = k",
        top='NAMES = ("a", "b")',
    ),
    Case(
        "Loops and comprehensions",
        "MIXED needs one or more values of one type",
        "",
        "MIXED",
        "for k in MIXED:\n    s.flag = True",
        "for k in (1, 2):\n    s.level = k",
        top="MIXED = (1, Color.RED)",
    ),
    Case(
        "Loops and comprehensions",
        "range takes one or two bounds here",
        "write range(n) or range(low, high)",
        "range(0, 4, 2)",
        "for k in range(0, 4, 2):\n    s.level = k",
        "for k in range(2):\n    s.level = 2 * k",
    ),
    Case(
        "Loops and comprehensions",
        "this loop may run 100000 times",
        "loop over a smaller range",
        "range(100000)",
        "for k in range(100000):\n    s.level = 0",
        "for k in range(100):\n    s.level = 0",
    ),
    Case(
        "Loops and comprehensions",
        "this step takes more than 200000 statements when its loops are written out",
        "make the scope or the ranges of the loops smaller",
        "s.level",
        "for k in range(1000):\n    for m in range(1000):\n        s.level = 0",
        "for k in range(10):\n    for m in range(10):\n        s.level = 0",
    ),
    Case(
        "Loops and comprehensions",
        "this loop yields 1 value at a time",
        "write `for x in ...`, or `for k, v in m.items()`",
        "k, v",
        "for k, v in s.owner:\n    s.flag = v is None",
        "for k, v in s.owner.items():\n    s.flag = True",
    ),
    Case(
        "Loops and comprehensions",
        "k is already Node, and the loop yields int",
        "use another name",
        "k",
        "k = node\nfor k in range(2):\n    s.level = k",
        "for k in range(2):\n    s.level = k",
    ),
    Case(
        "Loops and comprehensions",
        "for ... else is not supported",
        "use a local flag",
        "s.flag = True",
        "for k in range(2):\n    s.level = k\nelse:\n    s.flag = True",
        "for k in range(2):\n    s.level = k\ns.flag = True",
    ),
    Case(
        "Loops and comprehensions",
        "n is bound outside the quantifier, and would change inside it",
        "bind another name",
        "n := m",
        "n = node\ns.flag = any((n := m) in s.ready for m in Node)",
        "s.flag = any(m in s.ready for m in Node)",
    ),
    Case(
        "Loops and comprehensions",
        "the brackets collect everything before the first element is looked at",
        "leave them out",
        "[n in s.ready for n in Node]",
        "s.flag = any([n in s.ready for n in Node])",
        "s.flag = any(n in s.ready for n in Node)",
    ),
    Case(
        "Loops and comprehensions",
        "a comprehension may only stand inside any, all, sum, min, max or Set",
        "write Set(x for x in ...), or a loop",
        "(n for n in Node)",
        "s.ready = (n for n in Node)",
        "s.ready = Set(n for n in Node)",
    ),
    Case(
        "Loops and comprehensions",
        "this yields two values at a time",
        "write x for k, v in m.items()",
        "s.owner.items()",
        "s.flag = any(s.owner.items())",
        "s.flag = any(v is None for v in s.owner.values())",
    ),
    Case(
        "Loops and comprehensions",
        "async comprehensions are not supported",
        "",
        "n",
        "s.flag = any(n async for n in Node)",
        "s.flag = any(n in s.ready for n in Node)",
    ),
    Case(
        "Sets, sequences, maps and pools",
        "a set display makes a Python set",
        "write Set((a, b)); to ask for one of several, x in (a, b)",
        "{node, other}",
        "s.ready = {node, other}",
        "s.ready = Set((node, other))",
    ),
    Case(
        "Sets, sequences, maps and pools",
        "a list is no value of a model",
        "use a field of type Seq, or Set((a, b))",
        "[node]",
        "s.ready = [node]",
        "s.ready = Set((node,))",
    ),
    Case(
        "Sets, sequences, maps and pools",
        "a tuple is no value of a model",
        "use a frozen record; a tuple may stand after `in`, and in Set((a, b))",
        "(node, s.time)",
        "pair = (node, s.time)",
        "pair = Stamp(node, s.time)",
        top="@record(frozen=True)\nclass Stamp:\n    node: Node\n    time: Time",
    ),
    Case(
        "Sets, sequences, maps and pools",
        "a dict is no value of a model",
        "use a field of type Map",
        "{node: None}",
        "s.owner = {node: None}",
        "s.owner[node] = None",
    ),
    Case(
        "Sets, sequences, maps and pools",
        "a Set has no positions",
        "use `in`, or loop over it",
        "s.ready[0]",
        "s.node = s.ready[0]",
        "require(node in s.ready)\ns.node = node",
    ),
    Case(
        "Sets, sequences, maps and pools",
        "a negative position is not supported",
        "write q.last() or q[len(q) - 1]",
        "s.queue[-1]",
        "s.message = s.queue[-1]",
        "s.message = s.queue.last()",
    ),
    Case(
        "Sets, sequences, maps and pools",
        "slices are not supported",
        "loop over the positions you need",
        "0:1",
        "s.message = s.queue[0:1]",
        "s.message = s.queue[0]",
    ),
    Case(
        "Sets, sequences, maps and pools",
        "int 0..3 cannot be indexed",
        "",
        "s.level[0]",
        "s.flag = s.level[0]",
        "s.flag = s.level == 0",
    ),
    Case(
        "Sets, sequences, maps and pools",
        "Seq[Put | Drop] has no method push",
        "it has: append, insert, remove_at, pop_first, first, last, clear",
        "s.queue.push(Drop(node))",
        "s.queue.push(Drop(node))",
        "s.queue.append(Drop(node))",
    ),
    Case(
        "Sets, sequences, maps and pools",
        "append takes 1 argument",
        "their types: Put | Drop",
        "s.queue.append(Drop(node), 0)",
        "s.queue.append(Drop(node), 0)",
        "s.queue.insert(0, Drop(node))",
    ),
    Case(
        "Sets, sequences, maps and pools",
        "s.flag is bool, which has no length",
        "len takes a Set, Seq, Map or Pool, or a class of values",
        "len(s.flag)",
        "s.level = len(s.flag)",
        "s.level = len(s.ready)",
    ),
    Case(
        "Sets, sequences, maps and pools",
        "the type of found cannot be told from Set()",
        "annotate it: found: Set[T] = Set()",
        "found",
        "found = Set()\ns.ready = found",
        "found: Set[Node] = Set()\ns.ready = found",
    ),
    Case(
        "Sets, sequences, maps and pools",
        "a Set of int has no bounds here",
        "assign it to a field of type Set[...], or add the members to one",
        "Set((1, 2))",
        "found = Set((1, 2))\ns.levels = found",
        "s.levels = Set((1, 2))",
    ),
    Case(
        "Sets, sequences, maps and pools",
        "the members of this Set have no type in common",
        "a Set holds values of one type",
        "Set((node, s.time))",
        "found = Set((node, s.time))",
        "found = Set((node, other))",
    ),
    Case(
        "Sets, sequences, maps and pools",
        "this set may get a number outside int 0..3",
        "add it to a field of the state, or check the bounds before",
        "levels.add(s.level + 1)",
        "levels: Set[Level] = Set()\nlevels.add(s.level + 1)\ns.levels = levels",
        "s.levels.add(s.level + 1)",
    ),
    Case(
        "Sets, sequences, maps and pools",
        "Set[Node] and Set[Node] have no operator +",
        "two sets of one type have |, & and -",
        "s.ready + s.done",
        "s.ready = s.ready + s.done",
        "s.ready = s.ready | s.done",
    ),
    Case(
        "Sets, sequences, maps and pools",
        "s.levels is Set[int 0..3], and Set[Node] is needed",
        "",
        "s.levels",
        "s.ready = s.levels",
        "s.ready = s.done",
    ),
    Case(
        "Sets, sequences, maps and pools",
        "a Seq is not made in an expression",
        "use the field's place: q.clear(), q.append(x)",
        "Seq()",
        "s.queue = Seq()",
        "s.queue.clear()",
    ),
    Case(
        "Sets, sequences, maps and pools",
        "a Map is not made in an expression",
        "write into the field's place",
        "Map()",
        "s.owner = Map()",
        "for n in Node:\n    s.owner[n] = None",
    ),
    Case(
        "Sets, sequences, maps and pools",
        "s.queue is Seq[Put | Drop], and Seq[Put | Drop] is needed",
        "their capacities differ: clear the one and append the items of the other in a loop",
        "s.queue",
        "s.backlog = s.queue",
        "s.backlog.clear()\nfor m in s.queue:\n    s.backlog.append(m)",
    ),
    Case(
        "None",
        "this may be None here, where a value is needed",
        "ask `is not None` before, or write given(...)",
        "s.node",
        "mark(s, s.node)",
        "mark(s, given(s.node))",
        top="def mark(s: State, n: Node) -> None:\n    s.ready.add(n)",
    ),
    Case(
        "None",
        "the type of n cannot be told from None",
        "annotate it: n: T | None = None",
        "n",
        "n = None\ns.node = n",
        "n: Node | None = None\ns.node = n",
    ),
    Case(
        "None",
        "given() takes an optional, and this is int 0..3",
        "leave it out",
        "given(s.level)",
        "s.level = given(s.level)",
        "s.node = given(s.node)",
    ),
    Case(
        "Unions and match",
        "given(s.message) may be Put | Drop: which one is not known here",
        "take it apart with match; or give it a name and ask isinstance first",
        "given(s.message).node",
        "s.node = given(s.message).node",
        "m = given(s.message)\ns.node = m.node",
    ),
    Case(
        "Unions and match",
        "m may be Put | Drop: which one is not known here",
        "take it apart with match; or give it a name and ask isinstance first",
        "m.show()",
        "m = given(s.message)\nm.show()",
        "m = given(s.message)\nif isinstance(m, Drop):\n    m.show()",
    ),
    Case(
        "Unions and match",
        "isinstance takes one record class",
        "write isinstance(x, A) or isinstance(x, B)",
        "(Put, Drop)",
        "s.flag = isinstance(s.message, (Put, Drop))",
        "s.flag = isinstance(s.message, Put)",
    ),
    Case(
        "Unions and match",
        "isinstance asks which record of a union this is, and Put | Drop | None is never Slot",
        "",
        "isinstance(s.message, Slot)",
        "s.flag = isinstance(s.message, Slot)",
        "s.flag = isinstance(s.message, Put)",
    ),
    Case(
        "Unions and match",
        "isinstance asks which record of a union this is, and this is Node | None",
        "for T | None write `is not None`",
        "isinstance(s.node, Put)",
        "s.flag = isinstance(s.node, Put)",
        "s.flag = s.node is not None",
    ),
    Case(
        "Unions and match",
        "isinstance takes a value and a record class",
        "write isinstance(c, Drop)",
        "isinstance(s.message)",
        "s.flag = isinstance(s.message)",
        "s.flag = isinstance(s.message, Put)",
    ),
    Case(
        "Unions and match",
        "match takes a value apart, and this is the design",
        "match a field of the state, a parameter or a local name",
        "self.design",
        "match self.design:\n    case _:\n        s.flag = True",
        "match s.color:\n    case _:\n        s.flag = True",
    ),
    Case(
        "Unions and match",
        "this case is never reached: those above cover everything",
        "leave it out",
        "_",
        "match s.message:\n    case Put() | Drop() | None:\n        s.flag = True\n    case _:\n        s.flag = False",
        "match s.message:\n    case Put() | Drop():\n        s.flag = True\n    case _:\n        s.flag = False",
    ),
    Case(
        "Unions and match",
        "alternatives that bind names are not supported",
        "write two cases",
        "Put(node=n) | Drop(node=n)",
        "match s.message:\n    case Put(node=n) | Drop(node=n):\n        s.node = n\n    case _:\n        pass",
        "match s.message:\n    case Put(node=n):\n        s.node = n\n    case Drop(node=n):\n        s.node = n\n    case _:\n        pass",
    ),
    Case(
        "Unions and match",
        "Slot is no variant of Put | Drop",
        "name one of its records",
        "Slot",
        "match s.message:\n    case Slot():\n        s.flag = True",
        "match s.message:\n    case Put():\n        s.flag = True",
    ),
    Case(
        "Unions and match",
        "Color is never Put",
        "",
        "Put",
        "match s.color:\n    case Put():\n        s.flag = True",
        "match s.color:\n    case Color.RED:\n        s.flag = True",
    ),
    Case(
        "Unions and match",
        "Put has no field name",
        "fields: node",
        "n",
        "match s.message:\n    case Put(name=n):\n        s.flag = True",
        "match s.message:\n    case Put(node=n):\n        s.flag = True",
    ),
    Case(
        "Unions and match",
        "Put has 1 field",
        "in this order: node",
        "Put(n, m)",
        "match s.message:\n    case Put(n, m):\n        s.flag = True",
        "match s.message:\n    case Put(n):\n        s.flag = True",
    ),
    Case(
        "Unions and match",
        "a case names a record class here",
        "write case Color.MEMBER:",
        "Color",
        "match s.color:\n    case Color():\n        s.flag = True",
        "match s.color:\n    case Color.RED:\n        s.flag = True",
    ),
    Case(
        "Unions and match",
        "int is no case of Color",
        "a case is a value of the type that is matched",
        "1",
        "match s.color:\n    case 1:\n        s.flag = True",
        "match s.color:\n    case Color.GREEN:\n        s.flag = True",
    ),
    Case(
        "Unions and match",
        "Color is never None",
        "leave the case out",
        "None",
        "match s.color:\n    case None:\n        s.flag = True",
        "match s.node:\n    case None:\n        s.flag = True",
    ),
    Case(
        "Unions and match",
        "Color is never True",
        "leave the case out",
        "True",
        "match s.color:\n    case True:\n        s.flag = True",
        "match s.flag:\n    case True:\n        s.level = 1",
    ),
    Case(
        "Unions and match",
        "this pattern is not supported",
        "use Record(field=name), an enum's member, None, a number, a name or _",
        "[m]",
        "match s.queue:\n    case [m]:\n        s.message = m",
        "if len(s.queue) == 1:\n    s.message = s.queue.first()",
    ),
    Case(
        "Records",
        "Slot has no field alive",
        "fields: live, level",
        "s.slots[node].alive",
        "s.slots[node].alive = True",
        "s.slots[node].live = True",
    ),
    Case(
        "Records",
        "is_free is a method of Slot, not a field",
        "call it: s.slots[node].is_free()",
        "s.slots[node].is_free",
        "s.flag = s.slots[node].is_free",
        "s.flag = s.slots[node].is_free()",
    ),
    Case(
        "Records",
        "Slot has no method is_gone",
        "it has: is_free",
        "s.slots[node].is_gone()",
        "s.flag = s.slots[node].is_gone()",
        "s.flag = s.slots[node].is_free()",
    ),
    Case(
        "Records",
        "Put needs a value for node",
        "write node=...",
        "Put()",
        "s.message = Put()",
        "s.message = Put(node)",
    ),
    Case(
        "Records",
        "Put takes 1 argument, not 2",
        "it has: node",
        "Put(node, s.time)",
        "s.message = Put(node, s.time)",
        "s.message = Put(node)",
    ),
    Case(
        "Records",
        "Put has no parameter id",
        "it has: node",
        "Put(id=node)",
        "s.message = Put(id=node)",
        "s.message = Put(node=node)",
    ),
    Case(
        "Records",
        "Put gets node twice",
        "leave one of them out",
        "Put(node, node=node)",
        "s.message = Put(node, node=node)",
        "s.message = Put(node)",
    ),
    Case(
        "Records",
        "Drop is frozen: node cannot be assigned",
        "assign a whole new record",
        "m.node",
        "m = Drop(node)\nm.node = other",
        "m = Drop(node)\nm = Drop(other)",
    ),
    Case(
        "Records",
        "Plain is no class whose values a model can make",
        "put @record or @record(frozen=True) above it",
        "Plain()",
        "s.slots[node] = Plain()",
        "s.slots[node] = Slot()",
        top="class Plain:\n    pass",
    ),
    Case(
        "Records",
        "node is Node, and int 0..3 is needed",
        "",
        "node",
        "s.slots[node].level = node",
        "s.slots[node].level = 1",
    ),
    Case(
        "Records",
        "s.flag is bool, which has no methods",
        "records, sets, sequences, pools and ordinals have methods",
        "s.flag.toggle()",
        "s.flag.toggle()",
        "s.flag = not s.flag",
    ),
    Case(
        "Records",
        "Time has no method before",
        "an Ordinal has t.next()",
        "s.time.before(Time(1))",
        "s.flag = s.time.before(Time(1))",
        "s.flag = s.time < Time(1)",
    ),
    Case(
        "Calls",
        "ready is not defined here",
        "define or import it at the top level of the file",
        "ready(s)",
        "s.flag = ready(s)",
        "s.flag = node in s.ready",
    ),
    Case(
        "Calls",
        "f is a value, not a function",
        "leave the call out",
        "f(s)",
        "f = node\ns.flag = f(s)",
        "s.flag = node in s.ready",
    ),
    Case(
        "Calls",
        "only a function or method that is named here can be called",
        "write FUNCTION(...), MODULE.FUNCTION(...) or OBJECT.METHOD(...)",
        "HELPERS[0](s)",
        "s.flag = HELPERS[0](s)",
        "s.flag = busy(s)",
        top="def busy(s: State) -> bool:\n    return s.flag\n\nHELPERS = (busy,)",
    ),
    Case(
        "Calls",
        "ITEMS is list, not a function",
        "call functions you define with `def`",
        "ITEMS(s)",
        "s.flag = ITEMS(s)",
        "s.flag = busy(s)",
        top="def busy(s: State) -> bool:\n    return s.flag\n\nITEMS = [busy]",
    ),
    Case(
        "Calls",
        "busy cannot be called from a model",
        "call functions you define with `def` (undecorated, parameters annotated), and what explorer.lang offers",
        "busy(s)",
        "s.flag = busy(s)",
        "s.flag = idle(s)",
        top="import functools\n\n\ndef idle(s: State) -> bool:\n    return not s.flag\n\nbusy = functools.lru_cache(idle)",
    ),
    Case(
        "Calls",
        "busy takes 1 argument, not 2",
        "it has: s",
        "busy(s, node)",
        "s.flag = busy(s, node)",
        "s.flag = busy(s)",
        top="def busy(s: State) -> bool:\n    return s.flag",
    ),
    Case(
        "Calls",
        "mark needs a value for n",
        "it takes: s, n",
        "mark(s)",
        "mark(s)",
        "mark(s, node)",
        top="def mark(s: State, n: Node) -> None:\n    s.ready.add(n)",
    ),
    Case(
        "Calls",
        "mark has no parameter name",
        "it has: s, n",
        "mark(s, name=node)",
        "mark(s, name=node)",
        "mark(s, n=node)",
        top="def mark(s: State, n: Node) -> None:\n    s.ready.add(n)",
    ),
    Case(
        "Calls",
        "s.time is Time, and Node is needed",
        "mark takes n: Node",
        "s.time",
        "mark(s, s.time)",
        "mark(s, node)",
        top="def mark(s: State, n: Node) -> None:\n    s.ready.add(n)",
    ),
    Case(
        "Calls",
        "** in a call is not supported",
        "name the arguments",
        "mark(s, **{})",
        "mark(s, **{})",
        "mark(s, n=node)",
        top="def mark(s: State, n: Node) -> None:\n    s.ready.add(n)",
    ),
    Case(
        "Calls",
        "* in a call is not supported",
        "write the arguments one by one",
        "*(s, node)",
        "mark(*(s, node))",
        "mark(s, node)",
        top="def mark(s: State, n: Node) -> None:\n    s.ready.add(n)",
    ),
    Case(
        "Calls",
        "these arguments are not evaluated in the order of the parameters",
        "write them in this order: a, b",
        "Stamp(b=s.queue.pop_first(), a=s.queue.pop_first())",
        "s.message = Stamp(b=s.queue.pop_first(), a=s.queue.pop_first()).b",
        "s.message = Stamp(a=s.queue.pop_first(), b=s.queue.pop_first()).b",
        top="@record(frozen=True)\nclass Stamp:\n    a: Message\n    b: Message",
    ),
    Case(
        "Calls",
        "require is a statement, not a value",
        "give it its own line",
        "require(s.flag)",
        "s.flag = require(s.flag)",
        "require(s.flag)\ns.flag = False",
    ),
    Case(
        "Calls",
        "require takes one argument",
        "join conditions with `and`",
        "require(s.flag, s.busy)",
        "require(s.flag, s.busy)",
        "require(s.flag and s.busy)",
    ),
    Case(
        "Calls",
        "len takes one argument",
        "write len(x)",
        "len(s.ready, s.done)",
        "s.level = len(s.ready, s.done)",
        "s.level = len(s.ready)",
    ),
    Case(
        "Calls",
        "Color(...) looks a member up by its value, which is not used",
        "write Color.RED",
        "Color(1)",
        "s.color = Color(1)",
        "s.color = Color.GREEN",
    ),
    Case(
        "Calls",
        "done would be bound to nothing: the call returns no value",
        "call it on a line of its own",
        "done",
        "done = mark(s, node)",
        "mark(s, node)",
        top="def mark(s: State, n: Node) -> None:\n    s.ready.add(n)",
    ),
    Case(
        "Calls",
        "the system has no method is_busy",
        "is_busy is a class method: make it a plain or static method",
        "self.is_busy(s)",
        "s.flag = self.is_busy(s)",
        "s.flag = self.is_idle(s)",
        method="@classmethod\ndef is_busy(cls, s: State) -> bool:\n    return s.flag\n\ndef is_idle(self, s: State) -> bool:\n    return not s.flag",
    ),
    Case(
        "Calls",
        "Model.is_busy is a class method, which a model cannot call",
        "make it a function of the module",
        "Model.is_busy(s)",
        "s.flag = Model.is_busy(s)",
        "s.flag = Model.is_idle(self, s)",
        method="@classmethod\ndef is_busy(cls, s: State) -> bool:\n    return s.flag\n\ndef is_idle(self, s: State) -> bool:\n    return not s.flag",
    ),
    Case(
        "Calls",
        "Model.is_idle needs the object it is called on",
        "write Model.is_idle(self, ...)",
        "Model.is_idle()",
        "s.flag = Model.is_idle()",
        "s.flag = Model.is_idle(self, s)",
        method="def is_idle(self, s: State) -> bool:\n    return not s.flag",
    ),
    Case(
        "Calls",
        "Model.is_idle is called on State, which is no Model",
        "write Model.is_idle(self, ...)",
        "s",
        "s.flag = Model.is_idle(s, s)",
        "s.flag = Model.is_idle(self, s)",
        method="def is_idle(self, s: State) -> bool:\n    return not s.flag",
    ),
    Case(
        "Calls",
        "super() has no method begin",
        "it has: init, is_final, describe",
        "super().begin(s)",
        "super().begin(s)",
        "s.flag = super().is_final(s)",
    ),
    Case(
        "Statements",
        "while is not supported: its bound is not known",
        "loop over a finite domain with for",
        "while s.level < 2:",
        "while s.level < 2:\n    s.level += 1",
        "for k in range(2):\n    s.level = k + 1",
    ),
    Case(
        "Statements",
        "a = b = c is not supported",
        "write two assignments",
        "a = b = node",
        "a = b = node",
        "a = node\nb = node",
    ),
    Case(
        "Statements",
        "cannot assign to `(s.node, s.flag)`",
        "assign one name or place at a time",
        "s.node, s.flag",
        "s.node, s.flag = node, True",
        "s.node = node\ns.flag = True",
    ),
    Case(
        "Statements",
        "`s.level == 2` changes nothing",
        "write require(...), or assign it",
        "s.level == 2",
        "s.level == 2",
        "s.level = 2",
    ),
    Case(
        "Statements",
        "only a local name can be annotated here",
        "leave the annotation out",
        "s.level",
        "s.level: Level = 2",
        "s.level = 2",
    ),
    Case(
        "Statements",
        "n is already Node",
        "use another name",
        "n",
        "n: Node = node\nn: Time = s.time",
        "n: Node = node\nt: Time = s.time",
    ),
    Case(
        "Statements",
        "this annotation cannot be read: name 'Nodes' is not defined",
        "define or import it at the top level of the file",
        "Nodes",
        "n: Nodes = node",
        "n: Node = node",
    ),
    Case(
        "Statements",
        "a model cannot use the type list[Node]",
        "write Seq[...], a queue",
        "list[Node]",
        "n: list[Node] = node",
        "n: Node = node",
    ),
    Case(
        "Statements",
        "n is already Node, and s.time is Time",
        "use another name",
        "n",
        "n = node\nn = s.time",
        "n = node\nt = s.time",
    ),
    Case(
        "Names and constants",
        "LIMIT may be another one each time the model is loaded: LIMIT = hash('a') % 4",
        'write a literal, an entry of the scope (self.scope["N"]) or a switch of the design',
        "LIMIT",
        "LIMIT = hash('a') % 4",
        "LIMIT = 3",
        slot="top",
        body="s.level = LIMIT",
    ),
    Case(
        "Statements",
        "'no-one waits' and 'no one waits' make one name, panic:no_one_waits: they would count as the same failure",
        "use the same words, or other ones",
        '"no-one waits"',
        'if s.color is Color.RED:\n    panic("no one waits")\npanic("no-one waits")',
        'if s.color is Color.RED:\n    panic("no one waits")\npanic("somebody waits")',
    ),
    Case(
        "Statements",
        "a message is a literal string",
        "its words name the property: no f-string, not empty",
        "s.color",
        "panic(s.color)",
        'panic("wrong color")',
    ),
    Case(
        "Statements",
        "this statement is never reached",
        "leave it out",
        "s.flag = True",
        'panic("gone")\ns.flag = True',
        's.flag = True\npanic("gone")',
    ),
    Case(
        "Statements",
        "`self.count` cannot be assigned: a system has no state of its own",
        "everything that changes lives in the state",
        "self.count",
        "self.count = 2",
        "s.level = 2",
    ),
    Case(
        "Statements",
        "`self.design.fast` cannot be assigned: a system has no state of its own",
        "everything that changes lives in the state",
        "self.design.fast",
        "self.design.fast = False",
        "s.flag = self.design.fast",
    ),
    Case(
        "Statements",
        "this assignment would be lost: its target is not part of the state",
        "give the new record a name first",
        "Slot().level",
        "Slot().level = 2",
        "slot = Slot()\nslot.level = 2",
    ),
    Case(
        "Statements",
        "`s.slots[node].full` is no place that can be assigned",
        "assign a field of a record or an entry of a Map, Seq or Pool",
        "s.slots[node].full",
        "s.slots[node].full = True",
        "s.slots[node].live = True",
    ),
    Case(
        "Statements",
        "a call in an augmented assignment may change which place this is",
        "bind the result of the call to a name first",
        "s.slots[take(s)].level",
        "s.slots[take(s)].level += 1",
        "n = take(s)\ns.slots[n].level += 1",
        top="def take(s: State) -> Node:\n    s.flag = False\n    return given(s.node)",
    ),
    Case(
        "Statements",
        "with is not supported",
        "write the statements in order",
        "with s:",
        "with s:\n    pass",
        "s.flag = True",
    ),
    Case(
        "Statements",
        "try is not supported",
        "nothing in a model can be caught: use if",
        "try:",
        "try:\n    s.level += 1\nexcept* ValueError:\n    pass",
        "if s.level < 3:\n    s.level += 1",
    ),
    Case(
        "Statements",
        "it is not clear that control never gets here",
        'write panic("..."), which is checked',
        "assert_never(s.color)",
        "if s.color == Color.RED:\n    s.level = 0\nelse:\n    assert_never(s.color)",
        'if s.color == Color.RED:\n    s.level = 0\nelse:\n    panic("no other color")',
    ),
    Case(
        "Statements",
        "k is already int 0..3 | None",
        "use another name",
        "k",
        "for k in s.limits:\n    k = 9",
        "for k in s.limits:\n    limit: Level | None = 9",
    ),
    Case(
        "Names of places",
        "n may have no value here",
        "give it one on every path that leads here",
        "n",
        "if s.flag:\n    n = node\ns.node = n",
        "n = node if s.flag else other\ns.node = n",
    ),
    Case(
        "Names of places",
        "slot is used after its place was assigned or freed in line N",
        "bind slot again after the assignment",
        "slot",
        "slot = s.slots[node]\ns.slots[node] = Slot()\nslot.live = True",
        "s.slots[node] = Slot()\nslot = s.slots[node]\nslot.live = True",
    ),
    Case(
        "Functions",
        "busy does not say what it returns",
        "write `-> bool`, `-> None`, ...",
        "def busy(s: State):",
        "def busy(s: State):\n    return s.flag",
        "def busy(s: State) -> bool:\n    return s.flag",
        slot="top",
        body="s.flag = busy(s)",
    ),
    Case(
        "Functions",
        "the parameter s of busy has no type",
        "annotate it",
        "s",
        "def busy(s) -> bool:\n    return s.flag",
        "def busy(s: State) -> bool:\n    return s.flag",
        slot="top",
        body="s.flag = busy(s)",
    ),
    Case(
        "Functions",
        "default arguments, *args and **kwargs are not supported",
        "give every argument at the call",
        "None",
        "def busy(s: State, n: Node = None) -> bool:\n    return s.flag",
        "def busy(s: State, n: Node) -> bool:\n    return s.flag",
        slot="top",
        body="s.flag = busy(s, node)",
    ),
    Case(
        "Functions",
        "the annotations of busy cannot be read: Forward reference must be an expression -- got 'Stat['",
        "annotate parameters and result with types of the model",
        'def busy(s: "Stat[") -> bool:',
        'def busy(s: "Stat[") -> bool:\n    return s.flag',
        "def busy(s: State) -> bool:\n    return s.flag",
        slot="top",
        body="s.flag = busy(s)",
    ),
    Case(
        "Functions",
        "the annotations of busy name Stat, which is not defined",
        "annotations are read at run time: import the name outside `if TYPE_CHECKING:`, and define model classes at the top level of a module",
        "def busy(s: Stat) -> bool:",
        "def busy(s: Stat) -> bool:\n    return s.flag",
        "def busy(s: State) -> bool:\n    return s.flag",
        slot="top",
        body="s.flag = busy(s)",
    ),
    Case(
        "Functions",
        "busy may end without a value",
        "return one on every path, or panic",
        "def busy(s: State) -> bool:",
        "def busy(s: State) -> bool:\n    if s.flag:\n        return True",
        "def busy(s: State) -> bool:\n    return s.flag",
        slot="top",
        body="s.flag = busy(s)",
    ),
    Case(
        "Functions",
        "busy returns bool",
        "return a value",
        "return",
        "def busy(s: State) -> bool:\n    return",
        "def busy(s: State) -> bool:\n    return s.flag",
        slot="top",
        body="s.flag = busy(s)",
    ),
    Case(
        "Functions",
        "mark returns nothing, and this returns a value",
        "annotate what it returns",
        "return s.flag",
        "def mark(s: State) -> None:\n    return s.flag",
        "def mark(s: State) -> bool:\n    return s.flag",
        slot="top",
        body="mark(s)",
    ),
    Case(
        "Functions",
        "stop is declared never to return, and it may",
        "write -> None, or panic on every path",
        "def stop(s: State) -> NoReturn:",
        'def stop(s: State) -> NoReturn:\n    if s.flag:\n        panic("stopped")',
        'def stop(s: State) -> NoReturn:\n    panic("stopped")',
        slot="top",
        body="if s.flag:\n    stop(s)",
    ),
    Case(
        "Functions",
        "depth calls itself: recursion is not supported",
        "loop over a finite domain",
        "def depth(n: int) -> int:",
        "def depth(n: int) -> int:\n    return 0 if n == 0 else 1 + depth(n - 1)",
        "def depth(n: int) -> int:\n    return n",
        slot="top",
        body="s.level = depth(2)",
    ),
    Case(
        "Functions",
        "async is not supported",
        "each action is one atomic step",
        "async def busy(s: State) -> bool:",
        "async def busy(s: State) -> bool:\n    return s.flag",
        "def busy(s: State) -> bool:\n    return s.flag",
        slot="top",
        body="s.flag = busy(s)",
    ),
    Case(
        "Functions",
        "yield is not supported",
        "return one value, or add to a Set",
        "yield s.level",
        "def lowest(s: State) -> int:\n    yield s.level",
        "def lowest(s: State) -> int:\n    return s.level",
        slot="top",
        body="s.level = lowest(s)",
    ),
    Case(
        "Functions",
        "a lambda cannot be called from a model",
        "write it with `def`, and annotate its parameters and result",
        "busy = lambda s: s.flag",
        "busy = lambda s: s.flag",
        "def busy(s: State) -> bool:\n    return s.flag",
        slot="top",
        body="s.flag = busy(s)",
    ),
    Case(
        "Functions",
        "the source of busy cannot be read",
        "define the model in a file: the compiler reads its source",
        "",
        "exec('def busy(s: State) -> bool: return s.flag')",
        "def busy(s: State) -> bool:\n    return s.flag",
        slot="top",
        body="s.flag = busy(s)",
    ),
    Case(
        "Functions",
        "inner does not say what it returns",
        "write `-> bool`, `-> None`, ...",
        "def inner(s):",
        "@wrapped\ndef busy(s: State) -> bool:\n    return s.flag",
        "def busy(s: State) -> bool:\n    return s.flag",
        slot="top",
        body="s.flag = busy(s)",
    ),
    Case(
        "Functions",
        "super() stands in a method only",
        "call the function by its name",
        "super().live()",
        "def is_fresh(n: Node) -> bool:\n    return super().live()",
        "def is_fresh(n: Node) -> bool:\n    return n in (n,)",
        slot="top",
        body="s.flag = is_fresh(node)",
    ),
    Case(
        "Functions",
        "is_final of Model is no plain method",
        "write def is_final(self, s: State) -> ...",
        "class Model(System[State]):",
        "is_final = True",
        "def is_final(self, s: State) -> bool:\n    return s.flag",
        slot="method",
    ),
    Case(
        "Functions",
        "the source of idle cannot be found",
        "define it with `def` in a file, undecorated or with slotcheck's own decorators; a file edited after it was imported must be loaded again",
        "def busy(s: State) -> bool:",
        'def busy(s: State) -> bool:\n    return s.flag\n\nbusy.__name__ = "idle"',
        "def busy(s: State) -> bool:\n    return s.flag",
        slot="top",
        body="s.flag = busy(s)",
    ),
    Case(
        "Functions",
        "wrapped is decorated or no plain Python function",
        "write it with `def`, without decorators that change it",
        "def wrapped(function):",
        "import functools\n\n@functools.wraps(wrapped)\ndef busy(s: State) -> bool:\n    return s.flag",
        "def busy(s: State) -> bool:\n    return s.flag",
        slot="top",
        body="s.flag = busy(s)",
    ),
    Case(
        "Properties",
        "quiet only looks at the state: it must not change it",
        "compute with names and sets of its own",
        "s.flag",
        "@invariant\ndef quiet(s: State) -> bool:\n    s.flag = False\n    return True",
        "@invariant\ndef quiet(s: State) -> bool:\n    return not s.flag",
        slot="top",
    ),
    Case(
        "Properties",
        "quiet only looks at the state: require and given belong into actions",
        "return the condition",
        "require(s.flag)",
        "@invariant\ndef quiet(s: State) -> bool:\n    require(s.flag)\n    return s.level == 0",
        "@invariant\ndef quiet(s: State) -> bool:\n    return not s.flag or s.level == 0",
        slot="top",
    ),
    Case(
        "Size",
        "the scope has no entry Tick",
        'add it to default_scope: {"Tick": 2}; it has: Node, Ref, Time, Frontier',
        "Tick",
        "s.flag = any(t > Tick.first() for t in Tick)",
        "s.flag = any(t > Time.first() for t in Time)",
        top="class Tick(Ordinal): ...",
    ),
    Case(
        "Size",
        "int 0..80000 has 80001 values in this scope, too many to list",
        "make the type or the scope smaller",
        "s.flag",
        "large = Large()\ns.flag = large.flags[0]",
        "small = Small()\ns.flag = small.flags[0]",
        top="@record\nclass Large:\n    flags: Map[Annotated[int, Between(0, 80000)], bool]= initial()\n\n@record\nclass Small:\n    flags: Map[Annotated[int, Between(0, 8)], bool] = initial()",
    ),
    Case(
        "Size",
        "Map[Time, Map[int 0..30000, bool]] takes 90003 numbers in this scope, more than 65536",
        "make the scope smaller",
        "s.flag",
        "big = Big()\ns.flag = big == big",
        "small = Small()\ns.flag = small == small",
        top="@record\nclass Big:\n    flags: Map[Time, Map[Annotated[int, Between(0, 30000)], bool]] = initial()\n\n@record\nclass Small:\n    flags: Map[Annotated[int, Between(0, 8)], bool] = initial()",
    ),
    Case(
        "Size",
        "the scope has no entry Max",
        'add it to default_scope: {"Max": 2}; it has: Node, Ref, Time, Frontier',
        "small",
        "small = Small()\ns.level = small.level",
        "slot = Slot()\ns.level = slot.level",
        top='@record\nclass Small:\n    level: Annotated[int, Between(0, "Max")] = 0',
    ),
    Case(
        "Size",
        "the scope has no entry Max",
        'add it to default_scope: {"Max": 2}; it has: Node, Ref, Time, Frontier',
        'self.scope["Max"]',
        's.level = self.scope["Max"]',
        's.level = self.scope["Time"]',
    ),
    Case(
        "Size",
        "the scope has no entry Tick",
        'add it to default_scope: {"Tick": 2}; it has: Node, Ref, Time, Frontier',
        "Tick",
        "s.level = len(Tick)",
        "s.level = len(Time)",
        top="class Tick(Ordinal): ...",
    ),
    Case(
        "Size",
        "this model has terms or branches that are nested too deeply to compile",
        "split long sums, conditions and chains of elif into helpers or loops",
        "",
        SHORT_CHAIN,
        "s.flag = True",
    ),
)


if __name__ == "__main__":
    DOCUMENT.write_text(document())
