"""States in a few words, for `slotcheck explain`: ordinary Python, not part of the model."""

from __future__ import annotations

from collections.abc import Iterable

from explorer.lang.text import format_value as show
from model.aliases import Exports
from model.cluster import ClusterState
from model.pair_state import PairState
from model.reconcile import ReplicaState
from model.state import GlobalId, Half, Runtime, Slot, State
from model.threads import Threads
from model.wake import Peek, WakeState


def registry(s: State) -> str:
    """Where each id leads to, and what the two workers are at."""
    parts = [_id(s, id) for id in GlobalId]
    for runtime in Runtime:
        task = s.publisher if runtime == Runtime.MAINTENANCE else s.reader
        at = f"next {show(task.next)} of {task.id}" if task is not None else show(s.phase[runtime])
        parts.append(f"{show(runtime)} {at}")
    return "; ".join(parts)


def _id(s: State, id: GlobalId) -> str:
    slot = s.entry[id]
    words = [f"{id}: {slot} ({_slot(s.slots[slot])})" if slot is not None else f"{id}: no slot"]
    if s.bundles[id].create is not None:
        words.append(f"published in {show(s.bundles[id].token)}")
    if s.peers[id].create is not None:
        words.append(f"peer in {show(s.peers[id].slot)}")
    if s.imports[id].create is not None:
        words.append(f"read at {s.imports[id].as_of}")
    return ", ".join(words)


def _slot(slot: Slot) -> str:
    backed = [show(half) for half in Half if slot.points[half].trace is not None]
    return f"as_of {slot.as_of}, {_list(backed, 'unbacked', 'backed: ')}"


def wake(s: WakeState) -> str:
    """The reader, its token, and the peeks that are under way."""
    peeks = [
        f"{show(index.peek)} peek of {id} at {index.time}"
        for id, index in s.index.items()
        if index.peek != Peek.NONE
    ]
    token = "token set" if s.waker.token else "no token"
    sealed = (
        f"{id} sealed to {'/'.join(show(index.upper[half]) for half in Half)}"
        for id, index in s.index.items()
    )
    return "; ".join([f"reader {show(s.at)}, {token}", *sealed, _list(peeks, "no peek")])


def aliases(s: Exports) -> str:
    """The trace, the point that each id is bound to, and who reads."""
    bound = [f"{show(id)} bound to {show(point)}" for id, point in s.bound.items()]
    readers = [
        f"{show(id)} read at {show(reader.at)}"
        for id, reader in s.readers.items()
        if reader.at is not None
    ]
    return "; ".join([f"since {s.since}", *bound, _list(readers, "no reader")])


def threads(s: Threads) -> str:
    """Who is recorded in either role."""
    return f"publisher {show(s.publisher)}, reader {show(s.reader)}"


def barrier(s: ReplicaState) -> str:
    """Where each worker is, and for which connection."""
    return "; ".join(
        f"{show(worker.runtime)} {worker.process}/{worker.local} {show(state.phase)}"
        + (f" for {state.connection}" if state.connection is not None else "")
        for worker, state in s.workers.items()
        if worker.runtime == Runtime.MAINTENANCE or not s.solo
    )


def replica(s: PairState) -> str:
    """Where each side is, and what it has of each index."""
    parts = []
    for runtime in Runtime:
        side = s.sides[runtime]
        parts.append(f"{show(runtime)} {show(side.stage)}, {len(side.commands)} commands to come")
    for id in GlobalId:
        words = [f"{id}: entry {show(s.entry[id])}"]
        if s.published[id].slot is not None:
            words.append(f"published in {show(s.published[id].slot)}")
        if s.recorded[id].slot is not None:
            words.append(f"recorded in {show(s.recorded[id].slot)}")
        if s.readings[id].slot is not None:
            words.append(f"read at {s.readings[id].at}")
        parts.append(", ".join(words))
    return "; ".join(parts)


def cluster(s: ClusterState) -> str:
    """How far each pair of workers is."""
    return "; ".join(
        f"{pair.process}/{pair.local}: {here.published} published, {here.executed} executed, "
        f"{_list((show(index) for index in here.built), 'nothing')} built"
        for pair, here in s.pairs.items()
    )


def _list(words: Iterable[str], none: str, before: str = "") -> str:
    found = list(words)
    return before + ", ".join(found) if found else none
