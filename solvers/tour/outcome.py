"""The outcome of a search for a shortest tour: the tour, its length, and how far it is proved."""

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

MAX_NODES = 3_000
"""Matrices of more nodes are refused: they take a minute to make, and no method here would prove much about them."""
EXACT = NUMBER
"""Lengths stay below this, where integers and double precision agree."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """When the nodes may be served, in units of the matrix, which are units of time then.

    Attributes:
        windows: earliest and latest beginning at each node, or None for any time.
        service: how long each node takes.
    """

    windows: tuple[Window | None, ...]
    service: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Tour:
    """A tour and what is proved about it.

    Attributes:
        n: how many nodes there are.
        tour: the nodes in order, from 0, each once; a closed tour returns from the last to the first. Empty where
            none was found, and where there are no nodes.
        length: in the units of the matrix; None where no tour was found.
        bound: no tour is shorter; proved with integers wherever the method allows it.
        status: `optimal` where length equals bound; `feasible` where the limit came first; `infeasible` where there
            is no tour in the time windows; `unknown` where the limit came before a tour.
        method: which rung of the ladder answered.
        seconds: wall-clock time spent.
        proof: that no tour is shorter, where one was asked for and found.
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
        """The most by which the length exceeds the shortest, as a share of the length; None without a tour."""
        if self.length is None:
            return None
        return 0.0 if self.length == self.bound else (self.length - self.bound) / self.length


def length_of(matrix: Integers, tour: tuple[int, ...], *, closed: bool) -> int:
    """The length of a tour, summed without loss.

    Args:
        matrix: lengths, from row to column.
        tour: nodes in order.
        closed: it returns to its first node.
    """
    total = sum(int(matrix[i, j]) for i, j in pairwise(tour))
    return total + int(matrix[tour[-1], tour[0]]) if closed and len(tour) > 1 else total
