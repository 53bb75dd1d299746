"""Re-exports: one trace, published under a second id (2.14)."""

from __future__ import annotations

from explorer.lang import action, require
from model.publication import Publication
from model.state import Create, GlobalId, Half, Runtime, State, Time


class Reexports(Publication):
    """The current design: the second id has points of its own, attached to the same trace (R5, C39)."""

    @action(thread=Runtime.MAINTENANCE)
    def reexport(self, s: State, id: GlobalId, source: GlobalId, as_of: Time) -> None:
        """Renders a dataflow that imports {source} and exports its arrangement as {id}.

        Its bundle has agents of its own, so the trace outlives the source's own bundle (C42).
        """
        require(self.maintenance_is_free(s) and s.bundles[id].create is None)
        create = self.command(s, Runtime.MAINTENANCE, id, as_of, source)
        for half in Half:
            s.bundles[id].agents[half] = s.bundles[source].agents[half]
        self.publish_reexport(s, id, create, source)

    def publish_reexport(self, s: State, id: GlobalId, create: Create, source: GlobalId) -> None:
        """Takes the slot to publish the source's traces in, like any other publication."""
        self.take_slot(s, id, create, source)
