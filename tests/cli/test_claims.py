"""``slotcheck claims`` and plain ``slotcheck`` from the outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explorer import loading
from explorer.cli import execute
from explorer.command.output import Output

DOOR = Path("tests/cli/models/door.py").resolve()


def claim(name: str, text: str) -> str:
    return f'```slotcheck\nclaim = "{name}"\nsystem = "{DOOR}:Door"\n{text}\n```\n\n'


GOOD = claim(
    "ROOM.1",
    'holds = ["at_most_one_is_inside"]\nreaches = ["somebody_is_inside"]\n'
    '[[breaks_without]]\noff = ["lock", "guard"]\nviolates = ["at_most_one_is_inside"]',
)
WRONG = claim("ROOM.2", 'design = "open"\nholds = ["at_most_one_is_inside"]')
HOLE = claim("ROOM.3", 'design = "open"\nholds = ["at_most_one_is_inside"]\nexpect = "refuted"')
OPEN = claim("ROOM.4", 'holds = ["at_most_one_is_inside"]').replace(":Door", ":Logged")
WORDS = '```slotcheck\nclaim = "ROOM.5"\nnot_modelled = "a carpet"\n```\n'


def document(tmp_path: Path, *claims: str, name: str = "room.md") -> str:
    path = tmp_path / name
    path.write_text("# Rooms\n\n" + "".join(claims))
    return str(path)


@pytest.mark.parametrize(
    ("claims", "code"),
    [
        ((GOOD,), 0),
        ((HOLE,), 0),
        ((WORDS,), 0),
        ((WRONG,), 1),
        ((OPEN,), 3),
        ((GOOD, HOLE, WORDS), 0),
        ((GOOD, OPEN, WORDS), 3),
        ((GOOD, OPEN, WRONG), 1),
    ],
)
def test_the_exit_code_is_the_worst(tmp_path: Path, claims: tuple[str, ...], code: int) -> None:
    assert execute(["claims", document(tmp_path, *claims)]) == code


def test_one_row_per_claim(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    execute(["claims", document(tmp_path, GOOD, HOLE, WORDS)])
    lines = " ".join(capsys.readouterr().out.split())
    assert (
        "room.md:3 ROOM.1 verified; 3 states, depth 0, Person=2 visits=1; "
        "without lock and guard: 1 step" in lines
    )
    assert (
        "room.md:13 ROOM.3 refuted, as stated; 4 states, depth 1, Person=2 visits=1; "
        "at_most_one_is_inside: 1 step" in lines
    )
    assert "ROOM.5 not modelled; a carpet" in lines
    assert lines.endswith("OK: 3 claims as stated")


SLOW = HOLE.replace('expect = "refuted"', "slow = true").replace("ROOM.3", "ROOM.6")


def test_slow_claims_are_left_out_and_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = document(tmp_path, WORDS, SLOW)
    assert execute(["claims", path, "--json", "-"]) == 0
    captured = capsys.readouterr()
    assert captured.err.endswith(
        "OK: 1 claim as stated\n1 slow claim is left out: --all verifies it, too\n"
    )
    assert "ROOM.6" not in captured.err
    data = json.loads(captured.out)
    assert [c["claim"] for c in data["claims"]] == ["ROOM.5"]
    [left_out] = data["left_out"]
    assert left_out == {
        "claim": "ROOM.6",
        "document": path,
        "line": 7,
        "expect": "verified",
        "system": f"{DOOR}:Door",
    }


def test_all_verifies_slow_claims(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = document(tmp_path, GOOD, SLOW)
    assert execute(["claims", "--all", path, "--json", "-"]) == 1
    captured = capsys.readouterr()
    assert "NOT AS STATED: ROOM.6 (of 2 claims)" in captured.err
    assert "left out" not in captured.err
    assert json.loads(captured.out)["left_out"] == []


def test_names_in_slow_claims_are_looked_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = document(tmp_path, GOOD, SLOW.replace("at_most_one", "at_most_two"))
    assert execute(["claims", path]) == 2
    assert "no property at_most_two_is_inside" in capsys.readouterr().err


def test_where_everything_is_slow_nothing_is_decided(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = document(tmp_path, SLOW, SLOW.replace("ROOM.6", "ROOM.7"))
    assert execute(["claims", path]) == 3
    assert capsys.readouterr().out.endswith(
        "NOTHING VERIFIED: every claim is slow\n2 slow claims are left out: --all verifies them, too\n"
    )


def test_a_mismatch_is_shown_with_its_trace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = document(tmp_path, WRONG)
    assert execute(["claims", path]) == 1
    out = capsys.readouterr().out
    assert f"ROOM.2 ({path}:3): refuted, expected verified" in out
    assert "1. Person1: enter(person=Person1)" in out
    assert "for: p = Person0, q = Person1" in out
    assert out.endswith("NOT AS STATED: ROOM.2 (of 1 claim)\n")


def test_narrow_rows_wrap(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    execute(["claims", document(tmp_path, GOOD)])
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 40


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = document(tmp_path, GOOD, WRONG)
    assert execute(["claims", path, "--json", "-"]) == 1
    captured = capsys.readouterr()
    data = json.loads(captured.out)
    assert data["schema"] == "slotcheck.claims/1"
    assert [(c["claim"], c["verdict"], c["document"]) for c in data["claims"]] == [
        ("ROOM.1", "verified", path),
        ("ROOM.2", "refuted", path),
    ]
    assert "NOT AS STATED" in captured.err


def test_wrong_documents_are_all_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = document(tmp_path, claim("A", "hold = []"), name="a.md")
    second = document(
        tmp_path,
        WRONG,
        claim("B", 'holds = ["nobody"]'),
        claim("C", 'holds = ["deadlock"]\nset = { lok = true }'),
        name="b.md",
    )
    # What is wrong with the input outweighs a violation, and nothing is verified.
    assert execute(["claims", first, second, str(tmp_path / "gone.md")]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    for part in ("a.md:6", "did you mean holds", "no property nobody", "did you mean lock", "gone"):
        assert part in captured.err


def test_a_failure_that_cannot_occur_is_wrong_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = document(tmp_path, claim("A", 'holds = ["panic:somebody_is_inside"]'))
    assert execute(["claims", path]) == 2
    assert "did you mean panic:somebody_was_inside" in capsys.readouterr().err


def test_a_command_without_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["claims"]) == 2
    assert "Missing argument" in capsys.readouterr().err


def test_plain_slotcheck_verifies_bundled_documents(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(document(tmp_path, GOOD))
    monkeypatch.setattr("explorer.command.claims.bundled_documents", lambda: [path])
    assert execute([]) == 0
    assert "OK: 1 claim as stated" in capsys.readouterr().out
    assert execute(["--json", "-"]) == 0
    [found] = json.loads(capsys.readouterr().out)["claims"]
    assert found["document"] == "room.md"
    assert execute(["--json", str(tmp_path / "out.json")]) == 0
    assert json.loads((tmp_path / "out.json").read_text())["claims"] == [found]


def test_plain_slotcheck_takes_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(document(tmp_path, GOOD, SLOW))
    monkeypatch.setattr("explorer.command.claims.bundled_documents", lambda: [path])
    assert execute([]) == 0
    assert "1 slow claim is left out" in capsys.readouterr().out
    assert execute(["--all"]) == 1
    assert "of 2 claims" in capsys.readouterr().out
    assert execute(["--all", "list"]) == 2
    assert "--all comes after the subcommand" in capsys.readouterr().err


def test_no_documents_are_no_pass(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "_entries", lambda group: [])
    assert execute([]) == 2
    assert "no checked design documents" in capsys.readouterr().err


def test_a_terminal_gets_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Output, "terminal", True)
    monkeypatch.setenv("COLUMNS", "120")
    named = WRONG.replace("ROOM.2", "ROOM.[2]")
    assert execute(["claims", document(tmp_path, GOOD, named, WORDS)]) == 1
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == "where claim verdict covered counterexamples"
    assert "ROOM.[2]" in "".join(lines[1:4]) and "without lock and guard: 1 step" in lines[1]
