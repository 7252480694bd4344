"""The last stage: SCIP over the edges that are left, and subtours forbidden until one tour remains."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from ortools.linear_solver import pywraplp

from planspec.solvers.interruption import interruptible
from planspec.solvers.tour.cuts import Cut, components
from planspec.solvers.tour.network import Edge, Network
from planspec.solvers.tour.outcome import Truths

PRECISE = 10**7
"""SCIP is asked about lengths up to this, where its tolerances are far below one unit."""
_SETTINGS = "misc/catchctrlc = FALSE\ndisplay/verblevel = 0\n"


@dataclass(frozen=True, slots=True, eq=False)
class Integral:
    """What the last stage found.

    Attributes:
        edges: the shortest tour over the edges that were left; None where time ran out.
        bound: none over these edges is shorter.
    """

    edges: tuple[Edge, ...] | None
    bound: int


def lowered(network: Network, prices: Sequence[float]) -> tuple[list[int], int]:
    """Integers to take off at each node, and what that takes off every tour.

    Each tour has two edges at each node, so which one is shortest does not change, and the numbers become small.
    """
    off = [round(price) for price in prices[: network.n]]
    return off, 2 * sum(off)


def integral(
    network: Network, alive: Truths, fixed: Truths, cuts: Sequence[Cut], prices: Sequence[float],
    known: Sequence[Edge], deadline: float,
) -> Integral | None:  # fmt: skip
    """A shortest tour over the living edges, or None where the numbers are too large for SCIP.

    Source: G. Dantzig, R. Fulkerson and S. Johnson, Solution of a large-scale traveling-salesman problem (1954);
    after each integer solution every one of its subtours is forbidden, as in C. Miliotis, Integer programming
    approaches to the travelling salesman problem (1976).

    Args:
        network: the graph.
        alive: edges that may be used; a tour of them is known.
        fixed: edges that must be used.
        cuts: inequalities to begin with.
        prices: of the nodes, from the linear program.
        known: a tour over living edges.
        deadline: of `time.perf_counter`, in seconds.
    """
    off, taken = lowered(network, prices)
    pairs = [(int(i), int(j)) for i, j in np.argwhere(np.triu(alive | fixed, 1))]
    costs = [int(network.cost[i, j]) - off[i] - off[j] for i, j in pairs]
    if max(map(abs, costs)) > PRECISE:
        return None
    solver: Any = pywraplp.Solver.CreateSolver("SCIP")
    solver.SetSolverSpecificParametersAsString(_SETTINGS)
    parameters = pywraplp.MPSolverParameters()
    parameters.SetDoubleParam(parameters.RELATIVE_MIP_GAP, 0.0)
    columns = [solver.IntVar(1 if fixed[i, j] else 0, 1, "") for i, j in pairs]
    objective = solver.Objective()
    objective.SetMinimization()
    degrees = [solver.Constraint(2, 2) for _ in range(network.n)]
    for (i, j), column, cost in zip(pairs, columns, costs, strict=True):
        objective.SetCoefficient(column, cost)
        degrees[i].SetCoefficient(column, 1)
        degrees[j].SetCoefficient(column, 1)

    def forbid(cut: Cut) -> None:
        row = solver.Constraint(cut.least, solver.infinity())
        for (i, j), column in zip(pairs, columns, strict=True):
            if cut.side[i] != cut.side[j]:
                row.SetCoefficient(column, -1 if (i, j) in cut.teeth else 1)

    for cut in cuts:
        forbid(cut)
    tour = set(known)
    solver.SetHint(columns, [1.0 if pair in tour else 0.0 for pair in pairs])
    bound = -(2**62)
    while True:
        left = deadline - time.perf_counter()
        if left <= 0:
            return Integral(None, bound + taken)
        solver.SetTimeLimit(max(1, int(left * 1000)))
        status = interruptible(lambda: solver.Solve(parameters), solver.InterruptSolve)
        if status != pywraplp.Solver.OPTIMAL:
            if status == pywraplp.Solver.FEASIBLE:
                bound = max(bound, ceil(objective.BestBound() - 1e-6))
            return Integral(None, bound + taken)
        chosen = [pair for pair, column in zip(pairs, columns, strict=True) if column.solution_value() > 0.5]
        picked = set(chosen)
        bound = max(bound, sum(cost for pair, cost in zip(pairs, costs, strict=True) if pair in picked))
        parts = components(network.n, np.array(chosen, dtype=np.int64))
        if len(parts) == 1:
            return Integral(tuple(chosen), bound + taken)
        for part in parts if len(parts) > 2 else parts[:1]:
            side = np.zeros(network.n, dtype=bool)
            side[part] = True
            forbid(Cut(side))
