"""The controller's connections, as far as the registry sees them.

A connection lists the incarnations that it wants. A runtime that reads it drops what the new connection does not keep,
and creates the rest. Which incarnations those are is chosen when the first of the two runtimes gets there; the other
one follows, at its own pace. Assumed here, and looked into where reconciliation itself is modelled:

* both runtimes take the same decision about what to keep, and what is kept has kept its as_of (H1, H2);
* a runtime that falls behind executes a connection's creates in part or not at all, but always its drops;
* with ``barrier``, both finish a connection's drops before either executes a create of it.

A drop on the live stream is not an action of its own: it is the drop of the next connection, executed before anything
else of that connection.
"""

from __future__ import annotations

from explorer.lang import System, action, require
from model.design import Design
from model.state import Connection, Create, GlobalId, Phase, Runtime, State, Time


class Controller(System[State]):
    """Connections, the creates they bring, and the order of drops and creates."""

    design = Design()

    def is_free(self, s: State, runtime: Runtime) -> bool:
        """Whether the runtime's worker is between two operations."""
        if runtime == Runtime.MAINTENANCE:
            return self.maintenance_is_free(s)
        return s.reader is None

    def maintenance_is_free(self, s: State) -> bool:
        """Whether the maintenance worker is between two operations."""
        return s.publisher is None

    @action(thread="runtime")
    def reconnect(self, s: State, runtime: Runtime, kept: GlobalId | None) -> None:
        """Reads the commands of the next connection, which keeps at most one index as it is: {kept}.

        Not a re-export: it imports its source, so it is kept only if that is (C89).
        """
        now = s.connection[runtime]
        require(self.is_free(s, runtime) and s.phase[runtime] == Phase.CREATING)
        require(now < Connection.last())
        following = now.next()
        if s.connection[other(runtime)] > now:
            require(kept is None)  # The other runtime was first: it is decided.
        elif kept is not None:
            create = s.commands[now][kept]
            require(create is not None and create.source is None)
            s.commands[following][kept] = create
        s.connection[runtime] = following
        s.phase[runtime] = Phase.DROPPING

    @action(thread="runtime")
    def arrive(self, s: State, runtime: Runtime) -> None:
        """Has nothing left to drop."""
        require(self.is_free(s, runtime) and s.phase[runtime] == Phase.DROPPING)
        if runtime == Runtime.MAINTENANCE:
            require(
                not any(self.is_to_drop(s, runtime, id, s.bundles[id].create) for id in GlobalId)
            )
        else:
            require(not any(self.is_to_drop(s, runtime, id, s.peers[id].create) for id in GlobalId))
            if self.design.drops_end_imports:
                require(all(s.imports[id].create is None for id in GlobalId))
        s.phase[runtime] = Phase.ARRIVED

    @action(thread="runtime")
    def start_creates(self, s: State, runtime: Runtime) -> None:
        """Passes the barrier."""
        require(s.phase[runtime] == Phase.ARRIVED)
        if self.design.barrier:
            require(has_dropped(s, other(runtime), s.connection[runtime]))
        s.phase[runtime] = Phase.CREATING

    def is_to_drop(self, s: State, runtime: Runtime, id: GlobalId, create: Create | None) -> bool:
        """Whether the runtime's connection does not keep this incarnation of ``id``."""
        return create is not None and s.commands[s.connection[runtime]][id] != create

    def command(
        self, s: State, runtime: Runtime, id: GlobalId, as_of: Time, source: GlobalId | None
    ) -> Create:
        """The runtime's connection creates ``id`` like this; chosen here if the other runtime did not yet.

        Creates arrive in the order of what they import, so that of a source comes before its re-export (C3).
        """
        require(s.phase[runtime] == Phase.CREATING)
        now = s.connection[runtime]
        if source is not None:
            require(has_created(s, runtime, source))
        known = s.commands[now][id]
        if known is not None:
            require(known.as_of == as_of and known.source == source)
            return known
        require(self.may_create(s, now, id, as_of, source))
        create = Create(connection=now, as_of=as_of, source=source)
        s.commands[now][id] = create
        return create

    def may_create(
        self, s: State, now: Connection, id: GlobalId, as_of: Time, source: GlobalId | None
    ) -> bool:
        """What the controller sends: as_ofs that are readable, and re-exports of what this connection has.

        The one id that may be a re-export is one in the first connection; later it may arrange the index itself.
        """
        if not self.design.same_as_of and any(was_at(s, c, id, as_of) for c in Connection):
            return False
        if source is None:
            return id != s.reexport or now > Connection.first()
        imported = s.commands[now][source]
        if id != s.reexport or imported is None or imported.source is not None:
            return False
        return imported.as_of <= as_of and self.is_readable(s, source, imported, as_of)

    def is_readable(self, s: State, source: GlobalId, imported: Create, as_of: Time) -> bool:
        """Whether the controller did not allow the source to compact beyond ``as_of`` (C2)."""
        if s.bundles[source].create != imported:
            return True
        return all(agent is None or agent <= as_of for agent in s.bundles[source].agents.values())


def other(runtime: Runtime) -> Runtime:
    """The other runtime."""
    return Runtime.INTERACTIVE if runtime == Runtime.MAINTENANCE else Runtime.MAINTENANCE


def has_dropped(s: State, runtime: Runtime, connection: Connection) -> bool:
    """Whether the runtime is done with the drops of ``connection``."""
    if s.connection[runtime] == connection:
        return s.phase[runtime] != Phase.DROPPING
    return s.connection[runtime] > connection


def has_created(s: State, runtime: Runtime, id: GlobalId) -> bool:
    """Whether the runtime has executed its connection's create of ``id``."""
    create = s.commands[s.connection[runtime]][id]
    if runtime == Runtime.MAINTENANCE:
        return create is not None and s.bundles[id].create == create
    return create is not None and s.peers[id].create == create


def was_at(s: State, connection: Connection, id: GlobalId, as_of: Time) -> bool:
    """Whether ``connection`` wants ``id`` at ``as_of``."""
    create = s.commands[connection][id]
    return create is not None and create.as_of == as_of
