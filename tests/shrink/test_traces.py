"""Shrinking a trace: each stage, with the engine and without."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from explorer.configure import configure
from explorer.engines import Limits
from explorer.engines import run as check
from explorer.lang import ModelError
from explorer.lang.properties import properties_for
from explorer.lang.run import initial_states
from explorer.loading import Found, find_system
from explorer.shrink.designs import Change, blame
from explorer.shrink.run import Player, Run, parsed_steps
from explorer.shrink.scopes import below, order
from explorer.shrink.traces import Shrunk, Stage, Wishes, shrink_trace
from explorer.trace.again import replay
from explorer.trace.replay import build_trace
from explorer.trace.trace import Trace
from tests.shrink.models import Tanks

TANKS = Found("tests/shrink/models.py:Tanks", Tanks)
TURNS = "tests/cli/models/turns.py"
OPEN = {"valve": False, "float_switch": False, "drain": False, "watch": False}
WET = ["look()", "fill(cell=Cell2)", "fill(cell=Cell1)", *["look()", "fill(cell=Cell2)"] * 2]


def trace(
    steps: Sequence[str],
    name: str = "nothing_is_wet",
    design: Mapping[str, object] = OPEN,
    scope: Mapping[str, int] = {},
    found: Found = TANKS,
) -> Trace:
    system = configure(found, scope, None, design).system
    init = next(v for v, _ in initial_states(system))
    return build_trace(system, init, parsed_steps(system, steps), name).labelled(found.name, None)


def stage(shrunk: Shrunk, name: str) -> Stage:
    return next(s for s in shrunk.stages if s.name == name)


def confirmed(shrunk: Shrunk, found: Found = TANKS) -> bool:
    """Whether the trace is one where its file says."""
    after = shrunk.after
    system = configure(found, after.scope, after.preset, after.design).system
    replayed = replay(after, system)
    return replayed.confirmed and replayed.difference is None


def sets(shrunk: Shrunk) -> list[tuple[str, ...]]:
    assert shrunk.blamed is not None
    return [b.switches for b in shrunk.blamed]


def test_every_stage() -> None:
    shrunk = shrink_trace(trace(WET), TANKS)
    after = shrunk.after
    assert [s.action for s in after.steps] == ["fill"]
    assert (shrunk.before.length, shrunk.before_switches, shrunk.after_switches) == (7, 6, 0)
    assert dict(after.scope) == {"Cell": 1, "Level": 1}
    assert confirmed(shrunk)


def test_a_smaller_scope_may_cost_no_steps() -> None:
    # With one level a cell is full at the start: the same step leads to the fault at once.
    shrunk = shrink_trace(trace(["look()", *["fill(cell=Cell2)"] * 3]), TANKS)
    assert dict(shrunk.after.scope) == {"Cell": 1, "Level": 1} and shrunk.after.length == 1
    steps, scope = stage(shrunk, "steps"), stage(shrunk, "scope")
    assert (steps.before, steps.after, steps.exact) == (4, 3, True)
    assert scope.exact and "no smaller scope" in scope.note


def test_every_minimal_set() -> None:
    shrunk = shrink_trace(trace(WET), TANKS)
    assert sets(shrunk) == [("valve", "float_switch"), ("watch",)][::-1]
    assert shrunk.after.design == {"watch": False}
    design = stage(shrunk, "design")
    assert design.exact and design.before == list(OPEN) and design.after == ["watch"]


def test_no_switch_is_to_blame() -> None:
    witness = trace(["look()", "fill(cell=Cell2)", "fill(cell=Cell1)"], "two_are_half_full")
    shrunk = shrink_trace(witness, TANKS)
    assert sets(shrunk) == [()] and shrunk.after.design == {}
    assert dict(shrunk.after.scope) == {"Cell": 2, "Level": 2}
    assert "it is reached without any of them" in stage(shrunk, "design").note
    assert [dict(s.params) for s in shrunk.after.steps] == [{"cell": "Cell0"}, {"cell": "Cell1"}]


def test_switches_that_the_trace_leaves_alone() -> None:
    shrunk = shrink_trace(trace(WET, design={"watch": False}), TANKS, Wishes(others=2))
    assert sets(shrunk) == [("watch",), ("valve", "float_switch")]
    assert shrunk.after.design == {"watch": False}
    alone = shrink_trace(trace(WET, design={"watch": False}), TANKS, Wishes(others=1))
    assert sets(alone) == [("watch",)] and "sets of up to 1" in stage(alone, "design").note


def test_presets() -> None:
    def of(preset: str) -> Trace:
        system = configure(TANKS, {}, preset).system
        init = next(v for v, _ in initial_states(system))
        steps = parsed_steps(system, ["fill(cell=Cell0)"] * 3)
        return build_trace(system, init, steps, "nothing_is_wet").labelled(TANKS.name, preset)

    shrunk = shrink_trace(of("open"), TANKS)
    assert sets(shrunk) == [("watch",), ("valve", "float_switch")]
    assert shrunk.after.preset is None and shrunk.after.design == {"watch": False}
    mixed = shrink_trace(of("mixed"), TANKS)
    assert sets(mixed) == [("watch",)] and mixed.after.preset is None
    assert stage(mixed, "design").before == ["design mixed", "watch"]
    whole = shrink_trace(of("open"), TANKS, Wishes(keep_design=True))
    assert whole.after.preset == "open" and confirmed(whole) and confirmed(mixed)
    against = shrink_trace(of("open"), TANKS, Wishes(base="open"))
    assert against.blamed is None
    with pytest.raises(ModelError, match="has no preset shut"):
        shrink_trace(of("open"), TANKS, Wishes(base="shut"))


def test_what_is_kept() -> None:
    wishes = Wishes(keep_scope=True, keep_design=True)
    shrunk = shrink_trace(trace(WET), TANKS, wishes)
    assert dict(shrunk.after.scope) == {"Cell": 3, "Level": 3}
    assert shrunk.after.length == 3 and shrunk.after.design == OPEN
    assert [s.name for s in shrunk.stages] == ["steps", "switches"]


def test_without_a_search() -> None:
    shrunk = shrink_trace(trace(WET), TANKS, Wishes(replay_only=True))
    assert shrunk.after.length <= 3 and shrunk.after.scope["Cell"] == 1
    assert not any(s.exact for s in shrunk.stages if s.name != "names")
    assert sets(shrunk)[0] == ("watch",) and confirmed(shrunk)


def test_names_become_the_first_of_their_kind() -> None:
    wishes = Wishes(replay_only=True, keep_scope=True, keep_design=True)
    shrunk = shrink_trace(trace(["fill(cell=Cell2)"] * 3), TANKS, wishes)
    assert {s.params["cell"] for s in shrunk.after.steps} == {"Cell0"}


def test_a_limit_is_said() -> None:
    shrunk = shrink_trace(trace(WET), TANKS, Wishes(max_states=2))
    steps = stage(shrunk, "steps")
    assert not steps.exact and steps.open == "state limit" and "the best found" in steps.note
    assert confirmed(shrunk)
    # As far as the search came nothing shorter was found.
    some = shrink_trace(trace(["fill(cell=Cell0)"] * 3), TANKS, Wishes(max_states=60))
    assert stage(some, "steps").after == 3


def test_an_oracle() -> None:
    def wet(run: Run) -> bool:
        return any(run.states[-1].over.values())

    shrunk = shrink_trace(trace(WET), TANKS, Wishes(), wet)
    assert shrunk.after.length <= 3 and shrunk.after.scope["Cell"] == 1
    with pytest.raises(ModelError, match="the oracle is false of its run"):
        shrink_trace(trace(WET), TANKS, Wishes(), lambda run: False)


def test_runs_that_are_none() -> None:
    good = trace(WET)
    gone = replace(good, steps=(replace(good.steps[0], action="pour"), *good.steps[1:]))
    with pytest.raises(
        ModelError, match="the trace cannot be shrunk: step 1: .* has no action pour"
    ):
        shrink_trace(gone, TANKS)
    short = replace(good, steps=good.steps[:3])
    with pytest.raises(ModelError, match="nothing_is_wet does not fail in it"):
        shrink_trace(short, TANKS)
    with pytest.raises(ModelError, match="step 7 cannot be taken"):
        shrink_trace(replace(good, design={}), TANKS)
    with pytest.raises(ModelError, match="has no reachable called nothing_is_wet"):
        shrink_trace(replace(good, kind="reachable"), TANKS)
    witness = trace(["fill(cell=Cell2)", "fill(cell=Cell1)"], "two_are_half_full")
    with pytest.raises(ModelError, match="two_are_half_full is not reached in it"):
        shrink_trace(replace(witness, steps=witness.steps[:1]), TANKS)


def test_steps_after_the_fault_do_not_count() -> None:
    good = trace(WET)
    longer = replace(good, steps=(*good.steps, replace(good.steps[0], state=None)))
    assert shrink_trace(longer, TANKS).before.length == 7


def test_a_changed_model_is_said() -> None:
    shrunk = shrink_trace(replace(trace(WET), digest="sha256:0"), TANKS)
    assert shrunk.warnings == ("the model's source has changed since the trace was recorded",)


@pytest.mark.parametrize("design", [{}, {"patient": True}])
@pytest.mark.parametrize("replay_only", [False, True])
def test_runs_for_ever(design: dict[str, object], replay_only: bool) -> None:
    found = find_system(f"{TURNS}:Free")
    system = configure(found, {}, None, design).system
    result = check("exhaustive", system, properties_for(system), Limits())
    for item in result.properties:
        if item.kind != "temporal" or item.trace is None or item.trace.loop is None:
            continue
        given = _longer(item.trace)
        shrunk = shrink_trace(
            given.labelled(found.name, None), found, Wishes(replay_only=replay_only)
        )
        assert shrunk.after.length <= item.trace.length
        assert confirmed(shrunk, found)
        assert not stage(shrunk, "steps").exact


def _longer(trace: Trace) -> Trace:
    """The same run, with its cycle twice."""
    assert trace.loop is not None
    return replace(trace, steps=trace.steps + trace.steps[trace.loop :])


# Searches over sets and scopes


def changes(count: int) -> tuple[Change, ...]:
    return tuple(Change(chr(ord("a") + i), chr(ord("a") + i), False) for i in range(count))


def test_minimal_sets_are_all_minimal_sets() -> None:
    """Whatever fails, monotone or not: bit n says whether the set with number n does."""
    of = changes(4)
    number = {c: 1 << i for i, c in enumerate(of)}
    every = [s for k in range(5) for s in itertools.combinations(of, k)]
    for bits in range(0, 1 << 16, 97):
        failing = [s for s in every if bits >> sum(number[c] for c in s) & 1]
        wanted = [s for s in failing if not any(set(t) < set(s) for t in failing)]
        result = blame(of, lambda s, failing=failing: "fails" if s in failing else "holds")  # type: ignore[misc]
        assert list(result.minimal) == wanted and result.exact


def test_what_is_undecided_is_said() -> None:
    result = blame(changes(2), lambda s: "unknown" if len(s) == 1 else "holds")
    assert len(result.open) == 2 and not result.exact and result.minimal == ()
    cut = blame(changes(3), lambda s: "holds", over=lambda: True)
    assert cut.skipped and not cut.exact


def test_scopes_come_smallest_first() -> None:
    scope = {"A": 2, "B": 3, "C": 2}
    found = list(below(scope))
    every = [dict(zip("ABC", s, strict=True)) for s in itertools.product((1, 2), (1, 2, 3), (1, 2))]
    assert found == sorted((s for s in every if order(s) < order(scope)), key=order)
    assert next(below({"A": 10**6, "B": 10**6})) == {"A": 1, "B": 1}
    assert list(below({})) == []


def test_a_huge_scope_is_no_hang() -> None:
    shrunk = shrink_trace(trace(["fill(cell=Cell0)"] * 3), TANKS, Wishes(max_seconds=20))
    assert shrunk.after.scope["Cell"] == 1


def test_only_replays_count_steps() -> None:
    player = Player(Tanks(), 5)
    begun = player.start()
    assert begun is not None
    run = player.take(begun, parsed_steps(player.system, ["look()"] * 3))
    assert run is not None and player.left == 2
