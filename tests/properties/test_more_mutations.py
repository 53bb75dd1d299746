"""A mistake in the barrier, or in what two runtimes do over one registry, is noticed: one line each, changed or gone."""

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

# System, file, line, what it becomes, and a property (or unreached witness) that must show it.
MUTATIONS = [
    ("Barrier", "barrier", "arrived.add(position)", "pass", "deadlock"),
    ("Barrier", "barrier", "barrier.wait[runtime] = Wait.AWAKE\n    elif", "pass\n    elif", "deadlock"),
    ("Barrier", "barrier", "any(known >= position for known in arrived)", "any(known > position for known in arrived)", "deadlock"),
    ("Barrier", "barrier", "any(known >= position for known in arrived)", "True", "no_create_before_the_drops_of_the_other_side"),
    ("Barrier", "connections", "order[connection] = Connection.first() if last is None else last.next()", "order[connection] = Connection.first()", "a_pair_never_holds_two_incarnations"),
    ("Barrier", "reconcile", "me.holds = False", "pass", "a_pair_never_holds_two_incarnations"),
    ("Barrier", "reconcile", "require(me.phase == Phase.RUNNING or self.reads_while_it_waits(s, worker))", "pass", "all_workers_execute_the_same"),
    ("Replica", "pair_commands", "require(reading is None or frontier <= reading)", "pass", "panic:import_below_the_hold_of_its_peer"),
    ("Replica", "retention", "if as_of is not None and published.agent <= as_of:", "if as_of is not None:", "what_is_queued_can_be_read"),
    ("Replica", "retention", "if self.design.peers_are_kept and as_of is not None and peer.frontier <= as_of:", "if as_of is not None:", "nothing_reads_a_slot_that_was_replaced"),
    ("Replica", "retention", "side.arrived = side.connection", "pass", "deadlock"),
    ("Replica", "retention", "require(theirs is not None and theirs >= given(side.connection))", "pass", "an_id_leads_to_where_it_is_published"),
    ("Replica", "retention", "slot.unpublished_peers += 1", "pass", "what_nobody_needs_is_compacted"),
    ("Replica", "retention", "self.drop_reading(s, id)\n            self.keep_or_drop_peer", "self.keep_or_drop_peer", "nothing_reads_a_slot_that_was_replaced"),
    ("Replica", "retention", "s.readings[id].slot = peer.slot", "pass", "a_read_is_built"),
    ("Replica", "retention", "peer.hold = max(peer.hold, frontier)", "pass", "what_nobody_needs_is_compacted"),
    ("Aliases", "aliases", "s.holds[point][id] = frontier if old is None else max(old, frontier)", "pass", "the_trace_serves_what_a_peer_may_ask_for"),
    ("Aliases", "aliases", "self.release(s, point, command.id)", "pass", "no_hold_is_left_for_an_id_that_is_gone"),
    ("Aliases", "aliases", "point.backed = True", "pass", "no_reader_is_stranded_by_a_reexport"),
    ("Wake", "wake", "index.upper[half] = index.upper[half].next()", "pass", "a_peek_waits_for_the_errors_only"),
    ("Wake", "wake", "s.looked.clear()", "pass", "no_wake_up_is_lost"),
]  # fmt: skip

CHECK = """
import json, sys
import properties.aliases, properties.barrier, properties.replica, properties.wake
from explorer.search.check import check
from model import systems
system = getattr(systems, sys.argv[1])
scope, switches = ({}, {"sends_fail": False}) if sys.argv[1] == "Replica" else ({}, {})
result = check(system(scope, switches), max_states=10**6)
bad = ("violated", "unreached")
print(json.dumps([systems.__file__, *(p.name for p in result.properties if p.verdict in bad)]))
"""


@functools.cache
def noticed(directory: Path, system: str) -> set[str]:
    """What is wrong with the model in ``directory``: violated properties, witnesses not reached."""
    path = os.pathsep.join([str(directory), str(MODEL.parent), *filter(None, sys.path)])
    seen = subprocess.run(
        [sys.executable, "-c", CHECK, system],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert seen.returncode == 0, seen.stderr
    file, *names = json.loads(seen.stdout)
    assert Path(file).is_relative_to(directory)
    return set(names)


@pytest.mark.slow
@pytest.mark.parametrize(("system", "file", "line", "change", "name"), MUTATIONS)
def test_it_is_noticed(
    tmp_path: Path, system: str, file: str, line: str, change: str, name: str
) -> None:
    shutil.copytree(MODEL, tmp_path / "model", ignore=shutil.ignore_patterns("__pycache__"))
    assert name not in noticed(MODEL.parent, system)
    mutated = tmp_path / "model" / f"{file}.py"
    text = mutated.read_text("utf-8")
    assert text.count(line) == 1
    mutated.write_text(text.replace(line, change), "utf-8")
    assert name in noticed(tmp_path, system)
