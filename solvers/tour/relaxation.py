"""A linear relaxation over some of the edges, and a bound from its dual prices that holds for all edges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from ortools.linear_solver import pywraplp

from planspec.dsl.resources.deadline import Deadline
from planspec.solvers.backends.interruption import AbandonedCallError, interruptible
from planspec.solvers.tour.budget import PIVOTS_PER_UNIT, SearchBudget
from planspec.solvers.tour.cuts import INTEGER_TOLERANCE, Cut, Support
from planspec.solvers.tour.network import Edge, Network
from planspec.solvers.tour.outcome import Integers, Truths
from planspec.solvers.tour.proof import IntegerPrices, PricedCut

PRICE_BITS = 20
"""Number of binary fraction digits to which dual prices are rounded; fewer if sums would not be exact."""
LONGEST_S = 1e6
"""Longest time limit in seconds that the linear solver GLOP accepts."""
MAX_CUTS_PER_NODE = 2
"""Number of cuts per node from which idle cuts (see `IDLE`) are dropped from the linear program."""
IDLE = 40
"""Number of consecutive solutions in which a cut has price 0 before it counts as idle."""
_SETTINGS = "use_preprocessing: false use_dual_simplex: true"
"""Settings of GLOP. With them, linear programs of tours take half as long as with GLOP's defaults or with CLP."""
UNIT = 1e5
"""Length to which the longest edge is scaled in the linear program, because it suits GLOP's tolerances."""


@dataclass(frozen=True, slots=True, eq=False)
class DualPrices:
    """The dual prices of the linear program, in the units of the matrix of lengths.

    Attributes:
        nodes: price of the degree equation of each node.
        cuts: price of the inequality of each cut.
    """

    nodes: tuple[float, ...]
    cuts: tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Fractional:
    """A solution of the linear program.

    Attributes:
        support: edges with positive values. The values at a node may not sum to 2 if a constraint of the program is
            violated at a penalty.
        prices: the dual solution.
        value: objective in the units of the matrix. It is not a lower bound on tours, because the linear program may
            lack edges.
    """

    support: Support
    prices: DualPrices
    value: float


@dataclass(frozen=True, slots=True, eq=False)
class LowerBound:
    """A proved lower bound on the length of every tour and the reduced cost of each edge, as integers.

    Attributes:
        value: lower bound on the length of every tour, times `scale`.
        reduced: matrix of the reduced costs of edges, times `scale`.
        scale: factor of `value` and `reduced`, a power of two.
        prices: integer prices from which the bound follows.
    """

    value: int
    reduced: Integers
    scale: int
    prices: IntegerPrices

    @property
    def least(self) -> int:
        """The lower bound in the units of the matrix, rounded up to an integer."""
        return -(-self.value // self.scale)


def proved_bound(network: Network, alive: Truths, fixed: Truths, cuts: Sequence[Cut], prices: DualPrices) -> LowerBound:
    """Return the lower bound on tours that follows from dual prices. It is valid for any prices, even inexact ones.

    Every tour satisfies the degree equations and the cuts. Its length is therefore at least the sum of right-hand sides
    times prices, plus the negative reduced costs of edges that may be used. Prices are rounded first, and everything
    else is computed with integers, so no tolerance is needed.

    Args:
        network: the graph.
        alive: symmetric Boolean matrix of edges that may be used.
        fixed: symmetric Boolean matrix of edges that must be used.
        cuts: inequalities that every tour satisfies.
        prices: price of each node and each cut. Negative prices of cuts count as 0.
    """
    nodes = np.array(prices.nodes)
    charges = np.maximum(np.array(prices.cuts), 0.0)
    largest = (
        2 * float(np.abs(nodes).max(initial=0.0)) + float(charges.sum()) * 2 + float(network.cost.max(initial=0)) + 1
    )
    scale = 1 << max(0, min(PRICE_BITS, 51 - int(np.ceil(np.log2(largest)))))
    pi = np.rint(nodes * scale).astype(np.int64)
    charged = np.rint(charges * scale)
    used = np.flatnonzero(charged)
    reduced = network.cost * scale - pi[:, None] - pi[None, :]
    value = 2 * sum(pi.tolist())
    if len(used):
        sides = np.array([cuts[k].side for k in used.tolist()], dtype=np.float64)
        crossing = (sides * charged[used, None]).T @ (1.0 - sides)  # sums of integers below 2**53 are exact
        reduced -= (crossing + crossing.T).astype(np.int64)
        for k in used.tolist():
            charge = int(charged[k])
            value += cuts[k].least * charge
            for i, j in cuts[k].teeth:
                reduced[i, j] += 2 * charge
                reduced[j, i] += 2 * charge
    upper = np.triu(alive, 1)
    contributions = np.where(np.triu(fixed, 1), reduced, np.where(upper, np.minimum(reduced, 0), 0))
    high, low = np.divmod(contributions, 1 << 20)  # in two parts, because the sum may overflow
    priced = tuple(
        PricedCut(int(charged[k]), tuple(np.flatnonzero(cuts[k].side).tolist()), cuts[k].teeth) for k in used.tolist()
    )
    prices_used = IntegerPrices(scale, tuple(pi.tolist()), priced)
    return LowerBound(value + (int(high.sum()) << 20) + int(low.sum()), reduced, scale, prices_used)


class LinearRelaxation:
    """The linear relaxation of a tour problem, over some of its edges. More edges and cuts can be added.

    It is always feasible, because each constraint may be violated at a penalty. The penalty exceeds the length of a
    known tour.
    """

    def __init__(self, network: Network, edges: Iterable[Edge], penalty: int) -> None:
        """Build the linear program with a few edges.

        Args:
            network: the graph.
            edges: initial edges, in addition to the forced ones.
            penalty: cost of violating a constraint by 1, in the units of the matrix.
        """
        self.network = network
        self._unit = max(1.0, float(network.cost[network.allowed].max(initial=1)) / UNIT)
        self._penalty = max(1.0, penalty / self._unit)
        self._most_cuts = MAX_CUTS_PER_NODE * network.n
        self._rebuild()
        self.extend(network.forced)
        self.extend(edges)

    def _rebuild(self) -> None:
        n = self.network.n
        self.cuts: list[Cut] = []
        self.edges: list[Edge] = []
        self.present = np.zeros((n, n), dtype=bool)
        self._keys: set[object] = set()
        self._idle: list[int] = []
        self._rows: list[Any] = []
        self._columns: list[Any] = []
        self._solver: Any = pywraplp.Solver.CreateSolver("GLOP")
        self._solver.SetSolverSpecificParametersAsString(_SETTINGS)
        self._objective = self._solver.Objective()
        self._objective.SetMinimization()
        self._degree_rows: list[Any] = []
        for _ in range(n):
            row = self._solver.Constraint(2, 2)
            for sign in (1, -1):
                row.SetCoefficient(self._slack_variable(), sign)
            self._degree_rows.append(row)
        self._cut_slack = self._slack_variable()

    def drop_idle_cuts(self) -> None:
        """Rebuild the linear program without idle cuts (see `IDLE`), if there are many cuts."""
        if len(self.cuts) < self._most_cuts:
            return
        edges = self.edges
        cuts = [cut for cut, idle in zip(self.cuts, self._idle, strict=True) if idle < IDLE]
        self._rebuild()
        self.extend(edges)
        self.require(cuts)
        self._most_cuts = max(self._most_cuts, 2 * len(cuts))

    def _slack_variable(self) -> Any:
        column = self._solver.NumVar(0, self._solver.infinity(), "")
        self._objective.SetCoefficient(column, self._penalty)
        return column

    def extend(self, edges: Iterable[Edge]) -> None:
        """Add edges to the linear program. Edges that it already has are skipped."""
        for i, j in edges:
            if self.present[i, j]:
                continue
            self.present[i, j] = self.present[j, i] = True
            column = self._solver.NumVar(0, 1, "")
            self.edges.append((i, j))
            self._columns.append(column)
            self._objective.SetCoefficient(column, float(self.network.cost[i, j]) / self._unit)
            self._degree_rows[i].SetCoefficient(column, 1)
            self._degree_rows[j].SetCoefficient(column, 1)
            for cut, row in zip(self.cuts, self._rows, strict=True):
                if cut.side[i] != cut.side[j]:
                    row.SetCoefficient(column, -1 if (i, j) in cut.teeth else 1)

    def require(self, cuts: Iterable[Cut]) -> int:
        """Add cuts to the linear program. Return the number of those that it did not have before."""
        before = len(self.cuts)
        ends = np.array(self.edges, dtype=np.int64)
        for cut in cuts:
            key = cut.key()
            if key in self._keys:
                continue
            self._keys.add(key)
            row = self._solver.Constraint(cut.least, self._solver.infinity())
            row.SetCoefficient(self._cut_slack, 1)
            for place in np.flatnonzero(cut.side[ends[:, 0]] != cut.side[ends[:, 1]]).tolist():
                row.SetCoefficient(self._columns[place], -1 if self.edges[place] in cut.teeth else 1)
            self.cuts.append(cut)
            self._rows.append(row)
            self._idle.append(0)
        return len(self.cuts) - before

    def restrict(self, alive: Truths, fixed: Truths) -> None:
        """Allow only the edges in `alive`, and require those in `fixed`. Both are symmetric Boolean matrices."""
        for (i, j), column in zip(self.edges, self._columns, strict=True):
            column.SetBounds(1.0 if fixed[i, j] else 0.0, 1.0 if alive[i, j] else 0.0)

    def probe(self, pair: Edge, value: int, budget: SearchBudget) -> float:
        """Return the minimum of the linear program with an edge fixed to 0 or 1; 0 if it is not solved in time.

        Args:
            pair: an edge of the linear program.
            value: 0 to leave the edge out, 1 to require it.
            budget: remaining budget of the search.
        """
        column = self._columns[self.edges.index(pair)]
        low, high = column.Lb(), column.Ub()
        column.SetBounds(value, value)
        solved = self.solve(budget)
        column.SetBounds(low, high)
        return 0.0 if solved is None else solved.value

    def solve(self, budget: SearchBudget) -> Fractional | None:
        """Return an optimal fractional solution and its dual prices; None if time or effort ran out.

        Args:
            budget: remaining budget of the search. Pivots are subtracted from its effort.
        """
        if budget.is_exhausted:
            return None
        solver, n = self._solver, self.network.n
        if budget.effort < inf:
            most_pivots = max(1, int(budget.effort * PIVOTS_PER_UNIT / n))
            solver.SetSolverSpecificParametersAsString(f"{_SETTINGS} max_number_of_iterations: {most_pivots}")
        if budget.deadline < inf:
            solver.SetTimeLimit(max(1, int(min(budget.seconds, LONGEST_S) * 1000)))
        try:
            status, _ = interruptible(solver.Solve, solver.InterruptSolve, Deadline(min(budget.seconds, LONGEST_S)))
        except AbandonedCallError:
            return None
        if status == pywraplp.Solver.OPTIMAL:
            budget.spend(solver.iterations() * n / PIVOTS_PER_UNIT)
        elif budget.effort < inf:
            budget.spend(budget.effort)  # everything: GLOP reports no pivots of an interrupted search
        if status != pywraplp.Solver.OPTIMAL:
            return None
        values = np.array([column.solution_value() for column in self._columns])
        used = np.flatnonzero(values > INTEGER_TOLERANCE)
        ends = np.array(self.edges, dtype=np.int64).reshape(-1, 2)[used]
        nodes = tuple(row.dual_value() * self._unit for row in self._degree_rows)
        cuts = tuple(row.dual_value() * self._unit for row in self._rows)
        self._idle = [
            0 if price > INTEGER_TOLERANCE else idle + 1 for price, idle in zip(cuts, self._idle, strict=True)
        ]
        support = Support(self.network.n, ends, np.minimum(values[used], 1.0))
        return Fractional(support, DualPrices(nodes, cuts), self._objective.Value() * self._unit)
