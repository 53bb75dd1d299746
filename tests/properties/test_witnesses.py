"""Every situation that the arguments speak of is reached in some scope of the current design."""

from __future__ import annotations

import pytest

from explorer.lang.properties import properties_for
from model.systems import Registry
from tests.properties.engine import ONE, TWO, explore


@pytest.mark.parametrize(
    "name", [p.name for p in properties_for(Registry()) if p.kind == "reachable"]
)
def test_it_is_reached(name: str) -> None:
    one, two = explore(ONE, frozenset()), explore(TWO, frozenset(["inputs_end"]))
    assert name in one.reached | two.reached
