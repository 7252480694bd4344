"""Search for tours by CP-SAT's circuit constraint, for medium sizes and for all problems with time windows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import ceil, inf

from ortools.sat.python import cp_model as cp

from planspec.dsl.resources.deadline import Deadline
from planspec.solvers.backends.cpsat.solver import new_solver
from planspec.solvers.backends.interruption import AbandonedCallError, interruptible
from planspec.solvers.tour.budget import SearchBudget
from planspec.solvers.tour.closed_tour_problem import ClosedTourProblem
from planspec.solvers.tour.outcome import Schedule


@dataclass(frozen=True, slots=True)
class CircuitResult:
    """The best closed tour that CP-SAT found, and a lower bound on the length of all closed tours.

    Attributes:
        cycle: nodes of the best closed tour found, in order; None if none was found.
        bound: lower bound on the length of every closed tour.
        infeasible: whether there is provably no tour.
    """

    cycle: tuple[int, ...] | None
    bound: int
    infeasible: bool = False


def solve_circuit(
    problem: ClosedTourProblem, budget: SearchBudget, workers: int = 1, *, schedule: Schedule | None = None
) -> CircuitResult:
    """Search for a shortest closed tour with CP-SAT's circuit constraint, within a budget of time and effort.

    Args:
        problem: a closed tour of at least two nodes.
        budget: remaining time and effort.
        workers: number of threads.
        schedule: time windows and service times; None for a tour without times. Service begins within the node's
            window, if necessary after waiting. A closed tour starts at its first node and returns no later than the
            end of that node's window. An open path is given as a closed tour with an additional node, which takes no
            time.
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
        _add_times(model, problem, schedule, arcs)
    costs = [int(problem.cost[arc]) for arc in arcs]
    model.minimize(cp.LinearExpr.weighted_sum(list(arcs.values()), costs))
    solver = new_solver(workers=workers, seconds=None if budget.deadline == inf else budget.seconds)
    if budget.effort < inf:
        solver.parameters.max_deterministic_time = budget.effort
    if workers == 1 and schedule is None:
        # With one worker and this parameter, a tour of 50 random points is proved optimal in 0.1 to 0.5 s instead of
        # 10 s to minutes.
        solver.parameters.linearization_level = 2
    try:
        status, _ = interruptible(partial(solver.solve, model), solver.stop_search, Deadline(budget.seconds))
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


def _add_times(
    model: cp.CpModel, problem: ClosedTourProblem, schedule: Schedule, arcs: dict[tuple[int, int], cp.IntVar]
) -> None:
    """Require for each used arc (i, j): service at j begins after service at i and the travel from i to j.

    Args:
        model: the CP-SAT model, to which constraints are added.
        problem: the closed tour problem. Its lengths are travel times.
        schedule: time windows and service times of the nodes.
        arcs: for each arc (from node, to node), the literal that holds if the tour uses the arc.
    """
    n = len(schedule.windows)
    times = [time for window in schedule.windows if window is not None for time in window]
    # A tour without needless waiting takes place within a horizon: from `longest` before the first time of any window
    # to `longest` after the last time.
    longest = sum(schedule.service) + sum(int(row.max()) for row in problem.cost)
    first, last = min(times, default=0) - longest, max(times, default=0) + longest
    windows = [window or (first, last) for window in schedule.windows]
    begins = [model.new_int_var(*window, "") for window in windows]
    depot = (problem.start or 0) if problem.closed else None
    for (i, j), literal in arcs.items():
        if i >= n or j >= n:
            continue  # the additional node of an open path has no window
        duration = schedule.service[i] + int(problem.cost[i, j])
        if j == depot:
            model.add(begins[i] + duration <= windows[j][1]).only_enforce_if(literal)
        else:
            model.add(begins[i] + duration <= begins[j]).only_enforce_if(literal)
