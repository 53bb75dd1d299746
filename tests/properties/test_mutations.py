"""A mistake in the model's source is noticed by a property: each of these is one line, changed or gone."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import model

MODEL = Path(model.__file__).parent

ONE = {"Time": 2}
TWO = {"GlobalId": 2, "Time": 1, "SlotRef": 4}

# File, line, what it becomes, and the properties (or unreached witnesses) that must show it in the scope.
MUTATIONS = [
    ("registry", "if not slot.live:", "if slot.live:", ONE, "both_sides_hold_the_same_slot"),
    ("registry", "s.entry[id] = fresh", "pass", ONE, "both_sides_hold_the_same_slot"),
    ("traces", "point.dropped = True", "pass", ONE, "a_point_without_a_trace_shows_nothing"),
    ("traces", "require(trace.upper == Upper.MINIMUM)", "pass", ONE, "a_reader_of_a_frozen_point_keeps_its_view"),
    ("publication", "self.attach(s, id, Half.ERRS)", "pass", ONE, "no_import_is_left_where_no_publisher_can_back_it"),
    ("publication", "slot.unpublished_peers -= 1", "pass", ONE, "a_publication_and_its_peer_are_paired"),
    ("publication", "point.shows = bundle.create", "pass", ONE, "both_runtimes_read_a_recreated_index"),
    ("publication", "point.since = local_logical(s, trace, half)", "pass", ONE, "a_point_admits_no_more_than_its_trace"),
    ("publication", "require(not is_registering_peer(s, given(s.bundles[id].token)))", "pass", ONE, "no_read_of_a_compacted_chain"),
    ("holds", "peer.frontier = frontier", "pass", ONE, "no_read_of_a_compacted_chain"),
    ("holds", "peer.holds[half] = pair.at(half)", "pass", ONE, "deadlock"),
    ("holds", "slot.unpublished_peers += 1", "pass", ONE, "a_publication_and_its_peer_are_paired"),
    ("imports", "self.mint(s, id, Half.ERRS)", "pass", ONE, "no_read_of_a_compacted_chain"),
    ("imports", "s.imports[id].slot = peer.slot", "pass", ONE, "the_reader_is_first"),
    ("compaction", "target = self.target(s, trace, half)", "target = Time.last()", ONE, "a_since_never_passes_a_hold"),
    ("compaction", "bundle.agents[Half.ERRS] = bundle.agents[Half.OKS]", "pass", ONE, "a_read_index_is_compacted"),
    ("controller", "require(has_dropped(s, other(runtime), s.connection[runtime]))", "pass", ONE, "no_current_slot_is_replaced"),
    ("reexport", "s.bundles[id].agents[half] = s.bundles[source].agents[half]", "pass", TWO, "both_sides_hold_the_same_slot"),
]  # fmt: skip

CHECK = """
import json, sys
import properties.safety, properties.witnesses
from explorer.search.check import check
from model.systems import Registry
scope, two = json.loads(sys.argv[1])
result = check(Registry(scope, {"inputs_end": not two, "close_freezes": False}), max_states=10**6)
bad = ("violated", "unreached")
print(json.dumps([Registry.__module__, *(p.name for p in result.properties if p.verdict in bad)]))
"""


@functools.cache
def noticed(directory: Path, two: bool) -> set[str]:
    """What is wrong with the model in ``directory``: violated properties, witnesses not reached."""
    path = os.pathsep.join([str(directory), str(MODEL.parent), *filter(None, sys.path)])
    seen = subprocess.run(
        [sys.executable, "-c", CHECK, json.dumps([TWO if two else ONE, two])],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert seen.returncode == 0, seen.stderr
    module, *names = json.loads(seen.stdout)
    assert module == "model.systems"
    return set(names)


@pytest.mark.slow
@pytest.mark.parametrize(("file", "line", "change", "scope", "name"), MUTATIONS)
def test_it_is_noticed(
    tmp_path: Path, file: str, line: str, change: str, scope: dict[str, int], name: str
) -> None:
    shutil.copytree(MODEL, tmp_path / "model", ignore=shutil.ignore_patterns("__pycache__"))
    assert name not in noticed(MODEL.parent, scope is TWO)
    mutated = tmp_path / "model" / f"{file}.py"
    text = mutated.read_text("utf-8")
    assert text.count(line) == 1
    mutated.write_text(text.replace(line, change), "utf-8")
    assert name in noticed(tmp_path, scope is TWO)
