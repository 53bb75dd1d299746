"""Wake-ups: how the reading worker learns that there is something to read (2.11, 2.12, A1.8).

One publishing and one reading worker, and the points of a few indexes that the reader has peers of. A peek waits until
both halves of its index are sealed past its time. The reader re-reads every waiting peek before it parks; whatever the
publisher changes, it changes the point first and unparks the reader then.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from explorer.lang import Map, Ordinal, Set, System, action, initial, record, require, weak
from model.state import GlobalId, Half


class Seal(Ordinal):
    """Uppers: 0 is the minimum, also that of a point that no trace backs (C30)."""


class Worker(Enum):
    """The two workers, and the controller, who sends peeks."""

    PUBLISHER = 0
    READER = 1
    CONTROLLER = 2


class Publication(Enum):
    """What the publisher did about an index."""

    NONE = 0
    BACKED = 1
    """Its traces are attached."""
    DROPPED = 2
    """The ``PublishToken`` is gone. The reader's peer keeps the slot, whose points stay at their last upper (C64)."""


class Peek(Enum):
    """A peek, as the reading worker has it."""

    NONE = 0
    SENT = 1
    """In the worker's command queue."""
    WAITING = 2
    """Executed; among the queued peeks."""
    OKS_PASSED = 3
    """In this pass the gate of the rows was found open."""


class Next(Enum):
    """What the publisher does next in the operation it is in."""

    ATTACH_ERRS = 0
    ADVANCE = 1
    """A seal was announced, and the point's upper is still to be changed: only where the order is wrong."""
    NOTIFY = 2


@record(frozen=True)
class Task:
    """The operation that the publisher is in; ``half`` is the one that changes."""

    id: GlobalId
    half: Half
    next: Next


class At(Enum):
    """Where the reading worker is in its loop (2.20)."""

    COMMANDS = 0
    """It executes the commands that have arrived."""
    PEEKS = 1
    """It re-reads the waiting peeks, each once."""
    PARKING = 2
    """It is about to park: every peek was looked at."""
    PARKED = 3


@record
class Index:
    """An index: its slot's points, and the one peek of it that may be under way."""

    publication: Publication
    upper: Map[Half, Seal]
    peek: Peek
    time: Seal
    """The time of the peek."""
    cancelled: bool
    """A CancelPeek for it is in the worker's command queue."""


@record
class Waker:
    """What the publisher leaves for the reader."""

    token: bool = False
    """The thread's unpark token."""
    dirty: Set[GlobalId] = initial()
    """With a dirty set only: the ids to look at again."""
    pending: bool = False
    """With a dirty set only: an unpark is under way, others need not follow (C71)."""


@record
class WakeState:
    """A registry, as far as waking is concerned."""

    index: Map[GlobalId, Index]
    publisher: Task | None
    waker: Waker
    at: At
    looked: Set[GlobalId]
    """The peeks that this pass has looked at."""
    alias: GlobalId | None
    """With aliases only: the id that leads to the points of the other one."""


@dataclass(frozen=True)
class WakeDesign:
    """The protocol as its documents describe it."""

    notify_on_publish: bool = True
    """A publication unparks the reader, once both halves are attached (A1.8)."""
    notify_on_seal: bool = True
    """A seal unparks the reader (A1.8)."""
    errs_notify: bool = True
    """So does a seal of the errs (C66, B43)."""
    notify_on_unpublish: bool = True
    """A drop of the publication unparks the reader (A1.8, C74)."""
    sticky_token: bool = True
    """An unpark is remembered until the next park (C72)."""
    reads_before_parking: bool = True
    """Every pass of the worker looks at every waiting peek (C72); off: only at those that have just arrived."""
    drains_commands: bool = True
    """The worker turns to the peeks when no command is left; off: when it has executed some. The documents do not say."""
    drains_first: bool = True
    """With a dirty set only: it is taken before the peeks are looked at (C70)."""
    fans_out: bool = True
    """With aliases only: what marks an id marks its alias, too (C42, B7)."""
    fans_out_after_drop: bool = True
    """With aliases only: so it does when the id itself was dropped (C42, B7)."""


class Publishing(System[WakeState]):
    """The publishing worker."""

    design = WakeDesign()

    def unpark(self, s: WakeState, id: GlobalId) -> None:
        """``notify``: a bare unpark of the thread; ``id`` says which index changed and is not passed on."""
        self.wake(s)

    def wake(self, s: WakeState) -> None:
        """Unparks the reading thread. The token is there once, however often it is given."""
        if self.design.sticky_token or s.at == At.PARKED:
            s.waker.token = True

    @action(thread=Worker.PUBLISHER)
    def publish(self, s: WakeState, id: GlobalId) -> None:
        """Attaches the trace of the rows of {id}, sealed as far as its snapshot goes."""
        require(s.publisher is None and s.index[id].publication == Publication.NONE)
        s.index[id].upper[Half.OKS] = Seal.first().next()
        s.publisher = Task(id=id, half=Half.OKS, next=Next.ATTACH_ERRS)

    @action(thread=Worker.PUBLISHER)
    def attach_errs(self, s: WakeState, id: GlobalId) -> None:
        """Attaches the trace of the errors of {id}."""
        require(s.publisher == Task(id=id, half=Half.OKS, next=Next.ATTACH_ERRS))
        s.index[id].upper[Half.ERRS] = Seal.first().next()
        s.index[id].publication = Publication.BACKED
        s.publisher = None
        if self.design.notify_on_publish:
            s.publisher = Task(id=id, half=Half.OKS, next=Next.NOTIFY)

    @action(thread=Worker.PUBLISHER)
    def seal(self, s: WakeState, id: GlobalId, half: Half) -> None:
        """Seals the {half} of {id} further, under the point's lock; the reader is unparked after that (C65)."""
        index = s.index[id]
        require(s.publisher is None and index.publication == Publication.BACKED)
        require(index.upper[half] < Seal.last())
        index.upper[half] = index.upper[half].next()
        if self.notifies(half):
            s.publisher = Task(id=id, half=half, next=Next.NOTIFY)

    def notifies(self, half: Half) -> bool:
        """Whether a seal of this half unparks the reader."""
        return self.design.notify_on_seal and (self.design.errs_notify or half == Half.OKS)

    @action(thread=Worker.PUBLISHER)
    def unpublish(self, s: WakeState, id: GlobalId) -> None:
        """Drops the ``PublishToken`` of {id}."""
        require(s.publisher is None and s.index[id].publication == Publication.BACKED)
        s.index[id].publication = Publication.DROPPED
        if self.design.notify_on_unpublish:
            s.publisher = Task(id=id, half=Half.OKS, next=Next.NOTIFY)

    @action(thread=Worker.PUBLISHER)
    def notify(self, s: WakeState, id: GlobalId, half: Half) -> None:
        """Unparks the reader, after the point's lock was released."""
        require(s.publisher == Task(id=id, half=half, next=Next.NOTIFY))
        self.unpark(s, id)
        s.publisher = None


class Reading(Publishing):
    """The reading worker: ``step_or_park``, the commands, the peeks, and again."""

    # Both threads run. The publisher ends what it began; nothing makes it publish or seal.
    fairness = [weak.thread(Worker.READER), weak("process_peeks"), weak("attach_errs", "notify")]

    @action(thread=Worker.CONTROLLER)
    def send_peek(self, s: WakeState, id: GlobalId, time: Seal) -> None:
        """Sends a peek of {id} at {time}. What arrives in the command channel, a dataflow of the worker, wakes it."""
        require(s.index[id].peek == Peek.NONE and not s.index[id].cancelled and time < Seal.last())
        s.index[id].peek = Peek.SENT
        s.index[id].time = time
        self.wake(s)

    @action(thread=Worker.READER)
    def execute_peek(self, s: WakeState, id: GlobalId) -> None:
        """Executes the command: the peek of {id} waits from here on. It clones its peer's bundle, which keeps the slot."""
        require(s.at == At.COMMANDS and s.index[id].peek == Peek.SENT)
        s.index[id].peek = Peek.WAITING

    @action(thread=Worker.CONTROLLER)
    def send_cancel(self, s: WakeState, id: GlobalId) -> None:
        """Does not want the answer about {id} any more. The peek may be answered before the command is executed."""
        require(s.index[id].peek != Peek.NONE and not s.index[id].cancelled)
        s.index[id].cancelled = True
        self.wake(s)

    @action(thread=Worker.READER)
    def execute_cancel(self, s: WakeState, id: GlobalId) -> None:
        """Executes the CancelPeek for {id}, which follows its peek."""
        require(s.at == At.COMMANDS and s.index[id].cancelled and s.index[id].peek != Peek.SENT)
        s.index[id].cancelled = False
        self.forget(s, id)

    def forget(self, s: WakeState, id: GlobalId) -> None:
        """The peek is answered or cancelled; the next one for this index will be looked at on arrival."""
        s.index[id].peek = Peek.NONE
        s.index[id].time = Seal.first()
        s.looked.discard(id)

    @action(thread=Worker.READER)
    def process_peeks(self, s: WakeState) -> None:
        """Turns to the peeks."""
        require(s.at == At.COMMANDS)
        if self.design.drains_commands:
            require(not any(has_command(s, id) for id in GlobalId))
        s.at = At.PEEKS
        self.begin_pass(s)

    def begin_pass(self, s: WakeState) -> None:
        """No peek was looked at yet. Without ``reads_before_parking`` those of earlier passes count as looked at."""
        if self.design.reads_before_parking:
            s.looked.clear()

    @action(thread=Worker.READER)
    def read_oks(self, s: WakeState, id: GlobalId) -> None:
        """Looks at the rows of {id}, for a waiting peek."""
        index = s.index[id]
        require(s.at == At.PEEKS and index.peek == Peek.WAITING and id not in s.looked)
        if index.upper[Half.OKS] > index.time:
            index.peek = Peek.OKS_PASSED
        else:
            s.looked.add(id)

    @action(thread=Worker.READER)
    def read_errs(self, s: WakeState, id: GlobalId) -> None:
        """Looks at the errors of {id}, under a lock of their own, and answers if they are sealed, too."""
        index = s.index[id]
        require(s.at == At.PEEKS and index.peek == Peek.OKS_PASSED)
        if index.upper[Half.ERRS] > index.time:
            self.forget(s, id)
        else:
            index.peek = Peek.WAITING
            s.looked.add(id)

    @action(thread=Worker.READER)
    def finish_pass(self, s: WakeState) -> None:
        """Every waiting peek was looked at."""
        require(s.at == At.PEEKS)
        require(all(s.index[id].peek == Peek.NONE or self.is_done(s, id) for id in GlobalId))
        s.at = At.PARKING
        self.end_pass(s)

    def is_done(self, s: WakeState, id: GlobalId) -> bool:
        """Whether this pass leaves the peek of ``id`` alone from here on."""
        if s.index[id].peek == Peek.SENT:
            return True
        return s.index[id].peek == Peek.WAITING and id in s.looked

    def end_pass(self, s: WakeState) -> None:
        """What the worker does after it looked at the peeks."""

    @action(thread=Worker.READER)
    def step_or_park(self, s: WakeState) -> None:
        """Parks, unless it was unparked since it last did, or left commands: then it goes on at once."""
        require(s.at == At.PARKING)
        left = not self.design.drains_commands and any(has_command(s, id) for id in GlobalId)
        s.at = At.COMMANDS if s.waker.token or left else At.PARKED
        s.waker.token = False

    @action(thread=Worker.READER)
    def wake_up(self, s: WakeState) -> None:
        """Was unparked."""
        require(s.at == At.PARKED and s.waker.token)
        s.waker.token = False
        s.at = At.COMMANDS


def has_command(s: WakeState, id: GlobalId) -> bool:
    """Whether a command about ``id`` is in the reading worker's queue."""
    return s.index[id].peek == Peek.SENT or s.index[id].cancelled
