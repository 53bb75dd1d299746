"""Reading documents: every mistake in a block is an error at its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.claims.claim import BreaksWithout, HoldsWithout, read_document
from explorer.lang.errors import ModelError


def document(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "room.md"
    path.write_text(text, encoding="utf-8")
    return path


def block(text: str) -> str:
    return f"# Rooms\n\nA claim:\n\n```slotcheck\n{text.strip()}\n```\n"


FULL = """
claim = "R.1"
system = "door.py:Door"
scope = { Person = 2 }
set = { carpet = false }
design = "ajar"
holds = ["at_most_one_is_inside"]
reaches = ["somebody_is_inside"]
script = "steps.run"
expect = "verified"
slow = true

[[breaks_without]]
off = ["guard"]
violates = ["at_most_one_is_inside"]

[[holds_without]]
off = ["exit"]
behind = "nothing"
"""


def test_a_block_is_read_whole(tmp_path: Path) -> None:
    [claim] = read_document(document(tmp_path, block(FULL)), "shown.md")
    assert (claim.document, claim.line, claim.id) == ("shown.md", 5, "R.1")
    assert (claim.system, claim.scope, claim.switches) == (
        "door.py:Door",
        {"Person": 2},
        {"carpet": False},
    )
    assert (claim.design, claim.expect) == ("ajar", "verified")
    assert (claim.holds, claim.reaches) == (("at_most_one_is_inside",), ("somebody_is_inside",))
    assert claim.script == tmp_path / "steps.run"
    assert claim.breaks == (BreaksWithout(("guard",), ("at_most_one_is_inside",)),)
    assert claim.second_lines == (HoldsWithout(("exit",), "nothing"),)
    assert claim.slow


def test_other_fences_are_text(tmp_path: Path) -> None:
    text = block(FULL) + "```python\nprint()\n```\n\n    ```slotcheck\n    indented\n    ```\n"
    assert len(read_document(document(tmp_path, text))) == 1


def test_blocks_inside_lists_count(tmp_path: Path) -> None:
    inner = "\n".join("  " + line for line in block('claim = "L"\nnot_modelled = "x"').splitlines())
    [claim] = read_document(document(tmp_path, "* item\n\n" + inner))
    assert (claim.id, claim.not_modelled, claim.line) == ("L", "x", 7)


@pytest.mark.parametrize("text", ["", "# Words only\n", "```python\nclaim = 1\n```\n"])
def test_a_document_without_claims_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ModelError, match="no ```slotcheck block"):
        read_document(document(tmp_path, text))


@pytest.mark.parametrize("name", ["slotchek", "Slotcheck", "slot-check"])
def test_a_fence_that_is_nearly_one_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ModelError, match="is not checked"):
        read_document(document(tmp_path, block(FULL) + f"\n```{name}\nclaim = 1\n```\n"))


@pytest.mark.parametrize(
    ("change", "line", "message"),
    [
        (("claim =", "claim"), 6, "not TOML"),
        (('claim = "R.1"\n', ""), 5, "no claim"),
        (('"R.1"', '""'), 6, "claim is not a text"),
        (('system = "door.py:Door"\n', ""), 5, "no system"),
        (("holds =", "hold ="), 11, "did you mean holds"),
        (("breaks_without", "breaks_wihout"), 17, "did you mean breaks_without"),
        (("off = [", "of = ["), 18, "did you mean off"),
        (("behind =", "behin ="), 23, "did you mean behind"),
        (('behind = "nothing"', ""), 21, "does not say behind what"),
        (('violates = ["at_most_one_is_inside"]', ""), 17, "has no violates"),
        (('"verified"', '"true"'), 14, "expect is"),
        (("Person = 2", 'Person = "2"'), 8, "size of Person"),
        (("slow = true", 'slow = "yes"'), 15, "slow is not true"),
        (("slow = true", "slow = false"), 15, "slow is not true"),
        (("scope = { Person = 2 }", "scope = 3"), 8, "scope is not a table"),
        (("carpet = false", "carpet = [1]"), 9, "not the value of a switch"),
        (('holds = ["at_most_one_is_inside"]', 'holds = "x"'), 11, "holds is not a list"),
        (('holds = ["at_most_one_is_inside"]', "holds = []"), 11, "holds is empty"),
        (('["somebody_is_inside"]', '["a", "a"]'), 12, "names a twice"),
        (("[[holds_without]]", "[holds_without]"), 21, "not a list of tables"),
        (("expect =", "not_modelled ="), 7, "no key 'system'"),
    ],
)
def test_a_mistake_in_a_block_is_placed(
    tmp_path: Path, change: tuple[str, str], line: int, message: str
) -> None:
    assert change[0] in FULL
    with pytest.raises(ModelError) as caught:
        read_document(document(tmp_path, block(FULL.replace(*change, 1))))
    error = caught.value
    assert message in error.render()
    assert error.where is not None and error.where.line == line
    assert error.where.file == str(tmp_path / "room.md")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('claim = "A"\nsystem = "x"', "states nothing"),
        (
            'claim = "A"\nsystem = "x"\nviolates = ["p"]\n[[holds_without]]\noff=["a"]\nbehind="b"',
            "what holds",
        ),
        (
            'claim = "A"\nsystem = "x"\nholds = ["p"]\nviolates = ["p"]',
            "to hold and to be violated",
        ),
        ('claim = "A"\nsystem = "x"\nviolates = ["p"]\nexpect = "refuted"', "something that it"),
    ],
)
def test_a_claim_that_checks_nothing_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        read_document(document(tmp_path, block(text)))


def test_an_id_is_used_once(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="made twice, first at line 5"):
        read_document(document(tmp_path, block(FULL) + block(FULL)))


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no file"):
        read_document(tmp_path / "missing.md")
    with pytest.raises(ModelError, match="directory"):
        read_document(tmp_path)
    (tmp_path / "binary.md").write_bytes(b"\n\xff\n")
    with pytest.raises(ModelError, match="line 2 is not UTF-8"):
        read_document(tmp_path / "binary.md")
