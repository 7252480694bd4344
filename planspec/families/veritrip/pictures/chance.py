"""Random choices derived from a stable hash, so that a picture is the same on every machine."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """Random choices derived from a key.

    A key gives the same choices on every machine and in every version of Python.
    """

    __slots__ = ("_bytes", "_key", "_turn")

    def __init__(self, *key: str | int) -> None:
        # With the lengths, different keys never give the same string.
        self._key = "".join(f"{len(text)}:{text}" for text in map(str, key)).encode("utf-8", "surrogatepass")
        self._turn = 0
        self._bytes = b""

    def integer(self, low: int, high: int) -> int:
        """Draw an integer from `low` to `high`, inclusive."""
        if not self._bytes:
            self._bytes = blake2b(self._key + b"#%d" % self._turn).digest()
            self._turn += 1
        drawn, self._bytes = self._bytes[:4], self._bytes[4:]
        return low + int.from_bytes(drawn, "big") % (high - low + 1)

    def pick(self, options: Sequence[T]) -> T:
        return options[self.integer(0, len(options) - 1)]

    def chance(self, percent: int) -> bool:
        return self.integer(1, 100) <= percent

    def seed(self) -> int:
        """Draw a seed of 32 bits for another library's random generator."""
        return self.integer(0, 2**32 - 1)
