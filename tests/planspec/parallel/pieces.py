"""Functions that workers run in tests. Many of them misbehave.

They are at module level so that they can be pickled by name.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.errors import LimitReachedError, LostWorkerError


def square(n: int) -> int:
    """Return the square. Raise an error for negative numbers."""
    if n < 0:
        raise ValueError(f"{n} is negative")
    return n * n


def kill_at_13(n: int) -> int:
    """Return the square. For 13, kill the process like the out-of-memory killer."""
    if n == 13:
        os.kill(os.getpid(), signal.SIGKILL)
    return n * n


class MarkingWorker:
    """A worker that writes a file for each piece of work, and ends its process at one piece.

    Args:
        folder: the folder of the files.
        deadly: the piece at which the process ends.
        each_time: whether the process ends whenever it works on that piece, not only the first time.
    """

    def __init__(self, folder: Path, deadly: int, *, each_time: bool = False) -> None:
        self._folder, self._deadly, self._each_time = folder, deadly, each_time

    def __call__(self, n: int) -> int:
        first = not (self._folder / f"{n}.begun").exists()
        (self._folder / f"{n}.begun").touch()
        if n == self._deadly and (first or self._each_time):
            os._exit(7)
        return n


class CountingWorker:
    """A worker that returns its process id, and how many pieces of work it has done."""

    def __init__(self) -> None:
        self.done = 0

    def __call__(self, _: Any) -> tuple[int, int]:
        self.done += 1
        return os.getpid(), self.done


def sleep(seconds: float) -> float:
    """Sleep, and return the number of seconds."""
    time.sleep(seconds)
    return seconds


def finish_in_reverse(n: int) -> int:
    """Return a piece of work after a delay that is shorter for greater pieces."""
    time.sleep(0.02 * max(0, 4 - n))
    return n


def large_result(size: int) -> bytes:
    """Return this many bytes. Tests ask for more than a pipe between processes can buffer."""
    return bytes(size)


def unpicklable_result(_: Any) -> Callable[[], None]:
    """Return a function that cannot be pickled."""
    return lambda: None


def raise_limit_error(_: Any) -> None:
    """Raise an error that cannot be constructed from its message."""
    raise LimitReachedError("memory")


def raise_diagnostic_error(_: Any) -> None:
    """Raise another error that cannot be constructed from its message."""
    raise DiagnosticError(())


def exit_program(_: Any) -> None:
    """Exit like a program that calls `sys.exit`."""
    sys.exit(3)


def fail_on_creation() -> Callable[[int], int]:
    """Raise an error instead of creating a worker's function."""
    raise FileNotFoundError(2, "no such file", "library.yaml")


def die_on_start() -> None:
    """End the process before its first piece of work."""
    os._exit(9)


def describe_failure(n: int, error: Exception) -> Any:
    """Return the text that replaces the result of a piece of work that failed."""
    status = error.status if isinstance(error, LostWorkerError) else None
    return f"{n}: {type(error).__name__} {status}"


class NodeLocator:
    """A worker that returns each piece with the id of its Ray node, after a short time."""

    def __call__(self, n: int) -> tuple[int, str]:
        import ray

        time.sleep(0.3)
        return n, ray.get_runtime_context().get_node_id()
