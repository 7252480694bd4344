"""Sweeps over the intervals of rows, which decide `no_overlap(...)` and `peak(...)` in n log n."""

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
"""Time at which the next row may start; infinity if none may follow."""


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """The interval of one binding.

    Attributes:
        env: the binding.
        start: its start, a number or *none*.
        end: its end, a number or *none*. At least one of the two is not *none*.
        until: end with the gap after it, infinite if the gap is *none*; 0 in a `peak`.
        amount: what it needs, a number or *none*; 0 in a `no_overlap`.
    """

    env: Mapping[t.Binding, Any]
    start: Any
    end: Any
    until: Until
    amount: Any

    @property
    def is_valid(self) -> bool:
        """Whether it has a start and an end, which is not before the start."""
        return self.start is not None and self.end is not None and bool(self.start <= self.end)


def until(end: Number | None, gap: Number | None) -> Until:
    """Return when the next row may start after a row that needs a gap. A negative gap counts as 0."""
    if end is None or gap is None:
        return inf
    return end + gap if gap > 0 else end


def followers(runs: Iterable[Run]) -> Iterator[tuple[Run, Run]]:
    """Yield each valid run after the first in the order of time, paired with the earlier one that lasts longest.

    No two runs overlap exactly if in each pair the earlier one's `until` is at most the later one's start: if the
    runs are sorted by start and then `until`, a later run can end at or before an earlier one's start only if
    both have no length and start together.
    """
    longest: Run | None = None
    for run in sorted(runs, key=attrgetter("start", "until")):
        if longest is not None:
            yield longest, run
        if longest is None or run.until > longest.until:
            longest = run


def is_apart(starts: Sequence[Number], untils: Sequence[Until]) -> bool:
    """Return whether no two intervals overlap; the arguments are their starts, and when the next may start."""
    last: Until = -inf
    for start, end in sorted(zip(starts, untils, strict=True)):
        if start < last:
            return False
        last = max(last, end)
    return True


def peak(starts: Iterable[Number], ends: Iterable[Number], amounts: Iterable[Number]) -> tuple[Number, Number | None]:
    """Return the largest sum of the amounts that are in use at one moment, and the first such moment.

    An amount is in use from its start until before its end. The sum is at least 0, with no moment for 0.
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
