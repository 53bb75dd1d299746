"""What the language means: every small model here does the same in CPython and in the scalar IR, step by step."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from explorer.lang.errors import ModelError
from tests.compiler.models import compare, load, system_in

PRELUDE = """
from __future__ import annotations
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, NoReturn, TypeAlias, assert_never
from explorer.lang import (
    Between, Capacity, Map, Ordinal, Pool, Seq, Set, Sort, System, action, given, initial, panic, record,
    require, soft_panic,
)

class A(Sort): ...
class R(Sort): ...
class T(Ordinal): ...
class F(Ordinal, top="INF"): ...
class C(Enum):
    RED = 0
    GREEN = 1
    BLUE = 2
L: TypeAlias = Annotated[int, Between(0, 3)]
"""


@dataclass(frozen=True)
class Case:
    """A system: ``actions`` are bodies, after a line with the parameters in parentheses if there are any."""

    name: str
    fields: str
    actions: tuple[str, ...]
    top: str = ""
    methods: str = ""
    scope: Mapping[str, int] = field(default_factory=lambda: {"A": 2, "R": 2, "T": 3, "F": 2})
    states: int = 80

    def model(self) -> str:
        """The whole module."""
        lines = [PRELUDE, textwrap.dedent(self.top), "@record", "class State:"]
        lines += [_indented(self.fields), "", "class M(System[State]):"]
        lines += [f"    default_scope = {dict(self.scope)}", _indented(self.methods)]
        for number, body in enumerate(self.actions):
            body = textwrap.dedent(body).strip()
            parameters = ""
            if body.startswith("("):
                first, _, body = body.partition("\n")
                parameters = ", " + first.strip("()")
            lines += ["    @action", f"    def a{number}(self, s: State{parameters}) -> None:"]
            lines.append(textwrap.indent(body, " " * 8))
        return "\n".join(lines) + "\n"


def _indented(text: str) -> str:
    return textwrap.indent(textwrap.dedent(text).strip(), "    ")


CASES = (
    Case(
        "optional number",
        fields="""
            n: L = 0
            o: L | None = None
            x: bool = False
            ready: Set[A] = initial()
            p: A | None = None
            """,
        actions=(
            "s.o = s.n if s.x else None",
            "s.n = (s.n + 1) % 4",
            "s.x = not s.x",
            """
                require(s.o == 3)
                s.o = None
                """,
            "s.o = 4 if s.o == 2 else s.o",
            """
                y: L | None = 9
                if s.x:
                    y = None
                s.n = 0 if y is None else 1
                require(y == 9)
                s.o = 3
                """,
            "s.o = s.n - 1",
        ),
    ),
    Case(
        "opt num param",
        fields="""
            n: L = 0
            o: L | None = None
            x: bool = False
            ready: Set[A] = initial()
            p: A | None = None
            """,
        actions=(
            """
                (k: L | None)
                s.o = k
                require(k is not None)
                s.n = k
                """,
        ),
    ),
    Case(
        "opt num helper",
        fields="""
            n: L = 0
            o: L | None = None
            x: bool = False
            ready: Set[A] = initial()
            p: A | None = None
            """,
        actions=(
            "s.o = f(s, s.o)",
            "s.n=2",
        ),
        top="""
            def f(s: State, k: L | None) -> L | None:
                if k is None:
                    return s.n + 1
                return None if k > 2 else k + 1
            """,
    ),
    Case(
        "set opt num",
        fields="""
            q: Set[L | None] = initial()
            z: L | None = None
            m: Map[L | None, bool] = initial()
            u: Annotated[Seq[L | None], Capacity(2)] = initial()
            """,
        actions=(
            """
                (k: L | None)
                s.q.add(k)
                """,
            "s.q.discard(s.z)",
            """
                (k: L | None)
                s.z = k
                """,
            """
                require(9 in s.q or s.z in s.q)
                s.m[s.z] = True
                """,
            "s.m[7] = True",
            "s.q.remove(9)",
            "s.q.add(9)",
            "s.u.append(s.z)",
            "s.u.append(8)",
            """
                require(s.z in s.u)
                s.u.clear()
                """,
            "s.u.insert(0, None)",
        ),
        states=80,
    ),
    Case(
        "set numbers",
        fields="""
            q: Set[L] = initial()
            n: L = 0
            """,
        actions=(
            "s.q = Set((1, s.n))",
            "s.q = Set((1, s.n + 1))",
            "s.n = (s.n + 1) % 4",
            """
                require(s.q == Set((1, 2)))
                s.q.clear()
                """,
            "s.q = s.q | Set((0,))",
            """
                require(Set((0,3)) <= s.q)
                s.q.clear()
                """,
            """
                t = Set(x for x in s.q if x > 0)
                t.add(2)
                s.q = t
                """,
            "s.q = Set(x + 1 for x in s.q)",
        ),
    ),
    Case(
        "alias set",
        fields="""
            n: L = 0
            o: L | None = None
            x: bool = False
            ready: Set[A] = initial()
            p: A | None = None
            """,
        actions=(
            """
                t = Set(s.ready)
                for a in A:
                    t.add(a)
                require(len(s.ready) == 0)
                s.x = True
                """,
            """
                (a: A)
                s.ready.add(a)
                """,
            """
                u = s.ready
                u.clear()
                """,
        ),
    ),
    Case(
        "cond place",
        fields="""
            n: L = 0
            o: L | None = None
            x: bool = False
            ready: Set[A] = initial()
            p: A | None = None
            b: Set[A] = initial()
            """,
        actions=(
            """
                (a: A)
                t = s.ready if s.x else s.b
                t.add(a)
                """,
            """
                (a: A)
                t = s.ready if s.x else Set((a,))
                t.discard(a)
                s.b = t
                """,
            "s.x = not s.x",
            """
                (a: A)
                t = s.ready if s.x else s.b
                t.remove(a)
                """,
            """
                (a: A)
                (s.ready if s.x else s.b).remove(a)
                """,
        ),
    ),
    Case(
        "setop field",
        fields="""
            n: L = 0
            o: L | None = None
            x: bool = False
            ready: Set[A] = initial()
            p: A | None = None
            b: Set[A] = initial()
            """,
        actions=(
            """
                (a: A)
                t = s.ready | s.b
                t.remove(a)
                s.b = t
                """,
            """
                (a: A)
                t = Set(s.b)
                t.remove(a)
                s.b = t
                """,
            """
                (a: A)
                s.ready.add(a)
                """,
            """
                (a: A)
                t = Set((a,)) | s.b
                t.remove(a)
                t.remove(a)
                """,
        ),
    ),
    Case(
        "chain",
        fields="""
            a: L = 0
            b: L = 1
            q: Annotated[Seq[L], Capacity(2)] = initial()
            """,
        actions=(
            """
                require(0 < s.a < s.b)
                s.b = 0
                """,
            """
                require(s.a == s.b != 2)
                s.a = 2
                """,
            """
                require(s.a < s.q.first() <= s.b)
                s.a = 0
                """,
            "require(0 < s.q.pop_first() < 3)",
            """
                (k: L)
                s.q.append(k)
                """,
            """
                (k: L)
                s.b = k
                """,
            """
                (k: L)
                s.a = k
                """,
        ),
        states=80,
    ),
    Case(
        "early return",
        fields="""
            n: L = 0
            x: bool = False
            ready: Set[A] = initial()
            p: A | None = None
            q: Annotated[Seq[L], Capacity(2)] = initial()
            """,
        actions=(
            """
                if s.n == 1:
                    s.x = True
                    return
                if s.n == 2:
                    return
                s.n = 3
                """,
            """
                (k: L)
                s.n = k
                """,
            "s.x = not s.x",
        ),
    ),
    Case(
        "loop break continue",
        fields="""
            n: L = 0
            x: bool = False
            ready: Set[A] = initial()
            p: A | None = None
            q: Annotated[Seq[L], Capacity(2)] = initial()
            """,
        actions=(
            """
                for i in range(4):
                    if i == s.n:
                        continue
                    if i == 3:
                        break
                    s.q.append(i)
                """,
            """
                (k: L)
                s.q.append(k)
                """,
            """
                (k: L)
                s.n = k
                """,
            "s.x = not s.x",
        ),
    ),
    Case(
        "loop over range state",
        fields="""
            n: L = 0
            x: bool = False
            ready: Set[A] = initial()
            p: A | None = None
            q: Annotated[Seq[L], Capacity(2)] = initial()
            """,
        actions=(
            """
                t = 0
                for i in range(s.n):
                    t += i
                s.n = t
                """,
            """
                (k: L)
                s.n = k
                """,
        ),
    ),
    Case(
        "loop returns",
        fields="""
            n: L = 0
            x: bool = False
            ready: Set[A] = initial()
            p: A | None = None
            q: Annotated[Seq[L], Capacity(2)] = initial()
            """,
        actions=(
            """
                for i in s.q:
                    if i == 2:
                        s.q.clear()
                        return
                s.x = True
                """,
            """
                (k: L)
                s.q.append(k)
                """,
            """
                (k: L)
                s.n = k
                """,
            "s.x = not s.x",
        ),
    ),
    Case(
        "require after writes",
        fields="""
            n: L = 0
            x: bool = False
            ready: Set[A] = initial()
            p: A | None = None
            q: Annotated[Seq[L], Capacity(2)] = initial()
            """,
        actions=(
            """
                s.n = 0
                s.q.clear()
                require(s.x)
                """,
            """
                (k: L)
                s.q.append(k)
                """,
            """
                (k: L)
                s.n = k
                """,
            "s.x = not s.x",
        ),
    ),
    Case(
        "panic order",
        fields="""
            n: L = 0
            x: bool = False
            ready: Set[A] = initial()
            p: A | None = None
            q: Annotated[Seq[L], Capacity(2)] = initial()
            """,
        actions=(
            """
                if s.n > 2:
                    panic('big')
                s.n += 2
                assert s.n < 3, 'small'
                assert s.n != 2
                soft_panic('Soft one!')
                if s.x:
                    panic('x')
                """,
            """
                (k: L)
                s.q.append(k)
                """,
            """
                (k: L)
                s.n = k
                """,
            "s.x = not s.x",
        ),
    ),
    Case(
        "assert in helper",
        fields="""
            n: L = 0
            x: bool = False
            ready: Set[A] = initial()
            p: A | None = None
            q: Annotated[Seq[L], Capacity(2)] = initial()
            """,
        actions=(
            "_Check(s)",
            """
                (k: L)
                s.q.append(k)
                """,
            """
                (k: L)
                s.n = k
                """,
            "s.x = not s.x",
        ),
        top="""
            def _Check(s: State) -> None:
                assert s.n < 2
                assert any(i == 1 for i in s.q)
            """,
    ),
    Case(
        "assert False",
        fields="""
            n: L = 0
            x: bool = False
            ready: Set[A] = initial()
            p: A | None = None
            q: Annotated[Seq[L], Capacity(2)] = initial()
            """,
        actions=(
            "s.n = f(s)",
            """
                (k: L)
                s.q.append(k)
                """,
            """
                (k: L)
                s.n = k
                """,
            "s.x = not s.x",
        ),
        top="""
            def f(s: State) -> int:
                if s.n == 1:
                    return 2
                assert False, 'never'
            """,
    ),
    Case(
        "NoReturn helper",
        fields="""
            n: L = 0
            x: bool = False
            ready: Set[A] = initial()
            p: A | None = None
            q: Annotated[Seq[L], Capacity(2)] = initial()
            """,
        actions=(
            "s.n = f(s)",
            """
                (k: L)
                s.q.append(k)
                """,
            """
                (k: L)
                s.n = k
                """,
            "s.x = not s.x",
        ),
        top="""
            def boom() -> NoReturn:
                panic('boom')
            def f(s: State) -> int:
                if s.n == 1:
                    return 2
                boom()
            """,
    ),
    Case(
        "ellipsis",
        fields="""
            n: L = 0
            x: bool = False
            ready: Set[A] = initial()
            p: A | None = None
            q: Annotated[Seq[L], Capacity(2)] = initial()
            """,
        actions=(
            "...",
            """
                (k: L)
                s.q.append(k)
                """,
            """
                (k: L)
                s.n = k
                """,
            "s.x = not s.x",
        ),
    ),
    Case(
        "seq ops",
        fields="""
            n: L = 0
            x: bool = False
            ready: Set[A] = initial()
            p: A | None = None
            q: Annotated[Seq[L], Capacity(2)] = initial()
            """,
        actions=(
            "s.n = s.q.pop_first()",
            "s.n = s.q.first()",
            "s.n = s.q.last()",
            "s.n = s.q[1]",
            "s.q[s.n] = 2",
            "s.q[0] = s.n + 1",
            "s.q.remove_at(s.n)",
            "s.q.insert(s.n, 3)",
            "s.q.insert(1, s.n + 1)",
            "s.x = s.n in s.q",
            "s.n = len(s.q)",
            """
                (k: L)
                s.q.append(k)
                """,
            """
                (k: L)
                s.n = k
                """,
            "s.x = not s.x",
        ),
    ),
    Case(
        "seq eq",
        fields="""
            n: L = 0
            x: bool = False
            ready: Set[A] = initial()
            p: A | None = None
            q: Annotated[Seq[L], Capacity(2)] = initial()
            r: Annotated[Seq[L], Capacity(2)] = initial()
            """,
        actions=(
            "s.x = s.q == s.r",
            "s.q = s.r",
            """
                (k: L)
                s.r.append(k)
                """,
            """
                (k: L)
                s.q.append(k)
                """,
        ),
    ),
    Case(
        "seq scope",
        fields="q: Seq[L] = initial()",
        actions=(
            """
                (k: L)
                s.q.append(k)
                """,
            "add(s.q, 1)",
            """
                w = pick(s)
                w.append(2)
                """,
        ),
        top="""
            def add(w: Seq[L], k: L) -> None:
                w.append(k)
                w.insert(0, k)
            def pick(s: State) -> Seq[L]:
                return s.q
            """,
        scope={"q": 2},
    ),
    Case(
        "seq helper two caps",
        fields="""
            n: L = 0
            x: bool = False
            ready: Set[A] = initial()
            p: A | None = None
            q: Annotated[Seq[L], Capacity(2)] = initial()
            r: Annotated[Seq[L], Capacity(3)] = initial()
            """,
        actions=(
            "add(s.q, 1)",
            "add(s.r, 2)",
            """
                w: Seq[L] = s.r
                w.append(0)
                """,
        ),
        top="""
            def add(w: Seq[L], k: L) -> None:
                w.append(k)
            """,
    ),
    Case(
        "aug map",
        fields="""
            m: Map[C, L] = initial()
            i: C = C.RED
            q: Annotated[Seq[C], Capacity(2)] = initial()
            """,
        actions=(
            "s.m[s.i] += 1",
            "s.m[s.i] -= 1",
            """
                (c: C)
                s.i = c
                """,
            "s.m[C.RED] *= 2",
            "s.m[s.q.first()] += 1",
        ),
    ),
    Case(
        "aug field",
        fields="""
            n: L = 0
            i: L = 0
            """,
        actions=(
            "s.n += f(s)",
            "s.i = (s.i + 1) % 3",
        ),
        top="""
            def f(s: State) -> int:
                s.n = 1
                return s.i
            """,
    ),
    Case(
        "ordinal",
        fields="""
            t: T = T(0)
            f: F = F(0)
            x: bool = False
            """,
        actions=(
            "s.t = s.t.next()",
            "s.f = s.f.next()",
            "s.f = F.top()",
            "s.x = s.f == F.top() and s.f >= F.last()",
            "s.t = min(s.t, T(1))",
            "s.f = max(F.first(), min(F(1), s.f))",
            "s.x = any(t > s.t for t in T)",
            """
                (f: F, t: T)
                require(f < s.f)
                s.t = t
                """,
            "s.x = len(F) == 3 and len(T) == 3",
        ),
    ),
    Case(
        "enum",
        fields="""
            c: C = C.RED
            o: C | None = None
            m: Map[C, C] = initial()
            x: bool = False
            """,
        actions=(
            """
                (c: C)
                s.c = c
                """,
            "s.o = s.c",
            "s.x = s.o is C.RED",
            "s.x = s.o is not C.BLUE and s.c is C.GREEN",
            """
                match s.c:
                    case C.RED:
                        s.c = C.BLUE
                    case C.GREEN | C.BLUE:
                        s.o = None
                """,
            """
                match s.o:
                    case None:
                        s.x = False
                    case C.RED:
                        s.x = True
                    case o:
                        s.c = o
                """,
            "s.m[s.c] = C.GREEN",
            "s.c = s.m[given(s.o)]",
        ),
    ),
    Case(
        "bool opt",
        fields="""
            b: bool | None = None
            x: bool = False
            """,
        actions=(
            """
                (b: bool | None)
                s.b = b
                """,
            """
                match s.b:
                    case True:
                        s.x = True
                    case False:
                        s.x = False
                    case None:
                        s.b = False
                """,
            """
                if s.b:
                    s.x = False
                """,
            "s.x = not s.b",
            """
                require(s.b or s.x)
                s.b = None
                """,
            "s.x = s.b is True",
            "s.x = True if s.b else False",
            "s.x = any(y for y in (s.b, s.x))",
        ),
    ),
    Case(
        "unions",
        fields="""
            u: M_ | None = None
            x: bool = False
            n: L = 0
            """,
        actions=(
            """
                (m: M_)
                s.u = m
                """,
            """
                match s.u:
                    case None:
                        s.x = True
                    case P(n=n) if n > 2:
                        s.n = n
                    case P(a, k):
                        s.n = k
                    case Q(c=C.RED):
                        s.u = None
                    case Q():
                        s.x = False
                """,
            """
                c = s.u
                if isinstance(c, P):
                    s.n = c.n
                elif c is not None:
                    s.x = c.c == C.RED
                """,
            "s.x = isinstance(s.u, P)",
            """
                (a: A)
                s.u = P(a=a, n=s.n + 1)
                """,
            """
                (a: A)
                require(s.u == P(a, 2))
                s.u = Q(C.BLUE)
                """,
            """
                require(s.u in (Q(), None))
                s.x = True
                """,
            """
                u = s.u
                require(isinstance(u, P) and u.big())
                s.n = u.next if isinstance(u, P) else 0
                """,
        ),
        top="""
            @record(frozen=True)
            class P:
                a: A
                n: L = 1
                def big(self) -> bool:
                    return self.n > 1
                @property
                def next(self) -> int:
                    return self.n + 1
            @record(frozen=True)
            class Q:
                c: C = C.GREEN
            @record(frozen=True)
            class N:
                p: P
                o: Q | None = None
            M_: TypeAlias = P | Q
            W: TypeAlias = P | Q | N
            """,
        states=60,
    ),
    Case(
        "match exhaustive",
        fields="""
            u: M_ = initial()
            n: L = 0
            """,
        actions=(
            "s.n = f(s.u)",
            """
                (m: M_)
                s.u = m
                """,
        ),
        top="""
            @record(frozen=True)
            class P:
                a: A
                n: L = 1
                def big(self) -> bool:
                    return self.n > 1
                @property
                def next(self) -> int:
                    return self.n + 1
            @record(frozen=True)
            class Q:
                c: C = C.GREEN
            @record(frozen=True)
            class N:
                p: P
                o: Q | None = None
            M_: TypeAlias = P | Q
            W: TypeAlias = P | Q | N
            def f(u: M_) -> int:
                match u:
                    case P(n=n):
                        return n
                    case Q():
                        return 0
            """,
        methods="""
                def init(self, s: State, a: A) -> None:
                    s.u = P(a)
            """,
        states=40,
    ),
    Case(
        "match assert_never",
        fields="""
            u: M_ = initial()
            n: L = 0
            """,
        actions=(
            "s.n = f(s.u)",
            """
                (m: M_)
                s.u = m
                """,
        ),
        top="""
            @record(frozen=True)
            class P:
                a: A
                n: L = 1
                def big(self) -> bool:
                    return self.n > 1
                @property
                def next(self) -> int:
                    return self.n + 1
            @record(frozen=True)
            class Q:
                c: C = C.GREEN
            @record(frozen=True)
            class N:
                p: P
                o: Q | None = None
            M_: TypeAlias = P | Q
            W: TypeAlias = P | Q | N
            def f(u: M_) -> int:
                match u:
                    case P(n=n):
                        return n
                    case Q():
                        return 0
                    case _:
                        assert_never(u)
            """,
        methods="""
                def init(self, s: State, a: A) -> None:
                    s.u = P(a)
            """,
        states=40,
    ),
    Case(
        "if assert_never",
        fields="""
            c: C = C.RED
            n: L = 0
            """,
        actions=(
            """
                (c: C)
                s.c = c
                s.n = f(c)
                """,
            "s.n = f(s.c)",
        ),
        top="""
            @record(frozen=True)
            class P:
                a: A
                n: L = 1
                def big(self) -> bool:
                    return self.n > 1
                @property
                def next(self) -> int:
                    return self.n + 1
            @record(frozen=True)
            class Q:
                c: C = C.GREEN
            @record(frozen=True)
            class N:
                p: P
                o: Q | None = None
            M_: TypeAlias = P | Q
            W: TypeAlias = P | Q | N
            def f(c: C) -> int:
                if c == C.RED:
                    return 1
                elif c is C.GREEN:
                    return 2
                elif c == C.BLUE:
                    return 3
                else:
                    assert_never(c)
            """,
        states=40,
    ),
    Case(
        "nested match",
        fields="""
            u: N | None = None
            n: L = 0
            q: Annotated[Seq[W], Capacity(2)] = initial()
            """,
        actions=(
            """
                (m: N)
                s.u = m
                """,
            """
                match s.u:
                    case N(p=P(n=2), o=Q(c=c)):
                        s.n = 1 if c == C.RED else 2
                    case N(o=None):
                        s.n = 0
                    case N(p, _):
                        s.n = p.n
                    case None:
                        pass
                """,
            """
                (a: A)
                s.q.append(N(P(a, 2), Q()))
                """,
            """
                (a: A)
                s.q.append(P(a))
                """,
            """
                match s.q.pop_first():
                    case P() as p:
                        s.n = p.n
                    case (Q() | N()) as w:
                        s.q.append(w)
                """,
            """
                require(any(isinstance(w, N) and w.o is not None for w in s.q))
                s.q.clear()
                """,
            """
                (p: P)
                require(p in s.q)
                s.q.remove_at(0)
                """,
        ),
        top="""
            @record(frozen=True)
            class P:
                a: A
                n: L = 1
                def big(self) -> bool:
                    return self.n > 1
                @property
                def next(self) -> int:
                    return self.n + 1
            @record(frozen=True)
            class Q:
                c: C = C.GREEN
            @record(frozen=True)
            class N:
                p: P
                o: Q | None = None
            M_: TypeAlias = P | Q
            W: TypeAlias = P | Q | N
            """,
        states=60,
    ),
    Case(
        "union narrow widen",
        fields="""
            u: M_ | None = None
            w: W | None = None
            x: bool = False
            """,
        actions=(
            """
                (m: M_)
                s.u = m
                """,
            "s.w = s.u",
            "s.x = s.w == s.u",
            "s.w = s.u if s.x else None",
            """
                (a: A)
                s.w = N(P(a))
                """,
            """
                (a: A)
                s.w = P(a) if s.x else Q()
                """,
        ),
        top="""
            @record(frozen=True)
            class P:
                a: A
                n: L = 1
                def big(self) -> bool:
                    return self.n > 1
                @property
                def next(self) -> int:
                    return self.n + 1
            @record(frozen=True)
            class Q:
                c: C = C.GREEN
            @record(frozen=True)
            class N:
                p: P
                o: Q | None = None
            M_: TypeAlias = P | Q
            W: TypeAlias = P | Q | N
            """,
        states=60,
    ),
    Case(
        "set of records",
        fields="""
            r: Set[P] = initial()
            o: Set[P | None] = initial()
            m: Map[P, L] = initial()
            """,
        actions=(
            """
                (p: P)
                s.r.add(p)
                """,
            """
                (p: P)
                s.r.discard(p)
                """,
            """
                (p: P)
                s.o.add(p if p in s.r else None)
                """,
            """
                for p in s.r:
                    s.m[p] = p.n
                """,
            """
                require(None in s.o)
                s.o.clear()
                """,
            "s.r = Set(p for p in s.r if not p.big())",
            """
                (a: A)
                s.m[P(a, 3)] += 1
                """,
            """
                (a: A)
                s.m[P(a, 4)] += 1
                """,
        ),
        top="""
            @record(frozen=True)
            class P:
                a: A
                n: L = 1
                def big(self) -> bool:
                    return self.n > 1
                @property
                def next(self) -> int:
                    return self.n + 1
            @record(frozen=True)
            class Q:
                c: C = C.GREEN
            @record(frozen=True)
            class N:
                p: P
                o: Q | None = None
            M_: TypeAlias = P | Q
            W: TypeAlias = P | Q | N
            """,
        scope={"A": 1},
        states=60,
    ),
    Case(
        "pool",
        fields="""
            pool: Pool[R, Slot]
            r: R | None = None
            x: bool = False
            """,
        actions=(
            """
                require(s.r is None)
                s.r = s.pool.alloc(Slot())
                """,
            """
                r = s.r
                if r is not None:
                    s.pool.free(r)
                """,
            "s.pool[given(s.r)].level += 1",
            """
                (a: A)
                slot = s.pool[given(s.r)]
                slot.held.add(a)
                slot.bump(1)
                """,
            "s.r = None",
            """
                for r in s.pool:
                    s.pool[r].level = 0
                """,
            """
                (a: A)
                s.r = s.pool.alloc(Slot(own=a, level=2))
                """,
            """
                (r: R)
                s.x = r in s.pool
                """,
            "s.x = s.r in s.pool",
            "s.x = len(s.pool) == 2",
            "s.pool[given(s.r)] = Slot(level=3)",
            """
                (r: R)
                s.x = s.pool[r].full
                """,
        ),
        top="""
            @record
            class Slot:
                own: A | None = None
                level: L = 0
                held: Set[A] = initial()
                def bump(self, by: int) -> None:
                    self.level += by
                def is_held(self) -> bool:
                    return len(self.held) > 0
                @property
                def full(self) -> bool:
                    return all(a in self.held for a in A)
                @staticmethod
                def most() -> int:
                    return 3
            @record
            class Sub:
                slots: Map[A, Slot]
                free: Set[A] = initial()
            """,
        states=80,
    ),
    Case(
        "stale record field",
        fields="""
            c: Cell
            x: bool = False
            """,
        actions=(
            "s.c.reset()",
            """
                (a: A)
                c = s.c
                c.s = Set((a,))
                c.s.add(a)
                s.x = len(c.s) > 1
                """,
        ),
        top="""
            @record
            class Cell:
                s: Set[A] = initial()
                def reset(self) -> None:
                    self.s = Set()
                    for a in A:
                        self.s.add(a)
            """,
    ),
    Case(
        "nested",
        fields="""
            sub: Sub
            m: Map[A, Map[C, Slot]]
            x: bool = False
            """,
        actions=(
            """
                (a: A)
                s.sub.slots[a].level += 1
                """,
            """
                (a: A, c: C)
                s.m[a][c] = s.sub.slots[a]
                """,
            """
                (a: A)
                s.sub.free.add(a)
                """,
            """
                (a: A)
                q = s.m[a]
                q[C.RED].held.add(a)
                t = q[C.RED]
                t.own = a
                t.bump(2)
                """,
            """
                for v in s.sub.slots.values():
                    v.level = 0
                """,
            """
                for a, v in s.m.items():
                    v[C.BLUE].level = Slot.most()
                """,
            """
                (a: A)
                z = s.sub.slots[a]
                w = Slot(level=z.level)
                w.bump(1)
                s.x = w == z
                """,
            """
                (a: A)
                s.sub.slots = s.sub.slots
                s.x = s.m[a][C.RED] == s.sub.slots[a]
                """,
            "s.x = any(v.is_held() and v.full for m in s.m.values() for v in m.values())",
        ),
        top="""
            @record
            class Slot:
                own: A | None = None
                level: L = 0
                held: Set[A] = initial()
                def bump(self, by: int) -> None:
                    self.level += by
                def is_held(self) -> bool:
                    return len(self.held) > 0
                @property
                def full(self) -> bool:
                    return all(a in self.held for a in A)
                @staticmethod
                def most() -> int:
                    return 3
            @record
            class Sub:
                slots: Map[A, Slot]
                free: Set[A] = initial()
            """,
        scope={"A": 1},
        states=60,
    ),
    Case(
        "copy on store",
        fields="""
            a: Slot
            b: Slot
            """,
        actions=(
            """
                s.a = s.b
                s.b.level += 1
                """,
            """
                t = s.a
                t.level = 2
                s.b = t
                """,
            """
                t = Slot()
                s.a = t
                t.level = 3
                s.b = t
                """,
            """
                s.a.held = s.b.held
                s.a.held.clear()
                """,
            """
                (x: A)
                s.b.held.add(x)
                """,
        ),
        top="""
            @record
            class Slot:
                own: A | None = None
                level: L = 0
                held: Set[A] = initial()
                def bump(self, by: int) -> None:
                    self.level += by
                def is_held(self) -> bool:
                    return len(self.held) > 0
                @property
                def full(self) -> bool:
                    return all(a in self.held for a in A)
                @staticmethod
                def most() -> int:
                    return 3
            @record
            class Sub:
                slots: Map[A, Slot]
                free: Set[A] = initial()
            """,
        scope={"A": 1},
    ),
    Case(
        "helper params",
        fields="""
            a: Slot
            b: Slot
            x: bool = False
            """,
        actions=(
            "f(s.a, s.b)",
            "g(s).level += 1",
            "s.x = not s.x",
            """
                h(s).level = 2
                h(s).held.clear()
                """,
            """
                k = h(s)
                k.level = 1
                s.b = k
                """,
        ),
        top="""
            @record
            class Slot:
                own: A | None = None
                level: L = 0
                held: Set[A] = initial()
                def bump(self, by: int) -> None:
                    self.level += by
                def is_held(self) -> bool:
                    return len(self.held) > 0
                @property
                def full(self) -> bool:
                    return all(a in self.held for a in A)
                @staticmethod
                def most() -> int:
                    return 3
            @record
            class Sub:
                slots: Map[A, Slot]
                free: Set[A] = initial()
            def f(p: Slot, q: Slot) -> None:
                p.level = q.level
                q.level = 2
            def g(s: 'State') -> Slot:
                if s.x:
                    return s.a
                return s.b
            def h(s: 'State') -> Slot:
                if s.x:
                    return s.a
                return Slot(level=1)
            """,
        scope={"A": 1},
    ),
    Case(
        "design",
        fields="""
            n: L = 0
            x: bool = False
            """,
        actions=(
            """
                s.n = self.design.big
                if self.design.fast:
                    s.x = self.design.how is C.GREEN
                d = self.design
                s.x = d.fast
                use(s, d)
                me = self
                me.bump(s)
                """,
        ),
        top="""
            @dataclass(frozen=True)
            class Design:
                fast: bool = True
                how: C = C.GREEN
                big: L = 2
            def use(s: 'State', d: Design) -> None:
                s.n = d.big + (1 if d.fast else 0)
            """,
        methods="""
                design = Design()
                TOP = 3
                def bump(self, s: State) -> None:
                    s.n = self.TOP
                @property
                def quick(self) -> bool:
                    return self.design.fast
                @staticmethod
                def twice(n: int) -> int:
                    return 2 * n
                @action
                def b(self, s: State) -> None:
                    s.n = self.twice(1) if self.quick else M.twice(0)
                    s.n = self.scope['A']
            """,
    ),
    Case(
        "record super",
        fields="d: D2",
        actions=(
            "s.d.set()",
            "s.d.b = s.d.get() > 1",
        ),
        top="""
            @record
            class D1:
                n: L = 0
                def set(self) -> None:
                    self.n = 2
                def get(self) -> int:
                    return self.n
            @record
            class D2(D1):
                b: bool = False
                def set(self) -> None:
                    super().set()
                    self.b = True
                def get(self) -> int:
                    return D1.get(self) + 1
            """,
    ),
    Case(
        "empty sets meet, and an item grows by the last one",
        fields="""
            a: Set[A] = initial()
            q: Annotated[Seq[L], Capacity(2)] = initial()
            """,
        actions=(
            "(p: A)\ns.a.add(p)",
            "s.a = Set() & Set()",
            "s.a = s.a | (Set() & Set())",
            "(k: L)\nrequire(len(s.q) < 2)\ns.q.append(k)",
            "require(len(s.q) == 2 and s.q[0] + s.q[1] < 4)\ns.q[0] += s.q.last()",
        ),
    ),
)


SHARED = Case(
    "a field that all records of a union have",
    fields="""
        m: P | Q | None = None
        held: P | Q = START
        n: L = 0
        o: L | None = None
        x: bool = False
        """,
    actions=(
        "(m: P | Q)\ns.m = m\ns.held = m",
        "m = given(s.m)\ns.n = m.level\ns.x = m.level > 1",
        "s.o = s.held.maybe",
        "s.x = s.m is not None and s.m.level == s.n",
        "s.n = s.held.level",
    ),
    top="""
        @record(frozen=True)
        class P:
            level: L = 0
            maybe: L | None = None
        @record(frozen=True)
        class Q:
            x: bool = False
            maybe: Annotated[int, Between(1, 2)] = 1
            level: Annotated[int, Between(0, 2)] = 2
        START = Q()
        """,
)


@pytest.mark.parametrize(
    "case", (*CASES, SHARED), ids=[re.sub(r"\W+", "_", c.name) for c in (*CASES, SHARED)]
)
def test_cpython_and_the_ir_agree(case: Case, tmp_path: Path) -> None:
    run = compare(system_in(load(case.model(), tmp_path))(), limit=case.states)
    assert any(kind == "next" for kind, _ in run.outcomes)


STALE = {
    "freed": "r = given(s.r)\nslot = s.pool[r]\ns.pool.free(r)\nslot.level = 1",
    "freed by a helper": "r = given(s.r)\nslot = s.pool[r]\ndrop(s, r)\nslot.level = 1",
    "freed by a later argument": "r = given(s.r)\nuse(s.pool[r], drop(s, r))",
    "assigned": "slot = s.slot\ns.slot = Slot()\nslot.level = 1",
}


@pytest.mark.parametrize("name", STALE)
def test_a_name_whose_place_is_gone_is_refused(name: str, tmp_path: Path) -> None:
    case = Case(
        name,
        fields="pool: Pool[R, Slot]\nr: R | None\nslot: Slot",
        actions=(STALE[name],),
        top="""
            @record
            class Slot:
                level: L = 0

            def drop(s: State, r: R) -> int:
                if s.pool[r].level > 1:
                    s.pool.free(r)
                return 1

            def use(slot: Slot, n: int) -> None:
                slot.level = n
            """,
    )
    with pytest.raises(ModelError, match="used after its place was assigned or freed"):
        compare(system_in(load(case.model(), tmp_path))())
