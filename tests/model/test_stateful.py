"""The registry under Hypothesis: random runs keep what the document says holds."""

from __future__ import annotations

from explorer.stateful import machine
from model.systems import Registry
from properties import safety

HOLDING = [
    safety.a_since_never_passes_a_hold.__name__,
    safety.no_reader_sees_an_earlier_incarnation.__name__,
]

TestRegistry = machine(Registry({"Time": 2}), HOLDING, ignore=["deadlock"], max_steps=12).TestCase
