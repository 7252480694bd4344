"""How many constraints and anchors each task has: the distribution of the paper's Table 10."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import count as count_from
from itertools import islice

BENCHMARK = 150
"""Tasks of the whole benchmark, whose numbers the table gives."""


@dataclass(frozen=True, slots=True)
class Bin:
    """A row of the table: from `least` to `most`, and how many of 150 tasks lie there."""

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
class Shape:
    """What is asked of one task.

    Attributes:
        hard: instances of hard constraints.
        total: of all constraints.
        timed: places that are entered at booked starts only.
    """

    hard: Bin
    total: Bin
    timed: Bin

    def unfit(self, hard: int, total: int, timed: int) -> str:
        """What a task with so many has too few or too many of; empty if it is of this shape."""
        wrong = {
            "booked places": timed not in self.timed,
            "hard constraints": hard not in self.hard,
            "constraints": total not in self.total,
        }
        return " and ".join(name for name, is_wrong in wrong.items() if is_wrong)

    def __str__(self) -> str:
        return f"{self.hard} hard of {self.total}, {self.timed} timed"


def shapes(count: int, before: int = 0) -> list[Shape]:
    """The shapes of so many tasks; any 150 in a row have the table's numbers, and fewer as nearly as whole numbers can.

    Args:
        count: of tasks.
        before: tasks of the benchmark that were made before these, in other cities.
    """
    return list(islice(_spread(Counter(_benchmark())), before, before + count))


def _benchmark() -> Iterator[Shape]:
    """The shapes of the benchmark's tasks.

    The table has three columns, and nothing of how they go together. Small and large do here: the tasks with the fewest hard
    constraints have the fewest in all, and the fewest anchors.
    """
    hard, total, timed = ([b for b in bins for _ in range(b.tasks)] for bins in (HARD, TOTAL, TIMED))
    for row in zip(hard, total, timed, strict=True):
        yield Shape(*row)


def _spread(wanted: Mapping[Shape, int]) -> Iterator[Shape]:
    """Shapes without end, each as often as its share wants it: always the one that is most behind."""
    given = dict.fromkeys(wanted, 0)
    for n in count_from(1):
        behind = max(wanted, key=lambda shape: Fraction(wanted[shape] * n, BENCHMARK) - given[shape])
        given[behind] += 1
        yield behind
