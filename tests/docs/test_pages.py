"""What the README and the pages in docs/ show comes out: their files are written, their commands run, their output compared."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.docs.document import ROOT, Command, agrees, blocks, commands, play

PAGES = [
    page
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    if "\n```console\n" in page.read_text()
]

# Files that are shown because they are wrong.
WRONG = {"order.py"}


@dataclass(frozen=True)
class Played:
    """A page, the directory in which it was gone through, and its commands."""

    page: Path
    directory: Path
    commands: list[Command]


@pytest.fixture(scope="module", params=PAGES, ids=lambda page: page.stem)
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Played:
    page: Path = request.param
    directory = tmp_path_factory.mktemp(page.stem)
    return Played(page, directory, list(play(page.read_text(), directory)))


def test_every_output_is_what_the_page_shows(played: Played) -> None:
    assert played.commands
    wrong = [
        f"{played.page.name}:{c.line}: $ {c.command}\nshown:\n{c.expected}\nis:\n{c.actual}"
        for c in played.commands
        if not agrees(c.expected, c.actual.replace(f"{ROOT}/", ""))
    ]
    assert not wrong, "\n\n".join(wrong)


def test_every_picture_that_its_commands_draw_is_the_one_in_docs(played: Played) -> None:
    for picture in played.directory.glob("*.svg"):
        assert picture.read_text() == (ROOT / "docs" / picture.name).read_text()
        assert f"({picture.name})" in played.page.read_text()


def test_the_code_of_the_page_passes_mypy(played: Played) -> None:
    files = sorted({path.name for path in played.directory.glob("*.py")} - WRONG)
    if not files:
        pytest.skip("the page shows no file")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", *files],
        cwd=played.directory,
        env={"MYPYPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_the_answers_of_the_page_on_fairness_flip() -> None:
    shown = [
        "\nviolated " in expected
        for block in blocks((ROOT / "docs" / "fairness.md").read_text())
        if block.language == "console"
        for _, command, expected in commands(block)
        if "slotcheck check" in command
    ]
    assert shown[:5] == [True, False, True, False, False]


def test_the_two_commands_of_the_readme_are_targets_of_the_makefile() -> None:
    readme, makefile = (ROOT / "README.md").read_text(), (ROOT / "Makefile").read_text()
    for target in ("check", "test"):
        assert f"    make {target} " in readme
        assert f"\n{target}:" in makefile


def test_every_page_is_named_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    assert [p.name for p in (ROOT / "docs").glob("*.md") if f"docs/{p.name}" not in readme] == []
