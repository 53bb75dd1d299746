"""Two-phase commit, after TwoPhase by Gray and Lamport (Consensus on Transaction Commit, 2004).

A transaction manager asks N resource managers to prepare, and commits once it has heard from all of
them; any manager may abort on its own before it has prepared. Messages are a set: they are
never lost, never consumed, and may be received again.

    managers               2    3      4      5       6        7           9
    distinct states       56  288  1,568  8,832  50,816  296,448  10,340,352
    generated                1,146       58,146          2,744,706  123,558,402
    up to renaming        34   80    166    314     553      920

Sources: github.com/tlaplus/Examples (specifications/transaction_commit), counted by TLC, and
Stateright's examples/2pc.rs. "Generated" counts transitions and the initial state.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from explorer.lang import Map, Set, Sort, System, action, invariant, reachable, record, require


class Manager(Sort):
    """A resource manager."""


class Phase(Enum):
    """How far a resource manager has come."""

    WORKING = 0
    PREPARED = 1
    COMMITTED = 2
    ABORTED = 3


class Decision(Enum):
    """What the transaction manager has decided."""

    OPEN = 0
    COMMITTED = 1
    ABORTED = 2


class Role(Enum):
    """The one thread that is not a resource manager."""

    TRANSACTION_MANAGER = 0


@record(frozen=True)
class Prepared:
    """From a resource manager: I can commit."""

    manager: Manager


@record(frozen=True)
class Commit:
    """To all resource managers."""


@record(frozen=True)
class Abort:
    """To all resource managers."""


Message: TypeAlias = Prepared | Commit | Abort


@record
class State:
    """Everyone's progress, what the transaction manager has heard, and every message ever sent."""

    phase: Map[Manager, Phase]
    decision: Decision
    heard: Set[Manager]
    messages: Set[Message]


class TwoPhaseCommit(System[State]):
    """Two-phase commit without failures: N resource managers, one transaction manager."""

    default_scope = {"Manager": 3}

    @action(thread=Role.TRANSACTION_MANAGER)
    def hear_prepared(self, s: State, manager: Manager) -> None:
        require(s.decision == Decision.OPEN)
        require(Prepared(manager) in s.messages)
        s.heard.add(manager)

    @action(thread=Role.TRANSACTION_MANAGER)
    def decide_to_commit(self, s: State) -> None:
        require(s.decision == Decision.OPEN)
        require(all(m in s.heard for m in Manager))
        s.decision = Decision.COMMITTED
        s.messages.add(Commit())

    @action(thread=Role.TRANSACTION_MANAGER)
    def decide_to_abort(self, s: State) -> None:
        require(s.decision == Decision.OPEN)
        s.decision = Decision.ABORTED
        s.messages.add(Abort())

    @action(thread="manager")
    def prepare(self, s: State, manager: Manager) -> None:
        require(s.phase[manager] == Phase.WORKING)
        s.phase[manager] = Phase.PREPARED
        s.messages.add(Prepared(manager))

    @action(thread="manager")
    def abort_alone(self, s: State, manager: Manager) -> None:
        require(s.phase[manager] == Phase.WORKING)
        s.phase[manager] = Phase.ABORTED

    @action(thread="manager")
    def hear_commit(self, s: State, manager: Manager) -> None:
        require(Commit() in s.messages)
        s.phase[manager] = Phase.COMMITTED

    @action(thread="manager")
    def hear_abort(self, s: State, manager: Manager) -> None:
        require(Abort() in s.messages)
        s.phase[manager] = Phase.ABORTED


@invariant
def nobody_commits_while_another_aborts(s: State) -> bool:
    return not (
        any(s.phase[m] == Phase.COMMITTED for m in Manager)
        and any(s.phase[m] == Phase.ABORTED for m in Manager)
    )


@invariant
def commit_means_all_were_heard(s: State) -> bool:
    return Commit() not in s.messages or len(s.heard) == len(Manager)


@reachable
def everyone_commits(s: State) -> bool:
    return all(s.phase[m] == Phase.COMMITTED for m in Manager)


@reachable
def everyone_aborts(s: State) -> bool:
    return all(s.phase[m] == Phase.ABORTED for m in Manager)
