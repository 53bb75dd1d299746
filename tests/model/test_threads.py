"""The assertions on who uses a registry."""

from __future__ import annotations

import pytest

import properties.threads  # noqa: F401
from explorer.search.check import check
from model.systems import ThreadPair

PUBLISHER = "panic:a_second_thread_attaches_as_publisher"
READER = "panic:a_second_thread_attaches_as_reader"
RECORDED = "the_recorded_publisher_is_the_first"


@pytest.mark.parametrize(
    ("switches", "states", "expected"),
    [
        ({}, 39, {RECORDED: 3, PUBLISHER: 3, READER: 2}),
        ({"asserts_before_replacing": True}, 15, {PUBLISHER: 2, READER: 2}),
        ({"publisher_asserts": False}, 75, {RECORDED: 3, READER: 2, "one_thread_publishes": 6}),
        ({"reader_asserts": False}, 65, {RECORDED: 3, PUBLISHER: 3, "every_reader_is_woken": 2}),
        (
            {"publishers_attach": False},
            108,
            {RECORDED: 3, PUBLISHER: 3, READER: 2, "one_thread_publishes": 2},
        ),
    ],
)
def test_a_third_thread(switches: dict[str, bool], states: int, expected: dict[str, int]) -> None:
    result = check(ThreadPair({}, switches))
    assert result.complete and result.states == states
    assert {p.name: p.length for p in result.violations} == expected
