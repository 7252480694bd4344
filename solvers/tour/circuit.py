"""CP-SAT's circuit: for middling sizes, and wherever there are time windows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import ceil

from ortools.sat.python import cp_model as cp

from planspec.dsl.resources.deadline import Deadline
from planspec.solvers.backends.cpsat.solver import new_solver
from planspec.solvers.backends.interruption import AbandonedCallError, interruptible
from planspec.solvers.tour.closing import Closed
from planspec.solvers.tour.outcome import Schedule


@dataclass(frozen=True, slots=True)
class CircuitResult:
    """The answer of CP-SAT.

    Attributes:
        cycle: the best closed tour, None if none was found.
        bound: no closed tour is shorter.
        infeasible: proved that there is none.
    """

    cycle: tuple[int, ...] | None
    bound: int
    infeasible: bool = False


def circuit(
    problem: Closed, limit_seconds: float, workers: int = 1, *, schedule: Schedule | None = None
) -> CircuitResult:  # fmt: skip
    """A shortest closed tour, proved where time allows.

    Args:
        problem: a closed tour of two nodes or more.
        limit_seconds: wall-clock time.
        workers: threads.
        schedule: times to keep. Service begins within the node's window, after waiting if need be. A closed tour
            sets out from its start and is back no later than the start's latest time; the added node of an open
            path takes no time.
    """
    model = cp.CpModel()
    arcs = {
        (i, j): model.new_bool_var("")
        for i in range(problem.size)
        for j in range(problem.size)
        if problem.allowed[i, j]
    }
    model.add_circuit([(i, j, literal) for (i, j), literal in arcs.items()])
    if schedule is not None:
        _keep(model, problem, schedule, arcs)
    costs = [int(problem.cost[arc]) for arc in arcs]
    model.minimize(cp.LinearExpr.weighted_sum(list(arcs.values()), costs))
    solver = new_solver(workers=workers, seconds=limit_seconds)
    if workers == 1 and schedule is None:
        # Proves 50 random points in 0.1 to 0.5 s instead of 10 s to minutes; several workers differ among themselves.
        solver.parameters.linearization_level = 2
    try:
        status, _ = interruptible(partial(solver.solve, model), solver.stop_search, Deadline(limit_seconds))
    except AbandonedCallError:
        return CircuitResult(None, 0)
    if status == cp.MODEL_INVALID:
        raise RuntimeError(f"CP-SAT refuses the model: {model.validate()}")
    if status == cp.INFEASIBLE:
        return CircuitResult(None, 0, infeasible=True)
    bound = max(0, ceil(solver.best_objective_bound - 1e-6))
    if status not in (cp.OPTIMAL, cp.FEASIBLE):
        return CircuitResult(None, bound)
    following = {i: j for (i, j), literal in arcs.items() if solver.boolean_value(literal)}
    cycle = [0]
    while (node := following[cycle[-1]]) != 0:
        cycle.append(node)
    length = sum(int(problem.cost[arc]) for arc in following.items())
    return CircuitResult(tuple(cycle), length if status == cp.OPTIMAL else min(bound, length))


def _keep(
    model: cp.CpModel, problem: Closed, schedule: Schedule, arcs: dict[tuple[int, int], cp.IntVar]
) -> None:
    """Times: who comes after an arc begins after the service and the way before it."""
    n = len(schedule.windows)
    known = [time for window in schedule.windows if window is not None for time in window]
    # No tour without needless waiting takes longer than this before the first time that a window names, or after.
    most = sum(schedule.service) + sum(int(row.max()) for row in problem.cost)
    first, last = min(known, default=0) - most, max(known, default=0) + most
    windows = [window or (first, last) for window in schedule.windows]
    begins = [model.new_int_var(*window, "") for window in windows]
    depot = (problem.start or 0) if problem.closed else None
    for (i, j), literal in arcs.items():
        if i >= n or j >= n:
            continue  # the added node
        way = schedule.service[i] + int(problem.cost[i, j])
        if j == depot:
            model.add(begins[i] + way <= windows[j][1]).only_enforce_if(literal)
        else:
            model.add(begins[i] + way <= begins[j]).only_enforce_if(literal)
