"""Finite sets of integers as sorted, disjoint intervals."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

FAR = 2**60
"""Bound of a domain (or its negative) that stands for no bound. It lies far outside all domains that occur."""


@dataclass(frozen=True, slots=True)
class Domain:
    """A finite set of integers, such as the domain of a variable.

    Attributes:
        intervals: the first and the last value of each interval. Intervals are sorted, disjoint and not
            adjacent.
        size: number of values.
    """

    intervals: tuple[tuple[int, int], ...]
    size: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        spans = self.intervals
        if len(spans) == 1:
            size = spans[0][1] - spans[0][0] + 1
        else:
            size = sum([high - low for low, high in spans]) + len(spans)
        object.__setattr__(self, "size", size)

    @staticmethod
    def of(values: Iterable[int]) -> Domain:
        """Return the domain with the given values."""
        intervals: list[tuple[int, int]] = []
        for value in sorted(values):
            if intervals and value <= intervals[-1][1] + 1:
                intervals[-1] = (intervals[-1][0], max(intervals[-1][1], value))
            else:
                intervals.append((value, value))
        return Domain(tuple(intervals))

    @staticmethod
    def grid(low: int, high: int, step: int) -> Domain:
        """Return the domain of every `step`-th integer from `low` to `high`: `grid(0, 30, 15)` is {0, 15, 30}."""
        return Domain.interval(low, high) if step == 1 else Domain.of(range(low, high + 1, step))

    @staticmethod
    def interval(low: int | None, high: int | None) -> Domain:
        """Return the domain of all integers from `low` to `high`, both included. None stands for no bound."""
        low, high = -FAR if low is None else low, FAR if high is None else high
        return Domain(((low, high),)) if low <= high else Domain(())

    @property
    def low(self) -> int:
        """The minimum value."""
        return self.intervals[0][0]

    @property
    def high(self) -> int:
        """The maximum value."""
        return self.intervals[-1][1]

    def __iter__(self) -> Iterator[int]:
        for low, high in self.intervals:
            yield from range(low, high + 1)

    def __contains__(self, value: int) -> bool:
        if len(self.intervals) == 1:
            return self.intervals[0][0] <= value <= self.intervals[0][1]
        i = bisect_right(self.intervals, (value, FAR)) - 1
        return i >= 0 and value <= self.intervals[i][1]

    def meets(self, other: Domain) -> bool:
        """Return whether the two domains have a common value."""
        if self is other:
            return self.size > 0
        others = iter(other.intervals)
        c, d = next(others, (FAR + 1, FAR + 1))
        for a, b in self.intervals:
            while d < a:
                c, d = next(others, (FAR + 1, FAR + 1))
            if c <= b:
                return True
        return False

    def indicators(self, values: Sequence[int]) -> tuple[int, ...]:
        """Return, for each value, 1 if it is in the domain, else 0."""
        if len(self.intervals) == 1:
            ((low, high),) = self.intervals
            return tuple([1 if low <= value <= high else 0 for value in values])
        inside = set(self) if self.size <= 2 * len(values) else self
        return tuple([1 if value in inside else 0 for value in values])

    def shifted(self, offset: int) -> Domain:
        """Return the domain of all values plus `offset`."""
        return Domain(tuple([(low + offset, high + offset) for low, high in self.intervals])) if offset else self

    def __le__(self, other: Domain) -> bool:
        """Return whether the other domain has all values of this one."""
        return not (self - other).intervals

    def __and__(self, other: Domain) -> Domain:
        if self.intervals == other.intervals:
            return self
        if len(self.intervals) == 1 and len(other.intervals) == 1:
            (a, b), (c, d) = self.intervals[0], other.intervals[0]
            if a <= c and d <= b:
                return other
            if c <= a and b <= d:
                return self
            low, high = max(a, c), min(b, d)
            return Domain(((low, high),)) if low <= high else Domain(())
        intervals: list[tuple[int, int]] = []
        others = iter(other.intervals)
        c, d = next(others, (FAR + 1, FAR + 1))
        for a, b in self.intervals:
            while d < a:
                c, d = next(others, (FAR + 1, FAR + 1))
            while c <= b:  # an interval of the other domain may overlap several of this one
                intervals.append((max(c, a), min(d, b)))
                if d > b:
                    break
                c, d = next(others, (FAR + 1, FAR + 1))
        return Domain(tuple(intervals))

    def __sub__(self, other: Domain) -> Domain:
        intervals: list[tuple[int, int]] = []
        others = iter(other.intervals)
        c, d = next(others, (FAR + 1, FAR + 1))
        for a, b in self.intervals:
            while d < a:
                c, d = next(others, (FAR + 1, FAR + 1))
            while c <= b:
                if a < c:
                    intervals.append((a, c - 1))
                a = d + 1
                if a > b:
                    break
                c, d = next(others, (FAR + 1, FAR + 1))
            if a <= b:
                intervals.append((a, b))
        return Domain(tuple(intervals))

    def __or__(self, other: Domain) -> Domain:
        intervals: list[tuple[int, int]] = []
        for low, high in sorted(self.intervals + other.intervals):
            if intervals and low <= intervals[-1][1] + 1:
                intervals[-1] = (intervals[-1][0], max(intervals[-1][1], high))
            else:
                intervals.append((low, high))
        return Domain(tuple(intervals))
