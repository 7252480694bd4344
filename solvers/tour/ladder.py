"""The search for a shortest tour. The method depends on the number of nodes and on time windows."""

from __future__ import annotations

import operator
import time
from collections.abc import Callable, Sequence
from typing import assert_never

import numpy as np

from planspec.errors import TourInputError
from planspec.solvers.tour.budget import SearchBudget
from planspec.solvers.tour.closed_tour_problem import ClosedTourProblem, closed_tour_problem
from planspec.solvers.tour.held_karp import LARGEST, held_karp
from planspec.solvers.tour.outcome import (
    EXACT,
    MAX_NODES,
    Integers,
    Method,
    Schedule,
    Tour,
    TourStatus,
    Window,
    length_of,
)
from planspec.solvers.tour.proof import TourPart

HELD_KARP = 15
"""Maximum number of nodes for which Held and Karp's dynamic program is the fastest method."""
CIRCUIT = 25
"""Maximum number of nodes for which CP-SAT's circuit constraint is used; branch and cut solves larger problems."""


def shortest(
    matrix: Sequence[Sequence[int]] | Integers,
    *,
    closed: bool = True,
    start: int | None = None,
    end: int | None = None,
    windows: Sequence[Window | None] | None = None,
    service: Sequence[int] | None = None,
    limit_seconds: float | None = 60.0,
    workers: int = 1,
    method: Method | None = None,
    on_progress: Callable[[Tour], None] = lambda _: None,
    proving: bool = False,
    effort: float | None = None,
) -> Tour:
    """Return a shortest tour that visits every node once, or the best tour found, with a lower bound on the length.

    By default, the method is Held and Karp's dynamic program for up to 15 nodes, CP-SAT's circuit constraint for up to
    25 nodes and for all time windows, and branch and cut for more nodes. The objective is always the length, also with
    time windows.

    Args:
        matrix: n rows of n lengths, from row to column; integers of at least 0 and below 2**53/n. The diagonal is not
            read. With time windows, lengths are travel times.
        closed: whether to return to the first node; otherwise the path is open.
        start: the first node, counted from 0. By default a closed tour is listed from node 0, and an open
            path begins anywhere.
        end: the last node of an open path. By default the path ends anywhere.
        windows: for each node, the earliest and latest time at which service may begin, or None for any time. Times may
            be negative. Waiting is free. A closed tour starts at `start` and returns no later than the latest time of
            that node.
        service: duration of the service at each node; 0 by default. It has no effect without windows.
        limit_seconds: wall-clock time limit in seconds; None for no limit. If it is reached, the status is not
            `optimal`, but the result has a proved lower bound.
        workers: number of threads of CP-SAT.
        method: method to use; None to choose it by the number of nodes and the time windows.
        on_progress: function that branch and cut calls with the best tour so far and the current bound.
        proving: whether to return a proof of the bound that can be checked without a solver. Only branch and cut
            supports this.
        effort: limit in units of deterministic work, each about a second; None for no limit. With one worker and if no
            time limit is reached, the same number gives the same result under any load. Held and Karp's program ignores
            it.

    Returns:
        The tour; see `Tour`.

    Raises:
        TourInputError: the matrix, a node, a window or an option is invalid.
    """
    started = time.perf_counter()
    lengths = _check_matrix(matrix)
    n = len(lengths)
    _check_ends(n, closed, start, end)
    times = _schedule(n, windows, service)
    if limit_seconds is not None and not limit_seconds > 0:
        raise TourInputError("the time limit must be more than 0 seconds")
    if effort is not None and not effort > 0:
        raise TourInputError("the limit of effort must be more than 0 units")
    if workers < 1:
        raise TourInputError("there must be at least one worker")
    if n < 2:
        return Tour(n, tuple(range(n)), 0, 0, "optimal", "trivial", time.perf_counter() - started)
    problem = closed_tour_problem(lengths, closed=closed, start=start, end=end, directed=times is not None)
    if proving and (times is not None or method not in (None, "dfj")):
        raise TourInputError("only `dfj` returns a proof, and it does not support time windows")
    chosen = method or ("dfj" if proving else _method_for(n, times is not None))
    if chosen == "dfj" and problem.size < 3:
        chosen = "held-karp"
    seconds_left = None if limit_seconds is None else limit_seconds - (time.perf_counter() - started)
    budget = SearchBudget.of(seconds_left, effort)

    def make_tour(
        cycle: tuple[int, ...] | None, bound: int, infeasible: bool = False, proof: TourPart | None = None
    ) -> Tour:
        status: TourStatus = "infeasible" if infeasible else "unknown"
        tour: tuple[int, ...] = ()
        length: int | None = None
        if cycle is not None:
            tour = problem.order(cycle)
            length = length_of(lengths, tour, closed=closed)
            status = "optimal" if bound == length else "feasible"
        return Tour(n, tour, length, bound, status, chosen, time.perf_counter() - started, proof)

    return make_tour(*_solve(problem, chosen, times, budget, workers, lambda c, b: on_progress(make_tour(c, b))))


def _method_for(n: int, windows: bool) -> Method:
    if windows:
        return "circuit"
    return "held-karp" if n <= HELD_KARP else "circuit" if n <= CIRCUIT else "dfj"


def _solve(
    problem: ClosedTourProblem,
    method: Method,
    times: Schedule | None,
    budget: SearchBudget,
    workers: int,
    on_progress: Callable[[tuple[int, ...], int], None],
) -> tuple[tuple[int, ...] | None, int, bool, TourPart | None]:
    """Search for a shortest closed tour by the given method, such as `circuit` or `held-karp`.

    Return the nodes of a closed tour in order or None, a lower bound on the length of every tour, whether there is
    provably no tour, and a proof of the bound or None.
    """
    if times is not None and method != "circuit":
        raise TourInputError(f"`{method}` does not support time windows; `circuit` does")
    match method:
        case "trivial":
            raise TourInputError("`trivial` requires fewer than two nodes")
        case "held-karp":
            if problem.size > LARGEST:
                raise TourInputError(f"`held-karp` takes {LARGEST} nodes at most, {LARGEST - 1} for open paths")
            cycle = held_karp(problem)
            arcs = zip(cycle, cycle[1:] + cycle[:1], strict=True)
            return cycle, sum(int(problem.cost[arc]) for arc in arcs), False, None
        case "circuit":
            from planspec.solvers.tour.circuit import solve_circuit

            answer = solve_circuit(problem, budget, workers, schedule=times)
            return answer.cycle, answer.bound, answer.infeasible, None
        case "dfj":
            from planspec.solvers.tour.dfj import dfj

            result = dfj(problem, budget, lambda current: on_progress(current.cycle, current.bound))
            return result.cycle, result.bound, False, result.proof
        case _:
            assert_never(method)


def _check_matrix(matrix: Sequence[Sequence[int]] | Integers) -> Integers:
    if isinstance(matrix, np.ndarray) and matrix.ndim != 2:
        raise TourInputError(f"a matrix has two dimensions, and this has {matrix.ndim}")
    rows: list[object] = matrix.tolist() if isinstance(matrix, np.ndarray) else list(matrix)
    n = len(rows)
    if n > MAX_NODES:
        raise TourInputError(f"there are {n} nodes; at most {MAX_NODES} are supported")
    lengths = np.zeros((n, n), dtype=np.int64)
    for i, row in enumerate(rows):
        if not isinstance(row, Sequence) or len(row) != n:
            raise TourInputError(f"the matrix has {n} rows, so row {i} must have as many numbers")
        for j, cell in enumerate(row):
            if i == j:
                continue
            try:
                value = operator.index(cell)
            except TypeError:
                raise TourInputError(f"the length from {i} to {j} is not an integer: {cell!r}") from None
            if value < 0:
                raise TourInputError(f"the length from {i} to {j} is negative: {value}")
            if value * n >= EXACT:
                raise TourInputError(f"the length from {i} to {j} is too great: {value} is not below 2**53/{n}")
            lengths[i, j] = value
    return lengths


def _check_ends(n: int, closed: bool, start: int | None, end: int | None) -> None:
    for name, node in (("start", start), ("end", end)):
        if node is not None and not 0 <= node < n:
            raise TourInputError(f"the {name} is node {node}, which is not one of the {n}, counted from 0")
    if closed and end is not None:
        raise TourInputError("a closed tour ends where it starts; only an open path has an end")
    if start is not None and start == end and n > 1:
        raise TourInputError("a path through more than one node cannot start and end at the same one")


def _schedule(n: int, windows: Sequence[Window | None] | None, service: Sequence[int] | None) -> Schedule | None:
    if service is not None and (len(service) != n or any(not 0 <= time < EXACT for time in service)):
        raise TourInputError(f"there must be {n} service times, none of them negative")
    if windows is None:
        return None
    if len(windows) != n:
        raise TourInputError(f"there are {n} nodes and {len(windows)} time windows")
    for node, window in enumerate(windows):
        if window is None:
            continue
        earliest, latest = window
        if earliest > latest:
            raise TourInputError(f"the window of node {node} ends at {latest}, before it begins at {earliest}")
        if max(abs(earliest), abs(latest)) >= EXACT:
            raise TourInputError(f"the window of node {node} is too late or too early: {earliest} to {latest}")
    return Schedule(tuple(windows), tuple(service) if service is not None else (0,) * n)
