"""Misbehaving pieces of work for tests of the engine, as module-level functions, because they are sent by name."""

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


def squared(n: int) -> int:
    """Return the square; raise an error for negative numbers."""
    if n < 0:
        raise ValueError(f"{n} is negative")
    return n * n


def deadly(n: int) -> int:
    """Return the square; kill the process at 13, like the out-of-memory killer."""
    if n == 13:
        os.kill(os.getpid(), signal.SIGKILL)
    return n * n


class Marking:
    """Leaves a mark for each piece, and kills its process at one of them the first time."""

    def __init__(self, folder: Path, deadly: int, *, each_time: bool = False) -> None:
        self._folder, self._deadly, self._each_time = folder, deadly, each_time

    def __call__(self, n: int) -> int:
        first = not (self._folder / f"{n}.begun").exists()
        (self._folder / f"{n}.begun").touch()
        if n == self._deadly and (first or self._each_time):
            os._exit(7)
        return n


class Counting:
    """Counts pieces, so that each result shows how many its worker did before."""

    def __init__(self) -> None:
        self.done = 0

    def __call__(self, _: Any) -> tuple[int, int]:
        self.done += 1
        return os.getpid(), self.done


def sleeping(seconds: float) -> float:
    """Sleep."""
    time.sleep(seconds)
    return seconds


def lagging(n: int) -> int:
    """Finish earlier for later pieces."""
    time.sleep(0.02 * max(0, 4 - n))
    return n


def large(size: int) -> bytes:
    """Return more bytes than a pipe between processes can buffer."""
    return bytes(size)


def unsendable(_: Any) -> Callable[[], None]:
    """Return an object that cannot be pickled."""
    return lambda: None


def limited(_: Any) -> None:
    """Raise an error that cannot be constructed from its message."""
    raise LimitReachedError("memory")


def diagnosed(_: Any) -> None:
    """Raise another error that cannot be constructed from its message."""
    raise DiagnosticError(())


def leaving(_: Any) -> None:
    """Exit like a program that calls `sys.exit`."""
    sys.exit(3)


def never_made() -> Callable[[int], int]:
    """Raise an error on creation."""
    raise FileNotFoundError(2, "no such file", "library.yaml")


def never_begun() -> None:
    """End the process before it starts to work."""
    os._exit(9)


def describe_failure(n: int, error: Exception) -> Any:
    """Return a result for a piece that failed."""
    status = error.status if isinstance(error, LostWorkerError) else None
    return f"{n}: {type(error).__name__} {status}"


class Where:
    """Return the Ray node of the worker, after a short time."""

    def __call__(self, n: int) -> tuple[int, str]:
        import ray

        time.sleep(0.3)
        return n, ray.get_runtime_context().get_node_id()
