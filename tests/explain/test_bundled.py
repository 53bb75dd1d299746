"""The bundled systems have words for all their steps and states, in all their designs."""

from __future__ import annotations

from typing import Any

import pytest

from explorer.explain.words import Words
from explorer.lang.run import Next, initial_states, instances, step
from explorer.lang.system import System, with_preset
from explorer.loading import bundled_systems

DESIGNS = [
    (found.name, preset) for found in bundled_systems() for preset in (None, *found.cls.presets)
]


@pytest.mark.parametrize(("name", "preset"), DESIGNS)
def test_every_step_and_state_has_words(name: str, preset: str | None) -> None:
    cls = next(found.cls for found in bundled_systems() if found.name == name)
    switches: dict[str, object] = {}
    if preset is not None:
        cls, switches = with_preset(cls, preset)
    system: System[Any] = cls(design=switches)
    words = Words(system)
    _, state = next(iter(initial_states(system)))
    for _ in range(12):
        assert words.state(state)
        taken = ((i, step(system, state, i)) for i in instances(system))
        found = [(i, o.state) for i, o in taken if isinstance(o, Next)]
        if not found:
            break
        _, state = found[-1]
    for instance in {i.action.name: i for i in instances(system)}.values():
        assert words.step(instance), instance.text
    assert not words.complaints
