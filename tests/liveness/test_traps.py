"""Mistakes that other checkers have made about liveness, each as a test with its name.

Graphs and systems go through the same search, so each mistake is tested where it is easiest to see.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from explorer.engines import EngineName, Limits, run
from explorer.lang import System
from explorer.lang.properties import properties_for
from explorer.lang.run import instances
from explorer.result import PropertyResult, Result
from explorer.stateful.machine import machine
from tests.graphs.running import answer, graph, verdict
from tests.liveness.systems import (
    Calm,
    Clocks,
    Counts,
    Far,
    Greedy,
    InTurns,
    LikeNumbers,
    LikeText,
    Patient,
    Serving,
    Shared,
    Waiting,
)

ENGINES: tuple[EngineName, ...] = ("exhaustive", "reference")


def checked(system: System[Any], engine: EngineName = "exhaustive", **limits: Any) -> Result:
    """The result of one run."""
    return run(engine, system, properties_for(system), Limits(**limits))


def outcome(
    system: System[Any], name: str, engine: EngineName = "exhaustive", **limits: Any
) -> PropertyResult:
    """The verdict on one property."""
    found = checked(system, engine, **limits).find(name)
    assert found is not None
    return found


# Fairness


@pytest.mark.parametrize("engine", ENGINES)
def test_threads_are_not_merged_because_their_values_are_equal(engine: EngineName) -> None:
    assert outcome(LikeNumbers(), "it_gets_done", engine).verdict == "holds"
    found = outcome(InTurns(), "it_gets_done", engine)
    assert (found.verdict, found.length) == ("violated", 2)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_thread_that_is_a_string_is_no_parameter(engine: EngineName) -> None:
    assert outcome(LikeText(), "it_gets_done", engine).verdict == "holds"
    threads = {i.thread for i in instances(LikeText()) if i.action.name == "end"}
    assert threads == {Far.WORKER}


# Stopped early


@pytest.mark.parametrize("engine", ENGINES)
def test_a_bound_that_cuts_every_fair_run_proves_nothing(engine: EngineName) -> None:
    """Time goes on for ever, the scope has three moments: no fair run is left, and a false property would hold."""
    result = checked(Clocks(), engine)
    assert not result.complete
    found = result.find("the_alarm_rings")
    assert found is not None
    assert found.verdict == "unknown"
    assert result.exit_code() == 3


@pytest.mark.parametrize("engine", ENGINES)
def test_a_run_that_is_cut_does_not_stop_there(engine: EngineName) -> None:
    """Where only a cut step is left, the state is not taken for one that repeats; and a tautology is not proved."""
    assert outcome(Clocks(), "the_alarm_stays_possible", engine).verdict == "unknown"
    assert outcome(Waiting(), "the_alarm_stays_possible", engine).verdict == "unknown"


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_found_before_a_bound_is_found(engine: EngineName) -> None:
    found = outcome(Waiting(), "the_alarm_rings", engine)
    assert (found.verdict, found.length) == ("violated", 0)


@pytest.mark.parametrize("most", [1, 2, 3, 4])
def test_a_limit_on_states_contradicts_nothing(most: int) -> None:
    for system in (Calm(), Counts(), Serving(), Shared(), Greedy(), Patient()):
        whole = {p.name: p.verdict for p in checked(system).properties}
        for p in checked(system, states=most).properties:
            assert p.verdict in (whole[p.name], "unknown"), (system.name, p.name)


# Reductions


def test_symmetry_is_not_used_where_a_property_may_tell_names_apart() -> None:
    result = checked(Shared(), reductions=True)
    assert not result.reductions
    assert any("symmetry is not used" in note for note in result.notes)
    found = result.find("everybody_is_served")
    assert found is not None
    # Up to names, serving one worker again and again would look like serving both.
    assert found.verdict == "violated"
    assert checked(Shared(), reductions=False).notes == ()


# Liveness


def test_fairness_is_judged_per_edge_not_per_state_set(tmp_path: Path) -> None:
    """Both states of the cycle see a step of the set between them; the cycle takes the other one."""
    parallel = ("a x b", "a y b", "b back a", "b out c", "c end c")
    data = graph(*parallel, weak=("y",), p="c")
    # y is disabled in b: the cycle is fair without it.
    assert verdict(tmp_path, data, "F p")[0] == "violated"
    # Strong: the cycle has to take y, and can.
    assert verdict(tmp_path, {**data, "weak": [], "strong": [["y"]]}, "F p") == ("violated", 2)
    _, result = answer(tmp_path, {**data, "weak": [], "strong": [["y"]]}, "F p")
    taken = [s["action"] for s in result["properties"][0]["trace"]["steps"]]
    assert taken == ["y", "back"]
    # Weak to y in a state of its own, which it does not leave: the edge x between the same states does not count.
    loop = graph("a x a", "a y a", weak=("y",), p="z", z="a")
    _, result = answer(tmp_path, loop, "F p")
    assert [s["action"] for s in result["properties"][0]["trace"]["steps"]] == ["y"]


def test_a_step_that_changes_nothing_is_a_step(tmp_path: Path) -> None:
    """A self-loop of the set is enough for it; one of another set is not."""
    data = graph("a stay a", "a go b", "b end b", p="b")
    assert verdict(tmp_path, {**data, "weak": [["stay"]]}, "F p") == ("violated", 1)
    assert verdict(tmp_path, {**data, "weak": [["stay", "go"]]}, "F p") == ("violated", 1)
    assert verdict(tmp_path, {**data, "weak": [["go"]]}, "F p")[0] == "holds"


def test_an_obligation_survives_where_two_paths_merge(tmp_path: Path) -> None:
    """One way owes q, the other one does not; the state where they meet is explored for both."""
    merged = ("a left l", "a right r", "l in m", "r in m", "m end m")
    data = graph(*merged, owe="l", paid="r")
    assert verdict(tmp_path, data, "G (owe -> F paid)") == ("violated", 3)
    # In the other order of declaration, too.
    turned = graph("a right r", "a left l", "r in m", "l in m", "m end m", owe="l", paid="r")
    assert verdict(tmp_path, turned, "G (owe -> F paid)") == ("violated", 3)
    # And where the way that owes nothing is the shorter one.
    longer = graph("a short m", "a long l", "l in m", "m end m", owe="l", paid="x", x="a")
    assert verdict(tmp_path, longer, "G (owe -> F paid)") == ("violated", 3)


def test_a_cycle_is_a_counterexample_not_only_an_end(tmp_path: Path) -> None:
    """Nothing terminates here: every eventuality fails on a cycle alone."""
    data = graph("a x b", "b x c", "c x a", p="d", q="c")
    assert verdict(tmp_path, data, "F p") == ("violated", 3)
    assert verdict(tmp_path, data, "F q")[0] == "holds"


@pytest.mark.parametrize("engine", ENGINES)
def test_termination_violates_an_eventuality_under_weak_fairness(
    engine: EngineName, tmp_path: Path
) -> None:
    """A run that ends is as fair as any: nothing is enabled that it could owe."""
    data = graph("a go b", "a stop c", "b end b", weak=("go", "stop"), p="b")
    assert verdict(tmp_path, data, "F p") == ("violated", 1)
    found = outcome(Counts(), "reaches_two", engine)
    assert (found.verdict, found.length) == ("violated", 2)
    assert found.trace is not None
    assert found.trace.loop == found.trace.length


@pytest.mark.parametrize("engine", ENGINES)
def test_stuttering_is_not_ignored(engine: EngineName, tmp_path: Path) -> None:
    """Without fairness a run may stop before anything happens."""
    data = graph("a go b", "b go a", stuttering=True, p="b")
    assert verdict(tmp_path, data, "F p") == ("violated", 0)
    found = outcome(Calm(), "reaches_two_by_itself", engine)
    assert (found.verdict, found.length) == ("violated", 0)


@pytest.mark.parametrize("engine", ENGINES)
def test_stuttering_is_not_invented(engine: EngineName, tmp_path: Path) -> None:
    """A fair step that stays enabled is taken; and without stuttering a run goes on as long as it can."""
    data = graph("a go b", "b go a", p="b")
    assert verdict(tmp_path, data, "G F p")[0] == "holds"
    assert verdict(tmp_path, {**data, "stuttering": True, "weak": [["go"]]}, "G F p")[0] == "holds"
    assert outcome(Calm(), "reaches_two", engine).verdict == "holds"
    # No stop is hidden in a cycle either: X means a step.
    assert verdict(tmp_path, {**data, "stuttering": True, "weak": [["go"]]}, "X p")[0] == "holds"
    assert verdict(tmp_path, {**data, "stuttering": True}, "X p") == ("violated", 0)


def test_a_bounded_run_is_not_read_as_if_it_stopped_at_its_end() -> None:
    """Runs of a fixed length, random or symbolic, say nothing about what runs do in the end.

    Random ones go on to where they may stop, and what is false of that is violated.
    """
    few = settings(max_examples=5, stateful_step_count=5, deadline=None, database=None)
    some = machine(Calm(), ["reaches_two"], max_steps=1)
    run_state_machine_as_test(some, settings=few)
    for depth in (0, 1, 5):
        result = run("bmc", Calm(), properties_for(Calm()), Limits(depth=depth))
        for name in ("reaches_two", "reaches_two_by_itself"):
            found = result.find(name)
            assert found is None or found.verdict == "unknown"


def test_several_fairness_assumptions_that_no_one_cycle_meets(tmp_path: Path) -> None:
    """Two cycles, each fair to one set only; together they meet in a state, or they do not."""
    apart = ("a l b", "a r c", "b x b", "b stay b", "c y c", "c stay c")
    sets = ("b2", "c2")
    both = graph(*apart, "b b2 d", "c c2 d", "d end d", weak=sets, p="d")
    # In b, b2 is enabled for ever and not taken: every fair run leaves.
    assert verdict(tmp_path, both, "F p")[0] == "holds"
    one = {**both, "weak": [["b2"]]}
    assert verdict(tmp_path, one, "F p") == ("violated", 2)
    # Strong sets that are met on two cycles through one state: the run has to alternate.
    rings = ("m x l", "l in m", "m y r", "r in m", "m go d", "d end d")
    eight = graph(*rings, initial="m", strong=("x", "y"), p="d")
    assert verdict(tmp_path, eight, "F p") == ("violated", 4)
    # A third one that neither takes.
    assert verdict(tmp_path, {**eight, "strong": [["x"], ["y"], ["go"]]}, "F p")[0] == "holds"


def test_weak_and_strong_fairness_differ_where_a_step_is_enabled_now_and_then() -> None:
    assert outcome(Greedy(), "the_second_one_eats").verdict == "violated"
    assert outcome(Patient(), "the_second_one_eats").verdict == "holds"


def test_fairness_to_a_set_is_not_fairness_to_its_members() -> None:
    assert outcome(Serving(), "everybody_is_served").verdict == "holds"
    found = outcome(Shared(), "everybody_is_served")
    assert (found.verdict, found.length) == ("violated", 4)


@pytest.mark.parametrize("stuttering", [False, True])
def test_constant_subformulas(stuttering: bool, tmp_path: Path) -> None:
    data = graph("a x b", "b x a", stuttering=stuttering, weak=("x",), p="a", never="c")
    for formula, expected in (
        ("true", "holds"),
        ("false", "violated"),
        ("G true", "holds"),
        ("F false", "violated"),
        ("F true", "holds"),
        ("G F false", "violated"),
        ("X true", "holds"),
        ("X false", "violated"),
        ("true U p", "holds"),
        ("false U p", "holds"),
        ("false U !p", "violated"),
        ("p U false", "violated"),
        ("true R p", "holds"),
        ("false R p", "violated"),
        ("G (p -> F true)", "holds"),
        ("G (p -> F false)", "violated"),
        ("G (false -> F false)", "holds"),
        ("p | false", "holds"),
        ("p & true", "holds"),
        ("G F (p & true) & G F (!p | false)", "holds"),
        ("G !never", "holds"),
        ("!never W false", "holds"),
        ("(p <-> true) & (1 -> p) & !(0 <-> p)", "holds"),
    ):
        assert verdict(tmp_path, data, formula)[0] == expected, formula


# What does not change a system does not change the answer


@pytest.mark.parametrize("seed", range(25))
def test_names_order_and_idle_parts_do_not_matter(seed: int, tmp_path: Path) -> None:
    source = random.Random(seed)
    names, actions = [f"s{i}" for i in range(6)], ["x", "y", "z"]
    edges = [
        [source.choice(names), source.choice(actions), source.choice(names)] for _ in range(11)
    ]
    data: dict[str, Any] = {
        "initial": source.sample(names, 2),
        "edges": edges,
        "labels": {n: source.sample(names, 3) for n in "pq"},
        "weak": [source.sample(actions, source.randint(1, 2))],
        "strong": [source.sample(actions, 1)] if seed % 2 else [],
        "stuttering": seed % 3 == 0,
        "states": names,
    }
    texts = ["G F p", "F G p", "G (p -> F q)", "p U q", "X (q | X !p)"]
    _, result = answer(tmp_path, data, *texts)
    expected = [(p["verdict"], p["length"]) for p in result["properties"]]

    def answers(other: dict[str, Any], *formulas: str) -> list[tuple[str, int | None]]:
        _, found = answer(tmp_path, other, *formulas)
        return [(p["verdict"], p["length"]) for p in found["properties"]]

    def shuffled(items: list[Any]) -> list[Any]:
        return source.sample(items, len(items))

    state = dict(zip(names, shuffled([f"node {i}" for i in range(6)]), strict=True))
    action = dict(zip(actions, shuffled(["go", "come", "stay"]), strict=True))
    renamed = {
        "initial": shuffled([state[s] for s in data["initial"]]),
        "edges": shuffled([[state[a], action[x], state[b]] for a, x, b in edges]),
        "labels": {n: shuffled([state[s] for s in data["labels"][n]]) for n in ("q", "p")},
        "weak": [[action[x] for x in s] for s in data["weak"]],
        "strong": [[action[x] for x in s] for s in data["strong"]],
        "stuttering": data["stuttering"],
    }
    assert answers(renamed, *texts) == expected
    # An action that does the same beside each one, in the same sets.
    double = {
        **data,
        "edges": edges + [[a, f"{x}2", b] for a, x, b in edges],
        "weak": [[*s, *(f"{x}2" for x in s)] for s in data["weak"]],
        "strong": [[*s, *(f"{x}2" for x in s)] for s in data["strong"]],
    }
    assert answers(double, *texts) == expected
    # A label that is nowhere used, or holds nowhere and is asked for in vain.
    spare = {**data, "labels": {"spare": [], **data["labels"]}}
    assert answers(spare, *texts) == expected
    assert answers(spare, *(f"({t}) | F spare" for t in texts)) == expected
    assert answers(data, *(f"!!({t})" for t in texts)) == expected
    assert answers(data, *(f"({t}) | false" for t in texts)) == expected
