"""What is wrong with a file is said with the place, and what to write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from explorer.cli import execute
from tests.graphs.running import EXAMPLE

MISSING = object()


@pytest.mark.parametrize(
    ("changes", "message", "hint"),
    [
        ({"initial": MISSING}, '"initial" is missing', "write {"),
        ({"edges": MISSING}, '"edges" is missing', "write {"),
        ({"initial": []}, "initial is empty: there is no run", 'write "initial": ["a"]'),
        ({"initial": "a"}, 'initial is "a", no list', "[...]"),
        ({"initial": [1]}, "initial has 1, which is no name", 'text: "a"'),
        ({"edges": [["a", "b"]]}, 'edges[0] is ["a", "b"]', '["from", "action", "to"]'),
        ({"edges": [["a", "s", "b"], ["a", 1, "b"]]}, "edges[1] has 1, which is no name", ""),
        ({"edges": {"a": "b"}}, 'edges is {"a": "b"}, no list', ""),
        ({"labels": ["p"]}, 'labels is ["p"]', '"labels": {"p": ["a", "b"]}'),
        ({"labels": {"p": "a"}}, 'labels["p"] is "a", no list', ""),
        ({"weak": ["step"]}, 'weak[0] is "step", no list', ""),
        ({"strong": None}, "strong is null, no list", "[...]"),
        ({"stuttering": "no"}, 'stuttering is "no"', "write true or false"),
        ({"week": []}, 'there is no key "week" in a graph', "did you mean 'weak'?"),
        ({"x": 1}, 'there is no key "x" in a graph', "there is states, initial, edges"),
        ({"states": ["a", "b"], "initial": ["c"]}, 'initial names the state "c"', ""),
        (
            {"states": ["alpha", "a", "b"], "labels": {"p": ["alfa"]}},
            'labels["p"] names the state "alfa", which is not among the states',
            'did you mean "alpha"?',
        ),
    ],
)
def test_a_wrong_graph(
    changes: dict[str, Any],
    message: str,
    hint: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    data = {k: v for k, v in {**EXAMPLE, **changes}.items() if v is not MISSING}
    path = tmp_path / "g.json"
    path.write_text(json.dumps(data))
    assert execute(["check", str(path), "--ltl", "G F p"]) == 2
    text = capsys.readouterr().err
    assert f"{path}: {message}" in text
    assert hint in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "this is no JSON"),
        ('{"initial": ["a"],\n "edges": [,]}', "g.json:2:"),
        ('{"initial": ["a"], "initial": ["b"], "edges": []}', 'the key "initial" is there twice'),
        ('["a"]', 'a graph is an object, not ["a"]'),
        ("[" * 100_000, "cannot be read"),
        ("1" * 10_000, "cannot be read"),
        ('{"initial": ["a"], "edges": [], "labels": {"p": NaN}}', 'labels["p"] is NaN'),
    ],
)
def test_text_that_is_no_graph(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "g.json"
    path.write_text(text)
    assert execute(["check", str(path), "--ltl", "G F p"]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        ((), "no formula is given", "--ltl"),
        (("--ltl", "G F pp"), "names pp, which is no label", "did you mean p?"),
        (("--ltl", "G F zzz"), "names zzz, which is no label", "there is p"),
        (("--ltl", "G (p"), "this bracket is not closed", ""),
        (("--ltl", ""), "the formula is empty", ""),
        (("--ltl", "G p", "--scope", "N=2"), "a labelled graph has no --scope", ""),
        (("--ltl", "G p", "--set", "x=1"), "a labelled graph has no --set", ""),
        (("--ltl", "G p", "--design", "x"), "a labelled graph has no --design", ""),
        (("--ltl", "G p", "--property", "x"), "a labelled graph has no --property", ""),
        (("--ltl", "G p", "--engine", "bmc"), "a labelled graph has no --engine", ""),
        (("--ltl", "G p", "--max-memory", "1G"), "a labelled graph has no --max-memory", ""),
    ],
)
def test_wrong_arguments(
    arguments: tuple[str, ...],
    message: str,
    hint: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "g.json"
    path.write_text(json.dumps(EXAMPLE))
    assert execute(["check", str(path), *arguments]) == 2
    text = capsys.readouterr().err
    assert message in text
    assert hint in text


def test_a_formula_that_is_too_large(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = {f"a{i}": ["a"] for i in range(9)}
    path = tmp_path / "g.json"
    path.write_text(json.dumps({**EXAMPLE, "labels": labels}))
    formula = " | ".join(f"G F {name}" for name in labels)
    assert execute(["check", str(path), "--ltl", f"G F a0 & ({formula})"]) == 2
    text = capsys.readouterr().err
    assert f"G F a0 & ({formula}): the formula needs an automaton of" in text
    assert "hint: state its conjuncts" in text
    # A dozen assumptions about what comes again and again are no problem.
    several = " & ".join(f"G F {name}" for name in labels)
    assert execute(["check", str(path), "--ltl", f"({several}) -> G F a0"]) == 0


def test_files_that_are_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["check", str(tmp_path / "none.json"), "--ltl", "G p"]) == 2
    assert "there is no file" in capsys.readouterr().err
    assert execute(["check", str(tmp_path), "--ltl", "G p"]) == 2


def test_formulas_are_for_graphs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["check", "tests/cli/models/door.py:Door", "--ltl", "G p"]) == 2
    assert "--ltl is for labelled graphs" in capsys.readouterr().err
    assert execute(["list", "graph.json"]) == 2
    assert "is a labelled graph, not a system" in capsys.readouterr().err


def test_a_graph_may_have_any_file_name(tmp_path: Path) -> None:
    path = tmp_path / "graph.txt"
    path.write_text(json.dumps(EXAMPLE))
    assert execute(["check", str(path), "--ltl", "G F p"]) == 0


def test_an_edge_or_a_set_given_twice_counts_once(tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    twice = {**EXAMPLE, "edges": EXAMPLE["edges"] * 2, "weak": [["step"], ["step", "step"], []]}
    path.write_text(json.dumps({**twice, "initial": ["a", "a"]}))
    assert execute(["check", str(path), "--ltl", "G F p"]) == 0
