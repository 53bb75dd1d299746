"""The benchmarks run, on a tiny size; what they measure is not tested."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from benchmarks.compare import compare
from benchmarks.measure import Failed, run
from benchmarks.peers import PEERS, Minicheck, Rumur, Spin, Tlc


@pytest.mark.slow
def test_a_tiny_comparison() -> None:
    lines: list[str] = []
    figures = compare(managers=2, times=1, only=["spin", "rumur"], say=lines.append)
    assert figures["two_phase_commit"]["states"] == 56
    assert figures["two_phase_commit"]["updates_per_second"] > 0
    assert {row["checker"] for row in figures["peers"]} == {
        peer.name for peer in (Spin(), Rumur()) if peer.missing() is None
    }
    assert all(row["agrees"] for row in figures["peers"])
    assert any(line.startswith("slotcheck ") for line in lines)


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_peers_count_alike(peer: object, tmp_path: Path) -> None:
    assert isinstance(peer, (Spin, Rumur, Tlc, Minicheck))
    lacking = peer.missing()
    if lacking is not None:
        pytest.skip(f"not here: {lacking}")
    peer.prepare(3, tmp_path)
    assert peer.measured(3, tmp_path)[1] == (288, 1145)


@pytest.mark.parametrize(
    "peer, output",
    [
        (Spin(), "error: max search depth too small\nerrors: 0\n 5 states, stored\n 9 transitions"),
        (Spin(), "errors: 1\n 5 states, stored\n 9 transitions"),
        (Rumur(), "1 error(s) found.\n5 states, 9 rules fired"),
        (Tlc(), "Invariant Consistent is violated.\n9 states generated, 5 distinct states found"),
        (Minicheck(), "violated"),
    ],
)
def test_a_peer_that_did_not_finish_has_no_counts(peer: Spin, output: str) -> None:
    with pytest.raises(Failed):
        peer.counts(output)


def test_what_is_not_installed_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert Spin().missing() == "spin and gcc"


def test_a_command_that_fails() -> None:
    with pytest.raises(Failed, match="exit code 3"):
        run([sys.executable, "-c", "import sys; print('why'); sys.exit(3)"])
