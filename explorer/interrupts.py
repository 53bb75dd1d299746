"""What ends a run early: SIGINT, SIGTERM, or the end of its time.

While there is nothing to lose (loading, lowering, compiling) a signal raises ``Interrupted``. From ``hold`` on, while
states are stored, traces built and files written, it is only noted; whoever works asks ``requested`` now and then. A
second SIGINT ends the process at once, whatever it does.

Without ``listen``, as in a script that calls the engines, signals do what they did before.
"""

from __future__ import annotations

import contextvars
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, Generic, TypeVar

T = TypeVar("T")

INTERRUPTED = "interrupted"
TIME_LIMIT = "time limit"
INCOMPLETE = 3

# `timeout -s INT` signals the process and then its group: that is one wish, not two.
_SAME_WISH = 0.1


class Interrupted(KeyboardInterrupt):
    """The run is to end; ``requested`` says why."""


class _State:
    """What was received so far."""

    def __init__(self) -> None:
        self.reason: str | None = None
        self.signalled: float | None = None
        self.holding = False
        self.limited = False
        self.abandoned = False


_state = _State()


def listen() -> None:
    """React to SIGINT and SIGTERM as this module says; for the main thread."""
    global _state
    _state = _State()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _on_signal)
    sys.unraisablehook = _unraisable


def _unraisable(what: sys.UnraisableHookArgs) -> None:
    """Where Python cannot raise, as in a finaliser, an interrupt is noted all the same: nothing to complain about."""
    if not isinstance(what.exc_value, Interrupted):
        sys.__unraisablehook__(what)


def limit(seconds: float | None) -> None:
    """Let the run end after some time, for the reason ``TIME_LIMIT``; None for no limit, also none that has passed."""
    if _state.reason == TIME_LIMIT:
        _state.reason = INTERRUPTED if signalled() else None
    if not hasattr(signal, "setitimer") or (seconds is None and not _state.limited):
        # A timer that somebody else set is not ours to stop.
        return
    if threading.current_thread() is not threading.main_thread():
        return
    _state.limited = seconds is not None
    if seconds is not None:
        signal.signal(signal.SIGALRM, _on_alarm)
    # Zero would mean no limit.
    signal.setitimer(signal.ITIMER_REAL, 0 if seconds is None else max(seconds, 1e-6))


def hold() -> None:
    """From now on signals are only noted."""
    _state.holding = True


def release() -> None:
    """From now on a signal raises ``Interrupted``; at once if there was one."""
    _state.holding = False
    if _state.reason is not None:
        raise Interrupted


def ignore() -> None:
    """From now on nothing reacts to a signal: the process is about to end."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


def requested() -> str | None:
    """Why the run is to end, if it is."""
    return _state.reason


def signalled() -> bool:
    """Whether there was a signal (the end of the time is none)."""
    return _state.signalled is not None


def abandoned() -> bool:
    """Whether a thread may still run compiled code, which an orderly exit would take away under it."""
    return _state.abandoned


def _on_signal(number: int, frame: FrameType | None) -> None:
    now = time.monotonic()
    if _state.signalled is not None:
        if number == signal.SIGINT and now - _state.signalled > _SAME_WISH:
            os._exit(INCOMPLETE)
        return
    _state.signalled = now
    _end(INTERRUPTED)


def _on_alarm(number: int, frame: FrameType | None) -> None:
    _end(TIME_LIMIT)


def _end(reason: str) -> None:
    if _state.reason is None:
        _state.reason = reason
        if not _state.holding:
            raise Interrupted


class Background(Generic[T]):
    """A call in a thread of its own."""

    def __init__(self, function: Callable[..., T], *arguments: Any) -> None:
        self._done = threading.Event()
        self._value: T | None = None
        self._error: BaseException | None = None
        context = contextvars.copy_context()
        thread = threading.Thread(
            target=context.run, args=(self._work, function, arguments), daemon=True
        )
        thread.start()

    def _work(self, function: Callable[..., T], arguments: tuple[Any, ...]) -> None:
        try:
            self._value = function(*arguments)
        except BaseException as error:
            self._error = error
        finally:
            self._done.set()

    @property
    def done(self) -> bool:
        """Whether the call has returned or failed."""
        return self._done.is_set()

    def result(self) -> T:
        """What the call returned, once it does; raises what it raised."""
        self._done.wait()
        if self._error is not None:
            raise self._error
        return self._value  # type: ignore[return-value]

    def abandon(self) -> None:
        """Do not wait for the call."""
        if not self.done:
            _state.abandoned = True


def patiently(
    function: Callable[..., T], *arguments: Any, cancel: Callable[[], None] | None = None
) -> T:
    """Call compiled code that takes long, in a thread of its own, so that signals are heard meanwhile.

    An interrupt calls ``cancel`` and waits for the call to end; without ``cancel`` the call is left to itself.
    """
    call = Background(function, *arguments)
    try:
        return call.result()
    except KeyboardInterrupt:
        if cancel is None:
            call.abandon()
        else:
            cancel()
            call._done.wait()
        raise
