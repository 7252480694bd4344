"""The outcome of a search for a shortest tour: the tour, its length, and the proved bound."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from planspec.dsl.resources.limits import NUMBER
from planspec.solvers.tour.proof import TourPart

Integers: TypeAlias = npt.NDArray[np.int64]
Truths: TypeAlias = npt.NDArray[np.bool_]
Reals: TypeAlias = npt.NDArray[np.float64]
TourStatus: TypeAlias = Literal["optimal", "feasible", "infeasible", "unknown"]
Method: TypeAlias = Literal["trivial", "held-karp", "circuit", "dfj"]

Window: TypeAlias = tuple[int, int]
"""Earliest and latest time at which service at a node may begin."""

MAX_NODES = 3_000
"""Maximum number of nodes of a tour. Larger matrices take a minute to compute, and no method finds useful bounds."""
EXACT = NUMBER
"""Limit (2**53) below which integers are exact in double precision. Lengths of tours stay below it."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """The times at which a tour may serve its nodes.

    The lengths between the nodes of a tour with a schedule are travel times, in the same unit as the schedule.

    Attributes:
        windows: earliest and latest start of service at each node, or None for any time.
        service: duration of the service at each node.
    """

    windows: tuple[Window | None, ...]
    service: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Tour:
    """The result of a search for a shortest tour: a tour, its length, and a lower bound on the length of every tour.

    Attributes:
        n: number of nodes.
        tour: the nodes in order, numbered from 0, each once. A closed tour returns from the last to the first node.
            Empty if no tour was found or there are no nodes.
        length: length in the units of the matrix; None if no tour was found.
        bound: lower bound on the length of every tour. Held and Karp's dynamic program and the branch-and-cut method
            compute it with exact integer arithmetic; CP-SAT computes it with floating-point numbers.
        status: `optimal` if length equals bound; `feasible` if a limit was reached before optimality was proved;
            `infeasible` if the time windows allow no tour; `unknown` if a limit was reached before a tour was
            found.
        method: method that found the tour.
        seconds: wall-clock time spent.
        proof: proof that no tour is shorter, if it was requested and found.
    """

    n: int
    tour: tuple[int, ...]
    length: int | None
    bound: int
    status: TourStatus
    method: Method
    seconds: float = 0.0
    proof: TourPart | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        return f"<Tour {self.status}: {self.n} nodes, length {self.length}, bound {self.bound}>"

    @property
    def gap(self) -> float | None:
        """Optimality gap: (length - bound) / length, from 0 to 1.

        It is None if no tour was found.
        """
        if self.length is None:
            return None
        return 0.0 if self.length == self.bound else (self.length - self.bound) / self.length


def length_of(matrix: Integers, tour: tuple[int, ...], *, closed: bool) -> int:
    """Return the exact length of a tour.

    Args:
        matrix: lengths, from row to column.
        tour: nodes in order.
        closed: whether the tour returns to its first node.
    """
    total = sum(int(matrix[i, j]) for i, j in pairwise(tour))
    return total + int(matrix[tour[-1], tour[0]]) if closed and len(tour) > 1 else total
