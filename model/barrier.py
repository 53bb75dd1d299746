"""``ReconcileBarrier``: where worker i of one runtime waits for worker i of the other (2.18, A2.1, A2.6)."""

from __future__ import annotations

from enum import Enum

from explorer.lang import Map, Set, initial, record
from model.design import BarrierDesign
from model.state import Connection, Runtime


class Wait(Enum):
    """How a worker waits."""

    NOT = 0
    AWAKE = 1
    """It arrived, or was woken, and is about to look whether the other side has."""
    PARKING = 2
    """It looked in vain, and is about to park."""
    PARKED = 3


@record
class ReconcileBarrier:
    """What the two workers share, under one lock, and how each of them waits."""

    arrivals: Map[Runtime, Set[Connection]] = initial()
    """The positions at which each side arrived: of these the barrier keeps the latest (A2.6)."""
    wait: Map[Runtime, Wait] = initial()
    unparked: Map[Runtime, bool] = initial()
    """The park token of a waiting worker. What is left of it when the worker passes costs its next park one look."""


def arrive(
    barrier: ReconcileBarrier, runtime: Runtime, position: Connection, design: BarrierDesign
) -> None:
    """One acquisition of the lock: keeps the arrival, registers as waiting, wakes the other side."""
    arrived = barrier.arrivals[runtime]
    if design.keep_greatest_arrival and any(known > position for known in arrived):
        pass
    else:
        if design.only_latest_kept:
            arrived.clear()
        arrived.add(position)
    barrier.wait[runtime] = Wait.AWAKE
    barrier.unparked[runtime] = False
    if design.wake_on_arrival:
        unpark(barrier, other(runtime), design)


def unpark(barrier: ReconcileBarrier, runtime: Runtime, design: BarrierDesign) -> None:
    """Wakes a worker that is parked at the barrier; the token stays for one that is not parked yet."""
    if barrier.wait[runtime] == Wait.PARKED:
        barrier.wait[runtime] = Wait.AWAKE
    elif barrier.wait[runtime] != Wait.NOT and design.sticky_token:
        barrier.unparked[runtime] = True


def may_pass(
    barrier: ReconcileBarrier, runtime: Runtime, position: Connection, design: BarrierDesign
) -> bool:
    """Under the lock: whether the other side arrived at this connection, or at a later one (A2.6)."""
    arrived = barrier.arrivals[other(runtime)]
    if design.later_arrival_counts:
        return any(known >= position for known in arrived)
    return position in arrived


def leave(barrier: ReconcileBarrier, runtime: Runtime) -> None:
    """The worker has passed."""
    barrier.wait[runtime] = Wait.NOT
    barrier.unparked[runtime] = False


def park(barrier: ReconcileBarrier, runtime: Runtime) -> None:
    """Parks, or returns at once if the thread was unparked since it looked."""
    if barrier.unparked[runtime]:
        barrier.unparked[runtime] = False
        barrier.wait[runtime] = Wait.AWAKE
    else:
        barrier.wait[runtime] = Wait.PARKED


def forget(barrier: ReconcileBarrier, position: Connection) -> None:
    """Takes ``position`` out of the order: nobody will ever arrive there again, and later ones move up."""
    for runtime in Runtime:
        barrier.arrivals[runtime] = Set(
            known if known < position else before(known)
            for known in barrier.arrivals[runtime]
            if known != position
        )


def before(connection: Connection) -> Connection:
    """The connection before; of the first one itself."""
    return max((c for c in Connection if c < connection), default=Connection.first())


def other(runtime: Runtime) -> Runtime:
    """The other runtime."""
    return Runtime.INTERACTIVE if runtime == Runtime.MAINTENANCE else Runtime.MAINTENANCE
