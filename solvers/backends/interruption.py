"""Native code that can be stopped: by Ctrl-C, when its time is up, and when it takes too much memory.

A solver keeps the thread that calls it until it is done. So it runs in a thread beside, and the calling thread
waits, where Python hears of signals. One that does not hear that it is to stop is left behind: its thread goes
on until it hears, and what it works on is kept until then.

In a browser Python has no threads. There a call is made directly, keeps only the limits that it knows itself, and whoever
wants to stop it ends the worker that it runs in.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from time import perf_counter
from typing import Any, Generic, TypeVar

from planspec.dsl.resources.deadline import LOOK_S, Deadline
from planspec.errors import LimitReachedError, Reason

Result = TypeVar("Result")
PATIENCE_S = 0.1
"""The time after which a solver that did not stop is stopped again."""
GRACE_S = 1.0
"""The time after which a solver that does not stop at its limit is left behind."""
THREADS = sys.platform not in ("emscripten", "wasi")
"""Python can start threads here."""


class AbandonedCallError(LimitReachedError):
    """Native code did not hear that it was to stop, and goes on in a thread of its own."""


class _Call(Generic[Result]):
    """Native code in a thread beside.

    Args:
        work: the native call; it keeps all that it works on.
        stop: makes it return early, from another thread.
    """

    def __init__(self, work: Callable[[], Result], stop: Callable[[], None]) -> None:
        self._work = work
        self._stop = stop
        self._results: list[Result] = []
        self._errors: list[BaseException] = []
        self.thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        try:
            self._results.append(self._work())
        except BaseException as error:  # noqa: BLE001 raised again by whoever waits
            self._errors.append(error)

    def result(self) -> Result:
        if self._errors:
            raise self._errors[0]
        return self._results[0]

    def end(self, seconds: float | None) -> bool:
        """Tell it to stop until it has, for so long; whether it has."""
        until = float("inf") if seconds is None else perf_counter() + seconds
        while self.thread.is_alive() and perf_counter() < until:
            self._stop()
            self.thread.join(PATIENCE_S)
        return not self.thread.is_alive()


_left_behind: list[_Call[Any]] = []


def any_left_behind() -> bool:
    """Some native code still runs although it was stopped; to leave the process tidily would be to wait for it."""
    return any(call.thread.is_alive() for call in _left_behind)


def interruptible(
    work: Callable[[], Result], stop: Callable[[], None], deadline: Deadline
) -> tuple[Result, Reason | None]:
    """Run `work` so that it can be interrupted; its result, and the limit that stopped it, if one did.

    Args:
        work: the native call, which knows its own limit of time and as a rule keeps it. It holds all that it works on.
        stop: makes it return early, from another thread.
        deadline: past it the call is stopped.

    Raises:
        AbandonedCallError: it did not stop; nothing that it works on may be touched again.
        BaseException: what `work` raised, or what a signal handler raised while it ran; then it has been stopped.
    """
    if not THREADS:
        return work(), deadline.reached
    call = _Call(work, stop)
    call.thread.start()
    try:
        reason = _wait(call.thread, deadline)
    except BaseException:
        call.end(None)
        raise
    if reason is not None and not call.end(GRACE_S):
        _left_behind[:] = [other for other in _left_behind if other.thread.is_alive()]
        _left_behind.append(call)
        raise AbandonedCallError(reason)
    return call.result(), reason


def _wait(thread: threading.Thread, deadline: Deadline) -> Reason | None:
    """Until the thread is done: None; or a limit is reached: which one."""
    late = False
    while True:
        thread.join(LOOK_S)
        if not thread.is_alive():
            return None
        reason = deadline.reached
        if reason in ("memory", "interrupt") or (reason == "time" and late):
            return reason
        if reason == "time":  # its own limit is the same: it may be about to end
            thread.join(PATIENCE_S)
            late = True
