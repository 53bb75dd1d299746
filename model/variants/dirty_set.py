"""Wake-ups with a set of dirty ids and a coalescing flag (2.12 old, C70, C71)."""

from __future__ import annotations

from model.state import GlobalId
from model.wake import Reading, WakeState


class DirtySet(Reading):
    """Only the peeks of ids that were marked since the last pass are looked at again."""

    def unpark(self, s: WakeState, id: GlobalId) -> None:
        """Under the wakers' lock: marks the id; the first mark since the set was taken unparks."""
        s.waker.dirty.add(id)
        if not s.waker.pending:
            s.waker.pending = True
            self.wake(s)

    def begin_pass(self, s: WakeState) -> None:
        """What is not in the dirty set was looked at before."""
        s.looked = s.looked - s.waker.dirty
        if self.design.drains_first:
            self.take_dirty(s)

    def end_pass(self, s: WakeState) -> None:
        """Taking the set only now throws away what was marked while the peeks were read."""
        if not self.design.drains_first:
            self.take_dirty(s)

    def take_dirty(self, s: WakeState) -> None:
        """Under the wakers' lock."""
        s.waker.dirty.clear()
        s.waker.pending = False
