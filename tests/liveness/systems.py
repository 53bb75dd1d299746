"""Small systems for the tests of temporal properties."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import Annotated, ClassVar

from explorer.lang import (
    Between,
    Formula,
    Map,
    Ordinal,
    Sort,
    System,
    action,
    always_eventually,
    eventually,
    leads_to,
    now,
    record,
    require,
    strong,
    temporal,
    weak,
)
from explorer.lang.fairness import Fair


@record
class Count:
    """A number."""

    n: Annotated[int, Between(0, 3)]


def two(s: Count) -> bool:
    """Whether it is 2."""
    return s.n == 2


class Counts(System[Count]):
    """The number goes up to 2 and stays there; or to 3 at once."""

    fairness: ClassVar[tuple[Fair, ...]] = (weak("up"),)

    def is_final(self, s: Count) -> bool:
        """Whether it may end here."""
        return s.n >= 2

    @action
    def up(self, s: Count) -> None:
        """One more."""
        require(s.n < 2)
        s.n += 1

    @action
    def jump(self, s: Count) -> None:
        """Past everything."""
        require(s.n == 1)
        s.n = 3


class Calm(Counts):
    """Without the jump."""

    @action
    def jump(self, s: Count) -> None:
        """Never."""
        require(False)


@temporal
def reaches_two() -> Formula:
    """The number is 2 some time."""
    return eventually(two)


@temporal(fairness=())
def reaches_two_by_itself() -> Formula:
    """The same without fairness: the run may stop before."""
    return eventually(two)


class Worker(Sort):
    """A worker."""


@record
class Work:
    """Who waits, who was served."""

    waiting: Map[Worker, bool]
    served: Map[Worker, bool]


def waits(s: Work, w: Worker) -> bool:
    """Whether a worker waits."""
    return s.waiting[w]


def served(s: Work, w: Worker) -> bool:
    """Whether a worker was served last."""
    return s.served[w]


class Serving(System[Work]):
    """Workers ask and are served, one by one; without fairness to each of them one may wait for ever."""

    default_scope = {"Worker": 2}
    fairness: ClassVar[tuple[Fair, ...]] = (weak.each("serve"),)

    @action
    def ask(self, s: Work, w: Worker) -> None:
        """A worker begins to wait."""
        require(not s.waiting[w])
        s.waiting[w] = True
        s.served[w] = False

    @action
    def serve(self, s: Work, w: Worker) -> None:
        """It gets what it waits for."""
        require(s.waiting[w])
        s.waiting[w] = False
        s.served[w] = True


class Shared(Serving):
    """Fair only to serving as a whole."""

    fairness: ClassVar[tuple[Fair, ...]] = (weak("serve"),)


@temporal
def everybody_is_served(w: Worker) -> Formula:
    """A worker that waits is served."""
    return leads_to(now(waits, w), now(served, w))


class Tick(Ordinal):
    """A moment."""


@record
class Clock:
    """A time that grows, and whether the alarm is on."""

    now: Tick
    on: bool


def on(s: Clock) -> bool:
    """Whether the alarm is on."""
    return s.on


class Clocks(System[Clock]):
    """Time goes on beyond every scope; the alarm is switched on in the end, or not."""

    default_scope = {"Tick": 3}
    fairness: ClassVar[tuple[Fair, ...]] = (weak("tick"),)

    @action
    def tick(self, s: Clock) -> None:
        """Time goes on."""
        s.now = s.now.next()

    @action
    def ring(self, s: Clock) -> None:
        """The alarm, at the second moment."""
        require(s.now == Tick.first().next())
        s.on = True


class Waiting(Clocks):
    """Time may stand still: every run in the scope is fair."""

    fairness: ClassVar[tuple[Fair, ...]] = ()


@temporal
def the_alarm_rings() -> Formula:
    """The alarm is on some time."""
    return eventually(on)


@temporal
def the_alarm_stays_possible() -> Formula:
    """Always true: in each state the alarm is on or it is not."""
    return always_eventually(now(on) | ~now(on))


@record
class Forks:
    """Two diners and the fork between them."""

    taken: bool
    ate: bool


def ate(s: Forks) -> bool:
    """Whether the second one has eaten."""
    return s.ate


class Greedy(System[Forks]):
    """The first one takes the fork and puts it back; the second can eat only in between."""

    fairness: ClassVar[tuple[Fair, ...]] = (strong("take"), weak("eat"))

    @action
    def take(self, s: Forks) -> None:
        """The first one takes the fork."""
        require(not s.taken)
        s.taken = True

    @action
    def put(self, s: Forks) -> None:
        """And back."""
        require(s.taken)
        s.taken = False

    @action
    def eat(self, s: Forks) -> None:
        """The second one eats."""
        require(not s.taken)
        s.ate = True


class Patient(Greedy):
    """Strong fairness to the second one."""

    fairness: ClassVar[tuple[Fair, ...]] = (strong("eat"), weak("put"), weak("take"))


@temporal
def the_second_one_eats() -> Formula:
    """It eats some time."""
    return eventually(ate)


class Left(IntEnum):
    """A thread; its value is that of another one."""

    WORKER = 0


class Right(IntEnum):
    """The other."""

    WORKER = 0


@record
class Two:
    """What two threads do."""

    turned: bool
    done: bool


class LikeNumbers(System[Two]):
    """Two threads that ``==`` takes for one: each acts without end, in turns of the first."""

    fairness: ClassVar[tuple[Fair, ...]] = (weak.threads(),)

    @action(thread=Left.WORKER)
    def turn(self, s: Two) -> None:
        """Turns."""
        s.turned = not s.turned

    @action(thread=Right.WORKER)
    def finish(self, s: Two) -> None:
        """Is always possible."""
        s.done = True


class InTurns(LikeNumbers):
    """The second is possible now and then."""

    @action(thread=Right.WORKER)
    def finish(self, s: Two) -> None:
        """Needs the other to have turned."""
        require(s.turned)
        s.done = True


class Far(StrEnum):
    """A thread whose value is a string, and the name of a parameter."""

    WORKER = "by"


class LikeText(LikeNumbers):
    """Such a thread."""

    fairness: ClassVar[tuple[Fair, ...]] = (weak.thread(Far.WORKER),)

    @action(thread=Far.WORKER)
    def end(self, s: Two, by: bool) -> None:
        """Is always possible."""
        s.done = True


def done(s: Two) -> bool:
    """Whether it is done."""
    return s.done


@temporal
def it_gets_done() -> Formula:
    """If the threads are two, and each is fair."""
    return eventually(done)
