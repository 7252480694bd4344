"""Choices derived from a stable hash, so that a picture is the same wherever it is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """A stream of choices determined by its key alone, on every machine and in every version of Python."""

    __slots__ = ("_bytes", "_key", "_turn")

    def __init__(self, *key: str | int) -> None:
        # The lengths separate the pieces, so that different keys never give the same text.
        self._key = "".join(f"{len(text)}:{text}" for text in map(str, key)).encode("utf-8", "surrogatepass")
        self._turn = 0
        self._bytes = b""

    def whole(self, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`, inclusive."""
        if not self._bytes:
            self._bytes = blake2b(self._key + b"#%d" % self._turn).digest()
            self._turn += 1
        drawn, self._bytes = self._bytes[:4], self._bytes[4:]
        return low + int.from_bytes(drawn, "big") % (high - low + 1)

    def pick(self, options: Sequence[T]) -> T:
        return options[self.whole(0, len(options) - 1)]

    def chance(self, percent: int) -> bool:
        return self.whole(1, 100) <= percent

    def number(self) -> int:
        """Return a seed of 32 bits for a generator of another library."""
        return self.whole(0, 2**32 - 1)
