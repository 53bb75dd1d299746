"""What must hold, and what must be possible, at the reconcile barrier and on the way to it."""

from __future__ import annotations

from explorer.lang import Formula, invariant, leads_to, now, reachable, step_invariant, temporal
from model.barrier import Wait
from model.connections import Process
from model.reconcile import (
    Local,
    Phase,
    ReplicaState,
    Worker,
    WorkerState,
    partner,
    position_of,
)
from model.state import Connection


@step_invariant
def no_create_before_the_drops_of_the_other_side(before: ReplicaState, after: ReplicaState) -> bool:
    """A worker that runs a connection's creates finds nothing from before it on the other side (A2.1)."""
    return all(
        not creates(before.workers[w], after.workers[w])
        or has_dropped(before.workers[partner(w)], before.workers[w].connection)
        for w in before.workers
    )


@invariant
def a_pair_never_holds_two_incarnations(s: ReplicaState) -> bool:
    """What the two workers of a pair hold, if both do, one connection created (A1.3, C36)."""
    return all(
        not s.workers[w].holds
        or not s.workers[partner(w)].holds
        or s.workers[w].held == s.workers[partner(w)].held
        for w in s.workers
    )


@invariant
def all_workers_execute_the_same(s: ReplicaState) -> bool:
    """The workers of a runtime execute the same commands in the same order (A2.2, C77)."""
    return all(
        v.runtime != w.runtime or agree(s.workers[v], s.workers[w])
        for v in s.workers
        for w in s.workers
    )


@invariant
def all_workers_agree_on_positions(s: ReplicaState) -> bool:
    """A connection has one position, whichever worker is asked (A2.4, C80)."""
    return all(
        (c := s.workers[w].connection) is None
        or position_of(s, w.process, c) == s.hellos.order[Process.first()][c]
        for w in s.workers
    )


# Progress


@temporal
def a_waiting_worker_passes(worker: Worker) -> Formula:
    """Whoever waits at the barrier runs its creates at some time, if connections keep coming (A2.6, C79)."""
    return leads_to(now(waits, worker), now(runs, worker))


@temporal
def an_arrival_lets_the_other_side_pass(worker: Worker) -> Formula:
    """Whoever waits, and whose other side arrives at this connection or at a later one, passes (A2.6, B56)."""
    return leads_to(now(has_company, worker), now(runs, worker))


# Situations


@reachable
def a_worker_waits(s: ReplicaState) -> bool:
    """It parked at the barrier (B56)."""
    return any(wait_of(s, w) == Wait.PARKED for w in s.workers)


@reachable
def a_worker_is_unparked_before_it_parks(s: ReplicaState) -> bool:
    """It looked in vain, and the other side arrived before it parked."""
    return any(
        wait_of(s, w) == Wait.PARKING and s.barriers[w.pair].unparked[w.runtime] for w in s.workers
    )


@reachable
def both_sides_are_at_one_connection(s: ReplicaState) -> bool:
    """The plain case: both arrived, neither has passed."""
    return any(
        is_waiting(s, w)
        and is_waiting(s, partner(w))
        and s.workers[w].connection == s.workers[partner(w)].connection
        for w in s.workers
    )


@reachable
def an_arrival_is_about_to_be_overwritten(s: ReplicaState) -> bool:
    """The other side has passed at the connection that a worker waits at, and goes on to a later one (A2.6)."""
    return any(
        wait_of(s, w) == Wait.AWAKE
        and is_ahead(s, w)
        and s.workers[partner(w)].phase == Phase.DROPPING
        and s.workers[partner(w)].held == s.workers[w].connection
        for w in s.workers
    )


@reachable
def the_other_side_passed_by(s: ReplicaState) -> bool:
    """It reconciles with a later connection than the one that a worker is parked at, which it never had (A2.6)."""
    return any(wait_of(s, w) == Wait.PARKED and is_ahead(s, w) for w in s.workers)


@reachable
def both_sides_have_passed(s: ReplicaState) -> bool:
    """They hold what one connection, the newest, created (A2.6)."""
    return any(
        s.workers[w].holds
        and s.workers[w].held is not None
        and s.workers[w].held == s.workers[partner(w)].held
        for w in s.workers
    )


@reachable
def a_worker_passed_on_a_later_arrival(s: ReplicaState) -> bool:
    """It holds what a connection created, and the other side is at the barrier with a later one (A2.6)."""
    return any(
        (held := s.workers[w].held) is not None
        and (theirs := s.workers[partner(w)].connection) is not None
        and theirs > held
        and is_waiting(s, partner(w))
        and not s.workers[partner(w)].holds
        and s.workers[w].phase == Phase.RUNNING
        for w in s.workers
    )


@reachable
def a_worker_reconciles_where_no_hello_was_recorded(s: ReplicaState) -> bool:
    """Where there are several processes: the commands came through process 0, the Hello never did (A2.5)."""
    return len(Process) == 1 or any(
        w.process != Process.first()
        and s.workers[w].holds
        and s.workers[partner(w)].holds
        and all(position is None for position in s.hellos.order[w.process].values())
        for w in s.workers
    )


@reachable
def a_waiting_worker_has_commands_to_read(s: ReplicaState) -> bool:
    """And does not read them (A2.2)."""
    return any(
        is_waiting(s, w) and s.workers[w].read < len(s.channels[w.runtime].log) for w in s.workers
    )


@reachable
def a_solo_replica_reconciles(s: ReplicaState) -> bool:
    """One runtime, and creates (A2.3)."""
    return s.solo and any(worker.holds for worker in s.workers.values())


@reachable
def connections_keep_arriving(s: ReplicaState) -> bool:
    """Both sides hold what a forgotten connection created, and the next ones are on their way."""
    return s.hellos.newest == Connection.last() and all(
        worker.holds and worker.held is None for worker in s.workers.values()
    )


@reachable
def workers_of_a_runtime_are_at_different_connections(s: ReplicaState) -> bool:
    """Where a runtime has several: one waits at a later connection than the other."""
    return (len(Local) == 1 and len(Process) == 1) or any(
        v.runtime == w.runtime
        and is_waiting(s, v)
        and is_waiting(s, w)
        and s.workers[v].connection != s.workers[w].connection
        for v in s.workers
        for w in s.workers
    )


# What the properties speak of


def creates(before: WorkerState, after: WorkerState) -> bool:
    """Whether the step runs the worker's creates."""
    return before.phase == Phase.WAITING and after.phase == Phase.RUNNING


def has_dropped(worker: WorkerState, connection: Connection | None) -> bool:
    """Whether the worker holds nothing that was created before ``connection``."""
    if not worker.holds:
        return True
    held = worker.held
    return held is not None and connection is not None and held >= connection


def agree(one: WorkerState, two: WorkerState) -> bool:
    """Whether what one has executed begins like what the other has, or the other way round."""
    return all(
        i >= len(two.executed) or one.executed[i] == two.executed[i]
        for i in range(len(one.executed))
    )


def wait_of(s: ReplicaState, worker: Worker) -> Wait:
    """How the worker waits."""
    return s.barriers[worker.pair].wait[worker.runtime]


def is_waiting(s: ReplicaState, worker: Worker) -> bool:
    """Whether the worker is at the barrier."""
    return s.workers[worker].phase == Phase.WAITING


def waits(s: ReplicaState, worker: Worker) -> bool:
    """Whether the worker is at the barrier."""
    return is_waiting(s, worker)


def runs(s: ReplicaState, worker: Worker) -> bool:
    """Whether the worker executes commands as they come: it is not between a connection's drops and its creates."""
    return s.workers[worker].phase == Phase.RUNNING


def has_company(s: ReplicaState, worker: Worker) -> bool:
    """Whether both sides are at the barrier, the other one not at an earlier connection."""
    mine = s.workers[worker].connection
    theirs = s.workers[partner(worker)].connection
    both = is_waiting(s, worker) and is_waiting(s, partner(worker))
    return both and mine is not None and theirs is not None and theirs >= mine


def is_ahead(s: ReplicaState, worker: Worker) -> bool:
    """Whether the worker's partner is at a later connection."""
    mine = s.workers[worker].connection
    theirs = s.workers[partner(worker)].connection
    return mine is not None and theirs is not None and theirs > mine
