"""What a reading worker must not sleep through, and situations in which it might."""

from __future__ import annotations

from explorer.lang import Formula, invariant, leads_to, now, reachable, temporal
from model.state import GlobalId, Half
from model.wake import At, Peek, Publication, WakeState, has_command


@invariant
def no_wake_up_is_lost(s: WakeState) -> bool:
    """A worker that sleeps, and whom nobody is about to wake, has nothing to do (C70, C72)."""
    return not is_asleep(s) or not any(has_work(s, id) for id in GlobalId)


@temporal
def an_answerable_peek_is_answered(id: GlobalId) -> Formula:
    """A peek whose index is sealed past its time does not wait for ever (C72, A1.8)."""
    return leads_to(now(is_answerable, id), now(is_over, id))


@reachable
def a_peek_waits_for_its_publication(s: WakeState) -> bool:
    """The reader was first: the point is there and empty (B45)."""
    return is_asleep(s) and any(
        s.index[id].peek == Peek.WAITING and s.index[id].publication == Publication.NONE
        for id in GlobalId
    )


@reachable
def a_peek_waits_for_its_seal(s: WakeState) -> bool:
    """The index is published, and not sealed as far as the peek reads."""
    return is_asleep(s) and any(
        s.index[id].peek == Peek.WAITING and s.index[id].publication == Publication.BACKED
        for id in GlobalId
    )


@reachable
def a_peek_waits_for_the_errors_only(s: WakeState) -> bool:
    """An error may come later than the rows of its time (C66)."""
    return is_asleep(s) and any(
        s.index[id].peek == Peek.WAITING and s.index[id].upper[Half.OKS] > s.index[id].time
        for id in GlobalId
    )


@reachable
def a_seal_arrives_after_the_peek_was_read(s: WakeState) -> bool:
    """The worker is on its way to park: only the token keeps it from sleeping (C72)."""
    return s.at == At.PARKING and any(is_answerable(s, id) for id in GlobalId)


@reachable
def a_dropped_publication_can_still_be_read(s: WakeState) -> bool:
    """The peek's own slot shows the last upper (C64, C74)."""
    return any(
        s.index[id].publication == Publication.DROPPED and is_answerable(s, id) for id in GlobalId
    )


@reachable
def the_worker_sleeps(s: WakeState) -> bool:
    """It parks, and stays parked while there is nothing to do."""
    return is_asleep(s)


def is_asleep(s: WakeState) -> bool:
    """Parked, and no unpark on its way."""
    return s.at == At.PARKED and not s.waker.token and s.publisher is None


def is_over(s: WakeState, id: GlobalId) -> bool:
    """Whether no peek of the index is under way."""
    return s.index[id].peek == Peek.NONE


def has_work(s: WakeState, id: GlobalId) -> bool:
    """A command to execute, or a peek to answer."""
    return has_command(s, id) or is_answerable(s, id)


def is_answerable(s: WakeState, id: GlobalId) -> bool:
    """Whether both halves are sealed past the time of a waiting peek."""
    index = s.index[id]
    return index.peek in (Peek.WAITING, Peek.OKS_PASSED) and all(
        index.upper[half] > index.time for half in Half
    )
