"""Ctrl-C while native code runs: it stops at once, and Python hears of it.

A solver keeps the thread that calls it until it is done, and Python handles signals only in its main thread and
only between two steps of its own. So the solver runs in a thread beside, and the main thread waits.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")
PATIENCE = 0.1
"""Seconds until a solver that did not hear is told again to stop."""


def interruptible(work: Callable[[], Result], stop: Callable[[], None]) -> Result:
    """What `work` returns.

    Args:
        work: the native call; in any thread but the main one it is simply made.
        stop: makes it return early, from another thread.

    Raises:
        BaseException: what `work` raised, or what a signal handler raised while it ran; then it has been stopped.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # noqa: BLE001 raised again by whoever waits
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        thread.join()
    except BaseException:
        while thread.is_alive():
            stop()
            thread.join(PATIENCE)
        raise
    if errors:
        raise errors[0]
    return results[0]
