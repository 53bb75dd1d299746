"""Random small systems go through every engine; whatever one says, the others have to say.

A failure prints the model's source. For a long run: ``python -m tests.differential 0 10000``.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.differential.chooser import Chooser, Drawn, Seeded
from tests.differential.compare import compare
from tests.differential.generator import generate
from tests.differential.model import loaded

PHASES = [p for p in Phase if p is not Phase.explain]


@st.composite
def sources(draw: st.DrawFn) -> str:
    """The source of a random model."""
    return generate(Drawn(draw))


def agree(source: str, directory: Path) -> bool:
    """Whether the model is small enough to be compared; raises where engines differ."""
    with loaded(source, directory) as systems:
        return all(compare(system) is not None for system in systems)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@settings(max_examples=30, phases=PHASES, suppress_health_check=list(HealthCheck))
@given(source=sources())
def test_engines_agree(directory: Path, source: str) -> None:
    agree(source, directory)


@pytest.mark.parametrize("block", range(3))
def test_engines_agree_on_a_fixed_set(directory: Path, block: int) -> None:
    compared = 0
    for seed in range(15 * block, 15 * (block + 1)):
        source = generate(Seeded(seed))
        try:
            compared += agree(source, directory)
        except Exception as error:
            raise AssertionError(f"seed {seed}:\n{source}") from error
    assert compared > 10


def test_models_are_not_dull(directory: Path) -> None:
    """Generated models have states, failures and all kinds of verdicts, or comparing them proves nothing."""
    states, verdicts = [], set[str]()
    for seed in range(40):
        with loaded(generate(Seeded(seed)), directory) as systems:
            agreement = compare(systems[0])
        if agreement is not None:
            states.append(agreement.states)
            verdicts |= {
                f"{name.split(':')[0] if ':' in name else ''} {verdict}".strip()
                for name, verdict, _ in agreement.verdicts
            }
    assert sum(n > 1 for n in states) > len(states) // 2
    assert verdicts >= {
        "holds",
        "violated",
        "reached",
        "unreached",
        "unknown",
        "range violated",
        "assert violated",
    }


def test_a_shrunk_model_is_small() -> None:
    """Every choice's first alternative is the simplest, so shrinking leads to a readable model."""

    class First(Chooser):
        def index(self, n: int) -> int:
            return 0

    assert len(generate(First()).splitlines()) < 60
