"""A repair that the documents do not have (H1, H2): the two sides agree on what they keep.

After the barrier each worker looks at what the other one kept, and drops an index that is not kept on both sides in one
slot. They meet once more before either creates.
"""

from __future__ import annotations

from explorer.lang import Set, action, require
from model.barrier import other
from model.pair_state import PairState, Stage
from model.state import GlobalId, Runtime
from model.variants.superseded import LeavesSuperseded


class Agrees(LeavesSuperseded):
    """An index is kept by both in the same slot, or by neither."""

    def take_up(self, s: PairState, runtime: Runtime) -> None:
        """Looks once more at what it keeps."""
        side = s.sides[runtime]
        side.stage = Stage.AGREEING
        if runtime == Runtime.MAINTENANCE:
            side.undecided = Set(id for id in GlobalId if s.published[id].slot is not None)
        else:
            side.undecided = Set(id for id in GlobalId if s.recorded[id].slot is not None)

    @action(thread="runtime")
    def agree(self, s: PairState, runtime: Runtime, id: GlobalId) -> None:
        """Drops {id} unless the other side keeps it in the same slot."""
        side = s.sides[runtime]
        require(side.stage == Stage.AGREEING and id in side.undecided)
        side.undecided.remove(id)
        if s.published[id].slot != s.recorded[id].slot:
            if runtime == Runtime.MAINTENANCE:
                self.drop_index(s, id)
            else:
                self.drop_peer(s, id)

    @action(thread="runtime")
    def meet_again(self, s: PairState, runtime: Runtime) -> None:
        """Both sides have nothing left to look at, or the other one has already gone on."""
        side = s.sides[runtime]
        theirs = s.sides[other(runtime)]
        require(side.stage == Stage.AGREEING and len(side.undecided) == 0)
        if theirs.connection == side.connection:
            require(theirs.stage != Stage.ARRIVED)
            require(theirs.stage != Stage.AGREEING or len(theirs.undecided) == 0)
        side.stage = Stage.CREATING
