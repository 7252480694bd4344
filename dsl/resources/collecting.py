"""Rarer garbage collections while many objects are made that all stay."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

THRESHOLD = 100_000
"""Number of new objects after which the youngest ones are searched for cycles in a block of `rarely_collecting`."""


class _Blocks:
    """The blocks of all threads, and the thresholds to restore after the last of them."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.count = 0
        self.usual = (0, 0, 0)


_blocks = _Blocks()


@contextmanager
def rarely_collecting() -> Iterator[None]:
    """Run a block, or a function that this decorates, with rarer garbage collections in the whole process.

    Lowering makes nodes that are all used until the question is answered. Searching them for unreachable cycles took
    a quarter of its time.
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
