"""Numbers of constraints and anchors of the tasks: the distribution of the paper's Table 10."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import count as count_from
from itertools import islice

BENCHMARK = 150
"""Tasks of the whole benchmark, to which the table refers."""


@dataclass(frozen=True, slots=True)
class Bin:
    """A row of the table: a range, and the number of the 150 tasks in it."""

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
"""Of the 42 tasks with four or five timed entries, 30 have five (Section 5.1)."""


@dataclass(frozen=True, slots=True)
class TaskShape:
    """Required ranges for one task.

    Attributes:
        hard: range of hard constraint instances.
        total: range of all constraint instances.
        timed: range of places with booked starts only.
    """

    hard: Bin
    total: Bin
    timed: Bin

    def mismatch(self, hard: int, total: int, timed: int) -> str:
        """Return the names of the numbers outside the shape; empty if the task has the shape."""
        outside = {
            "booked places": timed not in self.timed,
            "hard constraints": hard not in self.hard,
            "constraints": total not in self.total,
        }
        return " and ".join(name for name, is_wrong in outside.items() if is_wrong)

    def __str__(self) -> str:
        return f"{self.hard} hard of {self.total}, {self.timed} timed"


def shapes(count: int, before: int = 0) -> list[TaskShape]:
    """Return the shapes of a number of tasks.

    Any 150 in a row match the table, and fewer match it up to rounding.

    Args:
        count: number of tasks.
        before: tasks of the benchmark made before these, in other cities.
    """
    return list(islice(_spread(Counter(_benchmark())), before, before + count))


def _benchmark() -> Iterator[TaskShape]:
    """Yield the shapes of the benchmark's tasks.

    The table gives its three columns separately. Here they are paired in order of size: the tasks with the
    fewest hard constraints have the fewest in all, and the fewest anchors.
    """
    hard, total, timed = ([b for b in bins for _ in range(b.tasks)] for bins in (HARD, TOTAL, TIMED))
    for row in zip(hard, total, timed, strict=True):
        yield TaskShape(*row)


def _spread(shares: Mapping[TaskShape, int]) -> Iterator[TaskShape]:
    """Yield shapes endlessly in the given proportions: always the one that is most behind."""
    given = dict.fromkeys(shares, 0)
    for n in count_from(1):
        behind = max(shares, key=lambda shape: Fraction(shares[shape] * n, BENCHMARK) - given[shape])
        given[behind] += 1
        yield behind
