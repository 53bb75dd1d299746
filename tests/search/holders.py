"""Systems that hold names of a sort wherever a state can: in sequences, optionals, unions, sets, pools, under each other."""

from __future__ import annotations

from typing import TypeAlias

from explorer import (
    Map,
    Ordinal,
    Pool,
    Seq,
    Set,
    Sort,
    System,
    action,
    invariant,
    reachable,
    record,
    require,
)


class Node(Sort): ...


class Ref(Sort): ...


@record(frozen=True)
class Mark:
    who: Node
    strong: bool = False


@record(frozen=True)
class Empty: ...


@record(frozen=True)
class One:
    a: Node


@record(frozen=True)
class Two:
    a: Node | None
    b: Node


Choice: TypeAlias = Empty | One | Two


@record
class Line:
    queue: Seq[Node]
    last: Node | None


class InSequence(System[Line]):
    default_scope = {"Node": 3, "queue": 3}

    @action
    def push(self, s: Line, n: Node) -> None:
        require(n not in s.queue)
        s.queue.append(n)

    @action
    def pop(self, s: Line) -> None:
        require(len(s.queue) > 0)
        s.last = s.queue.pop_first()


@invariant
def nobody_comes_back(s: Line) -> bool:
    return not (len(s.queue) == 2 and s.last is not None and s.queue.first() == s.last)


@record
class Slots:
    marks: Map[Node, Mark | None]
    one: Mark | None
    choices: Map[Node, Choice]


class InOptional(System[Slots]):
    default_scope = {"Node": 3}

    @action
    def mark(self, s: Slots, n: Node, k: Node) -> None:
        s.marks[n] = Mark(k)

    @action
    def clear(self, s: Slots, n: Node) -> None:
        s.marks[n] = None

    @action
    def copy(self, s: Slots, n: Node) -> None:
        require(s.one != s.marks[n])
        s.one = s.marks[n]


class InUnion(System[Slots]):
    default_scope = {"Node": 3}

    @action
    def choose(self, s: Slots, n: Node, choice: Choice) -> None:
        require(s.choices[n] != choice)
        require(all(s.choices[k] == Empty() for k in Node if k != n) or choice == Empty())
        s.choices[n] = choice

    @action
    def switch(self, s: Slots, n: Node) -> None:
        match s.choices[n]:
            case One(a=a):
                s.choices[a] = Two(None, n)
            case Two(b=b):
                s.choices[b] = One(n)
            case Empty():
                require(False)


@invariant
def not_all_marks_are_alike(s: Slots) -> bool:
    return s.one is None or not all(s.marks[n] == s.one for n in Node)


@reachable
def a_node_marks_itself(s: Slots) -> bool:
    return any((m := s.marks[n]) is not None and m.who == n for n in Node)


@record
class Pooled:
    pool: Pool[Ref, Mark]
    held: Map[Node, Ref | None]
    freed: Seq[Ref]


class InPool(System[Pooled]):
    default_scope = {"Node": 2, "Ref": 3, "freed": 2}

    @action
    def allocate(self, s: Pooled, n: Node, k: Node) -> None:
        require(s.held[n] is None)
        s.held[n] = s.pool.alloc(Mark(k))

    @action
    def free(self, s: Pooled, r: Ref) -> None:
        require(r in s.pool and len(s.freed) < 2)
        s.pool.free(r)
        s.freed.append(r)

    @action
    def forget(self, s: Pooled, n: Node) -> None:
        require(s.held[n] is not None)
        s.held[n] = None

    @action
    def forget_freed(self, s: Pooled) -> None:
        require(len(s.freed) > 0)
        s.freed.pop_first()


@invariant
def what_is_freed_is_gone(s: Pooled) -> bool:
    return all(r not in s.pool for r in s.freed)


@reachable
def a_freed_name_is_still_held(s: Pooled) -> bool:
    return any((r := s.held[n]) is not None and r in s.freed for n in Node)


@record
class Graph:
    edges: Map[Node, Set[Node]]
    marks: Set[Mark]
    table: Map[Node, Map[Ref, Node | None]]


class InGraph(System[Graph]):
    default_scope = {"Node": 4, "Ref": 2}

    @action
    def connect(self, s: Graph, a: Node, b: Node) -> None:
        require(a != b and b not in s.edges[a])
        require(sum(len(e) for e in s.edges.values()) < 3)
        s.edges[a].add(b)

    @action
    def mark(self, s: Graph, a: Node, r: Ref) -> None:
        require(len(s.marks) == 0 and len(s.edges[a]) == 2)
        s.table[a][r] = a
        s.marks.add(Mark(a, strong=True))


@reachable
def a_triangle(s: Graph) -> bool:
    return any(
        b in s.edges[a] and c in s.edges[b] and a in s.edges[c]
        for a in Node
        for b in Node
        for c in Node
        if a != c
    )


@record
class Couples:
    mate: Map[Node, Node | None]


class Pairs(System[Couples]):
    """Names that pair up look the same, and swapping two of them is a change: there are n! orders to try."""

    default_scope = {"Node": 4}

    def is_final(self, s: Couples) -> bool:
        return True

    @action
    def pair(self, s: Couples, a: Node, b: Node) -> None:
        require(a != b and s.mate[a] is None and s.mate[b] is None)
        s.mate[a] = b
        s.mate[b] = a


@reachable
def a_pair(s: Couples) -> bool:
    return any(s.mate[a] is not None for a in Node)


class Toggle(Ordinal):
    """A switch beside the couples."""


@record
class CouplesAndSwitches:
    mate: Map[Node, Node | None]
    on: Map[Toggle, bool]


class PairsAndSwitches(System[CouplesAndSwitches]):
    """Couples, and switches that make the first states of a search differ by something else than names."""

    default_scope = {"Node": 10, "Toggle": 14}

    @action
    def flip(self, s: CouplesAndSwitches, t: Toggle) -> None:
        s.on[t] = not s.on[t]

    @action
    def pair(self, s: CouplesAndSwitches, a: Node, b: Node) -> None:
        require(a != b and s.mate[a] is None and s.mate[b] is None)
        s.mate[a] = b
        s.mate[b] = a
