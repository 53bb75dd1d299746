"""Labelled graphs from the outside: verdicts, traces, the result's JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explorer.cli import execute
from tests.graphs.running import EXAMPLE, answer, graph, verdict


def test_the_example_of_the_documentation(tmp_path: Path) -> None:
    code, result = answer(tmp_path, EXAMPLE, "G F p")
    assert (code, result["schema"], result["complete"]) == (0, "slotcheck.result/1", True)
    assert (result["states"], result["transitions"], result["depth"]) == (2, 2, 1)
    assert result["actions"] == {"step": {"enabled": 2, "taken": 2}}
    assert result["properties"] == [
        {"name": "G F p", "kind": "temporal", "verdict": "holds", "length": None, "trace": None}
    ]


def test_several_formulas(tmp_path: Path) -> None:
    code, result = answer(tmp_path, EXAMPLE, "G F p", "F G p", "G F p", "X p")
    assert code == 1
    assert [(p["name"], p["verdict"]) for p in result["properties"]] == [
        ("G F p", "holds"),
        ("F G p", "violated"),
        ("X p", "holds"),
    ]


def test_a_lasso_names_states_and_where_it_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = graph("a in b", "b turn c", "c turn b", "c leave d", p="d", weak=("in",))
    path = tmp_path / "graph.json"
    path.write_text(json.dumps(data))
    assert execute(["check", str(path), "--ltl", "F p"]) == 1
    text = capsys.readouterr().out
    assert "  0. init(state=a)\n  1. in()\n       state: a -> b\n" in text
    assert "  3. turn()\n       state: c -> b\n     and goes on with step 2, for ever\n" in text
    assert "F p is violated by a run of 3 steps that repeats its last 2" in text
    assert "F p is owed" in text
    assert "  weak in: disabled after step 1, in b" in text
    assert "FAILED: F p" in text


def test_the_trace_as_json(tmp_path: Path) -> None:
    data = graph("a in b", "b turn b", p="a")
    _, result = answer(tmp_path, data, "G F p")
    (item,) = result["properties"]
    trace = item["trace"]
    assert (item["length"], trace["loop"], trace["kind"]) == (2, 1, "temporal")
    assert trace["initial"] == {"state": "a"}
    assert [(s["action"], s["state"]) for s in trace["steps"]] == [
        ("in", {"state": "b"}),
        ("turn", {"state": "b"}),
    ]


def test_trace_files(tmp_path: Path) -> None:
    code, result = answer(
        tmp_path, EXAMPLE, "F G p", options=("--trace-dir", str(tmp_path / "traces"))
    )
    assert code == 1
    written = json.loads(Path(result["properties"][0]["trace"]).read_text())
    assert (written["property"], written["loop"]) == ("F G p", 0)


def test_what_ends_a_run(tmp_path: Path) -> None:
    # Neither a step to itself nor a stop is there unless the file says so.
    line = ("a go b", "b go c")
    assert verdict(tmp_path, graph(*line, p="c"), "F G p") == ("holds", None)
    assert verdict(tmp_path, graph(*line, p="c", stuttering=True), "F p") == ("violated", 0)
    assert (
        verdict(tmp_path, graph(*line, p="c", stuttering=True, weak=("go",)), "F G p")[0] == "holds"
    )
    # A set that is enabled where the run would stop forbids the stop, strong or weak.
    assert (
        verdict(tmp_path, graph(*line, p="c", stuttering=True, strong=("go",)), "F G p")[0]
        == "holds"
    )


def test_stuttering_is_allowed_unless_the_file_says_otherwise(tmp_path: Path) -> None:
    data = graph("a go b", p="b")
    del data["stuttering"]
    assert verdict(tmp_path, data, "F p") == ("violated", 0)


def test_every_initial_state_counts(tmp_path: Path) -> None:
    data = graph("a go b", "b go a", "c go c", initial="a c", p="a b")
    assert verdict(tmp_path, data, "G p") == ("violated", 1)


def test_states_without_a_run_to_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = graph("a go a", "x go y", p="x", q="a")
    assert verdict(tmp_path, data, "G !p")[0] == "holds"
    assert "no run reaches x, y" in capsys.readouterr().err
    _, result = answer(tmp_path, data, "G (p -> F q)")
    assert result["states"] == 1
    assert any("never happens" in w for w in result["warnings"])


def test_names_that_nothing_else_mentions_are_doubted(tmp_path: Path) -> None:
    data = graph("alpha step beta", initial="alpha", weak=("stop",), p="betta")
    _, result = answer(tmp_path, data, "F p")
    assert result["warnings"] == [
        'weak[0] names the action "stop", which no edge has: did you mean "step"?',
        'labels["p"] names the state "betta", which no edge has: did you mean "beta"?',
    ]


def test_an_initial_state_without_edges_is_doubted(tmp_path: Path) -> None:
    _, result = answer(tmp_path, graph("b step b", p="b"), "G p")
    assert result["warnings"] == ['initial names the state "a", which no edge has']


def test_fairness_may_force_a_run_to_its_end(tmp_path: Path) -> None:
    data = graph("x one y", "x two x", initial="x", strong=("one",), weak=("two",), p="x")
    assert verdict(tmp_path, data, "F !p")[0] == "holds"
    _, result = answer(tmp_path, data, "F !p")
    assert not result["warnings"]


def test_that_fairness_is_not_needed_is_noted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verdict(tmp_path, EXAMPLE, "G F p")[0] == "holds"
    assert "note: G F p holds without any fairness" in capsys.readouterr().err


def test_first_stops_at_the_first_violation(tmp_path: Path) -> None:
    code, result = answer(tmp_path, EXAMPLE, "G F p", "F G p", "X X p", options=("--first",))
    assert code == 1
    assert [p["verdict"] for p in result["properties"]] == ["holds", "violated", "unknown"]


def test_a_limit_on_states_leaves_open_what_it_cuts(tmp_path: Path) -> None:
    data = graph("a go b", "b go b", "b on c", "c go c", p="a b", q="a")
    code, result = answer(tmp_path, data, "G p", options=("--max-states", "2"))
    assert (code, result["complete"], result["states"]) == (3, False, 2)
    assert result["properties"][0]["verdict"] == "unknown"
    assert result["warnings"] == ["incomplete: state limit"]
    # What was found is found; that on is enabled in b is known, although not where it leads.
    code, result = answer(tmp_path, data, "G F q", options=("--max-states", "2"))
    assert (code, result["properties"][0]["verdict"]) == (1, "violated")
    code, result = answer(
        tmp_path, {**data, "weak": [["on"]]}, "G F q", options=("--max-states", "2")
    )
    assert (code, result["properties"][0]["verdict"]) == (3, "unknown")


def test_more_than_64_sets_and_labels(tmp_path: Path) -> None:
    count = 150
    edges = [f"s{i} a{i} s{(i + 1) % count}" for i in range(count)]
    weak = tuple(f"a{i}" for i in range(count))
    ring = graph(*edges, "s0 stay s0", initial="s0", weak=weak)
    ring["labels"] = {f"p{i}": [f"s{i}"] for i in range(count)}
    for formula in ("G F p149", "G F p0", "G (p149 -> X p0)"):
        assert verdict(tmp_path, ring, formula)[0] == "holds"
    assert verdict(tmp_path, ring, "F G !p149") == ("violated", count)
    assert verdict(tmp_path, {**ring, "weak": []}, "F p149") == ("violated", 1)


def test_a_formula_that_is_too_large_takes_no_other_verdict_with_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    labels = {"p": ["b"], **{f"p{i}": ["b"] for i in range(9)}}
    large = "!(" + " & ".join(f"F (p{i} & X p{i + 1})" for i in range(8)) + ")"
    code, result = answer(tmp_path, {**EXAMPLE, "labels": labels}, "F G p", large, "G F p")
    assert (code, result["complete"]) == (2, False)
    assert [p["verdict"] for p in result["properties"]] == ["violated", "unknown", "holds"]
    assert "the formula needs an automaton" in capsys.readouterr().err


@pytest.mark.parametrize("operator", ["p & ", "p | ", "X ", "! ", "F X ", "p U ", "G ! "])
def test_long_formulas_are_refused_and_not_run_into(
    operator: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "graph.json"
    path.write_text(json.dumps(EXAMPLE))
    assert execute(["check", str(path), "--ltl", operator * 600 + "p"]) == 2
    assert "the formula is nested more than 200 deep" in capsys.readouterr().err
    assert execute(["check", str(path), "--ltl", operator * 90 + "p"]) in (0, 1, 2)
    assert "internal error" not in capsys.readouterr().err


@pytest.mark.parametrize("count", [64, 65, 70, 130])
def test_formulas_with_many_atoms(count: int, tmp_path: Path) -> None:
    """A ring in which each state has a label of its own."""
    edges = (f"s{i} step s{(i + 1) % count}" for i in range(count))
    labels = {f"p{i}": f"s{i}" for i in range(count)}
    ring = graph(*edges, initial="s0", weak=("step",))
    ring["labels"] = {name: [state] for name, state in labels.items()}
    every = " | ".join(labels)
    last = f"p{count - 1}"
    assert verdict(tmp_path, ring, f"G !({every})") == ("violated", count)
    assert verdict(tmp_path, ring, f"G ({every})")[0] == "holds"
    assert verdict(tmp_path, ring, f"F ({every})")[0] == "holds"
    assert verdict(tmp_path, ring, f"G ({every.removesuffix(f' | {last}')})")[0] == "violated"
    assert verdict(tmp_path, ring, f"G ({last} -> !({every}))")[0] == "violated"
    assert verdict(tmp_path, ring, f"F G !({every})")[0] == "violated"
