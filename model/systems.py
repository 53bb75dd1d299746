"""The systems: which mechanisms each is composed of."""

from __future__ import annotations

from explorer.lang import require
from model.compaction import Compaction
from model.imports import Imports
from model.reexport import Reexports
from model.state import GlobalId, State
from model.variants.reexport_overwrites import ReexportOverwrites


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
