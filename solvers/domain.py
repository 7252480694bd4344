"""Finite sets of integers as sorted, disjoint intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

FAR = 2**60
"""Stands for no bound; every real domain lies well inside."""


@dataclass(frozen=True, slots=True)
class Domain:
    """A set of integers; `intervals` are closed, sorted, disjoint and never touch."""

    intervals: tuple[tuple[int, int], ...]

    @staticmethod
    def of(values: Iterable[int]) -> Domain:
        """The domain of these values."""
        made: list[tuple[int, int]] = []
        for value in sorted(values):
            if made and value <= made[-1][1] + 1:
                made[-1] = (made[-1][0], max(made[-1][1], value))
            else:
                made.append((value, value))
        return Domain(tuple(made))

    @staticmethod
    def interval(low: int | None, high: int | None) -> Domain:
        """All integers from `low` to `high`, both in; None is no bound."""
        low, high = -FAR if low is None else low, FAR if high is None else high
        return Domain(((low, high),)) if low <= high else Domain(())

    @property
    def low(self) -> int:
        """The least value."""
        return self.intervals[0][0]

    @property
    def high(self) -> int:
        """The greatest value."""
        return self.intervals[-1][1]

    @property
    def size(self) -> int:
        """How many values there are."""
        return sum(high - low + 1 for low, high in self.intervals)

    def __iter__(self) -> Iterator[int]:
        for low, high in self.intervals:
            yield from range(low, high + 1)

    def __contains__(self, value: int) -> bool:
        return any(low <= value <= high for low, high in self.intervals)

    def __and__(self, other: Domain) -> Domain:
        if len(self.intervals) == 1 and len(other.intervals) == 1:
            (a, b), (c, d) = self.intervals[0], other.intervals[0]
            low, high = max(a, c), min(b, d)
            return Domain(((low, high),)) if low <= high else Domain(())
        made: list[tuple[int, int]] = []
        i = j = 0
        while i < len(self.intervals) and j < len(other.intervals):
            (a, b), (c, d) = self.intervals[i], other.intervals[j]
            low, high = max(a, c), min(b, d)
            if low <= high:
                made.append((low, high))
            if b < d:
                i += 1
            else:
                j += 1
        return Domain(tuple(made))

    def __sub__(self, other: Domain) -> Domain:
        gaps: list[tuple[int, int]] = []
        at = -FAR
        for low, high in other.intervals:
            if at < low:
                gaps.append((at, low - 1))
            at = high + 1
        if at <= FAR:
            gaps.append((at, FAR))
        return self & Domain(tuple(gaps))

    def __or__(self, other: Domain) -> Domain:
        made: list[tuple[int, int]] = []
        for low, high in sorted(self.intervals + other.intervals):
            if made and low <= made[-1][1] + 1:
                made[-1] = (made[-1][0], max(made[-1][1], high))
            else:
                made.append((low, high))
        return Domain(tuple(made))
