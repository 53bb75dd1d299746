"""Which slot an id leads to, and how long it lives: the scenarios of the registry's own tests."""

from __future__ import annotations

from model.state import Half, Upper
from model.systems import Registry
from tests.model.steps import DROP_INDEX, DROP_PEER, Run


def registry(**switches: object) -> Run:
    return Run(Registry({"Time": 2}, switches))


def dropped(run: Run) -> Run:
    """Drops the published index of id 0, all but its token."""
    run.reconnect("MAINTENANCE").do("drop_index(id=GlobalId0)").freeze()
    return run.do("drop_index_errs(id=GlobalId0)").freeze()


def test_get_or_create_converges_on_one_slot() -> None:
    run = registry().peer(0)
    first = run.entry(0)
    run.publish(0)
    assert run.state.bundles[run.id(0)].token == run.state.peers[run.id(0)].slot == first
    assert run.point(0).backed and run.point(0, Half.ERRS).backed


def test_an_unbacked_point_is_at_the_minimum() -> None:
    run = registry().peer(0)
    assert run.point(0).upper == Upper.MINIMUM and not run.point(0).backed


def test_a_slot_is_gone_after_unpublish() -> None:
    run = dropped(registry().publish(0)).do("unpublish(id=GlobalId0)")
    assert run.entry(0) is None and len(run.state.slots) == 0


def test_a_reader_keeps_the_slot_after_unpublish() -> None:
    run = dropped(registry().publish(0).peer(0)).do(
        "unpublish(id=GlobalId0)", "notify(id=GlobalId0)"
    )
    assert run.entry(0) == run.state.peers[run.id(0)].slot is not None
    run.reconnect("INTERACTIVE").with_id(0, *DROP_PEER)
    assert run.entry(0) is None and len(run.state.slots) == 0


def test_an_import_keeps_the_slot_when_its_peer_is_gone() -> None:
    run = (
        registry()
        .peer(0)
        .do("build_import(id=GlobalId0, as_of=0)", "build_import_errs(id=GlobalId0)")
    )
    slot = run.entry(0)
    run.reconnect("INTERACTIVE").with_id(0, *DROP_PEER)
    assert slot is not None and run.entry(0) == slot and run.state.slots[slot].live
    assert run.blocks("arrive(runtime=INTERACTIVE)")
    run.do(
        "drop_import(id=GlobalId0)",
        "drop_import_errs(id=GlobalId0)",
        "drop_import_token(id=GlobalId0)",
    )
    assert len(run.state.slots) == 0


def test_a_point_outlives_its_slot_for_an_import_without_a_token() -> None:
    run = registry(import_keeps_slot=False).peer(0)
    run.do("build_import(id=GlobalId0, as_of=0)", "build_import_errs(id=GlobalId0)")
    slot = run.entry(0)
    run.reconnect("INTERACTIVE").with_id(0, *DROP_PEER)
    assert slot is not None and run.entry(0) is None and not run.state.slots[slot].live


def test_a_frozen_slot_is_replaced_and_its_reader_keeps_its_view() -> None:
    run = registry(barrier=False).publish(0).peer(0)
    run.do("seal(id=GlobalId0, half=OKS)", "seal_point(slot=SlotRef0, half=OKS)")
    dropped(run).do("unpublish(id=GlobalId0)", "notify(id=GlobalId0)")
    old = run.slot_of_peer(0)
    assert old.points[Half.OKS].dropped and old.points[Half.OKS].upper == Upper.SEALED
    before = run.entry(0)
    run.create_again("MAINTENANCE").publish(0)
    assert run.entry(0) != before
    assert run.slot_of_peer(0).points[Half.OKS].upper == Upper.SEALED


def test_another_as_of_gets_another_slot() -> None:
    run = registry(barrier=False).publish(0, as_of=1).peer(0, as_of=1)
    dropped(run).do("unpublish(id=GlobalId0)", "notify(id=GlobalId0)")
    run.create_again("MAINTENANCE").publish(0, as_of=0)
    assert run.entry(0) != run.state.peers[run.id(0)].slot


def test_a_slot_found_by_id_alone_is_that_of_the_old_incarnation() -> None:
    run = registry(barrier=False, key_on_as_of=False).publish(0, as_of=1)
    run.reconnect("INTERACTIVE").create_again("INTERACTIVE").peer(0, as_of=0)
    assert run.state.peers[run.id(0)].slot == run.state.bundles[run.id(0)].token


def test_a_reader_that_comes_after_the_trace_closed_is_alone() -> None:
    run = registry().publish(0)
    run.do("close(id=GlobalId0, half=OKS)", "seal_point(slot=SlotRef0, half=OKS)").peer(0)
    assert run.state.peers[run.id(0)].slot != run.state.bundles[run.id(0)].token
    assert not run.slot_of_peer(0).points[Half.OKS].backed


def test_the_barrier_waits_for_the_other_side_and_no_longer() -> None:
    run = registry().reconnect("MAINTENANCE").do("arrive(runtime=MAINTENANCE)")
    assert run.blocks("start_creates(runtime=MAINTENANCE)")
    run.reconnect("INTERACTIVE")
    assert run.blocks("start_creates(runtime=MAINTENANCE)")
    run.do("arrive(runtime=INTERACTIVE)", "start_creates(runtime=MAINTENANCE)")


def test_a_drop_takes_the_halves_one_after_the_other() -> None:
    run = registry().publish(0).reconnect("MAINTENANCE").do("drop_index(id=GlobalId0)")
    assert run.blocks("drop_index_errs(id=GlobalId0)")
    run.do("freeze_point(slot=SlotRef0, half=OKS)")
    assert run.point(0).dropped and not run.point(0, Half.ERRS).dropped
    run.do("drop_index_errs(id=GlobalId0)", "freeze_point(slot=SlotRef0, half=ERRS)")
    run.with_id(0, *DROP_INDEX[1:])
    assert run.state.publisher is None
