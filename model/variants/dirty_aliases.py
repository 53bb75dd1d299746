"""Wake-ups with a set of dirty ids, where a re-export is an alias of its source (2.12 old, C42, B7)."""

from __future__ import annotations

from explorer.lang import action, given, require
from model.state import GlobalId, Half
from model.variants.dirty_set import DirtySet
from model.wake import Next, Publication, Seal, Task, WakeState, Worker


class DirtyAliases(DirtySet):
    """One of two ids leads to the points of the other; what happens there is announced for both."""

    def init(self, s: WakeState, alias: GlobalId) -> None:
        """Nothing is published; ``alias`` is the id that will be exported again."""
        require(len(GlobalId) == 2)
        s.alias = alias

    def unpark(self, s: WakeState, id: GlobalId) -> None:
        """``note_frontier`` marks the id and its alias."""
        super().unpark(s, id)
        alias = given(s.alias)
        if id != alias and s.index[alias].publication == Publication.BACKED:
            dropped = s.index[id].publication == Publication.DROPPED
            if self.design.fans_out and (self.design.fans_out_after_drop or not dropped):
                super().unpark(s, alias)

    @action(thread=Worker.PUBLISHER)
    def publish(self, s: WakeState, id: GlobalId) -> None:
        """Publishes the source, or makes the alias once that is there: it shows what the source does."""
        require(s.publisher is None and s.index[id].publication == Publication.NONE)
        if id != s.alias:
            s.index[id].upper[Half.OKS] = Seal.first().next()
            s.publisher = Task(id=id, half=Half.OKS, next=Next.ATTACH_ERRS)
        else:
            require(any(index.publication == Publication.BACKED for index in s.index.values()))
            for half in Half:
                s.index[id].upper[half] = max(s.index[source].upper[half] for source in GlobalId)
            s.index[id].publication = Publication.BACKED
            s.publisher = Task(id=id, half=Half.OKS, next=Next.NOTIFY)

    @action(thread=Worker.PUBLISHER)
    def seal(self, s: WakeState, id: GlobalId, half: Half) -> None:
        """Seals the trace behind both ids. It lives on through the alias when the source is dropped."""
        alias = given(s.alias)
        require(s.publisher is None and id != alias)
        source = s.index[id]
        again = s.index[alias].publication == Publication.BACKED
        require(source.publication == Publication.BACKED or again)
        require(source.upper[half] < Seal.last())
        source.upper[half] = source.upper[half].next()
        if again:
            s.index[alias].upper[half] = source.upper[half]
        s.publisher = Task(id=id, half=half, next=Next.NOTIFY)
