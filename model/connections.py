"""Connections on their way to the workers: Hello, adapters, command channels (2.19, A2.4, A2.6).

A controller connection brings a Hello, the commands to reconcile up to ``InitializationComplete``, and live commands.
What comes before ``InitializationComplete`` is one command here: a worker executes nothing of it before it has it all, and
a connection that breaks before is as if it had never been made (2.17). The
multiplexing client of process 0 records the Hello's position and forwards it to the maintenance runtime and then to the
interactive one. In each runtime an adapter takes connections one at a time and forwards their commands to the command
channel, which delivers them to all workers of the runtime in one order.

A connection is named by its number in the order of Hellos. Connections arrive for ever: when the first one has been dealt
with everywhere it is forgotten, and the numbers of the others move up.
"""

from __future__ import annotations

from enum import Enum

from explorer.lang import Map, Ordinal, Seq, Set, initial, record
from model.barrier import before
from model.state import Connection, Runtime


class Process(Ordinal):
    """The processes of a replica. All commands come to the first one; the others get Hellos."""


class Kind(Enum):
    """What the workers tell apart among a connection's commands."""

    COMPLETE = 0
    """All up to ``InitializationComplete``: what to reconcile with."""
    LIVE = 1
    """What comes after it."""


@record(frozen=True)
class Command:
    """A command, tagged with the connection it came on."""

    connection: Connection
    kind: Kind


@record
class Channel:
    """A runtime's adapter and its command channel."""

    accepted: Seq[Connection] = initial()
    """The connections that the adapter was handed and has not finished with; it is at the first."""
    begun: bool = False
    """It has forwarded what that connection has up to ``InitializationComplete``."""
    log: Seq[Command] = initial()
    """What the channel delivers to each worker of the runtime, as far as not all of them have read it."""


@record
class Hellos:
    """The multiplexing clients: whose Hello came, where it is known, and where it was forwarded."""

    newest: Connection | None = None
    to_forward: Map[Runtime, Set[Connection]] = initial()
    order: Map[Process, Map[Connection, Connection | None]] = initial()
    """``ConnectionOrder`` of each process: the positions of the connections whose Hello it recorded (A2.4)."""
    missed: Map[Process, Set[Connection]] = initial()
    """The connections whose Hello never comes to the process."""


def record_hello(hellos: Hellos, process: Process, connection: Connection) -> None:
    """Gives the connection the next position in the order of ``process``."""
    order = hellos.order[process]
    last = latest_in(order)
    order[connection] = Connection.first() if last is None else last.next()


def latest_in(order: Map[Connection, Connection | None]) -> Connection | None:
    """The last position that was given, of those not forgotten."""
    last: Connection | None = None
    for connection in Connection:
        position = order[connection]
        if position is not None and (last is None or position > last):
            last = position
    return last


def forget_hello(hellos: Hellos) -> None:
    """Forgets the first connection, which nothing refers to any more."""
    newest = hellos.newest
    if newest is not None:
        hellos.newest = None if newest == Connection.first() else before(newest)
    for runtime in Runtime:
        hellos.to_forward[runtime] = Set(before(c) for c in hellos.to_forward[runtime])
    for process in Process:
        forget_position(hellos.order[process])
        hellos.missed[process] = Set(
            before(c) for c in hellos.missed[process] if c != Connection.first()
        )


def forget_position(order: Map[Connection, Connection | None]) -> None:
    """Takes the first connection out of an order."""
    gone = order[Connection.first()]
    for connection in Connection:
        if connection == Connection.last():
            order[connection] = None
        else:
            position = order[connection.next()]
            if gone is not None and position is not None and position > gone:
                position = before(position)
            order[connection] = position


def forget_commands(channel: Channel) -> None:
    """The connections of the commands that are left move up."""
    for i in range(len(channel.accepted)):
        channel.accepted[i] = before(channel.accepted[i])
    for i in range(len(channel.log)):
        command = channel.log[i]
        channel.log[i] = Command(before(command.connection), command.kind)


def is_under_way(channel: Channel, connection: Connection) -> bool:
    """Whether the adapter or the channel still has something of the connection."""
    return connection in channel.accepted or any(c.connection == connection for c in channel.log)
