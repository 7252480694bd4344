"""A limit of time and memory over a block: whatever loops inside looks at it, and the block ends by an exception.

The limit belongs to the block and is no argument of all that is called there, as a program has many loops that may
be long and few places that know what to do when one of them is. Python code calls `tick`; native code, which
cannot, is waited for and stopped (`planspec.solvers.backends.interruption`).
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

from planspec.errors import LimitReachedError, Reason, is_memory

MEGABYTE = 2**20
LOOK_S = 0.05
"""The shortest time between two looks at memory."""
SHARE = 0.5
"""The part of the machine's memory that a block may add to the process, unless something else is said."""
VARIABLE = "PLANSPEC_MEMORY_MB"
"""The environment variable that says something else."""


class Deadline:
    """`with Deadline(10.0):` a block that may take ten seconds; inside another one, no more than is left there.

    Args:
        seconds: wall-clock time from now on; None for no limit.
        memory_mb: how much the process may grow from now on; None for the machine's share, or what
            `PLANSPEC_MEMORY_MB` says.
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
            self._ceiling = min(self._ceiling, held() + most * MEGABYTE)
        self.due = min(self.end, perf_counter() + LOOK_S)
        self._token: Token[Deadline | None] | None = None

    def __enter__(self) -> Self:
        """Make this the limit of all that is called."""
        self._token = _INNERMOST.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Make what was the limit before the limit again.

        Raises:
            LimitReachedError: the system had no more memory to give before the limit was seen to be reached.
        """
        assert self._token is not None
        _INNERMOST.reset(self._token)
        if is_memory(error):
            raise LimitReachedError("memory")

    @property
    def left(self) -> float | None:
        """Seconds that are left, not below 0; None without a limit of time."""
        if _stops.asked:
            return 0.0
        return None if self.end == float("inf") else max(0.0, self.end - perf_counter())

    @property
    def reached(self) -> Reason | None:
        """The limit that is reached, if one is."""
        if _stops.asked:
            return "interrupt"
        if perf_counter() >= self.end:
            return "time"
        return "memory" if held() > self._ceiling else None

    def look(self) -> None:
        """Raise if a limit is reached.

        Raises:
            LimitReachedError: one is.
        """
        reason = self.reached
        if reason is not None:
            raise LimitReachedError(reason)
        self.due = min(self.end, perf_counter() + LOOK_S)


class _Stops:
    """What a signal handler sets, and every limit looks at.

    Attributes:
        asked: somebody wants what is under a limit to end, so that each limit counts as reached.
    """

    asked = False


_stops = _Stops()
_INNERMOST: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


@contextmanager
def stoppable() -> Iterator[Callable[[], bool]]:
    """A block in which the work under a limit can be told to end, so that what it knows so far is its result.

    Yields:
        What tells it: from then on every limit counts as reached, until the block ends. It may be called from a signal handler. False where
        nothing is under a limit, and so nothing ends.
    """

    def stop() -> bool:
        if _INNERMOST.get() is None:
            return False
        _stops.asked = True
        return True

    try:
        yield stop
    finally:
        _stops.asked = False


def tick() -> None:
    """Look at the limit of the block around, if there is one and it is time to: call it in whatever may loop for long.

    Raises:
        LimitReachedError: it is reached.
    """
    deadline = _INNERMOST.get()
    if deadline is not None and perf_counter() >= deadline.due:
        deadline.look()


@contextmanager
def shielded() -> Iterator[None]:
    """A block that no limit around it ends: what is short and must be whole, such as judging a plan that was found in time."""
    token = _INNERMOST.set(None)
    try:
        yield
    finally:
        _INNERMOST.reset(token)


def held() -> int:
    """The memory that the process holds, in bytes; 0 where the system does not say.

    On Linux what it holds now, elsewhere the most that it held so far.
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
    """The limit of `PLANSPEC_MEMORY_MB`, else half of the memory of the machine, or the container."""
    said = os.environ.get(VARIABLE, "")
    if said.isdecimal():
        return int(said)
    sizes = []
    with suppress(AttributeError, OSError, ValueError):
        sizes.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for path in _CONTAINER:
        with suppress(OSError, ValueError):
            sizes.append(int(path.read_text()))
    return int(min(sizes, default=2**63) * SHARE) // MEGABYTE


_STATM = Path("/proc/self/statm")
_CONTAINER = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
