"""Re-exports: the current design, and the one that the review found fault with."""

from __future__ import annotations

from explorer.lang.system import with_preset
from model.state import Half
from model.systems import Registry
from tests.model.steps import DROP_INDEX, DROP_PEER, REEXPORT, SOURCE, Run

SCOPE = {"GlobalId": 2, "Time": 2, "SlotRef": 5}
SAME = "soft_panic:publish_into_a_slot_that_the_same_trace_backs"


def registry(**switches: object) -> Run:
    return Run(Registry(SCOPE, switches), reexport=REEXPORT)


def published(**switches: object) -> Run:
    """A source and its re-export, and peers for both."""
    run = registry(**switches).publish(SOURCE).reexport(REEXPORT, SOURCE)
    return run.peer(SOURCE).peer(REEXPORT, source=SOURCE)


def reexport_dropped(run: Run) -> Run:
    """The maintenance runtime reconnects, keeps the source and drops the re-export."""
    run.reconnect("MAINTENANCE", kept=SOURCE).do(f"drop_index(id=GlobalId{REEXPORT})")
    return run.with_id(REEXPORT, *DROP_INDEX)


def test_reexport_publishes_its_own_point_over_the_same_trace() -> None:
    run = published()
    assert run.entry(REEXPORT) != run.entry(SOURCE)
    for half in Half:
        assert run.point(REEXPORT, half).trace == run.point(SOURCE, half).trace == run.id(SOURCE)


def test_a_seal_reaches_both_points_one_after_the_other() -> None:
    run = published().do(f"seal(id=GlobalId{SOURCE}, half=OKS)")
    assert run.blocks(f"seal(id=GlobalId{SOURCE}, half=ERRS)")
    run.do("seal_point(slot=SlotRef0, half=OKS)", "seal_point(slot=SlotRef1, half=OKS)")
    run.do(f"seal(id=GlobalId{SOURCE}, half=ERRS)")


def test_the_trace_compacts_to_the_meet_of_both_ids() -> None:
    run = published()
    for id in (SOURCE, REEXPORT):
        run.do(f"downgrade_peer(id=GlobalId{id}, frontier=1)")
        run.do(f"downgrade_peer_errs(id=GlobalId{id})")
    run.do(f"allow_compaction(id=GlobalId{SOURCE}, frontier=1)")
    run.do(f"allow_compaction_errs(id=GlobalId{SOURCE})")
    assert run.point(SOURCE).since == run.point(REEXPORT).since == run.trace(SOURCE).since
    assert run.trace(SOURCE).since < run.state.peers[run.id(SOURCE)].frontier
    run.do(f"allow_compaction(id=GlobalId{REEXPORT}, frontier=1)")
    assert run.point(SOURCE).since == run.point(REEXPORT).since == run.trace(SOURCE).since
    assert run.trace(SOURCE).since == run.state.peers[run.id(SOURCE)].frontier


def test_dropping_the_source_leaves_the_reexport_readable() -> None:
    run = published().reconnect("MAINTENANCE").do(f"drop_index(id=GlobalId{SOURCE})")
    run.with_id(SOURCE, *DROP_INDEX)
    assert run.point(REEXPORT).trace == run.id(SOURCE) and not run.point(REEXPORT).dropped


def test_dropping_both_freezes_both() -> None:
    run = published().reconnect("MAINTENANCE").do(f"drop_index(id=GlobalId{SOURCE})")
    run.with_id(SOURCE, *DROP_INDEX).do(f"drop_index(id=GlobalId{REEXPORT})").freeze()
    run.with_id(REEXPORT, "drop_index_errs(id={0})").freeze()
    for id in (SOURCE, REEXPORT):
        assert all(run.slot_of_peer(id).points[half].dropped for half in Half)


def test_a_recreated_reexport_publishes_into_a_fresh_slot_once_its_holders_dropped() -> None:
    run = reexport_dropped(published())
    assert not any(run.point(REEXPORT, half).dropped for half in Half)
    run.reconnect("INTERACTIVE").with_id(REEXPORT, *DROP_PEER)
    assert run.entry(REEXPORT) is None
    run.do("arrive(runtime=INTERACTIVE)").create_again("MAINTENANCE")
    run.reexport(REEXPORT, SOURCE)
    token = run.state.bundles[run.id(REEXPORT)].token
    assert token is not None and len(run.state.slots[token].reserved) == 1


def test_a_held_reexport_slot_is_not_replaced() -> None:
    run = reexport_dropped(published(barrier=False)).create_again("MAINTENANCE")
    held = run.entry(REEXPORT)
    run.do(f"reexport(id=GlobalId{REEXPORT}, source=GlobalId{SOURCE}, as_of=0)")
    assert run.soft == (SAME,)
    assert run.entry(REEXPORT) == held == run.state.bundles[run.id(REEXPORT)].token


def test_a_held_slot_that_another_trace_backs_is_refused() -> None:
    run = reexport_dropped(published(barrier=False)).create_again("MAINTENANCE")
    failure = run.failure(f"publish(id=GlobalId{REEXPORT}, as_of=0)")
    assert failure == "panic:publish_into_a_slot_that_another_trace_backs"


def test_a_reexport_comes_after_its_source_on_either_side() -> None:
    run = registry()
    call = f"peer_bundle(id=GlobalId{REEXPORT}, as_of=0, source=GlobalId{SOURCE})"
    assert run.blocks(call)
    run.publish(SOURCE)
    assert run.blocks(call)
    run.peer(SOURCE).do(call)


def test_the_source_does_not_compact_past_a_reexport_that_is_to_come() -> None:
    run = registry(reserve_peer_hold=False).publish(SOURCE).peer(SOURCE)
    run.peer(REEXPORT, source=SOURCE)
    assert run.blocks(f"allow_compaction(id=GlobalId{SOURCE}, frontier=1)")
    run.reexport(REEXPORT, SOURCE).do(f"allow_compaction(id=GlobalId{SOURCE}, frontier=1)")


def test_overwriting_leaves_the_reader_behind() -> None:
    cls, switches = with_preset(Registry, "reexport_overwrites")
    run = Run(cls(SCOPE, switches), reexport=REEXPORT).peer(SOURCE).peer(REEXPORT, source=SOURCE)
    run.publish(SOURCE)
    run.do(f"reexport(id=GlobalId{REEXPORT}, source=GlobalId{SOURCE}, as_of=0)")
    assert run.entry(REEXPORT) == run.entry(SOURCE)
    assert run.state.peers[run.id(REEXPORT)].slot != run.entry(REEXPORT)
    assert not run.slot_of_peer(REEXPORT).points[Half.OKS].backed
