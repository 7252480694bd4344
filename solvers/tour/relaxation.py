"""The linear relaxation over some of the edges, and a bound from its prices that holds for all of them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from ortools.linear_solver import pywraplp

from planspec.dsl.resources.deadline import Deadline
from planspec.solvers.backends.interruption import AbandonedCallError, interruptible
from planspec.solvers.tour.cuts import SLIGHT, Cut, Support
from planspec.solvers.tour.network import Edge, Network
from planspec.solvers.tour.outcome import Integers, Truths
from planspec.solvers.tour.proof import PricedCut, Prices

FINEST = 20
"""Prices are rounded to this many binary places, or to fewer where sums would not stay exact."""
LONGEST_S = 1e6
"""The longest limit of time that GLOP gets."""
CROWD = 2
"""Cuts for each node, beyond which idle ones are dropped."""
IDLE = 40
"""Solutions in a row in which a cut cost nothing."""
_SETTINGS = "use_preprocessing: false use_dual_simplex: true"
"""Half the time of GLOP's own choice on these programs, and of CLP's."""
UNIT = 1e5
"""The longest edge in the linear program, whose tolerances are made for such numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class DualPrices:
    """The prices of the linear program for visiting a node and for keeping to a cut, in the units of the matrix."""

    nodes: tuple[float, ...]
    cuts: tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Fractional:
    """A solution of the linear program.

    Attributes:
        support: the edges it uses; where a row is unsatisfied they need not sum to 2 at each node.
        prices: its dual solution.
        value: its objective, in the units of the matrix; no bound, as edges may be missing.
    """

    support: Support
    prices: DualPrices
    value: float


@dataclass(frozen=True, slots=True, eq=False)
class LowerBound:
    """A lower bound and what each edge would add to it, in integers.

    Attributes:
        value: times `scale`, no tour is shorter.
        reduced: times `scale`, the reduced cost of each edge.
        scale: a power of two.
        prices: from which it follows.
    """

    value: int
    reduced: Integers
    scale: int
    prices: Prices

    @property
    def least(self) -> int:
        """The bound, rounded up."""
        return -(-self.value // self.scale)


def bound(
    network: Network, alive: Truths, fixed: Truths, cuts: Sequence[Cut], prices: DualPrices
) -> LowerBound:
    """The bound that any prices give, whether or not a linear program was solved well.

    Every tour satisfies the degree equations and the cuts, so its length is at least the right-hand sides times
    their prices plus, for each edge that may be used, its reduced cost where that is negative. Prices are rounded
    first and everything else is integers, so no tolerance enters.

    Args:
        network: the graph.
        alive: edges that may be used; symmetric.
        fixed: edges that must be used; symmetric.
        cuts: inequalities.
        prices: one for each node and each cut; negative ones of cuts count as 0.
    """
    nodes = np.array(prices.nodes)
    charges = np.maximum(np.array(prices.cuts), 0.0)
    most = (
        2 * float(np.abs(nodes).max(initial=0.0))
        + float(charges.sum()) * 2
        + float(network.cost.max(initial=0))
        + 1
    )
    scale = 1 << max(0, min(FINEST, 51 - int(np.ceil(np.log2(most)))))
    pi = np.rint(nodes * scale).astype(np.int64)
    charged = np.rint(charges * scale)
    used = np.flatnonzero(charged)
    reduced = network.cost * scale - pi[:, None] - pi[None, :]
    value = 2 * sum(pi.tolist())
    if len(used):
        sides = np.array([cuts[k].side for k in used.tolist()], dtype=np.float64)
        crossing = (sides * charged[used, None]).T @ (1.0 - sides)  # integers below 2**53: exact in any order
        reduced -= (crossing + crossing.T).astype(np.int64)
        for k in used.tolist():
            charge = int(charged[k])
            value += cuts[k].least * charge
            for i, j in cuts[k].teeth:
                reduced[i, j] += 2 * charge
                reduced[j, i] += 2 * charge
    above = np.triu(alive, 1)
    counted = np.where(np.triu(fixed, 1), reduced, np.where(above, np.minimum(reduced, 0), 0))
    high, low = np.divmod(counted, 1 << 20)  # the sum of many may not fit
    priced = tuple(
        PricedCut(int(charged[k]), tuple(np.flatnonzero(cuts[k].side).tolist()), cuts[k].teeth)
        for k in used.tolist()
    )
    prices_used = Prices(scale, tuple(pi.tolist()), priced)
    return LowerBound(value + (int(high.sum()) << 20) + int(low.sum()), reduced, scale, prices_used)


class LinearRelaxation:
    """A linear program that grows by edges and by cuts.

    It always has a solution: at a price above the length of any tour of interest each row may be left unsatisfied.
    """

    def __init__(self, network: Network, edges: Iterable[Edge], dear: int) -> None:
        """Begin with some edges.

        Args:
            network: the graph.
            edges: those to begin with, besides the forced ones.
            dear: what an unsatisfied row costs, in the units of the matrix.
        """
        self.network = network
        self._unit = max(1.0, float(network.cost[network.allowed].max(initial=1)) / UNIT)
        self._dear = max(1.0, dear / self._unit)
        self._crowd = CROWD * network.n
        self._begin()
        self.extend(network.forced)
        self.extend(edges)

    def _begin(self) -> None:
        n = self.network.n
        self.cuts: list[Cut] = []
        self.edges: list[Edge] = []
        self.present = np.zeros((n, n), dtype=bool)
        self._known: set[object] = set()
        self._idle: list[int] = []
        self._rows: list[Any] = []
        self._columns: list[Any] = []
        self._solver: Any = pywraplp.Solver.CreateSolver("GLOP")
        self._solver.SetSolverSpecificParametersAsString(_SETTINGS)
        self._objective = self._solver.Objective()
        self._objective.SetMinimization()
        self._degrees: list[Any] = []
        for _ in range(n):
            row = self._solver.Constraint(2, 2)
            for sign in (1, -1):
                row.SetCoefficient(self._excuse(), sign)
            self._degrees.append(row)
        self._excused = self._excuse()

    def shed(self) -> None:
        """Begin anew without the cuts that have long been idle, if there are many."""
        if len(self.cuts) < self._crowd:
            return
        edges = self.edges
        cuts = [cut for cut, idle in zip(self.cuts, self._idle, strict=True) if idle < IDLE]
        self._begin()
        self.extend(edges)
        self.require(cuts)
        self._crowd = max(self._crowd, 2 * len(cuts))

    def _excuse(self) -> Any:
        column = self._solver.NumVar(0, self._solver.infinity(), "")
        self._objective.SetCoefficient(column, self._dear)
        return column

    def extend(self, edges: Iterable[Edge]) -> None:
        """Let the program use more edges; those it has already are passed over."""
        for i, j in edges:
            if self.present[i, j]:
                continue
            self.present[i, j] = self.present[j, i] = True
            column = self._solver.NumVar(0, 1, "")
            self.edges.append((i, j))
            self._columns.append(column)
            self._objective.SetCoefficient(column, float(self.network.cost[i, j]) / self._unit)
            self._degrees[i].SetCoefficient(column, 1)
            self._degrees[j].SetCoefficient(column, 1)
            for cut, row in zip(self.cuts, self._rows, strict=True):
                if cut.side[i] != cut.side[j]:
                    row.SetCoefficient(column, -1 if (i, j) in cut.teeth else 1)

    def require(self, cuts: Iterable[Cut]) -> int:
        """Add cuts; returns how many were new."""
        before = len(self.cuts)
        ends = np.array(self.edges, dtype=np.int64)
        for cut in cuts:
            key = cut.key()
            if key in self._known:
                continue
            self._known.add(key)
            row = self._solver.Constraint(cut.least, self._solver.infinity())
            row.SetCoefficient(self._excused, 1)
            for place in np.flatnonzero(cut.side[ends[:, 0]] != cut.side[ends[:, 1]]).tolist():
                row.SetCoefficient(self._columns[place], -1 if self.edges[place] in cut.teeth else 1)
            self.cuts.append(cut)
            self._rows.append(row)
            self._idle.append(0)
        return len(self.cuts) - before

    def restrict(self, alive: Truths, fixed: Truths) -> None:
        """Use no edges but the living ones, and all that are fixed."""
        for (i, j), column in zip(self.edges, self._columns, strict=True):
            column.SetBounds(1.0 if fixed[i, j] else 0.0, 1.0 if alive[i, j] else 0.0)

    def probe(self, pair: Edge, value: int, deadline: float) -> float:
        """The objective if an edge were left out, or held; 0 where it cannot be told.

        Args:
            pair: one of the program's edges.
            value: 0 or 1.
            deadline: of `time.perf_counter`, in seconds.
        """
        column = self._columns[self.edges.index(pair)]
        low, high = column.Lb(), column.Ub()
        column.SetBounds(value, value)
        solved = self.solve(deadline)
        column.SetBounds(low, high)
        return 0.0 if solved is None else solved.value

    def solve(self, deadline: float) -> Fractional | None:
        """The best fractional solution and its prices, or None where time ran out.

        Args:
            deadline: of `time.perf_counter`, in seconds.
        """
        left = deadline - time.perf_counter()
        if left <= 0:
            return None
        solver = self._solver
        solver.SetTimeLimit(max(1, int(min(left, LONGEST_S) * 1000)))
        try:
            status, _ = interruptible(solver.Solve, solver.InterruptSolve, Deadline(left))
        except AbandonedCallError:
            return None
        if status != pywraplp.Solver.OPTIMAL:
            return None
        values = np.array([column.solution_value() for column in self._columns])
        kept = np.flatnonzero(values > SLIGHT)
        ends = np.array(self.edges, dtype=np.int64).reshape(-1, 2)[kept]
        nodes = tuple(row.dual_value() * self._unit for row in self._degrees)
        cuts = tuple(row.dual_value() * self._unit for row in self._rows)
        self._idle = [0 if price > SLIGHT else idle + 1 for price, idle in zip(cuts, self._idle, strict=True)]
        support = Support(self.network.n, ends, np.minimum(values[kept], 1.0))
        return Fractional(support, DualPrices(nodes, cuts), self._objective.Value() * self._unit)
