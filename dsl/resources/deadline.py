"""Limits of time and memory for a block. Long loops in the block check them and raise an exception at a limit.

A limit applies to all code that runs in a `with` block, so functions need no parameter for it. Long loops in Python
call `tick`. Native code cannot call it; `planspec.solvers.backends.interruption` waits for native code and stops it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar, Token
from functools import cache
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import Self

from planspec.errors import LimitReachedError, Reason, is_out_of_memory

MEGABYTE = 2**20
CHECK_INTERVAL_S = 0.05
"""The minimum time between two checks of memory."""
MEMORY_SHARE = 0.5
"""The default maximum growth of the process's memory in a block, as a share of the machine's memory."""
MEMORY_VARIABLE = "PLANSPEC_MEMORY_MB"
"""The environment variable that overrides the default limit of memory."""


class Deadline:
    """Limits of time and memory for a `with` block: `with Deadline(10.0):`.

    If an enclosing block has less time left, that time is the limit.

    Args:
        seconds: wall-clock time from now on; None for no limit.
        memory_mb: maximum growth of the process's memory from now on; None for `PLANSPEC_MEMORY_MB`, or by
            default a share of the machine's memory.
    """

    __slots__ = ("_ceiling", "_token", "due", "end")

    def __init__(self, seconds: float | None = None, memory_mb: int | None = None) -> None:
        outer = _INNERMOST.get()
        self.end = float("inf") if seconds is None else perf_counter() + seconds
        self._ceiling = float("inf")
        if outer is not None:
            self.end = min(self.end, outer.end)
            self._ceiling = outer._ceiling
        if outer is None or memory_mb is not None:
            most = default_memory_mb() if memory_mb is None else memory_mb
            self._ceiling = min(self._ceiling, memory_in_use() + most * MEGABYTE)
        self.due = min(self.end, perf_counter() + CHECK_INTERVAL_S)
        self._token: Token[Deadline | None] | None = None

    def __enter__(self) -> Self:
        """Make this the innermost limit."""
        self._token = _INNERMOST.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Restore the enclosing limit.

        Raises:
            LimitReachedError: the system ran out of memory before the limit was checked.
        """
        assert self._token is not None
        _INNERMOST.reset(self._token)
        if is_out_of_memory(error):
            raise LimitReachedError("memory")

    @property
    def left(self) -> float | None:
        """Seconds left, at least 0; None without a time limit."""
        if _stops.is_requested:
            return 0.0
        return None if self.end == float("inf") else max(0.0, self.end - perf_counter())

    @property
    def reached(self) -> Reason | None:
        """The limit that is reached, or None."""
        if _stops.is_requested:
            return "interrupt"
        if perf_counter() >= self.end:
            return "time"
        return "memory" if memory_in_use() > self._ceiling else None

    def check(self) -> None:
        """Raise an exception if a limit is reached.

        Raises:
            LimitReachedError: a limit is reached.
        """
        reason = self.reached
        if reason is not None:
            raise LimitReachedError(reason)
        self.due = min(self.end, perf_counter() + CHECK_INTERVAL_S)


class _Stops:
    """A request to stop, which a signal handler sets and every limit checks.

    Attributes:
        is_requested: whether the stop is requested; if so, each limit counts as reached.
    """

    is_requested = False


_stops = _Stops()
_INNERMOST: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


@contextmanager
def stoppable() -> Iterator[Callable[[], bool]]:
    """Run a block in which work under a limit can be stopped early, so that it returns its results so far.

    Yields:
        A function that requests the stop, after which each limit counts as reached until the block ends. It may
        be called from a signal handler. It returns False if no limit is active, so that
        nothing can be stopped.
    """

    def stop() -> bool:
        if _INNERMOST.get() is None:
            return False
        _stops.is_requested = True
        return True

    try:
        yield stop
    finally:
        _stops.is_requested = False


def tick() -> None:
    """Check the innermost limit, unless it was checked a moment ago. Call this in every long loop.

    Raises:
        LimitReachedError: the limit is reached.
    """
    deadline = _INNERMOST.get()
    if deadline is not None and perf_counter() >= deadline.due:
        deadline.check()


@contextmanager
def shielded() -> Iterator[None]:
    """Run a block without any limit, such as the verification of a plan that was found in time."""
    token = _INNERMOST.set(None)
    try:
        yield
    finally:
        _INNERMOST.reset(token)


def memory_in_use() -> int:
    """Return the memory of the process in bytes; 0 if the system does not report it.

    The result is the current memory on Linux, and the maximum so far elsewhere.
    """
    with suppress(OSError), _STATM.open("rb") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    try:
        import resource
    except ImportError:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


@cache
def default_memory_mb() -> int:
    """Return the limit of memory in MB: `PLANSPEC_MEMORY_MB`, or half the memory of the machine or container."""
    value = os.environ.get(MEMORY_VARIABLE, "")
    if value.isdecimal():
        return int(value)
    sizes = []
    with suppress(AttributeError, OSError, ValueError):
        sizes.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for path in _CONTAINER:
        with suppress(OSError, ValueError):
            sizes.append(int(path.read_text()))
    return int(min(sizes, default=2**63) * MEMORY_SHARE) // MEGABYTE


_STATM = Path("/proc/self/statm")
_CONTAINER = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
