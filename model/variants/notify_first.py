"""Wake-ups that come before what they announce (C65, B44)."""

from __future__ import annotations

from explorer.lang import action, require, weak
from model.state import GlobalId, Half
from model.wake import Next, Publication, Reading, Seal, Task, WakeState, Worker


class NotifyFirst(Reading):
    """A seal unparks the reader, then changes the point."""

    fairness = [*Reading.fairness, weak("advance")]

    @action(thread=Worker.PUBLISHER)
    def seal(self, s: WakeState, id: GlobalId, half: Half) -> None:
        """Announces a seal."""
        index = s.index[id]
        require(s.publisher is None and index.publication == Publication.BACKED)
        require(index.upper[half] < Seal.last())
        self.unpark(s, id)
        s.publisher = Task(id=id, half=half, next=Next.ADVANCE)

    @action(thread=Worker.PUBLISHER)
    def advance(self, s: WakeState, id: GlobalId, half: Half) -> None:
        """The upper that was announced already."""
        require(s.publisher == Task(id=id, half=half, next=Next.ADVANCE))
        s.index[id].upper[half] = s.index[id].upper[half].next()
        s.publisher = None
