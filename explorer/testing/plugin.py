"""The pytest plugin: a fixture that searches each configuration once, and options for continuous integration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from explorer.result import Result
    from explorer.testing.holds import PropertyLike, Question, SystemLike

# Everything else is imported when the fixture is used: the plugin is loaded in every run of pytest.


class Slotcheck:
    """What the fixture ``slotcheck`` is: ``assert_holds``, which remembers the answers of a session."""

    def __init__(self, directory: Path | None = None) -> None:
        self._directory = directory
        self._answers: dict[tuple[object, ...], Result] = {}

    def assert_holds(
        self,
        system: SystemLike,
        properties: Iterable[PropertyLike] | None = None,
        **options: Any,
    ) -> Result:
        """As ``explorer.testing.assert_holds``; of tests that ask the same, the first searches.

        Writes the traces of what fails where ``--slotcheck-traces`` says.
        """
        __tracebackhide__ = True
        from explorer.testing.holds import NotHeld, assert_holds

        try:
            return assert_holds(system, properties, ask=self._ask, **options)
        except NotHeld as error:
            self._write(error.result)
            raise

    def _ask(self, question: Question) -> Result:
        from explorer.testing.holds import answer

        if question.key not in self._answers:
            self._answers[question.key] = answer(question)
        return self._answers[question.key]

    def _write(self, result: Result) -> None:
        if self._directory is None:
            return
        from explorer.trace.files import prepare, write_traces

        prepare(self._directory)
        write_traces([p.trace for p in result.properties if p.trace is not None], self._directory)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds ``--slotcheck-traces``."""
    group = parser.getgroup("slotcheck")
    group.addoption(
        "--slotcheck-traces",
        type=Path,
        metavar="DIR",
        help="write the counterexamples of failed tests to DIR/SYSTEM-PROPERTY.json, for `slotcheck replay`",
    )


@pytest.fixture(scope="session")
def slotcheck(request: pytest.FixtureRequest) -> Iterator[Slotcheck]:
    """Exhaustive searches as assertions: ``slotcheck.assert_holds("registry", scope={"Time": 3})``."""
    yield Slotcheck(request.config.getoption("--slotcheck-traces"))
