"""Evaluation of `no_overlap(...)` and `peak(...)` in O(n log n), by sweeps over sorted intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from operator import attrgetter
from typing import Any, TypeAlias

from planspec.dsl.model import tree as t

Number: TypeAlias = int | Fraction
Until: TypeAlias = Number | float
"""Time from which the next interval may start; infinity if none may follow."""


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One interval of a `no_overlap` or `peak`, such as the time that one row takes.

    Attributes:
        env: values of the variables for this interval.
        start: start of the interval, a number or *none*.
        end: end of the interval, a number or *none*. At most one of `start` and `end` is *none*.
        until: time from which the next interval may start: end plus gap, infinite if the gap is *none*; 0 in a `peak`.
        amount: amount in use, a number or *none*; 0 in a `no_overlap`.
    """

    env: Mapping[t.Binding, Any]
    start: Any
    end: Any
    until: Until
    amount: Any

    @property
    def is_valid(self) -> bool:
        """Whether start and end are not *none*, and the end is not before the start."""
        return self.start is not None and self.end is not None and bool(self.start <= self.end)


def until(end: Number | None, gap: Number | None) -> Until:
    """Return the earliest start of the next interval after an end and a gap. A negative gap counts as 0."""
    if end is None or gap is None:
        return inf
    return end + gap if gap > 0 else end


def followers(runs: Iterable[Run]) -> Iterator[tuple[Run, Run]]:
    """Yield (earlier interval with the latest `until`, interval) for each interval but the first, in order of start.

    All intervals must be valid (`Run.is_valid`). `until` is the end of an interval plus the gap that must follow.

    No two intervals overlap if and only if, in each pair, `until` of the first interval is at most the start of the
    second one. This comparison suffices because intervals are sorted by start and then by `until`: a later interval in
    this order can end at or before the start of an earlier one only if both have length 0 and the same start.
    """
    longest: Run | None = None
    for run in sorted(runs, key=attrgetter("start", "until")):
        if longest is not None:
            yield longest, run
        if longest is None or run.until > longest.until:
            longest = run


def is_apart(starts: Sequence[Number], untils: Sequence[Until]) -> bool:
    """Return whether no two intervals overlap.

    Args:
        starts: start of each interval.
        untils: for each interval, the time from which the next one may start.
    """
    last: Until = -inf
    for start, end in sorted(zip(starts, untils, strict=True)):
        if start < last:
            return False
        last = max(last, end)
    return True


def peak(starts: Iterable[Number], ends: Iterable[Number], amounts: Iterable[Number]) -> tuple[Number, Number | None]:
    """Return the maximum sum of amounts in use at one moment, and the first such moment.

    An amount is in use from its start to its end, excluding the end. The sum is at least 0. If it is 0, the moment is
    None.
    """
    changes: dict[Number, Number] = {}
    for start, end, amount in zip(starts, ends, amounts, strict=True):
        changes[start] = changes.get(start, 0) + amount
        changes[end] = changes.get(end, 0) - amount
    largest: Number = 0
    at: Number | None = None
    total: Number = 0
    for moment in sorted(changes):
        total += changes[moment]
        if total > largest:
            largest, at = total, moment
    return largest, at
