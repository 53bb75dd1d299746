"""Compaction, and the holds that keep it back."""

from __future__ import annotations

from model.state import Half, Time
from model.systems import Registry
from tests.model.steps import DROP_PEER, Run

COMPACT = ("allow_compaction(id=GlobalId0, frontier=1)", "allow_compaction_errs(id=GlobalId0)")


def registry(**switches: object) -> Run:
    return Run(Registry({"Time": 3}, switches))


def since(run: Run, half: Half = Half.OKS) -> Time:
    return run.point(0, half).since


def test_nobody_keeps_compaction_back() -> None:
    run = registry(reserve_peer_hold=False).publish(0).do(*COMPACT)
    assert since(run) == since(run, Half.ERRS) == Time(1)


def test_the_halves_compact_one_after_the_other() -> None:
    run = registry(reserve_peer_hold=False).publish(0).do(COMPACT[0])
    assert since(run) == Time(1) and since(run, Half.ERRS) == Time(0)


def test_a_reserved_hold_keeps_compaction_back_until_its_peer_moves_it() -> None:
    run = registry().publish(0).do(*COMPACT)
    assert since(run) == Time(0)
    run.peer(0)
    assert not run.slot_of_peer(0).reserved and since(run) == Time(0)
    run.do("downgrade_peer(id=GlobalId0, frontier=1)", "apply_holds(trace=GlobalId0, half=OKS)")
    assert since(run) == Time(1) and since(run, Half.ERRS) == Time(0)
    run.do("downgrade_peer_errs(id=GlobalId0)", "apply_holds(trace=GlobalId0, half=ERRS)")
    assert since(run, Half.ERRS) == Time(1)


def test_an_early_peer_leaves_a_count_and_no_hold_is_reserved() -> None:
    run = registry().peer(0)
    assert run.slot_of_peer(0).unpublished_peers == 1
    run.publish(0)
    assert run.slot_of_peer(0).unpublished_peers == 0 and not run.slot_of_peer(0).reserved


def test_a_peer_and_its_publication_take_turns_at_the_slots_lock() -> None:
    run = registry().do("publish(id=GlobalId0, as_of=0)", "attach_oks(id=GlobalId0)")
    run.do("peer_bundle(id=GlobalId0, as_of=0, source=None)", "register(id=GlobalId0)")
    run.do("attach_errs(id=GlobalId0)")
    assert run.blocks("reserve(id=GlobalId0)")
    run.do("register_errs(id=GlobalId0)", "reserve(id=GlobalId0)")
    assert not run.slot_of_peer(0).reserved


def test_a_reserved_hold_goes_with_its_slot() -> None:
    run = registry().publish(0).reconnect("MAINTENANCE").do("drop_index(id=GlobalId0)").freeze()
    run.do("drop_index_errs(id=GlobalId0)").freeze().do("unpublish(id=GlobalId0)")
    assert len(run.state.slots) == 0


def test_a_late_peer_without_a_reserved_hold_joins_the_since() -> None:
    run = registry(reserve_peer_hold=False).publish(0).do(*COMPACT).peer(0)
    assert run.state.peers[run.id(0)].holds[Half.OKS] == Time(1)
    failure = run.failure("build_import(id=GlobalId0, as_of=0)")
    assert failure == "panic:import_below_the_hold_of_its_peer"
    run.do("build_import(id=GlobalId0, as_of=1)")


def test_an_import_holds_when_its_peer_has_moved_on() -> None:
    run = registry().publish(0).peer(0)
    run.do("build_import(id=GlobalId0, as_of=0)", "build_import_errs(id=GlobalId0)")
    run.do("downgrade_peer(id=GlobalId0, frontier=1)", "downgrade_peer_errs(id=GlobalId0)")
    run.do(*COMPACT)
    assert since(run) == Time(0)
    run.do("drop_import(id=GlobalId0)", "apply_holds(trace=GlobalId0, half=OKS)")
    assert since(run) == Time(1) and since(run, Half.ERRS) == Time(0)


def test_the_controller_reads_nothing_before_what_it_let_compact() -> None:
    run = registry().publish(0).peer(0)
    run.do("downgrade_peer(id=GlobalId0, frontier=1)", "downgrade_peer_errs(id=GlobalId0)")
    assert run.blocks("build_import(id=GlobalId0, as_of=0)")


def test_a_drop_releases_the_holds_of_the_halves_one_after_the_other() -> None:
    run = registry().publish(0).peer(0).do(*COMPACT).reconnect("INTERACTIVE")
    run.with_id(0, DROP_PEER[0])
    run.do("apply_holds(trace=GlobalId0, half=OKS)")
    assert run.blocks("apply_holds(trace=GlobalId0, half=ERRS)")
    run.with_id(0, DROP_PEER[1]).do("apply_holds(trace=GlobalId0, half=ERRS)")
