"""Loops over names: what is accepted is symmetric, and what would show the order of the names is refused."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from explorer.compiler import lower
from explorer.lang.errors import ModelError
from tests.compiler.models import commutes, compare, load, system_in
from tests.compiler.test_language import PRELUDE

FIELDS = {
    "m": "Map[A, bool]",
    "o": "Map[A, A | None]",
    "n": "L",
    "k": "Map[A, L]",
    "ready": "Set[A]",
    "other": "Set[A]",
    "x": "bool",
    "lead": "A | None",
    "t": "T",
    "tm": "Map[A, T]",
}
OTHERS = (
    "(a: A)\ns.ready.add(a)",
    "(a: A, b: A)\ns.o[a] = b",
    "(a: A)\ns.m[a] = not s.m[a]",
    "(a: A)\ns.lead = a",
    "(a: A)\ns.tm[a] = s.tm[a].next()",
)
"""Actions that bring a system into many states."""


@dataclass(frozen=True)
class Loop:
    """An action with a loop or quantifier over names. ``refused``: the compiler's message, if it does not accept it."""

    name: str
    body: str
    top: str = ""
    fields: str = ""
    others: tuple[str, ...] = OTHERS
    scope: Mapping[str, int] = field(default_factory=lambda: {"A": 3, "T": 2})
    refused: str = ""

    def model(self) -> str:
        """The whole module: fields and other actions as far as the loop uses them."""
        used = set(re.findall(r"s\.(\w+)", self.body + self.top))
        fields = self.fields.splitlines() or [f"{n}: {t}" for n, t in FIELDS.items() if n in used]
        known = {f.partition(":")[0] for f in fields}
        others = [a for a in self.others if known.issuperset(re.findall(r"s\.(\w+)", a))]
        lines = [PRELUDE, "@record\nclass Rec:\n    b: bool = False\n", self.top]
        lines += ["@record", "class State:", textwrap.indent("\n".join(fields), "    ")]
        lines += ["", "class M(System[State]):", f"    default_scope = {dict(self.scope)}"]
        for number, body in enumerate((self.body, *others)):
            parameters = ""
            if body.startswith("("):
                first, _, body = body.partition("\n")
                parameters = ", " + first.strip("()")
            lines += ["    @action", f"    def a{number}(self, s: State{parameters}) -> None:"]
            lines.append(textwrap.indent(body, " " * 8))
        return "\n".join(lines) + "\n"


ACCEPTED = (
    Loop("own write", "for a in A:\n    s.m[a] = a in s.ready"),
    Loop("count", "s.n = 0\nfor a in A:\n    if a in s.ready:\n        s.n += 1"),
    Loop("count local", "n = 0\nfor a in s.ready:\n    n = n + 1\ns.n = n"),
    Loop("aug local", "n = 0\nfor a in s.ready:\n    n += 1\ns.n = n"),
    Loop("flag", "x = False\nfor a in A:\n    if s.m[a]:\n        x = True\ns.x = x"),
    Loop("or flag", "x = False\nfor a in A:\n    x = x or s.m[a]\ns.x = x"),
    Loop("or flag state", "for a in A:\n    s.x = s.x or s.m[a]"),
    Loop("max local", "t = T.first()\nfor a in A:\n    t = max(t, s.tm[a])\ns.t = t"),
    Loop("max state", "for a in A:\n    s.t = max(s.tm[a], s.t)"),
    Loop(
        "sets",
        "for a in A:\n    if s.m[a]:\n        s.ready.add(a)\n    else:\n        s.ready.discard(a)",
    ),
    Loop("union", "for a in s.ready:\n    s.other |= Set((a,))\ns.x = s.other <= s.ready"),
    Loop(
        "helper",
        "for a in A:\n    mark(s, a)",
        top="def mark(s: State, a: A) -> None:\n    if a in s.ready:\n        s.m[a] = True\n        s.ready.discard(a)\n",
    ),
    Loop("clear own", "for a in s.ready:\n    s.ready.discard(a)"),
    Loop(
        "nonown same", "for a in A:\n    b = s.o[a]\n    if b is not None:\n        s.m[b] = True"
    ),
    Loop(
        "nonown add", "for a in A:\n    b = s.o[a]\n    if b is not None:\n        s.other.add(b)"
    ),
    Loop("nonown count", "for a in A:\n    b = s.o[a]\n    if b is not None:\n        s.k[b] += 1"),
    Loop("invariant2", "(b: A)\nfor a in A:\n    if s.m[a]:\n        s.lead = b"),
    Loop("items", "for a, t in s.tm.items():\n    s.m[a] = t > s.t"),
    Loop("values count", "for v in s.m.values():\n    if v:\n        s.n += 1"),
    Loop("require", "for a in A:\n    require(s.m[a] or a in s.ready)\ns.x = True"),
    Loop("panic", "for a in A:\n    if s.m[a]:\n        panic('one')"),
    Loop("sum", "s.n = sum(1 for a in A if s.m[a])\ns.x = any(s.m.values())"),
    Loop("sum step", "for a in A:\n    s.n += s.k[a]\n    s.k[a] = 1"),
    Loop("2 loops", "for a in A:\n    s.m[a] = False\nfor a in A:\n    s.m[a] = a == s.lead"),
    Loop(
        "nested",
        "for a in A:\n    for b in A:\n        if s.o[a] == b:\n            s.other.add(b)",
    ),
    Loop(
        "local alias", "for a in A:\n    y = a\n    s.m[y] = True\n    z = s.m[y]\n    s.x = True"
    ),
    Loop("continue", "for a in A:\n    if not s.m[a]:\n        continue\n    s.ready.add(a)"),
    Loop(
        "inner break",
        "for a in A:\n    for t in T:\n        if t == s.tm[a]:\n            break\n        s.m[a] = True",
    ),
    Loop(
        "own set local",
        "seen: Set[A] = Set()\nfor a in A:\n    if a in s.ready:\n        seen.add(a)\ns.other = seen",
    ),
    Loop(
        "own set local2",
        "seen: Set[A] = Set()\nfor a in A:\n    if s.lead in s.ready:\n        seen.add(a)\ns.other = seen",
    ),
    Loop("alias ok", "q = s.m\nfor a in A:\n    q[a] = not s.m[a]"),
    Loop(
        "return in helper ok",
        "for a in A:\n    f(s, a)",
        top="def f(s: State, a: A) -> None:\n    if a in s.ready:\n        return\n    s.m[a] = True\n",
    ),
    Loop(
        "carry loop",
        "for a in A:\n    q = s.m\n    for i in (1, 2):\n        if i == 2:\n            q[a] = True\n        q = s.m2\n",
        fields="m: Map[A, bool]\nm2: Map[A, bool]\n",
    ),
    Loop(
        "quant sum fail",
        "s.n = sum(bad(s, a) for a in A)",
        top="def bad(s: State, a: A) -> int:\n    if s.m[a]:\n        panic('no')\n    return 1 if a in s.ready else 0\n",
    ),
    Loop(
        "soft+require",
        "for a in A:\n    if s.m[a]:\n        soft_panic('one')\n    require(a not in s.ready)",
    ),
    Loop(
        "soft+soft",
        "for a in A:\n    if s.m[a]:\n        soft_panic('one')\n    if a in s.ready:\n        soft_panic('two')",
    ),
    Loop(
        "append own",
        "for a in A:\n    s.q[a].append(a)",
        fields="q: Map[A, Annotated[Seq[A], Capacity(3)]]",
    ),
    Loop("min quant", "s.x = min(s.k[a] for a in A) == 0"),
    Loop("Set compr", "s.other = Set(b for a in A if (b := s.o[a]) is not None)"),
    Loop("Set compr2", "t = Set(b for a in A if (b := s.o[a]) is not None)\ns.other = t"),
    Loop(
        "alloc each",
        "for a in s.ready:\n    if s.sl[a] is None:\n        s.sl[a] = s.pool.alloc(False)",
        fields="pool: Pool[R, bool]\nsl: Map[A, R | None]\nready: Set[A]\nref: R | None\nn: L\nrefs: Set[R]\nm: Map[A, bool]",
        others=(
            "(a: A)\ns.ready.add(a)",
            "(a: A)\nr = s.sl[a]\nrequire(r is not None)\ns.sl[a] = None\ns.pool.free(r)",
            "(a: A)\nrequire(s.sl[a] is None)\ns.sl[a] = s.pool.alloc(True)",
        ),
        scope={"A": 2, "R": 3},
    ),
    Loop(
        "alloc write own",
        "for a in A:\n    if s.sl[a] is None:\n        r = s.pool.alloc(False)\n        s.pool[r] = a in s.ready\n        s.sl[a] = r",
        fields="pool: Pool[R, bool]\nsl: Map[A, R | None]\nready: Set[A]\nref: R | None\nn: L\nrefs: Set[R]\nm: Map[A, bool]",
        others=(
            "(a: A)\ns.ready.add(a)",
            "(a: A)\nr = s.sl[a]\nrequire(r is not None)\ns.sl[a] = None\ns.pool.free(r)",
            "(a: A)\nrequire(s.sl[a] is None)\ns.sl[a] = s.pool.alloc(True)",
        ),
        scope={"A": 2, "R": 3},
    ),
    Loop(
        "free all",
        "for r in s.pool:\n    s.pool.free(r)\nfor a in A:\n    s.sl[a] = None",
        fields="pool: Pool[R, bool]\nsl: Map[A, R | None]\nready: Set[A]\nref: R | None\nn: L\nrefs: Set[R]\nm: Map[A, bool]",
        others=(
            "(a: A)\ns.ready.add(a)",
            "(a: A)\nr = s.sl[a]\nrequire(r is not None)\ns.sl[a] = None\ns.pool.free(r)",
            "(a: A)\nrequire(s.sl[a] is None)\ns.sl[a] = s.pool.alloc(True)",
        ),
        scope={"A": 2, "R": 3},
    ),
    Loop(
        "free cond",
        "for r in s.pool:\n    if s.pool[r]:\n        s.pool[r] = False",
        fields="pool: Pool[R, bool]\nsl: Map[A, R | None]\nready: Set[A]\nref: R | None\nn: L\nrefs: Set[R]\nm: Map[A, bool]",
        others=(
            "(a: A)\ns.ready.add(a)",
            "(a: A)\nr = s.sl[a]\nrequire(r is not None)\ns.sl[a] = None\ns.pool.free(r)",
            "(a: A)\nrequire(s.sl[a] is None)\ns.sl[a] = s.pool.alloc(True)",
        ),
        scope={"A": 2, "R": 3},
    ),
    Loop(
        "pool own neg",
        "for r in s.pool:\n    s.pool[r] = not s.pool[r]",
        fields="pool: Pool[R, bool]\nsl: Map[A, R | None]\nready: Set[A]\nref: R | None\nn: L\nrefs: Set[R]\nm: Map[A, bool]",
        others=(
            "(a: A)\ns.ready.add(a)",
            "(a: A)\nr = s.sl[a]\nrequire(r is not None)\ns.sl[a] = None\ns.pool.free(r)",
            "(a: A)\nrequire(s.sl[a] is None)\ns.sl[a] = s.pool.alloc(True)",
        ),
        scope={"A": 2, "R": 3},
    ),
    Loop(
        "helper alloc",
        "for a in A:\n    if s.sl[a] is None:\n        s.sl[a] = mk(s, a)",
        top="def mk(s: State, a: A) -> R:\n    r = s.pool.alloc(False)\n    s.pool[r] = True\n    return r\n",
        fields="pool: Pool[R, bool]\nsl: Map[A, R | None]\nready: Set[A]\nref: R | None\nn: L\nrefs: Set[R]\nm: Map[A, bool]",
        others=(
            "(a: A)\ns.ready.add(a)",
            "(a: A)\nr = s.sl[a]\nrequire(r is not None)\ns.sl[a] = None\ns.pool.free(r)",
            "(a: A)\nrequire(s.sl[a] is None)\ns.sl[a] = s.pool.alloc(True)",
        ),
        scope={"A": 2, "R": 3},
    ),
    Loop(
        "len",
        "for a in A:\n    s.n = len(s.pool)",
        fields="pool: Pool[R, bool]\nsl: Map[A, R | None]\nready: Set[A]\nref: R | None\nn: L\nrefs: Set[R]\nm: Map[A, bool]",
        others=(
            "(a: A)\ns.ready.add(a)",
            "(a: A)\nr = s.sl[a]\nrequire(r is not None)\ns.sl[a] = None\ns.pool.free(r)",
            "(a: A)\nrequire(s.sl[a] is None)\ns.sl[a] = s.pool.alloc(True)",
        ),
        scope={"A": 2, "R": 3},
    ),
    Loop(
        "refs",
        "for r in s.pool:\n    s.refs.add(r)\nx = len(s.refs)",
        fields="pool: Pool[R, bool]\nsl: Map[A, R | None]\nready: Set[A]\nref: R | None\nn: L\nrefs: Set[R]\nm: Map[A, bool]",
        others=(
            "(a: A)\ns.ready.add(a)",
            "(a: A)\nr = s.sl[a]\nrequire(r is not None)\ns.sl[a] = None\ns.pool.free(r)",
            "(a: A)\nrequire(s.sl[a] is None)\ns.sl[a] = s.pool.alloc(True)",
        ),
        scope={"A": 2, "R": 3},
    ),
    Loop("range index", "for i in range(len(A)):\n    s.n = i"),
    Loop(
        "seq loop ok",
        "for a in s.q:\n    s.lead = a",
        fields="q: Annotated[Seq[A], Capacity(2)]\nlead: A | None",
        others=("(a: A)\ns.q.append(a)",),
    ),
    Loop(
        "map keyed rec",
        "for p in s.w:\n    s.w[p] = not s.w[p]",
        top="@record(frozen=True)\nclass P:\n    a: A\n    c: bool\n",
        fields="w: Map[P, bool]",
    ),
    Loop(
        "rec key own",
        "for a in A:\n    s.w[P(a, True)] = s.w[P(a, False)]",
        top="@record(frozen=True)\nclass P:\n    a: A\n    c: bool\n",
        fields="w: Map[P, bool]",
        others=("(p: P)\ns.w[p] = True",),
    ),
)

REFUSED = (
    Loop(
        "last name",
        "last: A | None = None\nfor a in A:\n    if s.m[a]:\n        last = a\ns.lead = last",
        refused="what this loop leaves in last depends on the order of the names",
    ),
    Loop(
        "last state",
        "for a in A:\n    if s.m[a]:\n        s.lead = a",
        refused="what this loop leaves in s.lead depends on the order of the names",
    ),
    Loop(
        "loop var after",
        "a: A | None = None\nfor a in A:\n    s.m[a] = True\ns.lead = a",
        refused="a would keep the last name of the loop, and names have no order",
    ),
    Loop(
        "walrus outer",
        "y: A | None = None\nfor a in A:\n    if (y := s.o[a]) is not None:\n        s.m[a] = True\ns.lead = y",
        refused="what this loop leaves in y depends on the order of the names",
    ),
    Loop(
        "not flag",
        "x = False\nfor a in A:\n    x = s.m[a] or not x\ns.x = x",
        refused="what this loop leaves in x depends on the order of the names",
    ),
    Loop(
        "not flag2",
        "x = False\nfor a in A:\n    x = not x and s.m[a]\ns.x = x",
        refused="what this loop leaves in x depends on the order of the names",
    ),
    Loop(
        "toggle",
        "for a in A:\n    if s.m[a]:\n        s.x = not s.x",
        refused="what this loop leaves in s.x depends on the order of the names",
    ),
    Loop(
        "short circuit effect",
        "x = False\nfor a in A:\n    x = x or claim(s, a)\ns.x = x",
        top="def claim(s: State, a: A) -> bool:\n    s.m[a] = True\n    return True\n",
        refused="what this loop leaves in x depends on the order of the names",
    ),
    Loop(
        "propagate",
        "for a in A:\n    if a in s.ready:\n        b = s.o[a]\n        if b is not None:\n            s.ready.add(b)",
        refused="what this loop leaves in s.ready depends on the order of the names",
    ),
    Loop(
        "transpose",
        "for a in A:\n    for b in A:\n        s.mm[a][b] = s.mm[b][a]",
        fields="mm: Map[A, Map[A, bool]]",
        others=("(a: A, b: A)\ns.mm[a][b] = True",),
        refused="what this loop leaves in s.mm depends on the order of the names",
    ),
    Loop(
        "alias before",
        "q = s.m\nfor a in A:\n    q[a] = s.m[s.lead] if s.lead is not None else False",
        refused="what this loop leaves in q depends on the order of the names",
    ),
    Loop(
        "param alias",
        "f(s, s.m, s.m)",
        top="def f(s: State, p: Map[A, bool], q: Map[A, bool]) -> None:\n    for a in A:\n        if s.lead is not None:\n            p[a] = not q[s.lead]\n",
        refused="what this loop leaves in p depends on the order of the names",
    ),
    Loop(
        "return inner",
        "f(s)",
        top="def f(s: State) -> None:\n    for a in A:\n        s.m[a] = True\n        for i in (1, 2):\n            if a in s.ready:\n                return\n",
        refused="leaving a loop over a Sort or Set early shows which name came first",
    ),
    Loop(
        "break",
        "for a in A:\n    s.m[a] = True\n    if a in s.ready:\n        break",
        refused="leaving a loop over a Sort or Set early shows which name came first",
    ),
    Loop(
        "return in match",
        "f(s)",
        top="def f(s: State) -> None:\n    for a in A:\n        s.m[a] = True\n        match s.o[a]:\n            case None:\n                return\n            case _:\n                pass\n",
        refused="leaving a loop over a Sort or Set early shows which name came first",
    ),
    Loop(
        "branch place",
        "for a in A:\n    if a in s.ready:\n        q = s.m\n    else:\n        q = s.m2\n    if s.lead is not None:\n        q[a] = not q[s.lead]",
        fields="m: Map[A, bool]\nm2: Map[A, bool]\nready: Set[A]\nlead: A | None\n",
        refused="what this loop leaves in a place that a helper or condition chooses depends on the order of the names",
    ),
    Loop(
        "carried name",
        "for a in A:\n    if s.x:\n        s.m[a] = y\n    y = True\n    s.x = True",
        refused="y has no value here",
    ),
    Loop(
        "items alias",
        "for a, v in s.tmm.items():\n    if s.lead is not None:\n        v.b = not s.tmm[s.lead].b",
        fields="tmm: Map[A, Rec]\nlead: A | None",
        others=("(a: A)\ns.lead = a", "(a: A)\ns.tmm[a].b = True"),
        refused="what this loop leaves in s.tmm.b depends on the order of the names",
    ),
    Loop(
        "values nonown",
        "for v in s.o.values():\n    if v is not None:\n        s.k[v] = (s.k[v] * 2 + 1) % 4",
        refused="what this loop leaves in s.k depends on the order of the names",
    ),
    Loop(
        "items nonown",
        "for a, v in s.o.items():\n    if v is not None:\n        s.k[v] = (s.k[v] * 2 + s.k[a]) % 4",
        refused="what this loop leaves in s.k depends on the order of the names",
    ),
    Loop(
        "quant effect",
        "s.x = any(claim(s, a) for a in A)",
        top="def claim(s: State, a: A) -> bool:\n    s.m[a] = True\n    return a in s.ready\n",
        refused="a quantifier over names must not change anything: how often its elements are evaluated depends on the order",
    ),
    Loop(
        "quant fail",
        "s.x = any(bad(s, a) for a in A)",
        top="def bad(s: State, a: A) -> bool:\n    if s.m[a]:\n        panic('no')\n    return a in s.ready\n",
        refused="whether this fails depends on the order of the names: panic:no",
    ),
    Loop(
        "two fails",
        "for a in A:\n    if s.m[a]:\n        panic('one')\n    if a in s.ready:\n        panic('two')",
        refused="what this loop fails with depends on the order of the names: panic:one, panic:two",
    ),
    Loop(
        "soft+fail",
        "for a in A:\n    if s.m[a]:\n        soft_panic('one')\n    if a in s.ready:\n        panic('two')",
        refused="what this loop fails with depends on the order of the names: panic:two, soft_panic:one",
    ),
    Loop(
        "range+none",
        "for a in A:\n    s.n += 1\n    s.m[given(s.o[a])] = True",
        refused="what this loop fails with depends on the order of the names: range:n, require",
    ),
    Loop(
        "sub mix",
        "for a in A:\n    if s.m[a]:\n        s.n += 1\n    else:\n        s.n -= 1",
        refused="what this loop leaves in s.n depends on the order of the names",
    ),
    Loop(
        "neg step",
        "for a in A:\n    s.n += 1 if s.m[a] else -1",
        refused="what this loop leaves in s.n depends on the order of the names",
    ),
    Loop(
        "append",
        "for a in A:\n    s.q.append(a)",
        fields="q: Annotated[Seq[A], Capacity(3)]",
        refused="what this loop leaves in s.q depends on the order of the names",
    ),
    Loop(
        "alloc first",
        "for a in A:\n    if len(s.pool) < 1:\n        s.sl[a] = s.pool.alloc(False)",
        fields="pool: Pool[R, bool]\nsl: Map[A, R | None]\nready: Set[A]\nref: R | None\nn: L\nrefs: Set[R]\nm: Map[A, bool]",
        others=(
            "(a: A)\ns.ready.add(a)",
            "(a: A)\nr = s.sl[a]\nrequire(r is not None)\ns.sl[a] = None\ns.pool.free(r)",
            "(a: A)\nrequire(s.sl[a] is None)\ns.sl[a] = s.pool.alloc(True)",
        ),
        scope={"A": 2, "R": 3},
        refused="what this loop leaves in s.pool depends on the order of the names",
    ),
    Loop(
        "alloc first2",
        "for a in A:\n    if s.ref is None:\n        s.ref = s.pool.alloc(False)\n        s.sl[a] = s.ref",
        fields="pool: Pool[R, bool]\nsl: Map[A, R | None]\nready: Set[A]\nref: R | None\nn: L\nrefs: Set[R]\nm: Map[A, bool]",
        others=(
            "(a: A)\ns.ready.add(a)",
            "(a: A)\nr = s.sl[a]\nrequire(r is not None)\ns.sl[a] = None\ns.pool.free(r)",
            "(a: A)\nrequire(s.sl[a] is None)\ns.sl[a] = s.pool.alloc(True)",
        ),
        scope={"A": 2, "R": 3},
        refused="what this loop leaves in s.ref depends on the order of the names",
    ),
    Loop(
        "alloc shared",
        "for a in A:\n    s.ref = s.pool.alloc(False)",
        fields="pool: Pool[R, bool]\nsl: Map[A, R | None]\nready: Set[A]\nref: R | None\nn: L\nrefs: Set[R]\nm: Map[A, bool]",
        others=(
            "(a: A)\ns.ready.add(a)",
            "(a: A)\nr = s.sl[a]\nrequire(r is not None)\ns.sl[a] = None\ns.pool.free(r)",
            "(a: A)\nrequire(s.sl[a] is None)\ns.sl[a] = s.pool.alloc(True)",
        ),
        scope={"A": 2, "R": 3},
        refused="what this loop leaves in s.ref depends on the order of the names",
    ),
    Loop(
        "alloc free",
        "for a in A:\n    r = s.pool.alloc(False)\n    if a in s.ready:\n        s.pool.free(r)",
        fields="pool: Pool[R, bool]\nsl: Map[A, R | None]\nready: Set[A]\nref: R | None\nn: L\nrefs: Set[R]\nm: Map[A, bool]",
        others=(
            "(a: A)\ns.ready.add(a)",
            "(a: A)\nr = s.sl[a]\nrequire(r is not None)\ns.sl[a] = None\ns.pool.free(r)",
            "(a: A)\nrequire(s.sl[a] is None)\ns.sl[a] = s.pool.alloc(True)",
        ),
        scope={"A": 2, "R": 3},
        refused="what this loop leaves in s.pool depends on the order of the names",
    ),
    Loop(
        "pool in order",
        "for r in s.pool:\n    for q in s.pool:\n        s.pool[r] = not s.pool[q]",
        fields="pool: Pool[R, bool]\nsl: Map[A, R | None]\nready: Set[A]\nref: R | None\nn: L\nrefs: Set[R]\nm: Map[A, bool]",
        others=(
            "(a: A)\ns.ready.add(a)",
            "(a: A)\nr = s.sl[a]\nrequire(r is not None)\ns.sl[a] = None\ns.pool.free(r)",
            "(a: A)\nrequire(s.sl[a] is None)\ns.sl[a] = s.pool.alloc(True)",
        ),
        scope={"A": 2, "R": 3},
        refused="what this loop leaves in s.pool depends on the order of the names",
    ),
    Loop(
        "first ref",
        "for r in R:\n    if r in s.pool and s.ref is None:\n        s.ref = r",
        fields="pool: Pool[R, bool]\nsl: Map[A, R | None]\nready: Set[A]\nref: R | None\nn: L\nrefs: Set[R]\nm: Map[A, bool]",
        others=(
            "(a: A)\ns.ready.add(a)",
            "(a: A)\nr = s.sl[a]\nrequire(r is not None)\ns.sl[a] = None\ns.pool.free(r)",
            "(a: A)\nrequire(s.sl[a] is None)\ns.sl[a] = s.pool.alloc(True)",
        ),
        scope={"A": 2, "R": 3},
        refused="what this loop leaves in s.ref depends on the order of the names",
    ),
    Loop(
        "const",
        "s.lead = LEAD",
        top="LEAD = A._get(0)\n",
        refused="LEAD is A, which is no constant of a model",
    ),
    Loop(
        "A(0)",
        "s.lead = A(0)",
        refused="A is a Sort: its names are interchangeable, so a model cannot name one",
    ),
    Loop(
        "A._get",
        "s.lead = A._get(0)",
        refused="A._get is a class method, which a model cannot call",
    ),
    Loop(
        "A._made", "s.lead = A._made[0]", refused="A._made is list, which is no constant of a model"
    ),
    Loop(
        "A._all",
        "for a in A._all():\n    s.m[a] = True",
        refused="A._all is a class method, which a model cannot call",
    ),
    Loop("next(iter)", "s.lead = next(iter(A))", refused="next cannot be called from a model"),
    Loop("list", "s.lead = list(A)[0]", refused="list cannot be called from a model"),
    Loop(
        "sorted",
        "for a in sorted(A):\n    s.m[a] = True",
        refused="sorted cannot be called from a model",
    ),
    Loop(
        "min",
        "s.lead = min(a for a in A)",
        refused="min needs numbers or values of an Ordinal, not A",
    ),
    Loop(
        "max2",
        "(b: A, c: A)\ns.lead = max(b, c)",
        refused="max needs numbers or values of an Ordinal, not A",
    ),
    Loop("index", "(b: A)\ns.n = b._index", refused="A has no attribute _index"),
    Loop(
        "lt",
        "(b: A, c: A)\nif b < c:\n    s.lead = b",
        refused="A is a Sort: its names have no order",
    ),
    Loop(
        "enum value",
        "s.lead = W.X.value",
        top="class W(Enum):\n    X = A._get(0)\n",
        refused="W has no attribute value",
    ),
    Loop(
        "tuple const",
        "for a in ALL:\n    s.lead = a",
        top="ALL = (A._get(0), A._get(1))\n",
        refused="ALL holds A, which is no constant of a model",
    ),
    Loop(
        "initial rec",
        "p = Q()\ns.lead = p.a",
        top="@record\nclass Q:\n    a: A = initial()\n",
        refused="Q needs a value for a: a Sort has no initial value",
    ),
    Loop(
        "initial map",
        "p = Q()\nfor a in A:\n    s.lead = p.m[a]",
        top="@record\nclass Q:\n    m: Map[A, A] = initial()\n",
        refused="Q needs a value for m: a Sort has no initial value",
    ),
    Loop(
        "init union",
        "p = Q()\ns.x = p.u == p.u",
        top="@record(frozen=True)\nclass P:\n    a: A\n@record(frozen=True)\nclass P2:\n    b: bool\nU: TypeAlias = P | P2\n@record\nclass Q:\n    u: U = initial()\n",
        refused="Q needs a value for u: a Sort has no initial value",
    ),
    Loop(
        "Set to seq",
        "for a in s.ready:\n    s.q.append(a)",
        fields="q: Annotated[Seq[A], Capacity(3)]\nready: Set[A]",
        refused="what this loop leaves in s.q depends on the order of the names",
    ),
    Loop(
        "map keyed rec nonown",
        "for p in s.w:\n    s.k[p.a] = (s.k[p.a] * 2 + (1 if p.c else 0)) % 4",
        top="@record(frozen=True)\nclass P:\n    a: A\n    c: bool\n",
        fields="w: Map[P, bool]\nk: Map[A, L]",
        refused="what this loop leaves in s.k depends on the order of the names",
    ),
    Loop(
        "rec key two",
        "for a in A:\n    for b in A:\n        s.w[P2(a, b)] = s.w[P2(b, a)]",
        top="@record(frozen=True)\nclass P2:\n    a: A\n    b: A\n",
        fields="w: Map[P2, bool]",
        others=("(p: P2)\ns.w[p] = True",),
        refused="what this loop leaves in s.w depends on the order of the names",
    ),
)


@pytest.mark.parametrize("loop", ACCEPTED, ids=lambda loop: re.sub(r"\W+", "_", loop.name))
def test_accepted_loops_commute_with_permutations(loop: Loop, tmp_path: Path) -> None:
    system = system_in(load(loop.model(), tmp_path))()
    compare(system, limit=30)
    commutes(system, limit=25)


@pytest.mark.parametrize("loop", REFUSED, ids=lambda loop: re.sub(r"\W+", "_", loop.name))
def test_what_shows_the_order_is_refused(loop: Loop, tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        lower(system_in(load(loop.model(), tmp_path))())
    assert caught.value.message == loop.refused
    assert caught.value.where is not None and caught.value.hint
