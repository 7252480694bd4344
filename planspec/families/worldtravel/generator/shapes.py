"""Required numbers of constraints and of anchors, as in the paper's Table 10.

Anchors are places that can only be visited at booked starts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import count as count_from
from itertools import islice

BENCHMARK = 150
"""Number of tasks in the whole benchmark."""


@dataclass(frozen=True, slots=True)
class Bin:
    """A row of the paper's table: a range of numbers, and how many of the benchmark's 150 tasks are in the range."""

    least: int
    most: int
    tasks: int

    def __contains__(self, number: int) -> bool:
        return self.least <= number <= self.most

    def __str__(self) -> str:
        return f"{self.least}-{self.most}"


TOTAL = (Bin(10, 12, 34), Bin(13, 15, 48), Bin(16, 18, 55), Bin(19, 23, 13))
HARD = (Bin(6, 8, 57), Bin(9, 10, 38), Bin(11, 13, 55))
TIMED = (Bin(0, 1, 28), Bin(2, 3, 80), Bin(4, 4, 12), Bin(5, 5, 30))
"""Ranges of the number of anchors. Of the table's 42 tasks with four or five anchors, 30 have five (Section 5.1)."""


@dataclass(frozen=True, slots=True)
class TaskShape:
    """Required numbers of constraints and anchors of one task.

    Attributes:
        hard: range for the number of hard constraint instances.
        total: range for the number of all constraint instances.
        timed: range for the number of anchors: places that can only be visited at booked starts.
    """

    hard: Bin
    total: Bin
    timed: Bin

    def mismatch(self, hard: int, total: int, timed: int) -> str:
        """Return which of the three numbers are outside the shape's ranges, as a phrase; empty if all are inside."""
        outside = {
            "booked places": timed not in self.timed,
            "hard constraints": hard not in self.hard,
            "constraints": total not in self.total,
        }
        return " and ".join(name for name, is_wrong in outside.items() if is_wrong)

    def __str__(self) -> str:
        return f"{self.hard} hard of {self.total}, {self.timed} timed"


def suite_shapes(count: int, preceding_count: int = 0) -> list[TaskShape]:
    """Return the required numbers of constraints for each task of a suite.

    Any 150 consecutive shapes match the table. Fewer shapes match it up to rounding.

    Args:
        count: number of tasks.
        preceding_count: number of the benchmark's tasks that precede these.
    """
    return list(islice(_spread_shapes(Counter(_benchmark_shapes())), preceding_count, preceding_count + count))


def _benchmark_shapes() -> Iterator[TaskShape]:
    """Yield the shapes of the benchmark's 150 tasks.

    The table counts hard constraints, all constraints and anchors separately. Here the three ranges are combined by
    size: the smallest ranges of hard constraints are paired with the smallest ranges of all constraints and of anchors.
    """
    hard, total, timed = ([b for b in bins for _ in range(b.tasks)] for bins in (HARD, TOTAL, TIMED))
    for row in zip(hard, total, timed, strict=True):
        yield TaskShape(*row)


def _spread_shapes(shares: Mapping[TaskShape, int]) -> Iterator[TaskShape]:
    """Yield an endless sequence of shapes. Each is the shape that is furthest below its share so far.

    Args:
        shares: number of the benchmark's tasks with each shape.
    """
    counts = dict.fromkeys(shares, 0)
    for n in count_from(1):
        behind = max(shares, key=lambda shape: Fraction(shares[shape] * n, BENCHMARK) - counts[shape])
        counts[behind] += 1
        yield behind
