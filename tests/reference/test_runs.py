"""Temporal properties in the reference engine, beside the exhaustive one; and what the other engines say of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Annotated

import pytest

from explorer.lang import (
    Between,
    Capacity,
    Formula,
    Map,
    Seq,
    Sort,
    System,
    action,
    always_eventually,
    eventually_always,
    leads_to,
    ltl,
    now,
    panic,
    record,
    require,
    strong,
    temporal,
    weak,
)
from explorer.lang.properties import properties_for
from explorer.reference import explore
from explorer.result import NotEvaluated, Result
from explorer.search.check import check
from explorer.symbolic.bmc import NOT_DECIDED, bmc


class Who(Sort): ...


class At(Enum):
    IDLE = 0
    WAITING = 1
    INSIDE = 2


@record
class State:
    at: Map[Who, At]
    log: Annotated[Seq[Who], Capacity("Log")]


@dataclass(frozen=True)
class Design:
    crash: bool = False
    log: bool = False
    limit: bool = False


class Lock(System[State]):
    """Whoever waits may be passed by others."""

    default_scope = {"Who": 2, "Log": 2}
    fairness = (weak.each("enter"), weak.threads())
    design = Design()

    def is_final(self, s: State) -> bool:
        return True

    @action(thread="who")
    def ask(self, s: State, who: Who) -> None:
        require(s.at[who] == At.IDLE)
        s.at[who] = At.WAITING
        if self.design.log:
            s.log.append(who)

    @action(thread="who")
    def enter(self, s: State, who: Who) -> None:
        require(s.at[who] == At.WAITING and all(s.at[w] != At.INSIDE for w in Who))
        if self.design.crash:
            panic("crash")
        s.at[who] = At.INSIDE

    @action(thread="who")
    def leave(self, s: State, who: Who) -> None:
        require(s.at[who] == At.INSIDE)
        s.at[who] = At.IDLE


def waits(s: State, who: Who) -> bool:
    return s.at[who] == At.WAITING


def inside(s: State, who: Who) -> bool:
    return s.at[who] == At.INSIDE


def occupied(s: State) -> bool:
    return any(s.at[w] == At.INSIDE for w in Who)


@temporal
def whoever_waits_enters(who: Who) -> Formula:
    return leads_to(now(waits, who), now(inside, who))


@temporal(fairness=(strong.each("enter"), weak.each("leave")))
def whoever_waits_enters_if_that_is_strongly_fair(who: Who) -> Formula:
    return leads_to(now(waits, who), now(inside, who))


@temporal
def it_is_free_again_and_again() -> Formula:
    return ltl("G F !occupied", occupied)


@temporal(fairness=())
def it_is_free_without_fairness() -> Formula:
    return always_eventually(~now(occupied))


@temporal(fairness=(weak("ask", "enter", "leave"),))
def two_steps_after_entering_it_is_free() -> Formula:
    return ltl("G (free -> X X free)", free=~now(occupied))


@temporal
def it_stays_free() -> Formula:
    return eventually_always(~now(occupied))


def verdicts(result: Result) -> dict[str, tuple[str, int | None, int | None]]:
    return {
        p.name: (p.verdict, p.length, None if p.trace is None else p.trace.loop)
        for p in result.properties
        if p.kind == "temporal"
    }


def test_the_verdicts() -> None:
    found = verdicts(explore(Lock()).result)
    assert found == {
        "whoever_waits_enters": ("violated", 4, 1),
        "whoever_waits_enters_if_that_is_strongly_fair": ("holds", None, None),
        "it_is_free_again_and_again": ("holds", None, None),
        "it_is_free_without_fairness": ("violated", 2, 2),
        "two_steps_after_entering_it_is_free": ("violated", 3, 0),
        "it_stays_free": ("violated", 6, 0),
    }


@pytest.mark.parametrize(
    "design", [{}, {"crash": True}, {"log": True}, {"log": True, "crash": True}], ids=str
)
@pytest.mark.parametrize("who", [1, 2, 3])
def test_the_same_by_both_engines(design: dict[str, object], who: int) -> None:
    system = Lock({"Who": who, "Log": 3}, design)
    slow, fast = explore(system).result, check(system)
    assert verdicts(slow) == verdicts(fast)
    assert [p.name for p in slow.properties if p.kind == "temporal"] == [
        p.name for p in properties_for(system)
    ]


@pytest.mark.parametrize("states", range(1, 8))
def test_after_a_limit_what_is_found_counts_and_the_rest_is_open(states: int) -> None:
    whole = verdicts(explore(Lock()).result)
    found = verdicts(explore(Lock(), max_states=states).result)
    for name, (verdict, length, _) in found.items():
        assert verdict in ("violated", "unknown")
        if verdict == "violated":
            assert length is not None and length >= (whole[name][1] or 1)


def test_what_uses_the_scope_up_leaves_it_open_and_stays_enabled() -> None:
    system = Lock({"Log": 1}, {"log": True})
    result = explore(system).result
    assert result.incomplete == ("Log used up",)
    found = verdicts(result)
    assert found["it_is_free_again_and_again"][0] == "unknown"
    # Asking a second time is enabled for ever, and a thread that could is not done.
    assert found["whoever_waits_enters"][0] == "unknown"
    assert found == verdicts(check(system))


def test_a_step_that_fails_is_not_enabled() -> None:
    result = explore(Lock(design={"crash": True})).result
    # The run stops where entering fails.
    assert verdicts(result)["whoever_waits_enters"][0] == "violated"


def test_it_ends_when_it_is_told_to() -> None:
    asked = 0

    def stop() -> str | None:
        nonlocal asked
        asked += 1
        return "enough" if asked > 20 else None

    result = explore(Lock(), stop=stop).result
    assert result.incomplete == ("enough",)
    assert {v[0] for v in verdicts(result).values()} <= {"unknown", "violated"}
    assert not result.complete


def test_the_first_violation_is_enough() -> None:
    result = explore(Lock(design={"crash": True}), first=True).result
    assert [p.name for p in result.properties if p.verdict == "violated"] == ["panic:crash"]


def test_the_first_temporal_violation_is_enough() -> None:
    whole = [p.name for p in check(Lock()).properties if p.verdict == "violated"]
    assert len(whole) > 1
    for result in (explore(Lock(), first=True).result, check(Lock(), first=True)):
        assert [p.name for p in result.properties if p.verdict == "violated"] == whole[:1]


@record
class Fragile:
    n: Annotated[int, Between(0, 3)]
    found: Annotated[int, Between(0, 3)] | None


class Counter(System[Fragile]):
    @action
    def up(self, s: Fragile) -> None:
        require(s.n < 3)
        s.n += 1
        s.found = None if s.n == 2 else s.n


def even(s: Fragile) -> bool:
    assert s.n != 2, "not two"
    return s.n % 2 == 0


@temporal
def it_gets_even() -> Formula:
    return always_eventually(even)


def test_a_predicate_that_cannot_be_evaluated() -> None:
    with pytest.raises(NotEvaluated, match="the predicate even cannot be evaluated") as slow:
        explore(Counter())
    assert slow.value.result.find("it_gets_even").verdict == "unknown"  # type: ignore[union-attr]
    with pytest.raises(NotEvaluated) as fast:
        check(Counter())
    assert (slow.value.message, slow.value.where) == (fast.value.message, fast.value.where)


@record
class Lamp:
    on: bool


class Switch(System[Lamp]):
    @action
    def press(self, s: Lamp) -> None:
        s.on = not s.on


def is_on(s: Lamp) -> bool:
    return s.on


@temporal(fairness=(weak.each("pull"),))
def pulled() -> Formula:
    return eventually_always(is_on)


@temporal
def pressed() -> Formula:
    return always_eventually(is_on)


@pytest.mark.parametrize("engine", [explore, check])
def test_a_fairness_that_does_not_fit_leaves_the_others(engine: Callable[..., object]) -> None:
    with pytest.raises(NotEvaluated, match="the fairness of pulled is about pull") as caught:
        engine(Switch())
    found = {name: verdict for name, (verdict, _, _) in verdicts(caught.value.result).items()}
    assert found == {"pulled": "unknown", "pressed": "violated"}
    assert caught.value.where is not None


def test_bounded_model_checking_leaves_them_open() -> None:
    result = bmc(Lock(), 3)
    assert {v[0] for v in verdicts(result).values()} == {"unknown"}
    assert list(verdicts(result)) == list(verdicts(explore(Lock()).result))
    assert result.notes == (NOT_DECIDED,)
    assert bmc(Lock(), 1, ()).notes == ()
