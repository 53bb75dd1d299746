"""The systems: which mechanisms each is composed of."""

from __future__ import annotations

from explorer.lang import require
from model.aliases import SharedTrace
from model.compaction import Compaction
from model.imports import Imports
from model.reexport import Reexports
from model.state import GlobalId, State
from model.threads import Attaching
from model.variants.dirty_set import DirtySet
from model.variants.notify_first import NotifyFirst
from model.variants.reexport_overwrites import ReexportOverwrites
from model.variants.reexports import (
    BacksInPlace,
    Overwrites,
    RefusesOccupied,
    Reimports,
    SourceGoverns,
)
from model.wake import Reading


class Registry(Imports, Compaction, Reexports):
    """The registry between one worker of each runtime, over a few controller connections.

    Includes slots and their lifetime, publication, compaction, peer holds, imports, drop and recreation. With one
    GlobalId it is an index that arranges itself, with more one of them re-exports another. Abstracts rows to frontiers,
    reconciliation to its order of drops and creates, and wake-ups to a reading worker that always runs.
    """

    default_scope = {"GlobalId": 1, "Time": 3, "Connection": 2, "SlotRef": 3, "reserved": 2}
    presets = {"no_barrier": {"barrier": False}, "reexport_overwrites": ReexportOverwrites}

    def init(self, s: State, reexport: GlobalId | None) -> None:
        """No runtime has done anything; ``reexport`` is the id that the first connection exports again."""
        require((reexport is None) == (len(GlobalId) == 1))
        s.reexport = reexport


class Wake(Reading):
    """Wake-ups of the reading worker by the publishing one, as seen by the peeks that wait.

    Includes publication, seals of either half, the drop of a publication, peeks that are sent, wait, are cancelled and
    answered, the worker's loop, and the park token. Abstracts a slot to its two uppers, which is all that a peek's gate
    looks at: sinces and holds are in ``registry``, and a peek holds its slot. An id is published once. Peeks come for ever,
    one at a time for each index. Smallest useful scope: one index and
    three uppers (1,368 states); two indexes (229,359) for the dirty set.
    """

    default_scope = {"GlobalId": 2, "Seal": 3}
    presets = {"dirty_set": DirtySet, "notify_first": NotifyFirst}


class Aliases(SharedTrace):
    """An index and its re-export: two ids over one trace, each compacted on its own.

    Includes publication of both, whoever is first at the re-export, compaction of each id by the controller at the pace of each
    runtime, peer holds, and dataflows that read at a time. Abstracts the two halves of an index to one, since both are treated
    alike, and leaves out drops and recreation, which are in ``registry``. Smallest useful scope: three times, so that two ids
    and a trace can all differ, and a stream of four compactions (13,423 states).
    """

    default_scope = {"Time": 3, "stream": 4}
    presets = {
        "overwrites": Overwrites,
        "reimports": Reimports,
        "publish_alias": SourceGoverns,
        "in_place": BacksInPlace,
        "refuses": RefusesOccupied,
        "keyed": (Overwrites, {"keyed_by_id": True}),
        "in_place_keyed": (BacksInPlace, {"keyed_by_id": True}),
    }


class ThreadPair(Attaching):
    """The threads that use one registry, and the assertions that there are two.

    Includes attaching in either role, and publishing without being asked who one is. Abstracts everything that is published to
    whose it is. A panic ends the process (C86), so nothing happens after one. Smallest useful scope: two threads (39
    states).
    """

    default_scope = {"Thread": 2}
