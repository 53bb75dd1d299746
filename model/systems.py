"""The systems: which mechanisms each is composed of."""

from __future__ import annotations

from explorer.lang import require, weak
from model import words
from model.aliases import Exports, SharedTrace
from model.cluster import ClusterState, Layout, WorkersApart, is_there
from model.compaction import Compaction
from model.connections import Process
from model.imports import Imports
from model.pair_state import PairState
from model.reconcile import Reconciliation, ReplicaState
from model.reexport import Reexports
from model.retention import Reconciling
from model.state import GlobalId, Runtime, State
from model.threads import Attaching, Threads
from model.variants.agreement import Agrees
from model.variants.dirty_aliases import DirtyAliases
from model.variants.dirty_set import DirtySet
from model.variants.drops_as_its_own import DropsAsItsOwn
from model.variants.evicts import Evicts, EvictsLate
from model.variants.forwards_empty import ForwardsEmpty
from model.variants.late_since import PublishesLate
from model.variants.looks_first import LooksFirst
from model.variants.notify_first import NotifyFirst
from model.variants.one_attachment import OneAttachment
from model.variants.reexport_overwrites import ReexportOverwrites
from model.variants.reexports import (
    BacksInPlace,
    Overwrites,
    RefusesOccupied,
    Reimports,
    SourceGoverns,
)
from model.variants.standing_hold import StandingHold
from model.variants.superseded import LeavesSuperseded, LeavesSupersededCreates
from model.wake import Reading, WakeState


class Registry(Imports, Compaction, Reexports):
    """The registry between one worker of each runtime, over a few controller connections.

    Includes slots and their lifetime, publication, compaction, peer holds, imports, drop and recreation, each lock a step of its
    own. With one GlobalId it is an index that arranges itself, with more one of them re-exports another.

    Abstracts rows to the incarnation and the upper that a point shows, as nothing in the registry looks at rows; physical
    compaction away, since it decides what can be cut and not what can be read; a reading worker that sleeps to one that
    runs, since steps may be taken as late as one likes and whether it wakes at all is asked in ``wake``; and reconciliation to its order of drops and
    creates, with both sides agreed on what is kept, which is asked in ``replica``. A runtime may skip creates, so that losing commands
    adds nothing here.

    Smallest useful scope: one index, two times and two connections (17,672 states as long as no input ends, 57,306 else); three times for an as_of that
    is compacted and not reached again (91,566); two ids at one time for a re-export (159,502).
    """

    default_scope = {"GlobalId": 1, "Time": 3, "Connection": 2, "SlotRef": 3, "reserved": 2}
    environment = ("inputs_end", "same_as_of")
    presets = {
        "no_barrier": {"barrier": False},
        "reexport_overwrites": ReexportOverwrites,
        "evicts": (Evicts, {"weak_map": False}),
        "evicts_late": (EvictsLate, {"weak_map": False}),
        "attaches": {"publish_checks_slot": False, "replace_frozen": False},
        "B1": (ReexportOverwrites, {"inputs_end": False}),
        "B8": {"inputs_end": False, "reserve_peer_hold": False},
        "B9": {"inputs_end": False, "barrier": False, "key_on_as_of": False, "same_as_of": False},
        "B10": {
            "inputs_end": False,
            "barrier": False,
            "key_on_as_of": False,
            "compaction_joins": False,
        },
        "B35": {"inputs_end": False, "import_holds": False},
        "B37": {"inputs_end": False, "drop_keeps_upper": False},
        "B41": {"inputs_end": False, "reserve_peer_hold": False, "import_checks_hold": False},
        "B53": {"inputs_end": False, "weak_map": False},
    }

    def init(self, s: State, reexport: GlobalId | None) -> None:
        """No runtime has done anything; ``reexport`` is the id that the first connection exports again."""
        require((reexport is None) == (len(GlobalId) == 1))
        s.reexport = reexport

    def describe(self, s: State) -> str:
        return words.registry(s)


class Wake(Reading):
    """Wake-ups of the reading worker by the publishing one, as seen by the peeks that wait.

    Includes publication, seals of either half, the drop of a publication, peeks that are sent, wait, are cancelled and
    answered, the worker's loop, and the park token.

    Abstracts a slot to its two uppers, which is all that a peek's gate looks at: sinces and holds are in ``registry``, and a peek holds its slot, so
    that nobody can take it away. An id is published once: the next incarnation has another slot, and its peeks are others.
    Peeks come for ever, one at a time for each index: a second one on the same index would be looked at in the same passes.
    Timely's own wake-ups are left out, which make the worker look once more and change nothing.

    Smallest useful scope: one index and three uppers (1,368 states); two indexes (229,359) for the dirty set and for aliases.
    """

    default_scope = {"GlobalId": 2, "Seal": 3}
    presets = {
        "dirty_set": DirtySet,
        "dirty_aliases": DirtyAliases,
        "notify_first": NotifyFirst,
        "B7": (DirtyAliases, {"fans_out": False}),
        "B43": {"errs_notify": False},
        "B44": NotifyFirst,
    }

    def describe(self, s: WakeState) -> str:
        return words.wake(s)


class Aliases(SharedTrace):
    """An index and its re-export: two ids over one trace, each compacted on its own.

    Includes publication of both, whoever is first at the re-export, compaction of each id by the controller at the pace of each
    runtime, the drop of the source, peer holds, and dataflows that are refused or read on from a time.

    Abstracts the two halves of an index to one, since both are treated alike and a read needs both; the slots to the two points, as each id is
    created once; and leaves out recreation, which is in ``registry``. Both creates come at time 0, before any compaction: a later
    as_of would be that of a reader who begins later.

    Smallest useful scope: three times, so that two ids and a trace can all differ, and a stream of four compactions and a drop (47,559 states).
    """

    default_scope = {"Time": 3, "stream": 5}
    environment = ("source_is_dropped",)
    presets = {
        "overwrites": Overwrites,
        "reimports": Reimports,
        "publish_alias": SourceGoverns,
        "in_place": BacksInPlace,
        "refuses": RefusesOccupied,
        "keyed": (Overwrites, {"keyed_frontiers": True, "keyed_holds": True}),
        "in_place_keyed": (BacksInPlace, {"keyed_frontiers": True, "keyed_holds": True}),
        "publishes_late": PublishesLate,
        "looks_first": LooksFirst,
        "B2": BacksInPlace,
        "B3": (BacksInPlace, {"keyed_frontiers": True}),
        "B12": PublishesLate,
        "B30": (Reimports, {"floor_is_captured": False}),
        "B31": (ForwardsEmpty, {"peers_hold": False}),
        "B32": (LooksFirst, {"peers_hold": False}),
        "B36": OneAttachment,
    }

    def describe(self, s: Exports) -> str:
        return words.aliases(s)


class ThreadPair(Attaching):
    """The threads that use one registry, and the assertions that there are two.

    Includes attaching in either role, and publishing without being asked who one is. Abstracts everything that is published to
    whose it is, which is what the assertions are about. A panic ends the process (C86), so nothing happens after one.

    Smallest useful scope: two threads (39 states): a third one finds what the second one does.
    """

    default_scope = {"Thread": 2}
    environment = ("publishers_attach",)

    def describe(self, s: Threads) -> str:
        return words.threads(s)


class Barrier(Reconciliation):
    """The reconcile barrier between the workers of two runtimes, or of a replica with one, over connections that come for ever.

    Includes Hellos and their order, adapters that drop commands, command channels, and workers that read, drop, arrive, park,
    are unparked, pass and create, in one or two processes with one or two workers for each runtime. Abstracts what is dropped
    and created to the connection that brought it, which is all that the barrier is about: whether the two sides decide the
    same is asked in ``replica``. A connection that breaks before its ``InitializationComplete`` is one that never was, since
    nothing of it is executed. One live command stands for all: what matters is its place among drops and creates. Wake-ups
    from elsewhere are left out: they make a waiting worker look once more, and looking changes nothing. At most
    ``Connection`` connections are under way at once, and of those the last one is not lost, as if the controller were
    patient; a connection that is over on all sides makes room for the next.

    Smallest useful scope: two connections under way, for a later arrival. One worker on each side (7,457 states) shows the
    barrier, two (462,761, here or in two processes) what workers of one runtime must agree on; three connections are
    102,610 states for one worker and 10,698,888 for two, four 1,090,795 for one.
    """

    default_scope = {
        "Process": 1,
        "Local": 2,
        "Connection": 2,
        "accepted": 3,
        "log": 6,
        "executed": 9,
    }
    environment = ("sends_fail", "last_comes_through", "one_hello_at_a_time")
    presets = {
        "leaves_superseded": LeavesSupersededCreates,
        "B54": {"position_in_band": False},
        "B55": {"later_arrival_counts": False},
        "B56": {"wake_on_arrival": False},
    }
    # A controller connects again whenever it can; adapters and workers do not rest while they have something to do.
    fairness = (weak("hello"), weak("forward_hello"), weak.each("sequence"), weak.threads())

    def init(self, s: ReplicaState, solo: bool) -> None:
        """No connection was made yet; ``solo``: the replica has one runtime."""
        s.solo = solo
        for process in Process:
            in_band = self.design.position_in_band
            s.looked_up_in[process] = Process.first() if in_band else process

    def describe(self, s: ReplicaState) -> str:
        return words.barrier(s)


class Replica(Reconciling):
    """Two runtimes that reconcile several connections over one registry, each from its own history.

    Includes a controller that reconnects or was restarted, connections that a runtime loses in part or altogether, what each
    runtime keeps of what it has, drops, the barrier, creates, live compaction and drops, reads (dataflows or peeks) and their
    cancellation, slots, and holds on both sides. Abstracts what ``registry`` looks into, the steps of one operation and the two
    halves of an index; what ``barrier`` does, how a worker waits; and how far an index is sealed, which is in ``wake``. A
    runtime's adapter and command channel are one queue, and what an adapter drops is never put there: no one can tell when
    between the two it was lost. That an operation is one step loses no order of the two sides that matters here: where it does, ``registry`` has it in pieces. A runtime drops all its reads when it reconciles, and what the controller still waits for is built
    anew. The controller is at most ``backlog`` live commands ahead of a runtime. The last connection in scope is not lost.

    Smallest useful scope: two connections and two times (34,194 states) for whether the two sides decide the same; three
    connections (589,396) for a runtime that skips one.
    """

    default_scope = {
        "GlobalId": 1,
        "Time": 2,
        "Connection": 2,
        "SlotRef": 3,
        "commands": 6,
        "reserved": 2,
    }
    environment = ("sends_fail", "loses_connections", "loses_the_rest", "controller_restarts")
    presets = {
        "standing_hold": StandingHold,
        "leaves_superseded": LeavesSuperseded,
        "agrees": Agrees,
        "B11": {"sends_fail": False, "barrier": False},
        "B13": {"sends_fail": False, "holds_bound_compaction": False},
        "B21": (DropsAsItsOwn, {"sends_fail": False}),
    }
    # The workers do not rest while they have something to do. Nothing makes a controller connect, or send anything.
    fairness = (weak.threads(),)

    def describe(self, s: PairState) -> str:
        return words.replica(s)


class Cluster(WorkersApart):
    """Several workers for each runtime, in one or two processes: what their pairs must agree on.

    Includes how keys are divided among workers, the order in which dataflows are built, and what each worker makes of a
    re-export. Abstracts everything that happens within a pair to whether it has happened: that is in the other systems, and pairs
    share nothing but a process's table of aliases.
    Commands are the creates of one connection, in one order; connections and the barrier for several pairs are in
    ``barrier``.

    Smallest useful scope: two workers, in one process (292 states) or in two (544); four are 132,128 states.
    """

    default_scope = {"Process": 1, "Local": 2, "Key": 4}
    presets = {
        "B4": {"points_of_its_own": False},
        "B5": {"points_of_its_own": False},
        "B40": {"built_on_arrival": False},
    }

    def init(self, s: ClusterState, maintenance: Layout, interactive: Layout) -> None:
        """No worker has done anything; each runtime's workers are numbered in their way."""
        require(maintenance == interactive or not self.design.same_layout)
        require(len(Process) > 1 or not (maintenance.reversed or interactive.reversed))
        s.layouts[Runtime.MAINTENANCE] = maintenance
        s.layouts[Runtime.INTERACTIVE] = interactive

    def is_final(self, s: ClusterState) -> bool:
        """Every command is executed."""
        return s.allowed and all(
            len(s.pairs[pair].built) == 3 or not is_there(s, Runtime.INTERACTIVE, pair)
            for pair in s.pairs
        )

    def describe(self, s: ClusterState) -> str:
        return words.cluster(s)
