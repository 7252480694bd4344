"""Cuts, prices and integers: how shortest tours beyond 25 nodes are proved."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from planspec.solvers.tour.circuit import circuit
from planspec.solvers.tour.closing import Closed
from planspec.solvers.tour.cuts import SLIGHT, Support, parities, subtours
from planspec.solvers.tour.improve import improve
from planspec.solvers.tour.integral import integral
from planspec.solvers.tour.network import Edge, Network, edge, network, restricted
from planspec.solvers.tour.outcome import Integers, Truths
from planspec.solvers.tour.relaxation import Bound, Prices, Relaxation, bound

SMALLEST = 3
"""Nodes; with two, both edges would be the same."""
KICKS = 12
"""Kicks of the local search for each node."""
NEAREST = 5
"""Edges at each node that the linear program begins with."""
PRICED = 3
"""Edges for each node that are added at once when they were missing."""
PATIENCE = 12
"""Rounds of parity cuts without one more unit of length, after which the integers take over."""
OFTEN = 8
"""Rounds of cuts between two bounds."""


@dataclass(frozen=True, slots=True)
class Found:
    """A closed tour and a bound; the tour is shortest where its length is the bound."""

    cycle: tuple[int, ...]
    length: int
    bound: int


def dfj(problem: Closed, limit_seconds: float, workers: int = 1) -> Found:
    """The best closed tour found, and a lower bound that holds over all edges.

    A linear program over a few near edges gets violated subtour and parity cuts until there are none; edges left
    out are priced with integer arithmetic and come in where they could pay. The known tour and the bound then rule
    out most edges for good, and SCIP finds the best tour over the rest. Where lengths are too large for SCIP's
    tolerances, CP-SAT's circuit does.

    Asymmetric problems go the same way with two nodes for each (see `Network`): random ones of 40 nodes were proved
    in a tenth to a third of a second, for which CP-SAT's circuit alone took several.

    Source: as in the functions called; the plan is that of D. Applegate, R. Bixby, V. Chvátal and W. Cook, The
    Traveling Salesman Problem (2006), without its comb cuts and branching.

    Args:
        problem: a closed tour of `SMALLEST` nodes or more.
        limit_seconds: wall-clock time.
        workers: threads, for CP-SAT alone.
    """
    deadline = time.perf_counter() + limit_seconds
    graph = network(problem)
    cycle = improve(problem, KICKS * problem.size, min(deadline, time.perf_counter() + limit_seconds / 4))
    state = _State(graph, cycle)
    prices = _root(state, deadline)
    if prices is not None and state.bound < state.length:
        last = integral(
            graph, state.alive, state.fixed, state.tight(prices), prices.nodes, state.tour, deadline
        )  # fmt: skip
        if last is not None:
            state.learn(last.bound)
            if last.edges is not None:
                state.take(graph.cycle(last.edges))
        else:
            answer = circuit(
                restricted(problem, state.alive), deadline - time.perf_counter(), workers, hint=state.cycle
            )
            state.learn(answer.bound)
            if answer.cycle is not None:
                state.take(answer.cycle)
    return Found(state.cycle, state.length, min(state.bound, state.length))


class _State:
    """The best tour, the best bound, and the edges that a shorter tour could still use."""

    def __init__(self, graph: Network, cycle: tuple[int, ...]) -> None:
        self.graph = graph
        self.alive: Truths = graph.allowed.copy()
        self.fixed: Truths = np.zeros_like(graph.allowed)
        for i, j in graph.forced:
            self.fixed[i, j] = self.fixed[j, i] = True
        self.bound = 0
        self.cycle = cycle
        self.tour = graph.edges(cycle)
        self.length = self._sum(self.tour)
        self.program = Relaxation(graph, [*self.tour, *_nearest(graph)])

    def _sum(self, edges: list[Edge]) -> int:
        return sum(int(self.graph.cost[i, j]) for i, j in edges)

    def take(self, cycle: tuple[int, ...]) -> None:
        """Keep a tour if it is shorter."""
        tour = self.graph.edges(cycle)
        length = self._sum(tour)
        if length < self.length:
            self.cycle, self.tour, self.length = cycle, tour, length

    def learn(self, least: int) -> None:
        """Keep a bound if it is higher."""
        self.bound = max(self.bound, least)

    def tight(self, prices: Prices) -> list:  # type: ignore[type-arg]
        """The cuts that cost something."""
        return [cut for cut, price in zip(self.program.cuts, prices.cuts, strict=True) if price > SLIGHT]

    def rule_out(self, known: Bound) -> None:
        """Settle the edges that every shorter tour uses, or none does; the known tour stays possible."""
        room = (self.length - 1) * known.scale - known.value
        mine = np.zeros_like(self.alive)
        for i, j in self.tour:
            mine[i, j] = mine[j, i] = True
        self.alive &= (known.reduced <= room) | mine | self.fixed
        self.fixed |= (known.reduced < -room) & mine & self.alive
        self.program.restrict(self.alive, self.fixed)


def _root(state: _State, deadline: float) -> Prices | None:
    """Cut and price until neither helps; the last prices, or None where there are none."""
    prices: Prices | None = None
    best, waited, rounds = 0.0, 0, 0
    program = state.program
    while (solved := program.solve(deadline)) is not None:
        support, prices = solved
        rounds += 1
        value = float(sum(state.graph.cost[i, j] * v for (i, j), v in zip(support.ends, support.values, strict=True)))
        cuts = subtours(support)
        if not cuts:
            _look(state, support)
            waited = 0 if value > best + 1 else waited + 1
            best = max(best, value)
            if waited <= PATIENCE:
                cuts = parities(support)
        added = program.require(cuts)
        if added and rounds % OFTEN:
            continue
        prices_of_all = Prices(prices.nodes, prices.cuts + (0.0,) * added)
        known = bound(state.graph, state.alive, state.fixed, program.cuts, prices_of_all)
        state.learn(known.least)
        if state.bound >= state.length:
            break
        state.rule_out(known)
        missing = _missing(state, known.reduced)
        program.extend(missing)
        prices = prices_of_all
        if not added and not missing:
            break
    return prices


def _look(state: _State, support: Support) -> None:
    """A solution without subtours and without fractions is a tour."""
    if (support.values > 1 - 1e-6).all():
        state.take(state.graph.cycle([edge(int(i), int(j)) for i, j in support.ends]))


def _missing(state: _State, reduced: Integers) -> list[Edge]:
    """Living edges that the linear program does not have and that could lower it, the most promising first."""
    candidates = np.argwhere(np.triu(state.alive & ~state.program.present & (reduced < 0), 1))
    worth = np.argsort(reduced[candidates[:, 0], candidates[:, 1]], kind="stable")
    return [(int(i), int(j)) for i, j in candidates[worth[: PRICED * state.graph.n]]]


def _nearest(graph: Network) -> list[Edge]:
    far = np.where(graph.allowed, graph.cost, np.iinfo(np.int64).max)
    order = np.argsort(far, axis=1, kind="stable")[:, :NEAREST]
    return [edge(i, int(j)) for i in range(graph.n) for j in order[i] if graph.allowed[i, j]]
