"""What is said about small runs: the slice, the point of no return, the threads, the words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from explorer import interrupts
from explorer.explain import explanation as module
from explorer.explain.causes import PROPERTY
from explorer.explain.data import to_json
from explorer.explain.explanation import Explanation, explain
from explorer.explain.render import render
from explorer.lang import action
from explorer.lang.errors import ModelError
from explorer.lang.run import Instance, instances
from explorer.lang.system import System
from explorer.search.check import check
from explorer.trace.replay import build_trace
from explorer.trace.trace import Trace
from tests.explain.models import Numb, Polite, Shaky, Switching, Walking


def run(system: System[Any], text: str) -> list[Instance]:
    """``block go go`` as instances."""
    known = {i.text.split("(")[0]: i for i in reversed(instances(system))}
    return [known[word] for word in text.split()]


def explained(system: System[Any], text: str, name: str, **limits: Any) -> Explanation:
    return explain(build_trace(system, (), run(system, text), name), system, **limits)


def found(system: System[Any], name: str) -> Trace:
    result = check(system).find(name)
    assert result is not None and result.trace is not None
    return result.trace


def lines(explanation: Explanation, **options: Any) -> str:
    return "\n".join(render(explanation, **options))


def last(explanation: Explanation) -> list[tuple[str, int]]:
    assert explanation.fate is not None
    assert explanation.fate.undecided is None
    return [(t.assumption, t.last) for t in explanation.fate.turns]


# The slice


def test_what_nobody_reads_does_not_matter() -> None:
    found = explained(Walking(), "note block note go go note go fall", "nobody_falls").slice
    assert found is not None
    assert found.steps == (2, 4, 5, 7, 8)
    assert found.alone
    readers = {w.place: w.readers for n in found.steps for w in found.wrote[n]}
    assert readers == {"blocked": (8,), "at": (8,), "over": (PROPERTY,)}
    assert [w.readers for w in found.wrote[4]] == [(5,)]


def test_a_step_that_is_undone_does_not_matter_unless_it_is_read() -> None:
    found = explained(Walking(), "block clear block go go go fall", "nobody_falls").slice
    assert found is not None
    # `block` requires that the way is free, and the first three leave what the last of them alone does.
    assert found.steps == (1, 2, 3, 4, 5, 6, 7)
    assert found.alone


def test_a_property_of_steps_reads_both_states() -> None:
    found = explained(Walking(), "note block go go go fall", "one_step_at_a_time").slice
    assert found is not None
    assert found.steps == (2, 3, 4, 5, 6)
    assert found.alone


def test_a_failure_is_read_by_its_step() -> None:
    found = explained(Shaky(), "block note go go stumble", "panic:over_the_edge").slice
    assert found is not None
    assert found.steps == (1, 3, 4, 5)
    assert found.alone
    assert [w.readers for w in found.wrote[1]] == [(5,)]


def test_a_deadlock_is_what_disables_every_step() -> None:
    explanation = explained(Numb(), "note block go note go go note", "deadlock")
    assert explanation.slice is not None
    assert explanation.slice.steps == (1, 2, 3, 4, 5, 6, 7)
    assert last(explanation)[-1] == ("no thread stops", 4)
    who = threads(explanation)
    assert explanation.moment is not None and explanation.moment.after == 7
    assert not any(t.enabled for t in who.values())


def test_a_cycle_matters_as_a_whole() -> None:
    trace = found(Switching(), "it_is_lit_again_and_again")
    explanation = explain(trace, Switching())
    assert explanation.slice is not None
    assert explanation.slice.alone
    text = lines(explanation)
    assert "broken: False -> True" in text


# The point of no return


def test_without_fairness_any_thread_may_stop() -> None:
    explanation = explained(Walking(), "block go go go fall", "nobody_falls")
    # Under fairness of all threads RIGHT clears the way as long as it can: until LEFT is too far.
    assert last(explanation) == [("declared", 4), ("no thread stops", 2)]
    text = lines(explanation)
    assert "point of no return: step 3, LEFT: go()" in text
    assert "After it every such run violates it, sooner or later." in text
    assert "nothing is declared fair" in text
    marker, step = text.index("up to here it could be avoided"), text.index("  3. LEFT: go()")
    assert text.index("  2. LEFT: go()") < marker < step


def test_a_way_out_is_shown() -> None:
    explanation = explained(Walking(), "block go go go fall", "nobody_falls")
    assert explanation.fate is not None
    escape = explanation.fate.turns[-1].escape
    assert escape is not None
    assert escape.steps[0].text == "clear(more=False)"
    assert "A way out after step 2, replayed:\n    3. RIGHT: clear(more=False)" in lines(
        explanation
    )


def test_without_a_way_out_it_is_lost_at_once() -> None:
    system = Walking(design={"detour": False})
    explanation = explained(system, "block go go go fall", "nobody_falls")
    assert last(explanation) == [("declared", 4), ("no thread stops", 0)]
    assert "point of no return: step 1, RIGHT: block()" in lines(explanation)


def test_declared_fairness_decides_where_it_says_something() -> None:
    explanation = explained(Polite(), "block go go go fall", "nobody_falls")
    assert last(explanation) == [("declared", 2)]
    assert "in which the declared fairness is kept" in lines(explanation)


def test_failures_count_as_possible() -> None:
    explanation = explained(Shaky(), "block go go stumble", "panic:over_the_edge")
    # LEFT could go on instead, and fall; it need not stumble.
    assert last(explanation) == [("declared", 3), ("no thread stops", 3)]
    assert "Until this last step a run in which no thread stops could avoid it." in lines(
        explanation
    )


def test_soft_failures_have_a_point_of_no_return() -> None:
    system = Walking(design={"loud": True})
    explanation = explained(system, "block go go go fall", "soft_panic:a_noise")
    assert last(explanation) == [("declared", 4), ("no thread stops", 2)]


def test_a_temporal_property_may_be_lost_by_a_step() -> None:
    explanation = explain(found(Switching(), "it_is_lit_again_and_again"), Switching())
    assert last(explanation) == [("declared", 0)]
    text = lines(explanation)
    assert "point of no return: step 1, smash()" in text
    assert "Until this step a fair run could satisfy it. After it none does." in text


def test_what_cannot_be_satisfied_is_lost_at_the_start() -> None:
    explanation = explain(found(Switching(), "what_is_lit_stays_so_for_ever"), Switching())
    assert last(explanation) == [("declared", -1)]
    assert "No fair run satisfies it, whatever is done first." in lines(explanation)


def test_a_limit_leaves_it_open_and_says_between_which_steps() -> None:
    explanation = explained(Walking(), "block go go go fall", "nobody_falls", max_states=6)
    assert explanation.fate is not None
    assert explanation.fate.undecided == "state limit"
    assert not explanation.complete
    text = lines(explanation)
    assert "point of no return: not decided" in text
    assert "It is step " in text or "It is the initial state" in text
    assert "state limit (6 states); raise --max-states" in text


def test_a_limit_below_the_run_itself() -> None:
    explanation = explained(Walking(), "block go go go fall", "nobody_falls", max_states=3)
    assert "the run alone has more states than the limit allows" in lines(explanation)


def test_the_end_of_the_time_and_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    explanation = explained(Walking(), "block go go go fall", "nobody_falls", max_seconds=1e-9)
    assert "time limit; raise --max-seconds" in lines(explanation)
    monkeypatch.setattr(interrupts, "requested", lambda: interrupts.INTERRUPTED)
    explanation = explained(Walking(), "block go go go fall", "nobody_falls")
    assert explanation.fate is not None and explanation.fate.undecided == "interrupted"


def test_memory_may_not_suffice(monkeypatch: pytest.MonkeyPatch) -> None:
    def search(*_: Any, **__: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(module, "search", search)
    explanation = explained(Walking(), "block go go go fall", "nobody_falls")
    assert explanation.fate is not None and explanation.fate.undecided == "out of memory"


# The run


def test_the_first_violation_is_explained() -> None:
    explanation = explained(Walking(), "block go go go fall note", "nobody_falls")
    assert explanation.rerun.length == 5
    assert "note: it fails already after 5 steps of 6; that is explained" in lines(explanation)


def test_a_run_that_is_another_one_is_refused() -> None:
    trace = build_trace(Walking(), (), run(Walking(), "block go go go fall"), "nobody_falls")
    twice = replace(trace, steps=(trace.steps[0], *trace.steps))
    with pytest.raises(ModelError, match="at step 2, the step is disabled"):
        explain(twice, Walking())
    with pytest.raises(ModelError, match="nobody_falls does not fail at the end of the run"):
        explain(replace(trace, steps=trace.steps[:-1]), Walking())


def test_a_run_that_shows_something_else_is_refused() -> None:
    trace = build_trace(Walking(), (), run(Walking(), "block go go go fall note"), "nobody_falls")
    other = replace(trace, property_name="one_step_at_a_time", kind="step_invariant")
    with pytest.raises(
        ModelError, match="one_step_at_a_time fails after 5 steps, and not at the end"
    ):
        explain(other, Walking())
    witness = replace(trace, property_name="the_way_is_free_again", kind="reachable")
    with pytest.raises(ModelError, match="the_way_is_free_again is not reached at the end"):
        explain(witness, Walking())


def test_a_witness_has_a_slice() -> None:
    explanation = explained(Walking(), "note block go clear note", "the_way_is_free_again")
    assert explanation.slice is not None
    assert (explanation.slice.steps, explanation.rerun.length) == ((2, 3, 4), 4)
    assert explanation.fate is None and explanation.moment is None
    assert "these 3 steps alone are a run to it: replayed" in lines(explanation)


def test_an_action_cannot_be_called_describe() -> None:
    with pytest.raises(ModelError, match="an action cannot be called describe"):

        class Speaking(Walking):
            @action
            def describe(self, s: Any) -> None:  # type: ignore[override]
                """An action."""

        Speaking()


def test_a_model_that_cannot_be_compiled_is_explained_as_far_as_possible(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def lower(*_: Any) -> None:
        raise ModelError("too deep")

    monkeypatch.setattr(module, "lower", lower)
    explanation = explained(Walking(), "block go go go fall", "nobody_falls")
    assert not explanation.complete
    text = lines(explanation)
    assert "the steps (which of them matter is not known: too deep)" in text
    assert "  5. LEFT: fall()\n       over: False -> True" in text
    assert "who was about to do what" in text
    assert "point of no return" not in text


# Threads and words


def threads(explanation: Explanation) -> dict[str | None, Any]:
    assert explanation.moment is not None
    return {t.name: t for t in explanation.moment.threads}


def test_who_could_do_what_before_the_last_step() -> None:
    explanation = explained(Walking(), "block go go go fall", "nobody_falls")
    who = threads(explanation)
    assert list(who) == ["LEFT", "RIGHT", None]
    assert who["LEFT"].took.text == "fall()"
    assert [e.instance.text for e in who[None].enabled] == ["note()"]
    assert not who["RIGHT"].enabled
    needs = {w.instance.text: w.obstacle for w in who["RIGHT"].waiting}
    assert needs["block()"].text == "not s.blocked"
    assert needs["block()"].reads == (("s.blocked", "True"),)
    assert needs["clear(more=False)"].text == "s.at < 2"
    assert needs["clear(more=False)"].reads == (("s.at", "3"),)
    text = lines(explanation)
    assert "  LEFT: takes step 5, fall()" in text
    assert "  RIGHT: can do nothing" in text
    assert "       clear(more=False) needs s.at < 2 (s.at = 3, " in text


def test_a_step_that_would_fail_says_in_what() -> None:
    explanation = explained(Shaky(), "block go go stumble", "panic:over_the_edge")
    assert threads(explanation)["LEFT"].enabled[-1].ends == "panic:over_the_edge"


def test_full_shows_what_is_left_out() -> None:
    explanation = explained(Walking(), "note block go go go fall", "nobody_falls")
    assert "(1 step that does not matter)" in lines(explanation)
    text = lines(explanation, full=True)
    assert "  1. note()  (does not matter)" in text
    assert "       noted: 1" in text
    assert "LEFT: cannot" in text


def test_steps_and_states_in_words() -> None:
    explanation = explained(Walking(), "block clear block go go go fall", "nobody_falls")
    text = lines(explanation)
    assert "       Takes a step\n" in text
    assert "       = at 1, blocked" in text
    assert "Clears the way, and False is {more} or {nothing} of it" in text
    assert "warning: the description of clear speaks of {nothing}, which is no parameter" in text


@pytest.mark.parametrize(
    ("describe", "complaint"),
    [
        (lambda self, s: 1 // s.at, "Walking.describe raises ZeroDivisionError"),
        (lambda self, s: 7, "Walking.describe returns int, not str"),
        (lambda self: "", "Walking.describe raises TypeError"),
        (lambda self, s: str(s.nothing), "Walking.describe"),
    ],
)
def test_a_rendering_that_fails_spoils_nothing(
    monkeypatch: pytest.MonkeyPatch, describe: Any, complaint: str
) -> None:
    monkeypatch.setattr(Walking, "describe", describe)
    explanation = explained(Walking(), "block go go go fall", "nobody_falls")
    text = lines(explanation)
    assert f"warning: {complaint}" in text
    assert text.count(f"warning: {complaint}") == 1
    assert last(explanation)[-1][1] == 2


def test_a_rendering_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def describe(self: Walking, s: Any) -> str:
        s.at = 0
        return "x" * 500

    monkeypatch.setattr(Walking, "describe", describe)
    explanation = explained(Walking(), "block go go go fall", "nobody_falls")
    text = lines(explanation)
    assert f"= {'x' * 197}..." in text
    assert lines(explanation) == text


# JSON


def test_json_says_the_same() -> None:
    data: Any = to_json(explained(Walking(), "note block go go go fall", "nobody_falls"))
    assert data["schema"] == "slotcheck.explanation/1"
    assert data["slice"] == {"steps": [2, 3, 4, 5, 6], "alone": True, "problem": None}
    assert [a["step"] for a in data["point_of_no_return"]["answers"]] == [6, 4]
    assert data["point_of_no_return"]["answers"][1]["way_out"]["steps"][0]["action"] == "clear"
    assert data["steps"][0]["matters"] is False
    assert data["steps"][2]["words"] == "Takes a step"
    assert data["blame"]["text"] == "s.over"
    assert [t["thread"] for t in data["threads"]["threads"]] == ["LEFT", "RIGHT", None]
