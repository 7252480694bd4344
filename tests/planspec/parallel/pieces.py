"""Pieces of work that misbehave, for tests of the engine: functions of a module, as they are sent by name."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from planspec.errors import DiagnosticError, LimitReachedError, LostWorkerError


def squared(n: int) -> int:
    """The square; negative numbers raise."""
    if n < 0:
        raise ValueError(f"{n} is negative")
    return n * n


def deadly(n: int) -> int:
    """The square; 13 ends its process each time, as the killer of a machine out of memory does."""
    if n == 13:
        os.kill(os.getpid(), signal.SIGKILL)
    return n * n


class Marking:
    """Leaves a mark of each piece that it does, and ends its process at one of them the first time."""

    def __init__(self, folder: Path, deadly: int, *, each_time: bool = False) -> None:
        self._folder, self._deadly, self._each_time = folder, deadly, each_time

    def __call__(self, n: int) -> int:
        first = not (self._folder / f"{n}.begun").exists()
        (self._folder / f"{n}.begun").touch()
        if n == self._deadly and (first or self._each_time):
            os._exit(7)
        return n


class Counting:
    """Counts what it did, so that each result tells how many its worker had made before."""

    def __init__(self) -> None:
        self.done = 0

    def __call__(self, _: Any) -> tuple[int, int]:
        self.done += 1
        return os.getpid(), self.done


def sleeping(seconds: float) -> float:
    """Sleeps."""
    time.sleep(seconds)
    return seconds


def lagging(n: int) -> int:
    """The later, the sooner done."""
    time.sleep(0.02 * max(0, 4 - n))
    return n


def large(size: int) -> bytes:
    """Bytes, far more than a line between processes holds."""
    return bytes(size)


def unsendable(_: Any) -> Callable[[], None]:
    """What cannot be sent."""
    return lambda: None


def limited(_: Any) -> None:
    """Raises what is not made from its text."""
    raise LimitReachedError("memory")


def diagnosed(_: Any) -> None:
    """Likewise."""
    raise DiagnosticError(())


def leaving(_: Any) -> None:
    """Leaves, as a program that calls `sys.exit` does."""
    sys.exit(3)


def never_made() -> Callable[[int], int]:
    """Cannot be made."""
    raise FileNotFoundError(2, "no such file", "library.yaml")


def never_begun() -> None:
    """Ends a process before it begins."""
    os._exit(9)


def told(n: int, error: Exception) -> str:
    """A result for a piece that failed."""
    status = error.status if isinstance(error, LostWorkerError) else None
    return f"{n}: {type(error).__name__} {status}"


class Where:
    """Tells on which Ray node it works, and takes a little while."""

    def __call__(self, n: int) -> tuple[int, str]:
        import ray

        time.sleep(0.3)
        return n, ray.get_runtime_context().get_node_id()
