"""Less frequent garbage collection while many objects are created that all remain in use."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

THRESHOLD = 100_000
"""Number of new objects that start a garbage collection of the youngest ones while `rarely_collecting` is active."""


class _Blocks:
    """The number of active blocks in all threads, and the thresholds to restore after the last one."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.count = 0
        self.usual = (0, 0, 0)


_blocks = _Blocks()


@contextmanager
def rarely_collecting() -> Iterator[None]:
    """Reduce garbage collection in the whole process during a `with` block or a decorated function.

    The translation of a task to a model creates many nodes that remain in use until the solver has answered. Searching
    them for unreachable cycles took a quarter of its time.
    """
    with _blocks.lock:
        if not _blocks.count:
            _blocks.usual = gc.get_threshold()
            if 0 < _blocks.usual[0] < THRESHOLD:
                gc.set_threshold(THRESHOLD, *_blocks.usual[1:])
        _blocks.count += 1
    try:
        yield
    finally:
        with _blocks.lock:
            _blocks.count -= 1
            if not _blocks.count:
                gc.set_threshold(*_blocks.usual)
