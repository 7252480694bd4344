"""Calls of native code (solvers) that Ctrl-C, a time limit and a memory limit can stop.

A solver blocks the thread that calls it. It therefore runs in a separate thread while the calling thread waits, so that
Python can handle signals. A call that does not react to a stop request is abandoned: its thread continues until it
reacts, and the objects that it uses stay alive until then.

Python has no threads in a browser. There, a call runs in the calling thread and observes only the solver's own limits.
It can be stopped only by ending its web worker.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from time import perf_counter
from typing import Any, Generic, TypeVar

from planspec.dsl.resources.deadline import CHECK_INTERVAL_S, Deadline
from planspec.errors import LimitReachedError, Reason

Result = TypeVar("Result")
PATIENCE_S = 0.1
"""Interval in seconds at which a request to stop is repeated to a solver."""
GRACE_S = 1.0
"""Time in seconds for which a solver that reached a limit is asked to stop. After that, the call is abandoned."""
THREADS = sys.platform not in ("emscripten", "wasi")
"""Whether Python can start threads on this platform."""


class AbandonedCallError(LimitReachedError):
    """Native code (a solver) did not react to a request to stop, and continues in a separate thread."""


class _NativeCall(Generic[Result]):
    """A call of native code in a separate thread.

    Args:
        work: function that makes the native call. It keeps everything alive that it uses.
        stop: function that makes the native call return early. It is called from another thread.
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
        except BaseException as error:  # noqa: BLE001 raised again by the waiting thread
            self._errors.append(error)

    def result(self) -> Result:
        if self._errors:
            raise self._errors[0]
        return self._results[0]

    def end(self, seconds: float | None) -> bool:
        """Repeatedly ask the call to stop, until it ends or time is up. Return whether it has ended.

        Args:
            seconds: time to wait; None to wait without a limit.
        """
        until = float("inf") if seconds is None else perf_counter() + seconds
        while self.thread.is_alive() and perf_counter() < until:
            self._stop()
            self.thread.join(PATIENCE_S)
        return not self.thread.is_alive()


_abandoned: list[_NativeCall[Any]] = []


def any_abandoned() -> bool:
    """Return whether native code that did not stop in time still runs in a thread.

    A clean exit of the process would wait for it.
    """
    return any(call.thread.is_alive() for call in _abandoned)


def interruptible(
    work: Callable[[], Result], stop: Callable[[], None], deadline: Deadline
) -> tuple[Result, Reason | None]:
    """Run native code (a solver) so that Ctrl-C and the limits of a deadline can stop it.

    Args:
        work: function that makes the native call. The call usually has the same time limit itself. The function must
            keep everything alive that it uses.
        stop: function that makes the native call return early. It is called from another thread.
        deadline: limits of time and memory at which the call is stopped.

    Returns:
        The result of `work`, and the limit that stopped the call, or None if no limit stopped it.

    Raises:
        AbandonedCallError: the native call did not stop. The objects that it uses must not be used again.
        BaseException: `work` raised it; or a signal handler raised it while `work` ran, and the call was then stopped.
    """
    if not THREADS:
        return work(), deadline.reached
    call = _NativeCall(work, stop)
    call.thread.start()
    try:
        reason = _wait(call.thread, deadline)
    except BaseException:
        call.end(None)
        raise
    if reason is not None and not call.end(GRACE_S):
        _abandoned[:] = [other for other in _abandoned if other.thread.is_alive()]
        _abandoned.append(call)
        raise AbandonedCallError(reason)
    return call.result(), reason


def _wait(thread: threading.Thread, deadline: Deadline) -> Reason | None:
    """Wait until the thread is done or a limit is reached. Return the reached limit, or None if the thread is done."""
    grace_over = False
    while True:
        thread.join(CHECK_INTERVAL_S)
        if not thread.is_alive():
            return None
        reason = deadline.reached
        if reason in ("memory", "interrupt") or (reason == "time" and grace_over):
            return reason
        if reason == "time":  # the call has the same time limit, so it may be about to end
            thread.join(PATIENCE_S)
            grace_over = True
